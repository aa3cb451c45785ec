"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable
from statistics import median

from notebook.pages.product_numbers import clocks_of_a_step
from notebook.pages.queries import Data, Numbers

_LARGE = "m:4096 n:4096 k:4096"
_RATIO, _RATE = "cublas_ratio", "flops_per_second"
_FMA, _CUBLAS = "fma_chains chains:8", "cublas_sgemm"
_VECTORS, _THREAD_TILES = "matmul_vectorised tile:128x128", "matmul_thread_tiles tile:128x128"
_BULK, _REUSE, _BALANCED = (f"matmul_{step} tile:picked" for step in ("bulk", "reuse", "balanced"))
_STEPS = (
    "matmul_tiled tile:32",
    "matmul_thread_tiles",
    "matmul_vectorised",
    "matmul_double_buffered tile:picked",
    _BULK,
    _REUSE,
    _BALANCED,
)
# Forerunners of step 6 in product_variants.csv.
_BY_16 = "serpentine; a by 16 bytes; -O1"
_BY_16_O3 = "serpentine; a by 16 bytes; -O3"
_LAST = "serpentine; a by 8 bytes; loop of two steps per stage"
_ONE_LOOP = "serpentine; a by 8 bytes; loop of two steps for all stages"
_BLOCKS, _TILE = 264, 128  # at a time on an H200, and a tile's side


