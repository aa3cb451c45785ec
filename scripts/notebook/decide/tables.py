"""Tables of verdicts: claims down, devices across, one line a claim and regime."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Any

from notebook.base import ratio_text
from notebook.base.project import Project
from notebook.base.text import plain, superscript, terminal_table
from notebook.data import names, published, results
from notebook.data.chapters import Chapter
from notebook.data.intervals import Interval
from notebook.data.results import Result
from notebook.decide import claims, contradictions, findings, judging, works
from notebook.decide.claims import Claim
from notebook.decide.verdicts import Verdict

_NOTHING = "–"


@dataclass(frozen=True)
class ChapterVerdicts:
    """A chapter's claims and its results, oldest GPU first, with what they decide."""

    chapter: Chapter
    results: list[Result]
    verdicts: list[Verdict]
    wrong_claims: list[str]

    @property
    def devices(self) -> list[str]:
        return [result.device for result in self.results]

    @cached_property
    def by_claim(self) -> dict[str, list[Verdict]]:
        """The verdicts of each claim by its id."""
        groups: dict[str, list[Verdict]] = {}
        for verdict in self.verdicts:
            groups.setdefault(verdict.claim.id, []).append(verdict)
        return groups

    def only(self, is_wanted: Callable[[str], bool]) -> "ChapterVerdicts":
        """Of some devices, by their names."""
        return ChapterVerdicts(
            self.chapter,
            [result for result in self.results if is_wanted(result.device)],
            [verdict for verdict in self.verdicts if is_wanted(verdict.device)],
            self.wrong_claims,
        )

    @property
    def ours(self) -> "ChapterVerdicts":
        """Without what other people printed."""
        return ChapterVerdicts(
            self.chapter,
            [result for result in self.results if not result.is_published],
            [verdict for verdict in self.verdicts if verdict.kind != "published"],
            self.wrong_claims,
        )


@dataclass(frozen=True)
class Line:
    """A line of the table: a claim in some regimes, a cell a device."""

    claim: Claim
    regimes: str
    cells: list[str]


@dataclass(frozen=True)
class Grid:
    """A chapter's table: its lines, and the numbered notes that its cells refer to."""

    devices: list[str]
    lines: list[Line]
    notes: list[str]


def all_results(
    project: Project, chapters: list[Chapter], device: str | None = None
) -> list[Result]:
    """Measured, counted and published results, oldest GPU first; of one device, if one is named."""
    every = [
        result
        for chapter in chapters
        for result in (
            *results.load_chapter(project, chapter, device),
            *published.load_chapter(project, chapter),
        )
        if device in (None, result.device)
    ]
    return sorted(every, key=lambda result: result.age)


def decide_chapter(
    project: Project, chapter: Chapter, device: str | None = None
) -> ChapterVerdicts:
    """The verdicts of a chapter on every device that has data, or on one; those of the claims that
    can be decided."""
    known = claims.load_right(chapter)
    own = all_results(project, [chapter], device)
    printed = (
        published.load_chapter(project, chapter)
        if any(result.is_emulated for result in own)
        else []
    )

    def decided(some: list[Result]) -> list[Verdict]:
        by_result = [findings.decided(project, known, result) for result in some]
        return [
            verdict
            for claim in known.right
            for of_claim in by_result
            for verdict in of_claim[claim.id]
        ]

    with_notes = contradictions.noted(decided(own), decided(printed), [*own, *printed])
    return ChapterVerdicts(chapter, own, with_notes, known.wrong)


