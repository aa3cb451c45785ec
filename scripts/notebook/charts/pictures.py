"""What an SVG of gnuplot's shows, apart from how a version of gnuplot writes it down.

Versions order and group what they draw differently, and newer ones clear the background around the
points of a line. Lines, areas, points and texts, each with its place and colour, are the same.
"""

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
# Definitions are gnuplot's own, and titles name its plots.
_NOT_DRAWN = {"desc", "defs", "title", "metadata"}
_STEP = re.compile(r"([MLZ])\s*(?:(-?[\d.]+)[ ,]+(-?[\d.]+))?")
_BACKGROUND = "#FFFFFF"
_DOT = "#gpDot"

Shown = tuple[str, ...]
Point = tuple[str, str]


def same(one: str, other: str) -> bool:
    """Whether two SVGs show the same; what is no SVG is like nothing else."""
    try:
        return shown(one) == shown(other)
    except ElementTree.ParseError:
        return False


def shown(svg: str) -> Counter[Shown]:
    """Everything that an SVG shows, in no order."""
    drawings: Counter[Shown] = Counter()
    _collect(ElementTree.fromstring(svg), "", drawings)
    return drawings


def _collect(element: ElementTree.Element, place: str, shapes: Counter[Shown]) -> None:
    kind = element.tag.removeprefix(_SVG)
    if kind in _NOT_DRAWN:
        return
    if kind == "path":
        stroke, fill = _colour(element.get("stroke")), _colour(element.get("fill"))
        shapes.update((stroke, fill, *line) for line in _lines(element.get("d", "")))
    elif kind == "use":
        if (colour := element.get("color", "")) != _BACKGROUND and element.get(_LINK) != _DOT:
            shapes[_colour(colour), element.get(_LINK, ""), element.get("transform", "")] += 1
    elif kind == "polygon":
        points = " ".join(element.get("points", "").split())
        shapes[_colour(element.get("fill")), element.get("fill-opacity", ""), points] += 1
    elif kind == "text":
        shapes[place, "".join(element.itertext())] += 1
    place = element.get("transform", place).replace(".00)", ")")
    for child in element:
        _collect(child, place, shapes)


def _lines(path: str) -> list[Shown]:
    """The straight lines of a path, each with its ends in one order."""
    lines: list[Shown] = []
    start: Point | None = None
    last: Point | None = None
    for step, x, y in _STEP.findall(path):
        here: Point | None = start if step == "Z" else (x, y)
        if step == "M":
            start = here
        elif last and here and last != here:
            (left, top), (right, bottom) = sorted([last, here])
            lines.append((left, top, right, bottom))
        last = here
    return lines


def _colour(text: str | None) -> str:
    return (text or "").replace(" ", "")
