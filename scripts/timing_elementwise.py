#!/usr/bin/env python3
"""Elementwise kernels of PyTorch on seven GPUs, as NeuSight's authors timed them, beside the time model.

    timing_elementwise.py select FILE     takes rows of NeuSight's test/elem.csv, and keeps what is predicted
    timing_elementwise.py predict         runs them on the emulated GPUs: data/timing/elementwise.csv
    timing_elementwise.py errors          prints the errors of the half that may be looked at, and by GPU
    timing_elementwise.py errors --all    and of the half held back

`select` takes add, relu, gelu and tanh, of rows that are one launch and take half a millisecond or more (the events
around them also hold the host's launch, some 20 us). Half of these are held back, by a hash.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from notebook.base import csv_table
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.emulate import command as emulate
from notebook.tools import build

PROGRAM = "scripts/any_size/elementwise"
DATA = Path("data/timing/elementwise.csv")
COLUMNS = ("gpu", "operation", "elements", "predicted_seconds", "measured_seconds")
# Names of NeuSight, and those of the emulated GPUs.
GPUS = {
    "Tesla P100-PCIE-16GB": "pascal",
    "Tesla P4": "tesla-p4",
    "Tesla V100-PCIE-32GB": "tesla-v100-pcie-32gb",
    "Tesla T4": "turing",
    "NVIDIA A100-PCIE-40GB": "a100-pcie-40gb",
    "NVIDIA A100 80GB PCIe": "a100-80gb-pcie",
    "NVIDIA L4": "nvidia-l4",
}
OPERATIONS = ("add", "relu", "gelu", "tanh")
ELEMENTS_OF_BLOCK, MIN_MILLISECONDS = 512, 0.5
Row = dict[str, str]


def is_held_back(row: Row) -> bool:
    name = f"{row['gpu']} {row['operation']} {row['elements']}"
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def select(path: Path, known: dict[tuple[str, ...], str]) -> list[Row]:
    """One row for each GPU, operation and size."""
    rows: dict[tuple[str, ...], Row] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for each in csv.DictReader(file):
            elements = int(each["B"]) * int(each["H"])
            milliseconds = float(each["Latency"])
            if each["OPName"] not in OPERATIONS or each["Device"] not in GPUS:
                continue
            blocks = -(-elements // ELEMENTS_OF_BLOCK)
            if blocks != int(each["Grid x"]) or milliseconds < MIN_MILLISECONDS:
                continue
            key = (GPUS[each["Device"]], each["OPName"], str(elements))
            values = (*key, known.get(key, ""), f"{1e-3 * milliseconds:.5g}")
            row = dict(zip(COLUMNS, values, strict=True))
            rows.setdefault(key, row)
    return [rows[key] for key in sorted(rows)]


def predict(project: Project, rows: list[Row]) -> None:
    """Of each GPU those that have no prediction."""
    build.build(project, "--quiet", PROGRAM)
    by_gpu: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if not row["predicted_seconds"]:
            by_gpu[row["gpu"]].append(row)
    library = emulate.runtime_folder(project)
    for gpu, missing in by_gpu.items():
        say(f"{gpu}: {len(missing)} launches")
        settings = {
            "EMULATED_GPU": gpu,
            "EMULATED_GPU_TIME": "1",
            "EMULATED_GPU_SAMPLE": "1",
            "LD_LIBRARY_PATH": str(library),
        }
        wanted = "".join(f"{row['operation']} {row['elements']}\n" for row in missing)
        done = subprocess.run(
            [str(project.build / PROGRAM)],
            input=wanted,
            env=os.environ | settings,
            check=True,
            capture_output=True,
            text=True,
        )
        for row, line in zip(missing, done.stdout.splitlines(), strict=True):
            row["predicted_seconds"] = f"{1e-6 * float(line.split()[2]):.5g}"


def print_errors(rows: list[Row], everything: bool) -> None:
    for held_back in (False, True) if everything else (False,):
        some = [row for row in rows if is_held_back(row) == held_back and row["predicted_seconds"]]
        print(f"{'held back' if held_back else 'looked at'}: {summary(some)}")
        for gpu in GPUS.values():
            print(f"  {gpu}: {summary([row for row in some if row['gpu'] == gpu])}")


def summary(rows: list[Row]) -> str:
    if not rows:
        return "no times"
    ratios = [float(row["predicted_seconds"]) / float(row["measured_seconds"]) for row in rows]
    errors = [abs(ratio - 1) for ratio in ratios]
    return (
        f"{len(rows)} times, MAPE {100 * statistics.mean(errors):.1f} %, "
        f"median {100 * statistics.median(errors):.1f} %, "
        f"within 20 % {100 * sum(error <= 0.2 for error in errors) / len(errors):.0f} %, "
        f"predicted / measured {min(ratios):.2f} to {max(ratios):.2f}"
    )


def read(path: Path) -> list[Row]:
    if not path.is_file():
        return []
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    return list(csv.DictReader(lines))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["select", "predict", "errors"])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--all", action="store_true", help="also the half held back")
    parser.add_argument("--again", action="store_true", help="predict known times again")
    options = parser.parse_args()
    project = Project.here()
    path = project.root / DATA
    rows = read(path)
    if options.step == "errors":
        print_errors(rows, options.all)
        return 0
    if options.step == "select":
        if options.file is None:
            parser.error("select needs NeuSight's scripts/asplos/data/dataset/test/elem.csv")
        known = {(r["gpu"], r["operation"], r["elements"]): r["predicted_seconds"] for r in rows}
        rows = select(options.file, known)
    else:
        for row in rows:
            if options.again:
                row["predicted_seconds"] = ""
        predict(project, rows)
    csv_table.write(path, COLUMNS, [list(row.values()) for row in rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
