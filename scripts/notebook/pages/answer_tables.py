"""Answers: the sentences and the table at the top of a chapter's page, the lore of the front page.

Sentences take their numbers from the data, by the placeholders of answers.py.
"""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from notebook.base.text import close_matches, markdown_cell, markdown_table
from notebook.data import names
from notebook.decide import answers, judging, outcomes, works
from notebook.decide.claims import Claim
from notebook.decide.claims import load as load_claims
from notebook.decide.outcomes import Outcome
from notebook.decide.tables import ChapterVerdicts
from notebook.pages import kernel_files, page_tables

MAX_ROWS = 8
# Characters of a line as rendered, its cells set apart by three.
MAX_WIDTH = 120
_BETWEEN = 3
# Behind a number that is predicted, and too uncertain to decide anything.
_DOUBT = "?"
_MIN_LABEL = 24
# Characters of a line in each cell, when they are broken; what they leave is the label's, 18 or more.
_MAX_SOURCE = 20
_MAX_PRINTED = 14
_MAX_FOUND = 30
_MAX_VERDICT = 20
_DEVICES = "<sub>A generation (Fermi …) is an emulated GPU, which counts exactly; a GPU’s name: measured on it."
_PREDICTED = (
    "Predicted: by the time model, where its error band leaves no doubt; the times of other generations "
    "stay open."
)
_NUMBERS = (
    "× is the ratio that the claim names; a–b: smallest and largest over all sizes and cache states"
)
_DERIVED = "In parentheses: not printed, follows from what its author says."
_MEANINGS = (
    "[What holds, reproduced, weaker … mean](../../scripts/README.md#verdicts-the-rules)</sub>"
)
# Verdicts that differ: `2 no effect, 1 reproduced`.
_COUNTED = re.compile(r"(?:^|>)(\d+[ \u00a0][a-z][^<]*)")
_RARELY = 0.25
_SENTENCE = ">"
# The paragraph that follows the answer, its kernels and its data.
_ADVICE = "**In practice"
# What follows a number: its unit, or the other side of a matrix.
_UNIT = re.compile(r"(?<=[0-9]) (%|x [0-9]+|[kMGT]?B(?:/s)?|[TG]FLOP/s|ns|us|µs|ms|s)(?![a-z])")
_HEADER = ("claim", "who says it", "printed", "found", "holds?")


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
class AnswerLine:
    """A row that a page asks for: a claim of a chapter, and how the page words it."""

    chapter: str
    claim: str
    label: str


def parse(line: str, chapter: str | None) -> AnswerLine:
    """`claim_id: words`, or on the front page `02 claim_id: words`; raises ValueError."""
    ids, colon, label = line.partition(":")
    named = ids.split() if chapter is None else [chapter, *ids.split()]
    if not colon or not label.strip() or len(named) != 2:
        raise ValueError(f"expected 'claim_id: words', found {line.strip()!r}")
    return AnswerLine(named[0], named[1], label.strip())


def claim_of(decided: ChapterVerdicts, identifier: str) -> Claim:
    """The claim of this id; raises ValueError."""
    known = {claim.id: claim for claim in load_claims(decided.chapter)}
    if identifier not in known:
        raise ValueError(f"unknown claim {identifier}; {close_matches(identifier, known)}")
    return known[identifier]


def answer(decided: ChapterVerdicts, rows: Sequence[str]) -> list[str]:
    """A chapter's answer: the sentences of the rows `> …`, then a table of the claims that the other
    rows name; raises ValueError."""
    sentences = [row.removeprefix(_SENTENCE).strip() for row in rows if row.startswith(_SENTENCE)]
    answers = [parse(row, decided.chapter.name) for row in rows if not row.startswith(_SENTENCE)]
    text = _filled(decided, "\n".join(sentences)).split("\n")
    asked = [claim_of(decided, answer.claim) for answer in answers]
    at = next((at for at, line in enumerate(text) if line.startswith(_ADVICE)), None)
    if asked and at is not None:
        text[at:at] = [*_where(decided, asked), ""]
    elif asked:
        text += ["", *_where(decided, asked)]
    return ["", *text, *_table(decided, answers)]


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


def _table(decided: ChapterVerdicts, answers: Sequence[AnswerLine]) -> list[str]:
    if len(answers) > MAX_ROWS:
        raise ValueError(f"{len(answers)} claims; an answer shows at most {MAX_ROWS}")
    rows = [
        _answer_row(decided, claim_of(decided, answer.claim), answer.label) for answer in answers
    ]
    if not rows:
        return [""]
    return ["", *markdown_table(_HEADER, rows), "", *_legend(rows), ""]


def _legend(rows: Sequence[Sequence[str]]) -> list[str]:
    """What the signs of a table mean, of those that occur in it."""
    verdicts = [row[4] for row in rows]
    counted = next(filter(None, map(_COUNTED.search, verdicts)), None)
    counts = f", which “{counted[1].replace(chr(160), ' ')}” counts." if counted else "."
    lines = [_DEVICES, _NUMBERS + counts]
    if any("predicted" in verdict for verdict in verdicts):
        lines.insert(1, _PREDICTED)
    if any(row[2].startswith("(") for row in rows):
        lines.append(_DERIVED)
    return [*lines, _MEANINGS]


