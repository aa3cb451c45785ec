"""What results say, as charts ask for it: rows by kernel and parameters, medians, ratios with intervals."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from notebook.charts.look import GENERATIONS, Evidence, Style, style
from notebook.data import device_names, names
from notebook.data.intervals import Processes, center, estimated_ratio
from notebook.data.reference import by_reference
from notebook.data.results import Result
from notebook.data.samples import paired, timed_sample
from notebook.decide.claims import Claim

# The value of a size: the largest that there is.
LARGEST = "largest"
# Percent of what can be set aside of the L2, while a benchmark ran.
SET_ASIDE = "l2_set_aside"

Ratio = tuple[float, float, float]  # with its interval


@dataclass(frozen=True)
class Device:
    """A result, and how a figure shows it: `sibling` is its number in its generation, among
    those that were measured or published as it was."""

    result: Result
    sibling: int = 0

    @property
    def evidence(self) -> Evidence:
        kinds = {"gpu": Evidence.MEASURED, "published": Evidence.PUBLISHED}
        return kinds.get(self.result.kind, Evidence.COUNTED)

    @property
    def generation(self) -> str:
        if self.result.is_emulated:
            return self.result.device.removeprefix("emulated-")
        return self.result.generation

    @property
    def name(self) -> str:
        """As a label has it: Fermi, H200, RTX 3080."""
        return device_names.short(self.result.device).removeprefix("GeForce ")

    @property
    def style(self) -> Style:
        return style(self.generation, self.evidence, self.sibling)

    @property
    def predicted_style(self) -> Style:
        return style(self.generation, Evidence.PREDICTED)

    @cached_property
    def _by_kernel(self) -> dict[str, list[str]]:
        by_kernel: dict[str, list[str]] = {}
        for name in dict.fromkeys([*self.result.by_name, *self.result.counts]):
            by_kernel.setdefault(names.kernel(name), []).append(name)
        return by_kernel

    def rows(self, kernel: str, **parameters: object) -> list[str]:
        """The benchmarks of a kernel that have these parameters, in the order of their names.

        What others published rarely states sizes and the caches' state: there they are not asked for. Benchmarks
        with a part of the L2 set aside are found only where it is asked for.
        """
        asked = {
            key: str(value)
            for key, value in parameters.items()
            if not (self.result.is_published and key in names.REGIME_KEYS)
        }
        exact = {key: value for key, value in asked.items() if value != LARGEST}
        rows = [
            name
            for name in self._by_kernel.get(kernel, [])
            if exact.items() <= (found := names.parameters(name)).items()
            and (SET_ASIDE in asked or SET_ASIDE not in found)
        ]
        for key in asked.keys() - exact.keys():
            largest = max((number(name, key) for name in rows), default=0.0)
            rows = [name for name in rows if number(name, key) == largest]
        return names.naturally_sorted(rows)

    def row(self, kernel: str, **parameters: object) -> str | None:
        """The first of these; None without one."""
        return next(iter(self.rows(kernel, **parameters)), None)

    def value(self, name: str | None, metric: str) -> float | None:
        """A metric or counter, as verdicts have it; of "time" in microseconds, an emulated GPU's predicted."""
        if name is None:
            return None
        if metric in (counts := self.result.counts.get(name, [{}])[0]):
            return counts[metric]
        if metric == "time":
            return self._time(name)
        rows = self.result.by_name.get(name)
        by_process = {} if rows is None else rows.by_process(metric)
        return _center(list(by_process.values())) if by_process else None

    def _time(self, name: str) -> float | None:
        rows = self.result.by_name.get(name)
        if rows is None:
            return None
        if self.result.is_emulated:
            time = median(row.predicted_seconds * 1e6 for row in rows)
        else:
            time = _center(list(rows.by_process("time").values()))
        return time or None  # 0 where nothing was timed or predicted

    def over(self, name: str | None, metric: str, per: str) -> float | None:
        """One counter for each of another: sectors a request."""
        value, by = self.value(name, metric), self.value(name, per)
        return None if value is None or not by else value / by

    def ratio(self, name: str | None, baseline: str | None, metric: str = "time") -> float | None:
        """As verdicts have it. Like with like: of two sizes or states of the caches there is none."""
        if name is None or baseline is None:
            return None
        estimate = self._ratio(name, baseline, metric)
        return estimate[0] if estimate else None

    def _plain_ratio(self, name: str, baseline: str, metric: str) -> float | None:
        if names.regime(name) != names.regime(baseline) and names.kernel(baseline) != "memcpy":
            return None
        value, by = self.value(name, metric), self.value(baseline, metric)
        return None if value is None or not by else value / by

    def ratios(self, pairs: Iterable[tuple[str, str]], metric: str = "time") -> list[Ratio | None]:
        """Variant over baseline with the 95 % interval; without one where nothing was timed."""
        return [self._ratio(name, baseline, metric) for name, baseline in pairs]

    def _ratio(self, name: str, baseline: str, metric: str) -> Ratio | None:
        plain = self._plain_ratio(name, baseline, metric)
        if plain is None or self.evidence is not Evidence.MEASURED:
            return None if plain is None else (plain, plain, plain)
        rows = self.result.by_name
        both = [
            sample
            for benchmark in (name, baseline)
            if benchmark in rows and (sample := timed_sample(benchmark, rows[benchmark], metric))
        ]
        variant, by = paired(both) if len(both) == 2 else ([], [])
        if not variant:
            return plain, plain, plain
        pool = self.result.pool_of(metric, names.regime(name))
        estimate = estimated_ratio(variant, by, pool)
        return estimate.value, *estimate.interval

    def of_memcpy(self, chosen: Iterable[str]) -> list[Ratio | None]:
        """The bandwidth of benchmarks as a share of the nearest memcpy's, with the interval."""
        references = {
            name: reference for reference, every in self._references.items() for name in every
        }
        pairs = [(name, references.get(name, "")) for name in chosen]
        return self.ratios(pairs, "bytes_per_second")

    @cached_property
    def _references(self) -> Mapping[str, list[str]]:
        return by_reference(self.result)


