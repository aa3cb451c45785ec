"""What leaves the time model's mechanisms out."""

import re
from pathlib import Path

import pytest

import timing_ablation
from notebook.base.project import Project
from timing_ablation import Edit, Mechanism

ROOT = Project.here().root
MECHANISMS = {each.name: each for each in timing_ablation.mechanisms(ROOT)}
TEXTS = timing_ablation.texts_of(ROOT, list(MECHANISMS.values()))
PARAMETERS = """\
generation,parameter,value,unit
hopper,turn,130,ns
ampere,turn,130,ns
hopper,turns,2,"of, all"
"""


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_can_be_left_out_of_this_tree(name: str) -> None:
    changed = MECHANISMS[name].without(TEXTS)
    assert changed and all(text != TEXTS[file] for file, text in changed.items())


def test_the_page_has_a_line_for_each() -> None:
    page = (ROOT / timing_ablation.PAGE).read_text(encoding="utf-8")
    table = page.partition(timing_ablation.BEGIN)[2].partition("<!-- timing:end -->")[0]
    lines = re.findall(r"^\| ([^|]+) \| [\d.]+%", table, re.MULTILINE)
    assert lines == [timing_ablation.NOTHING, *MECHANISMS]


def test_an_edit_that_does_not_fit_is_an_error() -> None:
    file = Path("a.cpp")
    mechanism = Mechanism("queue", (Edit(file, "x = 1;", "x = 2;"),))
    assert mechanism.without({file: "int x = 1;"}) == {file: "int x = 2;"}
    for text in ("int x = 3;", "x = 1; x = 1;"):
        with pytest.raises(SystemExit, match=r"queue: not once in a.cpp: x = 1;"):
            mechanism.without({file: text})


def test_parameters_change_for_hopper_alone() -> None:
    assert timing_ablation.with_parameters(PARAMETERS, {"turn": 0.001}) == PARAMETERS.replace(
        "hopper,turn,130", "hopper,turn,0.001"
    )
    with pytest.raises(SystemExit, match="has no other of hopper"):
        timing_ablation.with_parameters(PARAMETERS, {"other": 1})


def test_a_row_has_means_and_the_chapters_that_are_worse() -> None:
    whole = {"01": 0.02, "08": 0.04, "09": 0.03, "12": 0.08, "19": 0.10}
    without = {"01": 0.02, "08": 0.10, "09": 0.03, "12": 0.10, "19": 0.08}
    assert timing_ablation.table_row("banks", without, whole) == (
        "| banks | 6.0% | 7.0% | chapter 08: 10.0% instead of 4.0%; chapter 12: 10.0% instead of 8.0% |"
    )
    assert timing_ablation.table_row("nothing", whole, whole) == "| nothing | 3.0% | 7.0% | |"
