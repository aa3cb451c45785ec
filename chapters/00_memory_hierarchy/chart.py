"""Latency by footprint, bandwidth by level and by bytes in flight, cost of a stride."""

from collections.abc import Callable, Iterable

from notebook.charts.axes import between, share
from notebook.charts.curves import collect, draw
from notebook.charts.evidence import Device, Facts, number
from notebook.charts.look import GREY, Evidence, key, second
from notebook.charts.marks import THIN, Chart, Panel

_KIB, _MIB = 1 << 10, 1 << 20
# A ring in each level: its path, and its footprint. A ring in DRAM is read in many copies.
_L1, _L2, _DRAM = ("l1", 8 * _KIB), ("l2", 512 * _KIB), ("l2", 64 * _MIB)
_RINGS = (_L1, _L2, _DRAM)
_READS = [(*_L1, "L1"), ("l2", 4 * _MIB, "L2"), (*_DRAM, "DRAM")]
# Where rings in DRAM stand: copies of 64 MiB, together four times the L2 or more.
_PLACE_OF_DRAM = 256.0 * _MIB
_FOOTPRINTS = [(2, "2 KiB"), (16, "16"), (128, "128"), (1024, "1 MiB"), (8192, "8"), (65536, "64")]
# The distance of two published marks, as a share of a panel's width.
_APART = 0.021
_STRIDES = [(2.0**power, str(2**power)) for power in range(7)]


def chart(facts: Facts) -> Chart:
    shown: set[Evidence] = set()
    panels = [_latencies(facts, shown), _bandwidths(facts, shown), _in_flight(facts, shown)]
    names = ", ".join(device.name for device in facts.published)
    return Chart(_title(facts), [*panels, _strides(facts, shown)], key(shown)).noted(
        f"from left: {names}" if names else ""
    )


def _latencies(facts: Facts, shown: set[Evidence]) -> Panel:
    panel = Panel(
        (1.6 * _KIB, 1.3 * _PLACE_OF_DRAM),
        (10, 1000),
        log_x=True,
        log_y=True,
        heading="latency of a load, ns, by the footprint of the chase",
        height=210,
    )
    panel.ticks_x(
        [(float(size * _KIB), text) for size, text in _FOOTPRINTS] + [(_PLACE_OF_DRAM, "DRAM")]
    )
    panel.ticks_y((float(value), str(value)) for value in (10, 30, 100, 300, 1000))
    for device in facts.measured:
        shown |= _curve(panel, device, _chases(device))
    shown |= _published(panel, facts, _chases)
    if not panel.marks[2:]:
        panel.nothing()
    return panel


def _chases(device: Device) -> list[tuple[float, float | None]]:
    """Footprints through the L1, and from 1 MiB on past it, where the paths are one."""
    rings = [
        (number(name, "footprint"), name)
        for path, sizes in (("l1", (0, _MIB)), ("l2", (_MIB, _DRAM[1])))
        for name in device.rows("chase", path=path)
        if sizes[0] <= number(name, "footprint") < sizes[1]
    ]
    if device.evidence is Evidence.PUBLISHED:
        rings = [(float(ring[1]), _ring(device, ring) or "") for ring in (_L1, _L2)]
    latencies = [(place, _nanoseconds(device, name)) for place, name in sorted(rings)]
    return [*latencies, (_PLACE_OF_DRAM, _nanoseconds(device, _ring(device, _DRAM)))]


def _bandwidths(facts: Facts, shown: set[Evidence]) -> Panel:
    panel = Panel(
        (-0.3, 2.3), (0.5, 40), log_y=True, heading="bandwidth of reads, TB/s", height=150
    )
    panel.ticks_x((float(place), read[-1]) for place, read in enumerate(_READS))
    panel.ticks_y((float(value), str(value)) for value in (1, 3, 10, 30))
    for device in facts.measured:
        shown |= _curve(panel, device, _rates_by_level(device))
    shown |= _published(panel, facts, _rates_by_level)
    if not panel.marks[2:]:
        panel.nothing()
    return panel


def _rates_by_level(device: Device) -> list[tuple[float, float | None]]:
    return [(float(x), _terabytes(device, row)) for x, row in enumerate(_reads(device))]


