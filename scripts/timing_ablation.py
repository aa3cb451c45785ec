#!/usr/bin/env python3
"""What each mechanism of the time model is worth: the errors without it, in the tables of common/timing/mechanisms.md.

    scripts/timing_ablation.py [MECHANISM[,MECHANISM...] ...]

Predicts a part of each set of times again, with the whole model and without each mechanism and each group of them
(common/timing/machine/mechanisms.cpp), all by one build: EMULATED_GPU_TIME_WITHOUT names what is left out. Of named
mechanisms it prints the lines; of all it writes the table and data/timing/ablation.csv. To save time chapters on the
H100 are predicted without whole groups alone. Of programs of others it takes the half that is not held back, by their
records, which have gone through ptxas: its mechanisms change nothing there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import timing_records
from notebook.base import csv_table
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.data import documents
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.results import read
from notebook.emulate import command as emulate
from notebook.published import times as published
from notebook.timing import sets
from notebook.timing.errors import Errors, Pair, errors_of
from notebook.tools import build
from timing_published import PROGRAM, WITHOUT, predict
from timing_unseen import ARCHITECTURE as H100
from timing_unseen import MEASURED as ON_H100
from timing_validation import H200, HIERARCHY, MEASURED, fill_in

SOURCE = Path("common/timing/machine/mechanisms.cpp")
PAGE, TABLE = Path("common/timing/mechanisms.md"), Path("data/timing/ablation.csv")
BEGIN = "<!-- timing:ablation -->"
COLUMNS = (
    *("without", "set", "times", "mape", "median", "percentile_90"),
    *("times_within_20_percent", "ratios_within_20_percent", "correlation"),
)
NOTHING = "nothing"
_ENTRY = re.compile(r'^    \{"(\w+)", Group::(\w+),', re.MULTILINE)
# The rows of each chapter and each printed table; the fastest ones to predict would not be a fair part.
MAX_OF_CHAPTER = {H200: 8, H100: 4}
MAX_OF_TABLE, MAX_OF_PROGRAM = 2, 3
WHOLE_GROUP = "**all of "

Groups = dict[str, list[Pair]]


@dataclass(frozen=True)
class Mechanism:
    name: str
    group: str


def mechanisms(root: Path) -> list[Mechanism]:
    """Those of the sources, in their order."""
    text = (root / SOURCE).read_text(encoding="utf-8")
    return [Mechanism(*found) for found in _ENTRY.findall(text)]


def variants(known: Iterable[Mechanism]) -> dict[str, str]:
    """What is left out, by the name of its line: nothing, each group as a whole and then its mechanisms."""
    groups: dict[str, list[str]] = defaultdict(list)
    for each in known:
        groups[each.group].append(each.name)
    lines = {NOTHING: ""}
    for group, names in groups.items():
        if len(names) > 1:
            lines[f"{WHOLE_GROUP}{group}**"] = ",".join(names)
        lines |= {name: name for name in names}
    return lines


def chosen(names: Iterable[str], most: int) -> list[str]:
    """As many names as that, chosen by their hashes: the same ones each time, whatever the others are."""
    return sorted(names, key=lambda name: hashlib.sha256(name.encode()).digest())[:most]


class Tested(ABC):
    """A set of times: its parts, within which ratios are judged, and the times of a part without mechanisms."""

    name: str

    @abstractmethod
    def parts(self) -> list[Any]: ...

    @abstractmethod
    def times(self, part: Any, without: str) -> list[Pair]: ...


class Chapters(Tested):
    """The chapters of one GPU."""

    def __init__(self, project: Project, name: str, architecture: str, measured: str) -> None:
        self.name = name
        self._project, self._architecture = project, architecture
        self._measured = project.data / measured
        self.chapters = [
            chapter
            for chapter in all_chapters(project)
            if chapter.name != HIERARCHY and (self._measured / f"{chapter.name}.json").exists()
        ]

    def parts(self) -> list[Chapter]:
        return self.chapters

    def times(self, part: Chapter, without: str) -> list[Pair]:
        measured = read(self._measured / f"{part.name}.json", part).by_name
        wanted = chosen(measured, MAX_OF_CHAPTER[self._architecture])
        names = "|".join(map(re.escape, wanted))
        flags = [
            *(f"--architecture={self._architecture}", "--workers=1", "--benchmark_format=json"),
            f"--benchmark_filter=^({names})(/iterations:.*)?$",
        ]
        run = subprocess.run(
            [self._project.build / part.target, *flags],
            env=os.environ | {WITHOUT: without},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return [
            (row["predicted_seconds"], statistics.median(each.time_us for each in rows) * 1e-6)
            for row in documents.from_benchmark(json.loads(run.stdout))["rows"]
            if (rows := measured.get(row["name"])) and row.get("predicted_seconds", 0) > 0
        ]


class PrintedTimes(Tested):
    """Some rows of each table that others printed."""

    def __init__(self, project: Project) -> None:
        self.name = "printed times"
        self._project = project
        self._tables = published.tables(project)

    def parts(self) -> list[published.Table]:
        return self._tables

    def times(self, part: published.Table, without: str) -> list[Pair]:
        library = emulate.runtime_folder(self._project)
        rows = {row.run: row for row in published.printed(self._project, part)}
        some = [rows[run] for run in chosen(rows, MAX_OF_TABLE)]
        return [
            (
                predict(self._project, library, row, part.is_sampled(row.run), without)[0],
                row.seconds,
            )
            for row in some
        ]


class Programs(Tested):
    """Some records of each program of others; the half that is held back stays so."""

    def __init__(self, project: Project) -> None:
        self.name = "programs"
        self._project = project
        records = timing_records.read(project.root / timing_records.RECORDS)
        measured = {
            (row["program"], int(row["launch"])): float(row["measured_seconds"])
            for row in csv_table.read(project.root / sets.PROGRAMS, ("program", "launch"))
        }
        self._frames: dict[str, dict[bytes, float]] = defaultdict(dict)
        for program, launch, frame in records.launches:
            of_program = self._frames[program]
            if not sets.is_held_back(program) and len(of_program) < MAX_OF_PROGRAM:
                of_program.setdefault(records.frames[frame], measured[program, launch])

    def parts(self) -> list[dict[bytes, float]]:
        return [frames for frames in self._frames.values() if frames]

    def times(self, part: dict[bytes, float], without: str) -> list[Pair]:
        run = subprocess.run(
            [self._project.build / timing_records.PROGRAM, timing_records.GPU, without],
            input=b"".join(part), capture_output=True, check=True,
        )  # fmt: skip
        seconds = [float(line.split(b" ")[0]) for line in run.stdout.splitlines()]
        return list(zip(seconds, part.values(), strict=True))


def tables(found: dict[str, dict[str, Errors]]) -> list[str]:
    """Markdown: a line for each variant with the statistics of each set, where it was predicted for that set."""
    names = list(dict.fromkeys(name for of in found.values() for name in of))
    cells = ("MAPE", "median", "90 %", "ratios", "r")
    headings = [f"{name}: {' | '.join(cells)}" for name in names]
    lines = [f"| left out | {' | '.join(headings)} |", "|---" * (len(names) * len(cells) + 1) + "|"]
    for name, of in found.items():
        known = (
            _cells(of[each]) if each in of else " | ".join(["-"] * len(cells)) for each in names
        )
        lines.append(f"| {name} | {' | '.join(known)} |")
    return lines


def _cells(errors: Errors) -> str:
    shares = (errors.mean, errors.median, errors.percentile_90, errors.ratios_right)
    return " | ".join((*(f"{100 * share:.1f}" for share in shares), f"{errors.correlation:.3f}"))


def rows(found: dict[str, dict[str, Errors]]) -> Iterator[list[str]]:
    for name, by_set in found.items():
        for of, errors in by_set.items():
            shares = (
                *(errors.mean, errors.median, errors.percentile_90),
                *(errors.times_right, errors.ratios_right, errors.correlation),
            )
            yield [name.strip("*"), of, str(errors.times), *(f"{share:.4f}" for share in shares)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument(
        "without", nargs="*", help="mechanisms, left out together where commas join them"
    )
    asked = parser.parse_args().without
    project = Project.here()
    known = mechanisms(project.root)
    names = {each.name for each in known}
    if unknown := {name for each in asked for name in each.split(",")} - names:
        parser.error(
            f"no mechanism {', '.join(sorted(unknown))}; valid: {', '.join(sorted(names))}"
        )
    chapters = Chapters(project, "H200", H200, MEASURED)
    tested: list[Tested] = [
        chapters,
        Chapters(project, "H100", H100, ON_H100),
        PrintedTimes(project),
        Programs(project),
    ]
    programs = (PROGRAM + end for end in ("", "_l1_on", "_l1_off"))
    targets = [
        *(build.emulated_runtime(), timing_records.PROGRAM, *programs),
        *(each.target for each in chapters.chapters),
    ]
    build.configure(project, *targets)
    build.build(project, "programs", *targets)
    found: dict[str, dict[str, Errors]] = {}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        lines = {NOTHING: ""} | dict(zip(asked, asked, strict=True)) if asked else variants(known)
        for name, without in lines.items():
            found[name] = {}
            for each in tested:
                if each.name == "H100" and not (asked or name == NOTHING or WHOLE_GROUP in name):
                    continue
                futures = [pool.submit(each.times, of, without) for of in each.parts()]
                found[name][each.name] = errors_of(future.result() for future in futures)
            say(tables({name: found[name]})[-1])
    if asked:
        print("\n".join(tables(found)))
        return 0
    csv_table.write(project.root / TABLE, COLUMNS, rows(found))
    fill_in(project.root / PAGE, BEGIN, tables(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
