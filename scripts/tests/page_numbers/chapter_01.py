"""Chapter 01: access patterns."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data

CITED = ("give 50 %, 3.125 % and 1/N",)
GIVEN = (
    "fetches 1 sector instead of 32",
    "1 byte in 16",
    "slowly beyond 16",
    "move 2 used bytes for 1 + 1/e moved ones, so its bandwidth would be 2 / (1 + 1/e)",
    "where the model says 4.5",
    "the start of 4096 blocks",
    "the stride-3 claim",
    "about 40 MiB",
    "about 40 of its 60 MiB",
    "`copy_scattered` over 32 lines",
    "asked for twice: the same 32 sectors",
    "half of the loads are left out",
)


def facts(d: Data) -> Iterator[Fact]:
    copy, cold = "copy_strided l1:on", "cache:cold"
    plain = f"{copy} stride:1"
    yield (
        "uses [about half] of the H200's DRAM bandwidth",
        d.of(f"{plain} {cold}", "peak_percent", 0.01),
    )
    yield (
        "reads [twice] the bytes in [11] % more time",
        d.ratio(f"{copy} stride:2", plain, "load_sectors", cold),
        d.more(f"{copy} stride:2", plain, at=cold),
    )
    yield (
        "the time from DRAM [nearly doubles]",
        d.ratio(f"{copy} stride:16", f"{copy} stride:8", at=cold),
    )
    yield (
        "[4.4] times that of stride 1 at stride 16, [6.4] times at stride 64",
        *(d.ratio(f"{copy} stride:{stride}", plain, at=cold) for stride in (16, 64)),
    )
    yield (
        "reads [eight times] the bytes in [less than 2.5] times the time",
        d.ratio(f"{copy} stride:8", plain, "load_sectors", cold),
        d.ratio(f"{copy} stride:8", plain, at=cold),
    )
    yield "take [about 4.5] µs", d.of("copy_strided stride:1|2|3|4|5 cache:warm")
    yield (
        "grows by [more than a quarter]",
        [value - 1 for value in d.ratio(f"{copy} stride:64", f"{copy} stride:32", at=cold)],
    )
    yield (
        "both take [6] % less time than four",
        d.less("store_segments segments:2", "store_segments segments:4 spacing:1", at=cold),
    )
    yield (
        "Stride 2 takes [1] % longer than stride 1 from the L2 and [11] % longer from DRAM",
        d.more(f"{copy} stride:2", plain, at="cache:warm"),
        d.more(f"{copy} stride:2", plain, at=cold),
    )
    yield (
        "four lines still take [11] % longer than one",
        d.more("copy_scattered l1:on lines:4", "copy_scattered l1:on lines:1", at=cold),
    )
    yield (
        "changes no time here,** [within 1] %",
        [abs(value) for value in d.more("copy_* l1:off", "copy_* l1:on")],
    )
    yield (
        "differ by factors of [3.6 to 4]",
        [
            row / column
            for lines in (6, 9)
            for row in d.of(f"{copy} stride:{lines} {cold}", "load_sectors")
            for column in d.of(f"copy_scattered l1:on lines:{lines} {cold}", "load_sectors")
        ],
    )
    gathers = Data("04").ratio("gather scatter:array", "read_offset offset:0")
    yield (
        "takes [1.64], [4.28] and [6.80] times the time of a vector addition",
        *([ratio] for ratio in gathers),
    )
    yield "by [2.6 to 8.7] KB, among", d.beyond("emulated-hopper", "*", "dram_read_bytes", 1e-3)
