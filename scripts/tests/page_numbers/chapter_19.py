"""Chapter 19: as fast as cuBLAS."""

import re
from collections.abc import Iterator
from statistics import median

from notebook.product_numbers import clocks_of_a_step
from page_numbers.check import Fact
from page_numbers.data import Data, directory, table

CITED = (
    "12.8 % of cuBLAS for",
    "68.7 % with 8 x 8",
    "78.4 % with 16-byte",
)
GIVEN = (
    "An SM does 128 multiply-adds",
    "74.3 % with double buffering added",
    "93.7 % with warp tiles",
    "1024 tiles of 128 x 128 are 3.88 waves",
    "264 blocks run at a time",
    "among all 264",
    "leave an eighth of the peak",
    "a sixth as nvcc merges",
    "The 24 operands of a step",
    "are 6 of them",
    "an SM with 128",
    "lie 16 apart",
    "due for each 128",
    "four quarter warps",
    "Two quarters go",
    "every quarter reads",
    "elements: 4 passes. A quarter reads one element of b: 2 passes. Of 2 reads",
    "Of 2 reads of a and 2 of b that makes 12, where 4 elements per lane took 16",
    "three eighths are left",
    "16 deep",
    "1/24 of the reads",
    "double buffering",
    "read 2 steps at a time",
    "64 x 64 two",
    "1024 cubed has 64 of them",
    "with 2 warps",
    "for 128 multiply-adds, 11 %",
    "8 per SM",
    "Loads of a by 16 bytes, a quarter fewer",
    "Tiles of 128 x 256 and 256 x 128",
    "At 2048 cubed",
    "32 warps x 16 phases x 2 words x 4 sectors are 4,096 sectors",
    "shared memory twice per",
    "double buffers",
    "16 scalar loads of operands for 64 multiply-adds leave these 80 %",
    "the quarters' lanes",
    "256 cubed has 16 tiles of",
    "moves 32 of 128 bytes",
    "naive product: 2 per",
    "steps 2 to 4 have 256",
    "steps 5 to 7 have 128",
    "in tiles of 128 x 128 from step 2 on",
)


