"""Groups of horizontal bars: a group for each variant, a bar for each device."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log2
from textwrap import wrap

from notebook.charts.evidence import Device
from notebook.charts.look import Evidence, Style
from notebook.charts.marks import BOXES, LINE_END, OUTLINED, PALE, Panel
from notebook.charts.words import percent

# A label, and what a device has there: a share of 1.
Case = tuple[str, Callable[[Device], float | None]]
# A step of a ladder: its label, its share of 1 where it was measured, and its style.
Step = tuple[str, float | None, Style]


@dataclass(frozen=True)
class Bar:
    """One bar, with the device that it belongs to and the text at its end."""

    name: str
    value: float
    text: str
    style: Style
    form: str = BOXES


def bar(device: Device, value: float, text: str) -> Bar:
    """The bar of a device: full where it was measured here, as marks are filled, pale where it was
    published, and empty where it was counted or predicted."""
    form = {Evidence.MEASURED: BOXES, Evidence.PUBLISHED: PALE}.get(device.evidence, OUTLINED)
    return Bar(device.name, value, text, device.style, form)


# Between two groups, in bars; half the height of a bar.
_GAP = 0.8
_HALF = 0.42


# The width of a text behind a bar, as a share of the panel's: a short one.
_TEXT = 0.08


def bars(
    panel: Panel, groups: list[tuple[str, list[Bar]]], *, line_at: float | None = None
) -> None:
    """Draws groups from top to bottom, and gives the panel its scale: one unit is one bar.

    A text that a line at `line_at` would cross stands behind the line.
    """
    filled = [(label, group) for label, group in groups if group]
    rows = sum(len(group) + _GAP for _, group in filled)
    panel.y = (0.0, rows + 0.6)
    ticks = []
    place = rows
    for label, group in filled:
        ticks.append((place - (len(group) - 1) / 2, label))
        for bar_of_device in group:
            panel.boxes(
                [(0, bar_of_device.value, place - _HALF, place + _HALF)],
                bar_of_device.style,
                bar_of_device.form,
            )
            end = bar_of_device.value
            if line_at is not None and end < line_at < end + _TEXT * panel.x[1]:
                end = line_at
            text = f"{bar_of_device.text}  {bar_of_device.name}".rstrip()
            panel.text(end + 0.008 * panel.x[1], place, text)
            place -= 1
        # Where a line at a value does not run through names.
        panel.gaps.append((place - _GAP + _HALF, place + 1 - _HALF))
        place -= _GAP
    panel.ticks_y(ticks)


def line_between_groups(panel: Panel, value: float, look: Style) -> None:
    """A vertical line in the gaps between groups, so that it crosses no name."""
    for low, high in panel.gaps:
        panel.line([(value, max(low, panel.y[0])), (value, high)], look)


def share_bars(
    panel: Panel, devices: Iterable[Device], cases: Iterable[Case], *, fits: bool = False
) -> None:
    """A group for each case: its share, in percent, of every device that has one.

    A single device is named in the heading alone. `fits` ends the scale behind the longest bar.
    """
    groups = []
    devices = list(devices)
    for label, share in cases:
        shares = ((device, share(device)) for device in devices)
        group = [
            bar(device, 100 * value, percent(value))
            for device, value in shares
            if value is not None
        ]
        groups.append((label, group))
    every = [one for _, group in groups for one in group]
    if len({one.name for one in every}) == 1:
        panel.heading = f"{every[0].name}: {panel.heading}"
        groups = [(label, [replace(one, name="") for one in group]) for label, group in groups]
    if fits and every:
        panel.x = (0, (1 + 2 * _TEXT) * max(one.value for one in every))
    bars(panel, groups)
    if not every:
        panel.nothing()


def ladder(steps: Sequence[Step], heading: str, width: float, height: int, unit: float) -> Panel:
    """One bar for each step to a limit, from top to bottom, on a scale that ends at `width`; 1 is `unit` long."""
    top = float(len(steps))
    panel = Panel((0, width), (0.4, top + 0.6), heading=heading, height=height)
    panel.ticks_y((top - place, label) for place, (label, _, _) in enumerate(steps))
    for place, (_, share, look) in enumerate(steps):
        if share is not None:
            y = top - place
            panel.boxes([(0, unit * share, y - 0.36, y + 0.36)], look)
            text = percent(share) if unit == 100 else f"{share:.2f}"
            panel.text(unit * share + 0.008 * width, y, text)
    if all(share is None for _, share, _ in steps):
        panel.nothing()
    return panel


# A label below an axis is broken where it would be longer.
_TICK_LETTERS = 13


def step_counts(labels: Sequence[str], y: tuple[float, float], heading: str, height: int) -> Panel:
    """Steps side by side, for what each of them counts on an axis of powers of two."""
    panel = Panel((-0.5, len(labels) - 0.5), y, log_y=True, heading=heading, height=height)
    lines = (LINE_END.join(wrap(label, _TICK_LETTERS)) for label in labels)
    panel.ticks_x((float(place), label) for place, label in enumerate(lines))
    powers = range(ceil(log2(y[0])), floor(log2(y[1])) + 1)
    panel.ticks_y((2.0**power, f"{2.0**power:g}") for power in powers)
    return panel
