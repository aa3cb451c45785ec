"""Instructions that an emulated GPU counts, launch by launch, beside what an H200's profiler counted."""

from functools import cache

import pytest
from conftest import as_nvcc_13_compiles

import instruction_table
from notebook.base.project import Project
from notebook.counters import ordinary_cuda
from notebook.counters.ordinary_cuda import Launched, Output
from notebook.tools import build

# Counts of all launches of all programs.
MIN_WITHIN_5_PERCENT = 0.9
# For each program: the PTX alone is there for between a seventh and a fourth of the launches.
MIN_WITHIN_5_PERCENT_OF_A_PROGRAM = 0.85


@cache
def ratios() -> dict[str, dict[str, dict[str, float]]]:
    """By program, counter and launch."""
    project = Project.here()
    targets = (build.emulated_runtime(), *ordinary_cuda.TARGETS.values())
    if not all((project.build / target).is_file() for target in targets):
        pytest.skip("the programs or the emulated GPU are not built here")
    return {name: instruction_table.ratios_of(project, name) for name in ordinary_cuda.TARGETS}


@as_nvcc_13_compiles
def test_counts_are_near_the_gpus() -> None:
    everything: list[float] = []
    for name, by_counter in ratios().items():
        counted = by_counter["warp_instructions"]
        assert counted.keys() == by_counter["ptx_instructions"].keys(), name
        share = instruction_table.share_within(counted.values(), 0.05)
        assert share >= MIN_WITHIN_5_PERCENT_OF_A_PROGRAM, name
        everything += counted.values()
    assert instruction_table.share_within(everything, 0.05) >= MIN_WITHIN_5_PERCENT


@as_nvcc_13_compiles
def test_the_page_has_these_shares() -> None:
    page = instruction_table.PAGE.read_text(encoding="utf-8")
    counted = instruction_table.filled(page, instruction_table.lines(ratios()))
    for line, stated in zip(counted.splitlines(), page.splitlines(), strict=True):
        if line == stated:
            continue
        # One launch of 713 was once equal on one machine and not on another: which one is not known.
        cells, stated_cells = (text.split(" | ") for text in (line, stated))
        equal = instruction_table.HEADER.index("equal")
        assert abs(int(cells.pop(equal)) - int(stated_cells.pop(equal))) <= 1, line
        assert cells == stated_cells


def test_shares() -> None:
    assert instruction_table.share_within([0.951, 1.0, 1.049, 1.06], 0.05) == 0.75
    assert instruction_table.row("a", "b", [1.0, 1.04, 0.5, 0.92]) == [
        *("a", "4", "b", "1", "50 %", "75 %", "6.0 %"),
    ]


def test_a_launch_whose_machine_code_is_not_known_is_left_out() -> None:
    gpu = Launched({}, {"a": {"warp_instructions": 100.0}, "b": {"warp_instructions": 50.0}})
    both = {"warp_instructions": 90.0, "ptx_instructions": 80.0}
    emulated = Launched({"a": Output("1", "exact")}, {"a": both, "b": {"ptx_instructions": 60.0}})
    assert ordinary_cuda.instruction_ratios(emulated, gpu, "warp_instructions") == {"a": 0.9}
    assert ordinary_cuda.instruction_ratios(emulated, gpu, "ptx_instructions") == {
        "a": 0.8,
        "b": 1.2,
    }
