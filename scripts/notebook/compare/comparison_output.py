"""What `lab compare` prints: what differs among what the claims ask; everything; or JSON."""

from collections import Counter
from typing import Any

from notebook.base.text import plain, terminal_table, wrapped
from notebook.compare.compare import (
    DIFFERENT,
    NOTHING,
    SAME,
    UNDECIDED,
    DeviceComparison,
    Difference,
    Row,
)
from notebook.data import device_names, names
from notebook.decide.device_answers import Question, Value
from notebook.decide.judging import SMALLEST_EFFECT_TEXT

_MARKS = {SAME: "=", DIFFERENT: "≠", UNDECIDED: "?"}
_LEGEND = f"""\
= same within {SMALLEST_EFFECT_TEXT}, ≠ different beyond it, ? cannot tell; by 95 % intervals, against the first
device of the row that has a value. † the caches' state or what holds the data is not the same."""


def lines(comparison: DeviceComparison) -> list[str]:
    """For a terminal: each claim's question whose answers differ, and one line of totals."""
    text: list[str] = []
    different: dict[Question, list[Row]] = {}
    for row in comparison.rows:
        if row.question.in_claim and DIFFERENT in _marks([row]):
            different.setdefault(row.question, []).append(row)
    chapter = ""
    for question, rows in different.items():
        if question.chapter != chapter:
            chapter = question.chapter
            text += ["", chapter]
        text += wrapped(plain(question.statement), "  ")
        text.append(
            f"      {question.metric}: {_answers(comparison, rows)}{_sizes(comparison, rows)}"
        )
    asked = [row for row in comparison.rows if row.question.in_claim]
    others = [row for row in comparison.rows if not row.question.in_claim]
    return [
        *(text[1:] or ["nothing that a claim asks differs"]),
        "",
        f"claims: {_counts(asked)}; other rows: {_counts(others)}; not compared: "
        f"{len(comparison.missing)}; all of them: --all, --json",
    ]


def _answers(comparison: DeviceComparison, rows: list[Row]) -> str:
    """Each device's least and most among rows of one question: `H200 0.80, Fermi 0.50`."""
    parts = []
    for number, operand in enumerate(comparison.operands):
        values = [value.center for row in rows if (value := row.values[number])]
        ends = dict.fromkeys(map(_number, (min(values), max(values)))) if values else {}
        if ends:
            parts.append(f"{plain(device_names.short(operand.name))} {'–'.join(ends)}")
    return ", ".join(parts)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _sizes(comparison: DeviceComparison, rows: list[Row]) -> str:
    """At how many of the sizes that were compared, where that is not all of them."""
    every = sum(row.question == rows[0].question for row in comparison.rows)
    return "" if len(rows) == every else f" (at {len(rows)} of {every} sizes)"


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
        text += [*_missing(comparison, chapter), ""]
    return [*text, f"all rows: {_counts(comparison.rows)}", _LEGEND]


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
    if value.estimate is None or value.n == 1:
        return f"{value.center:.4g}"
    low, high = value.estimate.interval
    return f"{value.center:.4g} [{low:.4g}, {high:.4g}]"


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


def _missing(comparison: DeviceComparison, chapter: str) -> list[str]:
    """What is not compared, counted by who has it and who has it at other sizes."""
    counted: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for missing in comparison.missing:
        if missing.question.chapter == chapter:
            elsewhere = (name for name, instead in missing.others.items() if instead != NOTHING)
            counted[missing.only, tuple(elsewhere)] += 1
    return [
        f"not compared: {count} values of {plain(only)}; "
        + (
            f"{plain(' and '.join(elsewhere))}: other sizes"
            if elsewhere
            else "no other device has them"
        )
        for (only, elsewhere), count in counted.items()
    ]


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
                "interval": list(value.estimate.interval)
                if value.estimate and value.n > 1
                else None,
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
