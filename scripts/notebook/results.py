"""Results: reading data/<device>/<chapter>.json and the counters beside it, checked row by row.

The files may come from other people. Nothing of them is used before it is checked: device and
benchmark names match a pattern, numbers are finite.
"""

import csv
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from notebook import names
from notebook.chapters import Chapter
from notebook.devices import PUBLISHED, is_slug, option_for
from notebook.errors import Problem
from notebook.metrics import COUNTERS, MOVED, PEAK_PERCENT, RATES
from notebook.project import Project
from notebook.text import plain, quoted

# The memory that a working set fits: l2, dram, l2+dram.
LABEL = re.compile(r"[a-z0-9+]*")
_MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


class Malformed(Exception):
    """What is wrong with a data file; the one who knows its name makes a Problem of it."""


@dataclass(frozen=True)
class Row:
    """One repetition of one variant. `values` holds rates (per second) and counters by name."""

    name: str
    label: str
    process: int
    time_us: float
    throttled: bool
    values: dict[str, float]

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
    from whoever published them."""

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
    # Of a GPU; 0 where nobody wrote it down. The clock is the highest after any repetition.
    sm_count: int = 0
    sm_clock_mhz: float = 0
    compute_capability: str = ""
    # "hopper", as data/architectures.csv writes it; "" where nobody wrote it down.
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
    try:
        measured = _load_counters(path.parent / "counters" / f"{chapter.name}.csv")
        return _parse(path, json.loads(path.read_text(encoding="utf-8")), measured)
    except (OSError, ValueError, RecursionError, csv.Error) as error:
        raise Malformed(str(error)) from error


def load(path: Path, chapter: Chapter, device: str) -> Result:
    """Reads one data file of a device; raises Problem with the mend."""
    try:
        return read(path, chapter)
    except Malformed as error:
        mend = f"scripts/lab run {chapter.number} --device {option_for(device)}"
        raise Problem(f"{quoted(path)}: {plain(error)}; make it anew: {mend}") from error


def load_chapter(project: Project, chapter: Chapter) -> list[Result]:
    """The results of a chapter on every device, oldest GPU first."""
    results = [
        load(path, chapter, path.parent.name)
        for path in project.data.glob(f"*/{chapter.name}.json")
        if is_slug(path.parent.name)
    ]
    for result in results:
        if (found := (result.chapter, result.device)) != (chapter.name, result.path.parent.name):
            raise Problem(
                f"{result.path}: holds chapter {found[0]} on {found[1]}; "
                "move it to where its context says it belongs"
            )
    return sorted(results, key=lambda result: (result.year, result.device))


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


def parse_rows(benchmarks: object) -> list[Row]:
    """The raw repetitions among Google Benchmark's rows; raises Malformed."""
    if not isinstance(benchmarks, list):
        raise Malformed("no list of benchmarks")
    return [_parse_row(row) for row in benchmarks if _is_repetition(row)]


def context_text(context: dict[str, Any], key: str) -> str:
    value = context.get(key)
    if not isinstance(value, str):
        raise Malformed(f"the context lacks {key}")
    return value


def device_of(context: dict[str, Any]) -> str:
    """The device's name, which is safe to become a folder; raises Malformed."""
    device = context_text(context, "device")
    is_emulated = context_text(context, "device_kind") == "emulated"
    if not is_slug(device) or device.startswith("emulated-") != is_emulated:
        raise Malformed(f"the context's device {device!r} is no device name")
    return device


def _parse(path: Path, document: object, measured: dict[str, dict[str, float]]) -> Result:
    if not isinstance(document, dict) or not isinstance(context := document.get("context"), dict):
        raise Malformed("no context")
    rows = parse_rows(document.get("benchmarks"))
    if not rows:
        raise Malformed("no rows")
    # 0 where the peak is unknown: then there is no share of it.
    if peak := _context_number(context, "dram_bytes_per_second"):
        rows = [_with_peak_percent(row, peak) for row in rows]
    return Result(
        path=path,
        chapter=context_text(context, "chapter"),
        device=device_of(context),
        is_emulated=context_text(context, "device_kind") == "emulated",
        year=_context_number(context, "year"),
        fetch_unit_bytes=_context_number(context, "fetch_unit_bytes"),
        quick=context_text(context, "quick") == "true",
        rows=rows,
        measured_counters=measured,
        sm_count=_optional_number(context, "sm_count"),
        sm_clock_mhz=max(_clocks(document["benchmarks"]), default=0.0),
        compute_capability=str(context.get("compute_capability", "")),
        generation=_generation(context),
    )


def _context_number(context: dict[str, Any], key: str) -> int:
    text = context_text(context, key)
    if not text.isdecimal():
        raise Malformed(f"the context's {key} {text!r} is no whole number")
    return int(text)


def _optional_number(context: dict[str, Any], key: str) -> int:
    return _context_number(context, key) if key in context else 0


def _generation(context: dict[str, Any]) -> str:
    text = str(context.get("generation", "")).lower()
    return text if is_slug(text) else ""


def _clocks(benchmarks: list[dict[str, Any]]) -> Iterator[float]:
    for row in filter(_is_repetition, benchmarks):
        clock = row.get("sm_clock_mhz", 0)
        if isinstance(clock, int | float) and math.isfinite(clock):
            yield float(clock)


def _is_repetition(row: object) -> bool:
    return not (isinstance(row, dict) and row.get("run_type") == "aggregate")


def _parse_row(row: object) -> Row:
    if not isinstance(row, dict):
        raise Malformed("a row is no object")
    name = row.get("name")
    if not names.is_name(name):
        raise Malformed(f"a row's name {name!r} is no benchmark name")
    if row.get("error_occurred"):
        raise Malformed(f"{name} failed: {row.get('error_message')}")
    label = row.get("label", "")
    if not isinstance(label, str) or not LABEL.fullmatch(label):
        raise Malformed(f"{name}: the label {label!r} is no regime")
    numbers = dict(_numbers(row))
    if row.get("time_unit") not in _MICROSECONDS or numbers.get("real_time", -1.0) < 0:
        raise Malformed(f"{name}: no time")
    return Row(
        name=name,
        label=label,
        process=int(numbers.get("process", 0)),
        time_us=numbers["real_time"] * _MICROSECONDS[row["time_unit"]],
        throttled=numbers.get("throttled", 0) != 0,
        values={key: value for key, value in numbers.items() if key in (*RATES, *COUNTERS)},
    )


def _with_peak_percent(row: Row, peak: int) -> Row:
    rate = row.values.get("bytes_per_second")
    if rate is None:
        return row
    return replace(row, values=row.values | {PEAK_PERCENT: 100 * rate / peak})


def _numbers(row: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for key, value in row.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if not math.isfinite(value):
            raise Malformed(f"{row['name']}: {plain(key)} is {value}")
        yield key, float(value)


def _load_counters(path: Path) -> dict[str, dict[str, float]]:
    """Counters measured by Nsight Compute, by benchmark name; {} without the file."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return dict(_counter_row(path, row) for row in csv.DictReader(file))


def _counter_row(path: Path, row: dict[str, str]) -> tuple[str, dict[str, float]]:
    name = row.pop("name", None)
    if not names.is_name(name):
        raise Malformed(f"{path.name}: {name!r} is no benchmark name")
    try:
        counters = {key: float(row[key]) for key in COUNTERS if row.get(key)}
    except (TypeError, ValueError) as error:
        raise Malformed(f"{path.name}: {name}: {error}") from error
    if not all(map(math.isfinite, counters.values())):
        raise Malformed(f"{path.name}: {name}: a counter is not finite")
    return name, counters
