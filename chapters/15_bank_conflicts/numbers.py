"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import Data, Numbers

_BUDGET = "copy_through_shared shared_kb:"
_SMALLEST_BUDGET = f"{_BUDGET}4"
_TURN = "turn_tiles width:32"
_COLUMNS = "stage_columns width:32 pitch:32"


def _loads(d: Data, stride: int) -> float:
    """The time of a loop of loads at a stride, in seconds."""
    return d.of(f"load_strided element:4 sharers:1 stride:{stride}")[0]


def _pass(d: Data) -> float:
    """What a pass of the loop adds to its time."""
    return (_loads(d, 32) - _loads(d, 1)) / 31


def _register_step(d: Data) -> list[float]:
    """In clocks, as a pass is one."""
    fixed = _loads(d, 1) - _pass(d)
    return [(d.of("combine_in_registers")[0] - fixed) / _pass(d)]


def _of_blocks_of_16(d: Data, pitch: int) -> list[float]:
    """What conflicts add to columns and to turning in 16 x 16 blocks, in percent."""
    return [
        value
        for kernel in ("stage_columns", "turn_tiles")
        for value in d.more(f"{kernel} width:16 pitch:{pitch}", f"{kernel} width:16 pitch:18")
    ]


def _share_of_passes(d: Data, spec: str) -> list[float]:
    """Of the time, at one pass a clock, in percent."""
    return [
        100
        * (
            (d.value(name, "shared_load_wavefronts") or 0)
            + (d.value(name, "shared_store_wavefronts") or 0)
        )
        / d.result.sm_count
        / d.result.sm_clock_mhz
        / (d.value(name, "time") or 1)
        for name in d.names(spec)
    ]


def _surplus(d: Data, side: int) -> list[float]:
    """Passes that the unit counts beyond those of the instructions, without any conflict, in percent."""
    return [
        100 * ((d.value(name, f"shared_{kind}_wavefronts") or 0) - needed) / requests
        for name in [*d.names(f"* rows:{side}"), *d.names(f"* n:{side * side}")]
        for kind in ("load", "store")
        if (requests := d.value(name, f"shared_{kind}_requests"))
        if (needed := d.value(name, f"shared_instruction_{kind}_wavefronts")) == requests
    ]


def _waits_compared(d: Data) -> list[float]:
    """The launches of shared_waits.csv that the emulated GPU counted, too."""

    def counted(chapter: str) -> set[str]:
        return set(d.of_chapter(chapter[:2]).on("emulated-hopper").result.counts)

    rows = d.table("shared_waits.csv")
    known = {chapter: counted(chapter) for chapter in {row["chapter"] for row in rows}}
    return [sum(row["name"] in known[row["chapter"]] for row in rows)]


NUMBERS: Numbers = {
    "fixed_part": lambda d: [_loads(d, 1) - _pass(d)],
    "register_step": _register_step,
    "columns_cost": lambda d: d.more(_COLUMNS, "stage_rows width:32 pitch:32"),
    "turning_costs": lambda d: d.more(f"{_TURN} pitch:32", f"{_TURN} pitch:33"),
    "passes_of_columns": lambda d: _share_of_passes(d, _COLUMNS),
    "passes_of_turning": lambda d: _share_of_passes(d, f"{_TURN} pitch:32"),
    "eight_passes_cost": lambda d: _of_blocks_of_16(d, 16),
    "two_passes_cost": lambda d: _of_blocks_of_16(d, 17),
    "occupancy_fermi": lambda d: d.on("emulated-fermi").of(f"{_BUDGET}48", "theoretical_occupancy"),
    "occupancy_32": lambda d: d.of(f"{_BUDGET}32", "theoretical_occupancy"),
    "occupancy_48": lambda d: d.of(f"{_BUDGET}48", "theoretical_occupancy"),
    "bandwidth_32": lambda d: d.share(f"{_BUDGET}32", _SMALLEST_BUDGET, "bytes_per_second"),
    "bandwidth_48": lambda d: d.share(f"{_BUDGET}48", _SMALLEST_BUDGET, "bytes_per_second"),
    "surplus_1024": lambda d: _surplus(d, 1024),
    "surplus_2048": lambda d: _surplus(d, 2048),
    "waits_compared": _waits_compared,
    "extra_dram": lambda d: d.beyond("emulated-hopper", "*", "dram_read_bytes", 1e-3),
}
