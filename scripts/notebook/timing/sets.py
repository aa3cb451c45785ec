"""The sets of times on which the model is tested: predicted beside measured or printed ones."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path

from notebook.base import csv_table
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.timing.errors import HEADINGS, Errors, Pair, errors_of

CHAPTERS = Path("data/timing/validation.csv")
UNSEEN_GPU = Path("data/timing/unseen.csv")
PRINTED = Path("data/timing/published.csv")
PROGRAMS = Path("data/timing/public_programs.csv")


@dataclass(frozen=True)
class TimeSet:
    """Times by group, within which ratios are judged: a chapter, a printed table, a program."""

    name: str
    groups: Mapping[str, list[Pair]]

    @property
    def errors(self) -> Errors:
        return errors_of(self.groups.values())


def is_held_back(program: str) -> bool:
    """Half of the programs of others: the model is not changed after a look at their errors."""
    return hashlib.sha256(program.encode()).digest()[0] % 2 == 1


def all_sets(project: Project) -> list[TimeSet]:
    """In the order of the page; raises Problem."""
    programs = read(project, PROGRAMS, "program", "measured_seconds")
    printed = read(project, PRINTED, "table", "printed_seconds")
    gpus = {row["gpu"] for row in csv_table.read(project.root / PRINTED, ("gpu",))}
    halves = {
        held: {name: pairs for name, pairs in programs.items() if is_held_back(name) is held}
        for held in (False, True)
    }
    return [
        TimeSet("chapters, H200", read(project, CHAPTERS, "chapter", "measured_seconds")),
        TimeSet(
            "chapters, H100: nothing fitted",
            read(project, UNSEEN_GPU, "chapter", "measured_seconds"),
        ),
        TimeSet(f"printed times, {len(gpus)} GPUs", printed),
        TimeSet("programs of others, H200: half looked at", halves[False]),
        TimeSet("programs of others, H200: half held back", halves[True]),
    ]


def read(project: Project, path: Path, group: str, real: str) -> dict[str, list[Pair]]:
    """Predicted and real times of a table, by group; raises Problem."""
    found: dict[str, list[Pair]] = defaultdict(list)
    try:
        for row in csv_table.read(project.root / path, (group, "predicted_seconds", real)):
            if not row["predicted_seconds"]:  # a launch that the emulated GPU does not execute
                continue
            pair = tuple(row.real(column, 1e-12, inf) for column in ("predicted_seconds", real))
            found[row[group]].append((pair[0], pair[1]))
    except Malformed as error:
        raise csv_table.damaged(project.root / path, error) from error
    return dict(found)


def lines(sets: Iterable[TimeSet]) -> list[str]:
    """Markdown: a line for each set."""
    return [
        f"| tested on | times | {' | '.join(HEADINGS)} |",
        "|---" * (len(HEADINGS) + 2) + "|",
        *(
            f"| {each.name} | {each.errors.times} | {' | '.join(each.errors.cells())} |"
            for each in sets
        ),
    ]
