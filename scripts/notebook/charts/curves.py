"""Curves of many devices in one panel: equal ones are drawn once, under one name."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from notebook.charts.axes import share
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import CLAIMED, GREY, Evidence, Style
from notebook.charts.marks import DASHES, LINE, Panel
from notebook.charts.words import NO_EFFECT
from notebook.data import device_names

Point = tuple[float, float]
# A device's values at each place; None where it has none.
Points = list[tuple[float, float | None]]
# Where something stands on the x axis, the variant, and the baseline that it is divided by.
Place = tuple[float, str | None, str | None]
NO_COUNTS = "Nothing was counted: scripts/lab run {} --device emulated:hopper does so."
# Counts of one access pattern that differ by less are drawn as one.
_ALIKE = 0.01
# More predicted curves than these are drawn as the range that they span.
_MAX_PREDICTED = 4
# So many marks are a series and no longer a few.
_SERIES = 4
# The height of a point in pixels, and the distance of two as a share of a panel's width.
_POINT, _APART = 9.0, 0.021


@dataclass(frozen=True)
class Curve:
    """What one or more devices have, point by point."""

    devices: list[Device]
    points: list[Point]
    # Every emulated GPU that has such a curve, oldest first.
    emulated: list[str]

    @property
    def is_of_all(self) -> bool:
        """Whether it is every generation's, and so in the colour of none."""
        return len(self._generations) == len(self.emulated) > 2

    @property
    def _generations(self) -> list[str]:
        slugs = [device.result.device for device in self.devices]
        return [slug for slug in slugs if slug in self.emulated]

    @property
    def name(self) -> str:
        generations = self._generations
        others = [
            device.name for device in self.devices if device.result.device not in self.emulated
        ]
        merged = [device_names.label(generations, self.emulated)] if generations else []
        return ", ".join([*merged, *others])


def collect(
    devices: Iterable[Device], points: Callable[[Device], Iterable[tuple[float, float | None]]]
) -> list[Curve]:
    """The curve of each device that has one, equal curves merged."""
    curves: list[Curve] = []
    emulated: list[str] = []
    for device in devices:
        own = [(x, y) for x, y in points(device) if y is not None]
        if not own:
            continue
        if device.result.is_emulated:
            emulated.append(device.result.device)
        for curve in curves:
            if alike(curve.points, own):
                curve.devices.append(device)
                break
        else:
            curves.append(Curve([device], own, emulated))
    return curves


def alike(one: list[Point], other: list[Point]) -> bool:
    """Whether two curves have the same points."""
    known = dict(one)
    if len(one) != len(other) or any(x not in known for x, _ in other):
        return False
    span = max(abs(y) for _, y in [*one, *other])
    return all(abs(known[x] - y) <= _ALIKE * span for x, y in other)


def draw(
    panel: Panel,
    curves: Iterable[Curve],
    *,
    predicted: bool = False,
    form: str | None = None,
    suffix: str = "",
    named: Sequence[str] = (),
) -> set[Evidence]:
    """Draws curves with their names beside the panel; the kinds of evidence they are.

    `form` "" leaves out the lines between points, which then stand side by side where they would hide each other.
    Of many predicted curves those of `named` generations are drawn, or else the one that is the lowest at the most
    places and the one that is the highest there.
    """
    shown = set()
    drawn = list(curves)
    if predicted and len(drawn) > _MAX_PREDICTED:
        return _spread(panel, drawn, form, named)
    if form == "":
        drawn = _side_by_side(panel, drawn)
    alone = {curve.devices[0].style.shape for curve in drawn if len(curve.devices) == 1}
    for curve in drawn:
        first = _with_free_shape(curve, alone)
        look = first.predicted_style if predicted else first.style
        if curve.is_of_all:
            look = Style(GREY.colour, look.shape)
        if form != "":
            panel.line(curve.points, look, form or (DASHES if predicted else LINE))
        for device in (
            candidate
            for candidate in curve.devices
            if candidate.style.shape != look.shape or candidate is first
        ):
            if device is first or device.evidence is Evidence.MEASURED:
                panel.points(curve.points, look if device is first else device.style)
            shown.add(Evidence.PREDICTED if predicted else device.evidence)
        panel.label(curve.points[-1][1], curve.name + suffix, look)
    return shown


def _with_free_shape(curve: Curve, taken: set[int]) -> Device:
    """The device in whose style a curve is drawn: the oldest one whose shape no curve of a single device has."""
    oldest = curve.devices[0]
    if len(curve.devices) == 1:
        return oldest
    of_its_kind = (one for one in curve.devices if one.evidence is oldest.evidence)
    return next((one for one in of_its_kind if one.style.shape not in taken), oldest)


