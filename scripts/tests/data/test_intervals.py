"""Intervals against numbers worked out by hand, and against a table of Student's t."""

import math

import pytest

from notebook.data import intervals
from notebook.data.intervals import (
    CONFIDENCE,
    NO_POOL,
    Benchmark,
    Estimate,
    Pool,
    center,
    estimated_center,
    estimated_ratio,
    exactly,
    places,
    pooled,
    spread,
)

# Both sides of 95 %, from any table: by degrees of freedom.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776}
ONE = [[1.0] * 5]


def test_the_known_values_of_students_t_are_those_of_scipy() -> None:
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    level = (1 + CONFIDENCE) / 2
    assert [*intervals.STUDENT] == [
        float(stdtrit(freedom, level)) for freedom in range(1, len(intervals.STUDENT) + 1)
    ]


def of_ratios(*ratios: float) -> tuple[list[list[float]], list[list[float]]]:
    """Steady repetitions, a process for each ratio; processes differ as a whole by 10 %."""
    wholes = [1.1**process for process in range(len(ratios))]
    variant = [[whole * ratio] * 5 for whole, ratio in zip(wholes, ratios, strict=True)]
    return variant, [[whole] * 5 for whole in wholes]


def test_processes_count_alike() -> None:
    # Medians 1 and 4, whose geometric mean is 2, however many repetitions each has.
    assert center([[1.0, 1.0, 1.0], [4.0] * 9]) == pytest.approx(2)


def test_three_processes_alone_are_students_t() -> None:
    """Logs 0, 0.01, 0.02: mean 0.01, standard deviation 0.01, standard error 0.01 / sqrt(3)."""
    estimate = estimated_ratio(*of_ratios(1.0, math.exp(0.01), math.exp(0.02)))
    assert estimate.log == pytest.approx(0.01)
    assert estimate.freedom == 2
    assert estimate.half_width == pytest.approx(STUDENT[2] * 0.01 / math.sqrt(3), rel=1e-3)


def test_two_processes_alone_are_never_narrower_than_3_percent() -> None:
    """Student's t of logs that differ by 0.02 is 12.7 x 0.01; of equal ones it would be nothing."""
    apart = estimated_ratio(*of_ratios(1.0, math.exp(0.02)))
    assert apart.half_width == pytest.approx(STUDENT[1] * 0.01, rel=1e-3)
    agreeing = estimated_ratio(*of_ratios(1.2, 1.2))
    assert agreeing.interval == pytest.approx((1.2 / 1.03, 1.2 * 1.03))


@pytest.mark.parametrize(
    ("logs", "own"), [((0.0, 0.0), 0.0), ((0.0, 0.01), 5e-5), ((0.0, 0.04), 8e-4)]
)
def test_the_pool_counts_as_two_processes(logs: tuple[float, float], own: float) -> None:
    """A pool of 0.01 a benchmark is 2e-4 for a ratio: (2 x 2e-4 + own) / 3, or `own` where that is
    more, over two processes, with 2 + 1 degrees of freedom."""
    estimate = estimated_ratio(*of_ratios(*map(math.exp, logs)), Pool(1e-4, 100))
    expected = max((2 * 2e-4 + own) / 3, own) / 2
    assert estimate.squared_error == pytest.approx(expected)
    assert estimate.freedom == 3
    assert estimate.half_width == pytest.approx(STUDENT[3] * math.sqrt(expected), rel=1e-3)


def test_three_processes_and_a_pool() -> None:
    estimate = estimated_ratio(*of_ratios(1.0, 1.0, 1.0), Pool(1e-4, 100))
    assert estimate.squared_error == pytest.approx(2 * 2e-4 / 4 / 3)
    assert estimate.half_width == pytest.approx(STUDENT[4] * math.sqrt(4e-4 / 12), rel=1e-3)


def test_a_pool_of_few_is_none() -> None:
    alone = estimated_ratio(*of_ratios(1.0, 1.1, 1.0))
    assert estimated_ratio(*of_ratios(1.0, 1.1, 1.0), Pool(1.0, 7)) == alone
    assert estimated_ratio(*of_ratios(1.0, 1.1, 1.0), Pool(1.0, 8)) != alone


def test_what_moves_a_process_as_a_whole_is_in_a_center_and_not_in_a_ratio() -> None:
    variant, baseline = of_ratios(1.0, 1.0, 1.0)
    assert estimated_ratio(variant, baseline).half_width == pytest.approx(0)
    # Logs 0, 1, 2 times log 1.1: a standard deviation of log 1.1.
    error = math.log(1.1) / math.sqrt(3)
    alone = estimated_center(variant, Pool(1e-9, 100))
    assert alone.value == pytest.approx(1.1)
    assert (alone.freedom, alone.squared_error) == (2, pytest.approx(error**2))
    # Nothing is known better than the resolution of the benchmarks of a run.
    assert estimated_center([ONE[0]] * 3, Pool(3e-4, 100)).squared_error == pytest.approx(1e-4)


