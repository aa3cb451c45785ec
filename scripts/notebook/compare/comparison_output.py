"""What `lab compare` prints: the claims with each device's verdict and number; every row; or JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from notebook.base.project import Project
from notebook.base.text import plain, terminal_table
from notebook.compare import claim_table
from notebook.compare.compare import (
    DIFFERENT,
    SAME,
    UNDECIDED,
    DeviceComparison,
    Difference,
    Missing,
    Row,
)
from notebook.data import names
from notebook.decide.device_answers import Value
from notebook.decide.judging import SMALLEST_EFFECT_TEXT
from notebook.decide.verdicts import COUNTED, PREDICTED

_MARKS = {SAME: "=", DIFFERENT: "≠", UNDECIDED: "?"}
_MARKS_LEGEND = f"""\
= same within {SMALLEST_EFFECT_TEXT}, ≠ different beyond it, ? cannot tell; by 95 % intervals and error bands,
against the first device of the row that has a value. † the caches' state or what holds the data is not the same."""
_LEGEND = (
    "a ratio is variant ÷ baseline on the same device, over all sizes; of times, above 1 is slower",
    "[…] of measured times: 95 % interval; of predicted numbers: where nine in ten are measured; none: not known",
    "open: the interval or band includes a boundary, or nothing is known",
)


def in_form(project: Project, comparison: DeviceComparison, form: str) -> list[str]:
    """`form`: "json", "all", "named" where the user named the chapters, else ""."""
    if form == "json":
        return [json.dumps(as_json(comparison), indent=2, allow_nan=False)]
    if form == "all":
        return all_lines(comparison)
    return lines(project, comparison, is_whole=form == "named")


def lines(project: Project, comparison: DeviceComparison, is_whole: bool) -> list[str]:
    """For a terminal: the claims by chapter, each with the word and the number of each device; all of them with
    the times of what they are about, or (not `is_whole`) those on which devices differ."""
    text = list(_strangers(comparison))
    shared = differing = 0
    for chapter in comparison.chapters:
        rows = claim_table.claim_rows(project, chapter, comparison.operands)
        shared += sum(row.is_shared for row in rows)
        differing += sum(row.differs for row in rows)
        shown = [row for row in rows if is_whole or row.differs]
        times = claim_table.time_lines(comparison, chapter) if is_whole else []
        if shown or times:
            text += [f"{chapter.name}  {plain(chapter.question)}", ""]
            text += [
                *claim_table.lines(comparison.operands, shown),
                *times,
                *([""] if times else []),
            ]
    return [*text, *_closing(comparison, shared, differing, is_whole)]


def _strangers(comparison: DeviceComparison) -> Iterator[str]:
    """First of all, which devices can hardly be compared."""
    for first, second, shared in comparison.strangers:
        found = f"{shared} benchmark{'' if shared == 1 else 's'}" if shared else "no benchmark"
        yield f"{plain(first)} and {plain(second)} have {found} in common: they can hardly be compared"
        yield ""


def _closing(
    comparison: DeviceComparison, shared: int, differing: int, is_whole: bool
) -> Iterator[str]:
    yield (
        f"claims that two devices decide: {shared}; with different verdicts: {differing}"
        if shared
        else "no claim is decided on two of these devices"
    )
    yield from _not_compared(comparison.missing)
    yield from _LEGEND
    if not is_whole:
        yield "all claims of a chapter, and times: name the chapter; every row: --all; as JSON: --json"


def _not_compared(missing: Sequence[Missing]) -> Iterator[str]:
    """How many values have no counterpart, and why."""
    if not missing:
        return
    counted = Counter(
        (one.only, name, reason.partition(":")[0])
        for one in missing
        for name, reason in one.others.items()
    )
    others: dict[tuple[int, str, str], list[str]] = {}
    for (only, other, reason), count in counted.most_common():
        others.setdefault((count, only, reason), []).append(other)
    yield f"not compared, as one device alone has them: {len(missing)} values"
    for (count, only, reason), names_of_others in others.items():
        yield f"  {count} of {plain(only)}; {plain(', '.join(names_of_others))}: {reason}"


