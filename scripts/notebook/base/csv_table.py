"""Tables. Every cell that is read has a column, every number is within its limits; else one line says where."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from notebook.base import errors, files
from notebook.base.errors import Malformed, Problem
from notebook.base.text import quoted, short

T = TypeVar("T")

_LONGEST_FILE = 8 * 2**20
_MAX_ROWS = 100_000
_MAX_COLUMNS = 200
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONGEST_HEADER = 10_000
_SHOWN = 60  # characters of a wrong cell


class Line(dict[str, str]):
    """A line of a table, its cells by column; `number` is where it stands in the file."""

    def __init__(self, cells: Iterable[tuple[str, str]], number: int) -> None:
        super().__init__(cells)
        self.number = number

    def wrong(self, key: str) -> Malformed:
        return Malformed(f"line {self.number}: {key} is '{short(self[key], _SHOWN)}'")

    def real(self, key: str, low: float, high: float) -> float:
        """A number from `low` to `high`; raises Malformed."""
        text = self[key]
        try:
            # Python takes digits of any script, and underscores between them.
            value = float(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise self.wrong(key)
        return value

    def whole(self, key: str, low: int, high: int) -> int:
        """A whole number from `low` to `high`; raises Malformed."""
        text = self[key]
        if not (
            text.isascii() and text.isdecimal() and len(text) <= 20 and low <= int(text) <= high
        ):
            raise self.wrong(key)
        return int(text)


def read(path: Path, columns: Iterable[str]) -> list[Line]:
    """The lines of a table that git tracks; raises Problem."""
    try:
        return parse(read_content(path), columns)
    except Malformed as error:
        raise damaged(path, error) from error


def read_usable(path: Path, columns: Iterable[str], make: Callable[[Line], T]) -> list[T]:
    """What `make` makes of each line; [] where the table is not there, or damaged, which is refused."""
    try:
        return (
            [make(line) for line in parse(read_content(path), columns)]
            if files.is_there(path)
            else []
        )
    except Malformed as error:
        errors.refuse(damaged(path, error))
        return []


def damaged(path: Path, error: Malformed) -> Problem:
    """What is wrong with a table that git tracks."""
    return Problem(f"{quoted(path)}: {short(error)}; git checkout {quoted(path)}")


def read_content(path: Path) -> bytes:
    """That of a file that can be a table; raises Malformed."""
    return files.read_bytes(path, _LONGEST_FILE)


def write(path: Path, columns: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)


def parse(content: bytes, columns: Iterable[str]) -> list[Line]:
    """The lines of a table that has at least these columns; raises Malformed."""
    if len(content) > _LONGEST_FILE:
        raise Malformed(f"is larger than {_LONGEST_FILE >> 20} MiB")
    text = files.as_text(content)
    if len(text.partition("\n")[0]) > _LONGEST_HEADER:
        raise Malformed(f"line 1: is longer than {_LONGEST_HEADER} characters")
    if control := _CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        raise Malformed(f"line {line}: holds the control character {control[0]!r}")
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = next(reader, [])
        _check_header(header, columns)
        lines: list[Line] = []
        for cells in reader:
            if not cells or cells[0].startswith("#"):
                continue
            if len(cells) != len(header):
                raise Malformed(
                    f"line {reader.line_num}: {len(cells)} cells, {len(header)} columns"
                )
            if len(lines) == _MAX_ROWS:
                raise Malformed(f"has more than {_MAX_ROWS} rows")
            lines.append(Line(zip(header, cells, strict=True), reader.line_num))
        return lines
    except csv.Error as error:
        raise Malformed(f"line {reader.line_num}: is no table ({short(error)})") from error


def _check_header(header: list[str], columns: Iterable[str]) -> None:
    if len(set(header)) != len(header) or len(header) > _MAX_COLUMNS:
        raise Malformed("line 1: a column stands twice, or there are too many")
    if missing := [column for column in columns if column not in header]:
        raise Malformed(f"line 1: no column {missing[0]}")
