"""A chapter's page: a person edits page.md, `lab figures` makes README.md from it.

page.md has, in this order: a comment that says so; the question as title; the verdict, a paragraph that
`lab list` prints, too; the figure; the table of GPUs; Why; In practice; How to run; then parts that are folded.
In its text stand numbers of the data:

    {claim}, {claim@fermi}, {claim:percent} …   a claim's, by the forms of answers.py
    {claim:verdict}                             its verdict as the front page words it: No, It depends
    {name}, {name:max:%} …                      of the chapter's numbers.py, by the forms of prose_numbers.py
    {cited 49.8 %}                              printed by a source (citations.py)

Comments of their own lines become tables: `<!-- lab:gpus …`, `<!-- lab:verdicts -->`, `<!-- lab:counters -->`.
Code and drawings stay as they stand. A link to the glossary is put above the folds.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from notebook.base import files, markers
from notebook.base.errors import Problem
from notebook.base.markers import Marker, WrongMarker
from notebook.base.project import Project
from notebook.base.text import close_matches, short
from notebook.data.chapters import PAGE
from notebook.decide import answers
from notebook.decide.tables import ChapterVerdicts
from notebook.pages import citations, rule_table
from notebook.pages.prose_numbers import ChapterNumbers

_HEAD = "<!-- Edit this file; `scripts/lab figures {number}` makes README.md from it. -->"
_MADE = "<!-- Made by `scripts/lab figures {number}` from page.md. -->"
# Inline code, which keeps its braces; else a placeholder.
_CODE_OR_PLACEHOLDER = re.compile(r"`[^`]*`|\{([^{}]*)\}|[{}]")
_FENCE = "```"
_INDENTED = "    "
_FOLD = "<details>"
# The last line above the folds.
_WORDS = "[What the words mean](../../common/GLOSSARY.md)\n\n"
_TABLE_ROW = re.compile(r"^\|.*\|$", re.MULTILINE)
_LINK_TO_CHAPTER = re.compile(r"\[([^\]]*)\]\(\.\./([0-9]{2}_[a-z0-9_]+)/[^)]*\)")

Table = Callable[[Marker], list[str]]


class ChapterPage:
    """The page.md of a chapter, with the data that fill it."""

    def __init__(self, project: Project, decided: ChapterVerdicts) -> None:
        self._project, self._decided = project, decided
        self._chapter = decided.chapter
        self._first, _, self._text = files.text_of(self._chapter.directory / PAGE).partition("\n")

    def verdict(self) -> str:
        """The paragraph below the title in plain words; raises answers.Unanswered."""
        blocks = [block for _, block in _blocks(self._text)]
        if len(blocks) < 2:
            raise answers.Unanswered(f"{PAGE} has no paragraph below its title")
        try:
            return in_plain_words(self._filled(" ".join(blocks[1])))
        except ValueError as error:
            raise answers.Unanswered(str(error)) from error

    def readme(self, table: Table) -> str:
        """README.md; raises WrongMarker, with the line of page.md. `table` raises ValueError."""
        head = _HEAD.format(number=self._chapter.number)
        if self._first != head:
            raise WrongMarker(1, f"the first line of {PAGE} is: {head}")
        shown, fold, folded = "\n".join(self._lines(table)).partition(_FOLD)
        words = _WORDS if fold else ""
        made = f"{_TABLE_ROW.sub(_without_blanks, shown)}{words}{fold}{folded}"
        return (
            f"{_MADE.format(number=self._chapter.number)}\n{_LINK_TO_CHAPTER.sub(self._link, made)}"
        )

    def _lines(self, table: Table) -> Iterator[str]:
        for number, block in _blocks(self._text):
            try:
                if marker := markers.alone(block):
                    yield from _trimmed(table(marker))
                elif _is_code(block):
                    yield from block
                else:
                    yield from self._prose(block)
            except ValueError as error:
                raise WrongMarker(number + 1, str(error)) from error
            yield ""

    def _prose(self, block: list[str]) -> list[str]:
        try:
            return self._filled("\n".join(block)).split("\n")
        except answers.Unanswered as reason:
            command = f"scripts/lab run {self._chapter.number}"
            return [f"*No data yet: {reason}; to make them: `{command}`.*"]

    def _filled(self, text: str) -> str:
        """Raises ValueError for a wrong placeholder; answers.Unanswered where the data lack its number."""

        def number(match: re.Match[str]) -> str:
            if match[0].startswith("`"):
                return match[0]
            if match[1] is None:
                raise ValueError(f"a stray {match[0]} (a placeholder is {{name:form}})")
            return self.number(match[1])

        return _CODE_OR_PLACEHOLDER.sub(number, text)

    def number(self, placeholder: str) -> str:
        """What a placeholder becomes; raises ValueError and answers.Unanswered."""
        if placeholder.startswith(citations.PREFIX):
            return self._citations.checked(placeholder.removeprefix(citations.PREFIX))
        name, _, form = placeholder.partition(":")
        claimed = {verdict.claim.id for verdict in self._decided.verdicts}
        if name in self._numbers.known:
            if name in claimed:
                raise ValueError(f"{name} is a claim and a number: rename one of them")
            return self._numbers.printed(name, form)
        claim = name.partition("@")[0]
        if claim not in {answers.GPU, *claimed} and self._decided.verdicts:
            known = close_matches(claim, [*self._numbers.known, *claimed], most=5)
            raise ValueError(f"unknown number {short(claim)}; {known}")
        if form == "verdict":
            return rule_table.verdict_word(self._decided, claim)
        return answers.filled(self._decided, f"{{{placeholder}}}")

    @cached_property
    def _numbers(self) -> ChapterNumbers:
        return ChapterNumbers.of(self._project, self._chapter)

    @cached_property
    def _citations(self) -> citations.Citations:
        return citations.Citations(self._project, self._chapter)

    def _link(self, link: re.Match[str]) -> str:
        """A link to a chapter that has been removed is its text."""
        return link[0] if (self._project.chapters / link[2]).is_dir() else link[1]


def answer(project: Project, decided: ChapterVerdicts) -> str:
    """The chapter's answer: the verdict of its page; raises answers.Unanswered."""
    try:
        return ChapterPage(project, decided).verdict()
    except Problem as problem:
        raise answers.Unanswered(str(problem)) from problem


