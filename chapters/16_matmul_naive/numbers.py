"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable

from notebook.pages.product_numbers import clocks_of_a_step
from notebook.pages.queries import Data, Numbers

_NAIVE, _DOWN, _STRIDE = "matmul_naive", "matmul_naive_down_columns", "matmul_grid_stride"
_SQUARE, _WIDE = f"{_NAIVE} block:16x16", f"{_NAIVE} block:32x32"
_RATE = "flops_per_second"
_FACTORS = 2 * 4 * 4096**2  # bytes of a and b


def _fermi_share_of_peak(d: Data) -> list[float]:
    """Of the theoretical one, in percent, as predicted; the front page has it, too."""
    gpu = next(row for row in d.table("architectures.csv") if row["architecture"] == "fermi")
    lanes = int(gpu["sm_count"]) * int(gpu["fp32_lanes_per_sm"])
    peak = 2 * lanes * float(gpu["max_clock_mhz"]) * 1e6
    (seconds,) = d.on("emulated-fermi").predicted(f"{_SQUARE} m:256")
    return [100 * 2 * 256**3 / seconds / peak]


def _clocks(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: clocks_of_a_step(d, f"{spec} m:1024")


def _l2_asked(d: Data, spec: str, metric: str = "l2_read_sectors") -> list[float]:
    return d.per(f"{spec} m:256|1024|4096", metric, "load_sectors", 100)


def _of_cublas(d: Data, spec: str) -> list[float]:
    (library,) = _cublas(d)
    return [100 * rate / library for rate in d.of(f"{spec} m:4096", _RATE, 1e-12)]


def _cublas(d: Data) -> list[float]:
    return d.of_chapter("19").of("cublas_sgemm m:4096 n:4096", _RATE, 1e-12)


def _small_share(d: Data) -> list[float]:
    (small,) = d.of(f"{_SQUARE} m:256", _RATE)
    (peak,) = d.of("multiply_add_in_registers m:4096", _RATE)
    return [100 * small / peak]


def _grid_stride(blocks: int, side: int) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(f"{_STRIDE} grid:{blocks}x{blocks}", _SQUARE, at=f"m:{side}")


def _parts(side: int) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(
        f"{_NAIVE}_in_parts", f"{_NAIVE} parts:none", at=f"block:16x16 m:{side}"
    )


def _peak(side: int) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"multiply_add_in_registers m:{side}", _RATE, 1e-12)


def _l2_more(d: Data, side: int) -> list[float]:
    """What warps down columns read more from the L2, in percent."""
    return [
        value
        for block in ("16x16", "32x32")
        for value in d.more(
            f"{_DOWN} block:{block}", f"{_NAIVE} block:{block}", "l2_read_sectors", f"m:{side}"
        )
    ]


def _columns(side: int) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(f"{_DOWN} block:32x32", _WIDE, at=f"m:{side}")


def _clocks_of_a_busy_sm(d: Data) -> list[float]:
    """64 blocks occupy 64 SMs."""
    return [clocks * 64 / d.result.sm_count for clocks in clocks_of_a_step(d, f"{_WIDE} m:256")]


def _factors_of_l2(d: Data) -> list[float]:
    (gpu,) = (row for row in d.table("architectures.csv") if row["gpu"] == "H200 SXM")
    return [_FACTORS / float(gpu["l2_bytes"])]


def _read(spec: str, unit: float) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"{spec} m:4096", "dram_read_bytes", 1 / unit)


def _more_hits(d: Data) -> list[float]:
    """Sectors that the measured L1 delivers beyond those of the emulated one, in percent."""
    hopper = d.on("emulated-hopper")
    pairs = [
        (d.value(name, "l1_hit_sectors"), hopper.value(name, "l1_hit_sectors"))
        for name in hopper.names(f"{_NAIVE}*")
    ]
    return [
        100 * (measured / emulated - 1) for measured, emulated in pairs if measured and emulated
    ]


