"""The text of the lines of code that a report names, for people; and how its kernels are called."""

from functools import cache
from pathlib import Path

from notebook.base.text import plain
from notebook.emulate.launches.records import Place

_MAX_FILE_BYTES = 4 << 20


def text_of(place: Place) -> str:
    """The line's text without its indentation; "" where the file is not there."""
    return plain(_line(place).strip())


def line_of(place: Place) -> str:
    """The same with its indentation."""
    return plain(_line(place).expandtabs(4).rstrip())


def _line(place: Place) -> str:
    lines = _lines(place.file) if place.file else ()
    return lines[place.line - 1] if 0 < place.line <= len(lines) else ""


@cache
def _lines(file: str) -> tuple[str, ...]:
    path = Path(file)
    try:
        # The name comes from the program: no devices, no pipes, nothing huge.
        if not path.is_file() or path.stat().st_size > _MAX_FILE_BYTES:
            return ()
        return tuple(path.read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()


def short_kernel(name: str, width: int = 60) -> str:
    """A demangled kernel without its return type and parameters, cut to `width`."""
    depth, end = 0, len(name)
    for i, letter in enumerate(name):
        depth += (letter == "<") - (letter == ">" and name[i - 1 : i] != "-")
        if letter == "(" and depth == 0 and name[i : i + 11] != "(anonymous ":
            end = i
            break
    short = name[:end].removeprefix("void ").strip() or name
    return short if len(short) <= width else short[: width - 3] + "..."
