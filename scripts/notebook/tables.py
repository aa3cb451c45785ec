"""Tables of verdicts: claims down, devices across, one line a claim and regime."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from notebook import claims, names, published, results, verdicts
from notebook.chapters import Chapter
from notebook.claims import Claim
from notebook.intervals import Interval
from notebook.project import Project
from notebook.results import Result
from notebook.text import plain, terminal_table
from notebook.verdicts import Verdict

_NOTHING = "–"


@dataclass(frozen=True)
class ChapterVerdicts:
    """A chapter's claims and its results, oldest GPU first, with what they decide."""

    chapter: Chapter
    results: list[Result]
    verdicts: list[Verdict]

    @property
    def devices(self) -> list[str]:
        return [result.device for result in self.results]

    @property
    def ours(self) -> "ChapterVerdicts":
        """Without what other people printed."""
        return ChapterVerdicts(
            self.chapter,
            [result for result in self.results if not result.is_published],
            [verdict for verdict in self.verdicts if verdict.kind != "published"],
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


def all_results(project: Project, chapters: list[Chapter]) -> list[Result]:
    """Measured, counted and published results, oldest GPU first."""
    every = [
        result
        for chapter in chapters
        for load in (results.load_chapter, published.load_chapter)
        for result in load(project, chapter)
    ]
    return sorted(every, key=lambda result: (result.year, result.device))


def decide_chapter(
    project: Project, chapter: Chapter, device: str | None = None
) -> ChapterVerdicts:
    """The verdicts of a chapter on every device that has data, or on one."""
    every = all_results(project, [chapter])
    found = [result for result in every if device is None or result.device == device]
    decided = [
        verdict
        for claim in claims.load(chapter)
        for result in found
        for verdict in verdicts.decide(claim, result, project.shown(result.path))
    ]
    return ChapterVerdicts(chapter, found, decided)


def as_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as `lab verdicts --json` prints it."""
    finding, claim = verdict.finding, verdict.claim
    finite = finding.ratio is not None and finding.ratio != float("inf")
    return {
        "chapter": verdict.chapter,
        "claim": claim.id,
        "statement": claim.statement,
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


def grid(decided: ChapterVerdicts) -> Grid:
    """The table of a chapter. Regimes in which every device has the same cell share a line."""
    notes: list[str] = []
    lines: list[Line] = []
    by_claim: dict[str, list[Verdict]] = {}
    for verdict in decided.verdicts:
        by_claim.setdefault(verdict.claim.id, []).append(verdict)
    for of_claim in by_claim.values():
        regimes = names.naturally_sorted({verdict.regime for verdict in of_claim} - {""}) or [""]
        together: dict[tuple[str, ...], list[str]] = {}
        for regime in regimes:
            cells = tuple(_cell(of_claim, device, regime, notes) for device in decided.devices)
            together.setdefault(cells, []).append(regime)
        lines += [
            Line(of_claim[0].claim, _in_words(shared, len(regimes)), list(cells))
            for cells, shared in together.items()
        ]
    return Grid(decided.devices, lines, notes)


def counts(decided: ChapterVerdicts, device: str) -> str:
    """How many verdicts of each kind a device has: `5 reproduced, 1 absent`."""
    found = [verdict.finding.verdict for verdict in decided.verdicts if verdict.device == device]
    return ", ".join(f"{found.count(kind)} {kind}" for kind in verdicts.ALL if kind in found)


def _in_words(regimes: list[str], of: int) -> str:
    if len(regimes) == of > 1:
        return f"all {of} regimes"
    return "; ".join(names.regime_in_words(regime) for regime in regimes) or _NOTHING


def _cell(of_claim: list[Verdict], device: str, regime: str, notes: list[str]) -> str:
    for verdict in of_claim:
        if verdict.device == device and verdict.regime in (regime, ""):
            return " ".join(filter(None, (found(verdict), _note(verdict, notes))))
    return _NOTHING


def found(verdict: Verdict) -> str:
    """The verdict with its number, as a cell shows it: `absent 1.018 [1.017, 1.020] dram`."""
    finding, claim = verdict.finding, verdict.claim
    if finding.ratio is None:
        return finding.verdict
    show: Callable[[float], str] = "{:.3f}".format if claim.baseline else "{:.4g}".format
    value = "from 0" if math.isinf(finding.ratio) else show(finding.ratio)
    if claim.baseline is None and claim.metric.endswith(("efficiency", "occupancy", "percent")):
        value += " %"
    if not claim.is_counted and finding.interval is not None:
        value += f" [{show(finding.interval[0])}, {show(finding.interval[1])}]"
    return " ".join(filter(None, (finding.verdict, value, verdict.label)))


def _note(verdict: Verdict, notes: list[str]) -> str:
    """The reference to the note of a verdict, which is added to `notes` unless it is there."""
    text = plain("; ".join(filter(None, (verdict.finding.reason, verdict.because))))
    if not text:
        return ""
    if text not in notes:
        notes.append(text)
    return f"[{notes.index(text) + 1}]"


def terminal_lines(decided: ChapterVerdicts) -> list[str]:
    """The table for a terminal, with its notes and the data it rests on."""
    table = grid(decided)
    rows = [[line.claim.id, line.regimes, *line.cells] for line in table.lines]
    return [
        *terminal_table(["claim", "regime", *table.devices], rows),
        *(f"[{number}] {note}" for number, note in enumerate(table.notes, start=1)),
        *(f"data: {data}" for data in dict.fromkeys(each.data for each in decided.verdicts)),
    ]
