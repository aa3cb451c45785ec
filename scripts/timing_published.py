#!/usr/bin/env python3
"""Predicts the times that other people printed: data/timing/published.csv.

    scripts/timing_published.py [--again [REGEX]]

Runs what data/timing/published.toml says on the emulated GPUs, through chapters/any_size, and keeps the
predictions that data/timing/published.csv already has, but with --again. Nothing of the model is taken
from these times. scripts/timing_validation.py makes the tables of common/timing/README.md from it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from notebook import build, emulate
from notebook.progress import say
from notebook.project import Project
from notebook.published_times import PREDICTIONS, Compared, Printed, printed, read, tables, write

PROGRAM = "chapters/any_size/any_size"
Known = dict[tuple[str, str], tuple[float, str]]


def program_for(run: str) -> str:
    """The executable whose loads go where the run says."""
    found = re.search(r"/l1:(on|off)", run)
    return f"{PROGRAM}_l1_{found[1]}" if found else PROGRAM


def predict(project: Project, library: Path, row: Printed, sampled: bool) -> tuple[float, str]:
    """The time of the last launch of a run, and what bounds it."""
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
        subprocess.run(command, env=os.environ | settings, check=True, stdout=subprocess.DEVNULL)
        launches = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    last = [each["predicted"] for each in launches if "predicted" in each][-1]
    return float(last["seconds"]), str(last["bound"])


def known_ones(project: Project) -> Known:
    if not (project.root / PREDICTIONS).is_file():
        return {}
    return {
        (each.gpu, each.run): (each.predicted, each.bound)
        for errors in read(project).values()
        for each in errors.rows
    }


def compared(project: Project, known: Known, again: str) -> Iterator[Compared]:
    library = emulate.runtime_folder(project)
    build.build(project, "--quiet", *(PROGRAM + end for end in ("", "_l1_on", "_l1_off")))
    for table in tables(project):
        is_wanted = bool(again) and re.search(again, table.name) is not None
        made: Known = {} if is_wanted else known
        for row in printed(project, table):
            place = (row.gpu, row.run)
            if place not in made:
                say(f"{table.name}: {row.run}")
                made[place] = predict(project, library, row, table.is_sampled(row.run))
            seconds, bound = made[place]
            yield Compared(row.table, row.gpu, row.run, row.seconds, seconds, bound)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--again", nargs="?", const=".", default="", metavar="REGEX",
                        help="predict known runs again, of the tables that it finds")  # fmt: skip
    options = parser.parse_args()
    project = Project.here()
    rows = list(compared(project, known_ones(project), options.again))
    write(rows, project.root / PREDICTIONS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
