"""data/sources.csv: every statement of the source texts has a claim, or a reason why it has none."""

import csv
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.data.chapters import all_chapters
from notebook.decide import claims, works
from notebook.decide.claims import Claim

ROOT = Path(__file__).parents[3]
COLUMNS = ["source", "place", "statement", "chapter", "claim", "reason"]
# Chapters since the books: each cites public sources of its own. A text that could not be read is marked.
FIRST_SINCE_THE_BOOKS = 21
NOT_OPENED = "not opened"
# Claims since the books with fewer than two sources that were read, and why no second one was.
READ_IN_ONE_SOURCE = {
    ("21_reductions", "an_atomic_a_warp_is_as_fast"): "NVIDIA's post of 2014 was found on no page",
}
Line = dict[str, str]


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    with (ROOT / "data" / "sources.csv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        assert rows.fieldnames == COLUMNS
        return list(rows)


@pytest.fixture(scope="module")
def by_chapter() -> dict[str, dict[str, Claim]]:
    every = all_chapters(Project(ROOT, ROOT / "data"))
    return {chapter.name: {claim.id: claim for claim in claims.load(chapter)} for chapter in every}


def test_every_line_is_well_formed(lines: list[Line]) -> None:
    for line in lines:
        assert list(line) == COLUMNS, line
        for value in line.values():
            assert value is not None and value == value.strip() and "\n" not in value, line
        assert line["place"] and line["statement"].endswith("."), line
        if _since_the_books(line["chapter"]):
            assert line["claim"] and line["reason"] in ("", NOT_OPENED), line
            continue
        assert line["source"] in works.WORKS, line
        # A claim or a reason, never both and never neither.
        assert bool(line["claim"]) == bool(line["chapter"]) != bool(line["reason"]), line


def test_no_statement_stands_twice(lines: list[Line]) -> None:
    keys = [(line["source"], line["place"], line["statement"], line["chapter"]) for line in lines]
    assert len(keys) == len(set(keys))


def test_every_source_text_is_gone_through(lines: list[Line]) -> None:
    statements = {
        work: {line["statement"] for line in lines if line["source"] == work}
        for work in works.WORKS
    }
    # Far fewer would mean that a text was read in part.
    min_statements = dict(zip(works.WORKS, (110, 13, 14, 6, 30), strict=True))
    assert all(len(statements[work]) >= min_statements[work] for work in works.WORKS)


def test_every_claim_of_a_line_exists(
    lines: list[Line], by_chapter: dict[str, dict[str, Claim]]
) -> None:
    """Those of a chapter that has been removed stay."""
    assert len(by_chapter.keys() & {line["chapter"] for line in lines}) > 10
    for line in lines:
        named = line["claim"].split(" ") if line["claim"] else []
        assert len(named) == len(set(named)), line
        for name in named:
            known = by_chapter.get(line["chapter"], {name: None})
            assert name in known, (line["chapter"], name)


def test_every_claim_of_a_source_text_has_a_line(
    lines: list[Line], by_chapter: dict[str, dict[str, Claim]]
) -> None:
    named = {
        (line["source"], line["chapter"], name) for line in lines for name in line["claim"].split()
    }
    missing = [
        f"{chapter}: {entry.id}"
        for chapter, of_chapter in by_chapter.items()
        for entry in of_chapter.values()
        for source in entry.sources
        if (work := works.work_of(source)) and (work, chapter, entry.id) not in named
    ]
    assert missing == []


def test_chapters_since_the_books_cite_what_the_lines_say(
    lines: list[Line], by_chapter: dict[str, dict[str, Claim]]
) -> None:
    """Both ways: no source without its statement, no statement that its claim does not cite."""
    said = {
        (line["chapter"], name, line["source"])
        for line in lines
        if _since_the_books(line["chapter"])
        for name in line["claim"].split()
    }
    sources = {work for _, _, work in said}
    cited = {
        (chapter, entry.id, _longest_start(source, sources) or source)
        for chapter, of_chapter in by_chapter.items()
        if _since_the_books(chapter)
        for entry in of_chapter.values()
        for source in entry.sources
        if source != works.OURS
    }
    assert len(cited) > 200
    assert cited == {line for line in said if line[0] in by_chapter}


def test_claims_since_the_books_stand_in_two_sources_that_were_read(
    lines: list[Line], by_chapter: dict[str, dict[str, Claim]]
) -> None:
    """Two places of one work are one source; claims of this notebook alone need none."""
    works_read: dict[tuple[str, str], set[str]] = {}
    for line in lines:
        for name in line["claim"].split() if line["reason"] != NOT_OPENED else []:
            works_read.setdefault((line["chapter"], name), set()).add(line["source"])
    cited = [
        (chapter, entry.id)
        for chapter, of_chapter in by_chapter.items()
        if _since_the_books(chapter)
        for entry in of_chapter.values()
        if set(entry.sources) != {works.OURS}
    ]
    assert len(cited) > 100
    in_one = {claim for claim in cited if len(works_read.get(claim, ())) < 2}
    assert in_one == READ_IN_ONE_SOURCE.keys()


def test_sources_that_were_not_read_are_those_of_the_named_claims(lines: list[Line]) -> None:
    not_read = {
        (line["chapter"], name)
        for line in lines
        if line["reason"] == NOT_OPENED
        for name in line["claim"].split()
    }
    assert not_read == READ_IN_ONE_SOURCE.keys()


def test_every_source_is_one_of_ours_or_is_named(by_chapter: dict[str, dict[str, Claim]]) -> None:
    every = [entry for of_chapter in by_chapter.values() for entry in of_chapter.values()]
    sources = [source for entry in every for source in entry.sources]
    assert sum(works.work_of(source) is not None for source in sources) > 200
    for source in sources:
        assert not source.lower().startswith(("this notebook", "derived", "the source")), source


def _since_the_books(chapter: str) -> bool:
    return chapter[:2].isdigit() and int(chapter[:2]) >= FIRST_SINCE_THE_BOOKS


def _longest_start(source: str, known: set[str]) -> str | None:
    return max((work for work in known if source.startswith(f"{work}, ")), key=len, default=None)
