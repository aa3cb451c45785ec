"""Tables in pages that scripts of their own make."""

import sys
from collections.abc import Callable
from pathlib import Path

from notebook.base.errors import Problem
from notebook.base.text import between


def filled(page: Path, text: str, ends: tuple[str, str], table: list[str]) -> str:
    """The text of the page with the table between its two lines; raises Problem."""
    try:
        return between(text, *ends, table)
    except ValueError as error:
        raise Problem(f"{page.name}: {error}") from error


def update(page: Path, filled_in: Callable[[str], str], check: bool) -> int:
    """Writes the page; with `check` it writes nothing and returns 1 where the page is not up to date."""
    try:
        old = page.read_text(encoding="utf-8")
        new = filled_in(old)
    except (Problem, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    if check:
        return int(new != old)
    page.write_text(new, encoding="utf-8")
    return 0