def _of_cublas(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(spec, _RATIO)


def _tflops(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"{spec} {_LARGE}", _RATE, 1e-12)


def _of_fma(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: d.share(spec, _FMA, _RATE, _LARGE)


def _gains(spec: str, other: str) -> Callable[[Data], list[float]]:
    """By how many percent a kernel's share of cuBLAS exceeds that of another."""
    return lambda d: [
        100 * (one / two - 1)
        for one in d.of(f"{spec} {_LARGE}", _RATIO)
        for two in d.of(f"{other} {_LARGE}", _RATIO)
    ]


def _occupancy(step: int) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"{_STEPS[step - 1]} {_LARGE}", "theoretical_occupancy")


def _variant(name: str, column: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        float(row[column]) for row in d.table("product_variants.csv") if row["variant"] == name
    ]


def _slower(names: list[str], than: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        100 * (base / rate - 1)
        for base in _variant(than, "tflops")(d)
        for name in names
        for rate in _variant(name, "tflops")(d)
    ]


def _register_reads(reads: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        float(row["clocks_2_warps"])
        for row in d.table("register_reads.csv")
        if row["reads"] == reads and not row["other"]
    ]


def _long_code(column: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        float(row[column])
        for row in d.table("register_reads.csv")
        if row["pattern"] == "compiled" and int(row["code_kb"]) > 32
    ]


def _load_delay(d: Data) -> list[float]:
    """What a 16-byte load delays a multiply-add beyond its own clock, which 21 of them show."""
    clocks = {row["other"]: float(row["clocks_2_warps"]) for row in d.table("register_reads.csv")}
    return [21 * (clocks["21 LDS.128"] - clocks["21 NOP"])]


def _operand_share(d: Data) -> list[float]:
    """Six loads for 128 multiply-adds, in percent."""
    return [100 * 6 * (1 + delay) / 128 for delay in _load_delay(d)]


def _boards(d: Data) -> list[float]:
    """How far apart two boards are, in percent."""
    medians: dict[str, list[float]] = {}
    for row in d.table("limits_by_board.csv"):
        if row["chapter"].startswith("19"):
            medians.setdefault(row["name"], []).append(float(row["median"]))
    return [100 * (max(both) / min(both) - 1) for both in medians.values()]


def _idle(_: Data) -> list[float]:
    """The blocks' idle time, were the last wave not divided, in percent."""
    tiles = [(side // _TILE) ** 2 for side in (4096, 8192)]
    return [median(100 * (1 - count / _BLOCKS / -(-count // _BLOCKS)) for count in tiles)]


def _code(d: Data) -> list[tuple[float, float]]:
    """Of each kernel its machine code and what it reads beyond that and both matrices, in KB."""
    rows = [row for row in d.table("machine_code.csv") if row["benchmark"].startswith("matmul")]
    numbers = [
        [int(row[key]) / 1e3 for key in ("code_bytes", "matrices_read_bytes", "dram_read_bytes")]
        for row in rows
    ]
    return [(code, read - matrices - code) for code, matrices, read in numbers]


NUMBERS: Numbers = {
    "merged_passes": lambda d: d.of(
        "matmul_tiled tile:32 m:256", "shared_load_wavefronts", 128 / 256**3
    ),
    "tile_of_fma": _of_fma("matmul_tiled tile:32"),
    "vector_reads": lambda d: d.share(_VECTORS, _THREAD_TILES, "shared_load_requests"),
    "vector_passes": lambda d: d.on("emulated-hopper").share(
        _VECTORS, _THREAD_TILES, "shared_load_wavefronts"
    ),
    "buffers_gain": _gains("matmul_double_buffered tile:picked", "matmul_vectorised"),
    "occupancy_1": _occupancy(1),
    "occupancy_4": lambda d: [value for step in (2, 3, 4) for value in _occupancy(step)(d)],
    "occupancy_7": lambda d: [value for step in (5, 6, 7) for value in _occupancy(step)(d)],
    "balanced_8192": _of_cublas(f"{_BALANCED} m:8192"),
    "balanced_4096": _of_cublas(f"{_BALANCED} {_LARGE}"),
    "balanced_2048": _of_cublas(f"{_BALANCED} m:2048"),
    "balanced_1024": _of_cublas(f"{_BALANCED} m:1024"),
    "balanced_1000": _of_cublas(f"{_BALANCED} m:1000"),
    "balanced_odd": _of_cublas(f"{_BALANCED} m:4000"),
    "balanced_tall": _of_cublas(f"{_BALANCED} m:16384"),
    "balanced_wide": _of_cublas(f"{_BALANCED} m:256 n:16384"),
    "balanced_rate": _tflops(_BALANCED),
    "cublas_rate": _tflops(_CUBLAS),
    "boards": _boards,
    "square_at_1024": lambda d: (
        d.of("matmul_bulk|matmul_reuse tile:128x128 m:1024", _RATIO, 100)
        or d.of("matmul_reuse tile:128x128 m:1024", _RATIO, 100)
    ),
    "fma_rate": _tflops(_FMA),
    "cublas_of_fma": _of_fma(_CUBLAS),
    "bulk_of_fma": _of_fma(_BULK),
    "reuse_of_fma": _of_fma(_REUSE),
    "balanced_of_fma": _of_fma(_BALANCED),
    "cublas_instructions": _variant("cublasSgemm", "instructions_per_ffma"),
    "bulk_instructions": _variant("matmul_bulk", "instructions_per_ffma"),
    "reuse_instructions": _variant(_LAST, "instructions_per_ffma"),
    "reuse_gains": _gains(_REUSE, _BULK),
    "balanced_gains": _gains(_BALANCED, _REUSE),
    "reads_apart": _register_reads("1+0"),
    "reads_in_one_bank": _register_reads("2+0"),
    "reads_none_kept": _register_reads("2+1"),
    "bulk_register_clocks": _variant("matmul_bulk", "register_clocks"),
    "reuse_register_clocks": _variant(_LAST, "register_clocks"),
    "o3_register_clocks": _variant(_BY_16_O3, "register_clocks"),
    "o1_register_clocks": _variant(_BY_16, "register_clocks"),
    "o3_slower": _slower([_BY_16_O3], _BY_16),
    "load_delay": _load_delay,
    "operand_share": _operand_share,
    "long_2_warps": _long_code("clocks_2_warps"),
    "long_1_warp": _long_code("clocks_1_warp"),
    "idle": _idle,
    "naive_clocks": lambda d: clocks_of_a_step(
        d.of_chapter("16"), "matmul_naive block:32x32 m:4096"
    ),
    "a_by_16": _slower([_BY_16], "matmul_bulk"),
    "one_loop": _slower([_ONE_LOOP], _LAST),
    "larger_tiles": _slower(
        ["serpentine; tile of 128 x 256", "serpentine; tile of 256 x 128"], _BY_16
    ),
    "two_stages": _slower(["serpentine; two stages"], _BY_16),
    "beyond_code": lambda d: [more for _, more in _code(d) if more > 0],
    "kernels_beyond_code": lambda d: [sum(more > 0 for _, more in _code(d))],
    "code_sizes": lambda d: [code for code, more in _code(d) if more > 0],
    "bulk_code": lambda d: [code for code, more in _code(d) if more < 0],
    "spilled": lambda d: [
        (d.value(name, "l2_write_sectors") or 0) - (d.value(name, "store_sectors") or 0)
        for name in d.names("matmul_double_buffered tile:64x64 m:256")
    ],
} | {f"step_{at}": _of_cublas(f"{spec} {_LARGE}") for at, spec in enumerate(_STEPS, start=1)}