def facts(d: Data) -> Iterator[Fact]:
    reads = {
        (row["pattern"], row["reads"]): row
        for row in table("register_reads.csv")
        if not row["other"]
    }
    clocks = {key: float(row["clocks_2_warps"]) for (_, key), row in reads.items()}
    yield (
        "it takes [1] clock; both in one bank: [2]; nothing kept: [2].",
        [clocks["1+0"]],
        [clocks["2+0"]],
        [clocks["2+1"]],
    )
    yield from _variants()
    yield from _rates(d)
    yield from _steps(d)
    ratio = "cublas_ratio"
    for words, shape in (
        ("reaches [1.06] of cuBLAS at 4096 cubed", "m:4096 n:4096 k:4096"),
        ("4096 cubed, [1.08] at 8192", "m:8192"),
        ("8192, [1.05] at 2048", "m:2048"),
        ("2048, [1.26] at 1024", "m:1024"),
        ("1024, [1.24] at 1000", "m:1000"),
        ("1000, [1.10] at 4000 x 4100 x 4200", "m:4000"),
        ("4200, [1.07] at 16384 x 256 x 4096", "m:16384"),
        ("and [1.03] at 256 x 16384 x 4096", "m:256 n:16384"),
    ):
        yield words, d.of(f"matmul_balanced tile:picked {shape}", ratio)
    flops = "flops_per_second"
    yield (
        "8192 cubed [0.84] and [0.85] of what",
        *(
            d.ratio("matmul_balanced tile:picked", "fma_chains chains:8", flops, f"m:{n} n:{n}")
            for n in (4096, 8192)
        ),
    )
    saves = [
        100 * (1 - d.of(f"matmul_reuse tile:picked m:{n} n:{n}", ratio)[0] / value)
        for n in (4096, 8192)
        for value in d.of(f"matmul_balanced m:{n} n:{n}", ratio)
    ]
    yield "That saves [2 to 3] % at", saves
    boards = [row for row in table("limits_by_board.csv") if row["chapter"].startswith("19")]
    medians: dict[str, list[float]] = {}
    for row in boards:
        medians.setdefault(row["name"], []).append(float(row["median"]))
    yield (
        "by [less than half] a percent",
        [100 * (max(value) / min(value) - 1) for value in medians.values()],
    )
    yield (
        "alone make [two thirds] of cuBLAS",
        d.of("matmul_bulk|matmul_reuse tile:128x128 m:1024", ratio)
        or d.of("matmul_reuse tile:128x128 m:1024", ratio),
    )
    yield (
        "Shared reads fall to a [quarter], passes to [three quarters]",
        d.ratio("matmul_vectorised", "matmul_thread_tiles", "shared_load_requests", "tile:128x128"),
        d.ratio(
            "matmul_vectorised",
            "matmul_thread_tiles",
            "shared_instruction_load_wavefronts",
            "tile:128x128",
        )
        or d.on("emulated-hopper").ratio(
            "matmul_vectorised", "matmul_thread_tiles", "shared_load_wavefronts", "tile:128x128"
        ),
    )
    buffered = d.of("matmul_double_buffered tile:picked m:4096 n:4096", ratio)[0]
    yield (
        "gains [16] % here** at 4096 cubed",
        [100 * (buffered / value - 1) for value in d.of("matmul_vectorised m:4096", ratio)],
    )
    yield (
        "to warp tiles lost [21] % on the A6000",
        [100 * (1 - 17278.3 / 21779.3)],
    )  # kernels 10, 11
    idle = [100 * (1 - n**2 / 128**2 / 264 / -(-(n**2) // 128**2 // 264)) for n in (4096, 8192)]
    yield "would leave [3] % of the blocks' time idle", [median(idle)]
    codes = [
        [int(row[key]) for key in ("code_bytes", "matrices_read_bytes", "dram_read_bytes")]
        for row in table("machine_code.csv")
        if row["benchmark"].startswith("matmul")
    ]
    beyond = [(code / 1e3, (read - matrices - code) / 1e3) for code, matrices, read in codes]
    whole = [pair for pair in beyond if pair[1] > 0]
    yield (
        "machine code and [2 to 3.6] KB more, for [seven] kernels with [10 to 50] KB of code",
        [more for _, more in whole],
        [float(len(whole))],
        [code for code, _ in whole],
    )
    yield "its [77] KB of code", [code for code, more in beyond if more < 0]
    tile = d.ratio(
        "matmul_tiled tile:32", "fma_chains chains:8", "flops_per_second", "m:4096 n:4096"
    )
    yield "the tile reaches [0.14] of what", tile
    spilled = d.names("matmul_double_buffered tile:64x64 m:256")
    yield (
        "24 bytes once: [768] sectors",
        [
            (d.value(name, "l2_write_sectors") or 0) - (d.value(name, "store_sectors") or 0)
            for name in spilled
        ],
    )
    yield "why it reaches [0.52] is not known", d.of("matmul_thread_tiles m:4096", ratio)
    yield (
        "it gains [16] %: loads are",
        [100 * (buffered / value - 1) for value in d.of("matmul_vectorised m:4096", ratio)],
    )


def _rates(d: Data) -> Iterator[Fact]:
    """Of the answer, at 4096 cubed."""
    fastest, library = (
        d.of(f"{kernel} m:4096 n:4096 k:4096", "flops_per_second", 1e-12)
        for kernel in ("matmul_balanced", "cublas_sgemm")
    )
    yield "that is [54.7] TFLOP/s where cuBLAS has [51.4]", fastest, library


def _steps(d: Data) -> Iterator[Fact]:
    """The table of the steps, and what they reach at 4096 cubed."""
    steps = {
        "`matmul_tiled`, 32 x 32 | [0.17] |": "matmul_tiled tile:32",
        "8 x 8 elements | [0.52] |": "matmul_thread_tiles",
        "16-byte accesses | [0.75] |": "matmul_vectorised",
        "`matmul_double_buffered` | [0.87] |": "matmul_double_buffered tile:picked",
        "8 x 16 elements | [1.00] |": "matmul_bulk tile:picked",
        "a loop of 4 KB | [1.05] |": "matmul_reuse tile:picked",
        "divided by stages of k | [1.06] |": "matmul_balanced tile:picked",
    }
    large = "m:4096 n:4096"
    shares = [d.of(f"{kernel} {large}", "cublas_ratio") for kernel in steps.values()]
    yield from zip(steps, shares, strict=True)
    warps = 64
    occupancies = [d.of(f"{kernel} {large}", "theoretical_occupancy") for kernel in steps.values()]
    for threads, (occupancy, *_) in zip((1024, *[256] * 3, *[128] * 3), occupancies, strict=True):
        assert occupancy / 100 * warps * 32 / threads == 2  # blocks
    yield (
        "steps 2 to 4 have 256 ([25] %), steps 5 to 7 have 128 ([12.5] %)",
        [value for values in occupancies[1:4] for value in values],
        [value for values in occupancies[4:] for value in values],
    )
    (bulk,), (reuse,), (balanced,) = shares[4:]
    yield (
        "register file ([5] % at 4096 cubed) and a divided last wave that keeps all SMs busy ([2] %)",
        [100 * (reuse / bulk - 1)],
        [100 * (balanced / reuse - 1)],
    )
    flops = "flops_per_second"
    (alone,) = d.of(f"fma_chains {large}", flops, 1e-12)
    of_alone = [
        [100 * value / alone for value in d.of(f"{kernel} {large}", flops, 1e-12)]
        for kernel in ("cublas_sgemm", *list(steps.values())[4:])
    ]
    yield (
        "alone do [65.1] TFLOP/s at 4096 cubed. Of that cuBLAS and step 5 reach [79] %, step 6 reaches [83] %, "
        "step 7 reaches [84] %",
        [alone],
        of_alone[0] + of_alone[1],
        of_alone[2],
        of_alone[3],
    )
    profiled = {
        row["variant"]: row["instructions_per_ffma"] for row in table("product_variants.csv")
    }
    last = "serpentine; a by 8 bytes; loop of two steps per stage"
    yield (
        "issues [1.13] instructions per multiply-add, step 5 [1.09] and a forerunner of step 6 [1.12]",
        *([float(profiled[name])] for name in ("cublasSgemm", "matmul_bulk", last)),
    )
    naive = Data("16")
    yield (
        "naive product: 2 per [2.7] clocks",
        clocks_of_a_step(naive, "matmul_naive block:32x32 m:4096"),
    )
    merged = d.of("matmul_tiled tile:32 m:256", "shared_load_wavefronts")
    yield "| 8 ([6] as nvcc merges) |", [value / (256**3 / 128) for value in merged]
    l1, *_ = re.findall(r"L1 at (\d+) % of its rate", page_text())
    yield "The L1's [49] % are bytes", [float(l1)]


def page_text() -> str:
    return (directory("19") / "README.md").read_text(encoding="utf-8")


def _variants() -> Iterator[Fact]:
    """What was tried, and what the register file allows."""
    by_name = {row["variant"]: row for row in table("product_variants.csv")}

    def clocks(variant: str) -> list[float]:
        return [float(by_name[variant]["register_clocks"])]

    def slower(variant: str, than: str) -> list[float]:
        rates = [float(by_name[name]["tflops"]) for name in (than, variant)]
        return [100 * (rates[0] / rates[1] - 1)]

    first, last = (
        "serpentine; a by 16 bytes; -O1",
        "serpentine; a by 8 bytes; loop of two steps per stage",
    )
    unoptimised = "serpentine; a by 16 bytes; -O3"
    yield (
        "step 5 takes [0.13] clocks more for registers in the loop, one of step 6 [0.02].",
        clocks("matmul_bulk"),
        clocks(last),
    )
    yield (
        "then took [0.21] clocks more for registers instead of [0.05], and [8] % more time",
        clocks(unoptimised),
        clocks(first),
        slower(unoptimised, first),
    )
    yield "wait for them; [1] % slower than step 5", slower(first, "matmul_bulk")
    yield (
        "instead of one per stage: [5] % slower",
        slower("serpentine; a by 8 bytes; loop of two steps for all stages", last),
    )
    yield (
        "256 x 128: [2] % slower. Two stages instead of three: [10] % slower",
        slower("serpentine; tile of 128 x 256", first)
        + slower("serpentine; tile of 256 x 128", first),
        slower("serpentine; two stages", first),
    )
    rows = table("register_reads.csv")
    long = [row for row in rows if row["pattern"] == "compiled" and int(row["code_kb"]) > 32]
    yield (
        "too slowly: [1.3] clocks per multiply-add with 2 warps per scheduler, [about 2.8] with one",
        [float(row["clocks_2_warps"]) for row in long],
        [float(row["clocks_1_warp"]) for row in long],
    )
    load, nop = (
        next(float(row["clocks_2_warps"]) for row in rows if row["other"] == other)
        for other in ("21 LDS.128", "21 NOP")
    )
    yield "by another [1.3].", [21 * (load - nop)]
