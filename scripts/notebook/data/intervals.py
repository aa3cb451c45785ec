"""95 % intervals of medians and of ratios of medians: Student's t over processes, on a log scale.

Repetitions within a process agree better than processes do: each process has its buffers and its
clock. So the unit of the statistics is the process. Of each process one number counts: the
logarithm of the ratio of two medians, which is free of what moves the whole process; the interval
is that of the mean of these numbers.

Two or three numbers hardly tell their own variance. The other benchmarks of the regime help:
`pooled` is their mean variance between processes, which counts like PRIOR_PROCESSES further
processes (empirical Bayes as in limma, G. K. Smyth 2004, with a fixed weight of the prior). What a
ratio shows of its own counts in full where it is larger: the variance is never below it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median, quantiles
from typing import NamedTuple

CONFIDENCE = 0.95
# How many processes the pooled variance is worth: with 2, simulated intervals cover 97 % or more,
# whether all benchmarks vary alike, some much more than others, or by modes (test_known_truth.py).
PRIOR_PROCESSES = 2
# Fewer deviations than these do not tell a variance.
MIN_POOLED = 8
# Without a pool, two processes that agree may agree by chance: their interval is never narrower.
NARROWEST_OF_TWO = math.log(1.03)

# Student's t for both sides of CONFIDENCE, from 1 degree of freedom on, as scipy computes it; more are seldom needed.
STUDENT = (
    12.706204736174694,
    4.302652729749462,
    3.1824463052837078,
    2.7764451051977934,
    2.5705818356363146,
    2.4469118511449786,
    2.364624251592784,
    2.306004135204166,
)

Interval = tuple[float, float]
# The repetitions of each process.
Processes = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Pool:
    """What the benchmarks of a regime tell about one: the variance of its log median between
    processes, without what moves all of them; from `freedom` independent deviations."""

    variance: float = 0.0
    freedom: int = 0

    @property
    def is_known(self) -> bool:
        return self.freedom >= MIN_POOLED


NO_POOL = Pool()


@dataclass(frozen=True)
class Pools:
    """The pool of a whole run, and those of its regimes: short kernels vary more than long ones."""

    every: Pool = NO_POOL
    by_regime: Mapping[str, Pool] = field(default_factory=dict)

    def of(self, regime: str) -> Pool:
        """That of a regime, or of all where it has too few benchmarks."""
        pool = self.by_regime.get(regime, NO_POOL)
        return pool if pool.is_known else self.every


class Benchmark(NamedTuple):
    """A benchmark's repetitions by process, and its regime: sizes and state of the caches."""

    regime: str
    by_process: Mapping[int, Sequence[float]]


@dataclass(frozen=True)
class Estimate:
    """The logarithm of a number, its squared standard error, and the degrees of freedom of that."""

    log: float
    squared_error: float
    freedom: float

    @property
    def value(self) -> float:
        return math.exp(self.log)

    @property
    def half_width(self) -> float:
        """Of the interval of the logarithm."""
        return _student(self.freedom) * math.sqrt(self.squared_error)

    @property
    def interval(self) -> Interval:
        half = self.half_width
        return math.exp(self.log - half), math.exp(self.log + half)

    def over(self, other: "Estimate") -> "Estimate":
        """The ratio of two independent numbers (Welch and Satterthwaite)."""
        errors = (self.squared_error, other.squared_error)
        total = sum(errors)
        parts = zip(errors, (self.freedom, other.freedom), strict=True)
        inverse = sum((error / total) ** 2 / freedom for error, freedom in parts) if total else 0.0
        return Estimate(self.log - other.log, total, 1 / inverse if inverse else math.inf)


def exactly(value: float) -> Estimate:
    """A number without any error: a count."""
    return Estimate(math.log(value), 0.0, math.inf)


def center(processes: Processes) -> float:
    """The geometric mean of the processes' medians."""
    return math.exp(_mean([math.log(median(repetitions)) for repetitions in processes]))


def estimated_ratio(variant: Processes, baseline: Processes, pool: Pool = NO_POOL) -> Estimate:
    """The ratio of two centers, whose processes are the same ones."""
    if len(variant) == 1:
        return _of_one_process(variant[0]).over(_of_one_process(baseline[0]))
    logs = [
        math.log(median(one)) - math.log(median(other))
        for one, other in zip(variant, baseline, strict=True)
    ]
    return _estimate(logs, 2 * pool.variance, pool)


def estimated_center(processes: Processes, pool: Pool = NO_POOL) -> Estimate:
    """A center by itself, of a time, a rate or a share. What moves a process as a whole counts. It
    moves all benchmarks together, so each process is one observation: nothing is pooled."""
    if len(processes) == 1:
        return _of_one_process(processes[0])
    logs = _logs(processes)
    own = max(variance(logs), pool.variance if pool.is_known else 0.0)
    return Estimate(_mean(logs), own / len(logs), len(logs) - 1)


