"""Numbers that no placeholder fills: sizes of claims, and one of the front page."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from notebook.base.project import Project
from notebook.data import chapters
from notebook.pages.prose_numbers import ChapterNumbers

ROOT = Path(__file__).parents[3]
CHAPTERS = sorted(path.name for path in (ROOT / "chapters").glob("[0-9][0-9]_*"))


def claims_of(chapter: str) -> list[dict[str, Any]]:
    text = (ROOT / "chapters" / chapter / "claims.toml").read_text(encoding="utf-8")
    claims: list[dict[str, Any]] = tomllib.loads(text)["claim"]
    return claims


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_claimed_size_is_the_ratio_of_the_printed_values(chapter: str) -> None:
    for claim in claims_of(chapter):
        match = re.search(r"\(([\d.]+) against ([\d.]+)", claim["statement"])
        if match and "claimed" in claim:
            ratio = float(match[1]) / float(match[2])
            assert any(
                claim["claimed"] == pytest.approx(number, rel=3e-3) for number in (ratio, 1 / ratio)
            ), claim["id"]


@pytest.mark.parametrize("front", ["README.md", "README.zh.md"])
def test_the_front_page_has_the_fermi_s_share_of_its_peak(front: str) -> None:
    """Of the theoretical one: no claim is about it, so that no placeholder has it."""
    project = Project.here()
    (naive,) = chapters.find_chapters(project, ["16"])
    share = ChapterNumbers.of(project, naive).printed("fermi_share_of_peak", "%")
    row = next(
        line
        for line in (ROOT / front).read_text(encoding="utf-8").split("\n")
        if line.startswith("|") and "16_matmul_naive/)&nbsp;" in line
    )
    assert f"Fermi {share}" in row
