"""Chapter 03: reads past the L1."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data

CITED = (
    "rises from 49.8 to 80 %",
    "from 49.8 to 80 %",
)
GIVEN = (
    "the 3 % threshold",
    "17 of a block's 32 lines",
    "of 49 or 61 thousand",
    "asked for twice",
    "the quarter of sectors more",
    "the 16 lines that were read eight times",
    "has all 16 lines",
    "a quarter more sectors",
)


def facts(d: Data) -> Iterator[Fact]:
    apart, straight = "read_offset offset:11", "read_offset offset:0"
    book = "n:1048576 block:none cache:cold"
    yield "fetches sectors has [80] % already", d.of(f"{apart} l1:on", "load_efficiency")
    yield (
        "predicted [18.75] % of the misaligned sectors",
        d.per(f"{apart} l1:on {book}", "l1_hit_sectors", "load_sectors", 100),
    )
    yield (
        "the times are [within about 1] %",
        [
            abs(value)
            for value in d.more("read_offset l1:off", "read_offset l1:on", at="block:none")
        ],
    )
    large = "block:none n:16777216|67108864 cache:cold"
    yield "takes [about 2] % longer than offset 0", d.more(apart, straight, at=large)
    yield (
        "the L2 has [1.6] % more sectors to deliver, without it [25] %",
        d.more(f"{apart} l1:on", f"{straight} l1:on", "l2_read_sectors", large),
        d.more(f"{apart} l1:off", f"{straight} l1:off", "l2_read_sectors", large),
    )
    cold = "block:none cache:cold"
    yield (
        "what remains, [up to 2] %, is less",
        d.more(f"{apart} l1:on", f"{straight} l1:on", at=cold),
    )
    yield (
        "what remains, [up to 2] %, is hardly",
        d.more(f"{apart} l1:off", f"{straight} l1:off", at=cold),
    )
    transpose = "transpose_read_columns"
    first = f"{transpose}_unroll4_loads_first"
    yield (
        "can lose without the L1: [16] % where",
        Data("10").more(f"{transpose} l1:off", f"{transpose} l1:on", at="cache:warm"),
    )
    yield "[48 to 51] % with four loads", Data("11").more(f"{first} l1:off", f"{first} l1:on")
    warm = "block:none cache:warm"
    (past,), (through,) = (
        d.more(f"{apart} l1:{on}", f"{straight} l1:{on}", at=warm) for on in ("off", "on")
    )
    yield "do the two differ, by [1] %", [past - through]
    yield "by [2.8 to 6.4] KB, among", d.beyond("emulated-hopper", "*", "dram_read_bytes", 1e-3)
    yield (
        "read eight times ([512] hits, where an LRU cache counts [448])",
        d.of("reread touches:8 passed:524288", "l1_hit_sectors"),
        d.on("emulated-hopper").of("reread touches:8 passed:524288", "l1_hit_sectors"),
    )
