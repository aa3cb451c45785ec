"""Charts that span chapters: the transposes, the roofline, three effects against the year."""

from collections.abc import Callable
from dataclasses import dataclass

from notebook.charts.bars import bar, bars
from notebook.charts.curves import printed
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import BLUE, CLAIMED, GREEN, GREY, ORANGE, Evidence, Style, key
from notebook.charts.marks import CENTER, LEFT, PALE, Chart, Panel
from notebook.charts.sources import Sources
from notebook.charts.transposes import of_copy_rows
from notebook.charts.words import percent, slower, times

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
    panel = Panel(
        (0, 205),
        (0, 1),
        heading="bandwidth, % of a copy by rows in 16x16 blocks on the same device",
        height=760,
    )
    groups = []
    for kernel, case, label in _ORDERS:
        group = []
        for device in (*facts.measured, *facts.published):
            value = _of_copy(device, kernel, case)
            if value is not None:
                group.append(bar(device, 100 * value, percent(value)))
        groups.append((label, group))
    bars(panel, groups)
    if not any(group for _, group in groups):
        panel.nothing()
    panel.line([(100, 0), (100, panel.y[1])], GREY, "thin")
    shown = {each.evidence for each in (*facts.measured, *facts.published)}
    return Chart(_transposes_title(facts.gpu), [panel], key(shown, bars=True))


def _of_copy(device: Device, kernel: str, case: dict[str, str]) -> float | None:
    found = [of_copy_rows(device, row) for row in device.rows(kernel, **case, **_LARGE)]
    return max((value for value in found if value is not None), default=None)


def _transposes_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    columns, tile, padded = (
        _of_copy(gpu, kernel, case)
        for kernel, case in (
            ("transpose_read_columns", {"block": "16x16", "l1": "on"}),
            ("transpose_tile", {}),
            ("transpose_tile_padded", {}),
        )
    )
    if columns is None or tile is None or padded is None:
        return ""
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

    def bytes(self, device: Device, row: str) -> float | None:
        found = [(device.value(row, counter), size) for counter, size in self.counters]
        return (
            None if any(v is None for v, _ in found) else sum((v or 0) * size for v, size in found)
        )


