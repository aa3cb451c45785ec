"""Chart of chapter 00: how far away each memory is, what it delivers, what an access occupies."""

from collections.abc import Iterable

from notebook.charts.curves import counts
from notebook.charts.evidence import Device, Facts, number
from notebook.charts.look import Evidence, key
from notebook.charts.marks import Chart, Panel

_NEAR = [("chase", "shared", 1 << 10, "shared memory")]
_FAR = [("l1", 8 << 10, "L1"), ("l2", 512 << 10, "L2"), ("l2", 64 << 20, "DRAM")]
_CHASES = _NEAR + [("chase", *each) for each in _FAR]
_READS = [("read", *each) for each in _FAR]
_STRIDES = [(2.0**power, str(2**power)) for power in range(7)]


def memory_hierarchy(facts: Facts) -> Chart:
    """Latency and bandwidth by level; the lines that a strided load touches."""
    latency = Panel((-0.3, 3.3), (8, 1000), log_y=True, heading="latency of a load, ns", height=210)
    latency.ticks_x((float(place), each[-1]) for place, each in enumerate(_CHASES))
    latency.ticks_y((float(value), str(value)) for value in (10, 30, 100, 300, 1000))
    rate = Panel((-0.3, 2.3), (0.5, 40), log_y=True, heading="bandwidth of reads, TB/s", height=170)
    rate.ticks_x((float(place), each[-1]) for place, each in enumerate(_READS))
    rate.ticks_y((float(value), str(value)) for value in (1, 3, 10, 30))
    shown: set[Evidence] = set()
    for device in (*facts.measured, *facts.published):
        shown |= _levels(latency, device, ((x, _nanoseconds(device, x)) for x in range(4)))
        shown |= _levels(rate, device, ((x, _terabytes(device, x)) for x in range(3)))
    if not shown:
        latency.nothing()
        rate.nothing()
    lines = Panel(
        (0.9, 72), (0, 34), log_x=True, heading="lines that a load of a warp touches", height=150
    )
    lines.ticks_x(_STRIDES)

    def touched(device: Device) -> list[tuple[float, float | None]]:
        rows = device.rows("load_l1")
        return [
            (number(row, "stride"), device.over(row, "load_lines", "load_requests")) for row in rows
        ]

    shown |= counts(lines, "00", facts.emulated, touched)
    return Chart(_title(facts), [latency, rate, lines], key(shown))


def _levels(
    panel: Panel, device: Device, places: Iterable[tuple[int, float | None]]
) -> set[Evidence]:
    points = [(float(x), y) for x, y in places if y]
    if not points:
        return set()
    panel.line(points, device.style, "line" if device.evidence is Evidence.MEASURED else "thin")
    panel.points(points, device.style)
    panel.label(points[-1][1], device.name, device.style)
    return {device.evidence}


def _nanoseconds(device: Device, level: int) -> float | None:
    kernel, path, footprint, _ = _CHASES[level]
    rate = device.value(device.row(kernel, path=path, footprint=footprint), "items_per_second")
    return 1e9 / rate if rate else None


def _terabytes(device: Device, level: int) -> float | None:
    kernel, path, footprint, _ = _READS[level]
    rate = device.value(device.row(kernel, path=path, footprint=footprint), "bytes_per_second")
    return rate / 1e12 if rate else None


def _title(facts: Facts) -> str:
    for device in (*reversed(facts.measured), *reversed(facts.published)):
        l1, l2, dram = (_nanoseconds(device, level) for level in (1, 2, 3))
        if l1 and l2 and dram:
            ours = "" if device.evidence is Evidence.MEASURED else " (published)"
            return (
                f"A load takes {l1:.0f} ns from the L1, {l2:.0f} ns from the L2 and {dram:.0f} ns "
                f"from DRAM on the {device.name}{ours}"
            )
    return ""
