"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable

from notebook.pages.product_numbers import LANES, clocks_of_a_step
from notebook.pages.queries import Data, Numbers

_SQUARE, _TILE = "matmul_tiled_bounded type:float tile:", "matmul_rectangular_tiles tile:"
_SIDES = (192, 1024, 2048)
# A name on the page, and the tiles whose times are compared.
_TIMES = {
    "width_8": (f"{_SQUARE}8", f"{_SQUARE}4"),
    "width_16": (f"{_SQUARE}16", f"{_SQUARE}8"),
    "width_32": (f"{_SQUARE}32", f"{_SQUARE}16"),
    "deep": (f"{_TILE}16x16x192", f"{_TILE}16x16x48"),
    "deeper": (f"{_TILE}16x16x96", f"{_TILE}16x16x16"),
    "flat_16": (f"{_TILE}16x16x8", f"{_TILE}16x16x16"),
    "flat_32": (f"{_TILE}32x32x8", f"{_TILE}32x32x32"),
    "wide": (f"{_TILE}8x32x32", f"{_TILE}16x16x32"),
    "wider": (f"{_TILE}4x64x32", f"{_TILE}16x16x32"),
    "tall": (f"{_TILE}64x4x32", f"{_TILE}4x64x32"),
    "general_16": (f"{_TILE}16x16x16", f"{_SQUARE}16"),
    "general_32": (f"{_TILE}32x32x32", f"{_SQUARE}32"),
}


def _time(variant: str, baseline: str, side: int) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(variant, baseline, at=f"m:{side}")


def _of_a_step(spec: str, metric: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"{spec} m:192", metric, LANES / 192**3)


def _occupancy(spec: str, generations: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        value
        for generation in generations.split()
        for value in d.on(f"emulated-{generation}").of(spec, "theoretical_occupancy")
    ]


def _published(devices: str) -> Callable[[Data], list[float]]:
    """Tiles of 32 against 16 at 4096 cubed, as others print their times."""
    return lambda d: [
        value
        for device in devices.split()
        for value in d.on(f"published:geforce-{device}").ratio(*_TIMES["width_32"], at="m:4096")
    ]


def _fewer_hits(d: Data) -> list[float]:
    """Than the emulated L1 has, in percent."""
    hopper, metric = d.on("emulated-hopper"), "l1_hit_sectors"
    return [
        100 * (1 - (d.value(name, metric) or 0) / counted)
        for name in hopper.names(f"{_TILE}16x16x32 m:192")
        if (counted := hopper.value(name, metric))
    ]


def _reads_beyond_bound(d: Data) -> list[float]:
    """Than the emulated L2's upper bound, in percent."""
    hopper = d.on("emulated-hopper")
    return [
        100 * (read / bound - 1)
        for name in d.names(f"{_SQUARE}4 m:192")
        if (read := d.value(name, "l2_read_sectors"))
        if (bound := hopper.value(name, "l2_read_sectors_most"))
    ]


_NEW = "maxwell volta turing ampere hopper blackwell"
_DEEP, _DEEPEST = f"{_TILE}16x16x96 m:192", f"{_TILE}16x16x192 m:192"

NUMBERS: Numbers = {
    "wavefronts": _of_a_step(f"{_SQUARE}8|16|32", "shared_load_wavefronts"),
    "wavefronts_4": _of_a_step(f"{_SQUARE}4", "shared_load_wavefronts"),
    "occupancy_32_fewer_threads": _occupancy(f"{_SQUARE}32", "fermi ada"),
    "occupancy_32_others": _occupancy(f"{_SQUARE}32", f"kepler pascal {_NEW}"),
    "occupancy_16": lambda d: [
        value
        for spec in (f"{_SQUARE}16", f"{_TILE}16x16x48 m:192")
        for value in _occupancy(spec, f"fermi kepler pascal ada {_NEW}")(d)
    ],
    "occupancy_96_fermi": _occupancy(_DEEP, "fermi"),
    "occupancy_96_kepler": _occupancy(_DEEP, "kepler"),
    "occupancy_96_pascal": _occupancy(_DEEP, "pascal"),
    "occupancy_96_others": _occupancy(_DEEP, f"ada {_NEW}"),
    "occupancy_192_before": _occupancy(
        _DEEPEST, "fermi kepler maxwell pascal volta turing ampere ada"
    ),
    "occupancy_192_since": _occupancy(_DEEPEST, "hopper blackwell"),
    "published_slower": _published("rtx-3060 rtx-3060-ti rtx-3070-ti rtx-3080"),
    "published_laptop": _published("rtx-3060-laptop"),
    "published_turing": _published("gtx-1650 rtx-2060"),
    "clocks_8": lambda d: clocks_of_a_step(d, f"{_SQUARE}8 m:1024"),
    "clocks_16": lambda d: clocks_of_a_step(d, f"{_SQUARE}16 m:1024"),
    "clocks_32": lambda d: clocks_of_a_step(d, f"{_SQUARE}32 m:1024"),
    "requests_4_to_8": lambda d: d.share(f"{_SQUARE}8", f"{_SQUARE}4", "load_requests"),
    "wide_loads_more": lambda d: d.more(*_TIMES["wide"], "load_requests"),
    "wider_sectors": lambda d: d.ratio(*_TIMES["wider"], "load_sectors"),
    "tall_lines": lambda d: d.on("emulated-hopper").ratio(*_TIMES["tall"], "load_lines"),
    "tall_sectors": lambda d: d.ratio(*_TIMES["tall"], "load_sectors"),
    "merged_loads": lambda d: d.of(
        f"{_SQUARE}16|32 m:192", "shared_load_requests", 100 * LANES / (2 * 192**3)
    ),
    "fewer_hits": _fewer_hits,
    "reads_beyond_bound": _reads_beyond_bound,
} | {f"{name}_at_{side}": _time(*tiles, side) for name, tiles in _TIMES.items() for side in _SIDES}
