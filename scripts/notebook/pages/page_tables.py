"""The tables of a chapter's page that its folded parts hold: all verdicts, published results."""

import os
from dataclasses import replace
from pathlib import Path

from notebook.base.text import markdown_cell, markdown_table, superscript
from notebook.data import device_names, names
from notebook.data.chapters import Chapter
from notebook.data.devices import PUBLISHED
from notebook.data.results import Result
from notebook.decide import tables
from notebook.decide.tables import ChapterVerdicts

_LEGEND = (
    "Each row groups the sizes that have the same verdict. Numbers are smallest–largest of variant ÷ baseline, or "
    "of the metric itself; `[…]` is the 95 % interval; a raised number refers to a note. "
    "`scripts/lab verdicts --device …` shows each size."
)


def verdicts(page: Path, decided: ChapterVerdicts) -> list[str]:
    """Regimes with the same verdicts share a row, emulated GPUs with the same verdicts a column."""
    if not decided.results:
        return no_data(decided.chapter)
    merged, columns = _merged(decided)
    table = tables.grid(merged, by_verdict=True)
    header = ["claim", "source", "regime", *columns]
    rows = [
        [
            markdown_cell(text)
            for text in (
                *(line.claim.statement, tables.said_by(line.claim), line.regimes),
                *line.cells,
            )
        ]
        for line in table.lines
    ]
    notes = [
        f"{superscript(number)} {markdown_cell(note)}" for number, note in enumerate(table.notes, 1)
    ]
    data = ", ".join(link(page, result.device, result.path) for result in decided.results)
    return ["", *markdown_table(header, rows), "", *_paragraph([_LEGEND, *notes, f"Data: {data}"])]


def _merged(decided: ChapterVerdicts) -> tuple[ChapterVerdicts, list[str]]:
    """With emulated GPUs that come to the same verdicts as one device, under the name of the first;
    and the names of all columns."""
    emulated = [result.device for result in decided.results if result.is_emulated]
    groups: dict[object, list[Result]] = {}
    for result in decided.results:
        words = tuple(
            (verdict.claim.id, verdict.regime, verdict.finding.words)
            for verdict in decided.verdicts
            if verdict.device == result.device
        )
        groups.setdefault(words if result.is_emulated else result.device, []).append(result)
    first = {result.device: group[0].device for group in groups.values() for result in group}
    merged = replace(
        decided,
        results=[group[0] for group in groups.values()],
        verdicts=[replace(verdict, device=first[verdict.device]) for verdict in decided.verdicts],
    )
    columns = [
        device_names.together([result.device for result in group], emulated)
        if group[0].is_emulated
        else device_names.short(group[0].device)
        for group in groups.values()
    ]
    return merged, columns


def printed(page: Path, decided: ChapterVerdicts) -> list[str]:
    """What published numbers decide, a line each: most of these GPUs can say little."""
    outcomes_of_source = [
        verdict
        for verdict in decided.verdicts
        if verdict.kind == "published" and verdict.finding.ratio is not None
    ]
    if not outcomes_of_source:
        return []
    path = next(result.path for result in decided.results if result.is_published)
    rows = [
        [
            verdict.claim.statement,
            verdict.device.removeprefix(PUBLISHED),
            names.regime_in_words(verdict.regime) or "not stated",
            tables.found(verdict),
            verdict.finding.reason,
        ]
        for verdict in outcomes_of_source
    ]
    header = ["claim", link(page, "published results", path), "regime", "verdict", "caveat"]
    return [*markdown_table(header, [[markdown_cell(cell) for cell in row] for row in rows]), ""]


def no_data(chapter: Chapter) -> list[str]:
    return ["", f"No data yet; to make them: `scripts/lab run {chapter.number}`", ""]


def link(page: Path, text: str, target: Path) -> str:
    """A Markdown link from `page` to a file or folder of the project."""
    path = os.path.relpath(target, page.parent).replace(os.sep, "/")
    return f"[{text}]({path}{'/' if target.is_dir() else ''})"


def _paragraph(notes: list[str]) -> list[str]:
    return ["<br>\n".join(notes), ""]
