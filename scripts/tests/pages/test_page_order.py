"""Every chapter's page answers first, is short before its folded parts, and fits a screen's width."""

import re
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.data.chapters import PAGE, Chapter, all_chapters
from notebook.pages.answer_tables import MAX_WIDTH, rendered_width

ROOT = Path(__file__).parents[3]
# The form of pages that are made from a page.md: test_chapter_pages.py.
CHAPTERS = [
    chapter
    for chapter in all_chapters(Project(ROOT, ROOT / "data"))
    if not (chapter.directory / PAGE).is_file()
]
ORDER = ["Answer", "Why", "Then and now", "Method", "Reproduce"]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("chapters/*/README.md"))]


def unfolded(page: Path) -> str:
    return re.sub(r"<details>.*?</details>", "", page.read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_the_answer_comes_first(chapter: Chapter) -> None:
    text = (chapter.directory / "README.md").read_text("utf-8")
    assert re.match(rf"# {chapter.number} .{{10,100}}\?\n\n## Answer\n", text)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ORDER
    head, _, _ = text.partition("<details>")
    lines = head.count("\n")
    assert 60 <= lines <= 140, f"{lines} lines above the first folded part, of 60 to 140"
    assert "![" in head.partition("## Why")[0]  # the headline figure
    answer = re.sub(r"<!--.*?-->", "", head, flags=re.DOTALL).partition("|")[0]
    assert re.search(r"\d", answer.partition("## Answer")[2]) and "No answer yet" not in answer
    assert all(f"lab:{kind} {chapter.name}" in text for kind in ("answer", "verdicts", "counters"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_no_line_of_a_table_is_wider_than_a_screen(page: Path) -> None:
    rows = [line for line in unfolded(page).split("\n") if line.startswith("|")]
    assert [row for row in rows if rendered_width(row) > MAX_WIDTH] == []


def test_each_piece_of_lore_is_read_at_a_glance() -> None:
    """20 to 25 lines, each with its verdict, a number and its chapter, hardly any of them broken."""
    text = (ROOT / "README.md").read_text("utf-8")
    rows = [line for line in text.split("\n") if re.search(r"\| \[[0-9]{2}\]\(chapters/", line)]
    assert 20 <= len(rows) <= 25
    assert all(re.search(r"\| \*\*[A-Z][^*]*\.\*\* [^|]*[0-9]", row) for row in rows)
    assert sum("<br>" in row for row in rows) <= 1


def test_the_width_is_that_of_the_rendered_text() -> None:
    assert rendered_width("| [ab](c/d/e.md) | `x`<br>**yyyy** | 1 \\| 2 |") == 2 + 4 + 5 + 3 * 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not target.startswith("http") and not target.endswith(
            ".svg"
        ):  # `lab figures` draws those
            assert (page.parent / target.partition("#")[0]).exists(), target
