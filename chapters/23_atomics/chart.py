"""How many additions a second one counter to many take, and how fast histograms read."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.evidence import Device, Facts, number
from notebook.charts.look import BLUE, GREEN, ORANGE, PLAIN, PURPLE, Evidence, Style, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import times as x_times

_BYTES = 1 << 28
_SERIES: list[tuple[str, str, dict[str, object], Style]] = [
    ("int", "add_global", {"type": "int", "spread": "lanes"}, PLAIN),
    ("float", "add_global", {"type": "float", "spread": "lanes"}, ORANGE),
    ("64-bit int", "add_global", {"type": "int64", "spread": "lanes"}, GREEN),
    ("int, returning", "add_global_returning", {"spread": "lanes"}, BLUE),
    ("int, matched", "add_matched", {"spread": "lanes"}, PURPLE),
]
_HISTOGRAMS: list[tuple[str, str, dict[str, object]]] = [
    ("global memory", "histogram_global", {}),
    ("a copy a block", "histogram_shared", {}),
    ("16 copies a block", "histogram_copies", {"copies": 16}),
    ("a copy a lane", "histogram_lanes", {}),
    ("CUB", "cub_histogram", {}),
]
_POWERS = (0, 2, 4, 6, 8, 10, 12, 14, 16)


def chart(facts: Facts) -> Chart:
    """Additions in global memory against the number of counters; bandwidth of histograms."""
    gpu = facts.gpu or facts.of("hopper")
    where = f"{gpu.name}: " if gpu else ""
    rates = Panel(
        (0.8, 90000),
        (0.5, 2000),
        log_x=True,
        log_y=True,
        heading=f"{where}billion additions a second, against the number of counters",
        height=260,
    )
    rates.ticks_x((float(2**power), f"2^{power}") for power in _POWERS)
    rates.ticks_y((10.0**power, f"{10**power:g}") for power in range(4))
    speeds = Panel((0, 1), (0, 1), heading=f"{where}histograms of 2^28 bytes, GB/s", height=260)
    if gpu is None:
        rates.nothing()
        speeds.nothing()
        return Chart("", [rates, speeds])
    for label, kernel, parameters, look in _SERIES:
        points = _rates(gpu, kernel, parameters)
        rates.line(points, look)
        rates.points(points, look)
        if points:
            rates.label(points[-1][1], label, look)
    _draw_histograms(speeds, gpu)
    evidence = Evidence.MEASURED if facts.gpu else Evidence.PREDICTED
    return Chart(_title(facts.gpu), [rates, speeds], key({evidence}, bars=True))


def _rates(gpu: Device, kernel: str, parameters: dict[str, object]) -> list[tuple[float, float]]:
    values = (
        (number(row, "addresses"), gpu.value(row, "items_per_second"))
        for row in gpu.rows(kernel, **parameters)
    )
    return [(addresses, 1e-9 * rate) for addresses, rate in values if rate]


def _draw_histograms(panel: Panel, gpu: Device) -> None:
    groups: list[tuple[str, list[Bar]]] = []
    largest = 0.0
    for label, kernel, parameters in _HISTOGRAMS:
        group = []
        for values in ("random", "same"):
            row = gpu.row(kernel, values=values, n=_BYTES, **parameters)
            if rate := gpu.value(row, "bytes_per_second"):
                largest = max(largest, 1e-9 * rate)
                drawn = bar(gpu, 1e-9 * rate, f"{1e-9 * rate:,.0f}")
                group.append(
                    Bar(f"{values} bytes", drawn.value, drawn.text, drawn.style, drawn.form)
                )
        groups.append((label, group))
    panel.x = (0.0, 1.35 * largest or 1.0)
    bars(panel, groups)


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    more = gpu.ratio(
        gpu.row("add_global", type="int", spread="lanes", addresses=1024),
        gpu.row("add_global", type="int", spread="lanes", addresses=1),
        "items_per_second",
    )
    return f"{gpu.name}: 1024 counters take {x_times(more)} the additions of one" if more else ""
