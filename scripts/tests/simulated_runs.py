"""Runs whose truth is planted: a regime of 20 benchmarks in two or three processes.

Every process has an effect of its own on each benchmark, besides one on all of them; repetitions
are as noisy as those of an H200, where half of the processes spread by 0.45 % from their fastest to
their slowest repetition, and nine tenths by less than 0.91 %. Run as a program, it prints how often
the intervals cover the truth: the table of scripts/README.md.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from notebook.intervals import Benchmark, Estimate, estimated_ratio, pooled

BENCHMARKS, REPETITIONS, TRIALS = 20, 5, 1000
NOISE = 0.003
WHOLE = 0.015
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


@dataclass(frozen=True)
class Kind:
    """How repetitions vary within a process, and benchmarks between processes."""

    name: str
    within: Callable[[Source, Shape], Array] = normal
    between: Callable[[Source, Shape], Array] = normal


KINDS = (
    Kind("normal"),
    Kind("heavy tails", heavy_tails, heavy_tails),
    Kind("drift", within=drift),
    Kind("two modes", within=two_modes),
    Kind("modes of processes", between=modes),
    Kind("unequal benchmarks", between=unequal),
)


@dataclass(frozen=True)
class Trial:
    """Two benchmarks of a run, whose true ratio is 1."""

    estimate: Estimate
    variant: list[list[float]]
    baseline: list[list[float]]


def trials(kind: Kind, processes: int, between: float, noise: float = NOISE) -> Iterator[Trial]:
    """1,000 pairs, of 100 runs."""
    source = numpy.random.default_rng(19)
    for _ in range(2 * TRIALS // BENCHMARKS):
        own = kind.between(source, (BENCHMARKS, processes))
        if kind.between is heavy_tails:
            own = own / numpy.sqrt(3)  # of which the variance is three
        whole = WHOLE * source.standard_normal((1, processes, 1))
        within = noise * kind.within(source, (BENCHMARKS, processes, REPETITIONS))
        times = 100 * numpy.exp(between * own[:, :, None] + whole + within)
        run = [[of_process.tolist() for of_process in value] for value in times]
        pool = pooled(Benchmark("", dict(enumerate(value))) for value in run).of("")
        for variant, baseline in zip(run[::2], run[1::2], strict=True):
            yield Trial(estimated_ratio(variant, baseline, pool), variant, baseline)


def covered(kind: Kind, processes: int, between: float) -> float:
    """The share of intervals that hold the true ratio."""
    ends = [trial.estimate.interval for trial in trials(kind, processes, between)]
    return sum(low <= 1 <= high for low, high in ends) / len(ends)


def table() -> list[str]:
    """Coverage by kind, number of processes and standard deviation between them, in Markdown."""
    header = ["kind of variation", "processes", *(f"{between:.1%}" for between in BETWEEN)]
    lines = [f"| {' | '.join(header)} |", "|" + " --- |" * len(header)]
    for kind in KINDS:
        for processes in (2, 3):
            cells = [f"{covered(kind, processes, between):.1%}" for between in BETWEEN]
            lines.append(f"| {' | '.join([kind.name, str(processes), *cells])} |")
    return lines


if __name__ == "__main__":
    print("\n".join(table()))
