import random

import numpy
import pytest

from notebook.intervals import center, center_interval, power_intervals, ratio_interval


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """Two log-normal samples whose medians have the ratio 1.2: 95 % of 80 intervals are 76; a
    binomial count of 80 at 0.95 is below 68 less than once in 1,000."""
    source = random.Random(1)

    def sample(median: float) -> list[list[float]]:
        return [[median * source.lognormvariate(0, 0.05) for _ in range(10)] for _ in range(2)]

    intervals = [ratio_interval(sample(1.2), sample(1.0)) for _ in range(80)]
    assert sum(low <= 1.2 <= high for low, high in intervals) >= 68


def test_a_process_that_is_slower_as_a_whole_does_not_widen_a_ratio() -> None:
    variant, baseline = [1.10, 1.11, 1.12, 1.13, 1.14], [1.00, 1.01, 1.02, 1.03, 1.04]
    alike = ratio_interval([variant, variant], [baseline, baseline])
    slower = [[1.5 * value for value in sample] for sample in (variant, baseline)]
    apart = ratio_interval([variant, slower[0]], [baseline, slower[1]])
    assert apart == pytest.approx(alike)


def test_processes_count_alike() -> None:
    # Medians 1 and 4, whose geometric mean is 2, however many repetitions each has.
    assert center([[1.0, 1.0, 1.0], [4.0] * 9]) == pytest.approx(2)


def test_a_ratio_of_ratios() -> None:
    """(6 / 3) / (20 / 5) = 1/2, of samples without noise."""
    factors = [([[6.0] * 5], 1), ([[3.0] * 5], -1), ([[20.0] * 5] * 3, -1), ([[5.0] * 5] * 3, 1)]
    assert numpy.allclose(power_intervals(factors), 0.5)


def test_a_stack_of_samples_has_the_interval_of_each() -> None:
    source = numpy.random.default_rng(1)
    variants, baselines = source.lognormal(0, 0.01, (2, 3, 5))
    lows, highs = power_intervals([([variants], 1), ([baselines], -1)])
    assert [
        pytest.approx(ratio_interval([variant], [baseline]))
        for variant, baseline in zip(variants, baselines, strict=True)
    ] == list(zip(lows, highs, strict=True))


def test_the_same_data_give_the_same_interval() -> None:
    sample = [[1.0, 1.1, 1.3, 1.2, 1.05], [1.1, 1.2, 1.0]]
    assert center_interval(sample) == center_interval(sample)


def test_a_single_value_is_its_own_interval() -> None:
    assert ratio_interval([[3.0]], [[2.0]]) == pytest.approx((1.5, 1.5))
