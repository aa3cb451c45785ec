"""Chapter 04: the read-only cache."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data

GIVEN = (
    "would quarter the traffic",
    "15 of 16 shared sectors",
    "64 bytes for each scattered element of 4",
    "moves three times the bytes",
    "Each request takes 32 sectors",
    "a few in 61 thousand",
    "132 SMs times its 128 sectors",
    "nothing is read twice",
    "DRAM delivers 64 bytes for 4",
)


def facts(d: Data) -> Iterator[Fact]:
    array = "gather scatter:array n:67108864"
    yield (
        "[about 15] times the array",
        [(value - 4 * 2**26) / (4 * 2**26) for value in d.of(array, "dram_read_bytes")],
    )
    yield (
        "takes [up to a quarter] longer",
        [value - 1 for value in d.ratio("gather scatter:block", "read_offset offset:0")],
    )
    warps = 2**26 / 32
    yield (
        "spreads over [about 26] sectors",
        [value / warps - 4 for value in d.of("gather scatter:block n:67108864", "load_sectors")],
    )
    misses = [
        1 - value for value in d.per("sum_table entries:1024", "l1_hit_sectors", "load_sectors")
    ]
    yield "one sector in [496] or more", [1 / max(misses)]
    yield (
        "take [more than twice] as long",
        d.ratio("sum_table entries:1024", "read_offset offset:0", at="n:16777216|67108864"),
    )
    clock = d.result.sm_clock_mhz
    wavefronts = 8 * 8 * 2**26 / 32 / 132
    yield (
        "at about [nine tenths] of that rate",
        [wavefronts / clock / value for value in d.of("sum_table n:67108864")],
    )
    yield (
        "at [little more than half] of the DRAM's bandwidth",
        [
            (value + d.of(array, "dram_write_bytes")[0]) / d.of(array)[0] / (d.peak / 1e6)
            for value in d.of(array, "dram_read_bytes")
        ],
    )
    yield (
        "[about a quarter] reach the L2",
        d.per("sum_table entries:1024", "l2_read_sectors", "load_sectors")
        and [
            reads / (loads - hits)
            for reads, loads, hits in zip(
                *(
                    d.of("sum_table entries:1024", name)
                    for name in ("l2_read_sectors", "load_sectors", "l1_hit_sectors")
                ),
                strict=True,
            )
        ],
    )
    ways = [
        abs(value)
        for kernel in ("read_offset", "gather", "sum_table")
        for value in d.more(f"{kernel}_ldg", kernel)
    ]
    yield "times [within 0.3] %", ways
