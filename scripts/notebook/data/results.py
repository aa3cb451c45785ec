"""Results: reading data/<device>/<chapter>.json and the counters beside it.

The files may come from other people. Nothing of them is used before it has passed the schema.
"""

import glob
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from notebook.base import csv_table, errors, files
from notebook.base.errors import Malformed, Problem
from notebook.base.project import Project
from notebook.base.text import quoted, short
from notebook.data import cache, fields, names, received, records, schema
from notebook.data.chapters import Chapter
from notebook.data.devices import PUBLISHED, is_slug, option_for
from notebook.data.fields import Json
from notebook.data.intervals import Benchmark, Pool, Pools, pooled
from notebook.data.metrics import COUNTERS, SHARES
from notebook.data.records import Counts, Repetitions, numbers

PEERS = "peers"  # the folder of what other people's code takes, beside a device's results
_LARGEST_COUNT = 1e18
_CHECKED = "checked"


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
    by_name: Mapping[str, Repetitions]
    measured_counters: dict[str, dict[str, float]]
    # Caveats of a benchmark's numbers; only published ones have such.
    caveats: dict[str, str] = field(default_factory=dict)
    # Facts of a GPU; 0 where one is not recorded. The clock is the highest after any repetition.
    sm_count: int = 0
    sm_clock_mhz: float = 0
    compute_capability: str = ""
    # "hopper", as data/architectures.csv writes it; "" where it is not recorded.
    generation: str = ""
    # Names the content of the files that it is read from; "" where it is not read from a data file.
    key: str = ""
    # From an archive of somebody else (`lab add`): what cannot be checked is as told by the sender.
    is_received: bool = False

    @property
    def age(self) -> tuple[int, float, str]:
        """Sorts from the oldest GPU to the newest; those of one year by their compute capability."""
        return self.year, float(self.compute_capability or 0), self.device

    @property
    def is_published(self) -> bool:
        return self.device.startswith(PUBLISHED)

    @property
    def kind(self) -> str:
        return "published" if self.is_published else "emulated" if self.is_emulated else "gpu"

    def reason(self, text: str) -> str:
        """Of a verdict on it, which says whose numbers these are."""
        return "; ".join(filter(None, (text, received.MARK if self.is_received else "")))

    def _pools(self, metric: str) -> Pools:
        """What the benchmarks tell about the variance of one of them between processes."""
        if metric not in self._pools_by_metric:
            self._pools_by_metric[metric] = pooled(self._benchmarks(metric))
        return self._pools_by_metric[metric]

    @cached_property
    def _pools_by_metric(self) -> dict[str, Pools]:
        """Those that were asked for."""
        return {}

    def _benchmarks(self, metric: str) -> list[Benchmark]:
        """Those that have the metric in every repetition."""
        return [
            Benchmark(names.regime(name), values)
            for name, repetitions in self.by_name.items()
            if (values := repetitions.positive(metric))
        ]

    def pool_of(self, metric: str, regime: str) -> Pool:
        """What tells the variance of a metric between processes, in a regime."""
        return self._pools(metric if metric in SHARES else "time").of(regime)

    @cached_property
    def by_variant(self) -> dict[str, list[str]]:
        """The names of the benchmarks and counted launches of each variant."""
        groups: dict[str, list[str]] = {}
        for name in dict.fromkeys([*self.by_name, *self.measured_counters]):
            groups.setdefault(names.variant(name), []).append(name)
        return groups

    @cached_property
    def counts(self) -> Counts:
        """The counters of each benchmark."""
        return Counts(self.by_name, self.measured_counters, moved_only=not self.is_emulated)


def read(path: Path, chapter: Chapter) -> Result:
    """Reads one data file and the counters beside it; raises Malformed."""
    measured = load_counters(path.parent / "counters" / f"{chapter.name}.csv")
    return from_document(path, _document(path), measured)


