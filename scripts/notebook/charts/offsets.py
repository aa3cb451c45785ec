"""What the charts of reads and of writes at an offset share."""

from notebook.charts.curves import Place
from notebook.charts.evidence import LARGEST, Device, number
from notebook.charts.marks import Panel

SMALL = 2**20
COLD: dict[str, object] = {"block": 512, "cache": "cold"}
# Offsets 64 and 128 stand apart, at the end of the axis.
_OFFSETS = [
    *((float(offset), str(offset)) for offset in range(0, 33, 4)),
    (36.0, "64"),
    (40.0, "128"),
]
_FAR = {64.0: 36.0, 128.0: 40.0}


def offset_of(name: str) -> float:
    offset = number(name, "offset")
    return _FAR.get(offset, offset)


def panel_of_offsets(y: tuple[float, float], heading: str) -> Panel:
    panel = Panel((-1, 41), y, heading=heading, height=180)
    panel.ticks_x(_OFFSETS)
    return panel


def by_offset(device: Device, kernel: str) -> list[Place]:
    # Emulated GPUs execute few offsets of the large arrays.
    n = SMALL if device.result.is_emulated else LARGEST
    first = device.row(kernel, offset=0, n=n, **COLD)
    rows = device.rows(kernel, n=n, **COLD)
    return [(offset_of(row), row, first) for row in rows]


def at_11(device: Device, kernel: str, n: object, cache: str = "cold") -> float | None:
    """The time at offset 11 over that of aligned accesses."""
    at: dict[str, object] = {"block": 512, "n": n, "cache": cache}
    return device.ratio(device.row(kernel, offset=11, **at), device.row(kernel, offset=0, **at))
