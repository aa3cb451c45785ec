"""Labels beside a panel: where they stand, how wide they are, and which of them name the same marks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from notebook.charts.look import Style

# In pixels: the distance of two labels, of a mark from the panel, and of a text from its mark.
_STEP = 15.5
MARK_AT = 10.0
_TEXT_AT = 20.0
_MARKS_APART = 11.0
_MARGIN = 4.0
# How near a mark has to be to another to hide it.
_HIDDEN = 5.0
# About the widths of letters in DejaVu Sans at 12 pixels.
_NARROW, _WIDE = frozenset(" ijlft,.:;'’()|-–"), frozenset("mwMW")


Place = tuple[float, float]


@dataclass(frozen=True)
class Label:
    """A text for one curve or more, at the height of `y`, with the styles of what it names."""

    y: float
    text: str
    styles: tuple[Style, ...]

    def text_at(self, *, has_marks: bool) -> float:
        """Pixels right of the panel: behind the marks, if there are any."""
        more = max(0, len(self.styles) - 1)
        return _TEXT_AT + _MARKS_APART * more if has_marks else MARK_AT

    def marks_at(self) -> list[tuple[float, Style]]:
        return [(MARK_AT + _MARKS_APART * index, one) for index, one in enumerate(self.styles)]

    def end(self, *, has_marks: bool) -> float:
        """About where the text ends, in pixels right of the panel."""
        return self.text_at(has_marks=has_marks) + sum(map(_width, self.text)) + _MARGIN


def _width(letter: str) -> float:
    if letter in _NARROW:
        return 4.1
    return 11.0 if letter in _WIDE else 8.7 if letter.isupper() else 7.4


def together(labels: Sequence[Label], points: Callable[[Style], Sequence[Place]]) -> list[Label]:
    """One label for curves that lie on each other: of two names one would have no mark to be seen."""

    def hides(one: Style, other: Style) -> bool:
        few, many = sorted((points(one), points(other)), key=len)
        return one != other and bool(few) and all(_is_near(place, many) for place in few)

    merged: list[Label] = []
    for label in labels:
        for index, known in enumerate(merged):
            if any(hides(one, other) for one in label.styles for other in known.styles):
                merged[index] = replace(
                    known,
                    text=f"{known.text}, {label.text}",
                    styles=tuple(dict.fromkeys((*known.styles, *label.styles))),
                )
                break
        else:
            merged.append(label)
    return merged


def _is_near(place: Place, others: Sequence[Place]) -> bool:
    x, y = place
    return any(abs(x - at) < 1 and abs(y - height) < _HIDDEN for at, height in others)


def places(wanted: Sequence[float], height: float) -> list[float]:
    """Places from 0 to 1 for labels that want these, from bottom to top, moved apart where they would overlap."""
    step = _STEP / height
    groups: list[list[float]] = []
    for at in wanted:
        # A group of labels moves as a whole, so that its middle stays where it was.
        groups.append([at])
        while len(groups) > 1 and _bottom(groups[-1], step) < _top(groups[-2], step):
            last = groups.pop()
            groups[-1] += last
    placed = []
    for group in groups:
        bottom = max(0.0, _bottom(group, step))
        bottom = min(bottom, max(0.0, 1 + step / 2 - step * len(group)))
        placed += [bottom + step * (index + 0.5) for index in range(len(group))]
    return placed


def _bottom(group: list[float], step: float) -> float:
    return sum(group) / len(group) - step * len(group) / 2


def _top(group: list[float], step: float) -> float:
    return sum(group) / len(group) + step * len(group) / 2
