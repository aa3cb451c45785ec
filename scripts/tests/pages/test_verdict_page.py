"""`lab verdicts`: answers, what held and what fell, in statements; the matrix and the numbers."""

import json
import re
import shutil
from typing import Any

import pytest
import synthetic
from conftest import PAGE, Tree

from notebook.decide import judging, verdicts
from notebook.pages import verdict_page
from notebook.pages.verdict_page import FELL, HELD, OPEN, PARTLY


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([judging.REPRODUCED], HELD),
        ([judging.HOLDS, judging.STRONGER], HELD),
        ([judging.HOLDS, judging.INCONCLUSIVE], HELD),
        ([judging.WEAKER], FELL),
        ([judging.NO_EFFECT, judging.OPPOSITE, judging.INCONCLUSIVE], FELL),
        ([judging.REPRODUCED, judging.NO_EFFECT], PARTLY),
        ([judging.HOLDS, judging.DOES_NOT_HOLD], PARTLY),
        ([judging.INCONCLUSIVE], OPEN),
    ],
)
def test_a_claim_stands_by_all_its_sizes(words: list[str], expected: str) -> None:
    assert verdict_page.standing(words) == expected


FIRST_LINES = "\n".join(PAGE.split("\n")[:3])


def save(tree: Tree, factor: float) -> None:
    """Three processes of reads whose time at offset 11 is `factor` times that at offset 0."""
    rows: list[dict[str, Any]] = []
    for offset, time in ((0, 50.0), (11, 50.0 * factor)):
        name = f"read_offset/offset:{offset}/block:512/n:{2**24}/cache:cold"
        rows += synthetic.timed(name, time, processes=3)
    synthetic.save(tree.data, synthetic.document(rows))


def test_the_page_names_what_fell_by_its_statement(tree_with_data: Tree) -> None:
    save(tree_with_data, 1.01)
    verdict = "On {gpu} it takes {offset_11_slower:percent} longer."
    (tree_with_data.chapter.directory / "page.md").write_text(f"{FIRST_LINES}\n{verdict}\n")
    done = tree_with_data.lab("verdicts")
    assert done.returncode == 0, done.stderr
    page = done.stdout.splitlines()
    assert page[0] == f"{synthetic.CHAPTER}  Does a misaligned read cost anything?"
    assert page[1] == "    On H200 it takes 1 % longer."
    assert page[2] == "    H200: of 1 claims 1 falls"
    # Who says it, the number that it prints, and what was found.
    assert page[3] == (
        "      ✗ Reads at offset 11 are slower than aligned ones (A source: 1.1): no effect, 1.01×"
    )
    assert "nvidia-h200: of 1 claims 1 falls" in page
    assert "emulated-hopper (counted): of 1 claims 1 holds" in page


def test_without_a_gpu_it_says_how_to_get_one(tree: Tree) -> None:
    counted = synthetic.misaligned_reads_emulated(32)
    synthetic.save(tree.data, synthetic.document(counted, "emulated-hopper"))
    shown = tree.lab("verdicts").stdout
    assert "no GPU has been measured; to measure one: scripts/lab run --keep" in shown
    assert "emulated-hopper (counted): of 1 claims 1 holds" in shown


def test_a_device_has_every_claim_with_statement_and_source(tree_with_data: Tree) -> None:
    shown = tree_with_data.lab("verdicts", "--device", "emulated:hopper").stdout
    assert (
        "offset_11_slower: Reads at offset 11 are slower than aligned ones. (A source: 1.1)"
    ) in shown
    assert "needs a GPU" in shown
    assert verdicts.LEGEND.splitlines()[-1] in shown


def test_all_is_the_matrix_with_statements(tree_with_data: Tree) -> None:
    shown = tree_with_data.lab("verdicts", "--all").stdout
    (line,) = [line for line in shown.splitlines() if line.startswith("02  offset_11_slower")]
    assert line.endswith("Reads at offset 11 are slower than aligned ones.")


@pytest.mark.parametrize(
    "options", [[], ["--all"], ["--json"], ["--device", "emulated-hopper"]], ids=" ".join
)
def test_only_the_named_chapters(tree_with_data: Tree, options: list[str]) -> None:
    second = tree_with_data.chapter.directory.parent / "03_more_reads"
    shutil.copytree(tree_with_data.chapter.directory, second)
    for results in tree_with_data.data.glob(f"*/{synthetic.CHAPTER}.json"):
        text = results.read_text().replace(synthetic.CHAPTER, second.name)
        results.with_name(f"{second.name}.json").write_text(text)
    every = tree_with_data.lab("verdicts", *options)
    both = tree_with_data.lab("verdicts", "2", "more", *options)
    first = tree_with_data.lab("verdicts", "02", *options)
    assert every.returncode == both.returncode == first.returncode == 0, every.stderr
    assert every.stdout == both.stdout
    named = re.compile(r"\b03(_more_reads|  offset_11_slower)")
    assert named.search(every.stdout) and not named.search(first.stdout)


def test_json_says_who_says_it_and_what_it_rests_on(tree_with_data: Tree) -> None:
    document = json.loads(tree_with_data.lab("verdicts", "--json").stdout)
    by_device = {(entry["device"], entry["claim"]): entry for entry in document}
    measured = by_device["nvidia-h200", "offset_11_slower"]
    assert measured["evidence"] == verdicts.MEASURED
    assert measured["source"] == "A source, section 1" and measured["derived"] is False
    assert measured["source_device"] and measured["why"] and measured["statement"]
    assert by_device["emulated-hopper", "efficiency_32"]["evidence"] == verdicts.COUNTED
    assert by_device["emulated-hopper", "offset_11_slower"]["evidence"] is None
