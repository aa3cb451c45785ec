"""Lines of a front page with numbers of the data:

    <!-- lab:text
    - One word of each line costs {01.scattered_is_slower} the time.
    - Predicted times are off by {error.h200} on the mean.
    -->

`{01.…}` is a placeholder of that chapter's page.md; `{error.…}` the mean error of predicted times: of the
chapters on an h200 and an h100, of printed ones, of public programs, of those that are held_back. A line without
data, or of a chapter that has been removed, is left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from notebook.base.project import Project
from notebook.base.text import close_matches
from notebook.decide import answers
from notebook.decide.tables import ChapterVerdicts
from notebook.pages.chapter_page import ChapterPage
from notebook.timing import sets

_PLACEHOLDER = re.compile(r"\{([a-z0-9]+)\.([^{}]+)\}")
_ERROR = "error"
# In the order of timing/sets.py.
_SETS = ("h200", "h100", "printed", "programs", "held_back")

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


def mean_error(project: Project, name: str) -> str:
    """The mean of the absolute errors of a set of predicted times: `16 %`; raises ValueError."""
    if name not in _SETS:
        raise ValueError(f"unknown times {name}; {close_matches(name, _SETS)}")
    chosen = sets.all_sets(project)[_SETS.index(name)]
    if not any(chosen.groups.values()):
        raise answers.Unanswered(f"no predicted times of {name}")
    return f"{100 * chosen.errors.mean:.0f} %"
