"""Results that other people printed, data/published/: a third kind of device, `published:<name>`.

A printed number stands for one repetition. Where a rate is printed and no time, the time is that of
a billion (10⁹) bytes or operations: within a regime every variant does the same work, so that ratios of
times are those of the source. A regime in which some have times and others rates is refused.
"""

from pathlib import Path

from notebook.base import csv_table, files
from notebook.base.csv_table import Line
from notebook.base.errors import Malformed, Problem, refuse
from notebook.base.project import Project
from notebook.data import fields, names
from notebook.data.chapters import Chapter
from notebook.data.devices import PUBLISHED, is_slug
from notebook.data.metrics import COUNTERS, PEAK_PERCENT, RATES
from notebook.data.records import Row, grouped
from notebook.data.results import Result

_TIME = "time_us"
_WORK = ("bytes_per_second", "flops_per_second")
_ITEMS = "items_per_second"
_MILLIARD_PER_SECOND_US = 1e15

_COLUMNS = ("device", "name", "metric", "value", "level", "caveat")
_DEVICE = ("device", "generation", "year", "fetch_unit_bytes", "dram_bytes_per_second")
_LARGEST_NUMBER = 1e21
_SMALLEST_NUMBER = 1e-6


def load_chapter(project: Project, chapter: Chapter) -> list[Result]:
    """What is printed about a chapter, a result for each device; [] without a file."""
    folder = project.data / "published"
    path = folder / f"{chapter.name}.csv"
    if not files.is_there(path):
        return []
    try:
        known = _devices(folder / "devices.csv")
        by_device: dict[str, list[Line]] = {}
        for row in csv_table.read(path, _COLUMNS):
            by_device.setdefault(row["device"], []).append(row)
    except Problem as problem:
        refuse(problem)
        return []
    loaded = []
    for device, printed in by_device.items():
        try:
            loaded.append(_result(path, chapter, known, device, printed))
        except Malformed as error:  # what others printed is used all the same
            refuse(csv_table.damaged(path, error))
    return loaded


def siblings(project: Project) -> dict[str, int]:
    """Of each published GPU its number in its generation, in the order of devices.csv."""
    try:
        known = _devices(project.data / "published" / "devices.csv")
    except Problem:  # whatever reads a chapter says what is wrong with the file
        return {}
    of_generation: dict[str, list[str]] = {}
    for device, gpu in known.items():
        of_generation.setdefault(gpu["generation"], []).append(PUBLISHED + device)
    every = of_generation.values()
    return {name: place for devices in every for place, name in enumerate(devices)}


def _devices(path: Path) -> dict[str, Line]:
    known: dict[str, Line] = {}
    for row in csv_table.read(path, _DEVICE):
        if row["device"] in known:
            raise csv_table.damaged(path, Malformed(f"line {row.number}: {row['device']} again"))
        known[row["device"]] = row
    return known


def _result(
    path: Path, chapter: Chapter, known: dict[str, Line], device: str, printed: list[Line]
) -> Result:
    if not is_slug(device) or device not in known:
        raise Malformed(f"line {printed[0].number}: device {device!r} is not in devices.csv")
    values: dict[str, dict[str, float]] = {}
    for row in printed:
        of_name = values.setdefault(_name(row), {})
        if row["metric"] in of_name:
            raise Malformed(f"line {row.number}: two values of {row['metric']} of {row['name']}")
        of_name[row["metric"]] = _value(row)
    _refuse_mixed_times(device, values)
    levels = {row["name"]: row["level"] for row in printed if row["level"]}
    gpu = known[device]
    peak = gpu.real("dram_bytes_per_second", 1, 1e18) if gpu["dram_bytes_per_second"] else 0
    rows = [
        _row(name, levels.get(name, ""), of_name, peak)
        for name, of_name in values.items()
        if _kind_of_time(of_name) or _ITEMS in of_name
    ]
    counters = {
        name: counted
        for name, of_name in values.items()
        if (counted := {key: value for key, value in of_name.items() if key in COUNTERS})
    }
    return Result(
        path=path,
        chapter=chapter.name,
        device=PUBLISHED + device,
        is_emulated=False,
        year=gpu.whole("year", 2006, 2100),
        fetch_unit_bytes=gpu.whole("fetch_unit_bytes", 1, 4096),
        quick=False,
        generation=known[device]["generation"].lower(),
        by_name=grouped(rows),
        measured_counters=counters,
        caveats={row["name"]: row["caveat"] for row in printed if row["caveat"]},
    )


def _name(row: Line) -> str:
    if not names.is_name(row["name"]) or row["level"] not in ("", *fields.LEVELS):
        raise row.wrong("level" if names.is_name(row["name"]) else "name")
    return row["name"]


def _value(row: Line) -> float:
    if row["metric"] not in (_TIME, *RATES, *COUNTERS):
        raise row.wrong("metric")
    value = row.real("value", 0, _LARGEST_NUMBER)
    if 0 < value < _SMALLEST_NUMBER:
        raise row.wrong("value")
    return value


def _kind_of_time(values: dict[str, float]) -> str:
    """What the time of a benchmark is taken from; "" where nothing says it."""
    return next((kind for kind in (_TIME, *_WORK) if values.get(kind)), "")


def _refuse_mixed_times(device: str, values: dict[str, dict[str, float]]) -> None:
    kinds: dict[str, str] = {}
    for name, of_name in values.items():
        if kind := _kind_of_time(of_name):
            first = kinds.setdefault(names.regime(name), kind)
            if kind != first:
                raise Malformed(f"{device}: {name}: {kind} where others have {first}")


def _row(name: str, level: str, values: dict[str, float], peak: float) -> Row:
    kind = _kind_of_time(values)
    # Items say nothing of the time that a billion bytes would take; 0 is no time.
    time_us = values.get(kind, 0.0)
    if kind in _WORK:
        time_us = _MILLIARD_PER_SECOND_US / time_us
    rates = {key: value for key, value in values.items() if key in RATES}
    if peak and "bytes_per_second" in rates:
        rates[PEAK_PERCENT] = 100 * rates["bytes_per_second"] / peak
    return Row(name, level, process=0, time_us=time_us, throttled=False, values=rates)
