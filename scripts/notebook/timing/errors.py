"""The errors of predicted times, as the field states them.

MAPE is the mean absolute error in percent of the real time, as in Huerta et al. (MICRO 2025); median and 90 % error
are quantiles of the same errors. Ratios are those of any two times of a group (a chapter, a printed table, a
program): right within 20 % where predicted over real is between 1 / 1.2 and 1.2. The correlation is Pearson's of the
logarithms, so that a launch of 2 us counts as much as one of 200 ms.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RIGHT = 0.2
HEADINGS = ("MAPE", "median", "90 %", "times within 20 %", "ratios within 20 %", "correlation")

# Predicted and real seconds.
Pair = tuple[float, float]
_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """Shares: 0.04 for 4 %. NaN where there are too few times."""

    times: int
    mean: float
    median: float
    percentile_90: float
    times_right: float
    ratios_right: float
    correlation: float

    def cells(self) -> list[str]:
        """Under HEADINGS."""
        shares = (self.mean, self.median, self.percentile_90)
        right = (self.times_right, self.ratios_right)
        correlation = "-" if np.isnan(self.correlation) else f"{self.correlation:.3f}"
        return [
            *(f"{100 * share:.1f} %" for share in shares),
            *("-" if np.isnan(share) else f"{100 * share:.0f} %" for share in right),
            correlation,
        ]


def errors_of(groups: Iterable[Sequence[Pair]]) -> Errors:
    """Of all times together, and of the ratios within each group; raises ValueError where there are no times."""
    logs = [np.log(np.array(group, dtype=float)) for group in groups if group]
    if not logs:
        raise ValueError("no times")
    together = np.concatenate(logs)
    differences = together[:, 0] - together[:, 1]
    errors = np.abs(np.expm1(differences))
    ratios = np.concatenate([_ratio_errors(group[:, 0] - group[:, 1]) for group in logs])
    return Errors(
        times=len(errors),
        mean=float(errors.mean()),
        median=float(np.median(errors)),
        percentile_90=float(np.quantile(errors, 0.9)),
        times_right=_share_within(errors, RIGHT),
        ratios_right=_share_within(ratios, np.log1p(RIGHT)),
        correlation=_correlation(together),
    )


def _ratio_errors(differences: _Array) -> _Array:
    """Of each ratio of two times, as a logarithm."""
    one, other = np.triu_indices(len(differences), 1)
    result: _Array = np.abs(differences[one] - differences[other])
    return result


def _share_within(errors: _Array, limit: float) -> float:
    return float(np.mean(errors <= limit)) if len(errors) else float("nan")


def _correlation(logs: _Array) -> float:
    if len(logs) < 2 or np.any(np.ptp(logs, axis=0) == 0):
        return float("nan")
    from scipy import stats  # type: ignore[import-untyped]  # takes half a second

    return float(stats.pearsonr(logs[:, 0], logs[:, 1])[0])


def table(heading: str, groups: Mapping[str, Sequence[Pair]]) -> list[str]:
    """Markdown: a line for each group, and one for all together."""
    lines = [
        f"| {heading} | times | {' | '.join(HEADINGS)} |",
        "|---" * (len(HEADINGS) + 2) + "|",
    ]
    for name, pairs in groups.items():
        lines.append(_line(name, errors_of([pairs])))
    return [*lines, _line("**all**", errors_of(groups.values()))]


def _line(name: str, errors: Errors) -> str:
    return f"| {name} | {errors.times} | {' | '.join(errors.cells())} |"
