"""Every number of the pages' prose that says what was found is what the tracked data say.

`page_numbers/chapter_NN.py` has a chapter's numbers: its facts, each with the values that its words stand for; what is
cited from a source; and what is given: numbers that define, count or follow from others on the page.
"""

import csv
import importlib
import re
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from page_numbers import check, data, prose, reading

from notebook.base.project import Project
from notebook.data import chapters
from notebook.pages.prose_numbers import ChapterNumbers

ROOT = Path(__file__).parents[3]
# Those of a page.md are filled from the data: test_chapter_pages.py.
CHAPTERS = sorted(
    path.name
    for path in (ROOT / "chapters").glob("[0-9][0-9]_*")
    if not (path / "page.md").is_file()
)
_SCALES = (1.0, 1e-3, 1e-6, 1e-9, 1e-12)


def module(chapter: str) -> ModuleType:
    """Its numbers; of a new chapter none are known."""
    name = f"page_numbers.chapter_{chapter[:2]}"
    return importlib.import_module(name if find_spec(name) else "page_numbers.of_no_chapter")


def page(chapter: str) -> Path:
    return ROOT / "chapters" / chapter / "README.md"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_number_of_a_page_is_in_its_data(chapter: str) -> None:
    of_chapter = module(chapter)
    facts = list(of_chapter.facts(data.Data(chapter[:2])))
    reasons = prose.reasons(page(chapter))
    assert list(check.wrong(f"{prose.whole(page(chapter))} {reasons}", facts)) == []
    given = (*of_chapter.GIVEN, *getattr(of_chapter, "CITED", ()))
    for text in (prose.of(page(chapter)), reasons):
        assert list(check.unsaid(text, facts, given)) == []


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_given_that_the_page_does_not_say(chapter: str) -> None:
    of_chapter = module(chapter)
    text = f"{prose.of(page(chapter))} {prose.reasons(page(chapter))}"
    for words in (*of_chapter.GIVEN, *getattr(of_chapter, "CITED", ())):
        assert words in text


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_is_cited_is_printed_by_a_source(chapter: str) -> None:
    printed = _printed(chapter)
    for words in getattr(module(chapter), "CITED", ()):
        for first, last in prose.numbers(words):
            citation = reading.number(words[first:last])
            close = (abs(entry - citation.value) <= citation.half for entry in printed)
            assert citation.unit == 0 or any(close), f"{words[first:last]} in {words!r}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_claimed_size_is_the_ratio_of_the_printed_values(chapter: str) -> None:
    for claim in prose.claims(page(chapter)):
        match = re.search(r"\(([\d.]+) against ([\d.]+)", claim["statement"])
        if match and "claimed" in claim:
            ratio = float(match[1]) / float(match[2])
            assert any(
                claim["claimed"] == pytest.approx(number, rel=3e-3) for number in (ratio, 1 / ratio)
            ), claim["id"]


def _printed(chapter: str) -> list[float]:
    """Published values, ratios of two of them, and the numbers of what the sources say."""
    path = ROOT / "data" / "published" / f"{chapter}.csv"
    values = []
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as file:
            values = [float(row["value"]) for row in csv.DictReader(file)]
    texts = [(ROOT / "chapters" / chapter / "claims.toml").read_text(encoding="utf-8")]
    texts += [row["statement"] for row in data.table("sources.csv") if row["chapter"] == chapter]
    stated = [
        float(printed_numbers)
        for text in texts
        for printed_numbers in re.findall(r"\d+(?:\.\d+)?", text)
    ]
    ratios = [one / other for one in values for other in values if other]
    changes = [100 * (value - 1) for value in ratios] + [100 * (1 - value) for value in ratios]
    return [*(scale * value for scale in _SCALES for value in values), *ratios, *changes, *stated]


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


@pytest.mark.parametrize(
    ("text", "values", "agree"),
    [
        ("5 to 6", [5.2, 5.9], True),
        ("5 to 6", [5.2, 6.6], False),
        ("5 to 6", [5.6, 5.9], False),
        ("1.13", [1.134], True),
        ("1.13", [1.136], False),
        ("about 50", [46, 54], True),
        ("about 50", [40], False),
        ("a third", [0.31, 0.36], True),
        ("third", [0.28], False),
        ("nine in ten", [0.86], True),
        ("15 of 16", [0.9375], True),
        ("5/8", [0.625], True),
        ("up to 28", [3, 27.6], True),
        ("up to 28", [3, 21], False),
        ("less than 1", [0.2, 0.9], True),
        ("less than 1", [1.7], False),
        ("more than half", [0.55, 0.7], True),
        ("more than half", [0.45], False),
        ("eight times", [7.6], True),
        ("131,072", [131072], True),
        ("131,072", [131073], False),
        ("nearly twice", [1.9], True),
        ("nearly twice", [2.2], False),
    ],
)
def test_words_are_held_against_values(text: str, values: list[float], agree: bool) -> None:
    assert reading.agrees(text, values) is agree


def test_a_number_without_a_fact_is_found() -> None:
    text = "It takes 17 % longer at 2048 x 2048, a third of that with blocks of 16, chapter 12."
    assert [text[slice(*span)] for span in prose.numbers(text)] == ["17", "third"]
    facts = [("takes [17] % longer", [17.2])]
    assert len(list(check.unsaid(text, facts, ()))) == 1
    assert list(check.wrong(text, facts)) == []
    assert len(list(check.wrong(text, [("takes [17] % longer", [18.2])]))) == 1
    assert len(list(check.wrong(text, [("takes [16] % longer", [16.0])]))) == 1
