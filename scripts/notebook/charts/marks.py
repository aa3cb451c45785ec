"""What gnuplot draws: marks in panels, written as one tab-separated block a mark.

A row is: panel, form, colour, shape, x, y, x1, x2, y1, y2, text. plots/panels.gp knows the forms. Text
from data stays in the last column, so no name of a device ever becomes a part of a script.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from notebook.charts.look import DASHED, GREY, INTERVALS, Style, ink
from notebook.text import plain

# The forms that plots/panels.gp draws.
AXES = "axes"
TICKS_X = "ticks_x"
TICKS_Y = "ticks_y"
LINE = "line"
DASHES = "dashes"
THIN = "thin"
POINTS = "points"
BARS_X = "bars_x"
BARS_Y = "bars_y"
BOXES = "boxes"
PALE = "pale"
# Boxes with a gap between them instead of a border: thousands of them, at half the size.
TILES = "tiles"
# The area between two curves, in grey.
BAND = "band"
LEFT = "left"
CENTER = "center"
RIGHT = "right"
ASIDE = "aside"

_SPANNING = (LINE, DASHES, THIN, POINTS, BARS_X, BARS_Y, BAND)
_TEXTS = (LEFT, CENTER, RIGHT, ASIDE)

Range = tuple[float, float]
# About the height of a mark, in pixels.
_MARK = 6.0
# For cells without text: gnuplot takes a blank one for the next column.
NO_TEXT = "-"
_BLOCKS = "\n\n\n"


@dataclass(frozen=True)
class Datum:
    """A place on a panel: a point, with the ends of its bars or the corners of its box."""

    x: float = 0.0
    y: float = 0.0
    x1: float = 0.0
    x2: float = 0.0
    y1: float = 0.0
    y2: float = 0.0
    text: str = ""


@dataclass(frozen=True)
class Mark:
    """Places drawn alike."""

    form: str
    data: Sequence[Datum]
    style: Style = GREY


@dataclass
class Panel:
    """The marks on one pair of axes. `height` is about that of the panel in pixels, for labels beside it."""

    x: Range
    y: Range
    log_x: bool = False
    log_y: bool = False
    heading: str = ""
    height: float = 200.0
    marks: list[Mark] = field(default_factory=list)
    # Of groups of bars: the heights between them, from low to high.
    gaps: list[Range] = field(default_factory=list)
    _labels: list[tuple[float, str, Style]] = field(default_factory=list)

    def line(self, points: Iterable[tuple[float, float]], style: Style, form: str = LINE) -> None:
        """A line, broken nowhere; no points, no line."""
        if data := [Datum(x, y) for x, y in points]:
            self.marks.append(Mark(form, data, style))

    def points(self, points: Iterable[tuple[float, float]], style: Style) -> None:
        if data := [Datum(x, y) for x, y in points]:
            self.marks.append(Mark(POINTS, data, style))

    def error_bars(self, bars: Iterable[tuple[float, float, float]], style: Style) -> None:
        """Vertical bars: x, low and high."""
        if data := [Datum(x=x, y=(low + high) / 2, y1=low, y2=high) for x, low, high in bars]:
            self.marks.append(Mark(BARS_Y, data, style))

    def band(self, ranges: Iterable[tuple[float, float, float]]) -> None:
        """The area between two curves: x, low and high; at a single x a line."""
        data = [Datum(x=x, y=(low + high) / 2, y1=low, y2=high) for x, low, high in ranges]
        if len(data) > 1:
            self.marks.append(Mark(BAND, data))
        for only in data if len(data) == 1 else ():
            self.line([(only.x, only.y1), (only.x, only.y2)], GREY)

    def error_bars_across(self, bars: Iterable[tuple[float, float, float]], style: Style) -> None:
        """Horizontal bars: y, low and high."""
        if data := [Datum(x=(low + high) / 2, y=y, x1=low, x2=high) for y, low, high in bars]:
            self.marks.append(Mark(BARS_X, data, style))

    def boxes(
        self, corners: Iterable[tuple[float, float, float, float]], style: Style, form: str = BOXES
    ) -> None:
        """Boxes: left, right, bottom, top."""
        data = [
            Datum((left + right) / 2, (bottom + top) / 2, left, right, bottom, top)
            for left, right, bottom, top in corners
        ]
        if data:
            self.marks.append(Mark(form, data, style))

    def text(self, x: float, y: float, text: str, form: str = LEFT, style: Style = GREY) -> None:
        self.marks.append(Mark(form, [Datum(x, y, text=plain(text))], style))

    def label(self, y: float, text: str, style: Style) -> None:
        """Text right of the panel, at the height of `y` or, where others stand there, beside it."""
        self._labels.append((y, text, style))

    def reference(self, y: float, text: str, style: Style = GREY) -> None:
        """A horizontal line for a claimed or printed value, named beside the panel."""
        self.line([(self.x[0], y), (self.x[1], y)], style, THIN)
        self.label(y, text, style)

    def ticks_x(self, ticks: Iterable[tuple[float, str]]) -> None:
        data = [Datum(x, _on_axis(self.y, self.log_y), text=plain(text)) for x, text in ticks]
        self.marks.insert(0, Mark(TICKS_X, data))

    def ticks_y(self, ticks: Iterable[tuple[float, str]]) -> None:
        data = [Datum(_on_axis(self.x, self.log_x), y, text=plain(text)) for y, text in ticks]
        self.marks.insert(0, Mark(TICKS_Y, data))

    def nothing(self, text: str = "No time was measured: this needs a GPU.") -> None:
        """Says why the panel is empty."""
        self.text(
            _between(*self.x, 0.5, self.log_x), _between(*self.y, 0.5, self.log_y), text, CENTER
        )

    @property
    def shows_bars(self) -> bool:
        """Whether an interval is longer than the mark in its middle."""
        low, high = (math.log(end) if self.log_y else end for end in self.y)
        across = _longest(self, BARS_X, lambda bar: (bar.x1, bar.x2), self.log_x)
        upright = _longest(self, BARS_Y, lambda bar: (bar.y1, bar.y2), self.log_y)
        return across > 0 or upright * self.height > _MARK * (high - low)

    def _grow(self) -> None:
        """Makes room for points outside of the ranges that are shown at least."""
        shown = [
            (mark.form, datum)
            for mark in self.marks
            if mark.form in _SPANNING
            for datum in mark.data
        ]
        xs = [
            x
            for form, datum in shown
            for x in ((datum.x1, datum.x2) if form == BARS_X else (datum.x,))
        ]
        ys = [
            y
            for form, datum in shown
            for y in ((datum.y1, datum.y2) if form in (BARS_Y, BAND) else (datum.y,))
        ]
        self.x = _grown(self.x, xs, self.log_x)
        self.y = _grown(self.y, ys, self.log_y)

    def blocks(self, number: int) -> Iterable[str]:
        self._grow()
        axes = Datum(
            x=float(self.log_x),
            y=float(self.log_y),
            x1=self.x[0],
            x2=self.x[1],
            y1=self.y[0],
            y2=self.y[1],
            text=plain(self.heading),
        )
        for mark in [Mark(AXES, [axes]), *self.marks, *self._placed_labels()]:
            yield "\n".join(_row(number, mark, datum) for datum in mark.data)

    def _placed_labels(self) -> list[Mark]:
        """Labels from bottom to top, moved apart where they would overlap; what is far off the scale
        stands at its end."""
        low, high = (math.log(end) if self.log_y else end for end in self.y)
        step = 15.5 / self.height
        placed: list[list[float]] = []
        order = sorted(self._labels, key=lambda label: label[0])
        for y, _, _ in order:
            value = math.log(max(y, 1e-300)) if self.log_y else y
            at = min(1.0, max(0.0, (value - low) / (high - low)))
            # A group of labels moves as a whole, so that its middle stays where it was.
            placed.append([at])
            while len(placed) > 1 and _bottom(placed[-1], step) < _top(placed[-2], step):
                last = placed.pop()
                placed[-1] += last
        marks: list[Mark] = []
        for group in placed:
            bottom = max(0.0, _bottom(group, step))
            bottom = min(bottom, max(0.0, 1 + step / 2 - step * len(group)))
            for index in range(len(group)):
                _, text, style = order[len(marks)]
                place = bottom + step * (index + 0.5)
                marks.append(Mark(ASIDE, [Datum(0.0, place, text=plain(text))], style))
        return marks


def _longest(panel: Panel, form: str, ends: Callable[[Datum], Range], log: bool) -> float:
    """The length of the longest bar, in the units of its axis."""
    bars = [ends(bar) for mark in panel.marks if mark.form == form for bar in mark.data]
    scaled = [(math.log(low), math.log(high)) if log else (low, high) for low, high in bars]
    return max((high - low for low, high in scaled), default=0.0)


def _bottom(group: list[float], step: float) -> float:
    return sum(group) / len(group) - step * len(group) / 2


def _top(group: list[float], step: float) -> float:
    return sum(group) / len(group) + step * len(group) / 2


def _grown(ends: Range, values: list[float], log: bool) -> Range:
    low, high = ends
    if values and max(values) > high:
        high = max(values) * 1.15 if log else max(values) + 0.05 * (max(values) - low)
    if values and min(values) < low:
        low = min(values) / 1.15 if log else min(values) - 0.05 * (high - min(values))
    return low, high


def _on_axis(ends: Range, log: bool) -> float:
    """Just inside: a point at the very end may count as outside on a log scale."""
    return _between(*ends, 1e-5, log)


def _between(low: float, high: float, share: float, log: bool) -> float:
    return low * (high / low) ** share if log else low + (high - low) * share


def _row(panel: int, mark: Mark, datum: Datum) -> str:
    numbers = (datum.x, datum.y, datum.x1, datum.x2, datum.y1, datum.y2)
    return "\t".join(
        [
            str(panel),
            mark.form,
            str(ink(mark.style.colour) if mark.form in _TEXTS else mark.style.colour),
            str(mark.style.shape),
            *(f"{number:.6g}" for number in numbers),
            datum.text or NO_TEXT,
        ]
    )


@dataclass
class Chart:
    """A figure: the sentence above it, its panels, and what its shapes stand for."""

    title: str
    panels: list[Panel]
    note: str = ""

    def as_tsv(self) -> str:
        return (
            _BLOCKS.join(
                block
                for number, panel in enumerate(self.panels, start=1)
                for block in panel.blocks(number)
            )
            + "\n"
        )

    def noted(self, note: str) -> "Chart":
        """With one more note, if there is one."""
        return replace(self, note="   ".join(filter(None, (self.note, note))))

    def with_its_forms_explained(self) -> "Chart":
        """With what the grey areas stand for, if there are any, and without forms that it lacks."""
        forms = {mark.form for panel in self.panels for mark in panel.marks}
        has_bars = any(panel.shows_bars for panel in self.panels)
        note = self.note if has_bars else self.note.replace(INTERVALS, "")
        note = note if DASHES in forms else note.replace(DASHED, "")
        return replace(self, note=note).noted(
            "grey: range of predictions" if BAND in forms else ""
        )

    def titled(self, question: str) -> "Chart":
        """With the question for a title, where the data do not answer it."""
        return self if self.title else replace(self, title=question)