def pooled(benchmarks: Iterable[Benchmark]) -> Pools:
    """The pools for comparing benchmarks of one regime."""
    squares: dict[str, float] = defaultdict(float)
    freedom: dict[str, int] = defaultdict(int)
    for (regime, processes), group in _by_regime(benchmarks).items():
        squares[regime] += sum(sum(_squares(in_regime.logs)) for in_regime in group)
        freedom[regime] += (len(group) - 1) * (len(processes) - 1)
    by_regime = {
        regime: Pool(squares[regime] / degrees, degrees)
        for regime, degrees in freedom.items()
        if degrees
    }
    total = sum(freedom.values())
    every = Pool(sum(squares.values()) / total, total) if total else NO_POOL
    return Pools(every, by_regime)


def places(benchmarks: Mapping[str, Benchmark]) -> dict[str, Estimate]:
    """The center of each benchmark among the others of its regime: what moves all of them alike in
    a process does not count. It tells how well ratios among them are known."""
    pools = pooled(benchmarks.values())
    places_by_regime = {}
    for (regime, _), group in _by_regime(benchmarks.values()).items():
        pool = pools.of(regime)
        for in_regime in group:
            places_by_regime[id(in_regime.benchmark)] = _estimate(
                in_regime.logs, pool.variance, pool
            )
    return {
        name: places_by_regime.get(id(benchmark))
        or _of_one_process(next(iter(benchmark.by_process.values())))
        for name, benchmark in benchmarks.items()
    }


class _InRegime(NamedTuple):
    """A benchmark's log medians by process, without what moves its regime, which sums to zero."""

    benchmark: Benchmark
    logs: list[float]


def _by_regime(
    benchmarks: Iterable[Benchmark],
) -> dict[tuple[str, tuple[int, ...]], list[_InRegime]]:
    """The benchmarks of two or more processes, by regime and processes."""
    groups: dict[tuple[str, tuple[int, ...]], list[Benchmark]] = defaultdict(list)
    for benchmark in benchmarks:
        if len(benchmark.by_process) > 1:
            groups[benchmark.regime, tuple(sorted(benchmark.by_process))].append(benchmark)
    logs_by_regime = {}
    for (regime, processes), group in groups.items():
        logs = [
            _logs([in_regime.by_process[process] for process in processes]) for in_regime in group
        ]
        means = [_mean(of_process) for of_process in zip(*logs, strict=True)]
        middle = _mean(means)
        common = [mean - middle for mean in means]
        logs_by_regime[regime, processes] = [
            _InRegime(benchmark, [log - moved for log, moved in zip(of_one, common, strict=True)])
            for benchmark, of_one in zip(group, logs, strict=True)
        ]
    return logs_by_regime


def spread(sample: Sequence[float]) -> float:
    """The interquartile range over the median: one stray repetition does not move it."""
    if len(sample) == 1:
        return 0.0
    low, middle, high = quantiles(sample, n=4, method="inclusive")
    return (high - low) / middle


def _estimate(logs: list[float], prior: float, pool: Pool) -> Estimate:
    """The mean of what each process says; `prior`: its variance by the pool."""
    count, own = len(logs), variance(logs)
    if pool.is_known:
        freedom = PRIOR_PROCESSES + count - 1
        together = (PRIOR_PROCESSES * prior + (count - 1) * own) / freedom
        return Estimate(_mean(logs), max(together, own) / count, freedom)
    freedom = count - 1
    if count == 2:
        own = max(own, count * (NARROWEST_OF_TWO / _student(freedom)) ** 2)
    return Estimate(_mean(logs), own / count, freedom)


def _of_one_process(repetitions: Sequence[float]) -> Estimate:
    """What one process can say: its repetitions' own variance. The median of a normal sample has a
    variance that is larger than the mean's by pi / 2."""
    logs = [math.log(repetition) for repetition in repetitions]
    if len(logs) == 1:
        return Estimate(logs[0], 0.0, math.inf)
    error = math.pi / 2 * variance(logs) / len(logs)
    return Estimate(math.log(median(repetitions)), error, len(logs) - 1)


def variance(values: Sequence[float]) -> float:
    """Of a sample. `statistics.variance` computes with fractions, forty times as long."""
    return math.fsum(_squares(values)) / (len(values) - 1)


def _logs(processes: Processes) -> list[float]:
    return [math.log(median(repetitions)) for repetitions in processes]


def _squares(logs: Sequence[float]) -> list[float]:
    mean = _mean(logs)
    return [(log - mean) ** 2 for log in logs]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


@lru_cache
def _student(freedom: float) -> float:
    """Student's t for both sides of CONFIDENCE; degrees of freedom may be fractions."""
    if freedom in range(1, len(STUDENT) + 1):
        return STUDENT[int(freedom) - 1]
    # Slow to import.
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    return float(stdtrit(min(freedom, 1e9), (1 + CONFIDENCE) / 2))
