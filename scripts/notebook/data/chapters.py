"""The chapters: directories chapters/NN_name that hold an experiment.cu."""

import re
from dataclasses import dataclass
from pathlib import Path

from notebook.base import files
from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.base.text import close_matches

# A person edits this file; README.md is made from it.
PAGE = "page.md"
_DIRECTORY = re.compile(r"[0-9]{2}_[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Chapter:
    """One experiment, for example 02_misaligned_reads."""

    directory: Path

    @property
    def name(self) -> str:
        return self.directory.name

    @property
    def number(self) -> str:
        return self.name[:2]

    @property
    def target(self) -> str:
        """The ninja target of its executable, which is also the path below build/."""
        return f"chapters/{self.name}/{self.name[3:]}"

    @property
    def question(self) -> str:
        """The title of its page, without the chapter's number."""
        page = self.directory / PAGE
        if not files.is_there(page):
            return ""
        title = re.search(r"^#(?!#)(.*)", files.text_of(page), re.MULTILINE)
        return title[1].strip().removeprefix(self.number).strip() if title else ""


def all_chapters(project: Project) -> list[Chapter]:
    """Every chapter, in order."""
    return [
        Chapter(directory)
        for directory in sorted(project.chapters.glob("*"))
        if _DIRECTORY.fullmatch(directory.name) and (directory / "experiment.cu").is_file()
    ]


def find_chapters(project: Project, words: list[str]) -> list[Chapter]:
    """The chapters that `words` name (directory, number or unambiguous part); all for none."""
    chapters = all_chapters(project)
    if not words:
        return chapters
    named = {_find(chapters, word) for word in words}
    return [chapter for chapter in chapters if chapter in named]


def _find(chapters: list[Chapter], word: str) -> Chapter:
    name = word.rstrip("/").removeprefix("chapters/")
    number = name.zfill(2)
    matches = [chapter for chapter in chapters if name == chapter.name or number == chapter.number]
    if not matches and name:
        matches = [chapter for chapter in chapters if name in chapter.name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(chapter.name for chapter in matches)
        raise Problem(f"chapter '{word}' may be any of: {names}", WRONG_USAGE)
    valid = [chapter.name for chapter in chapters]
    raise Problem(f"there is no chapter '{word}'; {close_matches(name, valid)}", WRONG_USAGE)
