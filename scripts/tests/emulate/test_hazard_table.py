"""The table of hazards: programs with heads, what compute-sanitizer prints, and the page."""

import pytest

import hazard_table
import sanitizer_hazards
from notebook.base.errors import Problem

# As compute-sanitizer 2025.3 prints them.
FOUND = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at fill(float *)+0x50 in write_past_end.cu:9
=========     by thread (100,0,0) in block (0,0,0)
========= ERROR SUMMARY: 28 errors
"""
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
RACE = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at reverse(int const *, int *)+0x60 in a.cu:9
=========     and Read access at reverse(int const *, int *)+0x90 in a.cu:10 [256 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
LEAK = """========= COMPUTE-SANITIZER
========= Leaked 256 bytes at 0x7f2a2b200000
========= LEAK SUMMARY: 256 bytes leaked in 1 allocations
========= ERROR SUMMARY: 1 error
"""


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (FOUND, ("yes", "ERROR SUMMARY: 28 errors", "Invalid __global__ write of size 4 bytes")),
        (CLEAN, ("no", "ERROR SUMMARY: 0 errors", "")),
        (
            RACE,
            (
                "yes",
                "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)",
                "Error: Race reported between Write access at reverse(int const *, int *)+0x60 in a.cu:9",
            ),
        ),
        (
            LEAK,
            (
                "yes",
                "LEAK SUMMARY: 256 bytes leaked in 1 allocations; ERROR SUMMARY: 1 error",
                "Leaked 256 bytes at 0x7f2a2b200000",
            ),
        ),
        ("", ("no answer", "", "")),
    ],
)
def test_what_a_tool_prints(output: str, answer: tuple[str, str, str]) -> None:
    assert sanitizer_hazards.judge(output) == answer


def test_each_program_has_a_kind_and_a_hazard() -> None:
    programs = hazard_table.programs()
    assert {program.kind for program in programs} == set(hazard_table.KINDS)
    assert len({program.name for program in programs}) == len(programs) >= 30
    clean = [program for program in programs if program.kind == "clean"]
    assert all(program.hazard.startswith("none: ") for program in clean)


def test_a_row_has_what_each_tool_says() -> None:
    race = hazard_table.Program("a", "race", "two blocks | one word", ())
    clean = hazard_table.Program("b", "clean", "none: nothing", ())
    found = {("a", "ours"): "yes", ("b", "ours"): "no", ("a", "racecheck"): "no"}
    text = "\n".join(hazard_table.lines([race, clean], found))
    assert r"| race | two blocks \| one word | yes | open | no | open | open |" in text
    assert "finds 1 of 1 hazards and reports 0 of 1 clean programs; compute-sanitizer's" in text
    assert "together find 0 and report 0" in text


def test_the_page_keeps_what_is_around_the_table() -> None:
    begin, end = hazard_table.ENDS
    page = f"before\n{begin}\nold\n{end}\nafter\n"
    new = hazard_table.filled(page, ["new"])
    assert new == f"before\n{begin}\nnew\n{end}\nafter\n"
    assert hazard_table.filled(new, ["new"]) == new
    with pytest.raises(Problem, match="there is no"):
        hazard_table.filled("no markers", [])


def test_the_table_of_the_page_is_that_of_the_data() -> None:
    page = hazard_table.PAGE.read_text(encoding="utf-8")
    table = hazard_table.lines(hazard_table.programs(), hazard_table.answers())
    assert hazard_table.filled(page, table) == page
