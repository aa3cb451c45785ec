#!/usr/bin/env python3
"""Loops that a kernel's own clock times, predicted beside measured: data/timing/clocks.csv.

    scripts/timing_clocks.py [MEASURED.csv ...]

Runs common/tests/validation_set/clocks on the emulated H200 and writes what it prints beside what the same
program printed on an H200: in the given files, a process each (their medians), else as the table has it.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from notebook import build, files
from notebook.project import Project

PROGRAM = "common/tests/validation_set/clocks"
TABLE = Path("data/timing/clocks.csv")
NOTE = """\
# Cycles an operation as a kernel's own clock counts them: common/tests/validation_set/clocks on an H200
# (driver 580.159.04, 1980 MHz; medians of three processes) and on the emulated one. A parameter of the time
# model comes from the rows with yes.
"""
COLUMNS = ("loop", "measured_cycles", "predicted_cycles", "is_source")


def printed(text: str) -> dict[str, float]:
    """Cycles by loop, as the program prints them."""
    return {row["loop"]: float(row["cycles"]) for row in csv.DictReader(io.StringIO(text))}


def predicted(project: Project) -> dict[str, float]:
    """What the program prints on the emulated H200."""
    runtime = (project.build / build.EMULATED_RUNTIME).parent
    settings = {"EMULATED_GPU": "hopper", "EMULATED_GPU_TIME": "1", "LD_LIBRARY_PATH": str(runtime)}
    run = subprocess.run(
        [project.build / PROGRAM],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return printed(run.stdout)


def read(project: Project) -> list[dict[str, str]]:
    """The rows of the table."""
    with (project.root / TABLE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("measured", nargs="*", type=Path, help="what an H200 printed")
    arguments = parser.parse_args().measured
    project = Project.here()
    build.build(project, "--quiet", PROGRAM, build.EMULATED_RUNTIME)
    before = read(project) if (project.root / TABLE).is_file() else []
    sources = {row["loop"]: row["is_source"] for row in before}
    measured = {row["loop"]: float(row["measured_cycles"]) for row in before}
    if arguments:
        processes = [printed(path.read_text(encoding="utf-8")) for path in arguments]
        measured = {loop: median(each[loop] for each in processes) for loop in processes[0]}
    now = predicted(project)
    text = io.StringIO(NOTE)
    text.seek(0, io.SEEK_END)
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for loop, cycles in measured.items():
        table.writerow([loop, f"{cycles:.2f}", f"{now[loop]:.2f}", sources.get(loop, "no")])
    files.write(project.root / TABLE, text.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
