"""Tables of pages fit a screen's width, and links lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("chapters/*/README.md"))]


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
