#!/usr/bin/env python3
"""What each mechanism of the time model is worth: the errors without it, in the tables of common/timing/mechanisms.md.

    scripts/timing_ablation.py [MECHANISM[,MECHANISM...] ...]

Predicts a part of each set of times again, with the whole model and without each mechanism and each group of them
(common/timing/machine/mechanisms.cpp), all by one build. Of named mechanisms it prints the lines; of all it writes the
table and data/timing/ablation.csv. Each launch is executed once and predicted from its record. Only mechanisms that a
record depends on (ptxas, `rereads`) have chapters executed again (EMULATED_GPU_TIME_WITHOUT); printed times and
programs keep these, in groups, too. To save time chapters on the H100 are predicted without whole groups alone.
Of programs of others it takes the half that is not held back.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
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
from notebook.decide import prediction
from notebook.emulate import command as emulate
from notebook.published import times as published
from notebook.timing import sets
from notebook.timing.errors import Errors, Pair, errors_of
from notebook.tools import build
from timing_published import PROGRAM, predict
from timing_unseen import ARCHITECTURE as H100
from timing_unseen import TABLE as UNSEEN
from timing_validation import H200, fill_in, written

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
MAX_OF_CHAPTER = {H200: 6, H100: 4}
MAX_OF_TABLE, MAX_OF_PROGRAM = 2, 3
RECORDING = frozenset({"rereads", "predication", "instruction_order", "register_limit"})
WITHOUT = "EMULATED_GPU_TIME_WITHOUT"
RECORDS_OF = "EMULATED_GPU_RECORDS"
MAX_DIFFERENCE = 0.005  # of a row's time, rounded, and that of its records
WHOLE_GROUP = "**all of "

Groups = dict[str, list[Pair]]


@dataclass(frozen=True)
class Mechanism:
    name: str
    group: str


def recording_of(without: str) -> frozenset[str]:
    """Mechanisms that a record depends on: without them a launch has to be executed again."""
    return RECORDING.intersection(without.split(","))


def in_records(without: str) -> str:
    """Those that a record does not depend on."""
    return ",".join(name for name in without.split(",") if name not in RECORDING)


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
    """The chapters of one GPU: some of the rows that have a measured and a predicted time."""

    def __init__(self, project: Project, name: str, architecture: str, table: Path) -> None:
        self.name = name
        self._project, self._architecture = project, architecture
        self._measured = {
            chapter: {row.name: row.measured for row in rows}
            for chapter, rows in written(project.root / table).items()
        }
        self.chapters = [
            chapter for chapter in all_chapters(project) if chapter.name in self._measured
        ]
        self._frames: dict[tuple[str, str], list[bytes]] = {}

    def parts(self) -> list[Chapter]:
        return self.chapters

    def times(self, part: Chapter, without: str) -> list[Pair]:
        measured = self._measured[part.name]
        rows = chosen(measured, MAX_OF_CHAPTER[self._architecture])
        if not without:
            seconds = {row: self._recorded(part, row) for row in rows}
        else:
            again = [
                row for row in rows if recording_of(without) or (part.name, row) not in self._frames
            ]
            seconds = self._executed(part, again, without) if again else {}
            for row in rows:
                if row not in seconds:
                    seconds[row] = self._by_record(part, row, without)
        return [(seconds[row], measured[row]) for row in rows]

    def _executed(
        self, part: Chapter, rows: Iterable[str], without: str, **settings: str
    ) -> dict[str, float]:
        flags = [
            *(f"--architecture={self._architecture}", "--workers=1", "--benchmark_format=json"),
            f"--benchmark_filter=^({'|'.join(map(re.escape, rows))})(/iterations:.*)?$",
        ]
        run = subprocess.run(
            [self._project.build / part.target, *flags],
            env=os.environ | {WITHOUT: without} | settings,
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        found = documents.from_benchmark(json.loads(run.stdout))["rows"]
        return {row["name"]: row["predicted_seconds"] for row in found}

    def _recorded(self, part: Chapter, row: str) -> float:
        """Executes a row and keeps its records."""
        with tempfile.TemporaryDirectory() as folder:
            records = Path(folder) / "records"
            settings = {RECORDS_OF: str(records)}
            seconds = self._executed(part, [row], "", **settings)[row]
            frames = timing_records.frames_of(records.read_bytes())
        # The row's own launches, or one beside its baseline's. Records do not have all that tensor instructions cost.
        for own in (frames, frames[:1], frames[-1:]):
            again = sum(from_records(self._project, self._architecture, "", own))
            if abs(again / seconds - 1) <= MAX_DIFFERENCE:
                self._frames[part.name, row] = own
                return seconds
        return seconds

    def _by_record(self, part: Chapter, row: str, without: str) -> float:
        frames = self._frames[part.name, row]
        return sum(from_records(self._project, self._architecture, without, frames))


class PrintedTimes(Tested):
    """Some rows of each table that others printed, executed once."""

    def __init__(self, project: Project) -> None:
        self.name = "printed times"
        self._project = project
        self._library = emulate.runtime_folder(project)
        self._tables = published.tables(project)
        self._frames: dict[published.Printed, bytes] = {}

    def parts(self) -> list[published.Table]:
        return self._tables

    def times(self, part: published.Table, without: str) -> list[Pair]:
        rows = {row.run: row for row in published.printed(self._project, part)}
        some = [rows[run] for run in chosen(rows, MAX_OF_TABLE)]
        return [
            (self._seconds(row, without) if without else self._recorded(part, row), row.seconds)
            for row in some
        ]

    def _seconds(self, row: published.Printed, without: str) -> float:
        return next(from_records(self._project, row.gpu, without, [self._frames[row]]))

    def _recorded(self, part: published.Table, row: published.Printed) -> float:
        """Executes a run and keeps the record of its last launch."""
        with tempfile.TemporaryDirectory() as folder:
            records = Path(folder) / "records"
            sampled = part.is_sampled(row.run)
            seconds, _ = predict(
                self._project, self._library, row, sampled, **{RECORDS_OF: str(records)}
            )
            self._frames[row] = timing_records.frames_of(records.read_bytes())[-1]
        return seconds


def from_records(
    project: Project, gpu: str, without: str, frames: Iterable[bytes]
) -> Iterator[float]:
    """Predicted seconds of each."""
    run = subprocess.run(
        [project.build / timing_records.PROGRAM, gpu, without],
        input=b"".join(frames), capture_output=True, check=True,
    )  # fmt: skip
    return (float(line.split(b" ")[0]) for line in run.stdout.splitlines())


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
        seconds = from_records(self._project, timing_records.GPU, without, part)
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
    chapters = Chapters(project, "H200", H200, prediction.TIMES)
    tested: list[Tested] = [
        chapters,
        Chapters(project, "H100", H100, UNSEEN),
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
                left_out = without if isinstance(each, Chapters) else in_records(without)
                if without and not left_out:
                    continue
                futures = [pool.submit(each.times, of, left_out) for of in each.parts()]
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
