"""What a predicted time decides: the ratio of two predictions, or a rate, within the time model's own errors.

How much ratios err is in data/timing/ratio_errors.csv: for a generation, ratios that were predicted and
measured on a GPU of it. Without them, what GPUs of other generations say (`transfer`), where that is
known to hold; else a prediction decides nothing. How much times err is in data/timing/validation.csv, of
the generation of the GPU that was measured alone.
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from notebook.base import csv_table
from notebook.base.project import Project
from notebook.data import device_names, names
from notebook.data.intervals import Interval
from notebook.data.metrics import SHARES
from notebook.data.records import Repetitions
from notebook.data.results import Result
from notebook.data.samples import samples_of
from notebook.decide import transfer
from notebook.decide.claims import Claim

TABLE = Path("data/timing/ratio_errors.csv")
COLUMNS = (
    *("architecture", "chapter", "name", "baseline", "level"),
    *("predicted_ratio", "measured_ratio"),
)
# The share of the errors that a band holds: beyond each of its ends is one in twenty. Fewer ratios do not tell where
# they lie.
SHARE_IN_BAND = 0.9
MIN_ERRORS = 40
# Predicted times beside those of the GPU that was measured.
VALIDATED, TIMES = "hopper", Path("data/timing/validation.csv")
TIMES_COLUMNS = ("chapter", "name", "predicted_seconds", "predicted_bound", "measured_seconds")
_TIME = "time"
# The rate past the L1 over the one through it: with a baseline a ratio of two ratios, each with its error.
_RATIO_OF_RATIOS = "l1_ratio"
# Over a copy by the driver, or over cuBLAS, whose kernels are not executed: how far such ratios err is known of one
# GPU's large copies alone. Of two rows the reference cancels.
_OF_REFERENCES = ("memcpy_ratio", "cublas_ratio")

# Launches that these bound keep to themselves: where their data lie says little of how they err.
OF_SM = "sm"
BOUNDS_OF_SM = frozenset(("issue", "fp32", "fp64", "int", "sfu", "tensor", "lsu", "shared", "l1"))


def predicted_seconds(result: Result, variant: str) -> dict[str, float]:
    """The predicted time of one launch of a variant, by regime."""
    return {
        names.regime(name): seconds
        for name in result.by_variant.get(variant, [])
        if name in result.by_name and (seconds := result.by_name[name].predicted_seconds) > 0
    }


def predicted_numbers(claim: Claim, result: Result) -> dict[str, float]:
    """What a claim about time is about, as predicted, in each of its regimes: variant over baseline, or the value
    where there is no baseline; {} for other claims."""
    if claim.is_counted or (claim.metric == _TIME and claim.baseline is None):
        return {}
    variants = _predicted(claim.metric, result, claim.variant)
    if claim.baseline is None:
        numbers = variants
    else:
        baselines = _predicted(claim.metric, result, claim.baseline)
        numbers = {
            regime: value / baselines[regime]
            for regime, value in variants.items()
            if regime in baselines
        }
    wanted = claim.regimes or numbers
    return {
        regime: numbers[regime] for regime in names.naturally_sorted(numbers) if regime in wanted
    }


def _predicted(metric: str, result: Result, variant: str) -> dict[str, float]:
    """A time, or a rate by one, by regime."""
    seconds = predicted_seconds(result, variant)
    if metric == _TIME:
        return seconds
    return {
        regime: sample.values[0]
        for regime, sample in samples_of(result, metric, variant).items()
        if regime in seconds
    }


def check_tables() -> None:
    """Refuses damaged tables now: without them, predictions decide nothing."""
    root = Project.here().root
    _log_errors(root / TABLE)
    _log_time_errors(root / TIMES)
    transfer.read_errors(root / transfer.ERRORS)
    transfer.read_trials(root / transfer.TRIALS)


def band(claim: Claim, number: float, regime: str, result: Result) -> Interval | None:
    """Where a predicted number of a claim would be measured, in 90 % of cases; None where that is not known."""
    if claim.metric in _OF_REFERENCES and claim.baseline is None:
        return None
    generation = result.device.removeprefix(device_names.EMULATED)
    chapter = result.chapter[:2]
    if claim.baseline is None and claim.metric not in SHARES:
        return time_interval(number, generation, chapter)
    interval = predicted_interval(
        number, generation, chapter, level_of(result, claim.variant, regime)
    )
    if interval is None or claim.metric != _RATIO_OF_RATIOS or claim.baseline is None:
        return interval
    return interval[0] ** 2 / number, interval[1] ** 2 / number


def level_of(result: Result, variant: str, regime: str) -> str:
    """Of a variant's launch in a regime."""
    alike = [name for name in result.by_variant.get(variant, []) if names.regime(name) == regime]
    return level_of_launch(result.by_name[alike[0]]) if alike else ""


