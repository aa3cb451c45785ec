"""Tables of pages fit a screen's width, and links lead somewhere."""

import re
import subprocess
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from notebook.base import markers
from notebook.decide import rules
from notebook.tools import toolbox

CHROMIUM = toolbox.CHROMIUM.find()
ROOT = Path(__file__).parents[3]
CHAPTER_PAGES = sorted(ROOT.glob("chapters/*/README.md"))
PAGES = [ROOT / "README.md", ROOT / "chapters" / "README.md", *CHAPTER_PAGES]


# Characters of a line as rendered, its cells set apart by three.
MAX_WIDTH, BETWEEN = 120, 3


def rendered_width(row: str) -> int:
    """The characters of a table's line as a reader sees them: links by their text, cells by their longest line."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", row.replace("\\|", "¦").replace("\u2060", ""))
    text = text.replace("&nbsp;", " ")
    text = re.sub(r"`|\*\*|</?su[bp]>", "", text).replace("&lt;", "<")
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    return sum(max(map(len, cell.split("<br>"))) + BETWEEN for cell in cells)


def unfolded(page: Path) -> str:
    return re.sub(r"<details>.*?</details>", "", page.read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", CHAPTER_PAGES, ids=lambda page: page.parent.name)
def test_no_line_of_a_table_is_wider_than_a_screen(page: Path) -> None:
    rows = [line for line in unfolded(page).split("\n") if line.startswith("|")]
    assert [row for row in rows if rendered_width(row) > MAX_WIDTH] == []


def test_each_rule_is_read_at_a_glance() -> None:
    """By topic, each with its verdict and a number with its condition in the cell, or the word that nothing decides."""
    text = (ROOT / "README.md").read_text("utf-8")
    table = text.partition("| rule |")[2].partition("\n\n")[0].split("\n")[2:]
    topics = [row for row in table if row.startswith("| **")]
    rules = [row for row in table if row not in topics]
    assert len(topics) >= 7 and 22 <= len(rules) <= 40
    cell = r"[^|]*\*\*(yes|yes, and more|partly|no|opposite|open)\*\* \([0-9.,–]+( %|×)\)[^|]*"
    # A chapter that no GPU has measured yet.
    cell = rf"({cell}|needs a GPU)"
    others = r"((measured|published|predicted|counted): [^|?]+[0-9][^|?]*|open|–)"
    for row in rules:
        assert re.fullmatch(rf"\| [^|]+ \| {cell} \| {others} \| \[[0-9]{{2}}\][^|]+ \|", row), row


def test_both_languages_have_the_same_rules() -> None:
    def asked(page: str) -> list[tuple[str, str]]:
        rows = markers.rows_of(ROOT / page, "rules")
        return [(rule.chapter, rule.claim) for rule in rules.parse(rows)]

    assert asked("README.md") == asked("README.zh.md")


# The front page up to the end of its commands, as GitHub shows it: 1,012 pixels wide.
MAX_PIXELS = 1600
PAGE_STYLE = """body { font: 16px/1.5 "DejaVu Sans", sans-serif; width: 1012px; margin: 0 }
h1 { font-size: 2em; margin: 24px 0 16px; padding-bottom: .3em } p, ul, pre { margin: 0 0 16px }
pre { padding: 16px; font-size: 85%; line-height: 1.45 } img { max-width: 100%; width: 100% }"""


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium; apt-get install chromium")
@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_commands_of_the_front_page_end_within_two_screens(name: str, tmp_path: Path) -> None:
    """The picture is as tall as its SVG says at this width."""
    text = (ROOT / name).read_text("utf-8")
    body = MarkdownIt("commonmark", {"html": True}).render(text.partition("\n## ")[0])
    body = body.replace('src="plots/', f'src="{(ROOT / "plots").as_uri()}/')
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><style>{PAGE_STYLE}</style>{body}<script>addEventListener('load', () =>"
        " { document.title = Math.ceil(document.body.getBoundingClientRect().bottom) })</script>",
        encoding="utf-8",
    )
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()],
        capture_output=True, encoding="utf-8", timeout=120, check=True,
    )  # fmt: skip
    height = re.search(r"<title>([0-9]+)</title>", done.stdout)
    assert height and 600 < int(height[1]) <= MAX_PIXELS


def test_the_width_is_that_of_the_rendered_text() -> None:
    assert rendered_width("| [ab](c/d/e.md) | `x`<br>**yyyy** | 1 \\| 2 |") == 2 + 4 + 5 + 3 * 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not target.startswith("http") and not target.endswith(
            ".svg"
        ):  # `lab figures` draws those
            assert (page.parent / target.partition("#")[0]).exists(), target
