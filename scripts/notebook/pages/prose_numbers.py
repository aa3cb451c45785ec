"""Numbers of a page's prose: named in the chapter's numbers.py, printed where page.md has their name.

    NUMBERS: Numbers = {
        "extra_time": lambda d: d.more("read_offset offset:11", "read_offset offset:0"),
    }

A query yields one or more values. A placeholder says how they are printed, parts in any order:

    {extra_time}            smallest to largest: 0.5–2
    {extra_time:%}          with a unit behind: 0.5–2 %; without a blank: {ratio:×}
    {extra_time:max:%}      one value: max, min or median
    {extra_time:median:.1}  with one decimal; without this two significant digits, three with :3
    {l1_share:of 16}        as a part: 15 of 16
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from notebook.base import ratio_text
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.base.text import close_matches, short
from notebook.data import chapter_code
from notebook.data.chapters import Chapter
from notebook.decide import answers
from notebook.decide.judging import SMALLEST_EFFECT
from notebook.pages.queries import Data, Numbers

FILE = "numbers.py"
_ONE_OF: dict[str, Callable[[Sequence[float]], float]] = {"max": max, "min": min, "median": median}
UNITS = (
    "%",
    "×",
    *("ns", "µs", "ms", "s"),
    *("B", "KB", "MB", "GB", "KiB", "MiB"),
    *("B/s", "GB/s", "TB/s", "GFLOP/s", "TFLOP/s"),
    "clocks",
)
_DIGITS = 2


@dataclass(frozen=True)
class Form:
    """How the values of a number are printed."""

    one: str = ""
    unit: str = ""
    decimals: int | None = None
    digits: int = _DIGITS
    parts: int = 0

    @staticmethod
    def parsed(text: str) -> "Form":
        """Of `max:%`; raises ValueError."""
        form = Form()
        for part in filter(None, text.split(":")):
            if part in _ONE_OF:
                form = replace(form, one=part)
            elif part in UNITS:
                form = replace(form, unit=part if part == "×" else f" {part}")
            elif re.fullmatch(r"\.[0-3]", part):
                form = replace(form, decimals=int(part[1]))
            elif re.fullmatch(r"[1-6]", part):
                form = replace(form, digits=int(part))
            elif re.fullmatch(r"of [1-9][0-9]*", part):
                form = replace(form, parts=int(part[3:]))
            else:
                known = [*_ONE_OF, ".1", "3", "of 16", *UNITS]
                raise ValueError(f"form {part!r}; {close_matches(part, known)}")
        return form

    def printed(self, values: Sequence[float]) -> str:
        ends = [_ONE_OF[self.one](values)] if self.one else [min(values), max(values)]
        is_ratio = self._behind == "×" and self.decimals is None
        shown = ratio_text.ends(ends, self._number) if is_ratio else map(self._number, ends)
        return "–".join(dict.fromkeys(shown)) + self._behind

    @property
    def _behind(self) -> str:
        return f" of {self.parts}" if self.parts else self.unit

    def _number(self, value: float) -> str:
        if self.parts:
            return f"{value * self.parts:.0f}"
        if self.decimals is not None:
            return f"{value:,.{self.decimals}f}"
        return significant(value, self.digits)


def significant(value: float, digits: int) -> str:
    """Rounded to so many digits; without an exponent, without zeros behind the point that say nothing."""
    rounded = float(f"{value:.{digits - 1}e}")
    if abs(rounded) >= 10**digits:
        return f"{value:,.0f}"
    whole = len(f"{abs(rounded):.0f}") if abs(rounded) >= 1 else 0
    places = digits - whole if whole else digits - 1 - int(f"{rounded:e}".partition("e")[2])
    text = f"{rounded:,.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class ChapterNumbers:
    """The numbers of a chapter, from the data of a project."""

    chapter: Chapter
    known: Numbers
    data: Data

    @staticmethod
    def of(project: Project, chapter: Chapter) -> "ChapterNumbers":
        """Raises Problem for a numbers.py that is wrong."""
        known: Numbers = chapter_code.attribute(chapter, FILE, "NUMBERS") or {}
        return ChapterNumbers(
            chapter,
            {"smallest_effect": lambda _: [100 * SMALLEST_EFFECT], **known},
            Data(chapter.number, project=project),
        )

    def printed(self, name: str, form: str) -> str:
        """Raises ValueError for a wrong form, answers.Unanswered where the query finds nothing."""
        parsed = Form.parsed(form)
        try:
            values = self.known[name](self.data)
        except (LookupError, ValueError, ArithmeticError) as error:
            raise answers.Unanswered(f"no data ({name}: {short(error)})") from error
        except (TypeError, AttributeError, NameError, OSError) as error:
            where = f"{self.chapter.name}/{FILE}"
            raise Problem(f"{where}: {name}: {type(error).__name__}: {short(error)}") from error
        if not values:
            raise answers.Unanswered(f"no data ({name})")
        return parsed.printed(values)
