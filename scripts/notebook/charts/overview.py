"""Charts that span chapters: the transposes and the roofline."""

from dataclasses import dataclass
from functools import partial
from operator import mul

from notebook.charts.bars import share_bars
from notebook.charts.evidence import Device, complete, number
from notebook.charts.look import (
    BLUE,
    CLAIMED,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    Style,
    key,
)
from notebook.charts.marks import DASHES, LEFT, LINE, THIN, Chart, Panel
from notebook.charts.products import FAST
from notebook.charts.sources import Sources
from notebook.charts.transposes import line_at_the_copy, of_copy_rows
from notebook.charts.words import percent
from notebook.data import names

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
    panel = Panel((0, 225), (0, 1), heading=heading, height=760)
    cases = [
        (label, partial(_of_copy, kernel=kernel, case=case)) for kernel, case, label in _ORDERS
    ]
    share_bars(panel, (*facts.measured, *facts.published), cases)
    line_at_the_copy(panel)
    shown = {device.evidence for device in (*facts.measured, *facts.published)}
    return Chart(_transposes_title(facts.gpu), [panel], key(shown, bars=True))


def _of_copy(device: Device, kernel: str, case: dict[str, str]) -> float | None:
    shares = [of_copy_rows(device, row) for row in device.rows(kernel, **case, **_LARGE)]
    return max((value for value in shares if value is not None), default=None)


def _transposes_title(gpu: Device | None) -> str:
    padded = _of_copy(gpu, "transpose_tile_padded", {}) if gpu else None
    return f"{gpu.name}: a padded tile: {percent(padded)} of a row copy" if gpu and padded else ""


@dataclass(frozen=True)
class _Level:
    """A level of the memory: its bytes in one launch, and how it is drawn."""

    name: str
    counters: tuple[tuple[str, float], ...]
    style: Style
    slope: str

    def bytes(self, device: Device, row: str) -> float | None:
        counted = complete(device.value(row, counter) for counter, _ in self.counters)
        # Loads of the copy engine pass the L1, and are not among its sectors.
        if counted and counted[0] == 0:
            return None
        sizes = [size for _, size in self.counters]
        return None if counted is None else sum(map(mul, counted, sizes))


_LEVELS = (
    _Level("L1", (("load_sectors", _SECTOR), ("store_sectors", _SECTOR)), GREEN, LINE),
    _Level("L2", (("l2_read_sectors", _SECTOR), ("l2_write_sectors", _SECTOR)), BLUE, DASHES),
    _Level("DRAM", (("dram_read_bytes", 1), ("dram_write_bytes", 1)), ORANGE, THIN),
)
_LOOKS = {LINE: "solid, diamonds", DASHES: "dashed, circles", THIN: "dotted, triangles"}
# The rate at which a slope has its name beside it.
_NAMES_AT = 950e12
_TOP = 1200.0  # TFLOP/s
# Without the steps whose rows would hide those of their neighbours.
_ROOFLINE: list[tuple[str, dict[str, str], str]] = [
    ("matmul_naive", {"block": "32x32"}, "naive"),
    *(step for step in FAST if step[0] not in ("matmul_double_buffered", "matmul_reuse")),
    ("matmul_mma_staged", {"type": "fp16"}, "mma.sync, FP16"),
    ("matmul_wgmma_persistent", {"type": "fp16", "cluster": "2"}, "wgmma, FP16"),
    ("cublas_gemm_ex", {"type": "fp16"}, "cuBLAS, FP16"),
]


def roofline(sources: Sources) -> Chart | None:
    """Products at 4096 cubed: FLOP/s against FLOP for each byte of L1, L2 and DRAM."""
    facts = sources.facts("00", "07", "09", "16", "17", "18", "19", "27")
    gpu = facts.gpu
    panel = Panel(
        (0.3, 3000),
        (1, _TOP),
        log_x=True,
        log_y=True,
        heading=(f"{gpu.name}, " if gpu else "")
        + "4096 cubed: TFLOP/s against FLOP for each byte moved at a level",
        height=440,
    )
    panel.ticks_y((float(value), str(value)) for value in (1, 3, 10, 30, 100, 300, 1000))
    if gpu is None:
        panel.nothing("No product was both timed and counted: this needs a GPU and its counters.")
        return Chart("", [panel])
    _slopes(panel, gpu)
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
        if points:
            panel.line([(x, y) for x, y, _ in points], GREY, "thin")
            panel.label(speed / 1e12, label, GREY)
        else:
            panel.line([(x, speed / 1e12) for x in panel.x], PURPLE, DASHES)
            panel.label(speed / 1e12, f"{label}, bytes not counted", PURPLE)
        for x, y, level in points:
            panel.points([(x, y)], level.style)
    note = "A slope is a level's rate, a point a product's bytes there: the nearer they are, the busier the level."
    return Chart(_roofline_title(gpu), [panel], note)


def _slopes(panel: Panel, gpu: Device) -> None:
    """The ceiling of each level, and below them what reached it."""
    for index, level in enumerate(reversed(_LEVELS)):
        rate, row = _highest_rate(gpu, level)
        if not row:
            continue
        left = max(panel.x[0], 1e12 / rate)
        slope = [(left, rate * left / 1e12), (_TOP * 1e12 / rate, _TOP)]
        panel.line(slope, level.style, level.slope)
        panel.text(1.08 * _NAMES_AT / rate, _NAMES_AT / 1e12, level.name, LEFT, level.style)
        highest = f"{level.name} ({_LOOKS[level.slope]}): {rate / 1e12:.1f} TB/s, {_what(row)}"
        panel.text(5, 1.2 * 1.4**index, highest, LEFT, level.style)


_IN_WORDS = {
    "write_wide": "64 bytes written a thread",
    "read_wide": "64 bytes read a thread",
    "matmul_wgmma_persistent": "a product with wgmma",
}


def _what(row: str) -> str:
    """A row of chapters 00 and 09, in words: `memcpy of 1024 MiB`, `read of 8 KiB`."""
    kernel = names.kernel(row)
    size = number(row, "bytes") or number(row, "footprint")
    if not size:
        return _IN_WORDS.get(kernel, kernel)
    amount = f"{size / 2**20:.0f} MiB" if size >= 2**20 else f"{size / 2**10:.0f} KiB"
    return f"{kernel} of {amount}"


def _highest_rate(gpu: Device, level: _Level) -> tuple[float, str]:
    """The most bytes a second that any row moved at a level, a memcpy of data that lie there too, and the row.

    Rows that use a part of their sectors are no ceiling: the L1 delivers the part, not the sector.
    """
    rates = [
        (rate, row)
        for row in gpu.rows("memcpy")
        if gpu.result.by_name[row][0].level == level.name.lower()
        and (rate := gpu.value(row, "bytes_per_second")) is not None
    ]
    for row in gpu.result.by_name:
        size, time = level.bytes(gpu, row), gpu.value(row, "time")
        whole = (gpu.value(row, "load_efficiency") or 100) > 99
        if size and time and whole:
            rates.append((size / time * 1e6, row))
    return max(rates, default=(0.0, ""))


def _roofline_title(gpu: Device) -> str:
    rows = (gpu.row(kernel, m=4096) for kernel in ("fma_chains", "cublas_sgemm", "matmul_balanced"))
    speeds = complete(gpu.value(row, "flops_per_second") for row in rows)
    if speeds is None:
        return ""
    peak, library, ours = speeds
    return f"{gpu.name}, FP32: cuBLAS {percent(library / peak)}, ours {percent(ours / peak)} of multiply-adds"
