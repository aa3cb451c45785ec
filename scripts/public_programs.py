#!/usr/bin/env python3
"""Public programs on an H200 and on the emulated one: what both counted, and how long launches took.

    public_programs.py build FOLDER EXECUTABLES          anywhere
    public_programs.py measure FOLDER EXECUTABLES        on a GPU of compute capability 9.0, with ncu
    public_programs.py compare FOLDER EXECUTABLES        anywhere; prints the errors and writes the predicted times

FOLDER holds checkouts of the repositories of other_programs.toml. EXECUTABLES gets the programs, compiled for compute
capability 9.0, so that a GPU and the emulated one execute the same PTX. `measure` writes
data/nvidia-h200/counters/public_programs.csv (the first 16 launches of each program) and the measured times of
data/timing/public_programs.csv (the first 60, by Nsight Compute, caches and clocks as the program leaves them).

Half of the programs, by a hash of their names, are held back: the time model is not changed after a look at them.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import other_programs
from notebook.base import csv_table
from notebook.base.errors import Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import plain, terminal_table
from notebook.data.metrics import NSIGHT
from notebook.timing.sets import is_held_back
from notebook.tools import toolbox
from other_programs import Program

LIST = Path(__file__).with_name("other_programs.toml")
COUNTERS = Path("data/nvidia-h200/counters/public_programs.csv")
TIMES = Path("data/timing/public_programs.csv")
CODE = ("-gencode", "arch=compute_90,code=[compute_90,sm_90]")
COUNTED_LAUNCHES, TIMED_LAUNCHES, SECONDS = 16, 60, 40
DURATION = "gpu__time_duration.sum"
# The data pipe's wavefronts of shared memory contain waits for other units; these do not.
INSTRUCTION_WAVEFRONTS = {
    "shared_load_wavefronts": "shared_instruction_load_wavefronts",
    "shared_store_wavefronts": "shared_instruction_store_wavefronts",
}
MATRICES = {
    "shared_load_wavefronts": "matrix_load_requests",
    "shared_store_wavefronts": "matrix_store_requests",
}
MATRIX_WAVEFRONTS = "matrix_load_wavefronts"  # not every version of the profiler has it
# Compared in this order.
COMPARED = (
    "load_requests", "load_sectors", "store_requests", "store_sectors", "atomic_requests", "reduction_requests",
    "local_load_requests", "local_store_requests", "shared_load_requests", "shared_load_wavefronts",
    "shared_store_requests", "shared_store_wavefronts", "matrix_load_requests", "matrix_store_requests",
    "tensor_instructions", "warp_instructions", "thread_instructions",
)  # fmt: skip
Rows = dict[str, list[dict[str, str]]]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["build", "measure", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("executables", type=Path)
    options = parser.parse_args()
    try:
        programs = other_programs.read_list(LIST, options.folder)
        steps = {"build": build, "measure": measure, "compare": compare}
        return steps[options.step](programs, options.executables.resolve())
    except Problem as problem:
        print(f"public_programs: error: {problem}", file=sys.stderr)
        return problem.status


def executable(program: Program, folder: Path) -> Path:
    return folder / f"{program.repository}.{program.name.replace('/', '.')}"


def build(programs: list[Program], folder: Path) -> int:
    """Compiles each program; those that do not compile for 9.0 are named and left out."""
    for program in programs:
        if error := other_programs.compile_program(program, executable(program, folder), CODE):
            say(f"{program.shown}: {error}")
    return 0


def measure(programs: list[Program], folder: Path) -> int:
    """Times first, then counters, which replay each kernel several times."""
    if not (ncu := toolbox.find_program("ncu")):
        raise Problem("measuring needs ncu (Nsight Compute)")
    counted: Rows = {}
    timed: Rows = {}
    for program in programs:
        if not executable(program, folder).is_file():
            continue
        timed[program.shown] = _profile(ncu, program, folder, [DURATION], TIMED_LAUNCHES)
        counted[program.shown] = _profile(ncu, program, folder, _metrics(), COUNTED_LAUNCHES)
    write_counters(COUNTERS, counted)
    write_times(timed)
    return 0


def _metrics() -> list[str]:
    return [metric for metric in NSIGHT.values() if not metric.startswith("derived__")]


def _profile(
    ncu: str, program: Program, folder: Path, metrics: list[str], launches: int
) -> list[dict[str, str]]:
    """A row a launch; of a program that takes too long those before its end."""
    with tempfile.TemporaryDirectory() as temporary:
        log = Path(temporary) / "log.csv"
        command = [
            *(ncu, "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw"),
            *("--print-units", "base", "--launch-count", str(launches), "--log-file", str(log)),
            *("--metrics", ",".join(metrics), str(executable(program, folder)), *program.arguments),
        ]
        try:
            subprocess.run(
                command, cwd=program.folder, capture_output=True, check=False, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            say(f"{program.shown}: stopped after {SECONDS} s")
        return read_profile(log.read_text(encoding="utf-8") if log.is_file() else "")


def read_profile(log: str) -> list[dict[str, str]]:
    """The rows of Nsight Compute's raw page; the first one has the units."""
    lines = [line for line in log.splitlines() if line.startswith('"')]
    return list(csv.DictReader(lines))[1:]


