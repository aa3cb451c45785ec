"""Chapter 17: tiles in shared memory."""

from collections.abc import Iterator

from notebook.product_numbers import clocks_of_a_step
from page_numbers.check import Fact
from page_numbers.data import Data

CITED = ("ratio of computation to memory access rises from 1 to 16",)
GIVEN = (
    "global loads fall to 1/16",
    "150 GB/s allow (150 / 4) x 16 = 600 GFLOP/s instead of 37.5",
    "still loads twice from",
    "plus 0.38 and 0.13",
    "Bandwidth / 4",
    "half of the sixteen",
    "column 0 x 2 + 1",
    "computed as 1 x 2 + 0",
    "P[3][0], and P[2][0]",
    "256 times 67 MB with tiles of 16, half as often with 32",
    "in phases of 16",
    "In phases of 32",
    "a quarter of a request per step",
    "with 16. **Counted",
)
NAIVE, TILED, STRIPS = "matmul_naive", "matmul_tiled", "matmul_strip_mined"


def facts(d: Data) -> Iterator[Fact]:
    at = "m:1024|4096"
    requests, wavefronts = (
        [
            (d.value(name, f"shared_load_{kind}") or 0) / (256**3 / 32)
            for name in d.names(f"{TILED} m:256")
        ]
        for kind in ("requests", "wavefronts")
    )
    yield "shared memory: [1.5] wavefronts", wavefronts
    yield (
        "Measured are [about 2.1] and [1.9] clocks",
        clocks_of_a_step(d, f"{TILED} tile:16 {at}"),
        clocks_of_a_step(d, f"{TILED} tile:32 {at}"),
    )
    yield (
        "takes [3.1 to 3.3] and [2.7 to 2.8] clocks",
        *(clocks_of_a_step(d, f"{NAIVE} block:{block} {at}") for block in ("16x16", "32x32")),
    )
    bandwidth = d.of("add_operands", "flops_per_second")[0]
    rates = {
        kernel: [value / bandwidth for value in d.of(f"{kernel} m:4096", "flops_per_second")]
        for kernel in (f"{NAIVE} block:16x16", f"{TILED} tile:16")
    }
    yield (
        "is [about 1] TFLOP/s on",
        [bandwidth / 1e12],
    )
    yield (
        "product does [5.6] times that, tiles of 16 [8.5] times",
        *rates.values(),
    )
    predicted = {"16x16": 3.0, "32x32": 2.0, "16": 1.5 + 0.38, "32": 1.5 + 0.13}
    measured = {
        kind: max(
            clocks_of_a_step(d, f"{NAIVE} block:{kind} {at}")
            + clocks_of_a_step(d, f"{TILED} tile:{kind} {at}")
        )
        for kind in predicted
    }
    off = {kind: 100 * (measured[kind] / predicted[kind] - 1) for kind in predicted}
    yield (
        "[within 20] % (naive 32 x 32: [38] %)",
        [value for kind, value in off.items() if kind != "32x32"],
        [off["32x32"]],
    )
    peak = Data("16").of("multiply_add_in_registers m:4096", "flops_per_second")[0]
    reach = [value / peak for value in d.of(f"{TILED} m:4096", "flops_per_second")]
    yield "reach a [seventh] of their peak", [min(reach)]
    busy = [
        sum(d.value(name, kind) or 0 for kind in ("dram_read_bytes", "dram_write_bytes"))
        / (d.value(name, "time") or 1)
        * 1e6
        / d.peak
        for name in d.names(f"{TILED} m:4096") + d.names(f"{NAIVE} m:4096")
    ]
    yield "DRAM a [fifth] of its bandwidth", [max(busy)]
    pairs = [(f"{TILED} tile:{w}", f"{NAIVE} block:{w}x{w}") for w in (16, 32)]
    yield (
        "and by [up to 25] % below",
        [
            max(
                100 * abs(value - 1)
                for pair in pairs
                for value in d.ratio(*pair, "l2_read_sectors", "m:256|1024")
            )
        ],
    )
    yield (
        "gets by with [0.61] and [0.51] of that",
        d.ratio(f"{NAIVE} block:16x16", f"{TILED} tile:16", "dram_read_bytes", "m:4096"),
        d.ratio(f"{NAIVE} block:32x32", f"{TILED} tile:32", "dram_read_bytes", "m:4096"),
    )
    short = [abs(value) for value in d.more(f"{STRIPS} tile:16", f"{NAIVE} block:16x16")]
    yield "no time [beyond 3] %", short
    long = f"{STRIPS} tile:32", f"{NAIVE} block:32x32"
    yield (
        "it is [2] % faster, [9] % at 256 cubed",
        d.less(*long, at=at),
        d.less(*long, at="m:256"),
    )
    yield (
        "change by [up to 12] %, to",
        [
            abs(value)
            for w in (16, 32)
            for value in d.more(f"{STRIPS} tile:{w}", f"{NAIVE} block:{w}x{w}", "l2_read_sectors")
        ],
    )
    yield (
        "any time: [0.1 to 0.6] % at",
        d.more(f"{TILED}_bounded type:float", TILED, at=at),
    )
    steps = f"{TILED}_in_steps"
    yield (
        "save [0.7 to 2.8] % of the time with tiles of 32, and cost [0.2 to 1.1] % with",
        d.less(steps, TILED, at="tile:32"),
        d.more(steps, TILED, at="tile:16"),
    )
    yield "counts [1.25] requests and [1.5] wavefronts", requests, wavefronts
    hopper = d.on("emulated-hopper")
    per_step = {
        name: (hopper.value(name, "shared_store_wavefronts") or 0) / 256**3
        for name in hopper.names(f"{TILED} m:256")
    }
    more = []
    for name, item in per_step.items():
        for side in (1024, 4096):
            larger = name.replace(":256", f":{side}")
            more.append(
                100 * ((d.value(larger, "shared_store_wavefronts") or 0) / (item * side**3) - 1)
            )
    yield "come to [6 to 15] % more", more
    yield (
        "tiles of 16, [3] % of the sectors are found",
        d.per(f"{TILED} tile:16 m:256", "l1_hit_sectors", "load_sectors", 100),
    )
    fewer = [
        1
        - (d.value(name, "l2_read_sectors") or 0)
        / ((d.value(name, "load_sectors") or 0) - (d.value(name, "l1_hit_sectors") or 0))
        for name in d.names(f"{TILED} m:256")
    ]
    yield "by [more than a third] at 256", fewer
    yield "three wavefronts there become [1.5] of", wavefronts
    yield "two wavefronts there become [1.5] of", wavefronts
    yield "bind first, [1.5] wavefronts a step", wavefronts
