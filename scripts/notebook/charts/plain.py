"""The chart of a chapter that has none of its own: a bar for each variant."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.data import names

_MOST = 20


def variants(facts: Facts) -> Chart:
    """Bandwidth of each variant on the newest GPU; without one, load efficiency on an emulated GPU."""
    device = facts.gpu or next(iter(reversed(facts.emulated)), None)
    metric, scale, unit = (
        ("bytes_per_second", 1e-9, "GB/s") if facts.gpu else ("load_efficiency", 1.0, "%")
    )
    groups = _groups(device, metric, scale) if device else []
    heading = f"{'bandwidth, GB/s' if facts.gpu else 'load efficiency, %'}"
    widest = max((bar.value for _, group in groups for bar in group), default=1.0)
    panel = Panel((0, 1.3 * widest or 1.0), (0, 1), heading=heading, height=300)
    bars(panel, groups)
    if not groups:
        panel.nothing(f"No variant has a {heading.split(',')[0]} in {unit}.")
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