def write_counters(path: Path, profiles: Rows, further: Mapping[str, str] | None = None) -> None:
    """With columns for `further` metrics; a cell is empty where its metric was not measured."""
    metrics = {name: nsight for name, nsight in NSIGHT.items() if nsight in _metrics()}
    metrics |= further or {}
    rows = [
        [*place, *(_number(row[metric]) if metric in row else "" for metric in metrics.values())]
        for place, row in _launches(profiles)
    ]
    csv_table.write(Project.here().root / path, [*_PLACE, *metrics], rows)


def write_times(profiles: Rows) -> None:
    """The measured ones; `compare` predicts."""
    rows = [
        [*place, "", "", f"{float(_number(row[DURATION])) * 1e-9:.4g}"]
        for place, row in _launches(profiles)
    ]
    csv_table.write(Project.here().root / TIMES, _TIME_COLUMNS, rows)


_PLACE = ("program", "launch", "kernel")
_TIME_COLUMNS = (*_PLACE, "predicted_seconds", "predicted_bound", "measured_seconds")


def _launches(profiles: Rows) -> Iterator[tuple[tuple[str, int, str], dict[str, str]]]:
    for program, launches in profiles.items():
        for number, row in enumerate(launches, 1):
            yield (program, number, base_name(row["Kernel Name"])), row


def _number(text: str) -> str:
    return f"{float((text or '0').replace(',', '')):.12g}"


def base_name(kernel: str) -> str:
    """Without types, template arguments and namespaces: ncu and the emulated GPU print those otherwise."""
    bare = kernel.replace("(anonymous namespace)", "")
    name = re.sub(r"[<(].*", "", bare).split("::")[-1]
    return plain(name.removeprefix("void ").strip())


def compare(programs: list[Program], folder: Path) -> int:
    root = Project.here().root
    counted, timed = read_table(root / COUNTERS), read_table(root / TIMES)
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for program in programs:
        if program.shown not in timed or not executable(program, folder).is_file():
            continue
        launches = _emulated(program, folder)
        for launch, row in beside(launches, counted.get(program.shown, [])):
            collect(pairs, compared(launch["counters"], row))
        for launch, row in beside(launches, timed[program.shown]):
            if time := launch.get("predicted"):
                row["predicted_seconds"] = f"{time['seconds']:.4g}"
                row["predicted_bound"] = time["bound"]
    values = [list(row.values()) for rows in timed.values() for row in rows]
    csv_table.write(root / TIMES, _TIME_COLUMNS, values)
    print("\n".join([*counter_table(pairs), "", *time_table(timed)]))
    return 0


