"""Chapter 15: bank conflicts."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data, table

GIVEN = (
    "(Kepler: also 8)",
    "gcd(s, 32)",
    "half a warp of 8-byte elements at a time, a quarter of 16-byte ones",
    "odd strides from 3",
    "33 passes instead of 2",
    "(2i and 2i + 1",
    "elements of half the size",
    "stops half of its warps, with eight an eighth",
    "and not 32",
    "hence not 32×",
    "of padding, 3 % more",
    "why 32 passes",
    "2588 patterns",
    "17 x 15 + 1 = 256 is in bank 0 again",
)


def facts(d: Data) -> Iterator[Fact]:
    fermi, hopper = d.on("emulated-fermi"), d.on("emulated-hopper")
    budget = "copy_through_shared shared_kb:48"
    yield (
        "holds one block, a [sixth] of its threads (it has 48 KB); one of a Hopper holds four, [half] of its threads",
        [value / 100 for value in fermi.of(budget, "theoretical_occupancy")],
        [value / 100 for value in hopper.of(budget, "theoretical_occupancy")],
    )
    one, most = (d.of(f"load_strided element:4 sharers:1 stride:{number}")[0] for number in (1, 32))
    step = (most - one) / 31
    yield "([about 2.6] µs of a launch", [one - step]
    yield "[about 2.6] µs", [one - step]
    yield "take [30] times as long", [most / one]
    registers = d.of("combine_in_registers")[0]
    yield "in registers is [half] a clock", [(registers - one + step) / step]
    turn = "turn_tiles width:32"
    yield (
        "costs [half] as much again and more",
        [min(value - 1 for value in d.ratio(f"{turn} pitch:32", f"{turn} pitch:33"))],
    )
    yield (
        "be [61 to 73] % of the time through columns and [39 to 49] % when turning",
        _passes(d, "stage_columns width:32 pitch:32"),
        _passes(d, f"{turn} pitch:32"),
    )
    narrow = "width:16 pitch:16", "width:16 pitch:18"
    cost = [
        value - 1
        for kernel in ("stage_columns", "turn_tiles")
        for value in d.ratio(f"{kernel} {narrow[0]}", f"{kernel} {narrow[1]}")
    ]
    yield "passes cost [4 to 14] %, and", [100 * value for value in cost]
    yield (
        "leaves cost [less than 1] %",
        [
            value
            for kernel in ("stage_columns", "turn_tiles")
            for value in d.more(f"{kernel} width:16 pitch:17", f"{kernel} width:16 pitch:18")
        ],
    )
    yield (
        "keeps [three quarters] of its warps, at 48 KB [half]",
        [
            value / 100
            for value in d.of("copy_through_shared shared_kb:32", "theoretical_occupancy")
        ],
        [value / 100 for value in d.of(budget, "theoretical_occupancy")],
    )
    yield (
        "to [84 to 90] % and to [63 to 73] % of that with 4 KB",
        *(
            d.share(
                f"copy_through_shared shared_kb:{size}",
                "copy_through_shared shared_kb:4",
                "bytes_per_second",
            )
            for size in (32, 48)
        ),
    )
    extra = {
        side: [
            ((d.value(name, f"shared_{kind}_wavefronts") or 0) - needed) / requests
            for name in [*d.names(f"* rows:{side}"), *d.names(f"* n:{side * side}")]
            for kind in ("load", "store")
            if (requests := d.value(name, f"shared_{kind}_requests"))
            if (needed := d.value(name, f"shared_instruction_{kind}_wavefronts")) == requests
        ]
        for side in (1024, 2048)
    }
    yield "[up to a tenth] of the requests at 1024", extra[1024]
    yield "[up to 20] % at the larger size", [100 * value for value in extra[2048]]
    *most, one_launch = sorted(d.beyond("emulated-hopper", "*", "dram_read_bytes", 1e-3))
    yield "by [2.6 to 11] KB, in one launch by [29];", most, [one_launch]
    yield (
        "in all [180] launches",
        [sum(row["name"] in _counted(row["chapter"]) for row in table("shared_waits.csv"))],
    )


def _passes(d: Data, spec: str) -> list[float]:
    """The share of the time that the passes take at one a clock, in percent."""
    clock = d.result.sm_clock_mhz
    return [
        100
        * (
            (d.value(name, "shared_load_wavefronts") or 0)
            + (d.value(name, "shared_store_wavefronts") or 0)
        )
        / 132
        / clock
        / (d.value(name, "time") or 1)
        for name in d.names(spec)
    ]


def _counted(chapter: str) -> set[str]:
    return set(Data(chapter[:2]).on("emulated-hopper").result.counts)
