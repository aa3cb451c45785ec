"""The chart of misaligned reads: their time, and the bytes that they use of those fetched."""

from notebook.charts.curves import Points, counts, printed, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart
from notebook.charts.offsets import (
    COLD,
    SMALL,
    at_11,
    by_offset,
    in_sectors_and_lines,
    offset_of,
    panel_of_offsets,
)
from notebook.charts.words import percent, slower_or_by


def chart(facts: Facts) -> Chart:
    """Time and used share of the fetched bytes against the offset."""
    time = panel_of_offsets((0.95, 1.1), "time of a read, aligned = 1")
    fetched = panel_of_offsets((0, 108), "load efficiency: bytes used of those fetched, %")

    def efficiency(device: Device) -> Points:
        rows = device.rows("read_offset", n=SMALL, **COLD)
        return [(offset_of(row), device.value(row, "load_efficiency")) for row in rows]

    shown = times(time, facts, lambda device: by_offset(device, "read_offset"))
    shown |= counts(fetched, "02", facts.counted, efficiency)
    printed(fetched, facts, "efficiency_halves_at_offset_11", "book: {} %", scale=100)
    return Chart(_title(facts), [time, fetched], key(shown))


def _title(facts: Facts) -> str:
    offset_11: dict[str, object] = {"offset": 11, "n": SMALL, **COLD}
    used = in_sectors_and_lines(
        facts,
        lambda device: device.value(device.row("read_offset", **offset_11), "load_efficiency"),
    )
    time = at_11(facts.gpu, "read_offset", LARGEST) if facts.gpu else None
    if facts.gpu is None or time is None or used is None:
        return ""
    sectors, lines = used
    return (
        f"Against an aligned read, one at offset 11 is {slower_or_by(time)} on the {facts.gpu.name}; it uses "
        f"{percent(sectors / 100)} of the bytes in its sectors, {percent(lines / 100)} of a "
        "Fermi's lines"
    )
