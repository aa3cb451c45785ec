"""Cycles that a kernel's own clock counts on the emulated H200, beside those of an H200."""

import importlib.util
import re
from statistics import median
from types import ModuleType

import pytest

from notebook import build
from notebook.project import Project

PROJECT = Project.here()
# Predicted otherwise by more than a quarter, and why.
EXCEPTIONS = {
    "reciprocal square root and sum": "ptxas scales denormal numbers around MUFU.RSQ",
    "load from DRAM": "a launch as large as the one before is taken to find its data in the L2",
    "loads from shared memory, 1 warp": "one warp overlaps its loads and sums less on the GPU; no reason is known",
    "loads from shared memory, 4 warps": "one warp overlaps its loads and sums less on the GPU; no reason is known",
    "barrier of 1 warp, 32 blocks an SM": "several blocks' barriers delay each other more than their arrivals do",
    "barrier of 8 warps, 4 blocks an SM": "several blocks' barriers delay each other more than their arrivals do",
    "barrier of 16 warps, 4 blocks an SM": "several blocks' barriers delay each other more than their arrivals do",
}


def script() -> ModuleType:
    path = PROJECT.root / "scripts/timing_clocks.py"
    spec = importlib.util.spec_from_file_location("timing_clocks", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ROWS = script().read(PROJECT)
ERRORS = {
    row["loop"]: float(row["predicted_cycles"]) / float(row["measured_cycles"]) - 1 for row in ROWS
}


def test_the_emulated_gpu_prints_what_the_table_has() -> None:
    if (
        not (PROJECT.build / script().PROGRAM).is_file()
        or not (PROJECT.build / build.EMULATED_RUNTIME).is_file()
    ):
        pytest.skip("the program is not built here")
    assert script().predicted(PROJECT) == {
        row["loop"]: float(row["predicted_cycles"]) for row in ROWS
    }


def test_loops_take_the_cycles_of_the_gpu() -> None:
    judged = [abs(ERRORS[row["loop"]]) for row in ROWS if row["is_source"] == "no"]
    assert len(judged) >= 30 and median(judged) < 0.12
    assert {loop for loop, error in ERRORS.items() if abs(error) > 0.25} == EXCEPTIONS.keys()


def test_the_page_quotes_the_table() -> None:
    page = (PROJECT.root / "common/timing/README.md").read_text(encoding="utf-8")
    quoted = re.findall(r"^\| ([^|]+) \| ([\d.,]+) \| ([\d.,]+) \|$", page, re.MULTILINE)
    table = {row["loop"]: (row["measured_cycles"], row["predicted_cycles"]) for row in ROWS}
    loops = [loop for loop, *_ in quoted if loop in table]
    assert len(loops) >= 10
    for loop, *cycles in quoted:
        if loop in table:
            assert tuple(cycles) == table[loop], loop
    judged = [abs(ERRORS[row["loop"]]) for row in ROWS if row["is_source"] == "no"]
    assert (
        f"{len(ROWS)} loops" in page
        and f"of the others the median error is {100 * median(judged):.0f} %" in page
    )
