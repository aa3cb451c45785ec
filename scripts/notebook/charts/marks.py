"""What gnuplot draws: marks in panels, written as one tab-separated block a mark.

A row is: panel, form, colour, shape, x, y, x1, x2, y1, y2, text. plots/panels.gp knows the forms. Text
from data stays in the last column, so no name of a device ever becomes a part of a script.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from notebook.base.text import plain
from notebook.charts import side_labels
from notebook.charts.axes import Range, between, grown, on_axis, share
from notebook.charts.look import GREY, Drawn, Style, explained, ink

# The forms that plots/panels.gp draws.
AXES = "axes"
TICKS_X = "ticks_x"
TICKS_Y = "ticks_y"
LINE = "line"
DASHES = "dashes"
THIN = "thin"
POINTS = "points"
# Open marks and stars where filled ones are too: larger, so that neither hides the other.
RINGS = "rings"
BARS_X = "bars_x"
BARS_Y = "bars_y"
BOXES = "boxes"
PALE = "pale"
# Boxes without a filling.
OUTLINED = "outlined"
# Boxes with a gap between them instead of a border: thousands of them, at half the size.
# The area between two curves, in grey.
BAND = "band"
LEFT = "left"
CENTER = "center"
RIGHT = "right"
ASIDE = "aside"
# The pixels that labels need beside a panel.
ROOM = "room"

_SPANNING = (LINE, DASHES, THIN, POINTS, BARS_X, BARS_Y, BAND)
_TEXTS = (LEFT, CENTER, RIGHT, ASIDE)
_LINES = (LINE, DASHES, THIN)

# In pixels: about the size of a mark, and about the width of a panel.
_MARK, _WIDTH = 9.0, 520.0
# For cells without text: gnuplot takes a blank one for the next column.
NO_TEXT = "-"
# Ends a line within a label below an axis.
LINE_END = "|"
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
    # The heights between groups of bars, from low to high.
    gaps: list[Range] = field(default_factory=list)
    # Where a line ends and another begins: what is left and right of it differs in more than x.
    breaks: Sequence[float] = ()
    _labels: list[side_labels.Label] = field(default_factory=list)

    def line(self, points: Iterable[tuple[float, float]], style: Style, form: str = LINE) -> None:
        """A line; no points, no line."""
        data = [Datum(x, y) for x, y in points]
        for piece in [data] if form == THIN else self._pieces(data):
            self.marks.append(Mark(form, piece, style))

    def _pieces(self, data: Sequence[Datum]) -> list[list[Datum]]:
        """Between two breaks each; nothing of no data."""
        ends = [-math.inf, *self.breaks, math.inf]
        pieces = [
            [entry for entry in data if low <= entry.x < high]
            for low, high in itertools.pairwise(ends)
        ]
        return [piece for piece in pieces if piece]

    def points(self, points: Iterable[tuple[float, float]], style: Style) -> None:
        if data := [Datum(x, y) for x, y in points]:
            self.marks.append(Mark(POINTS, data, style))

    def error_bars(self, bars: Iterable[tuple[float, float, float]], style: Style) -> None:
        """Vertical bars: x, low and high."""
        if data := [Datum(x=x, y=(low + high) / 2, y1=low, y2=high) for x, low, high in bars]:
            self.marks.append(Mark(BARS_Y, data, style))

    def band(self, ranges: Iterable[tuple[float, float, float]]) -> None:
        """The area between two curves: x, low and high; at a single x a narrow one around it."""
        every = [Datum(x=x, y=(low + high) / 2, y1=low, y2=high) for x, low, high in ranges]
        for data in self._pieces(every):
            if len(data) == 1:
                across = [self._across(data[0].x) + side for side in (-0.01, 0.01)]
                data = [replace(data[0], x=between(*self.x, at, self.log_x)) for at in across]
            self.marks.append(Mark(BAND, data))

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
        """Text right of the panel, at the height of `y` or, where others stand there, beside it.

        In front of it stands the mark that has its style or, without one, a piece of the line.
        """
        self._labels.append(side_labels.Label(y, text, (style,)))

    def reference(self, y: float, text: str = "", style: Style = GREY) -> None:
        """A horizontal line for a claimed or printed value, named beside the panel unless the heading does."""
        self.line([(self.x[0], y), (self.x[1], y)], style, THIN)
        if text:
            self.label(y, text, style)

    def ticks_x(self, ticks: Iterable[tuple[float, str]]) -> None:
        data = [Datum(x, on_axis(self.y, self.log_y), text=plain(text)) for x, text in ticks]
        self.marks.insert(0, Mark(TICKS_X, data))

    def ticks_y(self, ticks: Iterable[tuple[float, str]]) -> None:
        data = [Datum(on_axis(self.x, self.log_x), y, text=plain(text)) for y, text in ticks]
        self.marks.insert(0, Mark(TICKS_Y, data))

    def nothing(self, text: str = "No time was measured: this needs a GPU.") -> None:
        """Says why the panel is empty."""
        self.text(
            between(*self.x, 0.5, self.log_x), between(*self.y, 0.5, self.log_y), text, CENTER
        )

    @property
    def shows_bars(self) -> bool:
        """Whether an interval is to be seen."""
        self._grow()
        return any(self._is_seen(mark.form, bar) for mark in self.marks for bar in mark.data)

    def _is_seen(self, form: str, bar: Datum) -> bool:
        """Whether an interval is longer than the mark in its middle; False for what is none."""
        if form == BARS_X:
            return (self._across(bar.x2) - self._across(bar.x1)) * _WIDTH > _MARK
        return form == BARS_Y and (self._up(bar.y2) - self._up(bar.y1)) * self.height > _MARK

    def _across(self, x: float) -> float:
        return share(x, self.x, self.log_x)

    def _up(self, y: float) -> float:
        return share(y, self.y, self.log_y)

    def _grow(self) -> None:
        """Makes room for points outside of the ranges that are shown at least."""
        spanning = (mark for mark in self.marks if mark.form in _SPANNING)
        shown = [(mark.form, datum) for mark in spanning for datum in mark.data]
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
        self.x = grown(self.x, xs, self.log_x)
        self.y = grown(self.y, ys, self.log_y)

    @property
    def room(self) -> float:
        """The pixels that the labels need beside the panel."""
        self._grow()
        labels = self._names()
        has_marks = any(label.styles for label in labels)
        return max((label.end(has_marks=has_marks) for label in labels), default=0.0)

    def blocks(self, number: int, room: float = 0.0) -> Iterable[str]:
        """What gnuplot reads of the panel; `room` is what the labels beside all panels need."""
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
        labels = self._names()
        first = [Mark(AXES, [axes]), *([Mark(ROOM, [Datum(room)])] if labels else [])]
        for mark in [*first, *self._in_order(), *self._aside(labels)]:
            yield "\n".join(_row(number, mark, datum) for datum in mark.data)

    def _in_order(self) -> list[Mark]:
        """Points above lines, open ones and stars above filled ones, and no interval that its mark hides."""
        has_filled = any(mark.form == POINTS and mark.style.is_filled for mark in self.marks)
        drawn = []
        for mark in self.marks:
            form = mark.form
            if form in (BARS_X, BARS_Y):
                mark = replace(mark, data=[one for one in mark.data if self._is_seen(form, one)])
            if has_filled and form == POINTS and not mark.style.is_filled:
                form = RINGS
            drawn += [replace(mark, form=form)] if mark.data else []
        return sorted(drawn, key=lambda mark: (mark.form == RINGS, mark.form == POINTS))

    def _names(self) -> list[side_labels.Label]:
        """The labels from bottom to top, each with the styles that the panel draws."""
        drawn = {mark.style for mark in self.marks if mark.form in (POINTS, *_LINES)}
        labels = [
            replace(label, styles=tuple(one for one in label.styles if one in drawn))
            for label in sorted(self._labels, key=lambda label: label.y)
        ]
        return side_labels.together(labels, self._filled)

    def _filled(self, style: Style) -> list[side_labels.Place]:
        """Where the filled marks of a style are, in pixels."""
        every = (mark for mark in self.marks if mark.form == POINTS and mark.style == style)
        return [
            (self._across(datum.x) * _WIDTH, self._up(datum.y) * self.height)
            for mark in (every if style.is_filled else ())
            for datum in mark.data
        ]

    def _aside(self, labels: list[side_labels.Label]) -> list[Mark]:
        """Labels, moved apart where they would overlap; what is far off the scale stands at its end."""
        wanted = [min(1.0, max(0.0, self._up(label.y))) for label in labels]
        has_marks = any(label.styles for label in labels)
        named = {style for label in labels for style in label.styles}
        marks: list[Mark] = []
        for place, label in zip(side_labels.places(wanted, self.height), labels, strict=True):
            for x, style in label.marks_at():
                marks += self._samples(x, place, style, named - {style})
            text = Datum(label.text_at(has_marks=has_marks), place, text=plain(label.text))
            marks.append(Mark(ASIDE, [text], label.styles[0] if label.styles else GREY))
        return marks

    def _samples(self, x: float, y: float, style: Style, others: set[Style]) -> list[Mark]:
        """The mark of a style with what lies on it everywhere and has no name, or else a piece of its line."""
        ordered = self._in_order()
        own = [mark for mark in ordered if mark.form in (POINTS, RINGS) and mark.style == style]
        if own:
            alike = [
                mark
                for mark in ordered
                if mark.form in (POINTS, RINGS) and mark.style not in others
                if any(mark.data == one.data for one in own)
            ]
            return [
                Mark(f"{ASIDE}_{form}", [Datum(x, y)], look)
                for form, look in dict.fromkeys((mark.form, mark.style) for mark in alike)
            ]
        form = next(mark.form for mark in ordered if mark.form in _LINES and mark.style == style)
        ends = (x - 0.6 * _MARK, x + 0.6 * _MARK)
        return [Mark(f"{ASIDE}_{form}", [Datum(end, y) for end in ends], style)]


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
        room = max((panel.room for panel in self.panels), default=0.0)
        return (
            _BLOCKS.join(
                block
                for number, panel in enumerate(self.panels, start=1)
                for block in panel.blocks(number, room)
            )
            + "\n"
        )

    def noted(self, note: str) -> "Chart":
        """With one more note, if there is one."""
        return replace(self, note="   ".join(filter(None, (self.note, note))))

    def with_its_forms_explained(self) -> "Chart":
        """With what the grey areas stand for, if there are any, and without forms that it lacks."""
        marks = [mark for panel in self.panels for mark in panel.marks]
        drawn = Drawn(
            forms={mark.form for mark in marks},
            points={mark.style for mark in marks if mark.form == POINTS},
            has_intervals=any(panel.shows_bars for panel in self.panels),
        )
        return replace(self, note=explained(self.note, drawn)).noted(
            "grey area: all predictions" if BAND in drawn.forms else ""
        )

    def titled(self, question: str) -> "Chart":
        """With the question for a title, where the data do not answer it."""
        return self if self.title else replace(self, title=question)
