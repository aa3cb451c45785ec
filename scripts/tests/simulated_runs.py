"""Runs whose truth is planted: a regime of 20 benchmarks in two or three processes, or in as many as
the stopping rule asks for.

Every process has an effect of its own on each benchmark, besides one on all of them; repetitions
are as noisy as those of an H200, where half of the processes spread by 0.45 % from their fastest to
their slowest repetition, and nine tenths by less than 0.91 %. Run as a program, it prints how often
the intervals cover the truth: the tables of scripts/README.md.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from notebook.data.intervals import (
    Benchmark,
    Estimate,
    estimated_center,
    estimated_ratio,
    places,
    pooled,
)
from notebook.data.samples import MIN_PROCESSES
from notebook.decide.convergence import MAX_PROCESSES, WIDEST_HALF

BENCHMARKS, REPETITIONS, TRIALS = 20, 5, 1000
NOISE = 0.003
WHOLE = 0.015
STOPPING_RULE = 0  # as a number of processes
BETWEEN = (0.0, 0.005, 0.01, 0.02)
Array = NDArray[numpy.float64]
Shape = tuple[int, ...]
Source = numpy.random.Generator


def normal(source: Source, shape: Shape) -> Array:
    return source.standard_normal(shape)


def heavy_tails(source: Source, shape: Shape) -> Array:
    """Student's t with three degrees of freedom: every fortieth beyond three scales."""
    return source.standard_t(3, shape)


def drift(source: Source, shape: Shape) -> Array:
    """Three scales from begin to end; repetitions stand anywhere, as their order is random."""
    return 3 * source.random(shape) + source.standard_normal(shape)


def two_modes(source: Source, shape: Shape) -> Array:
    """Every fifth slower by four scales."""
    return 4 * (source.random(shape) < 0.2) + source.standard_normal(shape) / 2


def modes(source: Source, shape: Shape) -> Array:
    """Every fifth slower as a whole; the standard deviation is that of the others."""
    return (source.random(shape) < 0.2) / numpy.sqrt(0.2 * 0.8)


def unequal(source: Source, shape: Shape) -> Array:
    """Every tenth benchmark varies as much as stated, all others a tenth of it."""
    scales = numpy.where(source.random((shape[0], 1)) < 0.1, 1.0, 0.1)
    return scales * source.standard_normal(shape)


def noisy_pair(source: Source, shape: Shape) -> Array:
    """Unequal benchmarks, and the two that are compared vary as much as stated."""
    return _first_two(unequal(source, shape), source.standard_normal(shape))


def pair_alone(source: Source, shape: Shape) -> Array:
    """The two that are compared vary, and no other benchmark."""
    return _first_two(numpy.zeros(shape), source.standard_normal(shape))


def _first_two(own: Array, noisy: Array) -> Array:
    own[:2] = noisy[:2]
    return own


@dataclass(frozen=True)
class Kind:
    """How repetitions vary within a process, and benchmarks between processes.

    `pairs`: how many pairs of a run are compared. `is_share`: benchmarks are shares, and a process
    moves all of them together. `noise`: a factor on the noise of repetitions."""

    name: str
    within: Callable[[Source, Shape], Array] = normal
    between: Callable[[Source, Shape], Array] = normal
    pairs: int = BENCHMARKS // 2
    is_share: bool = False
    noise: float = 1.0


KINDS = (
    Kind("normal"),
    Kind("heavy tails", heavy_tails, heavy_tails),
    Kind("drift", within=drift),
    Kind("two modes", within=two_modes),
    Kind("modes of processes", between=modes),
    Kind("unequal benchmarks", between=unequal),
)
# Their variance is larger than the mean of the regime, so that intervals are too narrow.
NOISY_PAIRS = (
    Kind("the noisy tenth compared", between=noisy_pair, pairs=1),
    Kind("only the pair varies", between=pair_alone, pairs=1),
)
SHARES = (
    Kind("shares, moved together", pairs=1, is_share=True),
    Kind("shares without own noise", pairs=1, is_share=True, noise=0.0),
)


@dataclass(frozen=True)
class Trial:
    """Two benchmarks of a run, whose true ratio is 1; or a share of 1, as variant and as baseline."""

    estimate: Estimate
    variant: list[list[float]]
    baseline: list[list[float]]


Run = list[list[list[float]]]  # by benchmark and process


def trials(kind: Kind, processes: int, between: float, noise: float = NOISE) -> Iterator[Trial]:
    """1,000 trials, `kind.pairs` of each run. `processes`: of each run, or STOPPING_RULE."""
    source = numpy.random.default_rng(19)
    for _ in range(TRIALS // kind.pairs):
        run = _run(source, kind, processes or MAX_PROCESSES, between, noise)
        if processes == STOPPING_RULE:
            run = _stopped(run)
        if kind.is_share:
            yield Trial(estimated_center(run[0]), run[0], run[0])
            continue
        pool = pooled(Benchmark("", dict(enumerate(value))) for value in run).of("")
        for variant, baseline in list(zip(run[::2], run[1::2], strict=True))[: kind.pairs]:
            yield Trial(estimated_ratio(variant, baseline, pool), variant, baseline)


def _run(source: Source, kind: Kind, processes: int, between: float, noise: float) -> Run:
    """What moves all benchmarks of a process cancels in ratios; in shares it is all that varies
    between processes."""
    own = kind.between(source, (BENCHMARKS, processes))
    if kind.between is heavy_tails:
        own = own / numpy.sqrt(3)  # the variance of Student's t was three
    whole = source.standard_normal((1, processes, 1))
    within = kind.noise * noise * kind.within(source, (BENCHMARKS, processes, REPETITIONS))
    moved = between * whole if kind.is_share else between * own[:, :, None] + WHOLE * whole
    times = 100 * numpy.exp(moved + within)
    if kind.is_share:
        times /= 100
    return [[of_process.tolist() for of_process in value] for value in times]


def _stopped(run: Run) -> Run:
    """The run as `scripts/lab run` ends it: after the process that makes all medians known well enough."""
    for processes in range(MIN_PROCESSES, MAX_PROCESSES):
        known = [value[:processes] for value in run]
        benchmarks = {
            str(number): Benchmark("", dict(enumerate(value))) for number, value in enumerate(known)
        }
        if all(place.half_width <= WIDEST_HALF for place in places(benchmarks).values()):
            return known
    return run


def covered(kind: Kind, processes: int, between: float) -> float:
    """The share of intervals that hold the true ratio."""
    ends = [trial.estimate.interval for trial in trials(kind, processes, between)]
    return sum(low <= 1 <= high for low, high in ends) / len(ends)


def table(kinds: Iterable[Kind]) -> list[str]:
    """Coverage by kind, number of processes and standard deviation between them, in Markdown."""
    header = ["kind of variation", "processes", *(f"{between:.1%}" for between in BETWEEN)]
    lines = [f"| {' | '.join(header)} |", "|" + " --- |" * len(header)]
    for kind in kinds:
        for processes in (2, 3) if kind.is_share else (2, 3, STOPPING_RULE):
            number = str(processes) if processes else "2 to 6"
            cells = [f"{covered(kind, processes, between):.1%}" for between in BETWEEN]
            lines.append(f"| {' | '.join([kind.name, number, *cells])} |")
    return lines


if __name__ == "__main__":
    print("\n".join([*table((*KINDS, *SHARES)), "", *table(NOISY_PAIRS)]))
