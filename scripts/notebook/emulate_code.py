"""The text of the lines of code that a report names, for people; and how its kernels are called."""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from notebook.emulate_records import Place
from notebook.text import plain

# Headers of CUDA: a reader looks for the line of the program that uses them.
_TOOLKIT = re.compile(r"(cuda|nvidia)[^/]*/.*include/")
_MAX_FILE_BYTES = 4 << 20


def is_of_toolkit(file: str) -> bool:
    """Whether a file is a header of CUDA."""
    return bool(_TOOLKIT.search(file))


def shown_place(place: Place, files: Iterable[str] = ()) -> Place:
    """The program's own line: where a function of CUDA's headers was inlined, its caller's.

    `files`: those of the program; the caller's is named by the end of its path.
    """
    file, colon, line = place.inlined_at.rpartition(":")
    if colon and line.isdecimal() and is_of_toolkit(place.file):
        whole = next((name for name in files if name.endswith(f"/{file}")), file)
        return replace(place, file=whole, line=int(line), inlined_at="")
    return place


def text_of(place: Place) -> str:
    """The line's text without its indentation; "" where the file is not there."""
    lines = _lines(place.file) if place.file else ()
    return plain(lines[place.line - 1].strip()) if 0 < place.line <= len(lines) else ""


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
