"""The short tables that answer: a chapter's at the top of its page, and the lore of the front page."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from notebook import outcomes, works
from notebook.claims import Claim
from notebook.claims import load as load_claims
from notebook.outcomes import Outcome
from notebook.tables import ChapterVerdicts
from notebook.text import close_matches, markdown_cell, markdown_table

MOST_ROWS = 8
# Characters of a line as rendered, its cells set apart by three.
WIDEST_LINE = 120
_NARROWEST_LABEL = 24
_BETWEEN = 3
LEGEND = (
    "<sub>A generation (Fermi …) is an emulated GPU, which counts exactly; a GPU’s name means measured on it. "
    "× is the ratio the claim names; a–b is the smallest and the largest over all sizes and cache states.</sub>"
)
LORE_HEADER = ("lore", "on a GPU, measured", "by generation, counted", "chapter")
_HEADER = ("claim", "who says it", "printed", "found", "holds?")


@dataclass(frozen=True)
class Wanted:
    """A row that a page asks for: the claims of a chapter, and how the page words them."""

    chapter: str
    claims: tuple[str, ...]
    label: str


def parse(line: str, chapter: str | None) -> Wanted:
    """`claim_id: words`, or on the front page `02 claim_id other_id: words`; raises ValueError."""
    ids, colon, label = line.partition(":")
    first, *rest = ids.split() or [""]
    if chapter is None:
        chapter, claims = first, rest
    else:
        claims = [first, *rest]
    if not colon or not label.strip() or not claims or not all(claims):
        raise ValueError(f"expected 'claim_id: words', found {line.strip()!r}")
    return Wanted(chapter, tuple(claims), label.strip())


def claim_of(decided: ChapterVerdicts, identifier: str) -> Claim:
    """The claim of this id; raises ValueError."""
    known = {claim.id: claim for claim in load_claims(decided.chapter)}
    if identifier not in known:
        raise ValueError(f"unknown claim {identifier}; {close_matches(identifier, known)}")
    return known[identifier]


def answer(decided: ChapterVerdicts, wanted: Sequence[Wanted]) -> list[str]:
    """The table below a chapter's answer; raises ValueError."""
    if len(wanted) > MOST_ROWS:
        raise ValueError(f"{len(wanted)} claims; an answer shows at most {MOST_ROWS}")
    rows = [_answer_row(decided, claim_of(decided, each.claims[0]), each.label) for each in wanted]
    return ["", *markdown_table(_HEADER, rows), "", LEGEND, ""]


def _answer_row(decided: ChapterVerdicts, claim: Claim, label: str) -> list[str]:
    found = outcomes.of_claim(decided, claim)
    cells = [
        [_who(claim)],
        [outcomes.printed(claim)],
        [each.found or "–" for each in found],
        [each.verdict for each in found],
    ]
    taken = sum(max(map(len, lines)) for lines in cells) + _BETWEEN * (len(cells) + 2)
    width = max(WIDEST_LINE - taken, _NARROWEST_LABEL)
    return [_joined(lines) for lines in (textwrap.wrap(label, width), *cells)]


def _who(claim: Claim) -> str:
    who = works.short(claim.source).split(",")[0]
    return f"from {who}" if claim.derived else who


def _joined(lines: Sequence[str]) -> str:
    return "<br>".join(map(markdown_cell, lines))


def lore_row(label: str, decided: ChapterVerdicts, claims: Sequence[str], link: str) -> list[str]:
    """A piece of lore: what GPUs measured, what was counted for each generation; raises ValueError."""
    gpus: list[str] = []
    generations: list[str] = []
    for identifier in claims:
        claim = claim_of(decided, identifier)
        metric = outcomes.metric_in_words(claim)
        for each in outcomes.of_claim(decided, claim):
            if each.is_measured:
                gpus.append(f"**{_mark(each)}**: {metric} {each.value}")
            elif each.value:
                generations.append(f"{each.devices}: {each.verdict}, {metric} {each.value}")
    return [
        "<br>".join(textwrap.wrap(markdown_cell(label), 40)),
        "<br>".join(gpus) or "needs a GPU",
        "<br>".join(generations) or "–",
        link,
    ]


def _mark(outcome: Outcome) -> str:
    return f"{outcome.devices} {outcome.verdict}"


def rendered_width(row: str) -> int:
    """The characters of a table's line as a reader sees them: links by their text, cells by their
    longest line."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", row.replace("\\|", "¦"))
    text = re.sub(r"`|\*\*|</?su[bp]>", "", text).replace("&lt;", "<")
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    return sum(max(map(len, cell.split("<br>"))) + _BETWEEN for cell in cells)
