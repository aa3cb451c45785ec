#!/usr/bin/env python3
"""Predicts the times that other people printed: data/timing/published.csv.

    scripts/timing_published.py [--again [REGEX]]

Runs what data/timing/published.toml says on the emulated GPUs, through scripts/any_size, and keeps the
predictions that data/timing/published.csv already has, but with --again. Nothing of the model is taken
from these times. scripts/timing_validation.py makes the tables of common/timing/validation.md from it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from notebook.base.progress import say
from notebook.base.project import Project
from notebook.emulate import command as emulate
from notebook.published.times import (
    PREDICTIONS,
    Compared,
    Printed,
    Table,
    printed,
    read,
    tables,
    write,
)
from notebook.tools import build

PROGRAM = "scripts/any_size/any_size"
Known = dict[tuple[str, str], tuple[float, str]]


def program_for(run: str) -> str:
    """The executable whose loads go where the run says."""
    match = re.search(r"/l1:(on|off)", run)
    return f"{PROGRAM}_l1_{match[1]}" if match else PROGRAM


def predict(
    project: Project, library: Path, row: Printed, sampled: bool, **variables: str
) -> tuple[float, str]:
    """The time of the last launch of a run, and what bounds it; `variables`: of its environment."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        settings = {
            "EMULATED_GPU": row.gpu,
            "EMULATED_GPU_TIME": "1",
            "EMULATED_GPU_SAMPLE": str(int(sampled)),
            "EMULATED_GPU_REPORT": str(report),
            "LD_LIBRARY_PATH": str(library),
        }
        command = [str(project.build / program_for(row.run)), row.run]
        subprocess.run(
            command, env=os.environ | settings | variables, check=True, stdout=subprocess.DEVNULL
        )
        launches = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    last = [launch["predicted"] for launch in launches if "predicted" in launch][-1]
    return float(last["seconds"]), str(last["bound"])


def predicted_table(project: Project, library: Path, table: Table, known: Known) -> list[Compared]:
    """The rows of a table; `known` keeps what was predicted."""
    rows = []
    for row in printed(project, table):
        place = (row.gpu, row.run)
        if place not in known:
            say(f"{table.name}: {row.run}")
            known[place] = predict(project, library, row, table.is_sampled(row.run))
        rows.append(Compared(row.table, row.gpu, row.run, row.seconds, *known[place]))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--again", nargs="?", const=".", metavar="REGEX",
                        help="predict known runs again, of the tables that it finds")  # fmt: skip
    again = parser.parse_args().again
    project = Project.here()
    path = project.root / PREDICTIONS
    rows = {name: errors.rows for name, errors in read(project).items()} if path.is_file() else {}
    every = [row for of_table in rows.values() for row in of_table]
    known = {(row.gpu, row.run): (row.predicted, row.bound) for row in every}
    library = emulate.runtime_folder(project)
    build.build(project, "programs", *(PROGRAM + end for end in ("", "_l1_on", "_l1_off")))
    for table in tables(project):
        afresh = again is not None and re.search(again, table.name)
        rows[table.name] = predicted_table(project, library, table, {} if afresh else known)
        # A run that is stopped keeps its finished tables.
        write((row for name in sorted(rows) for row in rows[name]), path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
