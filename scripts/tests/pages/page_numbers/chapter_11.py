"""Chapter 11: naive transposes with four elements a thread."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data

CITED = (
    "1.113 times the bandwidth reading columns (563.75 against 506.31 GB/s)",
    "0.944 reading rows (429.74 against 455.11)",
)
GIVEN = (
    "four times the rows",
    "by a quarter of the warps",
    "a quarter as many blocks live four times as long",
    "at 2.1 GB",
    "uses half of each line at once",
    "the other half.",
    "footprint four times as large",
)


def facts(d: Data) -> Iterator[Fact]:
    book, large = "rows:2048 cache:cold", "rows:16384 cache:cold"
    down, across = "transpose_read_columns", "transpose_read_rows"
    fermi = d.on("emulated-fermi")
    yield (
        "at 2048 x 2048 [131,072] load requests and as many stores",
        d.of(f"*_unroll4 {book}", "load_requests") + d.of(f"*_unroll4 {book}", "store_requests"),
    )
    lines = "l1:on rows:2048"
    yield (
        "[25] % and [100] % by sectors, [6.25] % and [50] % by lines",
        d.of(f"{down}_unroll4 {book}", "load_efficiency"),
        d.of(f"{down}_unroll4 {book}", "store_efficiency"),
        fermi.of(f"{down}_unroll4 {lines}", "load_efficiency"),
        fermi.of(f"{across}_unroll4 {lines}", "load_efficiency"),
    )
    yield (
        "from [80] to [88] % ([86] to [96] % at 2.1 GB)",
        d.of(f"{down} l1:on {book}", "achieved_occupancy"),
        d.of(f"{down}_unroll4 l1:on {book}", "achieved_occupancy"),
        d.of(f"{down} l1:on {large}", "achieved_occupancy"),
        d.of(f"{down}_unroll4 l1:on {large}", "achieved_occupancy"),
    )
    first = f"{down}_unroll4_loads_first"
    yield (
        "switching it off cost [2] %; here it costs [half] as much time again, because the L2 delivers [3.5] times",
        Data("10").more(f"{down} l1:off", f"{down} l1:on", at="cache:cold"),
        [value - 1 for value in d.ratio(f"{first} l1:off", f"{first} l1:on")],
        d.ratio(f"{first} l1:off", f"{first} l1:on", "l2_read_sectors"),
    )
    yield (
        "it has [1.7] times the bandwidth of the plain",
        d.ratio(first, down, "bytes_per_second", f"l1:on {large}"),
    )
    unrolled = f"{across}_unroll4 {lines}"
    yield (
        "So [half] of its loaded sectors hit, and at 2048 x 2048 it fetches [524,288] sectors instead of up to "
        "[1,048,576] (Fermi)",
        fermi.per(unrolled, "l1_hit_sectors", "load_sectors"),
        fermi.of(unrolled, "l2_read_sectors") or fermi.of(unrolled, "l2_read_sectors_most"),
        fermi.of(f"{across} {lines}", "l2_read_sectors_most"),
    )
    yield (
        "`copy_wide` has [1.3] times",
        [
            value / other
            for value in Data("09").of("copy_wide rows:16384", "bytes_per_second")
            for other in d.of(f"{first} l1:on {large}", "bytes_per_second")
        ],
    )
    yield (
        "hits [106] sectors less than the plain one",
        [
            one - other
            for one, other in zip(
                d.of(f"{down} l1:on {large}", "l1_hit_sectors"),
                d.of(f"{down}_unroll4 l1:on {large}", "l1_hit_sectors"),
                strict=True,
            )
        ],
    )
    whole = 4 * 16384**2

    def extra(kernel: str) -> list[float]:
        return [
            100 * (value / whole - 1)
            for value in d.of(f"{kernel} l1:on {large}", "dram_read_bytes")
        ]

    yield (
        "kernel reads [7] % more than its input from DRAM, the unrolled one [16] %, the one with loads first [23] %",
        extra(across),
        extra(f"{across}_unroll4"),
        extra(f"{across}_unroll4_loads_first"),
    )
    yield (
        "([2 to 10] % at the book's size",
        [
            100 * (value / (4 * 2048**2) - 1)
            for value in d.of(f"{across}* {book}", "dram_read_bytes")
        ],
    )
    yield (
        "[0.74] of the bandwidth of `memcpy` at 2.1 GB ([0.81] at 2048 x 2048)",
        *(
            [
                rate / copy
                for copy in d.of(f"memcpy bytes:{bytes_}", "bytes_per_second")
                for rate in d.of(f"{first} l1:on {size}", "bytes_per_second")
            ]
            for size, bytes_ in ((large, 2**30), (book, 2**24))
        ),
    )
    yield "([0.59 to 0.67] of the plain kernel's)", d.ratio(first, down, at="l1:on")
