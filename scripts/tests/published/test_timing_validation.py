"""Predicted against measured times: errors worked out by hand, and the tables that are made of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import Tree
from test_verdicts import BASELINE, VARIANT, claim, result

import timing_validation
from notebook.data.records import grouped
from notebook.data.results import Result
from notebook.decide import judging, prediction, verdicts
from notebook.published.times import ClaimedRatio
from timing_validation import Timed


def timed(name: str, predicted: float, measured: float) -> Timed:
    return Timed(synthetic.CHAPTER, name, predicted, "dram", measured)


def predicted_result(times: dict[str, float], **values: Any) -> Result:
    predicted_data = result(
        [synthetic.row(name, 0.0, load_sectors=1, **values) for name in times],
        is_emulated=True,
        device="emulated-hopper",
    )
    rows = [
        replace(row, predicted_seconds=times[row.name]) for row in synthetic.rows_in(predicted_data)
    ]
    return replace(predicted_data, by_name=grouped(rows))


def measured_result(times: dict[str, float], **settings: Any) -> Result:
    rows = [row for name, time in times.items() for row in synthetic.timed(name, time, **settings)]
    return result(rows)


def test_a_pair_is_a_prediction_and_the_median_of_what_was_measured() -> None:
    measured = measured_result({"a/n:1": 20.0, "b/n:1": 30.0}, noise=0.1)
    (pair,) = timing_validation.pairs_of(predicted_result({"a/n:1": 1e-5, "c/n:1": 1e-5}), measured)
    assert (pair.name, pair.predicted) == ("a/n:1", 1e-5)
    assert pair.measured == pytest.approx(20e-6)


def test_what_has_no_prediction_is_no_pair() -> None:
    none = predicted_result({"a/n:1": 0.0})
    assert timing_validation.pairs_of(none, measured_result({"a/n:1": 20.0})) == []


def test_a_chapter_is_a_line_of_the_table() -> None:
    lines = timing_validation.table(
        {"01_a": [timed("x", 1.0, 1.0)], "02_b": [timed("y", 1.5, 1.0)]}
    )
    assert [line.partition(" %")[0] for line in lines[2:]] == [
        "| 01_a | 1 | 0.0",
        "| 02_b | 1 | 50.0",
        "| **all** | 2 | 25.0",
    ]


def written_ratios(tree: Tree, predicted: Result, measured: Result) -> list[str]:
    """The lines of the table, without its header."""
    path = tree.root / "ratios.csv"
    ratios = timing_validation.measured_ratios([(tree.chapter, predicted, measured)])
    timing_validation.write_ratios(ratios, {timing_validation.H200: "hopper"}, path)
    header, *lines = path.read_text().splitlines()
    assert header == ",".join(prediction.COLUMNS)
    return lines


def test_ratios_of_claims_are_kept(tree: Tree) -> None:
    """Those of a claim's variant and baseline, in every size that has both, with what held the predicted data."""
    variant, baseline = "read_offset/offset:11/block:512", "read_offset/offset:0/block:512"
    predicted = {f"{variant}/n:1024": 2e-6, f"{baseline}/n:1024": 1e-6, f"{variant}/n:2048": 2e-6}
    measured = {f"{variant}/n:1024": 3.0, f"{baseline}/n:1024": 2.0, f"{variant}/n:2048": 3.0}
    others = ({"other/n:1024": 1e-6}, {"other/n:1024": 2.0})
    (line,) = written_ratios(
        tree,
        predicted_result(predicted | others[0], label="l2"),
        measured_result(measured | others[1]),
    )
    assert line == f"hopper,02,{variant}/n:1024,{baseline}/n:1024,l2,2,1.5"


def test_ratios_of_what_an_sm_bounds_are_of_one_kind(tree: Tree) -> None:
    """Whatever holds the data: the variant's bound counts, not its baseline's."""
    variant, baseline = "read_offset/offset:11/block:512", "read_offset/offset:0/block:512"
    times = {f"{variant}/n:1024": 2e-6, f"{baseline}/n:1024": 1e-6}
    measured = measured_result({f"{variant}/n:1024": 3.0, f"{baseline}/n:1024": 2.0})
    for bound, other, kind in (("lsu", "dram", "sm"), ("dram", "lsu", "l2")):
        predicted = predicted_result(times, label="l2")
        bounds = {f"{variant}/n:1024": bound, f"{baseline}/n:1024": other}
        rows = [
            replace(row, predicted_bound=bounds[row.name]) for row in synthetic.rows_in(predicted)
        ]
        (line,) = written_ratios(tree, replace(predicted, by_name=grouped(rows)), measured)
        assert line == f"hopper,02,{variant}/n:1024,{baseline}/n:1024,{kind},2,1.5"


