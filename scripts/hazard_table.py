#!/usr/bin/env python3
"""The table of hazards in the emulator's page: what --check-hazards finds, beside compute-sanitizer's four tools.

    .venv/bin/python scripts/hazard_table.py [--run] [--check]

--run executes the programs of common/tests/hazards on the emulated GPU and writes what was found into
data/hazards_emulated.csv. Without it, the table is made from that file and from data/hazards.csv
(sanitizer_hazards.py, on a GPU) alone. --check writes nothing, and is exit status 1 where the page is not up to date.
"""

from __future__ import annotations

import argparse
import csv
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import page_table
from notebook.base.errors import Problem
from notebook.base.text import markdown_cell, markdown_table

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "common" / "tests" / "hazards"
PAGE = ROOT / "common" / "emulator" / "README.md"
OURS, SANITIZER = ROOT / "data" / "hazards_emulated.csv", ROOT / "data" / "hazards.csv"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
KINDS = ("race", "memory", "uninitialised", "synchronisation", "clean")
ENDS = "<!-- hazards: made by scripts/hazard_table.py -->", "<!-- hazards: end -->"
DIRECTIVE = re.compile(r"// (kind|hazard|flags): *(.*)")


@dataclass(frozen=True)
class Program:
    """A program with one hazard, or a clean one, as its head describes it."""

    name: str
    kind: str
    hazard: str
    flags: tuple[str, ...]


def programs() -> list[Program]:
    """By kind, then by name."""
    found: list[Program] = []
    for path in FOLDER.rglob("*.cu"):
        head: dict[str, str] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := DIRECTIVE.fullmatch(line.strip()):
                head.setdefault(match[1], match[2])  # what follows is of further runs
        if head.get("kind") not in KINDS or not head.get("hazard"):
            raise Problem(f"{path.name}: expected // kind: {', '.join(KINDS)}, and // hazard:")
        flags = tuple(shlex.split(head.get("flags", "")))
        found.append(Program(path.stem, head["kind"], head["hazard"], flags))
    return sorted(found, key=lambda program: (KINDS.index(program.kind), program.name))


def run_ours(all_programs: list[Program]) -> None:
    with OURS.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["program", "found"])
        for program in sorted(all_programs, key=lambda each: each.name):
            command: list[str | Path] = [
                ROOT / "scripts" / "lab",
                "emulate",
                *program.flags,
                next(FOLDER.rglob(f"{program.name}.cu")),
            ]
            status = subprocess.run(command, capture_output=True, check=False).returncode
            if status not in (0, 1):
                raise Problem(f"{program.name}: lab emulate ended with exit status {status}")
            table.writerow([program.name, "yes" if status else "no"])


def answers() -> dict[tuple[str, str], str]:
    """ "yes", "no" or "no answer" by program and tool; of ours the tool is "ours"."""
    result = {}
    for path in (OURS, SANITIZER):
        if not path.is_file():
            continue
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                result[row["program"], row.get("tool") or "ours"] = row["found"]
    return result


def lines(all_programs: list[Program], found: dict[tuple[str, str], str]) -> list[str]:
    """A program a row. What is not known is "open"."""
    tools = ("ours", *TOOLS)
    rows = []
    for program in all_programs:
        cells = [found.get((program.name, tool), "open") for tool in tools]
        rows.append([program.kind, markdown_cell(program.hazard), *cells])
    header = [
        "kind",
        "program of [common/tests/hazards](../tests/hazards)",
        "`--check-hazards`",
        *TOOLS,
    ]
    return ["", *markdown_table(header, rows), "", *_summary(all_programs, found), ""]


def _summary(all_programs: list[Program], found: dict[tuple[str, str], str]) -> list[str]:
    clean = [program for program in all_programs if program.kind == "clean"]
    wrong = [program for program in all_programs if program.kind != "clean"]

    def count(some: list[Program], tools: tuple[str, ...]) -> int:
        return sum(any(found.get((each.name, tool)) == "yes" for tool in tools) for each in some)

    ours = f"`--check-hazards` finds {count(wrong, ('ours',))} of {len(wrong)} hazards"
    ours += f" and reports {count(clean, ('ours',))} of {len(clean)} clean programs"
    if not any(tool in TOOLS for _, tool in found):
        return [f"{ours}. compute-sanitizer has not been run over them yet."]
    return [
        f"{ours}; compute-sanitizer's four tools together find {count(wrong, TOOLS)} and report "
        f"{count(clean, TOOLS)}."
    ]


def filled(page: str, table: list[str]) -> str:
    return page_table.filled(PAGE, page, ENDS, table)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    def found(page: str) -> str:
        if options.run:
            run_ours(programs())
        return filled(page, lines(programs(), answers()))

    return page_table.update(PAGE, found, options.check)


if __name__ == "__main__":
    sys.exit(main())
