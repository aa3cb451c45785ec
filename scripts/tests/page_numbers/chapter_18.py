"""Chapter 18: the width of a tile."""

from collections.abc import Iterator

from notebook.product_numbers import clocks_of_a_step
from page_numbers.check import Fact
from page_numbers.data import Data, table

CITED = ("reduces loads to 1/w", "3 x 16 x 16 x 4")
GIVEN = (
    "3 is the number that would fit",
    "36 blocks for 132 SMs",
    "8 to 16 saves",
    "at 192)",
    ", 16 to 32 saves",
    "a step takes 2.75, 1.9 and 1.6",
    "for widths 8, 16 and 32",
    "the same for widths of 8, 16 and 32 (2.5 for 4)",
    "half a warp",
    "(8 on Fermi, 16 on Kepler and Turing, 24 on Ada, 32 on the others here)",
    "From 4 to 8",
    "one phase of 192 replaces four of 48",
    "At 1024 and 2048",
    "neither side is a multiple of 192: 6 and 11 phases make 1152 and 2112 steps, 9 and 2 % more than phases of 48",
    "a depth of 16 to one of 96",
    "depth of 32",
    "at 192. Its warp",
    "5 lines per phase where 16 x 16 touches 8",
    "loaded by half of the threads (16 x 16) or a quarter (32 x 32)",
    "goes in half warps",
    "Tiles of 16 take {",
    "Tiles of 32 take {",
    "where 36 blocks leave most of the 132 SMs idle",
    "where halved loads suggest 0.50×",
    "**On GPUs whose SM holds a single block of 32 x 32**",
    "(RTX 3060, 3060 Ti, 3070 Ti, 3080)",
    "(GTX 1650, RTX 2060)",
)
F, T = "matmul_tiled_bounded type:float", "matmul_rectangular_tiles"
LARGE = "m:1024|2048"


def facts(d: Data) -> Iterator[Fact]:
    yield from _of_single_blocks()
    yield from _occupancies(d)

    def tile(one: str, other: str, at: str) -> tuple[str, str, str, str]:
        return f"{T} tile:{one}", f"{T} tile:{other}", "time", at

    narrow_loads, loads = (
        [
            (d.value(name, "shared_load_wavefronts") or 0) / (192**3 / 32)
            for name in d.names(f"{F} tile:{widths} m:192")
        ]
        for widths in ("4", "8|16|32")
    )
    yield "Each step also loads [1.5] wavefronts", loads
    yield "8, 16 and 32 ([2.5] for 4)", narrow_loads
    yield "(one multiply-add per lane) loads [1.5] wavefronts at either width", loads
    for words, wide, narrow, at in (
        ("8 to 16 saves [36 and 37] % of the time", 16, 8, LARGE),
        ("([30] % at 192)", 16, 8, "m:192"),
        ("16 to 32 saves [11 and 12] %", 32, 16, LARGE),
    ):
        yield words, d.less(f"{F} tile:{wide}", f"{F} tile:{narrow}", at=at)
    yield (
        "and [3.4], [2.2] and [1.9] clocks at 1024 cubed",
        *(clocks_of_a_step(d, f"{F} tile:{w} m:1024") for w in (8, 16, 32)),
    )
    yield (
        "requests fall to a [quarter]. On the H200 the time falls to a [third] at",
        d.ratio(f"{F} tile:8", f"{F} tile:4", "load_requests"),
        d.ratio(f"{F} tile:8", f"{F} tile:4", at="m:1024"),
    )
    yield "tile takes *[half]* the time", d.ratio(*tile("16x16x192", "16x16x48", "m:192"))
    yield "cubed, *[halve]* the time", d.ratio(*tile("16x16x192", "16x16x48", "m:192"))
    deep = d.more(*tile("16x16x192", "16x16x48", LARGE))
    yield "the deep tile is [4] and [2] % slower", deep[:1], deep[1:]
    depth = d.less(*tile("16x16x96", "16x16x16", LARGE))
    yield "between them: [10] and [7] % of", depth[:1], depth[1:]
    yield "one of 96, [36] % at", d.less(*tile("16x16x96", "16x16x16", "m:192"))
    yield (
        "takes [1.4 to 1.6] times (16 x 16) or [1.8 to 2.2] times",
        d.ratio(*tile("16x16x8", "16x16x16", "")),
        d.ratio(*tile("32x32x8", "32x32x32", "")),
    )
    square = "16x16x32"
    yield (
        "8 x 32 loads a [quarter] more",
        [
            value - 1
            for value in d.ratio(f"{T} tile:8x32x32", f"{T} tile:{square}", "load_requests")
        ],
    )
    less = d.less(*tile("8x32x32", square, LARGE))
    yield "takes [9] and [7] % *less* time", less[:1], less[1:]
    yield "[31] % less at 192", d.less(*tile("8x32x32", square, "m:192"))
    more = d.more(*tile("4x64x32", square, LARGE))
    yield (
        "which loads [twice] as much, is [6] and [8] % slower",
        d.ratio(f"{T} tile:4x64x32", f"{T} tile:{square}", "load_sectors"),
        more[:1],
        more[1:],
    )
    tall = "64x4x32", "4x64x32"
    yield (
        "takes [three times] as long there ([1.36] times at 192 cubed), for [eight times] the lines, "
        "[twice] the sectors",
        d.ratio(*tile(*tall, LARGE)),
        d.ratio(*tile(*tall, "m:192")),
        d.on("emulated-hopper").ratio(*(f"{T} tile:{value}" for value in tall), "load_lines"),
        d.ratio(*(f"{T} tile:{value}" for value in tall), "load_sectors"),
    )
    general = [f"{T} tile:16x16x16", f"{F} tile:16"]
    slower = d.more(general[0], general[1], at=LARGE)
    yield (
        "16 x 16 x 16 is [9] and [13] % slower than in chapter 17's at 2048 and 1024 cubed ([44] % at 192)",
        [min(slower)],
        [max(slower)],
        d.more(general[0], general[1], at="m:192"),
    )
    yield (
        "32 x 32 x 32 [about a fifth]",
        [value - 1 for value in d.ratio(f"{T} tile:32x32x32", f"{F} tile:32", at=LARGE)],
    )
    yield (
        "Shared loads are [5/8] of the requests",
        [
            (d.value(name, "shared_load_requests") or 0) / (2 * 192**3 / 32)
            for name in d.names(f"{F} tile:16|32 m:192")
        ],
    )
    hopper = d.on("emulated-hopper")
    yield (
        "tiles, by a [third] for 16 x 16",
        [
            1 - (d.value(name, "l1_hit_sectors") or 0) / (hopper.value(name, "l1_hit_sectors") or 1)
            for name in hopper.names(f"{T} tile:{square} m:192")
        ],
    )
    yield (
        "but for tiles of 4, which read [13] % more than",
        [
            100 * (read / (hopper.value(name, "l2_read_sectors_most") or 1) - 1)
            for name in d.names(f"{F} tile:4 m:192")
            if (read := d.value(name, "l2_read_sectors"))
        ],
    )
    yield (
        "loads from shared memory, [1.5] wavefronts",
        [
            (d.value(name, "shared_load_wavefronts") or 0) / (192**3 / 32)
            for name in d.names(f"{F} tile:16|32 m:192")
        ],
    )


