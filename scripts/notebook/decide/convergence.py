"""When a chapter has been measured often enough: the stopping rule for its processes.

A process repeats every variant a fixed number of times. How many processes are needed follows from
the variance between them: while the place of some variant among the others is not known well enough
to tell the smallest effect of interest, another process repeats the regimes of such variants whole,
so that each comparison stays within one process.
"""

import math
import re
from collections.abc import Iterable

from notebook.data import names
from notebook.data.intervals import Benchmark, places
from notebook.data.records import Repetitions, Row, grouped
from notebook.data.samples import MIN_PROCESSES
from notebook.decide.judging import SMALLEST_EFFECT

MAX_PROCESSES = 6
# Half of the smallest effect for a ratio, whose error is sqrt(2) times that of one median.
WIDEST_HALF = SMALLEST_EFFECT / 2 / math.sqrt(2)
RULE = (
    f"{MIN_PROCESSES} processes, and up to {MAX_PROCESSES} for the regimes in which the 95 % "
    f"interval of a median is wider than {WIDEST_HALF:.1%} to either side"
)
# One argument of a command may have 128 KiB.
_LONGEST_FILTER = 100_000


def unsettled(rows: Iterable[Row]) -> list[str]:
    """The benchmarks whose median is not known well enough, or from too few processes that did not throttle."""
    repetitions = grouped(rows)
    benchmarks = {
        name: Benchmark(names.regime(name), of_one.by_process("time"))
        for name, of_one in repetitions.items()
    }
    wide = {name for name, place in places(benchmarks).items() if place.half_width > WIDEST_HALF}
    return [name for name in benchmarks if name in wide or _is_throttled(repetitions[name])]


def _is_throttled(repetitions: Repetitions) -> bool:
    """Whether too few processes would be left without those that throttled."""
    throttled = repetitions.throttled
    steady = repetitions.by_process("time").keys() - throttled
    return bool(throttled) and len(steady) < MIN_PROCESSES


def filter_for(unsettled_names: list[str], every: Iterable[str]) -> str | None:
    """A --benchmark_filter for all benchmarks in the regimes of those that are not settled; None for all."""
    regimes = {names.regime(name) for name in unsettled_names}
    return filter_of(name for name in every if names.regime(name) in regimes)


def filter_of(chosen: Iterable[str]) -> str | None:
    """A --benchmark_filter for these benchmarks alone; None where it would be too long."""
    pattern = f"^({'|'.join(map(_literal, chosen))})$"
    return pattern if len(pattern) <= _LONGEST_FILTER else None


def _literal(name: str) -> str:
    """`name` as a regular expression; of what a name may hold, . and + mean something else."""
    return re.sub(r"([.+])", r"[\1]", name)
