"""Naive transposes over a copy by rows of the same device."""

from functools import partial

from notebook.charts.bars import share_bars
from notebook.charts.evidence import Device, Facts, complete
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.charts.transposes import COLUMNS, LARGE, ROWS, line_at_the_copy, of_copy_rows


def chart(facts: Facts) -> Chart:
    cases = [
        (f"{label}, L1 {l1}", partial(_naive_of_copy, kernel=kernel, l1=l1))
        for kernel, label in (
            (COLUMNS, "read columns"),
            (ROWS, "read rows"),
            ("copy_columns", "copy by columns"),
        )
        for l1 in ("on", "off")
    ]
    panel = Panel(
        (0, 118),
        (0, 1),
        heading="bandwidth, % of a copy by rows on the same device (measured: 16384 x 16384)",
        height=500,
    )
    share_bars(panel, (*facts.measured, *facts.published), cases)
    line_at_the_copy(panel)
    shown = {device.evidence for device in (*facts.measured, *facts.published)}
    note = f"{key(shown, bars=True)}   all in blocks of 16x16"
    return Chart(_title(facts.gpu), [panel], note)


def _naive_of_copy(device: Device, kernel: str, l1: str) -> float | None:
    return of_copy_rows(device, device.row(kernel, block="16x16", l1=l1, **LARGE))


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    rates = complete(
        gpu.value(gpu.row(kernel, block="16x16", l1="on", **LARGE), "bytes_per_second")
        for kernel in (COLUMNS, ROWS)
    )
    if rates is None:
        return ""
    columns, rows = (f"{rate / 1e12:.2f} TB/s" for rate in rates)
    return f"{gpu.name}: read columns: {columns}, read rows: {rows}"