NUMBERS: Numbers = {
    "clocks_32_wide": _clocks(f"{_NAIVE} block:32x8|32x32"),
    "clocks_16": _clocks(_SQUARE),
    "clocks_8": _clocks(f"{_NAIVE} block:8x8"),
    "clocks_columns_16": _clocks(f"{_DOWN} block:16x16"),
    "clocks_columns_32": _clocks(f"{_DOWN} block:32x32"),
    "l1_hits": lambda d: d.per(
        f"{_NAIVE} block:16x16|32x32 m:256|1024|4096", "l1_hit_sectors", "load_sectors", 100
    ),
    "l2_asked_16": lambda d: _l2_asked(d, _SQUARE),
    "l2_asked_32": lambda d: _l2_asked(d, _WIDE),
    "l2_asked_fermi": lambda d: _l2_asked(d.on("emulated-fermi"), _SQUARE, "l2_read_sectors_most"),
    "fermi_share_of_peak": _fermi_share_of_peak,
    "square_is_slower": lambda d: d.more(_SQUARE, _WIDE, at="m:1024|4096"),
    "naive_16": lambda d: d.of(f"{_SQUARE} m:4096", _RATE, 1e-12),
    "naive_32": lambda d: d.of(f"{_WIDE} m:4096", _RATE, 1e-12),
    "cublas": _cublas,
    "naive_16_of_cublas": lambda d: _of_cublas(d, _SQUARE),
    "naive_32_of_cublas": lambda d: _of_cublas(d, _WIDE),
    "tiled_faster": lambda d: d.of_chapter("17").ratio("matmul_tiled tile:16", _SQUARE, _RATE),
    "small_share": _small_share,
    "stride_8_at_256": _grid_stride(8, 256),
    "stride_8_at_1024": _grid_stride(8, 1024),
    "stride_16_at_256": _grid_stride(16, 256),
    "stride_16_at_1024": _grid_stride(16, 1024),
    "stride_32_at_256": _grid_stride(32, 256),
    "stride_32_at_1024": _grid_stride(32, 1024),
    "stride_32_at_4096": _grid_stride(32, 4096),
    "parts_at_256": _parts(256),
    "parts_at_4096": _parts(4096),
    "peak_at_256": _peak(256),
    "peak_at_1024": _peak(1024),
    "peak_at_4096": _peak(4096),
    "more_sectors_of_columns": lambda d: (
        d.ratio(f"{_DOWN} block:32x32", _WIDE, "load_sectors")
        + d.ratio(f"{_DOWN} block:16x16", _SQUARE, "load_sectors")
    ),
    "l2_more_at_256": lambda d: _l2_more(d, 256),
    "l2_more_at_1024": lambda d: _l2_more(d, 1024),
    "columns_at_256": _columns(256),
    "columns_at_1024": _columns(1024),
    "clocks_of_a_busy_sm": _clocks_of_a_busy_sm,
    "factors_of_l2": _factors_of_l2,
    "read_32": _read(_WIDE, 1e9),
    "read_16": _read(_SQUARE, 1e9),
    "read_32x8": _read(f"{_NAIVE} block:32x8", 1e9),
    "read_stride": _read(f"{_STRIDE} grid:32x32", 1e9),
    "times_32": _read(_WIDE, _FACTORS),
    "times_16": _read(_SQUARE, _FACTORS),
    "times_32x8": _read(f"{_NAIVE} block:32x8", _FACTORS),
    "times_stride": _read(f"{_STRIDE} grid:32x32", _FACTORS),
    "more_hits": _more_hits,
    "merged_stores": lambda d: [
        100 - value
        for value in d.per(f"{_DOWN} block:16x16", "l2_write_sectors", "store_sectors", 100)
    ],
    "extra_dram": lambda d: (
        d.beyond("emulated-hopper", f"{_NAIVE}*", "dram_read_bytes", 1e-3)
        + d.beyond("emulated-hopper", _STRIDE, "dram_read_bytes", 1e-3)
    ),
}