def _where(decided: ChapterVerdicts, asked: Sequence[Claim]) -> list[str]:
    """Where the kernels are, which benchmarks the claims compare, and a file of their data: of the newest GPU, or
    else of the newest emulated one."""
    variants = [name for claim in asked for name in (claim.variant, claim.baseline) if name]
    kernels = dict.fromkeys(map(names.kernel, variants))
    page = decided.chapter.directory / "README.md"
    benchmarks = ", ".join(_linked_kernel(page, name) for name in kernels)
    lines = [f"**Kernels:** [kernels.cuh](kernels.cuh); the table compares {benchmarks}."]
    own = [result for result in decided.results if not result.is_published]
    if own:
        newest = [result for result in own if not result.is_emulated] or own
        link = page_tables.link(page, newest[-1].device, newest[-1].path)
        lines.append(f"**Data:** {link}, of other devices in the folders beside it.")
    return lines


def _linked_kernel(page: Path, name: str) -> str:
    """A kernel's name, linked to its file where that is not the chapter's kernels.cuh."""
    path = kernel_files.of(page.parent, name)
    if path is None or path == page.parent / kernel_files.KERNELS:
        return f"`{name}`"
    return page_tables.link(page, f"`{name}`", path)


def _answer_row(decided: ChapterVerdicts, claim: Claim, label: str) -> list[str]:
    """A row whose longer cells are broken only where the label would have too little room; what was
    found and its verdict are broken nowhere else, so that they stay side by side."""
    outcomes_by_device = outcomes.of_devices(decided, claim)
    head = [_wrapped(_who(claim), _MAX_SOURCE), [outcomes.printed(claim)]]
    cells = [
        *head,
        [outcome.found or "–" for outcome in outcomes_by_device],
        [outcome.verdict for outcome in outcomes_by_device],
    ]
    if _room(cells) < _MIN_LABEL:
        head[1] = _wrapped(outcomes.printed(claim), _MAX_PRINTED)
        cells = [*head, *_value_and_verdict_lines(outcomes_by_device)]
    head_cells = map(_joined, (_wrapped(label, _room(cells)), *cells[:2]))
    return [*head_cells, *(_unbroken(_joined(lines)) for lines in cells[2:])]


def _unbroken(text: str) -> str:
    """Without places where a browser may begin another line: neither blanks nor after a dash."""
    return text.replace(" ", "\u00a0").replace("–", "–\u2060")


def _room(cells: Sequence[Sequence[str]]) -> int:
    """The characters that cells leave for the label."""
    return MAX_WIDTH - sum(max(map(len, lines)) + _BETWEEN for lines in cells) - _BETWEEN


def _value_and_verdict_lines(outcomes_of_row: Sequence[Outcome]) -> tuple[list[str], list[str]]:
    """The lines of the two cells of a row: each verdict begins beside the value that it judges."""
    values: list[str] = []
    words: list[str] = []
    for outcome in outcomes_of_row:
        value = _wrapped(outcome.found or "–", _MAX_FOUND)
        verdict = _wrapped(outcome.verdict, _MAX_VERDICT)
        lines = max(len(value), len(verdict))
        values += value + [""] * (lines - len(value))
        words += verdict + [""] * (lines - len(verdict))
    return values, words


def _who(claim: Claim) -> str:
    who, of_github, _ = works.short(claim.source).split(",")[0].partition("/")
    who = f"GitHub: {who}" if of_github else who
    return f"from {who}" if claim.derived else who


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` letters; a number and its unit stay together."""
    glued = _UNIT.sub(lambda unit: unit[0].replace(" ", "\u00a0"), text)
    return [line.replace("\u00a0", " ") for line in textwrap.wrap(glued, width)]


def _joined(lines: Sequence[str]) -> str:
    return "<br>".join(map(markdown_cell, lines))


def lore_row(decided: ChapterVerdicts, answer: AnswerLine, link: str, words: Words) -> list[str]:
    """A piece of lore `lore | what was measured | by generation`, led by the verdict on a GPU;
    raises ValueError."""
    claim = claim_of(decided, answer.claim)
    texts = [text.strip() for text in answer.label.split("|")]
    if len(texts) != len(words.widths):
        raise ValueError(f"expected 'lore | measured | by generation', found {answer.label!r}")
    lore, measured = (_filled(decided, text) for text in texts[:2])
    generations = _parts(decided, texts[2])
    outcomes_measured = [
        device for device in outcomes.of_devices(decided, claim) if device.is_measured
    ]
    # Of the GPU that the numbers are of: the newest.
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


def rendered_width(row: str) -> int:
    """The characters of a table's line as a reader sees them: links by their text, cells by their
    longest line."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", row.replace("\\|", "¦").replace("\u2060", ""))
    text = text.replace("&nbsp;", " ")
    text = re.sub(r"`|\*\*|</?su[bp]>", "", text).replace("&lt;", "<")
    cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
    return sum(max(map(len, cell.split("<br>"))) + _BETWEEN for cell in cells)
