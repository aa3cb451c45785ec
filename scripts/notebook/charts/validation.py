"""The chart of predicted times beside measured and printed ones."""

import math
from statistics import median

from notebook.charts.look import GREY, VARIANTS, Style
from notebook.charts.marks import LEFT, Chart, Panel
from notebook.charts.sources import Prediction, Sources

# gnuplot's open shapes.
_OPEN = (8, 6, 4, 12, 10)
_PARTS = {
    "global memory": tuple(f"{number:02}" for number in range(9)),
    "transposes": tuple(f"{number:02}" for number in range(9, 15)),
    "shared memory": ("15",),
    "products": ("16", "17", "18", "19"),
}
_AGES = {
    "Fermi to Maxwell": ("fermi", "kepler", "maxwell"),
    "Pascal to Turing": ("pascal", "volta", "turing"),
    "Ampere": ("ampere",),
    "Ada": ("ada",),
    "Hopper, Blackwell": ("hopper", "blackwell"),
}


def validation(sources: Sources) -> Chart | None:
    """Predicted against measured and against printed time; nothing without data/timing/validation.csv."""
    known, printed = sources.predictions, sources.printed
    if not known:
        return None
    heading = (
        f"predicted time against that of an H200, µs: {_within(known)} within 1.5x, "
        f"half within {_factor(known):.2f}x"
    )
    panels = [_times(heading, 1e6, known, _PARTS)]
    against = "measured time"
    if printed:
        heading = (
            f"predicted time against that printed of other GPUs, ms: {_within(printed)} within 1.5x, "
            f"half within {_factor(printed):.2f}x"
        )
        panels.append(_times(heading, 1e3, printed, _AGES))
        against = "measured (above) or printed time (below)"
    note = f"open: predicted by the time model, against the {against}"
    return Chart(_validation_title(known), panels, note)


def _times(
    heading: str, scale: float, known: list[Prediction], groups: dict[str, tuple[str, ...]]
) -> Panel:
    """Both times in units of 1 / scale, each group of chapters or generations in its colour."""
    times = [time for row in known for time in (row.predicted_seconds, row.measured_seconds)]
    ends = (
        10.0 ** math.floor(math.log10(min(times) * scale)),
        10.0 ** math.ceil(math.log10(max(times) * scale)),
    )
    panel = Panel(ends, ends, log_x=True, log_y=True, heading=heading, height=520)
    for factor, form in ((1.0, "line"), (1.5, "thin"), (1 / 1.5, "thin")):
        panel.line(
            [
                (ends[0] * max(1, 1 / factor), ends[0] * max(1, factor)),
                (ends[1] * min(1, 1 / factor), ends[1] * min(1, factor)),
            ],
            GREY,
            form,
        )
    for index, (group, members) in enumerate(groups.items()):
        points = [
            (row.measured_seconds * scale, row.predicted_seconds * scale)
            for row in known
            if row.group in members
        ]
        if points:
            look = Style(VARIANTS[index].colour, _OPEN[index])
            panel.points(points, look)
            panel.label(max(points)[1], group, look)
    panel.text(ends[0] * 1.3, ends[1] / 1.6, "solid: equal   dotted: 1.5x", LEFT)
    return panel


def _validation_title(known: list[Prediction]) -> str:
    return f"{_within(known)} predicted times lie within 1.5x of measured"


def _within(known: list[Prediction]) -> str:
    """How many are predicted within a factor of 1.5: a share would round up to all."""
    within = sum(error <= math.log(1.5) for error in _errors(known))
    return f"{within} of {len(known)}"


def _factor(known: list[Prediction]) -> float:
    return math.exp(median(_errors(known)))


def _errors(known: list[Prediction]) -> list[float]:
    return [abs(math.log(row.predicted_seconds / row.measured_seconds)) for row in known]