def _of_single_blocks() -> Iterator[Fact]:
    """GPUs of which others printed times: none of their SMs holds two blocks of 1024 threads."""
    times = {
        (row["device"], width): float(row["value"])
        for row in table("published/18_matmul_tile_width.csv")
        for width in ("16", "32")
        if f"/tile:{width}/m:4096/" in row["name"]
    }
    ratios = {device: times[device, "32"] / times[device, "16"] for device, _ in times}
    yield (
        "tiles of 32 take [1.09 to 1.14] times the time of tiles of 16 (RTX 3060, 3060 Ti, 3070 Ti, 3080), "
        "[0.95] (RTX 3060 Laptop), or the same [within 3] % (GTX 1650, RTX 2060)",
        [ratios.pop(f"geforce-rtx-{name}") for name in ("3060", "3060-ti", "3070-ti", "3080")],
        [ratios.pop("geforce-rtx-3060-laptop")],
        [100 * abs(ratios.pop(f"geforce-{name}") - 1) for name in ("gtx-1650", "rtx-2060")],
    )
    assert not ratios
    threads = {
        row["compute_capability"]: [float(row["max_threads_per_sm"])]
        for row in table("architectures.csv")
    }
    yield (
        "two such blocks ([2048] threads, as an H200's; one of a Fermi or an RTX 30 has [1536], of a Turing [1024])",
        *(threads[capability] for capability in ("9.0", "8.6", "7.5")),
    )


def _occupancies(d: Data) -> Iterator[Fact]:
    def left(generations: str, tile: str) -> list[float]:
        return [
            value
            for name in generations.split()
            for value in d.on(f"emulated-{name}").of(tile, "theoretical_occupancy")
        ]

    others = "maxwell volta turing ampere hopper blackwell"
    every = f"fermi kepler pascal ada {others}"
    square, deep = f"{F} tile:32", f"{T} tile:16x16x96 m:192"
    yield (
        "its 1024 threads leave [66.7] % on the emulated Fermi and Ada, [100] % on the others. Tiles of 16 x 16 "
        "leave [100] % on all",
        left("fermi ada", square),
        left(f"kepler pascal {others}", square),
        left(every, f"{F} tile:16") + left(every, f"{T} tile:16x16x48 m:192"),
    )
    yield (
        "with 12 KB [66.7] % on a Fermi, [50] % on a Kepler (K40), [62.5] % on a Pascal (P100), [100] % on the "
        "others; with 24 KB [25 to 75] %, and [100] % since Hopper",
        left("fermi", deep),
        left("kepler", deep),
        left("pascal", deep),
        left(f"ada {others}", deep),
        left("fermi kepler maxwell pascal volta turing ampere ada", f"{T} tile:16x16x192 m:192"),
        left("hopper blackwell", f"{T} tile:16x16x192 m:192"),
    )
