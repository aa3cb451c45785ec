"""The chart of misaligned reads: their time, and the bytes that they use of those fetched."""

from notebook.charts.curves import Points, counts, mark_no_effect, printed, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart
from notebook.charts.offsets import (
    COLD,
    SMALL,
    at_11,
    by_offset,
    offset_of,
    panel_of_offsets,
)
from notebook.charts.words import NO_EFFECT_LINES, slower_or_by


def chart(facts: Facts) -> Chart:
    """Time and used share of the fetched bytes against the offset."""
    time = panel_of_offsets((0.95, 1.1), "time of a read, aligned = 1")
    fetched = panel_of_offsets((0, 108), "load efficiency: bytes used of those fetched, %")

    def efficiency(device: Device) -> Points:
        rows = device.rows("read_offset", n=SMALL, **COLD)
        return [(offset_of(row), device.value(row, "load_efficiency")) for row in rows]

    shown = times(
        time, facts, lambda device: by_offset(device, "read_offset"), claim="offset_11_is_slower"
    )
    mark_no_effect(time)
    shown |= counts(fetched, "02", facts.counted, efficiency)
    printed(fetched, facts, "efficiency_halves_at_offset_11", "book: {} %", scale=100)
    return Chart(_title(facts.gpu), [time, fetched], f"{key(shown)}   {NO_EFFECT_LINES}")


def _title(gpu: Device | None) -> str:
    time = at_11(gpu, "read_offset", LARGEST) if gpu else None
    return f"{gpu.name}: a read at offset 11 is {slower_or_by(time)}" if gpu and time else ""
