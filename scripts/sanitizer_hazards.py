#!/usr/bin/env python3
"""Runs compute-sanitizer's tools over the programs of common/tests/hazards, on a GPU, and writes one CSV.

    python3 scripts/sanitizer_hazards.py OUTPUT.csv [--nvcc PATH] [--sanitizer PATH] [--only REGEX] [--jobs N]

Needs Python 3.9 and CUDA alone, so that it runs where the project is not set up. A row is a program under a tool: its
summary, and the first line that says what was found. data/hazards.csv is such a file; hazard_table.py makes the page's
table of it.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "common" / "tests" / "hazards"
TOOLS = {
    "memcheck": ["--leak-check", "full"],
    "racecheck": ["--racecheck-report", "all", "--print-level", "warn"],
    "initcheck": [],
    "synccheck": [],
}
COLUMNS = ("program", "tool", "found", "summary", "first")
TIME_LIMIT = 120
# "========= Invalid __global__ write of size 4 bytes".
LINE = re.compile(r"^=+ (.*)$", re.MULTILINE)
SUMMARY = re.compile(r"^(ERROR|RACECHECK|LEAK) SUMMARY: (\d+) ")
NOT_FOUND = ("COMPUTE-SANITIZER", "Host Frame", "Saved host backtrace", "Device Frame")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--sanitizer", default=shutil.which("compute-sanitizer"))
    parser.add_argument("--only", default="", help="programs whose names it matches")
    parser.add_argument("--jobs", type=int, default=8, help="programs at a time; 8, if left out")
    options = parser.parse_args()
    sanitizer = options.sanitizer or str(Path(options.nvcc).with_name("compute-sanitizer"))
    for program in (options.nvcc, sanitizer):
        if not shutil.which(program):
            print(f"error: no such program: {program}; see --help", file=sys.stderr)
            return 2
    sources = [path for path in sorted(FOLDER.rglob("*.cu")) if re.search(options.only, path.stem)]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        rows_of = partial(rows_of_program, options.nvcc, sanitizer, Path(folder))
        rows = [row for rows in pool.map(rows_of, sources) for row in rows]
    with options.output.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(rows)
    return 0


def rows_of_program(nvcc: str, sanitizer: str, folder: Path, source: Path) -> list[list[str]]:
    program = folder / source.stem
    flags = ["-arch=native", "-lineinfo", "-std=c++17", "-w"]
    subprocess.run([nvcc, *flags, "-o", program, source], check=True)
    rows = []
    for tool, arguments in TOOLS.items():
        rows.append([source.stem, tool, *run(sanitizer, tool, arguments, program)])
        print(", ".join(rows[-1]), flush=True)
    return rows


def run(sanitizer: str, tool: str, arguments: list[str], program: Path) -> tuple[str, str, str]:
    """Whether the tool found something, its summary, and the first line of what it found."""
    command = [sanitizer, "--tool", tool, *arguments, str(program)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return "no answer", f"no end within {TIME_LIMIT} s", ""
    return judge(done.stdout + done.stderr)


def judge(output: str) -> tuple[str, str, str]:
    """Of what a tool prints."""
    said = [line.strip() for line in LINE.findall(output)]
    summaries = [(line, match) for line in said if (match := SUMMARY.match(line))]
    if not summaries:
        return "no answer", said[-1] if said else "", ""
    found = any(int(match[2]) > 0 for _, match in summaries)
    others = [
        line for line in said if line and not SUMMARY.match(line) and not line.startswith(NOT_FOUND)
    ]
    return (
        "yes" if found else "no",
        "; ".join(line for line, _ in summaries),
        others[0] if found and others else "",
    )


if __name__ == "__main__":
    sys.exit(main())
