"""How far a predicted ratio may be off on a generation whose own errors are not known: what GPUs of others say.

The ratios of one GPU err alike, so GPUs are counted, not ratios: each weighs the same, and one weight
more stands for the GPU in question, whose errors may be of any size (Lee, Barber and Willett,
"Distribution-free inference with hierarchical data", 2023, arXiv 2306.06342).
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Of each GPU, the ratios nearest in size to the one in question; all of one that has fewer.
ALIKE = 10
_ROUNDING = 1e-9  # of sums of weights


@dataclass(frozen=True, order=True)
class RatioError:
    """Logarithms, without their signs, of a predicted ratio and of the measured one over it."""

    size: float
    error: float


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
    alike = [nearest(size, errors) for errors in gpus if errors]
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


def nearest(size: float, errors: Sequence[RatioError]) -> Sequence[RatioError]:
    """Those of the most similar sizes, ALIKE at most."""
    middle = bisect_left(errors, RatioError(size, -math.inf))
    around = errors[max(0, middle - ALIKE) : middle + ALIKE]
    return sorted(around, key=lambda error: abs(error.size - size))[:ALIKE]
