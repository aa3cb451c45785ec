"""Samples: what the rows and counters of a result say about one benchmark's metric."""

from dataclasses import dataclass, replace
from functools import cached_property

from notebook import names
from notebook.metrics import COUNTERS, LOAD_THROUGHPUT_PERCENT, PEAK_PERCENT
from notebook.results import Result, Row

_SECTOR_BYTES = 32


@dataclass(frozen=True)
class Sample:
    """The metric of one benchmark: its repetitions and the process of each."""

    name: str
    values: list[float]
    processes: list[int]
    throttled: bool
    label: str

    @cached_property
    def by_process(self) -> dict[int, list[float]]:
        found: dict[int, list[float]] = {}
        for value, process in zip(self.values, self.processes, strict=True):
            found.setdefault(process, []).append(value)
        return found


def samples_of(result: Result, metric: str, variant: str) -> dict[str, Sample]:
    """What a device knows of a variant's metric, by regime."""
    samples = {}
    alike = result.by_variant.get(variant, [])
    if metric in COUNTERS:
        for name in alike:
            counts = result.counts.get(name, [])
            values = [count[metric] for count in counts if metric in count]
            if values:
                samples[names.regime(name)] = Sample(name, values, [0] * len(values), False, "")
        return samples
    for name in alike:
        rows = result.by_name.get(name, [])
        if metric == LOAD_THROUGHPUT_PERCENT:
            rows = _with_load_throughput(rows, result.counts.get(name, []))
        if sample := timed_sample(name, rows, metric):
            samples[names.regime(name)] = sample
    return samples


def _with_load_throughput(rows: list[Row], counts: list[dict[str, float]]) -> list[Row]:
    """Rows with the load throughput in percent of the peak; without it where something is unknown."""
    sectors = counts[0].get("load_sectors", 0.0) if counts else 0.0
    found = []
    for row in rows:
        share = row.values.get(PEAK_PERCENT, 0.0)
        effective = row.values.get("bytes_per_second", 0.0) * row.time_us / 1e6
        if share and effective and sectors:
            percent = share * _SECTOR_BYTES * sectors / effective
            row = replace(row, values=row.values | {LOAD_THROUGHPUT_PERCENT: percent})
        found.append(row)
    return found


def timed_sample(name: str, rows: list[Row], metric: str) -> Sample | None:
    """A benchmark's repetitions; None where the metric was not measured."""
    rows = [row for row in rows if metric == "time" or metric in row.values]
    if not rows or min(row.metric(metric) for row in rows) <= 0:  # nothing takes no time
        return None
    return Sample(
        name=name,
        values=[row.metric(metric) for row in rows],
        processes=[row.process for row in rows],
        throttled=any(row.throttled for row in rows),
        label=rows[0].level,
    )


def paired(samples: list[Sample]) -> list[list[list[float]]]:
    """The repetitions of each sample by process, of the processes that have all of them."""
    shared = sorted(set.intersection(*(set(sample.by_process) for sample in samples)))
    return [[sample.by_process[process] for process in shared] for sample in samples]
