"""`lab list`: the chapters, the question of each, and its answer from the data."""

import json

from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.base.text import plain, wrapped
from notebook.data.chapters import Chapter, find_chapters
from notebook.decide import tables
from notebook.decide.answers import Unanswered
from notebook.pages import chapter_page


def print_chapters(project: Project, words: list[str], as_json: bool) -> int:
    """The chapters that `words` name, all for none; where the data give no answer, the reason takes its place."""
    chapters = find_chapters(project, words)
    if as_json:
        print(json.dumps([_described(project, chapter) for chapter in chapters], indent=2))
        return 0
    for chapter in chapters:
        try:
            answer = chapter_page.answer_or_reason(project, tables.decide_chapter(project, chapter))
        except Problem as problem:
            answer = f"no answer: {problem}"
        print(f"{chapter.name}  {plain(chapter.question)}".rstrip())
        print("\n".join(wrapped(plain(answer), indent="    ")))
    return 0


def _described(project: Project, chapter: Chapter) -> dict[str, object]:
    decided = tables.decide_chapter(project, chapter)
    answer: str | None
    try:
        answer = chapter_page.answer(project, decided)
    except Unanswered:
        answer = None
    return {
        "chapter": chapter.name,
        "question": chapter.question,
        "answer": answer,
        "devices": decided.ours.devices,
    }
