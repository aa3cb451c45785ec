"""A bar for each variant: the chart of a chapter that has none of its own."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.data import names
from notebook.data.metrics import unit_of

_MOST = 20
# As a figure shows them: by how much to multiply, and the unit then.
_SCALES = {
    "bytes/s": (1e-9, "GB/s"),
    "flop/s": (1e-9, "Gflop/s"),
    "items/s": (1e-9, "billion/s"),
    "percent": (1.0, "%"),
    "us": (1.0, "µs"),
    "count": (1.0, ""),
    "ratio": (1.0, ""),
}


def variants(facts: Facts) -> Chart:
    """The first claim's metric of each variant on the newest GPU; without one, on an emulated GPU.

    Without a claim: bandwidth, and on an emulated GPU load efficiency.
    """
    device = facts.gpu or next(iter(reversed(facts.emulated)), None)
    metric = next(iter(facts.metrics), "bytes_per_second" if facts.gpu else "load_efficiency")
    scale, unit = _SCALES.get(unit_of(metric), (1.0, unit_of(metric)))
    groups = _groups(device, metric, scale) if device else []
    heading = ", ".join([metric.replace("_", " "), unit][: 1 + bool(unit)])
    widest = max((bar.value for _, group in groups for bar in group), default=1.0)
    panel = Panel((0, 1.3 * widest or 1.0), (0, 1), heading=heading, height=300)
    bars(panel, groups)
    if not groups:
        panel.nothing(f"No variant has {heading.split(',')[0]} here.")
    return Chart("", [panel], key({device.evidence} if device else set(), bars=True))


def _groups(device: Device, metric: str, scale: float) -> list[tuple[str, list[Bar]]]:
    largest: dict[str, float] = {}
    for name in dict.fromkeys([*device.result.by_name, *device.result.counts]):
        value = device.value(name, metric)
        if value is not None:
            largest[names.without_regime(name)] = value * scale
    return [
        (variant.replace("/", " "), [bar(device, value, f"{value:.4g}")])
        for variant, value in list(largest.items())[:_MOST]
    ]
