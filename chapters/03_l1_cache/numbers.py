"""Numbers of page.md that no claim has: queries of the tracked data."""

from notebook.pages.queries import Data, Numbers

_ALIGNED, _MISALIGNED = "read_offset offset:0", "read_offset offset:11"
_LARGE = "block:none n:16777216|67108864 cache:cold"
_OFTEN = "reread touches:8 passed:524288"


def _late(d: Data, l1: str, at: str, metric: str = "time") -> list[float]:
    """How many percent more offset 11 has than offset 0."""
    return d.more(f"{_MISALIGNED} l1:{l1}", f"{_ALIGNED} l1:{l1}", metric, at)


def _without(d: Data, chapter: str, kernel: str, at: str = "") -> list[float]:
    """How many percent longer another chapter's kernel takes without the L1."""
    return d.of_chapter(chapter).more(f"{kernel} l1:off", f"{kernel} l1:on", at=at)


NUMBERS: Numbers = {
    "efficiency_on": lambda d: d.of(f"{_MISALIGNED} l1:on", "load_efficiency"),
    "l1_hits": lambda d: d.per(
        f"{_MISALIGNED} l1:on n:1048576 block:none cache:cold",
        "l1_hit_sectors",
        "load_sectors",
        100,
    ),
    "switched": lambda d: [
        abs(value) for value in d.more("read_offset l1:off", "read_offset l1:on", at="block:none")
    ],
    "hits_h200": lambda d: d.of(_OFTEN, "l1_hit_sectors"),
    "hits_lru": lambda d: d.on("emulated-hopper").of(_OFTEN, "l1_hit_sectors"),
    "transpose_loses": lambda d: _without(d, "10", "transpose_read_columns", "cache:warm"),
    "unrolled_loses": lambda d: _without(d, "11", "transpose_read_columns_unroll4_loads_first"),
    "sectors_on": lambda d: _late(d, "on", _LARGE, "l2_read_sectors"),
    "sectors_off": lambda d: _late(d, "off", _LARGE, "l2_read_sectors"),
    "late_on": lambda d: _late(d, "on", _LARGE),
    "late_off": lambda d: _late(d, "off", _LARGE),
    "warm_on": lambda d: _late(d, "on", "block:none cache:warm"),
    "warm_off": lambda d: _late(d, "off", "block:none cache:warm"),
    "more_dram": lambda d: d.beyond("emulated-hopper", "*", "dram_read_bytes", 1e-3),
}
