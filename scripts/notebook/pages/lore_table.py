"""The lore of the front page, with its verdict on a GPU; a chapter's page has the same word.

Sentences take their numbers from the data, by the placeholders of answers.py.
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from notebook.base.text import close_matches, markdown_cell
from notebook.decide import answers, judging, outcomes
from notebook.decide.claims import Claim
from notebook.decide.claims import load as load_claims
from notebook.decide.outcomes import Outcome
from notebook.decide.tables import ChapterVerdicts

# Behind a number that is predicted, and too uncertain to decide anything.
_DOUBT = "?"
_RARELY = 0.25
# The text that follows a number: its unit, or the other side of a matrix.
_UNIT = re.compile(r"(?<=[0-9]) (%|x [0-9]+|[kMGT]?B(?:/s)?|[TG]FLOP/s|ns|us|µs|ms|s)(?![a-z])")


@dataclass(frozen=True)
class Words:
    """The words of the table of lore in one language: its header, and a short word a verdict."""

    header: tuple[str, str, str, str]
    short: dict[str, str]
    rarely: str
    mixed: str
    none: str
    code: str
    # Characters of a line; Chinese, without blanks, is not broken.
    widths: tuple[int, int, int] = (80, 80, 80)

    def of(self, outcome: Outcome) -> str:
        """The short word; where regimes differ, by the share of them that confirms the lore."""
        if len(outcome.words) == 1:
            return self.short[outcome.words[0]]
        if not outcome.confirmed:
            return self.short[judging.NO_EFFECT]
        return self.rarely if outcome.confirmed < _RARELY else self.mixed


_SHORT = (
    (judging.REPRODUCED, "Yes.", "成立。"),
    (judging.STRONGER, "Yes, and more.", "成立，且更强。"),
    (judging.WEAKER, "Partly.", "部分成立。"),
    (judging.NO_EFFECT, "No.", "不成立。"),
    (judging.OPPOSITE, "No, the opposite.", "恰恰相反。"),
    (judging.HOLDS, "Yes.", "成立。"),
    (judging.DOES_NOT_HOLD, "No.", "不成立。"),
    (judging.INCONCLUSIVE, "Open.", "尚无定论。"),
)
ENGLISH = Words(
    ("lore", "on an H200", "by generation", "see"),
    {verdict: english for verdict, english, _ in _SHORT},
    "Hardly ever.",
    "It depends.",
    "needs a GPU",
    "code",
    (35, 54, 38),
)
CHINESE = Words(
    ("经验之谈", "H200 实测", "各代架构", "章"),
    {verdict: chinese for verdict, _, chinese in _SHORT},
    "几乎从不成立。",
    "视情况而定。",
    "需要 GPU",
    "代码",
)


@dataclass(frozen=True)
class LoreLine:
    """A row that a front page asks for: a claim of a chapter, and how the page words it."""

    chapter: str
    claim: str
    label: str


def parse(line: str) -> LoreLine:
    """`02 claim_id: words`; raises ValueError."""
    ids, colon, label = line.partition(":")
    chapter, _, claim = ids.strip().partition(" ")
    if not colon or not label.strip() or len(claim.split()) != 1:
        raise ValueError(f"expected '02 claim_id: words', found {line.strip()!r}")
    return LoreLine(chapter, claim.strip(), label.strip())


def claim_of(decided: ChapterVerdicts, identifier: str) -> Claim:
    """The claim of this id; raises ValueError."""
    known = {claim.id: claim for claim in load_claims(decided.chapter)}
    if identifier not in known:
        raise ValueError(f"unknown claim {identifier}; {close_matches(identifier, known)}")
    return known[identifier]


def _filled(decided: ChapterVerdicts, text: str) -> str:
    """A text with its numbers, or why there is none; raises ValueError."""
    try:
        return answers.filled(decided, text)
    except answers.Unanswered as reason:
        return f"No answer yet: {reason}."


def _parts(decided: ChapterVerdicts, text: str) -> str:
    """Parts separated by `&&`, each with its numbers; those without data are left out."""
    parts = []
    for part in text.split("&&"):
        try:
            parts.append(answers.filled(decided, part.strip(), _DOUBT))
        except answers.Unanswered:
            continue
    return "; ".join(parts) or "–"


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` letters; a number and its unit stay together."""
    glued = _UNIT.sub(lambda unit: unit[0].replace(" ", "\u00a0"), text)
    return [line.replace("\u00a0", " ") for line in textwrap.wrap(glued, width)]


def _joined(lines: Sequence[str]) -> str:
    return "<br>".join(map(markdown_cell, lines))


def lore_row(decided: ChapterVerdicts, line: LoreLine, link: str, words: Words) -> list[str]:
    """A piece of lore `lore | what was measured | by generation`, led by the verdict on a GPU;
    raises ValueError."""
    claim = claim_of(decided, line.claim)
    texts = [text.strip() for text in line.label.split("|")]
    if len(texts) != len(words.widths):
        raise ValueError(f"expected 'lore | measured | by generation', found {line.label!r}")
    lore, measured = (_filled(decided, text) for text in texts[:2])
    generations = _parts(decided, texts[2])
    outcomes_measured = [
        device for device in outcomes.of_devices(decided, claim) if device.is_measured
    ]
    # The GPU of the numbers: the newest.
    verdict = words.of(outcomes_measured[-1]) if outcomes_measured else words.none
    cells = (lore, f"**{verdict}** {measured}" if outcomes_measured else verdict, generations)
    return [
        *(_joined(_wrapped(text, width)) for text, width in zip(cells, words.widths, strict=True)),
        link,
    ]


def verdict_word(decided: ChapterVerdicts, claim: str) -> str:
    """The word that the front page has for a claim's verdict, `No`; raises ValueError and answers.Unanswered."""
    measured = [
        one for one in outcomes.of_devices(decided, claim_of(decided, claim)) if one.is_measured
    ]
    if not measured:
        raise answers.Unanswered(f"needs a GPU ({claim})")
    return ENGLISH.of(measured[-1]).removesuffix(".")