_LEVELS = (
    _Level("L1", (("load_sectors", _SECTOR), ("store_sectors", _SECTOR)), GREEN),
    _Level("L2", (("l2_read_sectors", _SECTOR), ("l2_write_sectors", _SECTOR)), BLUE),
    _Level("DRAM", (("dram_read_bytes", 1), ("dram_write_bytes", 1)), ORANGE),
)
_ROOFLINE: list[tuple[str, dict[str, str], str]] = [
    ("matmul_naive", {"block": "32x32"}, "naive"),
    ("matmul_tiled", {"tile": "32"}, "tiled"),
    ("matmul_thread_tiles", {}, "thread tiles"),
    ("matmul_vectorised", {}, "16-byte accesses"),
    ("matmul_bulk", {"tile": "picked"}, "bulk copies"),
    ("matmul_reuse", {"tile": "picked"}, "operand reuse"),
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
    if gpu is None:
        panel.nothing("No product was both timed and counted: this needs a GPU and its counters.")
        return Chart("", [panel])
    for index, level in enumerate(reversed(_LEVELS)):
        rate = _highest_rate(gpu, level)
        if rate:
            left = max(panel.x[0], 1e12 / rate)
            slope = [(left, rate * left / 1e12), (120e12 / rate, 120.0)]
            panel.line(slope, level.style, "dashes")
            highest = f"{level.name}: {rate / 1e12:.1f} TB/s at most"
            panel.text(150, 1.3 * 1.45**index, highest, LEFT, level.style)
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
    note = "Points and slopes: green L1, blue L2, orange DRAM. A slope is the highest rate measured at that level."
    return Chart(_roofline_title(gpu), [panel], note)


def _highest_rate(gpu: Device, level: _Level) -> float | None:
    """The most bytes a second that any row moved at a level, a memcpy of data that lie there too."""
    rates = [
        rate
        for row in gpu.rows("memcpy")
        if gpu.result.by_name[row][0].level == level.name.lower()
        and (rate := gpu.value(row, "bytes_per_second")) is not None
    ]
    for row in gpu.result.by_name:
        size, time = level.bytes(gpu, row), gpu.value(row, "time")
        if size and time:
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


_YEARS = (2009.0, 2026.5)


def effects(sources: Sources) -> Chart | None:
    """Three textbook effects on every device, by the year of its GPU."""
    panels, shown = [], set()
    for numbers, heading, ends, ratio, claimed in _EFFECTS:
        panel = Panel(_YEARS, ends, log_y=ends[1] > 8, heading=heading, height=170)
        if panel.log_y:
            panel.ticks_y((2.0**power, str(2**power)) for power in range(6))
        panel.ticks_x((float(year), str(year)) for year in range(2010, 2027, 2))
        facts = sources.facts(*numbers)
        shown |= _by_year(panel, facts, ratio)
        panel.reference(1, "no effect")
        claim, label, power = claimed
        printed(panel, facts, claim, label, power=power)
        panel.boxes([(*_YEARS, 0.97, 1.03)], GREY, PALE)
        panels.append(panel)
    if not shown:
        return None
    return Chart(_effects_title(sources), panels, key(shown))


def _by_year(panel: Panel, facts: Facts, ratio: Callable[[Device], float | None]) -> set[Evidence]:
    shown: set[Evidence] = set()
    labels: list[tuple[float, float, list[Device]]] = []
    for device in (*reversed(facts.measured), *facts.published):
        if (value := ratio(device)) is not None:
            shown.add(device.evidence)
            year = float(device.result.year)
            panel.points([(year, value)], device.style)
            near = [each for each in labels if abs(each[0] - year) <= 2.6]
            near = [each for each in near if abs(each[1] / value - 1) <= 0.09]
            if not near:
                labels.append((year, value, [device]))
            elif near[0][0] == year and device.evidence is Evidence.MEASURED:
                near[0][2].append(device)
    for year, value, devices in labels:
        names = ", ".join(each.name for each in devices)
        panel.text(year + 0.15, value, names, LEFT, devices[0].style)
    top = panel.y[1]
    for index, device in enumerate(facts.emulated):
        if (value := ratio(device)) is not None:
            shown.add(Evidence.PREDICTED)
            year = float(device.result.year)
            panel.points([(year, value)], device.predicted_style)
            # Names stand above the points, in two rows, for which there is room.
            height = (
                top * (0.9 if index % 2 else 0.97)
                if not panel.log_y
                else top * (0.6 if index % 2 else 0.85)
            )
            panel.text(year, height, device.name, CENTER, device.predicted_style)
    return shown


def _offset_11(device: Device) -> float | None:
    at = {"block": 512, "n": LARGEST, "cache": "cold"}
    if device.result.is_published:
        at.pop("n")
    return device.ratio(
        device.row("read_offset", offset=11, **at), device.row("read_offset", offset=0, **at)
    )


def _diagonal(device: Device) -> float | None:
    at = {"block": "16x16"} if device.result.is_published else {"block": "16x16", "rows": 2048}
    return device.ratio(
        device.row("transpose_read_columns_diagonal", **at),
        device.row("transpose_read_columns", **at),
    )


def _tiled(device: Device) -> float | None:
    size = 256 if device.result.is_emulated else 4096
    for width in (16, 32):
        naive = device.row("matmul_naive", block=f"{width}x{width}", m=size)
        tiled = device.row("matmul_tiled", tile=width, m=size)
        if found := device.ratio(naive, tiled):
            return found
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
        "time of a read at offset 11, aligned = 1",
        (0.9, 2.4),
        _offset_11,
        ("offset_11_doubles_the_lines", "book: {} lines for 1", 1),
    ),
    (
        ("12",),
        "time of a transpose in diagonal order, plain order = 1",
        (0.7, 1.6),
        _diagonal,
        ("", "", 1),
    ),
    (
        ("17",),
        "time of a naive product, tiles of 16 (or 32) = 1",
        (0.8, 60),
        _tiled,
        ("thirty_two_times_faster", "book: {}x", -1),
    ),
]


def _effects_title(sources: Sources) -> str:
    found = []
    for numbers, _, _, ratio, _ in _EFFECTS:
        gpu = sources.facts(*numbers).gpu
        value = ratio(gpu) if gpu else None
        if gpu is None or value is None:
            return ""
        found.append(value)
    offset, diagonal, tiled = found
    return (
        f"On the {gpu.name if gpu else ''} a read at offset 11 is {slower(offset)}, diagonal order "
        f"{slower(diagonal)}, and tiles are {times(tiled)} as fast as a naive product"
    )