def _center(processes: Processes) -> float:
    """Of all processes; where one has 0, the median of their medians."""
    medians = [median(values) for values in processes]
    return center(processes) if min(medians) > 0 else median(medians)


def complete(values: Iterable[float | None]) -> list[float] | None:
    """The values, where none is missing: a title that lacks one is left out."""
    known = list(values)
    return None if None in known else [value for value in known if value is not None]


def parameter(name: str, key: str) -> str:
    return names.parameters(name).get(key, "")


def number(name: str, key: str) -> float:
    """A parameter that is a number; 0 without it."""
    return float(parameter(name, key) or 0)


@dataclass(frozen=True)
class Facts:
    """Everything that a chart may use: the devices, oldest first."""

    devices: list[Device]
    # The printed value by claim: a ratio, or a value.
    claimed: Mapping[str, float] = field(default_factory=dict)
    # By claim: the generations for which a prediction decides it.
    decided: Mapping[str, frozenset[str]] = field(default_factory=dict)
    # The claims' metrics, in their order.
    metrics: tuple[str, ...] = ()

    @property
    def measured(self) -> list[Device]:
        return [device for device in self.devices if device.evidence is Evidence.MEASURED]

    @property
    def emulated(self) -> list[Device]:
        devices = [device for device in self.devices if device.evidence is Evidence.COUNTED]
        return sorted(devices, key=lambda device: _order(device.generation))

    @property
    def published(self) -> list[Device]:
        return [device for device in self.devices if device.evidence is Evidence.PUBLISHED]

    @property
    def counted(self) -> list[Device]:
        """Emulated GPUs, and those whose counters were measured."""
        return [*self.emulated, *self.measured]

    @property
    def gpu(self) -> Device | None:
        """The newest GPU that was measured; titles are about it."""
        return self.measured[-1] if self.measured else None

    def predicted(self, known: Iterable[Device], claim: str) -> list[Device]:
        """The emulated GPUs whose predicted times stand beside the times of `known`: those of other generations, of
        which the prediction decides the claim that the panel is about.

        Two times of one generation would look like a contradiction; how near they are, `validation` shows.
        """
        generations = {device.generation for device in known}
        deciding = self.decided.get(claim, frozenset())
        return [
            device
            for device in self.emulated
            if device.generation in deciding and device.generation not in generations
        ]

    def of(self, generation: str) -> Device | None:
        """The emulated GPU of a generation."""
        return next((device for device in self.emulated if device.generation == generation), None)


def _order(generation: str) -> int:
    return GENERATIONS.index(generation) if generation in GENERATIONS else len(GENERATIONS)


def facts(
    results: Iterable[Result],
    claims: Iterable[Claim] = (),
    siblings: Mapping[str, int] | None = None,
    decided: Mapping[str, frozenset[str]] | None = None,
) -> Facts:
    known = list(claims)
    claimed = {claim.id: claim.claimed for claim in known if claim.claimed is not None}
    metrics = tuple(claim.metric for claim in known)
    numbers = siblings or {}
    devices = [Device(result, numbers.get(result.device, 0)) for result in results]
    return Facts(devices, claimed, decided or {}, metrics)
