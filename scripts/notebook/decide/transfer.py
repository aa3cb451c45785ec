"""How far a predicted ratio may be off on a generation whose own errors are not known: what GPUs of others say.

The ratios of one GPU err alike, so GPUs are counted, not ratios: each weighs the same, and one weight
more stands for the GPU in question, whose errors may be of any size (Lee, Barber and Willett,
"Distribution-free inference with hierarchical data", 2023, arXiv 2306.06342).

data/timing/gpu_errors.csv has ratios of each GPU, data/timing/transfer.csv how verdicts by this band
fare where the errors of a whole generation are left out (scripts/timing_validation.py makes both).
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from notebook.base import csv_table

ERRORS = Path("data/timing/gpu_errors.csv")
ERRORS_COLUMNS = ("architecture", "gpu", "predicted_ratio", "measured_ratio")
TRIALS = Path("data/timing/transfer.csv")
TRIALS_COLUMNS = ("architecture", "kind", "judged", "in_band", "decided", "right")
# The ratios of each GPU that are nearest in size to the one in question; all of one that has fewer.
ALIKE = 10
# The share that must be right of the verdicts decided for generations left out, and how many of how many generations.
SHARE_RIGHT = 0.95
MIN_DECIDED, MIN_GENERATIONS = 30, 3
# So many of one generation, ratios or decided verdicts, say something of that generation.
MIN_OF_ONE = 10
_ROUNDING = 1e-9  # of sums of weights


@dataclass(frozen=True, order=True)
class RatioError:
    """Logarithms, without their signs, of a predicted ratio and of the measured one over it."""

    size: float
    error: float

    @classmethod
    def of(cls, predicted: float, measured: float) -> "RatioError":
        return cls(abs(math.log(predicted)), abs(math.log(measured / predicted)))


@dataclass(frozen=True)
class Trial:
    """What the band of the other generations says of ratios that were printed or measured on GPUs of one."""

    architecture: str
    kind: str  # of what is judged: a claim, or a ratio of two times of a table
    judged: int = 0
    in_band: int = 0
    decided: int = 0
    right: int = 0


def half_width(
    size: float,
    others: Iterable[Sequence[RatioError]],
    own: Iterable[Sequence[RatioError]],
    share: float,
) -> float | None:
    """The error that `share` of the ratios of this size do not exceed; None where GPUs are too few to tell.

    `others`: of each GPU of another generation its errors, sorted; `own`: of the GPUs of this one. The wider
    of the two bands counts: what is known of the generation itself never narrows it.
    """
    transferred = _quantile(size, others, share, unseen=1)
    return None if transferred is None else max(transferred, _quantile(size, own, share) or 0.0)


def _quantile(
    size: float, gpus: Iterable[Sequence[RatioError]], share: float, unseen: int = 0
) -> float | None:
    """Of the errors of alike ratios, each GPU weighing the same; `unseen` GPUs err without limit."""
    alike = [nearest(size, gpu_errors) for gpu_errors in gpus if gpu_errors]
    weighed = sorted(
        (error.error, 1 / (len(alike) + unseen) / len(of_one))
        for of_one in alike
        for error in of_one
    )
    reached = 0.0
    for error, weight in weighed:
        reached += weight
        if reached >= share - _ROUNDING:
            return error
    return None


def nearest(size: float, gpu_errors: Sequence[RatioError]) -> Sequence[RatioError]:
    """Those of the most similar sizes, ALIKE at most."""
    middle = bisect_left(gpu_errors, RatioError(size, -math.inf))
    around = gpu_errors[max(0, middle - ALIKE) : middle + ALIKE]
    return sorted(around, key=lambda error: abs(error.size - size))[:ALIKE]


def is_accepted(trials: Sequence[Trial]) -> bool:
    """Whether the band decides anything: by the verdicts of all generations that were left out."""
    decided = sum(trial.decided for trial in trials)
    generations = {trial.architecture for trial in trials if trial.decided}
    enough = decided >= MIN_DECIDED and len(generations) >= MIN_GENERATIONS
    return enough and share_right(trials) >= SHARE_RIGHT


def share_right(trials: Iterable[Trial]) -> float:
    pairs = [(trial.right, trial.decided) for trial in trials]
    return sum(right for right, _ in pairs) / max(1, sum(decided for _, decided in pairs))


def contradicts(trials: Sequence[Trial], architecture: str, share: float) -> bool:
    """Whether what was printed of this generation says that the band of the others is not its own: too few
    ratios lie in it, or too few verdicts are right."""
    own = [trial for trial in trials if trial.architecture == architecture]
    judged, in_band = (sum(getattr(trial, key) for trial in own) for key in ("judged", "in_band"))
    is_too_narrow = judged >= MIN_OF_ONE and in_band < share * judged
    decided = sum(trial.decided for trial in own)
    return is_too_narrow or (decided >= MIN_OF_ONE and share_right(own) < SHARE_RIGHT)


def known_half_width(root: Path, size: float, architecture: str, share: float) -> float | None:
    """By the tables of data/timing; None where they do not permit a band."""
    trials = read_trials(root / TRIALS)
    is_known = any(trial.architecture == architecture for trial in trials)
    if not is_known or not is_accepted(trials) or contradicts(trials, architecture, share):
        return None
    others: list[list[RatioError]] = []
    own: list[list[RatioError]] = []
    for (generation, _), gpu_errors in read_errors(root / ERRORS).items():
        (own if generation == architecture else others).append(gpu_errors)
    return half_width(size, others, own, share)


@cache
def read_errors(table: Path) -> dict[tuple[str, str], list[RatioError]]:
    """By generation and GPU, sorted."""
    by_gpu: dict[tuple[str, str], list[RatioError]] = {}
    for gpu, error in csv_table.read_usable(table, ERRORS_COLUMNS, _gpu_and_error):
        by_gpu.setdefault(gpu, []).append(error)
    return {gpu: sorted(gpu_errors) for gpu, gpu_errors in by_gpu.items()}


def _gpu_and_error(row: csv_table.Line) -> tuple[tuple[str, str], RatioError]:
    ratios = (row.real(key, 1e-9, 1e9) for key in ("predicted_ratio", "measured_ratio"))
    return (row["architecture"], row["gpu"]), RatioError.of(*ratios)


@cache
def read_trials(table: Path) -> list[Trial]:
    return csv_table.read_usable(table, TRIALS_COLUMNS, _trial)


def _trial(row: csv_table.Line) -> Trial:
    counts = (row.whole(key, 0, 1_000_000) for key in TRIALS_COLUMNS[2:])
    return Trial(row["architecture"], row["kind"], *counts)
