"""`lab verdicts`: what the data decide, as a page, a matrix, tables of one device, or as JSON."""

import json
import sys
from argparse import Namespace
from collections.abc import Iterator

from notebook.base.errors import CHECK_FAILED, WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.base.text import close_matches, plain
from notebook.data.chapters import Chapter, find_chapters
from notebook.data.devices import slug_of
from notebook.decide import findings, tables, verdicts
from notebook.decide.tables import ChapterVerdicts
from notebook.pages import matrix, verdict_page


def print_verdicts(options: Namespace) -> int:
    """Prints all that can be decided; what cannot is an error for each chapter, and status 1."""
    data, device = options.data, options.device
    project = Project.with_results(data)
    chapters = find_chapters(project, options.chapters)
    slug = None if device is None else slug_of(device)
    problems: list[str] = []
    if slug is None and not options.json and not options.all:
        # A chapter's part of the page is made while the next ones are decided.
        print("\n".join(verdict_page.lines(project, _decide(project, chapters, slug, problems))))
        return _ended(problems)
    decided = list(_decide(project, chapters, slug, problems))
    if (
        slug is not None
        and data is None
        and not any(chapter_verdicts.results for chapter_verdicts in decided)
    ):
        # A run of ours that is not to stay.
        problems.clear()
        decided = list(_decide(project.beside, chapters, slug, problems))
    if (
        slug is not None
        and not problems
        and not any(chapter_verdicts.results for chapter_verdicts in decided)
    ):
        places = (project,) if data is not None else (project, project.beside)
        every = (tables.all_results(place, chapters) for place in places)
        known = sorted({result.device for listed in every for result in listed})
        where = f" in {', '.join(chapter.name for chapter in chapters)}" if options.chapters else ""
        raise Problem(
            f"no data of device '{plain(slug)}'{where}; {close_matches(slug, known)}", WRONG_USAGE
        )
    if options.json:
        listed = [
            tables.as_json(verdict)
            for chapter_verdicts in decided
            for verdict in chapter_verdicts.verdicts
        ]
        print(json.dumps(listed, indent=2, allow_nan=False))
    elif slug is None:
        print("\n".join(matrix.lines(decided)))
    else:
        for chapter_verdicts in (
            chapter_verdicts for chapter_verdicts in decided if chapter_verdicts.verdicts
        ):
            print(
                "\n".join(
                    [chapter_verdicts.chapter.name, *tables.terminal_lines(chapter_verdicts), ""]
                )
            )
        print(verdicts.LEGEND)
    return _ended(problems)


def _ended(problems: list[str]) -> int:
    for problem in problems:
        print(f"lab: error: {problem}", file=sys.stderr)
    return CHECK_FAILED if problems else 0


def _decide(
    project: Project, chapters: list[Chapter], device: str | None, problems: list[str]
) -> Iterator[ChapterVerdicts]:
    """What can be decided; adds to the problems what is wrong with the rest."""
    for chapter in findings.prepared(project, chapters, device):
        try:
            chapter_verdicts = tables.decide_chapter(project, chapter, device)
        except Problem as problem:
            problems.append(str(problem))
        else:
            problems += chapter_verdicts.wrong_claims
            yield chapter_verdicts