def test_ratios_to_a_copy_are_not_kept(tree: Tree) -> None:
    """Their kernels are not executed."""
    name = "read_offset/offset:11/block:512/n:1024"
    claims_file = tree.chapter.directory / "claims.toml"
    text = claims_file.read_text().replace("load_efficiency", "memcpy_ratio")
    claims_file.write_text(text.replace("[79.9, 80.1]", "[0.9, inf]"))
    predicted = predicted_result({name: 1e-6}, label="dram", memcpy_ratio=0.75)
    rows = synthetic.timed(name, 2.0)
    for row in rows:
        row["memcpy_ratio"] = 0.7
    assert written_ratios(tree, predicted, result(rows)) == []


def test_a_generation_has_errors_of_its_own_from_three_gpus_on() -> None:
    def ratio(gpu: str) -> ClaimedRatio:
        return ClaimedRatio(gpu, "02", claim(), "a/n:1", "b/n:1", 2.0, 2.1)

    generations = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b", "hopper": "hopper"}
    printed = [ratio(gpu) for gpu in ("a1", "a2", "b1", "a3", "b2", "b2", "b1")]
    kept = timing_validation.of_several_gpus(printed, generations)
    assert [one.gpu for one in kept] == ["a1", "a2", "a3"]
    of_hopper = {gpu: "hopper" for gpu in generations}
    assert list(timing_validation.of_several_gpus(printed, of_hopper)) == []


def test_times_are_written_with_four_digits(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    timing_validation.write([timed("a", 1.23456e-5, 2e-5)], path)
    assert path.read_text().splitlines()[1] == "02_misaligned_reads,a,1.235e-05,dram,2e-05"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that errs by a hundredth."""
    monkeypatch.setattr(verdicts, "band", lambda _, number, *__: (number / 1.01, number * 1.01))


def test_words_of_both_kinds_are_compared(narrow: None) -> None:
    times = {f"{VARIANT}/n:1024": 2e-5, f"{BASELINE}/n:1024": 1e-5}
    measured = measured_result({f"{VARIANT}/n:1024": 15.0, f"{BASELINE}/n:1024": 10.0})
    (words,) = timing_validation.both_words(claim(), predicted_result(times), measured)
    assert words == ("n:1024", judging.REPRODUCED, judging.REPRODUCED)
    faster = measured_result({f"{VARIANT}/n:1024": 5.0, f"{BASELINE}/n:1024": 10.0})
    (words,) = timing_validation.both_words(claim(), predicted_result(times), faster)
    assert words == ("n:1024", judging.REPRODUCED, judging.OPPOSITE)


def test_what_is_predicted_but_in_doubt_is_too_close(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was predicted: no GPU is needed for the number, but for the word."""
    monkeypatch.setattr(verdicts, "band", lambda *_: None)
    times = {f"{VARIANT}/n:1024": 2e-5, f"{BASELINE}/n:1024": 1e-5}
    measured = measured_result({f"{VARIANT}/n:1024": 15.0, f"{BASELINE}/n:1024": 10.0})
    (words,) = timing_validation.both_words(claim(), predicted_result(times), measured)
    assert words == ("n:1024", judging.TOO_CLOSE, judging.REPRODUCED)


def test_what_was_not_measured_is_not_compared(narrow: None) -> None:
    times = {f"{VARIANT}/n:1024": 2e-5, f"{BASELINE}/n:1024": 1e-5}
    measured = measured_result({f"{VARIANT}/n:1024": 15.0})
    assert list(timing_validation.both_words(claim(), predicted_result(times), measured)) == []


def test_a_page_keeps_what_stands_around_its_tables(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(
        "a\n<!-- one -->\nold\n<!-- timing:end -->\nb\n<!-- two -->\n<!-- timing:end -->\nc\n"
    )
    timing_validation.fill_in(page, "<!-- two -->", ["new"])
    timing_validation.fill_in(page, "<!-- one -->", ["table"])
    assert page.read_text() == (
        "a\n<!-- one -->\n\ntable\n\n<!-- timing:end -->\nb\n<!-- two -->\n\nnew\n\n<!-- timing:end -->\nc\n"
    )