def _document(path: Path) -> Json:
    return schema.parse(_content(path))


def _content(path: Path) -> bytes:
    return files.read_bytes(path, fields.LONGEST_FILE)


def load_chapter(project: Project, chapter: Chapter, device: str | None = None) -> list[Result]:
    """The results of a chapter on every device, oldest GPU first, or on one; what is damaged is refused."""
    folder = "*" if device is None else glob.escape(device)
    paths = sorted(project.data.glob(f"{folder}/{chapter.name}.json"))
    loaded = (load(project, path, chapter) for path in paths if _is_in_device_folder(path))
    loaded_right = [result for result in loaded if result]
    return sorted(loaded_right, key=lambda result: result.age)


def _is_in_device_folder(path: Path) -> bool:
    """Whether results stand where those of a device do; says so where they do not."""
    if is_slug(path.parent.name):
        return True
    if not path.parent.name.startswith("."):  # what is being written
        errors.refuse(
            Problem(
                f"{quoted(path)}: its folder has no name of a device (small letters, digits and "
                "hyphens); rename it"
            )
        )
    return False


def load_peers(project: Project, chapter: Chapter) -> list[Result]:
    """What other people's code takes for a chapter's work, oldest GPU first; see `lab peers`."""
    loaded = []
    for path in sorted(project.data.glob(f"*/{PEERS}/{chapter.name}.json")):
        try:
            loaded.append(from_document(path, _document(path), {}))
        except Malformed as error:
            again = f"scripts/lab peers {chapter.number}"
            errors.refuse(Problem(f"{quoted(path)}: {short(error)}; regenerate: {again}"))
    return loaded


def load(project: Project, path: Path, chapter: Chapter) -> Result | None:
    """One data file with the counters beside it; what is damaged is named, and left out."""
    try:
        result = _checked(project, path, chapter)
    except Malformed as error:
        again = f"scripts/lab run {chapter.number} --device {option_for(path.parent.name)}"
        errors.refuse(Problem(f"{quoted(path)}: {short(error)}; regenerate: {again}"))
        return None
    table = path.parent / "counters" / f"{chapter.name}.csv"
    measured: dict[str, dict[str, float]] = {}
    try:
        measured = load_counters(table)
    except Malformed as error:
        counters = f"scripts/lab counters {chapter.number}"
        errors.refuse(Problem(f"{quoted(table)}: {short(error)}; regenerate: {counters}"))
    return _with_counters(result, measured)


def load_right(project: Project, path: Path, chapter: Chapter) -> Result:
    """The same of files that are right; raises Malformed."""
    measured = load_counters(path.parent / "counters" / f"{chapter.name}.csv")
    return _with_counters(_checked(project, path, chapter), measured)


def key_of(path: Path, chapter: Chapter) -> str:
    """The key of the result that `load` gives; raises Malformed."""
    measured = load_counters(path.parent / "counters" / f"{chapter.name}.csv")
    return _key(cache.key([_content(path)]), measured, received.is_received(path.parent))


def _checked(project: Project, path: Path, chapter: Chapter) -> Result:
    """The result in a file, without counters, its key that of the content; raises Malformed.

    What was checked before is not checked again, and its rows are read once they are asked for.
    """
    content = _content(path)
    name = cache.key([content])
    rows: Mapping[str, Repetitions]
    if summary := cache.read(project, _CHECKED, name):
        rows = records.Later(lambda: _rows_of(path, name))
    else:
        document = schema.parse(content)
        summary, rows = _summary(document), records.stored(document)
        cache.write(project, _CHECKED, name, summary)
    context, device = summary["context"], path.parent.name
    if (context["chapter"], context["device"]) != (chapter.name, device):
        raise Malformed(f"holds chapter {context['chapter']} of {context['device']}; move it there")
    return _result(path, summary, rows, {}, name)


