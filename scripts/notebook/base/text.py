"""Text that is safe to print and to put into pages, whatever the data says."""

import difflib
import re
import shlex
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path


def plain(text: object) -> str:
    """`text` on one line, with everything that is not printable replaced by a space."""
    return "".join(letter if letter.isprintable() else " " for letter in str(text))


def short(text: object, longest: int = 200) -> str:
    """`text` as `plain` makes it, cut: for messages about what a file says."""
    whole = plain(str(text)[: 2 * longest])
    return whole if len(whole) <= longest else f"{whole[:longest]}…"


def quoted(path: Path | str) -> str:
    """A path, or what somebody gave for one, for a message, as a shell takes it."""
    return shlex.quote(plain(path))


def markdown_cell(text: object) -> str:
    """`text` as the content of one cell of a markdown table; it cannot leave the cell."""
    return plain(text).replace("|", "\\|").replace("<", "&lt;")


def superscript(number: int) -> str:
    """A number as a reference to a note: `¹²`."""
    return str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def markdown_code(text: object) -> str:
    """`text` as code in a cell of a markdown table; it can leave neither the code nor the cell."""
    longest = max(map(len, re.findall("`+", str(text))), default=0)
    fence, blank = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{blank}{plain(text)}{blank}{fence}".replace("|", "\\|")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a markdown table; the cells are taken as they are."""
    return [
        "| " + " | ".join(header) + " |",
        "|" + " --- |" * len(header),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def terminal_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table with aligned columns."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]


def wrapped(text: str, indent: str = "", width: int = 100) -> list[str]:
    """`text` in lines of at most `width` characters; a longer word stays whole."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def close_matches(word: str, valid: Iterable[str], most: int | None = None) -> str:
    """`valid` as a list for an error message, led by what `word` probably meant; the nearest `most`, if given."""
    names = list(valid)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    guess = f"did you mean {close[0]}? " if close else ""
    if most is not None and len(names) > most:
        nearest = difflib.get_close_matches(word, names, n=most, cutoff=0)
        return f"{guess}valid, for example: {', '.join(nearest)}"
    return f"{guess}valid: {', '.join(names)}"


def power_of_two(value: str) -> str:
    """A size as 2^k where it is one (`16777216` is `2^24`), else as it is."""
    if value.isdecimal() and (size := int(value)) >= 1024 and size & (size - 1) == 0:
        return f"2^{size.bit_length() - 1}"
    return value


def between(page: str, begin: str, end: str, lines: list[str]) -> str:
    """The page with these lines between two markers; raises ValueError where it lacks one."""
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"there is no {begin} … {end}")
    return "\n".join([before + begin, *lines, end + after])
