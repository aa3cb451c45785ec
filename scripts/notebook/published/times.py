"""Times that other people printed, beside those that the time model predicts for the same GPU.

data/timing/published.toml names the tables of printed times; data/timing/published.csv has what was
predicted for each of their rows.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import log
from pathlib import Path
from statistics import median
from typing import Any

import jsonschema_rs

from notebook.base import csv_table, files
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.base.text import short
from notebook.data import fields, names, schema
from notebook.data.chapters import Chapter
from notebook.decide import claims

TABLES = Path("data/timing/published.toml")
PREDICTIONS = Path("data/timing/published.csv")
COLUMNS = ("table", "gpu", "run", "predicted_seconds", "predicted_bound", "printed_seconds")
MIN_FOR_RANK = 5

_TEXT = {"type": "string", "maxLength": 2000}
_PAIR = {"type": "array", "minItems": 2, "maxItems": 2, "items": _TEXT}
_NAMES = ("name", "device", "gpu", "cache", "timed")
_OTHERS = ("only", "add", "assumed", "reason", "sampled")
_LISTS = {
    "files": fields.list_of(fields.text("(?:[a-z0-9]+_)*[a-z0-9]+"), 100),
    "replace": fields.list_of(_PAIR, 100),
}
_TABLE = {
    "type": "object",
    "required": [*_NAMES, "files"],
    "additionalProperties": False,
    "properties": dict.fromkeys((*_NAMES, *_OTHERS), _TEXT) | _LISTS,
}
_SCHEMA = {
    "type": "object",
    "required": ["table"],
    "properties": {"table": fields.list_of(_TABLE, 1000)},
}
_PRINTED = ("device", "name", "metric", "value")
# A row without a time prints a rate of this work.
_TIME, _BYTES, _FLOPS = "time_us", "bytes_per_second", "flops_per_second"


@dataclass(frozen=True)
class Table:
    """What one source printed of one GPU in one experiment."""

    name: str
    device: str
    gpu: str
    files: tuple[str, ...]
    cache: str
    timed: str
    only: str = ""
    add: str = ""
    replace: tuple[tuple[str, str], ...] = ()
    assumed: str = ""
    reason: str = ""
    sampled: str = ""

    def is_sampled(self, run: str) -> bool:
        """Whether only some of its blocks are executed."""
        return bool(self.sampled) and re.search(self.sampled, run) is not None

    def run_of(self, name: str) -> str:
        """What is run for a row of this name."""
        for pattern, by in self.replace:
            name = re.sub(pattern, by, name)
        return f"{name}{self.add}/cache:{self.cache}"


@dataclass(frozen=True)
class Printed:
    """A printed time, and what is run to predict it."""

    table: str
    gpu: str
    run: str
    seconds: float


@dataclass(frozen=True)
class Compared(Printed):
    """A printed time and the predicted one."""

    predicted: float = 0.0
    bound: str = ""

    @property
    def error(self) -> float:
        """Of the time, 0.1 for a tenth."""
        return abs(self.predicted / self.seconds - 1)


@dataclass
class Errors:
    """How far predictions are from a table of printed times."""

    rows: list[Compared] = field(default_factory=list)

    @property
    def absolute(self) -> float:
        return median(row.error for row in self.rows)

    def ratios(self) -> list[float]:
        """Of each ratio of two times, what it errs by: 0.1 for a tenth. Repeated runs are no ratio."""
        return [abs_ratio_error(*pair) for pair in combinations(self.rows, 2) if is_a_ratio(*pair)]

    @property
    def spread(self) -> float:
        """The slowest printed time over the fastest."""
        times = [row.seconds for row in self.rows]
        return max(times) / min(times)

    @property
    def rank(self) -> float | None:
        """Spearman's correlation; None of too few different runs."""
        from scipy import stats  # type: ignore[import-untyped]  # takes half a second

        if len({row.run for row in self.rows}) < MIN_FOR_RANK:
            return None
        predicted = [row.predicted for row in self.rows]
        if len(set(predicted)) == 1:
            return 0.0  # no order is predicted
        return float(stats.spearmanr(predicted, [row.seconds for row in self.rows])[0])


def is_a_ratio(one: Compared, other: Compared) -> bool:
    return one.run != other.run


def abs_ratio_error(one: Compared, other: Compared) -> float:
    error = log(one.predicted / other.predicted) - log(one.seconds / other.seconds)
    return float(10 ** (abs(error) / log(10))) - 1


def tables(project: Project) -> list[Table]:
    """The tables of data/timing/published.toml; raises Problem."""
    path = project.root / TABLES
    try:
        document = files.read_toml(path)
        if wrong := next(jsonschema_rs.iter_errors(_SCHEMA, document), None):
            raise Malformed(f"{schema.place(wrong.instance_path)}: {short(wrong.message)}")
        return [_table(entry) for entry in document["table"]]
    except (Malformed, re.error) as error:
        raise csv_table.damaged(path, Malformed(str(error))) from error


def _table(described: dict[str, Any]) -> Table:
    replacements = tuple((pattern, by) for pattern, by in described.pop("replace", []))
    for pattern in (described.get("only", ""), described.get("sampled", ""), *dict(replacements)):
        re.compile(pattern)
    return Table(files=tuple(described.pop("files")), replace=replacements, **described)