def answer_or_reason(project: Project, decided: ChapterVerdicts) -> str:
    """The answer, or why there is none."""
    try:
        return answer(project, decided)
    except answers.Unanswered as reason:
        return f"no answer yet: {reason}"


def in_plain_words(markdown: str) -> str:
    """The text of a paragraph, without its Markdown."""
    from markdown_it import MarkdownIt  # a tenth of a second, for the commands that need it

    inline = MarkdownIt().parseInline(markdown)[0].children or []
    parts = (" " if part.type.endswith("break") else part.content for part in inline)
    return " ".join("".join(parts).split())


def _without_blanks(row: re.Match[str]) -> str:
    """A row of a table without the blanks around its bars: words that a reader counts are words."""
    return f"|{row[0][1:-1].strip().replace(' | ', '|')}|"


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines between blank ones, those of a fence or of a comment together, with the number of the first."""
    block: list[str] = []
    until = ""
    for number, line in enumerate([*text.rstrip("\n").split("\n"), ""], start=1):
        if not until and not line.strip():
            if block:
                yield number - len(block), block
            block = []
            continue
        block.append(line)
        if until:
            until = "" if line.strip().endswith(until) else until
        elif line.startswith(_FENCE):
            until = _FENCE
        elif line.startswith("<!--") and "-->" not in line:
            until = "-->"
    if block:
        yield number - len(block), block


def _is_code(block: list[str]) -> bool:
    return block[0].startswith(_FENCE) or all(line.startswith(_INDENTED) for line in block)


def _trimmed(lines: list[str]) -> list[str]:
    """A table without the blank lines around it."""
    return "\n".join(lines).strip("\n").split("\n")
