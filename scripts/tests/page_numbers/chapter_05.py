"""Chapter 05: misaligned writes."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import H100, Data

CITED = ("every efficiency is 100 % but the store efficiency at offset 11, 80 %",)
GIVEN = (
    "bytes 44 to 171",
    "128 / (5 x 32) = 80 %",
    "192 bytes, 66.7 %. The 80 %",
    "not 25 %",
    "most of the shared sectors twice",
    "anes 0 to 20",
    "anes 21 to 31",
    "starts 131,072 blocks",
)


def facts(d: Data) -> Iterator[Fact]:
    straight, apart = "write_offset offset:0", "write_offset offset:11"
    yield "costs an H200 [at most 1] %", d.more(apart, straight, at="cache:cold")
    yield "elements), offset 11 is [7] % slower", d.more(apart, straight, at="cache:warm")
    yield "([1.10]× on an H100)", d.on(H100).ratio(apart, straight, at="cache:warm")
    some = "write_lanes lanes:0-20"
    yield "take [5 to 6] % *longer*", d.more(some, apart, at="cache:cold")
    yield "lanes 0 to 20 alone take [5 to 6] % longer", d.more(some, apart, at="cache:cold")
    yield (
        "write a [third] less",
        [1 - value for value in d.ratio(some, straight, "store_lane_bytes")] or [11 / 32],
    )
    rest = "write_lanes lanes:21-31 offset:11"
    yield (
        "write [two thirds] less, take [1] % less time",
        [21 / 32],
        d.less(rest, apart, at="cache:cold"),
    )
    yield (
        "count as stores, a [quarter] more",
        [value - 1 for value in d.ratio(apart, straight, "store_sectors")],
    )
    yield (
        "About [nine in ten] of the second parts",
        separate_halves(d, "write_offset", "n:67108864 cache:cold"),
    )
    yield (
        "[about half] of its second parts",
        [1 - value for value in separate_halves(d, "fill_offset", "n:67108864")],
    )
    yield "it takes [about 80] µs", d.of("fill_offset n:67108864")
    yield "to DRAM, [1] % at most", [max(d.more(apart, straight, at="cache:cold"))]
    reads = "read_offset offset:11", "read_offset offset:0"
    yield "same size loses [2] %, less", d.more(*reads, at="cache:warm")
    yield (
        "by [2.6 to 4.7] KB, among",
        d.beyond("emulated-hopper", "* cache:cold", "dram_read_bytes", 1e-3),
    )


def separate_halves(d: Data, kernel: str, at: str) -> list[float]:
    """The second parts of shared sectors that reach the L2, of all."""
    whole = d.of(f"{kernel} offset:0 {at}", "l2_write_sectors")
    both = d.of(f"{kernel} offset:11 {at}", "l2_write_sectors")
    return [4 * (b / w - 1) for b, w in zip(both, whole, strict=True)]