def test_one_process_has_the_variance_of_its_repetitions() -> None:
    """pi / 2 times that of a mean of five; a single value is its own interval."""
    logs = [-0.02, -0.01, 0.0, 0.01, 0.02]
    estimate = estimated_ratio([[math.exp(log) for log in logs]], ONE)
    assert estimate.squared_error == pytest.approx(math.pi / 2 * 2.5e-4 / 5)
    assert estimated_ratio([[3.0]], [[2.0]]).interval == pytest.approx((1.5, 1.5))


def test_the_pool_is_the_variance_within_a_regime() -> None:
    """Four benchmarks in two processes, both moved by a common effect: logs differ between the
    processes by 0.05 and ±0.02, so each deviates by ±0.01 from what moves them all. Squares of
    eight deviations, 8 x 1e-4, over (4 - 1) x (2 - 1) degrees of freedom."""
    differences = (0.07, 0.03, 0.07, 0.03)
    every = [
        Benchmark("a", {0: [1.0] * 5, 1: [math.exp(difference)] * 5}) for difference in differences
    ]
    assert pooled(every).of("a") == Pool(pytest.approx(8e-4 / 3), 3)
    # Another regime is moved otherwise, and adds its own degrees of freedom.
    other = [Benchmark("b", {0: [1.0], 1: [2.0]}), Benchmark("b", {0: [1.0], 1: [2.0]})]
    assert pooled([*every, *other]).every == Pool(pytest.approx(8e-4 / 4), 4)
    # A single process says nothing, and three processes are a group of their own.
    alone = [Benchmark("a", {0: [1.0] * 5}), Benchmark("a", {0: [1.0], 1: [2.0], 2: [9.0]})]
    assert pooled([*every, *alone]).of("a") == pooled(every).of("a")
    assert pooled([]).of("a") == NO_POOL


def test_a_regime_with_few_benchmarks_takes_the_pool_of_the_run() -> None:
    many = [Benchmark("a", {0: [1.0], 1: [1.0 + 0.01 * (n % 2)]}) for n in range(9)]
    few = [Benchmark("b", {0: [1.0], 1: [1.0 + 0.2 * n]}) for n in range(2)]
    pools = pooled([*many, *few])
    assert pools.of("a") == pools.by_regime["a"] != pools.every
    assert pools.of("b") == pools.of("never seen") == pools.every


def test_shares_that_a_process_moves_together_are_one_observation() -> None:
    """Ten shares of two processes, all a log of 0.02 apart: nothing but Student's t of two."""
    share = [[1.0] * 5, [math.exp(0.02)] * 5]
    pool = pooled(Benchmark("a", dict(enumerate(share))) for _ in range(10)).of("a")
    assert pool.is_known and pool.variance == pytest.approx(0)
    estimate = estimated_center(share, pool)
    assert estimate.freedom == 1
    assert estimate.half_width == pytest.approx(STUDENT[1] * 0.01, rel=1e-3)


def test_places_leave_out_what_moves_all() -> None:
    """Nine steady benchmarks in two processes, the second 10 % slower: their places are certain."""
    every = {f"x/{n}": Benchmark("a", {0: [float(n)] * 5, 1: [1.1 * n] * 5}) for n in range(1, 10)}
    estimates = places(every | {"once": Benchmark("a", {0: [2.0]})})
    assert estimates["x/3"].value == pytest.approx(3 * math.sqrt(1.1))
    assert estimates["x/3"].half_width == pytest.approx(0, abs=1e-9)
    assert estimates["once"].interval == (2.0, 2.0)


def test_a_ratio_of_independent_numbers() -> None:
    """Welch and Satterthwaite: errors 3 and 4 with 5 and 6 degrees of freedom have
    49 / (9/5 + 16/6) = 10.97 together."""
    estimate = Estimate(math.log(6), 3e-4, 5).over(Estimate(math.log(2), 4e-4, 6))
    assert estimate.value == pytest.approx(3)
    assert estimate.squared_error == pytest.approx(7e-4)
    assert estimate.freedom == pytest.approx(10.97, abs=0.01)
    assert Estimate(0.0, 3e-4, 5).over(exactly(2.0)).freedom == pytest.approx(5)
    assert exactly(3.0).over(exactly(2.0)).interval == pytest.approx((1.5, 1.5))


def test_the_spread_is_the_interquartile_range_over_the_median() -> None:
    assert spread([50, 95, 100, 105, 900]) == pytest.approx(0.1)
    assert spread([7.0]) == 0.0
