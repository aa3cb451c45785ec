"""Chapter 00: the memory hierarchy."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data, table

GIVEN = (
    "four times the L2",
    "16 lines in turn",
    "two halves of the L2",
    "32 of the first and 8 of the second",
    "33 words 1 and 8",
    "four sectors each time, over 32 lines 32",
    "two lines on: over 32 lines",
    "of 252 FFMA of the one, all 204 that",
    "all 208 of the other two",
    "than one through 16",
    "of 16 the slowest",
    "at 32 of them",
    "a stride of 32 words {",
    "a GTX 480's)",
    "whole sectors of 32 bytes, on a Fermi whole lines of 128",
)


def facts(d: Data) -> Iterator[Fact]:
    rate = "items_per_second"
    assumed = {
        row["quantity"]: float(row["value"])
        for row in table("timing/parameters.csv")
        if row["architecture"] == "fermi" and row["unit"] == "cycles"
    }
    (clock,) = (
        float(row["max_clock_mhz"])
        for row in table("architectures.csv")
        if row["architecture"] == "fermi"
    )
    levels = [[assumed[f"{level}_cycles"]] for level in ("l1", "l2", "dram")]
    yield (
        "assumes [27] ns from the L1 ([35] clocks, a GTX 480's), [231] from the L2 and [423] "
        "from DRAM ([300] and [550] clocks",
        [1000 * levels[0][0] / clock],
        levels[0],
        *([1000 * cycles / clock for cycles in level] for level in levels[1:]),
        *levels[1:],
    )
    yield (
        "it is [3.6] times as fast",
        d.ratio("load_l1 stride:33", "load_l1 stride:32", rate),
    )
    yield (
        "over 32 lines [20] times that of a single one",
        d.ratio("store_over_lines lines:1", "store_over_lines lines:32", rate),
    )
    stored, reached = (
        d.of("store_over_lines lines:1", f"{name}_sectors") for name in ("store", "l2_write")
    )
    yield "counts a sector of [13])", [stored[0] / reached[0]]
    yield (
        "a little less ([28.5] times one's); four loads in flight of one warp bring [3.1] times",
        d.ratio("read_in_flight warps:32", "read_in_flight warps:1", "bytes_per_second", "loads:1"),
        d.ratio("read_in_flight loads:4", "read_in_flight loads:1", "bytes_per_second", "warps:1"),
    )
    memory = d.of("memcpy", "bytes_per_second")[0]
    alone = d.of("read_in_flight warps:32 loads:1", "bytes_per_second")
    yield "read [about a third] of what the memory delivers", [value / memory for value in alone]
    four, one = "read_in_flight loads:4", "read_in_flight loads:1"
    yield "Four loads in flight [double] it", d.ratio(four, one, "bytes_per_second", "warps:32")
    yield (
        "they read a [quarter] less in",
        [
            1 - value
            for value in d.ratio(
                "read_in_flight warps:1 loads:4",
                "read_in_flight warps:4 loads:1",
                "bytes_per_second",
            )
        ],
    )
    lines = d.of("chase_line", rate)
    yield "the slowest takes [14] % longer than", [100 * max(lines) / min(lines) - 100]
    yield "each reach [a third] of the rate of long reads", [value / memory for value in alone]
    dram = d.of("chase path:l2 footprint:67108864", rate)
    asked, held = [memory / value / 1e6 for value in dram], [132 * 32 * 32 * 4 / 1e6]
    yield "law asks for [1.29] MB in flight, and they hold [0.54].", asked, held
    yield (
        "asks for [9.8] KB in flight an SM at least, and they hold [4.1].",
        *([1e3 * value / 132 for value in total] for total in (asked, held)),
    )
    yield "hold [0.54] MB in flight, and Little's law asks for [1.29] MB", held, asked
    yield (
        "takes [4] % longer than one",
        [
            100 * (one / other - 1)
            for one, other in zip(
                d.of("chase_pages pages:16", rate),
                d.of("chase_pages pages:4096", rate),
                strict=True,
            )
        ],
    )
    latencies = [
        [1e9 / value for value in d.of(f"chase path:{path} footprint:{footprint}", rate)]
        for path, footprint in (("l1", 8192), ("l2", 524288), ("l2", 67108864))
    ]
    mhz = d.result.sm_clock_mhz
    clocks = [value * mhz / 1000 for value in latencies[2]]
    yield (
        "takes [19] ns from the L1, [141] from the L2 and [333] ([659] clocks) from DRAM",
        *latencies,
        clocks,
    )
    near = [
        [1e9 / value for value in d.of(f"chase path:{path} footprint:1024", rate)]
        for path in ("shared", "constant", "texture")
    ]
    yield "from shared memory [13] ns, constant memory [15], a texture [46]", *near
    long_reads = [value / 1e12 for value in Data("07").of("read_wide", "bytes_per_second")]
    yield "(64 MiB; [4.5] in long reads", long_reads
    yield "; peak [4.8])", [d.peak / 1e12]
    bandwidths = [
        [
            value / 1e12
            for value in d.of(f"read path:{path} footprint:{footprint}", "bytes_per_second")
        ]
        for path, footprint in (("l1", 8192), ("l2", 4194304), ("l2", 67108864))
    ]
    yield (
        "read [32] TB/s from their L1s, [9.3] TB/s from the L2 and [3.5] TB/s from DRAM (64 MiB",
        *bandwidths,
    )
