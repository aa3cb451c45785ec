"""Samples: what the rows and counters of a result say about one benchmark's metric."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from notebook.data import names
from notebook.data.metrics import COUNTERS, LOAD_THROUGHPUT_PERCENT, PEAK_PERCENT
from notebook.data.records import Repetitions
from notebook.data.results import Result

_SECTOR_BYTES = 32
# Fewer decide nothing.
MIN_PROCESSES = 2


@dataclass(frozen=True)
class Sample:
    """The metric of one benchmark: its repetitions by process, and the processes whose clocks were held down."""

    name: str
    by_process: Mapping[int, list[float]]
    throttled: frozenset[int]
    label: str

    @property
    def values(self) -> list[float]:
        return [value for of_one in self.by_process.values() for value in of_one]


def samples_of(result: Result, metric: str, variant: str) -> dict[str, Sample]:
    """What a device knows of a variant's metric, by regime."""
    samples = {}
    alike = result.by_variant.get(variant, [])
    if metric in COUNTERS:
        for name in alike:
            counts = result.counts.get(name, [])
            values = [count[metric] for count in counts if metric in count]
            if values:
                samples[names.regime(name)] = Sample(name, {0: values}, frozenset(), "")
        return samples
    for name in alike:
        repetitions = result.by_name.get(name)
        if repetitions is not None and metric == LOAD_THROUGHPUT_PERCENT:
            repetitions = _with_load_throughput(repetitions, result.counts.get(name, []))
        if repetitions is not None and (sample := timed_sample(name, repetitions, metric)):
            samples[names.regime(name)] = sample
    return samples


def _with_load_throughput(rows: Repetitions, counts: list[dict[str, float]]) -> Repetitions:
    """Rows with the load throughput in percent of the peak; without it where something is unknown."""
    sectors = counts[0].get("load_sectors", 0.0) if counts else 0.0
    regimes = []
    for row in rows:
        share = row.values.get(PEAK_PERCENT, 0.0)
        seconds = row.time_us / 1e6 or row.predicted_seconds
        effective = row.values.get("bytes_per_second", 0.0) * seconds
        if share and effective and sectors:
            percent = share * _SECTOR_BYTES * sectors / effective
            row = replace(row, values=row.values | {LOAD_THROUGHPUT_PERCENT: percent})
        regimes.append(row)
    return Repetitions(regimes)


def timed_sample(name: str, repetitions: Repetitions, metric: str) -> Sample | None:
    """A benchmark's repetitions; None where the metric was not measured."""
    values = repetitions.positive(metric)  # nothing takes no time
    if not values:
        return None
    return Sample(name, values, repetitions.throttled, repetitions.level)


def paired(samples: list[Sample]) -> list[list[list[float]]]:
    """The repetitions of each sample by process, of the processes that have all of them; of those only the ones that
    did not throttle, if they are enough to decide.
    """
    processes = _steady(samples) or _shared(samples)
    return [[sample.by_process[process] for process in processes] for sample in samples]


def are_throttled(samples: list[Sample]) -> bool:
    """Whether processes that throttled are among those that are paired."""
    return not _steady(samples) and any(
        sample.throttled.intersection(_shared(samples)) for sample in samples
    )


def _shared(samples: list[Sample]) -> list[int]:
    return sorted(set.intersection(*(set(sample.by_process) for sample in samples)))


def _steady(samples: list[Sample]) -> list[int]:
    """The processes in which none of the samples throttled; [] if there are too few."""
    held_down = frozenset[int]().union(*(sample.throttled for sample in samples))
    steady = [process for process in _shared(samples) if process not in held_down]
    return steady if len(steady) >= MIN_PROCESSES else []
