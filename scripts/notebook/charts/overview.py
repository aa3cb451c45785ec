"""Charts that span chapters: the transposes, the roofline, three effects by generation."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import mul
from statistics import median

from notebook.charts.bars import share_bars
from notebook.charts.evidence import LARGEST, Device, Facts, complete
from notebook.charts.look import (
    BLUE,
    CLAIMED,
    GENERATIONS,
    GREEN,
    GREY,
    ORANGE,
    Evidence,
    Style,
    key,
)
from notebook.charts.marks import DASHES, LEFT, LINE, PALE, RIGHT, THIN, Chart, Panel
from notebook.charts.sources import Sources
from notebook.charts.transposes import of_copy_rows
from notebook.charts.words import GREY_BAND, NO_EFFECT, percent, slower, times

_SECTOR = 32
_LARGE = {"rows": 16384, "columns": 16384, "cache": "cold"}
_ORDERS: list[tuple[str, dict[str, str], str]] = [
    ("copy_columns", {"block": "16x16"}, "copy by columns"),
    ("transpose_read_rows", {"block": "16x16", "l1": "on"}, "read rows"),
    ("transpose_read_columns", {"block": "16x16", "l1": "on"}, "read columns"),
    ("transpose_read_columns_unroll4", {"block": "16x16", "l1": "on"}, "columns, unrolled by 4"),
    ("transpose_read_columns_diagonal", {"block": "16x16"}, "columns, diagonal"),
    ("transpose_read_columns", {"block": "8x32"}, "columns, blocks of 8x32"),
    ("transpose_tile", {}, "tile in shared memory"),
    ("transpose_tile_padded", {}, "padded tile"),
    ("transpose", {"type": "float"}, "the fastest of ours"),
]


def transposes(sources: Sources) -> Chart | None:
    """Every transpose over a copy by rows, which each device has."""
    facts = sources.facts("09", "10", "11", "12", "13", "14")
    if not facts.devices:
        return None
    heading = "bandwidth, % of a copy by rows in 16x16 blocks on the same device"
    panel = Panel((0, 205), (0, 1), heading=heading, height=760)
    cases = [
        (label, partial(_of_copy, kernel=kernel, case=case)) for kernel, case, label in _ORDERS
    ]
    share_bars(panel, (*facts.measured, *facts.published), cases)
    panel.line([(100, 0), (100, panel.y[1])], GREY, "thin")
    shown = {device.evidence for device in (*facts.measured, *facts.published)}
    return Chart(_transposes_title(facts.gpu), [panel], key(shown, bars=True))


def _of_copy(device: Device, kernel: str, case: dict[str, str]) -> float | None:
    shares = [of_copy_rows(device, row) for row in device.rows(kernel, **case, **_LARGE)]
    return max((value for value in shares if value is not None), default=None)


def _transposes_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    shares = complete(
        _of_copy(gpu, kernel, case)
        for kernel, case in (
            ("transpose_read_columns", {"block": "16x16", "l1": "on"}),
            ("transpose_tile", {}),
            ("transpose_tile_padded", {}),
        )
    )
    if shares is None:
        return ""
    columns, tile, padded = shares
    return (
        f"On the {gpu.name} a transpose that reads columns has {percent(columns)} of the bandwidth of a copy by "
        f"rows, through a tile {percent(tile)}, through a padded one {percent(padded)}"
    )


@dataclass(frozen=True)
class _Level:
    """A level of the memory: its bytes in one launch, and how it is drawn."""

    name: str
    counters: tuple[tuple[str, float], ...]
    style: Style
    slope: str

    def bytes(self, device: Device, row: str) -> float | None:
        counted = complete(device.value(row, counter) for counter, _ in self.counters)
        sizes = [size for _, size in self.counters]
        return None if counted is None else sum(map(mul, counted, sizes))


_LEVELS = (
    _Level("L1", (("load_sectors", _SECTOR), ("store_sectors", _SECTOR)), GREEN, LINE),
    _Level("L2", (("l2_read_sectors", _SECTOR), ("l2_write_sectors", _SECTOR)), BLUE, DASHES),
    _Level("DRAM", (("dram_read_bytes", 1), ("dram_write_bytes", 1)), ORANGE, THIN),
)
_LOOKS = {LINE: "solid, diamonds", DASHES: "dashed, circles", THIN: "dotted, triangles"}
_ROOFLINE: list[tuple[str, dict[str, str], str]] = [
    ("matmul_naive", {"block": "32x32"}, "naive"),
    ("matmul_tiled", {"tile": "32"}, "tiled"),
    ("matmul_thread_tiles", {}, "thread tiles"),
    ("matmul_vectorised", {}, "16-byte accesses"),
    ("matmul_bulk", {"tile": "picked"}, "bulk copies"),
    ("matmul_balanced", {"tile": "picked"}, "the last step"),
    ("cublas_sgemm", {}, "cuBLAS"),
]


def roofline(sources: Sources) -> Chart | None:
    """Products at 4096 cubed: FLOP/s against FLOP for each byte of L1, L2 and DRAM."""
    facts = sources.facts("00", "09", "16", "17", "18", "19")
    gpu = facts.gpu
    panel = Panel(
        (0.3, 3000),
        (1, 120),
        log_x=True,
        log_y=True,
        heading="4096 cubed, TFLOP/s against FLOP for each byte moved at a level",
        height=440,
    )
    panel.ticks_y((float(value), str(value)) for value in (1, 2, 5, 10, 20, 50, 100))
    if gpu is None:
        panel.nothing("No product was both timed and counted: this needs a GPU and its counters.")
        return Chart("", [panel])
    for index, level in enumerate(reversed(_LEVELS)):
        rate = _highest_rate(gpu, level)
        if rate:
            left = max(panel.x[0], 1e12 / rate)
            slope = [(left, rate * left / 1e12), (120e12 / rate, 120.0)]
            panel.line(slope, level.style, level.slope)
            highest = f"{level.name} ({_LOOKS[level.slope]}): {rate / 1e12:.1f} TB/s at most"
            panel.text(60, 1.3 * 1.45**index, highest, LEFT, level.style)
    peak = gpu.value(gpu.row("fma_chains", m=4096), "flops_per_second")
    if peak:
        panel.line([(panel.x[0], peak / 1e12), (panel.x[1], peak / 1e12)], CLAIMED, "thin")
        panel.label(peak / 1e12, f"FMAs alone {peak / 1e12:.0f}", CLAIMED)
    for kernel, case, label in _ROOFLINE:
        row = gpu.row(kernel, m=4096, **case)
        speed = gpu.value(row, "flops_per_second")
        if row is None or speed is None:
            continue
        moved = [(level, level.bytes(gpu, row)) for level in _LEVELS]
        points = [(2 * 4096**3 / size, speed / 1e12, level) for level, size in moved if size]
        panel.line([(x, y) for x, y, _ in points], GREY, "thin")
        for x, y, level in points:
            panel.points([(x, y)], level.style)
        panel.label(speed / 1e12, label, GREY)
    note = "A slope is the highest rate measured at that level; the points of a product are its bytes at each."
    return Chart(_roofline_title(gpu), [panel], note)


def _highest_rate(gpu: Device, level: _Level) -> float | None:
    """The most bytes a second that any row moved at a level, a memcpy of data that lie there too.

    Rows that use a part of their sectors are no ceiling: the L1 delivers the part, not the sector.
    """
    rates = [
        rate
        for row in gpu.rows("memcpy")
        if gpu.result.by_name[row][0].level == level.name.lower()
        and (rate := gpu.value(row, "bytes_per_second")) is not None
    ]
    for row in gpu.result.by_name:
        size, time = level.bytes(gpu, row), gpu.value(row, "time")
        whole = (gpu.value(row, "load_efficiency") or 100) > 99
        if size and time and whole:
            rates.append(size / time * 1e6)
    return max(rates, default=None)


def _roofline_title(gpu: Device) -> str:
    naive, best = gpu.row("matmul_naive", block="32x32", m=4096), gpu.row("cublas_sgemm", m=4096)
    speeds = [gpu.value(row, "flops_per_second") for row in (naive, best)]
    l1, peak = (
        _highest_rate(gpu, _LEVELS[0]),
        gpu.value(gpu.row("fma_chains", m=4096), "flops_per_second"),
    )
    if naive is None or None in speeds or not l1 or not peak:
        return ""
    size, time = _LEVELS[0].bytes(gpu, naive), gpu.value(naive, "time")
    if not size or not time:
        return ""
    share = size / time * 1e6 / l1
    return (
        f"On the {gpu.name} the naive product moves {percent(share)} of the highest L1 rate measured; "
        f"cuBLAS reaches {percent((speeds[1] or 0) / peak)} of the multiply-add rate"
    )


_COLUMNS = (-0.7, len(GENERATIONS) - 0.3)


def effects(sources: Sources) -> Chart | None:
    """Three textbook effects on every device, a column for each generation, oldest first."""
    panels, shown = [], set()
    for numbers, heading, ends, ratio, claimed in _EFFECTS:
        panel = Panel(_COLUMNS, ends, log_y=ends[1] > 8, heading=heading, height=170)
        if panel.log_y:
            panel.ticks_y((2.0**power, str(2**power)) for power in range(6))
        facts = sources.facts(*numbers)
        years = {device.generation: f" ’{device.result.year % 100}" for device in facts.emulated}
        names = (f"{name.capitalize()}{years.get(name, '')}" for name in GENERATIONS)
        panel.ticks_x(enumerate(names))
        panel.boxes([(*_COLUMNS, *NO_EFFECT)], GREY, PALE)
        others = _draw_crowd(panel, sources.crowd(numbers[0]), ratio)
        shown |= _by_generation(panel, facts, ratio, others)
        claim, label, power = claimed
        if value := facts.claimed.get(claim):
            value **= power
            panel.line([(x, value) for x in _COLUMNS], CLAIMED, THIN)
            place = value * (0.8 if panel.log_y else 0.95)
            panel.text(8.6, place, label.format(f"{value:.4g}"), RIGHT, CLAIMED)
        panels.append(panel)
    if not shown:
        return None
    note = f"{key(shown)}   {GREY_BAND}"
    return Chart(_effects_title(sources), panels, note).noted(sources.note)


def _by_generation(
    panel: Panel,
    facts: Facts,
    ratio: Callable[[Device], float | None],
    others: Mapping[str, int],
) -> set[Evidence]:
    """Draws the ratio of each device in the column of its generation; its measured GPUs are named, `others` counted."""
    shown: set[Evidence] = set()
    named: dict[str, list[Device]] = {}
    highest: dict[str, float] = {}
    known = [device for device in (*facts.published, *facts.measured) if ratio(device) is not None]
    for device in (*facts.predicted(known), *known):
        value = ratio(device)
        if value is None or device.generation not in GENERATIONS:
            continue
        look = device.predicted_style if device.result.is_emulated else device.style
        shown.add(Evidence.PREDICTED if device.result.is_emulated else device.evidence)
        panel.points([(float(GENERATIONS.index(device.generation)), value)], look)
        if device.evidence is Evidence.MEASURED:
            named.setdefault(device.generation, []).append(device)
        highest[device.generation] = max(value, highest.get(device.generation, value))
    for generation, devices in named.items():
        over = 0.17 * (panel.y[1] - panel.y[0])
        above = highest[generation] * 1.45 if panel.log_y else highest[generation] + over
        names = ", ".join(device.name for device in reversed(devices))
        if generation in others:
            names += f", {others[generation]} more"
        panel.text(GENERATIONS.index(generation) + 0.5, above, names, RIGHT, devices[-1].style)
    return shown


def _draw_crowd(
    panel: Panel, crowd: Iterable[Device], ratio: Callable[[Device], float | None]
) -> dict[str, int]:
    """Draws the range of the GPUs that have no point of their own; how many each generation has."""
    by_year: dict[str, list[float]] = {}
    for device in crowd:
        if device.generation in GENERATIONS and (value := ratio(device)) is not None:
            by_year.setdefault(device.generation, []).append(value)
    for generation, values in by_year.items():
        x = GENERATIONS.index(generation)
        panel.boxes([(x - 0.2, x + 0.2, min(values), max(values))], GREY, PALE)
    return {generation: len(values) for generation, values in by_year.items()}


def _offset_11(device: Device) -> float | None:
    at = {"block": 512, "n": LARGEST, "cache": "cold"}
    if device.result.is_published:
        at.pop("n")
    return device.ratio(
        device.row("read_offset", offset=11, **at), device.row("read_offset", offset=0, **at)
    )


def _diagonal(device: Device) -> float | None:
    """The median of all sizes: one of them is odd on some GPUs."""
    plain, diagonal = "transpose_read_rows", "transpose_read_rows_diagonal"
    ratios = [device.ratio(row, row.replace(diagonal, plain)) for row in device.rows(diagonal)]
    return median(filter(None, ratios)) if any(ratios) else None


def _tiled(device: Device) -> float | None:
    size = 256 if device.result.is_emulated else 4096
    for width in (16, 32):
        naive = device.row("matmul_naive", block=f"{width}x{width}", m=size)
        tiled = device.row("matmul_tiled", tile=width, m=size)
        if ratio := device.ratio(naive, tiled):
            return ratio
    return None


_EFFECTS: list[
    tuple[
        tuple[str, ...],
        str,
        tuple[float, float],
        Callable[[Device], float | None],
        tuple[str, str, int],
    ]
] = [
    (
        ("02",),
        "reads at offset 11: time, aligned = 1",
        (0.9, 2.15),
        _offset_11,
        ("offset_11_doubles_the_lines", "book: {} lines for 1", 1),
    ),
    (
        ("12",),
        "diagonal order: median time, plain = 1",
        (0.5, 1.3),
        _diagonal,
        ("", "", 1),
    ),
    (
        ("17",),
        "tiles of 16: speed, naive = 1",
        (0.8, 60),
        _tiled,
        ("sixteen_times_faster", "book: {}x", -1),
    ),
]


def _effects_title(sources: Sources) -> str:
    parts = []
    for numbers, _, _, ratio, _ in _EFFECTS:
        gpu = sources.facts(*numbers).gpu
        value = ratio(gpu) if gpu else None
        if gpu is None or value is None:
            return ""
        parts.append(value)
    offset, diagonal, tiled = parts
    return (
        f"{gpu.name if gpu else ''}: reads at offset 11 {slower(offset)}, diagonal order "
        f"{slower(diagonal)}; tiles bring {times(tiled)}"
    )
