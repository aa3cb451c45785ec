"""What is generated in pages: the texts of their pictures, and tables (markers.py says how a page asks
for one):

- lab:rules: what books say and what holds on the newest GPUs and the others; rows as in decide/rules.py;
- lab:text: lines with numbers (front_text.py);
- lab:effects: the rules of the front page, by generation;
- lab:chapters: all chapters, their questions, and how many of their claims hold;
- lab:verdicts CHAPTER: all verdicts of a chapter;
- lab:counters CHAPTER: its counters, predicted, counted and measured (counter_table.py);
- lab:gpus: what a chapter found, GPU by GPU (gpu_table.py).

In a chapter's page.md the chapter is not named.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import groupby
from pathlib import Path

from notebook.base import files, markers
from notebook.base.errors import Problem, refuse
from notebook.base.markers import Marker, WrongMarker
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import close_matches, markdown_cell, markdown_table
from notebook.charts import figures
from notebook.data import device_names, names
from notebook.data.chapters import PAGE, Chapter, all_chapters
from notebook.data.results import Result
from notebook.decide import findings, rules, tables
from notebook.decide.rules import Rule
from notebook.decide.tables import ChapterVerdicts
from notebook.pages import (
    counter_table,
    front_text,
    gpu_table,
    kernel_files,
    page_tables,
    rule_table,
    verdict_page,
)
from notebook.pages.chapter_page import ChapterPage
from notebook.pages.page_tables import link

# Besides the chapters' own pages.
_FRONT, _CHINESE = "README.md", "README.zh.md"
FRONT_PAGES = (_FRONT, _CHINESE, "chapters/README.md")
_PICTURE = re.compile(r"!\[[^\]\n]*\]\(([a-z./]*plots/[a-z0-9_]+\.svg)\)")
_KINDS = (
    "chapters",
    "rules",
    "text",
    "effects",
    "verdicts CHAPTER",
    "counters CHAPTER",
)

_OWN_KINDS = ("gpus", "verdicts", "counters")


def _is_chinese(page: Path) -> bool:
    return page.name == _CHINESE


def _described(page: Path, text: str) -> str:
    """Pictures with what they say, their title, for readers that do not see them."""

    def described(picture: re.Match[str]) -> str:
        path = page.parent / picture[1]
        title = figures.alt_text(files.text_of(path)) if files.is_there(path) else ""
        return f"![{re.sub(r'[][<>`]', '', title)}]({picture[1]})" if title else picture[0]

    return _PICTURE.sub(described, text)


class Pages:
    """The pages of a project and what their tables should be."""

    def __init__(self, project: Project, asked: list[Chapter] | None = None) -> None:
        """`asked`: the chapters whose own pages are wanted, not all pages."""
        self.project = project
        self.chapters = all_chapters(project)
        self.asked = asked
        findings.prepare(project, self.chapters if asked is None else asked)
        # Several pages show the same chapter; its intervals are worth computing once.
        self.decided = cache(self._decide)
        self.say = cache(say)  # once

    def _decide(self, chapter: Chapter) -> ChapterVerdicts:
        decided = tables.decide_chapter(self.project, chapter)
        if decided.wrong_claims:  # a page without a verdict would hide it
            raise Problem("; ".join(decided.wrong_claims))
        return decided

    def rendered(self) -> Iterator[tuple[Path, str, str]]:
        """Each page with its text as it is and as it should be."""
        front = [self.project.root / name for name in FRONT_PAGES]
        shown = self.chapters if self.asked is None else self.asked
        pages = [*(front if self.asked is None else []), *(one.directory / PAGE for one in shown)]
        for source in filter(files.is_there, pages):
            try:
                yield self._made(source)
            except WrongMarker as wrong:
                refuse(Problem(f"{self.project.quoted(source)}:{wrong.line}: {wrong}"))
            except Problem as problem:  # the page stays as it is; others do not suffer
                refuse(problem)

    def _made(self, source: Path) -> tuple[Path, str, str]:
        """From a page.md its README.md, from another page itself; raises WrongMarker and Problem."""
        page = source.with_name("README.md") if source.name == PAGE else source
        text = files.text_of(page) if files.is_there(page) else ""
        if source.name == PAGE:
            decided = self.decided(self._chapter(source.parent.name))
            made = ChapterPage(self.project, decided).readme(partial(self._own_table, page))
        else:
            made = markers.filled(text, partial(self._table, page))
        return page, text, made if _is_chinese(page) else _described(page, made)

    def _own_table(self, page: Path, marker: Marker) -> list[str]:
        """One of a page.md, which is about its own chapter; raises ValueError."""
        if marker.name is not None or marker.kind not in _OWN_KINDS:
            raise ValueError(f"unknown table; {close_matches(marker.kind, _OWN_KINDS)}")
        own = replace(marker, name=page.parent.name)
        if marker.kind == "gpus":
            return gpu_table.lines(self.decided(self._chapter(page.parent.name)), marker.rows)
        return self._table(page, own)

    def _table(self, page: Path, marker: Marker) -> list[str]:
        """The lines of one table; raises ValueError."""
        kind = marker.kind if marker.name is None else f"{marker.kind} CHAPTER"
        if kind not in _KINDS:
            raise ValueError(f"unknown table {kind}; {close_matches(kind, _KINDS)}")
        if marker.name is None:
            return self._of_all(page, marker)
        decided = self.decided(self._chapter(marker.name))
        if marker.kind == "counters":
            return self._counters(page, decided.ours)
        return [*page_tables.verdicts(page, decided.ours), *page_tables.printed(page, decided)]

    def _of_all(self, page: Path, marker: Marker) -> list[str]:
        if marker.kind == "chapters":
            return self._chapters(page)
        if marker.kind == "text":
            return ["", *front_text.lines(self.project, marker.rows, self._found), ""]
        return self._rules(page, marker) if marker.kind == "rules" else self._effects(page)

    def _found(self, number: str) -> ChapterVerdicts | None:
        chapter = next((one for one in self.chapters if one.number == number), None)
        return self.decided(chapter) if chapter else None

    def _chapter(self, text: str) -> Chapter:
        by_name = {
            name: chapter for chapter in self.chapters for name in (chapter.name, chapter.number)
        }
        if text not in by_name:
            known = close_matches(text, [chapter.name for chapter in self.chapters])
            raise ValueError(f"unknown chapter {text}; {known}")
        return by_name[text]

    def _counters(self, page: Path, decided: ChapterVerdicts) -> list[str]:
        def linked(result: Result) -> str:
            table = self.project.data / result.device / "counters" / f"{result.chapter}.csv"
            return link(page, result.device, table if table.is_file() else result.path)

        if not decided.results:
            return page_tables.no_data(decided.chapter)
        return counter_table.lines(decided.chapter, decided.results, linked)

    def _chapters(self, page: Path) -> list[str]:
        """Their questions, and how the claims stand on the newest GPUs."""
        gpus = self._newest
        rows = []
        for chapter in self.chapters:
            decided = self._decidable(chapter)
            standings = verdict_page.standings(decided) if decided else {}
            counts = (verdict_page.counts(standings.get(gpu, [])) for gpu in gpus)
            cells = map(markdown_cell, (chapter.question, *counts))
            rows.append([link(page, chapter.name, chapter.directory), *cells])
        header = ["chapter", "question", *(f"claims on {device_names.short(gpu)}" for gpu in gpus)]
        return ["", *markdown_table(header, rows), ""]

    @cached_property
    def _newest(self) -> list[str]:
        return rule_table.newest(filter(None, map(self._decidable, self.chapters)))

    def _decidable(self, chapter: Chapter) -> ChapterVerdicts | None:
        """None where its claims are wrong, which its own page says."""
        try:
            return self.decided(chapter)
        except Problem:
            return None

    def _rules(self, page: Path, marker: Marker) -> list[str]:
        """By topic, a line of its own each."""
        words = rule_table.CHINESE if _is_chinese(page) else rule_table.ENGLISH
        header = rule_table.header(self._newest, words)
        body = []
        for topic, of_topic in groupby(self._asked(marker.rows), key=lambda rule: rule.topic):
            body += [[f"**{markdown_cell(topic)}**", *([""] * (len(header) - 1))]] if topic else []
            for rule in of_topic:
                where = self._where(page, rule, words.code)
                body.append(
                    rule_table.row(self._decided_of(rule), rule, self._newest, where, words)
                )
        return ["", *markdown_table(header, body), ""]

    def _effects(self, page: Path) -> list[str]:
        """Of the rules of the front page."""
        asked = list(self._asked(markers.rows_of(self.project.root / _FRONT, "rules")))
        decided = [self._decided_of(rule) for rule in asked]
        rows = [
            rule_table.effects_row(of_rule, rule, self._where(page, rule))
            for of_rule, rule in zip(decided, asked, strict=True)
        ]
        return ["", *markdown_table(rule_table.effects_header(decided), rows), ""]

    def _decided_of(self, rule: Rule) -> ChapterVerdicts:
        return self.decided(self._chapter(rule.chapter))

    def _where(self, page: Path, rule: Rule, code: str = "") -> str:
        """Links to the chapter and, where it has a name for it, to the code."""
        chapter = self._chapter(rule.chapter)
        where = link(page, chapter.number, chapter.directory)
        kernel = names.kernel(rules.claim_of(self._decided_of(rule), rule.claim).variant)
        path = kernel_files.of(chapter.directory, kernel) if code else None
        return f"{where}&nbsp;{link(page, code, path)}" if path else where

    def _asked(self, rows: Iterable[str]) -> Iterator[Rule]:
        """The rules that a page lists, without those of chapters that have been removed, or whose claims are wrong;
        raises ValueError."""
        by_number = {chapter.number: chapter for chapter in self.chapters}
        for rule in rules.parse(rows):
            chapter = by_number.get(rule.chapter)
            if chapter and self._decidable(chapter):
                yield rule
            else:
                lacks = "has wrong claims" if chapter else "is not there"
                self.say(f"chapter {rule.chapter} {lacks}: its rows are left out")


def write_all(project: Project, asked: list[Chapter] | None = None) -> list[Path]:
    """Brings the tables of every page, or of the chapters' own, up to date; returns the pages that changed."""
    changed = [(page, new) for page, old, new in Pages(project, asked).rendered() if new != old]
    for page, new in changed:
        files.write(page, new)
    return [page for page, _ in changed]


def stale(project: Project, asked: list[Chapter] | None = None) -> list[Path]:
    """The pages, or of the chapters' own, whose tables are not what the data say."""
    return [page for page, old, new in Pages(project, asked).rendered() if new != old]
