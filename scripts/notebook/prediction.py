"""What a predicted time decides: the ratio of two predictions, within the time model's own errors.

How much it errs is in data/timing/ratio_errors.csv: for a generation, ratios that were predicted and
measured on a GPU of it. Without them, what GPUs of other generations say (`transfer`), where that is
known to hold; else a prediction decides nothing.
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from notebook import csv_table, names, transfer
from notebook.claims import Claim
from notebook.intervals import Interval
from notebook.project import Project
from notebook.results import Result

TABLE = Path("data/timing/ratio_errors.csv")
COLUMNS = ("architecture", "chapter", "name", "baseline", "predicted_ratio", "measured_ratio")
# Of the errors, those that a band holds: beyond each of its ends is one in twenty. Fewer ratios do not tell where
# they lie.
SHARE_IN_BAND = 0.9
MIN_ERRORS = 40
# Its times are what the parameters are, and its rows do less work on an emulated GPU.
HIERARCHY = "00_memory_hierarchy"
_TIME, _RATES = "time", ("bytes_per_second", "flops_per_second")


def predicted_seconds(result: Result, variant: str) -> dict[str, float]:
    """The predicted time of one launch of a variant, by regime."""
    return {
        names.regime(name): seconds
        for name in result.by_variant.get(variant, [])
        if name in result.by_name and (seconds := result.by_name[name].predicted_seconds) > 0
    }


def predicted_ratios(claim: Claim, result: Result) -> dict[str, float]:
    """Variant over baseline of a claim about time, as predicted, in each regime of the claim; {} for other claims.

    A claim about rates is one about time where both do the same work: how much a launch moves or computes is known.
    """
    is_rate = claim.metric in _RATES and result.chapter != HIERARCHY
    if claim.baseline is None or not (claim.metric == _TIME or is_rate):
        return {}
    variants, baselines = (
        predicted_seconds(result, variant) for variant in (claim.variant, claim.baseline)
    )
    if is_rate:
        works = [
            _work(result, variant, claim.metric) for variant in (claim.variant, claim.baseline)
        ]
        alike = {
            regime for regime in variants if _is_alike(*(work.get(regime, 0) for work in works))
        }
        variants, baselines = baselines, {regime: variants[regime] for regime in alike}
    regimes = names.naturally_sorted(variants.keys() & baselines.keys())
    return {
        regime: variants[regime] / baselines[regime]
        for regime in regimes
        if not claim.regimes or regime in claim.regimes
    }


def _work(result: Result, variant: str, rate: str) -> dict[str, float]:
    """What one launch of a variant moves or computes, by regime."""
    return {
        names.regime(name): rates[0] * result.by_name[name].predicted_seconds
        for name in result.by_variant.get(variant, [])
        if name in result.by_name
        for rates in result.by_name[name].positive(rate).values()
    }


def _is_alike(one: float, other: float) -> bool:
    """But for the digits that are stored."""
    return one > 0 and math.isclose(one, other, rel_tol=1e-4)


def check_tables() -> None:
    """Refuses damaged tables now: without them, predictions decide nothing."""
    root = Project.here().root
    _log_errors(root / TABLE)
    transfer.read_errors(root / transfer.ERRORS)
    transfer.read_trials(root / transfer.TRIALS)


def predicted_interval(ratio: float, generation: str, chapter: str = "") -> Interval | None:
    """Where a predicted ratio would be measured, in 90 % of cases; None where that is not known.

    `chapter`: the one that the ratio is of, by number. Its own errors are left out: the GPU's time would
    be known already.
    """
    root = Project.here().root
    known = _log_errors(root / TABLE).get(generation, [])
    size = abs(math.log(ratio))
    if known:
        width = _own_half_width(size, [error for error in known if error.chapter != chapter])
    else:
        width = transfer.known_half_width(root, size, generation, SHARE_IN_BAND)
    # To both sides alike, whichever side the errors are on.
    return None if width is None else (ratio * math.exp(-width), ratio * math.exp(width))


def _own_half_width(size: float, known: list["_Error"]) -> float | None:
    """By errors of the generation itself; None where too few are known."""
    if len(known) < MIN_ERRORS:
        return None
    # The smaller an effect, the smaller the error: of the ratios that are predicted to be about as far from 1.
    known.sort(key=lambda error: abs(abs(error.predicted) - size))
    alike = sorted(abs(error.error) for error in known[:MIN_ERRORS])
    return alike[math.ceil(SHARE_IN_BAND * len(alike)) - 1]


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
    for architecture, error in csv_table.read_usable(table, COLUMNS, _architecture_and_error):
        by_kind.setdefault(architecture, []).append(error)
    return by_kind


def _architecture_and_error(row: csv_table.Line) -> tuple[str, _Error]:
    predicted, measured = (
        row.real(key, 1e-9, 1e9) for key in ("predicted_ratio", "measured_ratio")
    )
    error = _Error(row["chapter"], math.log(predicted), math.log(measured / predicted))
    return row["architecture"], error
