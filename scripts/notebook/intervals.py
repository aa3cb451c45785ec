"""Bootstrap confidence intervals (SciPy's) of medians and of ratios of medians."""

from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
RESAMPLES = 9999
# A fixed seed: the same data give the same interval, verdict and figure.
_SEED = 20140909

Interval = tuple[float, float]
Floats = NDArray[numpy.float64]


def median_interval(sample: ArrayLike) -> Interval:
    """The interval of the median of a sample; a single value is its own interval."""
    low, high = _bootstrap([sample], numpy.median, RESAMPLES)
    return float(low), float(high)


def ratio_interval(variant: ArrayLike, baseline: ArrayLike) -> Interval:
    """The interval of median(variant) / median(baseline) for two independent samples."""
    low, high = _bootstrap([variant, baseline], _ratio_of_medians, RESAMPLES)
    return float(low), float(high)


def spread(sample: ArrayLike) -> float:
    """The interquartile range over the median: one stray repetition does not move it."""
    low, middle, high = numpy.quantile(numpy.asarray(sample), [0.25, 0.5, 0.75])
    return float((high - low) / middle)


def error_bars(samples: ArrayLike, baseline: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """Low and high ends of the intervals of many samples at once, one a row; of their ratios to
    `baseline` where it is given. With fewer resamples: nothing is decided by an error bar."""
    if baseline is None:
        return _bootstrap([samples], numpy.median, 1999)
    return _bootstrap([samples, numpy.atleast_2d(baseline)], _ratio_of_medians, 1999)


def _ratio_of_medians(variant: Floats, baseline: Floats, axis: int = -1) -> Floats:
    return numpy.median(variant, axis=axis) / numpy.median(baseline, axis=axis)


def _bootstrap(
    samples: list[ArrayLike], statistic: Callable[..., Any], resamples: int
) -> tuple[Floats, Floats]:
    arrays = [numpy.asarray(sample, dtype=numpy.float64) for sample in samples]
    if min(array.shape[-1] for array in arrays) < 2:  # SciPy wants two observations
        point = statistic(*arrays, axis=-1)
        return point, point
    from scipy import stats  # type: ignore[import-untyped]  # takes half a second, which commands without intervals are spared

    interval = stats.bootstrap(
        arrays,
        statistic,
        n_resamples=resamples,
        batch=500,
        vectorized=True,
        paired=False,
        axis=-1,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=numpy.random.default_rng(_SEED),
    ).confidence_interval
    return interval.low, interval.high
