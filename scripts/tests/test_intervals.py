import random

import pytest

from notebook.intervals import median_interval, ratio_interval


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """Two log-normal samples whose medians have the ratio 1.2: 95 % of 80 intervals are 76; a
    binomial count of 80 at 0.95 is below 68 less than once in 1,000."""
    source = random.Random(1)

    def sample(median: float) -> list[float]:
        return [median * source.lognormvariate(0, 0.05) for _ in range(20)]

    intervals = [ratio_interval(sample(1.2), sample(1.0)) for _ in range(80)]
    assert sum(low <= 1.2 <= high for low, high in intervals) >= 68


def test_the_same_data_give_the_same_interval() -> None:
    sample = [1.0, 1.1, 1.3, 1.2, 1.05]
    assert median_interval(sample) == median_interval(sample)


def test_a_single_value_is_its_own_interval() -> None:
    assert ratio_interval([3.0], [2.0]) == pytest.approx((1.5, 1.5))
