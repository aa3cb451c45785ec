"""Chapter 16: the naive product."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data, table

CITED = ("memory access of 1.0, hence less than 2 % of the peak",)
GIVEN = (
    "8 bytes for 2 operations",
    "row 2 Y + y and column 2 X + x",
    "for i from 0 to 3",
    "64 blocks",
    "three times at 256.",
    "the two of a step limit blocks 32 wide to an eighth",
)
NAIVE, DOWN = "matmul_naive", "matmul_naive_down_columns"


def facts(d: Data) -> Iterator[Fact]:
    for words, spec in (
        ("| 32 x 8, 32 x 32 | 1 + 4 | 2 | 5 | [2.7 to 2.8] |", f"{NAIVE} block:32x8|32x32"),
        ("| 16 x 16 | 2 + 2 | 3 | 4 | [3.3] |", f"{NAIVE} block:16x16"),
        ("| 8 x 8 | 4 + 1 | 5 | 5 | [5.2] |", f"{NAIVE} block:8x8"),
        ("| 16 x 16, down columns | 16 + 1 | 17 | 17 | [18] |", f"{DOWN} block:16x16"),
        ("| 32 x 32, down columns | 32 + 1 | 33 | 33 | [34] |", f"{DOWN} block:32x32"),
    ):
        yield words, [clocks(d, name) for name in d.names(f"{spec} m:1024")]
    both = "m:256|1024|4096"
    for words, width in (
        ("[at most an eighth] of the sectors in", 16),
        ("and a [twentieth] in 32 x 32", 32),
    ):
        asked = d.per(f"{NAIVE} block:{width}x{width} {both}", "l2_read_sectors", "load_sectors")
        yield words, [max(asked)]
    wide, square = f"{NAIVE} block:32x32", f"{NAIVE} block:16x16"
    yield (
        "slower by a [fifth] at 1024 and 4096 cubed: its warp",
        [value - 1 for value in d.ratio(square, wide, at="m:1024|4096")],
    )
    slower = d.more("matmul_grid_stride grid:16x16", square, at="m:256") + d.more(
        "matmul_grid_stride grid:32x32", square, at="m:1024|4096"
    )
    yield "and is slower by [9 to 34] %", slower
    yield "The kernel is slower by [9 to 34] %", slower
    yield (
        "little of the [4.3 to 6.6] times as many sectors",
        d.ratio(f"{DOWN} block:32x32", wide, "load_sectors")
        + d.ratio(f"{DOWN} block:16x16", square, "load_sectors"),
    )
    pairs = [(f"{DOWN} block:{w}x{w}", f"{NAIVE} block:{w}x{w}") for w in (16, 32)]
    yield (
        "on the H200 [3 to 7] % more at 1024 cubed and [21 to 50] % more at 256 cubed",
        [value for pair in pairs for value in d.more(*pair, "l2_read_sectors", "m:1024")],
        [value for pair in pairs for value in d.more(*pair, "l2_read_sectors", "m:256")],
    )
    columns = f"{DOWN} block:32x32", wide
    yield "of 32 x 32 take [12.5] times as long", d.ratio(*columns, at="m:1024")
    yield "they take [less than 7] times as long", d.ratio(*columns, at="m:256")
    yield (
        "make it [eight times] slower at",
        d.ratio("matmul_grid_stride grid:8x8", square, at="m:1024"),
    )
    yield (
        "at 1024 cubed, [three times] at 256",
        d.ratio("matmul_grid_stride grid:8x8", square, at="m:256"),
    )
    # 64 of 132 SMs have a block.
    yield (
        "waiting for latency, at [five] clocks",
        [clocks(d, name) * 64 / 132 for name in d.names(f"{wide} m:256")],
    )
    factors = 2 * 4 * 4096**2
    (l2,) = (
        float(row["l2_bytes"]) for row in table("architectures.csv") if row["gpu"] == "H200 SXM"
    )
    yield "both factors together are [2.1] times the L2", [factors / l2]
    yield (
        "DRAM delivers them [32 to 132] times",
        [
            value / factors
            for value in d.of(f"{NAIVE} block:16x16|32x8|32x32 m:4096", "dram_read_bytes")
        ],
    )
    fermi = d.on("emulated-fermi")
    yield (
        "([three sixteenths] on the emulated Fermi)",
        fermi.per(f"{square} m:256", "l2_read_sectors_most", "load_sectors"),
    )
    read = {
        kernel: [value / 1e9 for value in d.of(f"{kernel} m:4096", "dram_read_bytes")]
        for kernel in (wide, square, f"{NAIVE} block:32x8", "matmul_grid_stride grid:32x32")
    }
    yield (
        "[about 4] GB in blocks of 32 x 32, [10] in 16 x 16, [18] in 32 x 8; in the grid-stride kernel, the slowest of "
        "the four, [five times], [less than 1] GB",
        *list(read.values())[:3],
        [value * 1e9 / factors for value in read["matmul_grid_stride grid:32x32"]],
        read["matmul_grid_stride grid:32x32"],
    )
    more = []
    hopper = d.on("emulated-hopper")
    for name in hopper.names(f"{NAIVE}*"):
        hits, emulated = d.value(name, "l1_hit_sectors"), hopper.value(name, "l1_hit_sectors")
        if hits and emulated:
            more.append(100 * (hits / emulated - 1))
    yield "or [up to 2.5] % more, as", more
    yield (
        "exceed both matrices by [5.6 to 6.7] KB",
        d.beyond("emulated-hopper", f"{NAIVE}*", "dram_read_bytes", 1e-3)
        + d.beyond("emulated-hopper", "matmul_grid_stride", "dram_read_bytes", 1e-3),
    )
    yield (
        "[more than half] merge before",
        [1 - value for value in d.per(f"{DOWN} block:16x16", "l2_write_sectors", "store_sectors")],
    )
    hits = d.per(f"{NAIVE} block:16x16|32x32 {both}", "l1_hit_sectors", "load_sectors")
    yield "[about nine of ten] sectors are found", hits
    peaks = d.ratio(square, "multiply_add_in_registers", "flops_per_second", "m:1024|4096")
    yield "product, to [9 to 10] % of the peak", [100 * value for value in peaks]
    yield from _small_and_large(d)
    yield "is [9 to 34] % slower, with a grid", slower


def _small_and_large(d: Data) -> Iterator[Fact]:
    """The product against cuBLAS and tiles, and at 256 cubed."""
    flops, square = "flops_per_second", f"{NAIVE} block:16x16"
    (library,) = Data("19").of("cublas_sgemm m:4096 n:4096", flops, 1e-12)
    narrow, wide = (d.of(f"{NAIVE} block:{w}x{w} m:4096", flops, 1e-12) for w in (16, 32))
    yield (
        "[10 to 12] % of cuBLAS ([5.33] TFLOP/s in blocks of 16 x 16 and [6.27] in 32 x 32, of [51.4])",
        [100 * value / library for value in narrow + wide],
        narrow,
        wide,
        [library],
    )
    tiled = Data("17").ratio("matmul_tiled tile:16", square, flops)
    yield "are [1.5 to 1.6] times as fast", tiled
    peaks = [d.of(f"multiply_add_in_registers m:{m}", flops, 1e-12) for m in (256, 1024, 4096)]
    small = d.of(f"{square} m:256", flops, 1e-12)
    yield "reaches [2.7] % of the peak of 4096 cubed", [100 * small[0] / peaks[2][0]]
    yield "([13] TFLOP/s at 256 cubed, [53] at 1024, [60] at 4096)", *peaks
    yield "[19] % of the theoretical peak at 256", [fermi_share_of_peak(d)]


def fermi_share_of_peak(d: Data) -> float:
    """In percent, as predicted."""
    gpu = next(row for row in table("architectures.csv") if row["architecture"] == "fermi")
    lanes = int(gpu["sm_count"]) * int(gpu["fp32_lanes_per_sm"])
    peak = 2 * lanes * float(gpu["max_clock_mhz"]) * 1e6
    (seconds,) = d.on("emulated-fermi").predicted(f"{NAIVE} block:16x16 m:256")
    return 100 * 2 * 256**3 / seconds / peak


def clocks(d: Data, name: str) -> float:
    """Clocks of an SM for each step of a warp."""
    sides = dict(part.split(":") for part in name.split("/")[1:])
    steps = int(sides["m"]) * int(sides["n"]) * int(sides["k"]) / 32 / 132
    return (d.value(name, "time") or 0) * d.result.sm_clock_mhz / steps
