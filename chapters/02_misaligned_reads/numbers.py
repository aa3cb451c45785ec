"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from statistics import median

from notebook.pages.queries import Data, Numbers

_ALIGNED, _MISALIGNED = "read_offset offset:0", "read_offset offset:11"
_LATE = "n:16777216|67108864 cache:cold"


def _left(d: Data, offset: int) -> list[float]:
    """What an offset has of the extra time of offset 11, in percent."""
    some, whole = (
        d.more(f"read_offset offset:{other}", _ALIGNED, at=f"block:512 {_LATE}")
        for other in (offset, 11)
    )
    return [100 * median(one / other for one, other in zip(some, whole, strict=True))]


def _clocks_of_a_load(d: Data) -> list[float]:
    """Clocks of an SM between two loads."""
    return [
        median(
            (d.value(name, "time") or 0)
            * d.result.sm_clock_mhz
            * d.result.sm_count
            / (d.value(name, "load_requests") or 1)
            for name in d.names(f"{_ALIGNED} block:512 {_LATE}")
        )
    ]


NUMBERS: Numbers = {
    "l1_hits": lambda d: [
        5 * share
        for share in d.per(f"{_MISALIGNED} block:512 cache:cold", "l1_hit_sectors", "load_sectors")
    ],
    "more_l2_sectors": lambda d: d.more(
        _MISALIGNED, _ALIGNED, "l2_read_sectors", f"block:512 {_LATE}"
    ),
    "efficiency_at_8": lambda d: d.of("read_offset offset:8|16|24", "load_efficiency"),
    "late_512": lambda d: d.more(_MISALIGNED, _ALIGNED, at=f"block:512 {_LATE}"),
    "late_256": lambda d: d.more(_MISALIGNED, _ALIGNED, at="block:256"),
    "late_128": lambda d: d.more("read_offset", _ALIGNED, at="block:128"),
    "left_at_32": lambda d: _left(d, 32),
    "left_at_64": lambda d: _left(d, 64),
    "clocks_of_a_load": _clocks_of_a_load,
}