def as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as `lab verdicts --json` prints it."""
    finding, claim = verdict.finding, verdict.claim
    finite = finding.ratio is not None and finding.ratio != float("inf")
    return {
        "chapter": verdict.chapter,
        "claim": claim.id,
        "statement": claim.statement,
        "source": "; ".join(claim.sources),
        "derived": claim.derived,
        "source_device": claim.source_device,
        "why": claim.why,
        "metric": claim.metric,
        "variant": claim.variant,
        "baseline": claim.baseline,
        "direction": claim.direction,
        "claimed": claim.claimed,
        "expected": _ends(claim.expected) if claim.expected else None,
        "device": verdict.device,
        "kind": verdict.kind,
        "year": verdict.year,
        "regime": verdict.regime or None,
        "label": verdict.label or None,
        "verdict": finding.verdict,
        "evidence": finding.evidence or None,
        "ratio": finding.ratio if finite and claim.baseline else None,
        "value": finding.ratio if claim.baseline is None else None,
        "interval": list(finding.interval) if finite and finding.interval else None,
        "n": list(finding.n),
        "data": verdict.data,
        "reason": finding.reason or None,
        "because": verdict.because or None,
    }


def _ends(interval: Interval) -> list[float | None]:
    """An interval for JSON, which has no infinity: an open end is null."""
    return [None if math.isinf(end) else end for end in interval]


def grid(decided: ChapterVerdicts, *, by_verdict: bool = False) -> Grid:
    """The table of a chapter. Regimes in which every device has the same cell share a line; with
    `by_verdict` those in which every device that has data comes to the same verdict."""
    notes: list[str] = []
    lines: list[Line] = []
    by_claim: dict[str, list[Verdict]] = {}
    for verdict in decided.verdicts:
        by_claim.setdefault(verdict.claim.id, []).append(verdict)
    for of_claim in by_claim.values():
        regimes = names.naturally_sorted({verdict.regime for verdict in of_claim} - {""}) or [""]
        for shared in _alike(of_claim, decided.devices, regimes, by_verdict):
            cells = [_cell(_of(of_claim, device, shared), notes) for device in decided.devices]
            lines.append(Line(of_claim[0].claim, _in_words(shared, len(regimes)), cells))
    return Grid(decided.devices, lines, notes)


def _alike(
    of_claim: list[Verdict], devices: list[str], regimes: list[str], by_verdict: bool
) -> list[list[str]]:
    """The regimes of a claim, those that share a line together."""
    groups: list[tuple[list[str], list[str]]] = []
    for regime in regimes:
        cells = []
        for device in devices:
            here = _of(of_claim, device, [regime])
            texts = (
                verdict.finding.verdict if by_verdict else found(verdict) + _said(verdict)
                for verdict in here
            )
            cells.append("".join(texts))
        for shared, of_group in groups:
            if all(
                a == b or (by_verdict and not (a and b))
                for a, b in zip(cells, of_group, strict=True)
            ):
                shared.append(regime)
                of_group[:] = [a or b for a, b in zip(cells, of_group, strict=True)]
                break
        else:
            groups.append(([regime], cells))
    return [shared for shared, _ in groups]


def _of(of_claim: list[Verdict], device: str, regimes: list[str]) -> list[Verdict]:
    return [
        verdict
        for verdict in of_claim
        if verdict.device == device and verdict.regime in (*regimes, "")
    ]


def counts(decided: ChapterVerdicts, device: str) -> str:
    """How many verdicts of each kind a device has: `5 reproduced, 1 opposite`."""
    words = [verdict.finding.verdict for verdict in decided.verdicts if verdict.device == device]
    return ", ".join(f"{words.count(kind)} {kind}" for kind in judging.ALL if kind in words)


def _in_words(regimes: list[str], total: int) -> str:
    if len(regimes) == total > 1:
        return f"all {total} regimes"
    return "; ".join(names.regime_in_words(regime) for regime in regimes) or _NOTHING


def _cell(verdicts: list[Verdict], notes: list[str]) -> str:
    """A device's verdicts in the regimes of a line, with the numbers of its notes."""
    if not verdicts:
        return _NOTHING
    said = "".join(dict.fromkeys(_note(verdict, notes) for verdict in verdicts))
    return " ".join(filter(None, (found(*verdicts), said)))


def found(*verdicts: Verdict) -> str:
    """The verdict with its number, as a cell shows it: `no effect 1.018 [1.017, 1.020] dram`. Of several
    that agree, the least and the most."""
    claim, findings = verdicts[0].claim, [verdict.finding for verdict in verdicts]
    values = [finding.ratio for finding in findings if finding.ratio is not None]
    if not values:
        return findings[0].verdict
    show = partial(_number, claim)
    ends, interval = [min(values), max(values)], list[float]()
    intervals = [finding.interval for finding in findings if finding.interval is not None]
    if not claim.is_counted and intervals:
        lows, highs = zip(*intervals, strict=True)
        interval = [min(lows), max(highs)]
    shown = (
        ratio_text.ends(ends, show, interval)
        if claim.baseline
        else list(map(show, [*ends, *interval]))
    )
    value = "–".join(dict.fromkeys(shown[:2]))
    if claim.baseline is None and _is_percent(claim):
        value += " %"
    if interval:
        value += f" [{', '.join(shown[2:])}]"
    labels = ", ".join(filter(None, dict.fromkeys(verdict.label for verdict in verdicts)))
    return " ".join(filter(None, (findings[0].words, value, labels)))


def _number(claim: Claim, value: float) -> str:
    if math.isinf(value):
        return "from 0"
    if claim.baseline:
        return f"{value:.3f}"
    return f"{value:,.0f}" if claim.is_counted and value.is_integer() else f"{value:.4g}"


def said_by(claim: Claim) -> str:
    """Who says it, with the number printed: `Cheng 2014, ch. 4: 49.8 %`, `from Kirk & Hwu, 4.5`, `ours`."""
    who = f"{'from ' if claim.derived else ''}{', '.join(dict.fromkeys(map(works.short, claim.sources)))}"
    if claim.claimed is None:
        return who
    if claim.baseline:
        (number,) = ratio_text.ends([claim.claimed], "{:.4g}".format)
        return f"{who}: {number}"
    return f"{who}: {claim.claimed:.4g}{' %' if _is_percent(claim) else ''}"


def _is_percent(claim: Claim) -> bool:
    return claim.metric.endswith(("efficiency", "occupancy", "percent"))


def _said(verdict: Verdict) -> str:
    return plain("; ".join(filter(None, (verdict.finding.reason, verdict.because))))


def _note(verdict: Verdict, notes: list[str]) -> str:
    """The reference to the note of a verdict, which is added to `notes` unless it is there."""
    text = _said(verdict)
    if not text:
        return ""
    if text not in notes:
        notes.append(text)
    return superscript(notes.index(text) + 1)


def terminal_lines(decided: ChapterVerdicts) -> list[str]:
    """Each claim with who says it, then its regimes; the notes and the data that all rests on."""
    table = grid(decided)
    text: list[str] = []
    header = ["", "", *table.devices] if len(table.devices) > 1 else []
    for claim, of_claim in groupby(table.lines, key=lambda line: line.claim):
        rows = [["  ", line.regimes, *line.cells] for line in of_claim]
        text.append(plain(f"{claim.id}: {claim.statement} ({said_by(claim)})"))
        text += terminal_table(header or rows[0], rows if header else rows[1:])
    return [
        *text,
        *(f"{superscript(number)} {note}" for number, note in enumerate(table.notes, start=1)),
        *(f"data: {data}" for data in dict.fromkeys(verdict.data for verdict in decided.verdicts)),
    ]