def _published(
    panel: Panel,
    facts: Facts,
    points: Callable[[Device], Iterable[tuple[float, float | None]]],
) -> set[Evidence]:
    """The marks of published GPUs, side by side where they would hide each other."""
    shown: set[Evidence] = set()
    for index, device in enumerate(facts.published):
        away = (index - (len(facts.published) - 1) / 2) * _APART
        moved = [
            (between(*panel.x, share(x, panel.x, panel.log_x) + away, panel.log_x), y)
            for x, y in points(device)
        ]
        shown |= _curve(panel, device, moved)
    return shown


def _reads(device: Device) -> list[str | None]:
    return [device.row("read", path=path, footprint=size) for path, size, _ in _READS]


def _in_flight(facts: Facts, shown: set[Evidence]) -> Panel:
    """Little's law: bytes in flight over the latency that one warp with one load sees."""
    panel = Panel(
        (0.1, 20),
        (0.03, 5),
        log_x=True,
        log_y=True,
        heading="bandwidth of reads from DRAM, TB/s, by KiB in flight an SM",
        height=170,
    )
    panel.ticks_x((size, f"{size:g}") for size in (0.125, 0.25, 0.5, 1, 2, 4, 8, 16))
    panel.ticks_y((value, f"{value:g}") for value in (0.03, 0.1, 0.3, 1, 3))
    for device in facts.measured:
        for loads, look in ((1, device.style), (4, second(device.style))):
            rows = device.rows("read_in_flight", loads=loads)
            points = [
                (number(row, "warps") * loads * 128 / _KIB, rate)
                for row in rows
                if (rate := _terabytes(device, row))
            ]
            if not points:
                continue
            panel.line(points, look)
            panel.points(points, look)
            panel.label(points[-1][1], f"{device.name}, {loads} in flight a lane", look)
            shown.add(device.evidence)
            if loads == 1:
                grows = points[0][1] / points[0][0]
                panel.line([(0.125, 0.125 * grows), (16, 16 * grows)], GREY, THIN)
                panel.label(16 * grows, "Little’s law", GREY)
    if not panel.marks[2:]:
        panel.nothing()
    return panel


def _strides(facts: Facts, shown: set[Evidence]) -> Panel:
    panel = Panel(
        (0.9, 72),
        (0, 34),
        log_x=True,
        heading="strided loads, each a word further on: mean lines touched; time, stride 1 = 1",
        height=150,
    )
    panel.ticks_x(_STRIDES)

    def touched(device: Device) -> list[tuple[float, float | None]]:
        rows = device.rows("load_l1")
        return [
            (number(row, "stride"), device.over(row, "load_lines", "load_requests")) for row in rows
        ]

    def slowdown(device: Device) -> list[tuple[float, float | None]]:
        rows = device.rows("load_l1")
        base = device.row("load_l1", stride=1)
        return [(number(row, "stride"), device.ratio(row, base)) for row in rows]

    shown |= draw(panel, collect(facts.emulated, touched), suffix=": lines")
    for device in facts.measured:
        shown |= _curve(panel, device, slowdown(device), f"{device.name}: time")
    return panel


def _curve(
    panel: Panel, device: Device, places: Iterable[tuple[float, float | None]], name: str = ""
) -> set[Evidence]:
    points = [(float(x), y) for x, y in places if y]
    if not points:
        return set()
    if device.evidence is Evidence.MEASURED:  # others published no sizes in between
        panel.line(points, device.style)
    panel.points(points, device.style)
    x, y = points[-1]
    if len(points) == 1:
        panel.text(x + 0.03 * (panel.x[1] - panel.x[0]), y, name or device.name, style=device.style)
    else:
        panel.label(y, name or device.name, device.style)
    return {device.evidence}


def _ring(device: Device, ring: tuple[str, int]) -> str | None:
    return device.row("chase", path=ring[0], footprint=ring[1])


def _nanoseconds(device: Device, name: str | None) -> float | None:
    rate = device.value(name, "items_per_second")
    return 1e9 / rate if rate else None


def _terabytes(device: Device, name: str | None) -> float | None:
    rate = device.value(name, "bytes_per_second")
    return rate / 1e12 if rate else None


def _title(facts: Facts) -> str:
    for device in (*reversed(facts.measured), *reversed(facts.published)):
        l1, l2, dram = (_nanoseconds(device, _ring(device, ring)) for ring in _RINGS)
        if l1 and l2 and dram:
            where = "" if device.evidence is Evidence.MEASURED else " (published)"
            return f"{device.name}{where}: loads take {l1:.0f} (L1), {l2:.0f} (L2), {dram:.0f} ns (DRAM)"
    return ""
