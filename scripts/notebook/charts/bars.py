"""Groups of horizontal bars: a group for each variant, a bar for each device."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from notebook.charts.evidence import Device
from notebook.charts.look import Evidence, Style
from notebook.charts.marks import BOXES, PALE, Panel
from notebook.charts.words import percent

# A label, and what a device has there: a share of 1.
Case = tuple[str, Callable[[Device], float | None]]


@dataclass(frozen=True)
class Bar:
    """One bar, with the device that it belongs to and the text at its end."""

    name: str
    value: float
    text: str
    style: Style
    form: str = BOXES


def bar(device: Device, value: float, text: str) -> Bar:
    """The bar of a device: full where it was measured here, else pale."""
    form = BOXES if device.evidence is Evidence.MEASURED else PALE
    return Bar(device.name, value, text, device.style, form)


def bars(panel: Panel, groups: list[tuple[str, list[Bar]]]) -> None:
    """Draws groups from top to bottom, and gives the panel its scale: one unit is one bar."""
    filled = [(label, group) for label, group in groups if group]
    rows = sum(len(group) + 0.8 for _, group in filled)
    panel.y = (0.0, rows + 0.4)
    ticks = []
    place = rows
    for label, group in filled:
        ticks.append((place - (len(group) - 1) / 2, label))
        for each in group:
            panel.boxes([(0, each.value, place - 0.42, place + 0.42)], each.style, each.form)
            panel.text(each.value + 0.008 * panel.x[1], place, f"{each.text}  {each.name}")
            place -= 1
        place -= 0.8
    panel.ticks_y(ticks)


def share_bars(panel: Panel, devices: Iterable[Device], cases: Iterable[Case]) -> None:
    """A group for each case: its share, in percent, of every device that has one."""
    groups = []
    for label, share in cases:
        shares = ((device, share(device)) for device in devices)
        group = [
            bar(device, 100 * value, percent(value))
            for device, value in shares
            if value is not None
        ]
        groups.append((label, group))
    bars(panel, groups)
    if not any(group for _, group in groups):
        panel.nothing()
