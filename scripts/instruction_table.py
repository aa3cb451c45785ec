#!/usr/bin/env python3
"""The table of instruction counts in the emulator's page: launches on the emulated Hopper beside an H200.

    .venv/bin/python scripts/instruction_table.py [--check]

It builds and executes the validation sets, and compares with what is stored of the H200's profiler.
--check writes nothing, and is exit status 1 where the page is not up to date.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Collection
from pathlib import Path

import page_table
from notebook.base.project import Project
from notebook.base.text import markdown_table
from notebook.counters import ordinary_cuda
from notebook.counters.ordinary_cuda import Launched
from notebook.tools import build

PAGE = Path(__file__).resolve().parents[1] / "common" / "emulator" / "README.md"
ENDS = (
    "<!-- instructions: made by scripts/instruction_table.py -->",
    "<!-- instructions: end -->",
)
GPU, ARCHITECTURE = "nvidia-h200", "hopper"
COUNTERS = {"ptx_instructions": "of the PTX", "warp_instructions": "of the machine code"}
HEADER = ("programs", "launches", "counted", "equal", "within 5 %", "within 10 %", "median error")


def share_within(ratios: Collection[float], tolerance: float) -> float:
    """Of launches whose count is so near to the GPU's."""
    return sum(abs(ratio - 1) <= tolerance for ratio in ratios) / len(ratios)


def row(name: str, counted: str, ratios: Collection[float]) -> list[str]:
    median = statistics.median(abs(ratio - 1) for ratio in ratios)
    shares = (f"{100 * share_within(ratios, tolerance):.0f} %" for tolerance in (0.05, 0.10))
    equal = sum(ratio == 1 for ratio in ratios)
    return [name, str(len(ratios)), counted, str(equal), *shares, f"{100 * median:.1f} %"]


def ratios_of(emulated: Launched, gpu: Launched) -> dict[str, dict[str, float]]:
    """By counter and launch."""
    return {
        counter: ordinary_cuda.instruction_ratios(emulated, gpu, counter) for counter in COUNTERS
    }


def lines(ratios: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    rows = [
        row(f"`{name}`", counted, by_counter[counter].values())
        for name, by_counter in ratios.items()
        for counter, counted in COUNTERS.items()
    ]
    return markdown_table(HEADER, rows)


def filled(page: str, table: list[str]) -> str:
    return page_table.filled(PAGE, page, ENDS, ["", *table, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    def counted(page: str) -> str:
        project = Project.here()
        library = build.emulated_runtime()
        build.configure(project)
        build.build(project, "the validation sets", library, *ordinary_cuda.TARGETS.values())
        runtime = (project.build / library).parent
        ratios = {
            name: ratios_of(
                ordinary_cuda.emulate(project.build / target, runtime, ARCHITECTURE),
                ordinary_cuda.measured(project, GPU, name),
            )
            for name, target in ordinary_cuda.TARGETS.items()
        }
        return filled(page, lines(ratios))

    return page_table.update(PAGE, counted, options.check)


if __name__ == "__main__":
    sys.exit(main())
