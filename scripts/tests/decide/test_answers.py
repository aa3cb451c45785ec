"""Placeholders of claims: the words are typed, the numbers come from the data."""

import re
from dataclasses import replace
from typing import Any

import pytest
import synthetic
from conftest import CLAIMS, Tree

from notebook.decide import answers, tables
from notebook.decide.verdicts import PREDICTED, Finding

SLOWER = "offset_11_slower"


def answer(tree: Tree, text: str) -> str:
    return answers.filled(tables.decide_chapter(tree.project, tree.chapter), text)


def save(tree: Tree, factors: dict[int, float], **settings: Any) -> None:
    """Reads whose time at offset 11 is `factors` times that at offset 0, by size."""
    rows = []
    for n, factor in factors.items():
        for offset, time in ((0, 50.0), (11, 50.0 * factor)):
            name = f"read_offset/offset:{offset}/block:512/n:{n}/cache:cold"
            rows += synthetic.timed(name, time, noise=0.0, label="l2" if n < 2**22 else "dram")
    synthetic.save(tree.data, synthetic.document(rows, **settings))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{offset_11_slower}", "1.02–1.10×"),
        ("{offset_11_slower:percent}", "2–10 %"),
        ("{offset_11_slower:times}", "1.02–1.10×"),
        ("{offset_11_slower@dram}", "1.10×"),
        ("{offset_11_slower:share}", "102–110 %"),
        ("{offset_11_slower@l2:percent}", "2 %"),
        ("{offset_11_slower@n:1048576:percent}", "2 %"),
        ("{offset_11_slower@n:16777216/cache:cold}", "1.10×"),
        (
            "On {gpu} it is {offset_11_slower@l2}, {offset_11_slower@dram}.",
            "On H200 it is 1.02×, 1.10×.",
        ),
        ("{efficiency_32@hopper}", "80 %"),
        ("{efficiency_32@emulated-hopper}", "80 %"),
    ],
)
def test_a_placeholder_becomes_a_number(tree_with_data: Tree, text: str, expected: str) -> None:
    save(tree_with_data, {2**20: 1.02, 2**24: 1.10})
    assert answer(tree_with_data, text) == expected


@pytest.mark.parametrize(
    ("factors", "form", "expected"),
    [
        ({2**20: 0.5, 2**24: 0.25}, "times", "2–4×"),
        ({2**20: 0.5, 2**24: 0.25}, "percent", "50–75 %"),
        # On both sides of 1 only the larger distance means something.
        ({2**20: 0.99, 2**24: 1.02}, "percent", "up to 2 %"),
        ({2**20: 0.99, 2**24: 1.02}, "times", "0.99–1.02×"),
        ({2**20: 123.4, 2**24: 2345.6}, "times", "123–2,346×"),
    ],
)
def test_forms(tree: Tree, factors: dict[int, float], form: str, expected: str) -> None:
    save(tree, factors)
    assert answer(tree, f"{{{SLOWER}:{form}}}") == expected


def test_of_two_gpus_the_newer_answers_and_the_other_where_it_is_asked(tree: Tree) -> None:
    save(tree, {2**24: 1.10})
    save(tree, {2**24: 1.30}, device="nvidia-a100")
    assert answer(tree, "{gpu}: {offset_11_slower}") == "H200: 1.10×"
    assert answer(tree, "{offset_11_slower@nvidia-a100}") == "1.30×"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{offset_11_slowr}", "did you mean offset_11_slower"),
        ("{offset_11_slower", "a stray {"),
        ("offset_11_slower}", "a stray }"),
        ("{offset_11_slower:half}", "a stray {"),
        ("{efficiency_32@hopper:percent}", "the claim has no baseline"),
    ],
)
def test_a_wrong_placeholder_is_refused(tree_with_data: Tree, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        answer(tree_with_data, text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{offset_11_slower@ampere}", "no data"),
        # Counted on emulated GPUs alone, which have to be asked for.
        ("{efficiency_32}", "no data (efficiency_32); counted: {efficiency_32@hopper}"),
    ],
)
def test_what_is_missing_is_no_number(tree_with_data: Tree, text: str, reason: str) -> None:
    with pytest.raises(answers.Unanswered, match=re.escape(reason)):
        answer(tree_with_data, text)


def test_without_a_gpu_it_says_so(tree: Tree) -> None:
    counted = synthetic.misaligned_reads_emulated(32)
    synthetic.save(tree.data, synthetic.document(counted, "emulated-hopper"))
    with pytest.raises(answers.Unanswered, match="needs a GPU"):
        answer(tree, "{gpu}")
    with pytest.raises(answers.Unanswered, match="needs a GPU"):
        answer(tree, "{offset_11_slower}")


def save_predicted(tree: Tree) -> None:
    """Of a Fermi, for which no error of the model is known."""
    rows = [
        synthetic.row(
            f"read_offset/offset:{offset}/block:512/n:{n}/cache:cold",
            0.0,
            label="dram predicted_bound:dram",
            predicted_seconds=seconds,
            bytes_per_second=8 * n / seconds,
            load_sectors=1,
        )
        for n, times in ((2**20, (2e-6, 3e-6)), (2**24, (2e-5, 4e-5)))
        for offset, seconds in zip((0, 11), times, strict=True)
    ]
    synthetic.save(tree.data, synthetic.document(rows, "emulated-fermi"))


def test_a_prediction_that_decides_nothing_is_given_where_it_is_asked_for(tree: Tree) -> None:
    save_predicted(tree)
    assert answer(tree, "{offset_11_slower@predicted:fermi}") == "1.50–2×"
    for text, reason in (
        ("{offset_11_slower@fermi}", "needs a GPU"),
        ("{offset_11_slower@predicted:kepler}", "no data"),
        ("{efficiency_32@predicted:fermi}", "no data"),
    ):
        with pytest.raises(answers.Unanswered, match=reason):
            answer(tree, text)


def test_the_band_of_a_prediction_is_given_where_it_decides_the_claim(tree: Tree) -> None:
    save_predicted(tree)
    with pytest.raises(answers.Unanswered, match="needs a GPU"):
        answer(tree, "{offset_11_slower@band:fermi}")
    decided = tables.decide_chapter(tree.project, tree.chapter)
    (undecided,) = (one for one in decided.verdicts if one.claim.id == SLOWER)
    finding = Finding("reproduced", "", PREDICTED, 1.5, (1.2, 2.4))
    decided = replace(decided, verdicts=[replace(undecided, finding=finding)])
    assert answers.filled(decided, "{offset_11_slower@band:fermi}") == "1.20–2.40×"


def test_a_predicted_ratio_of_bandwidths_is_the_inverse_of_that_of_times(tree: Tree) -> None:
    save_predicted(tree)
    path = tree.chapter.directory / "claims.toml"
    of_bandwidth = CLAIMS.replace('metric = "time"', 'metric = "bytes_per_second"')
    of_bandwidth = of_bandwidth.replace("claimed = 1.1", "claimed = 0.9")
    path.write_text(of_bandwidth)
    assert answer(tree, "{offset_11_slower@predicted:fermi}") == "0.50–0.67×"
