"""The table of a chapter's page that answers GPU by GPU: at most six rows.

    <!-- lab:gpus
    offset_11_is_slower: time, offset 11 ÷ offset 0
    efficiency_with_sectors, efficiency_with_lines: load efficiency at offset 11
    rows: measured, geforce-rtx-4070-ti, emulated
    -->

A line is a column: claims and the heading. The first claim that a GPU decides fills its cell (`claim@dram`: only
there). `rows` are devices by name (h200, fermi, a published one), or all of a kind: measured, emulated,
published. Of kinds, as many are shown as there is room for, the kind that is named first before the others;
without the line: measured, emulated, published. The newest GPU stands first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from notebook.base.text import close_matches, markdown_cell, markdown_table
from notebook.data import device_names
from notebook.data.devices import PUBLISHED
from notebook.data.results import Result
from notebook.decide import outcomes, rules
from notebook.decide.claims import Claim
from notebook.decide.judging import DOES_NOT_APPLY, NO_DATA
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import Verdict

MAX_ROWS = 6
MAX_NAMES = 32  # characters beside "emulated"
_KINDS = {"measured": "gpu", "emulated": "emulated", "published": "published"}
_ORDER = ("gpu", "published", "emulated")
_ROWS = "rows"
_OPEN, _NOTHING = "open", "–"
_LEVELS = {"dram": "DRAM", "l2": "L2", "l1": "L1"}


@dataclass(frozen=True)
class Column:
    """Claims, each with the level or regime that is asked for, and what their numbers are."""

    claims: list[tuple[Claim, str]]
    heading: str


@dataclass(frozen=True)
class Row:
    """Devices of one kind with the same cells."""

    devices: list[Result]
    cells: list[str]

    @property
    def says_something(self) -> bool:
        return any(cell not in (_OPEN, _NOTHING) for cell in self.cells)


def lines(decided: ChapterVerdicts, rows: Sequence[str]) -> list[str]:
    """The table; raises ValueError."""
    named = [row.partition(":")[2] for row in rows if row.startswith(f"{_ROWS}:")]
    wanted = [word.strip() for word in ",".join(named or _KINDS).split(",")]
    columns = [_column(decided, row) for row in rows if not row.startswith(f"{_ROWS}:")]
    if not columns:
        raise ValueError("a column is a line 'claim_id: heading'")
    chosen = _chosen(_all_rows(decided, columns), wanted)
    if not chosen:
        return [f"No data yet; to make them: `scripts/lab run {decided.chapter.number}`"]
    header = ["GPU", *(column.heading for column in columns)]
    every = [result.device for result in _with_rows(decided) if result.is_emulated]
    body = [[_name(row.devices, every), *map(markdown_cell, row.cells)] for row in chosen]
    return markdown_table(header, body)


def _column(decided: ChapterVerdicts, row: str) -> Column:
    ids, colon, heading = row.partition(": ")
    if not colon or not heading.strip():
        raise ValueError(f"expected 'claim_id: heading', found {row!r}")
    asked = [part.strip().partition("@") for part in ids.split(",")]
    return Column(
        [(rules.claim_of(decided, claim), where) for claim, _, where in asked],
        heading.strip(),
    )


def _all_rows(decided: ChapterVerdicts, columns: list[Column]) -> list[Row]:
    """Measured, published, emulated GPUs that say something, the newest first; emulated ones with the same cells
    share a row."""
    groups: dict[object, list[Result]] = {}
    for result in reversed(_with_rows(decided)):
        cells = tuple(_cell(decided, column, [result], as_key=True) for column in columns)
        groups.setdefault(cells if result.is_emulated else result.device, []).append(result)
    rows = [
        Row(group, [_cell(decided, column, group) for column in columns])
        for group in groups.values()
    ]
    in_order = sorted(rows, key=lambda row: _ORDER.index(row.devices[0].kind))
    return [row for row in in_order if row.says_something]


def _with_rows(decided: ChapterVerdicts) -> list[Result]:
    """An emulated GPU of a generation that was measured has no row."""
    measured = {result.generation.lower() for result in decided.results if result.kind == "gpu"}
    return [
        result
        for result in decided.results
        if result.device.removeprefix(device_names.EMULATED) not in measured
    ]


def _chosen(rows: list[Row], wanted: list[str]) -> list[Row]:
    """The named ones, then those of a kind while there is room, in the order of `rows`."""
    names = {name: row for row in rows for result in row.devices for name in _names(result)}
    if unknown := next((word for word in wanted if word not in {*names, *_KINDS}), None):
        raise ValueError(f"row {unknown}: {close_matches(unknown, [*_KINDS, *names], most=5)}")
    chosen = [names[word] for word in wanted if word in names]
    for word in (word for word in wanted if word in _KINDS):
        chosen += [row for row in rows if row.devices[0].kind == _KINDS[word] and row not in chosen]
    if len([word for word in wanted if word in names]) > MAX_ROWS:
        raise ValueError(f"more than {MAX_ROWS} rows are named")
    kept = chosen[:MAX_ROWS]
    return [row for row in rows if row in kept]


def _names(result: Result) -> Iterator[str]:
    """nvidia-h200 and h200, emulated-fermi and fermi, published:fermi-book and fermi-book."""
    yield result.device
    for prefix in (PUBLISHED, device_names.EMULATED, "nvidia-"):
        if result.device.startswith(prefix):
            yield result.device.removeprefix(prefix)


def _name(devices: list[Result], every: list[str]) -> str:
    """As the cell of a table; many generations take two lines."""
    first = devices[0]
    if first.is_emulated:
        names = device_names.together([one.device for one in devices], every)
        return f"{markdown_cell(names)},{'<br>' if len(names) > MAX_NAMES else ' '}emulated"
    name = device_names.short(first.device).removeprefix("GeForce ")
    return markdown_cell(f"{name}, published" if first.is_published else name)


def _cell(
    decided: ChapterVerdicts, column: Column, devices: list[Result], as_key: bool = False
) -> str:
    """The number of the first claim that decides, and of a time its verdict; as a key of a prediction its verdict
    alone: no two generations predict the same number."""
    slugs = [result.device for result in devices]
    is_open = False
    for claim, where in column.claims:
        of_claim = [
            verdict
            for verdict in decided.by_claim.get(claim.id, [])
            if verdict.device in slugs and _is_at(verdict, where)
        ]
        known = [verdict for verdict in of_claim if verdict.finding.ratio is not None]
        if known:
            return _said(claim, known, as_key)
        is_open |= any(v.finding.verdict not in (NO_DATA, DOES_NOT_APPLY) for v in of_claim)
    return _OPEN if is_open else _NOTHING


def _is_at(verdict: Verdict, where: str) -> bool:
    return not where or where == rules.level_of(verdict) or f"/{where}/" in f"/{verdict.regime}/"


def _said(claim: Claim, verdicts: list[Verdict], as_key: bool) -> str:
    """`1.01–1.02×, no effect`; where the levels of the memory differ, each of them."""
    word, words = outcomes.words_of(verdicts)
    if as_key and not claim.is_counted:
        return ", ".join(sorted(words))
    value = outcomes.value_of(claim, verdicts)
    if claim.is_counted:
        return value
    if len(words) == 1:
        return f"{value}, {word}"
    levels = {
        level: [v for v in verdicts if rules.level_of(v) == level]
        for level in map(rules.level_of, verdicts)
    }
    if len(levels) > 1 and all(len(outcomes.words_of(group)[1]) == 1 for group in levels.values()):
        return "; ".join(
            f"{_LEVELS.get(level, level)} {_said(claim, group, as_key)}"
            for level, group in levels.items()
        )
    return f"{value}, {word}"
