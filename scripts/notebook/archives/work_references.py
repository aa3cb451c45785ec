"""How much a launch of a chapter's variants does, as the devices say that are here already.

Time times rate is the work of a launch, which no file states. It is that of the kernel and its sizes,
so it is the same on every device, or in proportion to the SMs where a launch fills them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from notebook.base import files
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.data import fields, names, schema
from notebook.data.fields import Json
from notebook.data.records import numbers

WORKS = ("bytes_per_second", "flops_per_second", "items_per_second")
# Numbers have seven digits; of a predicted time fewer count.
_EQUAL = 1e-3
# Sizes of whole blocks, and an SM more or less.
_PER_SM = 0.05


@dataclass(frozen=True)
class Seen:
    """A row of a device that is here: the work of a launch by rate, its L2 and its SMs."""

    works: dict[str, float]
    level: str
    l2_bytes: float
    sm_count: float


References = dict[str, list[Seen]]


def of_chapter(project: Project, chapter: str, without: str) -> References:
    """The rows of a chapter by name, of all devices but one; what is damaged says nothing."""
    found: References = {}
    for path in sorted(project.data.glob(f"*/{chapter}.json")):
        if path.parent.name == without or path.parent.name.startswith("."):
            continue
        for name, seen in _of_file(path):
            found.setdefault(name, []).append(seen)
    return found


def _of_file(path: Path) -> Iterator[tuple[str, Seen]]:
    try:
        document = schema.parse(files.read_bytes(path, fields.LONGEST_FILE))
    except Malformed:
        return
    context = document["context"]
    for row in document["rows"]:
        works = {key: work for key in WORKS if (work := work_of(row, key))}
        yield (
            row["name"],
            Seen(
                works,
                row.get("level", ""),
                context.get("l2_bytes", 0),
                context.get("sm_count", 0),
            ),
        )


def work_of(row: Json, key: str) -> float:
    """Bytes, operations or items of a launch, from the first repetition; 0 where the row has none."""
    if key not in row:
        return 0.0
    times = row.get("time_us", [[1e6 * row.get("predicted_seconds", 0)]])
    time = next(numbers(times), 0.0)
    return next(numbers(row[key]), 0.0) * time / 1e6


def is_possible(name: str, work: float, key: str, sm_count: float, seen: list[Seen]) -> bool:
    """Whether a launch on a GPU of so many SMs can do so much. Sizes in a name fix the work; a launch
    without may fill the SMs, as it does on one of the others, or may be a power of two times as long as
    an emulated GPU executes it."""
    known = [other for other in seen if key in other.works]
    works = [other.works[key] for other in known]
    if not works:
        return True
    if names.regime(name) and _are_equal(works, _EQUAL):
        return _are_equal([*works, work], _EQUAL)
    shares = [other.works[key] / other.sm_count for other in known if other.sm_count]
    return any(_are_equal([other, work], _EQUAL) for other in works) or any(
        _are_equal([share, work / sm_count], _PER_SM) or _is_power_of_two(work / sm_count / share)
        for share in [*shares, *works]
    )


def _is_power_of_two(ratio: float) -> bool:
    return abs(math.log2(ratio) - round(math.log2(ratio))) < _EQUAL


def _are_equal(values: list[float], share: float) -> bool:
    return max(values) <= (1 + share) * min(values)
