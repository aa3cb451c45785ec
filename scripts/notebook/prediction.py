"""What a predicted time decides: the ratio of two predictions, within the time model's own errors.

How much it errs is in data/timing/ratio_errors.csv: for a generation, ratios that were predicted and
measured on a GPU of it. Without them a prediction decides nothing.
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from notebook import csv_table, errors, files, names
from notebook.claims import Claim
from notebook.errors import Malformed
from notebook.intervals import Interval
from notebook.project import Project
from notebook.results import Result

TABLE = Path("data/timing/ratio_errors.csv")
COLUMNS = ("architecture", "chapter", "name", "baseline", "predicted_ratio", "measured_ratio")
# Of the errors, those that a band holds: beyond each of its ends is one in twenty. Fewer ratios do not tell where
# they lie.
SHARE_IN_BAND = 0.9
MIN_ERRORS = 40


def predicted_seconds(result: Result, variant: str) -> dict[str, float]:
    """The predicted time of one launch of a variant, by regime."""
    return {
        names.regime(name): seconds
        for name in result.by_variant.get(variant, [])
        if name in result.by_name and (seconds := result.by_name[name].predicted_seconds) > 0
    }


def predicted_ratios(claim: Claim, result: Result) -> dict[str, float]:
    """Variant over baseline of a claim about time, as predicted, in each regime of the claim; {} for other claims."""
    if claim.metric != "time" or claim.baseline is None:
        return {}
    variants, baselines = (
        predicted_seconds(result, variant) for variant in (claim.variant, claim.baseline)
    )
    regimes = names.naturally_sorted(variants.keys() & baselines.keys())
    return {
        regime: variants[regime] / baselines[regime]
        for regime in regimes
        if not claim.regimes or regime in claim.regimes
    }


def check_table() -> None:
    """Refuses a damaged table now: without it, predictions decide nothing."""
    _log_errors(Project.here().root / TABLE)


def predicted_interval(ratio: float, generation: str, chapter: str = "") -> Interval | None:
    """Where a predicted ratio would be measured, in 90 % of cases; None where too few were.

    `chapter`: the one that the ratio is of, by number. Its own errors are left out: the GPU's time would
    be known already.
    """
    known = _log_errors(Project.here().root / TABLE).get(generation, [])
    others = [error for error in known if error.chapter != chapter]
    if len(others) < MIN_ERRORS:
        return None
    # The smaller an effect, the smaller the error: of the ratios that are predicted to be about as far from 1.
    size = abs(math.log(ratio))
    others.sort(key=lambda error: abs(abs(error.predicted) - size))
    alike = sorted(abs(other.error) for other in others[:MIN_ERRORS])
    # To both sides alike, whichever side the errors are on.
    widest = alike[math.ceil(SHARE_IN_BAND * len(alike)) - 1]
    return ratio * math.exp(-widest), ratio * math.exp(widest)


@dataclass(frozen=True)
class _Error:
    """Of a ratio: logarithms of the predicted one, and of the measured one over it."""

    chapter: str
    predicted: float
    error: float


@cache
def _log_errors(table: Path) -> dict[str, list[_Error]]:
    """By generation."""
    by_kind: dict[str, list[_Error]] = {}
    if not files.is_there(table):
        return by_kind
    try:
        for row in csv_table.parse(csv_table.read_content(table), COLUMNS):
            predicted, measured = (
                row.real(key, 1e-9, 1e9) for key in ("predicted_ratio", "measured_ratio")
            )
            one = _Error(row["chapter"], math.log(predicted), math.log(measured / predicted))
            by_kind.setdefault(row["architecture"], []).append(one)
    except Malformed as error:
        errors.refuse(csv_table.damaged(table, error))
        return {}
    return by_kind
