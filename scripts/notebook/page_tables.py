"""The tables of a chapter's page that its folded parts hold: all verdicts, published results."""

import os
from pathlib import Path

from notebook import device_names, names, tables
from notebook.chapters import Chapter
from notebook.devices import PUBLISHED
from notebook.results import Result
from notebook.tables import ChapterVerdicts
from notebook.text import markdown_cell, markdown_table, superscript

_LEGEND = (
    "Each row groups the sizes that have the same verdict. Numbers are smallest–largest of variant ÷ baseline, or "
    "of the metric itself; `[…]` is the 95 % interval; a raised number refers to a note. "
    "`scripts/lab verdicts --device …` shows each size."
)


def verdicts(page: Path, decided: ChapterVerdicts) -> list[str]:
    """Regimes with the same verdicts share a row, emulated GPUs with the same cells a column."""
    if not decided.results:
        return no_data(decided.chapter)
    table = tables.grid(decided, by_verdict=True)
    columns: dict[tuple[tuple[str, ...], bool | str], list[Result]] = {}
    for number, result in enumerate(decided.results):
        cells = tuple(line.cells[number] for line in table.lines)
        columns.setdefault((cells, result.is_emulated or result.device), []).append(result)
    emulated = [result.device for result in decided.results if result.is_emulated]
    header = ["claim", "source", "regime"]
    header += [
        device_names.together([each.device for each in of], emulated)
        if of[0].is_emulated
        else device_names.short(of[0].device)
        for of in columns.values()
    ]
    shown = [cells for cells, _ in columns]
    rows = [
        [
            markdown_cell(text)
            for text in (line.claim.statement, tables.said_by(line.claim), line.regimes, *cells)
        ]
        for line, *cells in zip(table.lines, *shown, strict=True)
    ]
    notes = [
        f"{superscript(number)} {markdown_cell(note)}" for number, note in enumerate(table.notes, 1)
    ]
    data = ", ".join(link(page, each.device, each.path) for each in decided.results)
    return ["", *markdown_table(header, rows), "", *_paragraph([_LEGEND, *notes, f"Data: {data}"])]


def printed(page: Path, decided: ChapterVerdicts) -> list[str]:
    """What published numbers decide, a line each: most of these GPUs can say little."""
    found = [
        verdict
        for verdict in decided.verdicts
        if verdict.kind == "published" and verdict.finding.ratio is not None
    ]
    if not found:
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
        for verdict in found
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
