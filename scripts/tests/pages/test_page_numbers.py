"""Numbers that no placeholder fills: sizes of claims."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

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
