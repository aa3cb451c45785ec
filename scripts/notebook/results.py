"""Results: reading data/<device>/<chapter>.json and the counters beside it.

The files may come from other people. Nothing of them is used before it has passed the schema.
"""

import glob
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from notebook import csv_table, errors, fields, names, schema
from notebook.chapters import Chapter
from notebook.devices import PUBLISHED, is_slug, option_for
from notebook.errors import Malformed, Problem
from notebook.fields import Json
from notebook.intervals import Benchmark, Pool, Pools, pooled, pooled_shares
from notebook.metrics import COUNTERS, MOVED, PEAK_PERCENT, RATES, SHARES
from notebook.project import Project
from notebook.text import quoted, short

PEERS = "peers"  # the folder of what other people's code takes, beside a device's results
_VALUES = {*RATES, *COUNTERS}
_LARGEST_COUNT = 1e18


@dataclass(frozen=True)
class Row:
    """One repetition of one variant. `values` holds rates (per second) and counters by name.

    `time_us` is 0 where nothing was timed, `predicted_seconds` where nothing was predicted.
    """

    name: str
    level: str
    process: int
    time_us: float
    throttled: bool
    values: dict[str, float]
    evidence: str = fields.MEASURED
    predicted_seconds: float = 0
    predicted_bound: str = ""

    def metric(self, name: str) -> float:
        """Its time in microseconds, one of its rates, or its share of the peak bandwidth."""
        return self.time_us if name == "time" else self.values[name]

    @property
    def counters(self) -> dict[str, float]:
        return {key: value for key, value in self.values.items() if key in COUNTERS}

    @property
    def moved(self) -> dict[str, float]:
        return {key: value for key, value in self.values.items() if key in MOVED}


@dataclass(frozen=True)
class Result:
    """A chapter on a device. `measured_counters` (by benchmark name) come from Nsight Compute, or
    from their publisher."""

    path: Path
    chapter: str
    device: str
    is_emulated: bool
    year: int
    fetch_unit_bytes: int
    quick: bool
    rows: list[Row]
    measured_counters: dict[str, dict[str, float]]
    # What to know before using a benchmark's numbers; only what is published has such.
    caveats: dict[str, str] = field(default_factory=dict)
    # Of a GPU; 0 where it is not recorded. The clock is the highest after any repetition.
    sm_count: int = 0
    sm_clock_mhz: float = 0
    compute_capability: str = ""
    # "hopper", as data/architectures.csv writes it; "" where it is not recorded.
    generation: str = ""

    @property
    def is_published(self) -> bool:
        return self.device.startswith(PUBLISHED)

    @property
    def kind(self) -> str:
        return "published" if self.is_published else "emulated" if self.is_emulated else "gpu"

    @cached_property
    def by_name(self) -> dict[str, list[Row]]:
        """The repetitions of each benchmark, in the order of the file."""
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault(row.name, []).append(row)
        return groups

    @cached_property
    def _pools(self) -> Pools:
        """What the benchmarks tell about the variance of one of them between processes."""
        return pooled(
            Benchmark(names.regime(name), by_process(rows, "time"))
            for name, rows in self.by_name.items()
            if min(row.time_us for row in rows) > 0
        )

    @cached_property
    def _pools_of_shares(self) -> dict[str, Pools]:
        return {
            metric: pooled_shares(
                Benchmark(names.regime(name), by_process(rows, metric))
                for name, rows in self.by_name.items()
                if min(row.values.get(metric, 0) for row in rows) > 0
            )
            for metric in SHARES
        }

    def pool_of(self, metric: str, regime: str) -> Pool:
        """What tells the variance of a metric between processes, in a regime."""
        pools = self._pools_of_shares[metric] if metric in SHARES else self._pools
        return pools.of(regime)

    @cached_property
    def by_variant(self) -> dict[str, list[str]]:
        """The names of the benchmarks and counted launches of each variant."""
        groups: dict[str, list[str]] = {}
        for name in dict.fromkeys([*self.by_name, *self.counts]):
            groups.setdefault(names.variant(name), []).append(name)
        return groups

    @cached_property
    def counts(self) -> dict[str, list[dict[str, float]]]:
        """The counters of each benchmark, one dictionary a repetition; only what was counted.

        On a GPU those of a launch were measured, and its rows bring along what moved around it.
        """
        own = {
            name: [row.counters if self.is_emulated else row.moved for row in rows]
            for name, rows in self.by_name.items()
        }
        own = {name: each for name, each in own.items() if all(each)}
        return own | {
            name: [moved | measured for moved in own.get(name, [{}])]
            for name, measured in self.measured_counters.items()
        }


def read(path: Path, chapter: Chapter) -> Result:
    """Reads one data file and the counters beside it; raises Malformed."""
    measured = load_counters(path.parent / "counters" / f"{chapter.name}.csv")
    return from_document(path, _document(path), measured)


def _document(path: Path) -> Json:
    try:
        with path.open("rb") as file:  # no more than it takes to see that it is too long
            return schema.parse(file.read(fields.LONGEST_FILE + 1))
    except OSError as error:
        raise Malformed(error.strerror or str(error)) from error


def load_chapter(project: Project, chapter: Chapter, device: str | None = None) -> list[Result]:
    """The results of a chapter on every device, oldest GPU first, or on one; what is damaged is refused."""
    folder = "*" if device is None else glob.escape(device)
    paths = sorted(project.data.glob(f"{folder}/{chapter.name}.json"))
    loaded = (_load(path, chapter) for path in paths if is_slug(path.parent.name))
    found = [result for result in loaded if result]
    return sorted(found, key=lambda result: (result.year, result.device))


