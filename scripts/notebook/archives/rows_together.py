"""Whether the rows of a run can be true beside each other: names, noise, references, sizes, seconds."""

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from notebook.archives.work_references import work_of
from notebook.base.errors import Malformed
from notebook.data import names
from notebook.data.fields import Json
from notebook.data.records import numbers

# Repetitions of what times itself overlap (chapter 20: 1.07); else most of a process is set-up.
_BUSY = 2.0
# The reference timed beside a row, over its own row of the run.
_REFERENCE_APART = 1.5
# Below so many rows, equal times may be chance.
_ROWS_WITH_NOISE = 5
_MAX_BLOCK = 1024
# A launch on twice as much takes no less than a part of the time.
_FASTER_WHEN_LARGER = 0.8


def check_together(rows: list[Json], process_seconds: list[float]) -> None:
    """Raises Malformed with the first contradiction."""
    _check_names(rows)
    _check_noise(rows)
    _check_references(rows)
    _check_sizes(rows)
    _check_seconds(rows, process_seconds)


def _check_noise(rows: list[Json]) -> None:
    """Times have seven digits: no GPU takes the same in each repetition of each row."""
    repeated = [row for row in rows if sum(map(len, row["time_us"])) > 2]
    if len(repeated) >= _ROWS_WITH_NOISE and all(
        len(set(numbers(row["time_us"]))) == 1 for row in repeated
    ):
        raise Malformed("has the same time in every repetition of every row")


def _check_parameters(name: str) -> None:
    values = names.parameters(name)
    if values.get("cache", "cold") not in ("cold", "warm"):
        raise Malformed(f"has {name}, whose cache is neither cold nor warm")
    block = values.get("block", "1")
    if re.fullmatch(r"[0-9]+(x[0-9]+)*", block):
        threads = math.prod(map(int, block.split("x")))
        if not 0 < threads <= _MAX_BLOCK:
            raise Malformed(f"has {name}, whose block of {threads} threads no GPU launches")


def _check_names(rows: list[Json]) -> None:
    """What a name says can be launched. Keys may stand in any order: the same benchmark must not stand
    twice."""
    for row in rows:
        _check_parameters(row["name"])
    known: set[tuple[str, str]] = set()
    for row in rows:
        place = (names.variant(row["name"]), names.regime(row["name"]))
        if place in known:
            raise Malformed(f"has {row['name']} twice, with its keys in another order")
        known.add(place)


def _check_references(rows: list[Json]) -> None:
    """A ratio to a copy or to cuBLAS says how fast that was: as fast as in its own row, and alike
    for all rows of a regime."""
    for key, kernel, rate in (
        ("memcpy_ratio", "memcpy", "bytes_per_second"),
        ("cublas_ratio", "cublas_", "flops_per_second"),
    ):
        own = _rates(rows, kernel, rate)
        for alike in _by_work(rows, key, rate).values():
            implied = {
                row["name"]: median(one / ratio for one, ratio in side_by_side(row, rate, key))
                for row in alike
            }
            near = own.get(_place_of_reference(alike[0], key)) or median(implied.values())
            for name, value in implied.items():
                if not near / _REFERENCE_APART <= value <= near * _REFERENCE_APART:
                    raise Malformed(
                        f"has {name}: its rate and {key} are those beside {value:.4g} a second; "
                        f"the reference has {near:.4g}"
                    )


def _by_work(rows: list[Json], key: str, rate: str) -> dict[str, list[Json]]:
    """The rows with a ratio, by the reference that they were timed beside."""
    groups: dict[str, list[Json]] = {}
    for row in rows:
        if key in row and rate in row:
            groups.setdefault(_place_of_reference(row, key), []).append(row)
    return groups


def _rates(rows: list[Json], kernel: str, key: str) -> dict[str, float]:
    """The median rate of each reference, by its place."""
    return {
        _place_of_reference(row, ""): median(numbers(row[key]))
        for row in rows
        if names.kernel(row["name"]).startswith(kernel) and key in row
    }


def _place_of_reference(row: Json, key: str) -> str:
    """The regime and the operands' type of cuBLAS; the bytes moved by a copy."""
    if key == "memcpy_ratio":
        return f"{round(work_of(row, 'bytes_per_second') / 2, -6):.0f}"
    values = names.parameters(row["name"])
    if names.kernel(row["name"]) == "memcpy":
        return f"{round(int(values['bytes']), -6):.0f}"
    return f"{names.regime(row['name'])} {values.get('type', '')}"


def _check_sizes(rows: list[Json]) -> None:
    """A variant does not get faster as its data grow by twice and more."""
    groups: dict[tuple[str, str], list[tuple[int, float, str]]] = {}
    for row in rows:
        values = names.parameters(row["name"])
        sizes = [
            int(values[size]) for size in names.REGIME_KEYS if values.get(size, "").isdecimal()
        ]
        if sizes:
            place = (names.variant(row["name"]), values.get("cache", ""))
            timed = median(numbers(row["time_us"]))
            groups.setdefault(place, []).append((math.prod(sizes), timed, row["name"]))
    for group in groups.values():
        ordered = sorted(group)
        for (size, time, _), (larger, longer, name) in pairwise(ordered):
            if larger >= 2 * size and longer < _FASTER_WHEN_LARGER * time:
                raise Malformed(f"has {name} at {longer:g} us; a smaller size takes {time:g} us")


def _check_seconds(rows: list[Json], seconds: list[float]) -> None:
    """The repetitions of a process take no longer than the process."""
    for key, scale in (("time_us", "launches"), ("cpu_time_us", "")):
        busy = [0.0] * len(seconds)
        for row in rows:
            for process, times in enumerate(row["time_us"][: len(seconds)]):
                for index in range(len(times)):
                    launches = at(row.get(scale, 1), process, index)
                    launches *= 1 + at(row.get("discarded_batches", 0), process, index)
                    busy[process] += launches * at(row.get(key, 0), process, index) / 1e6
        for process, (used, took) in enumerate(zip(busy, seconds, strict=True), start=1):
            if used > _BUSY * took + 1:
                raise Malformed(
                    f"has {used:.3g} s of {key} in process {process}, which took {took:g} s"
                )


def side_by_side(row: Json, one: str, other: str) -> Iterator[tuple[float, float]]:
    """Two fields of each repetition."""
    for process, times in enumerate(row["time_us"]):
        for index in range(len(times)):
            yield at(row[one], process, index), at(row[other], process, index)


def at(value: float | list[list[float]], process: int, index: int) -> float:
    return value[process][index] if isinstance(value, list) else value