def _spread(
    panel: Panel, curves: list[Curve], form: str | None, named: Sequence[str]
) -> set[Evidence]:
    """Draws the range of many predicted curves, and of them the named ones, or those that end lowest and highest."""
    by_x: dict[float, list[float]] = {}
    for curve in curves:
        for x, y in curve.points:
            by_x.setdefault(x, []).append(y)
    panel.band((x, min(ys), max(ys)) for x, ys in sorted(by_x.items()))
    lowest = max(curves, key=lambda curve: sum(min(by_x[x]) == y for x, y in curve.points))
    highest = max(curves, key=lambda curve: sum(max(by_x[x]) == y for x, y in curve.points))
    of_generations = [
        curve for curve in curves if any(one.generation in named for one in curve.devices)
    ]
    for curve in of_generations or (lowest, highest):
        look = curve.devices[0].predicted_style
        if form != "":
            panel.line(curve.points, look, form or DASHES)
        panel.points(curve.points, look)
        panel.label(curve.points[-1][1], f"predicted: {curve.name}", look)
    return {Evidence.PREDICTED}


def _side_by_side(panel: Panel, curves: Iterable[Curve]) -> list[Curve]:
    """The curves, with those of their points moved along the x axis that would hide each other."""
    drawn = list(curves)
    at: dict[float, list[tuple[float, int]]] = {}
    for index, curve in enumerate(drawn):
        for x, y in curve.points:
            at.setdefault(x, []).append((share(y, panel.y, panel.log_y) * panel.height, index))
    moved: dict[tuple[float, int], float] = {}
    for x, here in at.items():
        near: list[list[tuple[float, int]]] = []
        for height, index in sorted(here):
            if near and height - near[-1][-1][0] < _POINT:
                near[-1].append((height, index))
            else:
                near.append([(height, index)])
        for group in near:
            for place, index in enumerate(sorted(index for _, index in group)):
                away = (place - (len(group) - 1) / 2) * _APART * (panel.x[1] - panel.x[0])
                moved[x, index] = x + away
    return [
        replace(curve, points=[(moved[x, index], y) for x, y in curve.points])
        for index, curve in enumerate(drawn)
    ]


def ratios(
    panel: Panel,
    device: Device,
    places: Iterable[tuple[float, str | None, str | None]],
    *,
    metric: str = "time",
    style: Style | None = None,
    label: str | None = None,
    joined: bool = True,
) -> set[Evidence]:
    """Draws variant over baseline at each place, of a GPU with its intervals; the kind of evidence."""
    known = [(x, name, base) for x, name, base in places if name and base]
    estimates = device.ratios([(name, base) for _, name, base in known], metric)
    points = [(x, ratio) for (x, _, _), ratio in zip(known, estimates, strict=True) if ratio]
    if not points:
        return set()
    look = style or device.style
    if joined and device.evidence is Evidence.MEASURED:
        panel.line([(x, value) for x, (value, _, _) in points], look)
    if device.evidence is Evidence.MEASURED:
        panel.error_bars([(x, low, high) for x, (_, low, high) in points], look)
    panel.points([(x, value) for x, (value, _, _) in points], look)
    if label != "":
        values = [value for _, (value, _, _) in points]
        # The mark that stands out among a few, else the one that is nearest to the label.
        stands_out = max(values, key=lambda value: abs(value - 1))
        at = stands_out if len(values) < _SERIES else values[-1]
        panel.label(at, label or device.name, look)
    return {device.evidence}


def times(
    panel: Panel,
    facts: Facts,
    places: Callable[[Device], Iterable[Place]],
    *,
    claim: str = "",
    joined: bool = True,
    named: Sequence[str] = (),
) -> set[Evidence]:
    """Draws ratios of times: measured and published ones, and those whose predictions decide the claim."""
    shown: set[Evidence] = set()
    known = []
    for device in (*facts.measured, *facts.published):
        if evidence := ratios(panel, device, places(device), joined=joined):
            shown |= evidence
            known.append(device)

    def predicted(device: Device) -> list[tuple[float, float | None]]:
        return [(x, device.ratio(name, base)) for x, name, base in places(device)]

    form = None if joined else ""
    others = collect(facts.predicted(known, claim), predicted)
    shown |= draw(panel, others, predicted=True, form=form, named=named)
    if not shown:
        panel.nothing()
    return shown


def mark_no_effect(panel: Panel) -> None:
    """Lines between which a ratio of times counts as no effect."""
    for edge in NO_EFFECT:
        panel.reference(edge)


def printed(
    panel: Panel, facts: Facts, claim: str, label: str, *, scale: float = 1.0, power: int = 1
) -> None:
    """A line at what a source prints, where the chapter's claims have it; `label` may hold {}."""
    if claimed := facts.claimed.get(claim):
        value = scale * claimed**power
        panel.reference(value, label.format(f"{value:.4g}"), CLAIMED)


def counts(
    panel: Panel,
    chapter: str,
    devices: Iterable[Device],
    points: Callable[[Device], Iterable[tuple[float, float | None]]],
    *,
    joined: bool = True,
) -> set[Evidence]:
    """Draws what was counted on the devices of a chapter."""
    curves = collect(devices, points)
    if not curves:
        panel.nothing(NO_COUNTS.format(chapter))
    return draw(panel, curves, form=None if joined else "")