def load_peers(project: Project, chapter: Chapter) -> list[Result]:
    """What other people's code takes for a chapter's work, oldest GPU first; see `lab peers`."""
    paths = sorted(project.data.glob(f"*/{PEERS}/{chapter.name}.json"))
    return [from_document(path, _document(path), {}) for path in paths]


def _load(path: Path, chapter: Chapter) -> Result | None:
    """One data file with the counters beside it; what is damaged is named, and left out."""
    device = path.parent.name
    again = f"scripts/lab run {chapter.number} --device {option_for(device)}"
    try:
        document = _document(path)
        context = document["context"]
        if (context["chapter"], context["device"]) != (chapter.name, device):
            raise Malformed(
                f"holds chapter {context['chapter']} of {context['device']}; move it there"
            )
    except Malformed as error:
        errors.refuse(Problem(f"{quoted(path)}: {short(error)}; regenerate: {again}"))
        return None
    table = path.parent / "counters" / f"{chapter.name}.csv"
    measured = {}
    try:
        measured = load_counters(table)
    except Malformed as error:
        counters = f"scripts/lab counters {chapter.number}"
        errors.refuse(Problem(f"{quoted(table)}: {short(error)}; regenerate: {counters}"))
    return from_document(path, document, measured)


def by_process(rows: Iterable[Row], metric: str) -> dict[int, list[float]]:
    """A metric of a benchmark's repetitions."""
    values: dict[int, list[float]] = {}
    for row in rows:
        values.setdefault(row.process, []).append(row.metric(metric))
    return values


def merged_by_device(every: list[Result]) -> list[Result]:
    """The rows and counters of several chapters as one result a device, oldest GPU first."""
    by_device: dict[str, Result] = {}
    for result in every:
        if first := by_device.get(result.device):
            result = replace(
                first,
                rows=[*first.rows, *result.rows],
                measured_counters=first.measured_counters | result.measured_counters,
            )
        by_device[result.device] = result
    return sorted(by_device.values(), key=lambda result: (result.year, result.device))


def from_document(path: Path, document: Json, measured: dict[str, dict[str, float]]) -> Result:
    """The result in a document that has passed the schema."""
    context = document["context"]
    return Result(
        path=path,
        chapter=context["chapter"],
        device=context["device"],
        is_emulated=context["device_kind"] == fields.EMULATED,
        year=context["year"],
        fetch_unit_bytes=context["fetch_unit_bytes"],
        quick=context["quick"],
        rows=rows_of(document),
        measured_counters=measured,
        sm_count=context.get("sm_count", 0),
        sm_clock_mhz=max(_clocks(document["rows"]), default=0.0),
        compute_capability=context.get("compute_capability", ""),
        generation=_generation(context),
    )


def rows_of(document: Json) -> list[Row]:
    """Every repetition of every row of a checked document."""
    peak = document["context"]["dram_bytes_per_second"]
    return [repetition for row in document["rows"] for repetition in _repetitions(row, peak)]


def _repetitions(row: Json, peak: int) -> Iterator[Row]:
    """`peak` is 0 where it is unknown: then there is no share of it."""
    metrics = [key for key in row if key in _VALUES]
    for process, times in enumerate(row.get("time_us", [[0.0]])):
        for index, time_us in enumerate(times):
            values = {key: _at(row[key], process, index) for key in metrics}
            if peak and "bytes_per_second" in values:
                values[PEAK_PERCENT] = 100 * values["bytes_per_second"] / peak
            yield Row(
                name=row["name"],
                level=row.get("level", ""),
                process=process,
                time_us=float(time_us),
                throttled=_at(row.get("throttled", 0), process, index) != 0,
                values=values,
                evidence=row["evidence"],
                predicted_seconds=row.get("predicted_seconds", 0),
                predicted_bound=row.get("predicted_bound", ""),
            )


def _at(value: float | list[list[float]], process: int, index: int) -> float:
    return float(value[process][index] if isinstance(value, list) else value)


def numbers(value: float | list[list[float]]) -> Iterator[float]:
    """Every number of a field, whether it holds one or one a repetition."""
    for process in value if isinstance(value, list) else [[value]]:
        yield from map(float, process)


def _generation(context: Json) -> str:
    text = str(context.get("generation", "")).lower()
    return text if is_slug(text) else ""


def _clocks(rows: list[Json]) -> Iterator[float]:
    for row in rows:
        yield from numbers(row.get("sm_clock_mhz", 0))


def load_counters(path: Path) -> dict[str, dict[str, float]]:
    """Counters measured by Nsight Compute, by benchmark name; {} without the file."""
    try:
        return parse_counters(path.read_bytes()) if path.is_file() else {}
    except OSError as error:
        raise Malformed(error.strerror or str(error)) from error


def parse_counters(content: bytes) -> dict[str, dict[str, float]]:
    """The same, from a table."""
    rows: dict[str, dict[str, float]] = {}
    for line in csv_table.parse(content, ["name"]):
        if not names.is_name(line["name"]) or line["name"] in rows:
            raise line.wrong("name")
        known = [key for key in COUNTERS if line.get(key)]
        rows[line["name"]] = {key: line.real(key, 0, _LARGEST_COUNT) for key in known}
    return rows
