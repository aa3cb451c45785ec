"""Chapter 02: misaligned reads."""

from collections.abc import Iterator
from statistics import median

from page_numbers.check import Fact
from page_numbers.data import Data

CITED = ("is 49.8 % with the L1 on and 80 % with it off",)
GIVEN = (
    "bytes 44 to 171",
    "for 128: 50 %",
    "for 128: 80 %",
    "The fifth sector",
    "8, 16 and 24, where",
    "at 64. No reason",
    "below the 3 % that",
    "about 1.1× the time: nine tenths of the bandwidth",
)


def facts(d: Data) -> Iterator[Fact]:
    straight, apart = "read_offset offset:0", "read_offset offset:11"
    yield (
        "the L1 delivers [15 of 16]",
        [
            value * 5
            for value in d.per(f"{apart} block:512 cache:cold", "l1_hit_sectors", "load_sectors")
        ],
    )
    yield (
        "delivers [15 of 16] sectors that two warps share",
        [
            value * 5
            for value in d.per(f"{apart} block:512 cache:cold", "l1_hit_sectors", "load_sectors")
        ],
    )
    fermi = Data("03", "emulated-fermi")
    yield "and [80] % with the L1 off", fermi.of(f"{apart} l1:off", "load_efficiency")
    yield (
        "grow by [1.6] %",
        d.more(apart, straight, "l2_read_sectors", "block:512 n:16777216|67108864 cache:cold"),
    )
    yield "load efficiency is [100] %", d.of("read_offset offset:8|16|24", "load_efficiency")
    yield "[about 60] % of the extra time", [100 * _left(d, 32)]
    yield "an [eighth] at 64", [_left(d, 64)]
    late = "block:512 n:16777216|67108864 cache:cold"
    yield "what remains, [up to 2] %, is less", d.more(apart, straight, at=late)
    yield (
        "256 threads lose [up to 2.5] %, blocks of 128 [at most 0.6] %",
        d.more(apart, straight, at="block:256"),
        [value for name in _offsets(d) for value in d.more(name, straight, at="block:128")],
    )
    clock = d.result.sm_clock_mhz
    asked = d.names(f"{straight} {late}")
    yield (
        "one load in [about 16] clocks",
        [
            (d.value(name, "time") or 0) * clock * 132 / (d.value(name, "load_requests") or 1)
            for name in asked
        ],
    )
    yield (
        "in the same time: [1.25] times",
        d.ratio(apart, straight, "load_sectors", "block:512 n:16777216"),
    )


def _offsets(d: Data) -> list[str]:
    own = {name.split("/")[1] for name in d.names("read_offset block:128")}
    return [f"read_offset {offset}" for offset in sorted(own - {"offset:0"})]


def _left(d: Data, offset: int) -> float:
    """What remains at an offset of the extra time of offset 11, at the larger sizes."""
    at = "block:512 n:16777216|67108864 cache:cold"
    some, whole = (
        d.more(f"read_offset offset:{number}", "read_offset offset:0", at=at)
        for number in (offset, 11)
    )
    return median(one / other for one, other in zip(some, whole, strict=True))
