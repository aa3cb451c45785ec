"""When a chapter has been measured often enough: the stopping rule for its processes.

A process repeats every variant a fixed number of times. While the median of some variant is not yet
known well enough, another process repeats the regimes of such variants whole, so that whatever is
compared with them is measured beside them.
"""

import re
from collections.abc import Iterable

from notebook import names
from notebook.intervals import center, intervals_of
from notebook.results import Row

FEWEST_PROCESSES = 2
MOST_PROCESSES = 3
WIDEST_INTERVAL = 0.01
RULE = (
    f"{FEWEST_PROCESSES} processes, and up to {MOST_PROCESSES} for the regimes in which the 95 % "
    f"interval of a median is wider than {WIDEST_INTERVAL:.0%}"
)
# One argument of a command may have 128 KiB.
_LONGEST_FILTER = 100_000
_RESAMPLES = 1999


def unsettled(rows: Iterable[Row]) -> list[str]:
    """The benchmarks whose median is not known to one per cent."""
    by_name: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        by_name.setdefault(row.name, {}).setdefault(row.process, []).append(row.time_us)
    samples = {name: list(processes.values()) for name, processes in by_name.items()}
    intervals = intervals_of([[(each, 1)] for each in samples.values()], _RESAMPLES)
    return [
        name
        for (name, processes), interval in zip(samples.items(), intervals, strict=True)
        if interval and interval[1] - interval[0] > WIDEST_INTERVAL * center(processes)
    ]


def filter_for(loose: list[str], every: Iterable[str]) -> str | None:
    """A --benchmark_filter for all benchmarks in the regimes of the loose ones; None for all."""
    regimes = {names.regime(name) for name in loose}
    wanted = [_literal(name) for name in every if names.regime(name) in regimes]
    pattern = f"^({'|'.join(wanted)})$"
    return pattern if len(pattern) <= _LONGEST_FILTER else None


def _literal(name: str) -> str:
    """`name` as a regular expression; of what a name may hold, . and + mean something else."""
    return re.sub(r"([.+])", r"[\1]", name)