def level_of_launch(row: Repetitions) -> str:
    """Which launches err as this one does: "sm", those that units of an SM bound, wherever their data lie; of
    others those whose data the L2 can hold as it can these, found there or not: "l2", "l2+dram", "dram"."""
    return OF_SM if row.predicted_bound in BOUNDS_OF_SM else row.level


def predicted_interval(
    ratio: float, generation: str, chapter: str = "", level: str = ""
) -> Interval | None:
    """The same of a ratio of two times.

    `chapter`: the one that the claim is of, by number. Its own errors are left out: the GPU's time would
    be known already. `level`: launches that units of an SM bound make other errors than those that wait for
    memory, and of these those whose data the L2 cannot hold others than those whose it can.
    """
    root = Project.here().root
    known = _log_errors(root / TABLE).get(generation, [])
    size = abs(math.log(ratio))
    if known:
        # Published numbers do not say which level held the data: they count for each.
        alike = [
            error for error in known if error.chapter != chapter and error.level in ("", level)
        ]
        width = _own_half_width(size, alike)
    else:
        width = transfer.known_half_width(root, size, generation, SHARE_IN_BAND)
    return _around(ratio, width)


def time_interval(value: float, generation: str, chapter: str = "") -> Interval | None:
    """The same of a time, or of a rate by one."""
    if generation != VALIDATED:
        return None
    times = _log_time_errors(Project.here().root / TIMES)
    known = sorted(error for of, errors in times.items() if of != chapter for error in errors)
    return _around(value, _quantile(known) if len(known) >= MIN_ERRORS else None)


def _around(value: float, half_width: float | None) -> Interval | None:
    """To both sides alike, whichever side the errors are on."""
    if half_width is None:
        return None
    return value * math.exp(-half_width), value * math.exp(half_width)


def _quantile(errors: list[float]) -> float:
    """Of errors in order, the one that a share of SHARE_IN_BAND does not exceed."""
    return errors[math.ceil(SHARE_IN_BAND * len(errors)) - 1]


def _own_half_width(size: float, known: list["_Error"]) -> float | None:
    """By errors of the generation itself; None where too few are known."""
    if len(known) < MIN_ERRORS:
        return None
    # The smaller an effect, the smaller the error: of the ratios that are predicted to be about as far from 1.
    known.sort(key=lambda error: abs(abs(error.predicted) - size))
    return _quantile(sorted(abs(error.error) for error in known[:MIN_ERRORS]))


@dataclass(frozen=True)
class _Error:
    """Of a ratio: logarithms of the predicted one, and of the measured one over it."""

    chapter: str
    level: str
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
    error = _Error(
        row["chapter"], row["level"], math.log(predicted), math.log(measured / predicted)
    )
    return row["architecture"], error


@cache
def _log_time_errors(table: Path) -> dict[str, list[float]]:
    """Logarithms, without their signs, of predicted times over measured ones, by a chapter's number."""
    by_chapter: dict[str, list[float]] = {}
    for chapter, error in csv_table.read_usable(table, TIMES_COLUMNS, _chapter_and_error):
        by_chapter.setdefault(chapter, []).append(error)
    return by_chapter


def _chapter_and_error(row: csv_table.Line) -> tuple[str, float]:
    predicted, measured = (
        row.real(key, 1e-12, 1e6) for key in ("predicted_seconds", "measured_seconds")
    )
    return row["chapter"][:2], abs(math.log(predicted / measured))
