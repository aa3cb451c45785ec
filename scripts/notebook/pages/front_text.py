"""Lines of a front page with numbers of the data:

    <!-- lab:text
    - One word of each line costs {01.scattered_is_slower} the time.
    - Predicted times are off by {error.validation} on the mean.
    -->

`{01.…}` is a placeholder of that chapter's page.md; `{error.TABLE}` the mean error of the predicted times in
data/timing/TABLE.csv. A line without data, or of a chapter that has been removed, is left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from statistics import mean

from notebook.base import csv_table
from notebook.base.project import Project
from notebook.decide import answers
from notebook.decide.tables import ChapterVerdicts
from notebook.pages.chapter_page import ChapterPage

_PLACEHOLDER = re.compile(r"\{([a-z0-9]+)\.([^{}]+)\}")
_ERROR = "error"
_REAL = ("measured_seconds", "printed_seconds")

# The chapter of a number; None where there is none.
Find = Callable[[str], ChapterVerdicts | None]


def lines(project: Project, rows: Iterable[str], find: Find) -> Iterator[str]:
    """Raises ValueError for a wrong placeholder."""

    def number(match: re.Match[str]) -> str:
        if match[1] == _ERROR:
            return mean_error(project, match[2])
        decided = find(match[1])
        if decided is None:
            raise answers.Unanswered(f"there is no chapter {match[1]}")
        return ChapterPage(project, decided).number(match[2])

    for row in rows:
        try:
            yield _PLACEHOLDER.sub(number, row)
        except answers.Unanswered:
            continue


def mean_error(project: Project, table: str) -> str:
    """Of the predicted times of a table of data/timing: `16 %`; raises ValueError."""
    path = project.root / "data" / "timing" / f"{table}.csv"
    if not re.fullmatch("[a-z_]+", table) or not path.is_file():
        raise ValueError(f"there is no table data/timing/{table}.csv")
    rows = csv_table.read(path, ["predicted_seconds"])
    pairs = [
        (float(row["predicted_seconds"]), float(row[real]))
        for row in rows
        for real in _REAL
        if row.get(real) and row["predicted_seconds"] and float(row[real]) > 0
    ]
    errors = [abs(predicted / real - 1) for predicted, real in pairs]
    return f"{100 * mean(errors):.0f} %"
