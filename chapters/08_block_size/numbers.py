"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

import itertools
from collections.abc import Callable

from notebook.pages.queries import Data, Numbers, rank_correlation

_LARGE = "offset:0 n:67108864"
_PLAIN, _UNROLLED = "read_offset shared_kb:none", "read_offset_unrolled shared_kb:none"


def _rates_with(d: Data, occupancy: str) -> tuple[list[float], list[float]]:
    """An occupancy and the bandwidth of every row of the largest size."""
    names = d.names(f"read_offset* {_LARGE}")
    one, other = (
        [d.value(name, x) or 0 for name in names] for x in (occupancy, "bytes_per_second")
    )
    return one, other


def _neighbours_out_of_order(d: Data) -> list[float]:
    """Neighbours in achieved occupancy: 1 where the lower occupancy has more bandwidth."""
    rates = [rate for _, rate in sorted(zip(*_rates_with(d, "achieved_occupancy"), strict=True))]
    return [sum(one > other for one, other in itertools.pairwise(rates))]


def _starts(d: Data, *blocks: int) -> list[float]:
    """Blocks of one element a thread that start in a nanosecond."""
    return [
        2**26 / block / seconds / 1e3
        for block in blocks
        for seconds in d.of(f"{_PLAIN} block:{block} {_LARGE}")
    ]


def _over_256(kernel: str, block: int) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(f"{kernel} block:{block}", f"{kernel} block:256", at=_LARGE)


def _doubled(d: Data) -> list[float]:
    """Bandwidth of a block of twice the threads."""
    return [
        ratio
        for threads in (64, 128)
        for ratio in d.ratio(
            f"{_PLAIN} block:{threads}",
            f"{_PLAIN} block:{threads // 2}",
            "bytes_per_second",
            "offset:0 n:16777216|67108864",
        )
    ]


def _apart_at_equal_occupancy(d: Data, above_40: bool) -> list[float]:
    """How far the bandwidth of an unrolled row is from the plain one's at its achieved occupancy, in percent."""
    plain, unrolled = (
        sorted(
            (d.value(name, "achieved_occupancy") or 0, d.value(name, "bytes_per_second") or 0)
            for name in d.names(f"{kernel} {_LARGE}")
        )
        for kernel in ("read_offset", "read_offset_unrolled")
    )
    return [
        100 * abs(rate / (slow + (fast - slow) * (occupancy - low) / (high - low)) - 1)
        for occupancy, rate in unrolled
        for (low, slow), (high, fast) in itertools.pairwise(plain)
        if low <= occupancy <= high and (occupancy > 40) == above_40
    ]


def _lost_by_48_kb(d: Data) -> list[float]:
    return [
        lost
        for kernel in ("read_offset", "read_offset_unrolled")
        for lost in d.less(
            f"{kernel} shared_kb:48",
            f"{kernel} shared_kb:none",
            "bytes_per_second",
            f"block:128 {_LARGE}",
        )
    ]


_OVER_256: Numbers = {
    f"{name}_{block}": _over_256(kernel, block)
    for name, kernel in (("plain", _PLAIN), ("unrolled", _UNROLLED))
    for block in (32, 64, 128, 512, 768, 1024)
}

NUMBERS: Numbers = _OVER_256 | {
    "rank_of_achieved": lambda d: [rank_correlation(*_rates_with(d, "achieved_occupancy"))],
    "rank_of_theoretical": lambda d: [rank_correlation(*_rates_with(d, "theoretical_occupancy"))],
    "rows": lambda d: [len(d.names(f"read_offset* {_LARGE}"))],
    "out_of_order": _neighbours_out_of_order,
    "starts": lambda d: _starts(d, 32, 64, 128),
    "starts_of_128": lambda d: _starts(d, 128),
    "rate_of_128": lambda d: [
        rate / 1e12 for rate in d.of(f"{_PLAIN} block:128 {_LARGE}", "bytes_per_second")
    ],
    "doubled": _doubled,
    "starts_per_clock": lambda d: [
        1e3 * rate / d.result.sm_clock_mhz for rate in _starts(d, 32, 64, 128)
    ],
    "clocks_per_start": lambda d: [
        d.result.sm_count * d.result.sm_clock_mhz / 1e3 / rate for rate in _starts(d, 128)
    ],
    "achieved_64": lambda d: d.of(f"{_UNROLLED} block:64 {_LARGE}", "achieved_occupancy"),
    "achieved_1024": lambda d: d.of(f"{_UNROLLED} block:1024 {_LARGE}", "achieved_occupancy"),
    "lost_by_1024": lambda d: d.less(
        f"{_UNROLLED} block:1024", f"{_UNROLLED} block:64", "bytes_per_second", _LARGE
    ),
    "apart_above_40": lambda d: _apart_at_equal_occupancy(d, above_40=True),
    "apart_below_40": lambda d: _apart_at_equal_occupancy(d, above_40=False),
    "held": lambda d: d.of(
        f"read_offset* block:128 {_LARGE} shared_kb:48", "theoretical_occupancy"
    ),
    "lost_by_48_kb": _lost_by_48_kb,
    "max_sectors": lambda d: d.on("emulated-hopper").of(
        "read_offset_unrolled offset:11 block:32|64|128|256", "l2_read_sectors_most"
    ),
}
