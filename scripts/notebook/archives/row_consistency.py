"""Whether the numbers of a row can be true at the same time.

A row says some things twice: its time and its rates, its level and its size, its kind and its name.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from notebook.archives.host_traffic import check_traffic
from notebook.archives.rows_together import check_together, side_by_side
from notebook.archives.work_references import WORKS, References, Seen, is_possible, work_of
from notebook.base.errors import Malformed
from notebook.data import names
from notebook.data.chapters import Chapter
from notebook.data.fields import Json
from notebook.data.metrics import COUNTERS, MOVED
from notebook.data.records import numbers

# Rates and times have seven digits.
_ROUNDING = 1e-4
# No launch is faster: an empty one takes 1.3 us on an H200.
_SHORTEST_US = 0.2
# Processes of one run differ by 1.7 at most, page faults included.
_PROCESSES_APART = 4.0
# Bytes a clock through the L1 of an SM, loads and stores; none has more than 128 each way. From the L2
# come 64 at most.
_L1_BYTES_A_CLOCK, _L2_BYTES_A_CLOCK = 256, 80
# Cold launches rotate through buffers of four times the L2: the largest number of buffers.
_COLD, _MAX_SETS = 4, 512
# The device memory that a launch touches, over the bytes that it counts.
_TOUCHED = 4.0
# Bytes a launch counts for each element of arrays in DRAM: records have up to 32 bytes.
_ELEMENT_BYTES = (1.0, 128.0)
_KINDS_BY_KERNEL = (("memcpy", "memcpy"), ("cublas_", "cublas"))
_WHOLE = ("launches", "discarded_batches", *MOVED)


@dataclass(frozen=True)
class Device:
    """what rows are compared with."""

    l2_bytes: float
    dram_bytes_per_second: float
    sm_count: int
    max_clock_mhz: float
    process_seconds: list[float]


def check_rows(rows: list[Json], device: Device, seen: References) -> None:
    """Raises Malformed with the first contradiction."""
    for row in rows:
        try:
            _check_row(row, device, seen.get(row["name"], []))
        except Malformed as error:
            raise Malformed(f"has {row['name']}: {error}") from error
    check_together(rows, device.process_seconds)


def check_kernels(chapter: Chapter, rows: list[Json], seen: References) -> None:
    """Raises Malformed for a kernel that the chapter does not have."""
    known = {names.kernel(name) for name in seen} | {kernel for kernel, _ in _KINDS_BY_KERNEL}
    unknown = {names.kernel(row["name"]) for row in rows} - known
    if not unknown:
        return
    sources = "".join(
        path.read_text("utf-8", "replace")
        for path in sorted(chapter.directory.glob("*.*"))
        if path.suffix in (".cu", ".cuh", ".toml", ".hpp")
    )
    for kernel in sorted(unknown):
        if sources.strip() and not re.search(rf"{kernel}\b", sources) and "cublas" not in kernel:
            raise Malformed(f"has rows of {kernel}, which this chapter does not have")


def _check_row(row: Json, device: Device, seen: list[Seen]) -> None:
    _check_kind(row)
    _check_values(row, device)
    _check_work(row, device, seen)
    _check_level(row, device, seen)
    check_traffic(row)


def _check_kind(row: Json) -> None:
    kernel, kind = names.kernel(row["name"]), row.get("kind", "kernel")
    expected = next(
        (kind for prefix, kind in _KINDS_BY_KERNEL if kernel.startswith(prefix)), "kernel"
    )
    if kind != expected:
        raise Malformed(f"is called {kernel} and is of the kind {kind}")
    if counted := sorted((row.keys() & {*COUNTERS}) - {*MOVED}):
        raise Malformed(f"{counted[0]} is counted, and the row was timed")
    if predicted := [key for key in row if key.startswith("predicted_")]:
        raise Malformed(f"{predicted[0]} is a prediction, and the row was measured")


def _check_values(row: Json, device: Device) -> None:
    for key in _WHOLE:
        if any(value % 1 for value in numbers(row.get(key, 0))):
            raise Malformed(f"{key} is no whole number")
    if min(numbers(row.get("launches", 1))) < 1:
        raise Malformed("has repetitions without a launch")
    if (shortest := min(numbers(row["time_us"]))) < _SHORTEST_US:
        raise Malformed(f"takes {shortest:g} us, less than any launch")
    if (clock := max(numbers(row.get("sm_clock_mhz", 0)))) > device.max_clock_mhz:
        raise Malformed(f"ran at a clock of {clock:g} MHz, beyond this GPU's")
    medians = [median(times) for times in row["time_us"] if times]
    if max(medians) > _PROCESSES_APART * min(medians):
        raise Malformed(f"takes {max(medians):g} us in one process and {min(medians):g} in another")


def _check_work(row: Json, device: Device, seen: list[Seen]) -> None:
    """Time times rate is the work of a launch: the same in all repetitions, and on all devices."""
    for key in WORKS:
        if key not in row:
            continue
        work = work_of(row, key)
        for time, rate in side_by_side(row, "time_us", key):
            if not math.isclose(time * rate / 1e6, work, rel_tol=_ROUNDING):
                raise Malformed(f"its times and {key} contradict each other")
        if not is_possible(row["name"], work, key, device.sm_count, seen):
            raise Malformed(
                f"its time and {key} say {work:.7g} a launch; that of other devices is "
                f"{_known(seen, key):.7g}"
            )
        _check_by_name(row, key, work)
    is_array = "cache" in names.parameters(row["name"])
    of_an_sm = _L2_BYTES_A_CLOCK if is_array else _L1_BYTES_A_CLOCK
    most = device.sm_count * of_an_sm * device.max_clock_mhz * 1e6
    if (rate := max(numbers(row.get("bytes_per_second", 0)))) > most:
        raise Malformed(f"moves {rate / 1e9:g} GB/s, more than the SMs of this GPU can")
    for key in {other for one in seen for other in one.works} - row.keys():
        if all(key in one.works for one in seen):
            raise Malformed(f"has no {key}, which other devices have")


def _check_by_name(row: Json, key: str, work: float) -> None:
    """The work that the sizes in a name say."""
    values, kernel = names.parameters(row["name"]), names.kernel(row["name"])
    expected = 0.0
    if kernel == "memcpy" and key == "bytes_per_second" and "bytes" in values:
        expected = 2.0 * int(values["bytes"])
    if kernel.startswith(("matmul", "cublas_sgemm")) and key == "flops_per_second":
        expected = 2.0 * math.prod(int(values.get(size, 0)) for size in ("m", "n", "k"))
    if expected and not math.isclose(work, expected, rel_tol=_ROUNDING):
        raise Malformed(f"its time and {key} say {work:.7g} a launch, its name {expected:.7g}")
    elements = _elements(values)
    if key == "bytes_per_second" and elements and row.get("level") == "dram":
        low, high = _ELEMENT_BYTES
        if not low * (1 - _ROUNDING) <= work / elements <= high:
            raise Malformed(
                f"its time and {key} say {work / elements:.3g} bytes for each of its elements"
            )


def _elements(values: dict[str, str]) -> int:
    """Those of the array that a name is about; 0 where its sizes are not those of one."""
    if "m" in values or values.get("cache") != "cold":
        return 0
    if "rows" in values and "columns" in values:
        return int(values["rows"]) * int(values["columns"])
    return int(values.get("n", 0))


def _check_level(row: Json, device: Device, seen: list[Seen]) -> None:
    """The level follows from what a launch touches, and from the L2. Without the state of the caches in
    its name, a chapter decides itself what is rotated through."""
    if "level" not in row or "cache" not in names.parameters(row["name"]):
        return
    low, high = _touched(row, seen)
    levels = {_level(total, device.l2_bytes) for total in _totals(row, low, high, device.l2_bytes)}
    order = ("l2", "l2+dram", "dram")
    places = [order.index(level) for level in levels]
    if row["level"] not in order[min(places) : max(places) + 1]:
        raise Malformed(
            f"its data are in {row['level']}, which an L2 of {device.l2_bytes:.0f} bytes contradicts"
        )


def _touched(row: Json, seen: list[Seen]) -> tuple[float, float]:
    """The least and the most that a launch touches: by the levels on emulated GPUs, which use one
    set of buffers, else by the bytes that it counts."""
    low, high = 0.0, math.inf
    if not any(one.l2_bytes for one in seen):
        work = work_of(row, "bytes_per_second")
        return (work / _TOUCHED, _TOUCHED * work) if work else (low, high)
    for one in seen:
        if one.level in ("l2+dram", "dram"):
            low = max(low, one.l2_bytes * (_COLD if one.level == "dram" else 1))
        if one.level in ("l2", "l2+dram"):
            high = min(high, one.l2_bytes * (_COLD if one.level == "l2+dram" else 1))
    return (low, high) if low <= high else (0.0, math.inf)


def _totals(row: Json, low: float, high: float, l2_bytes: float) -> Iterator[float]:
    """What is rotated through, at least and at most."""
    is_cold = names.parameters(row["name"]).get("cache") == "cold"
    for touched in (low, high):
        yield touched
        if is_cold and touched:
            sets = min(_MAX_SETS, _COLD * l2_bytes / touched + 1)
            yield max(touched, touched * sets) if math.isfinite(touched) else math.inf


def _level(total: float, l2_bytes: float) -> str:
    return "l2" if total <= l2_bytes else "dram" if total >= _COLD * l2_bytes else "l2+dram"


def _known(seen: list[Seen], key: str) -> float:
    return next(one.works[key] for one in seen if key in one.works)