def _with_counters(result: Result, measured: dict[str, dict[str, float]]) -> Result:
    key = _key(result.key, measured, result.is_received)
    return replace(result, measured_counters=measured, key=key)


def _key(name: str, measured: dict[str, dict[str, float]], is_received: bool) -> str:
    """Names a result by the content of its file and its counters, and by whose they are."""
    return cache.key([name.encode(), repr((sorted(measured.items()), is_received)).encode()])


def _rows_of(path: Path, name: str) -> Mapping[str, Repetitions]:
    """Of a file that was right when it had the content of that name."""
    try:
        content = _content(path)
        if cache.key([content]) != name:
            raise Malformed("was changed while it was read")
        return records.stored(schema.parse_json(content))
    except Malformed as error:
        raise Problem(f"{quoted(path)}: {short(error)}; run the command again") from error


def merged_by_device(every: list[Result]) -> list[Result]:
    """The rows and counters of several chapters as one result a device, oldest GPU first."""
    by_device: dict[str, Result] = {}
    for result in every:
        if first := by_device.get(result.device):
            result = replace(
                first,
                by_name=_together(first.by_name, result.by_name),
                measured_counters=first.measured_counters | result.measured_counters,
            )
        by_device[result.device] = result
    return sorted(by_device.values(), key=lambda result: result.age)


def _together(
    one: Mapping[str, Repetitions], other: Mapping[str, Repetitions]
) -> dict[str, Repetitions]:
    """The benchmarks of two chapters; of those that both have, a copy say, all repetitions."""
    shared = {name: Repetitions([*one[name], *other[name]]) for name in one if name in other}
    return {**one, **other, **shared}


def from_document(path: Path, document: Json, measured: dict[str, dict[str, float]]) -> Result:
    """The result in a document that has passed the schema."""
    return _result(path, _summary(document), records.stored(document), measured)


def _summary(document: Json) -> Json:
    clocks = _clocks(document["rows"])
    return {"context": document["context"], "sm_clock_mhz": max(clocks, default=0.0)}


def _result(
    path: Path,
    summary: Json,
    rows: Mapping[str, Repetitions],
    measured: dict[str, dict[str, float]],
    key: str = "",
) -> Result:
    context = summary["context"]
    device = received.Device(context["device"], received.is_received(path.parent))
    return Result(
        path=path,
        chapter=context["chapter"],
        device=device,
        is_emulated=context["device_kind"] == fields.EMULATED,
        year=context["year"],
        fetch_unit_bytes=context["fetch_unit_bytes"],
        quick=context["quick"],
        by_name=rows,
        measured_counters=measured,
        sm_count=context.get("sm_count", 0),
        sm_clock_mhz=summary["sm_clock_mhz"],
        compute_capability=context.get("compute_capability", ""),
        generation=_generation(context),
        key=key,
        is_received=device.is_received,
    )


def _generation(context: Json) -> str:
    text = str(context.get("generation", "")).lower()
    return text if is_slug(text) else ""


def _clocks(rows: list[Json]) -> Iterator[float]:
    """The highest of each row."""
    for row in rows:
        clock = row.get("sm_clock_mhz", 0)
        yield max(numbers(clock), default=0.0) if isinstance(clock, list) else float(clock)


def load_counters(path: Path) -> dict[str, dict[str, float]]:
    """Counters measured by Nsight Compute, by benchmark name; {} without the file."""
    return parse_counters(csv_table.read_content(path)) if files.is_there(path) else {}


def parse_counters(content: bytes) -> dict[str, dict[str, float]]:
    """The same, from a table."""
    rows: dict[str, dict[str, float]] = {}
    for line in csv_table.parse(content, ["name"]):
        if not names.is_name(line["name"]) or line["name"] in rows:
            raise line.wrong("name")
        known = [key for key in COUNTERS if line.get(key)]
        rows[line["name"]] = {key: line.real(key, 0, _LARGEST_COUNT) for key in known}
    return rows