def all_lines(comparison: DeviceComparison) -> list[str]:
    """For a terminal, by chapter: every row, in numbers."""
    devices = [plain(operand.name) for operand in comparison.operands]
    text: list[str] = []
    questions = [row.question for row in comparison.rows] + [
        missing.question for missing in comparison.missing
    ]
    for chapter in dict.fromkeys(question.chapter for question in questions):
        rows = [row for row in comparison.rows if row.question.chapter == chapter]
        text.append(chapter)
        if rows:
            text += terminal_table(["what", "regime", *devices], [_cells(row) for row in rows])
        text += [
            *_not_compared([one for one in comparison.missing if one.question.chapter == chapter]),
            "",
        ]
    return [*text, f"all rows: {_counts(comparison.rows)}", _MARKS_LEGEND]


def as_json(comparison: DeviceComparison) -> dict[str, Any]:
    """Every row with its numbers, by device as the user named it."""
    devices = [operand.name for operand in comparison.operands]
    return {
        "devices": devices,
        "rows": [_row_as_json(row, devices) for row in comparison.rows],
        "not_compared": [
            {
                "chapter": missing.question.chapter,
                "metric": missing.question.metric,
                "variant": missing.question.variant,
                "baseline": missing.question.baseline,
                "regime": missing.regime or None,
                "only": missing.only,
                "others": missing.others,
            }
            for missing in comparison.missing
        ],
        "summary": dict(Counter(_marks(comparison.rows))),
    }


def _cells(row: Row) -> list[str]:
    values = [
        " ".join(filter(None, (_value(value), _difference(difference))))
        for value, difference in zip(row.values, row.differences, strict=True)
    ]
    return [row.question.words, _regimes(row), *values]


def _regimes(row: Row) -> str:
    present = [value for value in row.values if value]
    if row.is_of_one_regime:
        return names.regime_in_words(present[0].regime) or "not stated"
    stated = [names.regime_in_words(value.regime) or "not stated" for value in present]
    labelled = [
        " ".join(filter(None, (regime, value.label)))
        for regime, value in zip(stated, present, strict=True)
    ]
    return "† " + " / ".join(labelled)


def _value(value: Value | None) -> str:
    if value is None:
        return "–"
    kind = value.evidence if value.evidence in (COUNTED, PREDICTED) else ""
    ends = f"[{', '.join(f'{end:.4g}' for end in value.interval)}]" if value.interval else ""
    return " ".join(filter(None, (kind, f"{value.center:.4g}", ends)))


def _difference(difference: Difference | None) -> str:
    if difference is None:
        return ""
    change = "" if difference.ratio is None else f" {difference.ratio - 1:+.1%}"
    return _MARKS[difference.mark] + change


def _marks(rows: list[Row]) -> list[str]:
    return [difference.mark for row in rows for difference in row.differences if difference]


def _counts(rows: list[Row]) -> str:
    counted = Counter(_marks(rows))
    return ", ".join(f"{counted[mark]} {mark}" for mark in _MARKS if counted[mark]) or "none"


def _row_as_json(row: Row, devices: list[str]) -> dict[str, Any]:
    question = row.question
    return {
        "chapter": question.chapter,
        "metric": question.metric,
        "variant": question.variant,
        "baseline": question.baseline,
        "in_claim": question.in_claim,
        "one_regime": row.is_of_one_regime,
        "values": {
            device: {
                "value": value.center,
                "evidence": value.evidence,
                "interval": list(value.interval) if value.interval else None,
                "n": value.n,
                "regime": value.regime or None,
                "label": value.label or None,
                "doubt": value.doubt or None,
                "data": value.data,
            }
            for device, value in zip(devices, row.values, strict=True)
            if value
        },
        "differences": {
            device: {
                "mark": difference.mark,
                "ratio": difference.ratio,
                "interval": list(difference.interval) if difference.interval else None,
                "reason": difference.reason or None,
            }
            for device, difference in zip(devices, row.differences, strict=True)
            if difference
        },
    }