def printed(project: Project, table: Table) -> list[Printed]:
    """The rows of a table. What several chapters have of one printed number counts once."""
    printed_times: dict[tuple[str, str], Printed] = {}
    times: dict[str, bool] = {}
    for row in _rows(project, table):
        run = table.run_of(row["name"])
        # A source that prints times and the rates made of them prints one number.
        has_time = times.setdefault(run, row["metric"] == _TIME)
        if has_time and row["metric"] != _TIME:
            continue
        value = row.real("value", 1e-9, 1e21)
        seconds = value * 1e-6 if row["metric"] == _TIME else work(run, row["metric"]) / value
        key = (run.replace("/l1:on", ""), row["value"])
        printed_times.setdefault(key, Printed(table.name, table.gpu, run, seconds))
    return list(printed_times.values())


def _rows(project: Project, table: Table) -> Iterator[csv_table.Line]:
    for name in table.files:
        path = project.data / "published" / f"{name}.csv"
        for row in csv_table.read(path, _PRINTED):
            if row["device"] != table.device or row["metric"] not in (_TIME, _BYTES, _FLOPS):
                continue
            if re.search(table.only, row["name"]):
                yield row


def work(run: str, metric: str) -> float:
    """The bytes or operations of a run, as sources count them."""
    sizes = {key: int(value) for key, value in re.findall(r"/(\w+):(\d+)(?=/|$)", run)}
    if metric == _FLOPS:
        return 2.0 * sizes["m"] * sizes["n"] * sizes["k"]
    if "rows" in sizes:
        return 8.0 * sizes["rows"] * sizes["columns"]
    return {"scale_double": 16.0, "saxpy": 12.0}[run.partition("/")[0]] * sizes["n"]


@dataclass(frozen=True)
class ClaimedRatio:
    """A ratio of two printed or measured times that a claim is about, and the predicted one."""

    gpu: str
    chapter: str  # its number
    claim: claims.Claim
    name: str
    baseline: str
    predicted: float
    found: float
    level: str = ""  # what holds the data, where that is known

    @property
    def is_judged(self) -> bool:
        """Whether the claim is about this time, not about a rate or another size."""
        regimes = self.claim.regimes
        return self.claim.metric == "time" and (not regimes or names.regime(self.name) in regimes)


def claimed_ratios(project: Project, chapters: Iterable[Chapter]) -> Iterator[ClaimedRatio]:
    """Of each table, those of a claim's variant and baseline in one regime."""
    by_table = read(project)
    for chapter in chapters:
        timed = [claim for claim in claims.load(chapter) if not claim.is_counted and claim.baseline]
        for table in tables(project):
            if chapter.name in table.files and table.name in by_table:
                times_by_place = _by_place(project, table, chapter.name, by_table[table.name].rows)
                yield from _claimed(table.gpu, chapter.number, timed, times_by_place)


Place = tuple[str, str]  # variant and regime


def _by_place(
    project: Project, table: Table, file: str, rows: list[Compared]
) -> dict[Place, tuple[str, Compared]]:
    by_run = {row.run.replace("/l1:on", ""): row for row in rows}
    times_by_place = {}
    for line in _rows(project, replace(table, files=(file,))):
        compared = by_run.get(table.run_of(line["name"]).replace("/l1:on", ""))
        if compared is not None:
            name = line["name"]
            times_by_place[names.variant(name), names.regime(name)] = (name, compared)
    return times_by_place


def _claimed(
    gpu: str, chapter: str, timed: list[claims.Claim], places: dict[Place, tuple[str, Compared]]
) -> Iterator[ClaimedRatio]:
    for claim in timed:
        for (variant, regime), (name, row) in places.items():
            if variant != claim.variant or (claim.baseline, regime) not in places:
                continue
            baseline, other = places[claim.baseline or "", regime]
            yield ClaimedRatio(
                gpu,
                chapter,
                claim,
                name,
                baseline,
                row.predicted / other.predicted,
                row.seconds / other.seconds,
            )


def read(project: Project) -> dict[str, Errors]:
    """The comparison by table, in the order of TABLES."""
    errors_by_table = {table.name: Errors() for table in tables(project)}
    path = project.root / PREDICTIONS
    try:
        for row in csv_table.read(path, COLUMNS):
            seconds, predicted = (
                row.real(key, 1e-9, 1e6) for key in ("printed_seconds", "predicted_seconds")
            )
            if row["table"] not in errors_by_table:
                raise row.wrong("table")
            compared = Compared(
                row["table"], row["gpu"], row["run"], seconds, predicted, row["predicted_bound"]
            )
            errors_by_table[row["table"]].rows.append(compared)
    except Malformed as error:
        raise csv_table.damaged(path, error) from error
    return {name: errors for name, errors in errors_by_table.items() if errors.rows}


def write(rows: Iterable[Compared], path: Path) -> None:
    cells = (
        (*(row.table, row.gpu, row.run), f"{row.predicted:.4g}", row.bound, f"{row.seconds:.4g}")
        for row in rows
    )
    csv_table.write(path, COLUMNS, cells)
