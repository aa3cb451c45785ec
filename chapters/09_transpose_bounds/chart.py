"""Copies by rows and by columns as shares of the theoretical bandwidth."""

from functools import partial

from notebook.charts.bars import share_bars
from notebook.charts.evidence import Device, Facts, complete
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.charts.transposes import LARGE

_BOUNDS = [
    ("copy_wide", "256", "copy, 64 bytes a thread"),
    ("transpose_tile_padded", "32x8", "transpose, padded tile"),
    ("copy_rows", "16x16", "copy by rows"),
    ("copy_columns", "16x16", "copy by columns"),
]
# Its bars are the bounds that the book gives.
_OF_THE_BOOK = "Tesla M2090"


def chart(facts: Facts) -> Chart:
    panel = Panel(
        (0, 108),
        (0, 1),
        heading="bandwidth, % of the device's theoretical bandwidth (measured: 16384 x 16384 floats)",
        height=330,
    )
    shown = {device.evidence for device in (*facts.measured, *facts.published)}
    cases = [
        (label, partial(_of_peak, kernel=kernel, block=block)) for kernel, block, label in _BOUNDS
    ]
    share_bars(panel, (*facts.measured, *facts.published), cases)
    has_book = any(device.name == _OF_THE_BOOK for device in facts.published)
    note = f"{_OF_THE_BOOK}: printed in the book" if has_book else ""
    return Chart(_title(facts.gpu), [panel], key(shown, bars=True)).noted(note)


def _of_peak(device: Device, kernel: str, block: str) -> float | None:
    value = device.value(device.row(kernel, block=block, **LARGE), "peak_percent")
    return None if value is None else value / 100


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    shares = complete(_of_peak(gpu, kernel, block) for kernel, block, _ in _BOUNDS)
    if shares is None:
        return ""
    _, tile, rows, _ = shares
    return (
        f"{gpu.name}: a copy by rows {'bounds' if rows >= tile else 'does not bound'} a transpose"
    )
