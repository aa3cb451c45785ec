#!/usr/bin/env python3
"""Public programs for tensor cores: the counters of an H200 beside the emulated ones, launch by launch.

    tensor_programs.py REPORTS [--profiles FOLDER]

REPORTS holds NAME.json a program, of `lab emulate --architecture h200 --report json`. With --profiles, FOLDER holds
NAME.csv, Nsight Compute's raw page of the same executable (--csv --page raw --print-units base), and
data/nvidia-h200/counters/tensor_programs.csv is made from it. Sizes of these programs are edited for a CPU, which is
why they are not in other_programs.toml.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import public_programs
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.base.text import plain, terminal_table
from public_programs import Rows

COUNTERS = Path("data/nvidia-h200/counters/tensor_programs.csv")
_LDMATRIX = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum"
FURTHER = {public_programs.MATRIX_WAVEFRONTS: _LDMATRIX}
TENSOR = "tensor_instructions"
# Neither of global nor of shared memory.
OTHERS = (
    *("local_load_requests", "local_store_requests", TENSOR),
    *("warp_instructions", "thread_instructions"),
)


@dataclass(frozen=True)
class Pair:
    """A launch on both GPUs."""

    program: str
    number: str
    kernel: str
    counters: dict[str, tuple[float, float]]
    # Counters of the emulated GPU that the profile lacks: such a launch is neither equal nor different.
    unmeasured: list[str]

    @property
    def differing(self) -> list[str]:
        """The counters of global and of shared memory that differ."""
        return [
            name
            for name, (emulated, measured) in self.counters.items()
            if name not in OTHERS and emulated != measured
        ]

    @property
    def has_tensor_cores(self) -> bool:
        return any(self.counters.get(TENSOR, ()))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reports", type=Path)
    parser.add_argument("--profiles", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    try:
        print("\n".join(_compare(options.reports, options.profiles)))
    except Problem as problem:
        print(f"tensor_programs: error: {problem}", file=sys.stderr)
        return problem.status
    return 0


def _compare(reports: Path, profiles: Path | None) -> list[str]:
    if profiles:
        public_programs.write_counters(COUNTERS, read_profiles(profiles), FURTHER)
    stored = Project.here().root / COUNTERS
    if not stored.is_file():
        raise Problem(f"there is no {COUNTERS}; make it with --profiles")
    emulated = {path.stem: read_report(path) for path in sorted(reports.glob("*.json"))}
    return report(emulated, public_programs.read_table(stored))


def read_profiles(folder: Path) -> Rows:
    """By program; one without a launch is left out."""
    profiles = {
        path.stem: public_programs.read_profile(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.csv"))
    }
    if not any(profiles.values()):
        raise Problem(f"no profile of a launch is in {plain(folder)}")
    return {name: rows for name, rows in profiles.items() if rows}


def read_report(path: Path) -> list[dict[str, Any]]:
    try:
        launches: list[dict[str, Any]] = json.loads(path.read_text())["emulated"][0]["launches"]
    except (ValueError, LookupError, TypeError) as error:
        raise Problem(f"{plain(path)} is no report of lab emulate --report json") from error
    return launches


def report(emulated: dict[str, list[dict[str, Any]]], measured: Rows) -> list[str]:
    """Launches with instructions of the tensor cores, counter by counter and those that differ; then the others."""
    every = list(_pairs(emulated, measured))
    pairs = [pair for pair in every if not pair.unmeasured]
    lines = []
    for title, tensor in (("with", True), ("without", False)):
        chosen = [pair for pair in pairs if pair.has_tensor_cores == tensor]
        if chosen:
            equal = sum(not pair.differing for pair in chosen)
            lines += [
                f"Launches {title} tensor instructions: {equal} of {len(chosen)} equal in all counters of global and "
                f"shared memory, {100 * equal / len(chosen):.1f} %",
                "",
                *public_programs.counter_table(_by_counter(chosen)),
                "",
                *_differences(chosen),
            ]
    missing = [
        f"{name}: {len(launches)} emulated launches, {len(measured.get(name, []))} measured"
        for name, launches in emulated.items()
        if len(launches) != sum(pair.program == name for pair in every)
    ]
    partly = [
        f"{pair.program}, launch {pair.number}: not compared, as {' and '.join(pair.unmeasured)} was not measured"
        for pair in every
        if pair.unmeasured
    ]
    return [*lines, *partly, *missing]


def _pairs(emulated: dict[str, list[dict[str, Any]]], measured: Rows) -> Iterator[Pair]:
    for program, launches in emulated.items():
        for launch, row in public_programs.beside(launches, measured.get(program, [])):
            counters = launch["counters"]
            both = public_programs.compared(counters, row)
            lacking = [
                name
                for name in public_programs.COMPARED
                if name in counters and name not in both and name not in OTHERS
            ]
            yield Pair(program, row["launch"], row["kernel"], both, lacking)


def _by_counter(pairs: list[Pair]) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for pair in pairs:
        public_programs.collect(found, pair.counters)
    return {name: found[name] for name in public_programs.COMPARED if name in found}


def _differences(pairs: list[Pair]) -> list[str]:
    rows = [
        [pair.program, pair.number, pair.kernel, name, *(f"{n:.12g}" for n in pair.counters[name])]
        for pair in pairs
        for name in pair.differing
    ]
    header = ["program", "launch", "kernel", "counter", "emulated", "measured"]
    return [*terminal_table(header, rows), ""] if rows else []


if __name__ == "__main__":
    sys.exit(main())
