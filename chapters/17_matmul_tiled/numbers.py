"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable

from notebook.pages.product_numbers import LANES, clocks_of_a_step
from notebook.pages.queries import Data, Numbers

_NAIVE, _TILED, _STRIPS = "matmul_naive", "matmul_tiled", "matmul_strip_mined"
_STEPS, _BOUNDED = f"{_TILED}_in_steps", f"{_TILED}_bounded type:float"
_LARGE, _SMALL = "m:1024|4096", "m:256"
_WIDTHS = (16, 32)
# If each wavefront took the unit of shared memory and L1 a clock.
_CLOCKS_OF_WAVEFRONTS = {
    f"{_NAIVE} block:16x16": 3.0,
    f"{_TILED} tile:16": 1.5 + 0.38,
    f"{_TILED} tile:32": 1.5 + 0.13,
}
_NAIVE_32_WAVEFRONTS = 2.0


def _clocks(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: clocks_of_a_step(d, f"{spec} {_LARGE}")


def _times(variant: str, baseline: str, at: str) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(variant, baseline, at=at)


def _off(d: Data, spec: str, wavefronts: float) -> list[float]:
    """By how many percent the clocks exceed the wavefronts."""
    return [100 * (clocks / wavefronts - 1) for clocks in clocks_of_a_step(d, f"{spec} {_LARGE}")]


def _fma_share(d: Data) -> list[float]:
    """Of the rate of multiply-adds on registers."""
    (peak,) = d.of_chapter("16").of("multiply_add_in_registers m:4096", "flops_per_second")
    return d.of(f"{_TILED} m:4096", "flops_per_second", 100 / peak)


def _dram_share(d: Data) -> list[float]:
    return [
        100 * sum(d.value(name, f"dram_{kind}_bytes") or 0 for kind in ("read", "write")) / most
        for name in d.names(f"{_TILED} m:4096") + d.names(f"{_NAIVE} m:4096")
        if (most := (d.value(name, "time") or 0) * 1e-6 * d.peak)
    ]


def _l2_differs(d: Data, at: str) -> list[float]:
    """Reads of the tiled product against those of the naive one, in percent to either side."""
    return [
        abs(value)
        for width in _WIDTHS
        for value in d.more(
            f"{_TILED} tile:{width}", f"{_NAIVE} block:{width}x{width}", "l2_read_sectors", at
        )
    ]


def _strips_l2(d: Data) -> list[float]:
    return [
        abs(value)
        for width in _WIDTHS
        for value in d.more(
            f"{_STRIPS} tile:{width}", f"{_NAIVE} block:{width}x{width}", "l2_read_sectors"
        )
    ]


def _naive_dram(width: int) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(
        f"{_NAIVE} block:{width}x{width}", f"{_TILED} tile:{width}", "dram_read_bytes", "m:4096"
    )


def _shared_of_a_step(metric: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"{_TILED} {_SMALL}", metric, LANES / 256**3)


def _more_store_wavefronts(d: Data) -> list[float]:
    """Than the emulated GPU counts, which grow with the product's size."""
    hopper, metric = d.on("emulated-hopper"), "shared_store_wavefronts"
    return [
        100 * ((d.value(name.replace(":256", f":{side}"), metric) or 0) / counted - 1)
        for name in hopper.names(f"{_TILED} {_SMALL}")
        for side in (1024, 4096)
        if (counted := (hopper.value(name, metric) or 0) * (side / 256) ** 3)
    ]


def _fewer_l2_reads(d: Data) -> list[float]:
    """Than sectors that the L1 misses, in percent."""
    return [
        100 * (1 - (d.value(name, "l2_read_sectors") or 0) / misses)
        for name in d.names(f"{_TILED} {_SMALL}")
        if (misses := (d.value(name, "load_sectors") or 0) - (d.value(name, "l1_hit_sectors") or 0))
    ]


NUMBERS: Numbers = {
    "naive_clocks_16": _clocks(f"{_NAIVE} block:16x16"),
    "naive_clocks_32": _clocks(f"{_NAIVE} block:32x32"),
    "tiled_clocks_16": _clocks(f"{_TILED} tile:16"),
    "tiled_clocks_32": _clocks(f"{_TILED} tile:32"),
    "bandwidth_bound": lambda d: d.of("add_operands", "flops_per_second", 1e-12),
    "off": lambda d: [
        off for spec, clocks in _CLOCKS_OF_WAVEFRONTS.items() for off in _off(d, spec, clocks)
    ],
    "off_naive_32": lambda d: _off(d, f"{_NAIVE} block:32x32", _NAIVE_32_WAVEFRONTS),
    "fma_share": _fma_share,
    "dram_share": _dram_share,
    "l2_differs_at_4096": lambda d: _l2_differs(d, "m:4096"),
    "l2_differs_below": lambda d: _l2_differs(d, "m:256|1024"),
    "naive_dram_16": _naive_dram(16),
    "naive_dram_32": _naive_dram(32),
    "strips_16_small": _times(f"{_STRIPS} tile:16", f"{_NAIVE} block:16x16", _SMALL),
    "strips_16": _times(f"{_STRIPS} tile:16", f"{_NAIVE} block:16x16", _LARGE),
    "strips_32_small": _times(f"{_STRIPS} tile:32", f"{_NAIVE} block:32x32", _SMALL),
    "strips_32": _times(f"{_STRIPS} tile:32", f"{_NAIVE} block:32x32", _LARGE),
    "bounded_small": _times(_BOUNDED, _TILED, _SMALL),
    "bounded": _times(_BOUNDED, _TILED, _LARGE),
    "steps_16_small": _times(_STEPS, _TILED, f"tile:16 {_SMALL}"),
    "steps_16": _times(_STEPS, _TILED, f"tile:16 {_LARGE}"),
    "steps_32_small": _times(_STEPS, _TILED, f"tile:32 {_SMALL}"),
    "steps_32": _times(_STEPS, _TILED, f"tile:32 {_LARGE}"),
    "strips_l2": _strips_l2,
    "requests_of_a_step": _shared_of_a_step("shared_load_requests"),
    "wavefronts_of_a_step": _shared_of_a_step("shared_load_wavefronts"),
    "more_store_wavefronts": _more_store_wavefronts,
    "l1_hits": lambda d: d.per(f"{_TILED} tile:16 {_SMALL}", "l1_hit_sectors", "load_sectors", 100),
    "fewer_l2_reads": _fewer_l2_reads,
}
