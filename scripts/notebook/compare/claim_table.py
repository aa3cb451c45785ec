"""The table that `lab compare` prints of a chapter: claim, what is printed, each device with its word and number;
below it the times of a launch of the variants that the claims are about."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from notebook.base.project import Project
from notebook.base.text import plain, terminal_table
from notebook.compare.compare import DeviceComparison, Operand, Row
from notebook.data import device_names, names
from notebook.data.chapters import Chapter
from notebook.decide import claim_cells, claims, findings, outcomes
from notebook.decide.claim_cells import Cell
from notebook.decide.claims import Claim
from notebook.decide.device_answers import TIME, Value

# Columns of letters: the claim, what is printed, each device.
_CLAIM, _PRINTED, _DEVICE = 36, 9, 23
_KINDS = {"gpu": "measured", "emulated": "emulated", "published": "published"}
_NOTHING = "–"
# Times in microseconds below the first of these, then in milliseconds, then in seconds.
_STEPS = ((1e3, 1.0, "µs"), (1e6, 1e-3, "ms"), (float("inf"), 1e-6, "s"))


@dataclass(frozen=True)
class ClaimRow:
    """A claim with the cell of each device."""

    claim: Claim
    cells: list[Cell]

    @property
    def differs(self) -> bool:
        """Whether two devices that decide the claim have different words."""
        return len({cell.word for cell in self.cells if cell.is_decided}) > 1

    @property
    def is_shared(self) -> bool:
        return sum(cell.is_decided for cell in self.cells) > 1


def claim_rows(project: Project, chapter: Chapter, operands: Sequence[Operand]) -> list[ClaimRow]:
    """The claims of a chapter for which any device has a number."""
    known = claims.load_right(chapter)
    here = [one.results.get(chapter.name) for one in operands]
    decided = [findings.decided(project, known, result) if result else {} for result in here]

    def cell(claim: Claim, place: int) -> Cell:
        result = here[place]
        if result is None:
            return claim_cells.NO_DATA
        return claim_cells.of(claim, decided[place][claim.id], result)

    rows = [
        ClaimRow(claim, [cell(claim, place) for place in range(len(operands))])
        for claim in known.right
    ]
    return [row for row in rows if any(cell.value for cell in row.cells)]


def lines(operands: Sequence[Operand], rows: Sequence[ClaimRow]) -> list[str]:
    """The table of some claims; their cells are wrapped."""
    header = ["claim", "printed", *map(heading, operands)]
    widths = [_CLAIM, _PRINTED, *([_DEVICE] * len(operands))]
    body = [line for row in rows for line in _wrapped(_cells(row), widths)]
    return terminal_table(header, body) if body else []


def _cells(row: ClaimRow) -> list[list[str]]:
    """The paragraphs of each cell."""
    claim = row.claim
    metric = claim.metric.replace("_", " ")
    of_what = f"ratio of {'times' if metric == TIME else metric}" if claim.baseline else metric
    said = [plain(claim.statement), f"({of_what})"]
    return [said, [outcomes.printed(claim)], *([cell.word, cell.number] for cell in row.cells)]


def _wrapped(cells: list[list[str]], widths: list[int]) -> Iterator[list[str]]:
    """The lines of a row, and an empty one below."""
    columns = [
        [line for text in paragraphs for line in textwrap.wrap(text, width)]
        for paragraphs, width in zip(cells, widths, strict=True)
    ]
    for number in range(max(map(len, columns)) + 1):
        yield [column[number] if number < len(column) else "" for column in columns]


def heading(operand: Operand) -> str:
    """`H200, measured`."""
    first = next(iter(operand.results.values()))
    return f"{plain(device_names.short(first.device))}, {_KINDS[first.kind]}"


def time_lines(comparison: DeviceComparison, chapter: Chapter) -> list[str]:
    """The times of one launch that two devices at least have."""
    rows = [
        row
        for row in comparison.rows
        if row.question.chapter == chapter.name
        and row.question.metric == TIME
        and row.question.baseline is None
    ]
    if not rows:
        return []
    header = ["time of one launch", "size", *map(_timed_heading, comparison.operands)]
    return terminal_table(header, list(map(_time_cells, rows)))


def _timed_heading(operand: Operand) -> str:
    first = next(iter(operand.results.values()))
    kind = "predicted" if first.is_emulated else _KINDS[first.kind]
    return f"{plain(device_names.short(first.device))}, {kind}"


def _time_cells(row: Row) -> list[str]:
    first = next(value for value in row.values if value)
    size = names.regime_in_words(first.regime) or "not stated"
    return [row.question.variant, size, *map(_time, row.values)]


def _time(value: Value | None) -> str:
    """`307 µs`, `25.3 µs [21.0, 30.4]`."""
    if value is None:
        return _NOTHING
    scale, unit = next((scale, unit) for below, scale, unit in _STEPS if value.center < below)
    ends = ", ".join(_three_digits(end * scale) for end in value.interval or ())
    return f"{_three_digits(value.center * scale)} {unit}{f' [{ends}]' if ends else ''}"


def _three_digits(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
