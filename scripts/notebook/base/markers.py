"""Markers in pages: a comment that asks for a table, `<!-- lab:KIND NAME -->`, and its end. In a chapter's page.md
there is no end, and no name: the comment alone, which README.md has the table for.

A marker may have lines of its own, each `key: words`:

    <!-- lab:gpus
    offset_11_is_slower: time, offset 11 ÷ offset 0
    -->
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from notebook.base import files
from notebook.base.errors import Problem
from notebook.base.text import quoted

_BEGIN = re.compile(r"<!-- lab:(?!end)(\w+)(?: (\w+))?( -->)?")
_CLOSE = "-->"
END = "<!-- lab:end -->"


class WrongMarker(Exception):
    """What is wrong with a marker, and in which line of the page."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class Marker:
    """A table that a page asks for: its kind, its chapter, its rows."""

    kind: str
    name: str | None
    rows: tuple[str, ...]


def rows_of(page: Path, kind: str) -> list[str]:
    """The rows of all markers of a kind in a page, [] without the page; raises Problem."""
    found: list[str] = []
    if not files.is_there(page):
        return found

    def note(marker: Marker) -> list[str]:
        found.extend(marker.rows if marker.kind == kind else ())
        return []

    try:
        filled(files.text_of(page), note)
    except WrongMarker as wrong:
        raise Problem(f"{quoted(page)}: line {wrong.line}: {wrong}") from wrong
    return found


def filled(text: str, table: Callable[[Marker], list[str]]) -> str:
    """A page with the table of each marker; raises WrongMarker. `table` raises ValueError for a
    marker that it cannot serve."""
    return "\n".join(_filled(text.split("\n"), table))


def _filled(lines: list[str], table: Callable[[Marker], list[str]]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        begin = _BEGIN.fullmatch(line.strip())
        if line.strip() == END:
            raise WrongMarker(at + 1, f"{END} without its beginning")
        if not begin:
            yield line
            at += 1
            continue
        end = _end(lines, at)
        head = at if begin[3] else _close(lines, at, end)
        rows = tuple(filter(None, (line.strip() for line in lines[at + 1 : head])))
        yield from lines[at : head + 1]
        try:
            yield from table(Marker(begin[1], begin[2], rows))
        except ValueError as error:
            raise WrongMarker(at + 1, str(error)) from error
        yield lines[end]
        at = end + 1


def _end(lines: list[str], begin: int) -> int:
    for at in range(begin + 1, len(lines)):
        if lines[at].strip() == END:
            return at
        if _BEGIN.fullmatch(lines[at].strip()):
            raise WrongMarker(begin + 1, f"no {END} before line {at + 1}")
    raise WrongMarker(begin + 1, f"no {END} follows")


def _close(lines: list[str], begin: int, end: int) -> int:
    for at in range(begin + 1, end):
        if lines[at].strip() == _CLOSE:
            return at
    raise WrongMarker(begin + 1, f"the comment is not closed: no line {_CLOSE}")


def alone(block: list[str]) -> Marker | None:
    """The marker that is all of these lines; raises ValueError where one is not closed."""
    begin = _BEGIN.fullmatch(block[0].strip())
    if not begin:
        return None
    if not begin[3] and block[-1].strip() != _CLOSE:
        raise ValueError(f"the comment is not closed: no line {_CLOSE}")
    rows = () if begin[3] else tuple(filter(None, (line.strip() for line in block[1:-1])))
    return Marker(begin[1], begin[2], rows)
