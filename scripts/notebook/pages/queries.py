"""A chapter's data, asked by a kernel and some of its parameters: what its numbers.py is made of.

`read_offset offset:11 n:16777216|67108864` is every benchmark of that kernel with these values.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from statistics import correlation

from notebook.base.project import Project
from notebook.charts.evidence import SET_ASIDE
from notebook.data import names, published, results
from notebook.data.chapters import Chapter
from notebook.data.devices import PUBLISHED
from notebook.data.intervals import center, estimated_ratio

H200 = "nvidia-h200"
H100 = "nvidia-h100-80gb-hbm3"
NONE = "none"  # `shared:none`: the benchmarks that have no such parameter


@dataclass(frozen=True)
class Spec:
    """A kernel, or a pattern of its name, and the values that parameters may have."""

    kernel: str
    values: dict[str, tuple[str, ...]]

    @staticmethod
    def parsed(text: str) -> "Spec":
        kernel, *parts = text.split()
        pairs = (part.split(":", 1) for part in parts)
        return Spec(kernel, {key: tuple(value.split("|")) for key, value in pairs})

    def has(self, name: str) -> bool:
        """Benchmarks with a part of the L2 set aside are those of a spec that asks for them alone."""
        own = names.parameters(name)
        return fnmatchcase(names.kernel(name), self.kernel) and all(
            own.get(key, NONE) in values
            for key, values in ({SET_ASIDE: (NONE,)} | self.values).items()
        )


@dataclass(frozen=True)
class Data:
    """What a device found in a chapter ("02"); the H200 unless another one is asked for."""

    chapter: str
    device: str = H200
    project: Project = field(default_factory=Project.here)

    @cached_property
    def result(self) -> results.Result:
        """Raises LookupError where the device has no data of the chapter."""
        for directory in self.project.chapters.glob(f"{self.chapter}_*"):
            path = self.project.data / self.device / f"{directory.name}.json"
            if self.device.startswith(PUBLISHED):
                path = self.project.data / "published" / f"{directory.name}.csv"
            if path.is_file():
                return _result(self.project, directory.name, self.device, path.stat().st_mtime_ns)
        raise LookupError(f"{self.device} has no data of chapter {self.chapter}")

    def on(self, device: str) -> "Data":
        return replace(self, device=device)

    def of_chapter(self, number: str) -> "Data":
        """What another chapter found on the same device."""
        return replace(self, chapter=number)

    def table(self, name: str) -> list[dict[str, str]]:
        """The rows of a table of the chapter's folder, else of data/."""
        own = self.project.chapters.glob(f"{self.chapter}_*/{name}")
        path = next(own, self.project.root / "data" / name)
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    @cached_property
    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.result.by_name, *self.result.counts]))

    def names(self, spec: str) -> list[str]:
        return [name for name in self._names if Spec.parsed(spec).has(name)]

    def named(self, name: str) -> str:
        """The benchmark whose parameters are those of `name`, in any order."""
        parts = sorted(name.split("/"))
        (matching,) = (
            benchmark for benchmark in self._names if sorted(benchmark.split("/")) == parts
        )
        return matching

    def value(self, name: str, metric: str) -> float | None:
        if processes := self._processes(name, metric):
            return center(list(processes.values()))
        counted: float | None = self.result.counts.get(name, [{}])[0].get(metric)
        return counted

    def _processes(self, name: str, metric: str) -> dict[int, list[float]]:
        """What every process measured; {} for what was counted."""
        counted = self.result.counts.get(name, [{}])[0]
        rows = self.result.by_name.get(name)
        return rows.by_process(metric) if rows and metric not in counted else {}

    def _over(self, name: str, partner: str, metric: str) -> float | None:
        """The ratio that a verdict has."""
        one, other = self._processes(name, metric), self._processes(partner, metric)
        if shared := sorted(one.keys() & other.keys()):
            return estimated_ratio([one[at] for at in shared], [other[at] for at in shared]).value
        value, divisor = self.value(name, metric), self.value(partner, metric)
        return value / divisor if value is not None and divisor else None

    def of(self, spec: str, metric: str = "time", scale: float = 1) -> list[float]:
        medians = [self.value(name, metric) for name in self.names(spec)]
        return [scale * entry for entry in medians if entry is not None]

    def predicted(self, spec: str) -> list[float]:
        """Seconds that the time model predicts."""
        rows = (self.result.by_name.get(name) for name in self.names(spec))
        return [row.predicted_seconds for row in rows if row and row.predicted_seconds > 0]

    def beyond(self, other: str, spec: str, metric: str, scale: float = 1) -> list[float]:
        """By how much a metric exceeds that of another device, for each benchmark that both have."""
        apart = self.on(other)
        pairs = [(self.value(name, metric), apart.value(name, metric)) for name in self.names(spec)]
        return [scale * (one - two) for one, two in pairs if one is not None and two is not None]

    def ratio(self, variant: str, baseline: str, metric: str = "time", at: str = "") -> list[float]:
        """Variant over baseline for each pair that is alike in all that neither says."""
        one, other = Spec.parsed(f"{variant} {at}"), Spec.parsed(f"{baseline} {at}")
        ends = Spec.parsed(f"* {at}")
        base = {}
        for name in filter(other.has, self._names):
            base[_pair(name, one, other, ends)] = name
        ratios = []
        for name in filter(one.has, self._names):
            partner = base.get(_pair(name, one, other, ends))
            if partner is None or partner == name:
                continue
            if (over := self._over(name, partner, metric)) is not None:
                ratios.append(over)
        return ratios

    def more(self, variant: str, baseline: str, metric: str = "time", at: str = "") -> list[float]:
        """How many percent more the variant has than the baseline."""
        return [100 * (value - 1) for value in self.ratio(variant, baseline, metric, at)]

    def less(self, variant: str, baseline: str, metric: str = "time", at: str = "") -> list[float]:
        return [-value for value in self.more(variant, baseline, metric, at)]

    def share(self, variant: str, baseline: str, metric: str = "time", at: str = "") -> list[float]:
        return [100 * value for value in self.ratio(variant, baseline, metric, at)]

    def per(self, spec: str, metric: str, other: str, scale: float = 1) -> list[float]:
        """One metric over another of the same benchmarks."""
        shares = []
        for name in self.names(spec):
            value, divisor = self.value(name, metric), self.value(name, other)
            if value is not None and divisor:
                shares.append(scale * value / divisor)
        return shares

    @cached_property
    def peak(self) -> float:
        """The DRAM's theoretical bytes a second."""
        name = next(benchmark for benchmark in self._names if self.value(benchmark, "peak_percent"))
        rate, percent = (
            self.value(name, metric) for metric in ("bytes_per_second", "peak_percent")
        )
        if not rate or not percent:
            raise ValueError(f"{name} has no rate")
        return 100 * rate / percent


def _pair(name: str, one: Spec, other: Spec, ends: Spec) -> tuple[tuple[str, str], ...]:
    """What two benchmarks have in common: all parameters but those that one spec alone fixes."""
    own = names.parameters(name)
    alone = ({*one.values} | {*other.values}) - {*ends.values}
    return tuple(sorted((key, value) for key, value in own.items() if key not in alone))


# A number's name on the page, and the values that it stands for.
Numbers = dict[str, Callable[[Data], list[float]]]


@cache
def _result(project: Project, chapter: str, device: str, _changed: int) -> results.Result:
    """`_changed`: when the file was written; a newer one is read again."""
    directory = Chapter(project.chapters / chapter)
    loaded = [
        *results.load_chapter(project, directory, device),
        *published.load_chapter(project, directory),
    ]
    for result in loaded:
        if result.device == device:
            return result
    raise LookupError(f"{device} has no data of chapter {chapter}")


def rank_correlation(one: list[float], other: list[float]) -> float:
    """Spearman's; equal values have their mean rank."""
    return correlation(_ranks(one), _ranks(other))


def _ranks(values: list[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
        for value in values
    ]
