"""Generated tables in pages, between `<!-- lab:NAME … -->` and `<!-- lab:end -->`.

- lab:chapters: all chapters, with the counts of verdicts of every device;
- lab:verdicts CHAPTER: the verdicts of a chapter;
- lab:counters CHAPTER: its counters, predicted, counted and measured (counter_table.py).
"""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from notebook import counter_table, files, names, tables
from notebook.chapters import Chapter, all_chapters
from notebook.devices import PUBLISHED
from notebook.errors import Problem
from notebook.project import Project
from notebook.results import Result
from notebook.tables import ChapterVerdicts
from notebook.text import close_matches, markdown_cell, markdown_table
from notebook.verdicts import NOT_MEASURED

_BEGIN = re.compile(r"<!-- lab:(?!end)(\S+)(?: (\S+))? -->")
_END = "<!-- lab:end -->"


class Pages:
    """The pages of a project and what their tables should be."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.chapters = all_chapters(project)
        # Several pages show the same chapter; its intervals are worth computing once.
        self._decided = cache(self._decide)

    def _decide(self, chapter: Chapter) -> ChapterVerdicts:
        decided = tables.decide_chapter(self.project, chapter)
        if decided.wrong_claims:  # a page without a verdict would hide it
            raise Problem("; ".join(decided.wrong_claims))
        return decided

    def rendered(self) -> Iterator[tuple[Path, str, str]]:
        """Each page with its text as it is and as it should be."""
        pages = [self.project.root / "README.md"]
        pages += [chapter.directory / "README.md" for chapter in self.chapters]
        for page in filter(Path.is_file, pages):
            text = page.read_text(encoding="utf-8")
            yield page, text, "\n".join(self._lines(page, text.split("\n")))

    def _lines(self, page: Path, lines: list[str]) -> Iterator[str]:
        begun = 0
        for number, line in enumerate(lines, start=1):
            begin = _BEGIN.fullmatch(line.strip())
            if begin and begun:
                raise self._problem(page, begun, f"no {_END} before line {number}")
            if begin:
                begun = number
                yield line
                yield from self._table(page, number, begin[1], begin[2])
            elif line.strip() == _END:
                if not begun:
                    raise self._problem(page, number, f"{_END} without its beginning")
                begun = 0
            if not begun:
                yield line
        if begun:
            raise self._problem(page, begun, f"no {_END} follows")

    def _table(self, page: Path, number: int, kind: str, name: str | None) -> list[str]:
        if kind == "chapters" and name is None:
            return self._chapters(page)
        if kind not in ("verdicts", "counters"):
            problem = f"unknown table {kind}; valid: chapters, verdicts CHAPTER, counters CHAPTER"
            raise self._problem(page, number, problem)
        by_name = {chapter.name: chapter for chapter in self.chapters}
        if name not in by_name:
            known = close_matches(name or "", by_name)
            raise self._problem(page, number, f"unknown chapter {name}; {known}")
        decided = self._decided(by_name[name])
        ours = decided.ours
        lines = ["", f"No data yet: `scripts/lab run {decided.chapter.number}` makes them.", ""]
        if ours.results:
            lines = self._counters(page, ours) if kind == "counters" else _verdicts(page, ours)
        return lines if kind == "counters" else [*lines, *_printed(page, decided)]

    def _counters(self, page: Path, decided: ChapterVerdicts) -> list[str]:
        def link(result: Result) -> str:
            table = self.project.data / result.device / "counters" / f"{result.chapter}.csv"
            return _link(page, result.device, table if table.is_file() else result.path)

        return counter_table.lines(decided.chapter, decided.results, link)

    def _problem(self, page: Path, number: int, what: str) -> Problem:
        return Problem(f"{self.project.quoted(page)}:{number}: {what}")

    def _chapters(self, page: Path) -> list[str]:
        every = [self._decided(chapter).ours for chapter in self.chapters]
        by_year = {(each.year, each.device) for decided in every for each in decided.results}
        devices = [device for _, device in sorted(by_year)]
        rows = [
            [
                _link(page, decided.chapter.name, decided.chapter.directory),
                markdown_cell(decided.chapter.question),
                *(tables.counts(decided, device) or "–" for device in devices),
            ]
            for decided in every
        ]
        return ["", *markdown_table(["chapter", "question", *devices], rows), ""]


def write_all(project: Project) -> list[Path]:
    """Brings the tables of every page up to date; returns the pages that changed."""
    changed = [(page, new) for page, old, new in Pages(project).rendered() if new != old]
    for page, new in changed:
        files.write(page, new)
    return [page for page, _ in changed]


def stale(project: Project) -> list[Path]:
    """The pages whose tables are not what the data say."""
    return [page for page, old, new in Pages(project).rendered() if new != old]


def _verdicts(page: Path, decided: ChapterVerdicts) -> list[str]:
    """Regimes with the same verdicts share a row, emulated GPUs with the same cells a column."""
    table = tables.grid(decided, by_verdict=True)
    columns: dict[tuple[tuple[str, ...], bool | str], list[Result]] = {}
    for number, result in enumerate(decided.results):
        cells = tuple(line.cells[number] for line in table.lines)
        columns.setdefault((cells, result.is_emulated or result.device), []).append(result)
    header = ["claim", "source", "regime"]
    header += [
        ", ".join(_link(page, each.device, each.path) for each in of) for of in columns.values()
    ]
    shown = [cells for cells, _ in columns]
    rows = [
        [
            markdown_cell(text)
            for text in (line.claim.statement, tables.said_by(line.claim), line.regimes, *cells)
        ]
        for line, *cells in zip(table.lines, *shown, strict=True)
    ]
    notes = [f"[{number}] {markdown_cell(note)}" for number, note in enumerate(table.notes, 1)]
    legend = (
        "Each row groups the sizes that have the same verdict. Numbers are min–max of variant ÷ baseline, or of the "
        "value itself; brackets are the 95 % interval. `scripts/lab verdicts --device …` shows each size."
    )
    return ["", *markdown_table(header, rows), "", *_paragraph([legend, *notes])]


def _printed(page: Path, decided: ChapterVerdicts) -> list[str]:
    """What printed numbers decide, a line each: most of these GPUs can say little."""
    found = [
        verdict
        for verdict in decided.verdicts
        if verdict.kind == "published" and verdict.finding.verdict != NOT_MEASURED
    ]
    if not found:
        return []
    path = next(result.path for result in decided.results if result.is_published)
    rows = [
        [
            verdict.claim.statement,
            verdict.device.removeprefix(PUBLISHED),
            names.regime_in_words(verdict.regime) or "not stated",
            tables.found(verdict),
            verdict.finding.reason,
        ]
        for verdict in found
    ]
    header = ["claim", _link(page, "published results", path), "regime", "verdict", "caveat"]
    return [*markdown_table(header, [[markdown_cell(cell) for cell in row] for row in rows]), ""]


def _paragraph(notes: list[str]) -> list[str]:
    return ["<br>\n".join(notes), ""] if notes else []


def _link(page: Path, text: str, target: Path) -> str:
    path = os.path.relpath(target, page.parent).replace(os.sep, "/")
    return f"[{text}]({path}{'/' if target.is_dir() else ''})"