def read_table(path: Path) -> Rows:
    """By program."""
    with path.open(encoding="utf-8", newline="") as file:
        rows: Rows = defaultdict(list)
        for row in csv.DictReader(file):
            rows[row["program"]].append(row)
        return rows


def _emulated(program: Program, folder: Path) -> list[dict[str, Any]]:
    """Its launches, in order; none of a program that fails."""
    options = ("--architecture", "h200", "--report", "json")
    command = [Path(__file__).with_name("lab"), "emulate", *options, executable(program, folder)]
    done = subprocess.run(
        [*map(str, command), "--", *program.arguments],
        cwd=program.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        launches: list[dict[str, Any]] = json.loads(done.stdout)["emulated"][0]["launches"]
    except (ValueError, LookupError):
        last = (done.stderr.splitlines() or ["no output"])[-1]
        say(f"{program.shown}: no launches: {plain(last)}")
        return []
    return launches


def beside(
    launches: list[dict[str, Any]], rows: list[dict[str, str]]
) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Both by number, up to the first launch of another kernel."""
    for launch, row in zip(launches, rows, strict=False):
        if base_name(launch["kernel"]) != row["kernel"]:
            return
        yield launch, row


def collect(
    pairs: dict[str, list[tuple[float, float]]], counters: dict[str, tuple[float, float]]
) -> None:
    """Adds the counters of a launch, but those that are zero on both GPUs."""
    for name, both in counters.items():
        if any(both):
            pairs[name].append(both)


def compared(emulated: dict[str, float], row: dict[str, str]) -> dict[str, tuple[float, float]]:
    """Emulated and measured, of each counter that both have."""
    measured = {name: _measured(name, row) for name in COMPARED if name in emulated}
    return {
        name: (emulated[name], number) for name, number in measured.items() if number is not None
    }


def _measured(name: str, row: dict[str, str]) -> float | None:
    alone = row.get(INSTRUCTION_WAVEFRONTS.get(name, name), "")
    cells = [alone or row.get(name, "")]
    # Passes of ldmatrix and stmatrix are no passes of loads and stores to Nsight Compute's counters by instruction.
    if name in MATRICES and float(row.get(MATRICES[name]) or 0):
        matrices = row.get(MATRIX_WAVEFRONTS) if name == "shared_load_wavefronts" else ""
        cells = [alone, matrices] if alone and matrices else [row.get(name, "")]
    return sum(map(float, cells)) if all(cells) else None


def counter_table(pairs: dict[str, list[tuple[float, float]]]) -> list[str]:
    def within(values: list[tuple[float, float]], share: float) -> str:
        return f"{sum(abs(a - b) <= share * b for a, b in values)}"

    cells = [
        [name, f"{len(values)}", *(within(values, share) for share in (0, 0.02, 0.05, 0.1))]
        for name, values in pairs.items()
    ]
    return terminal_table(["counter", "launches", "equal", "within 2 %", "5 %", "10 %"], cells)


def time_table(timed: Rows) -> list[str]:
    """A row each half: mean and median error, launches within 20 %."""
    cells = []
    for half, held_back in (("looked at", False), ("held back", True)):
        programs = [rows for name, rows in timed.items() if is_held_back(name) == held_back]
        errors = [error for rows in programs for error in _errors(rows)]
        if errors:
            right = sum(error <= 0.2 for error in errors) / len(errors)
            means = (statistics.mean(errors), statistics.median(errors), right)
            counts = (sum(bool(list(_errors(rows))) for rows in programs), len(errors))
            cells.append([half, *map(str, counts), *(f"{100 * value:.1f} %" for value in means)])
    header = ["half", "programs", "launches", "mean error", "median error", "within 20 %"]
    return terminal_table(header, cells)


def _errors(rows: list[dict[str, str]]) -> Iterator[float]:
    for row in rows:
        if row["predicted_seconds"]:
            yield abs(float(row["predicted_seconds"]) / float(row["measured_seconds"]) - 1)


if __name__ == "__main__":
    sys.exit(main())
