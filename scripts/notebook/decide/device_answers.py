"""What one device answers when devices are compared: ratios within its own run, shares of its own peak."""

from dataclasses import dataclass
from functools import cached_property

from notebook.base import csv_table
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.data import device_names, names
from notebook.data.intervals import Estimate, Interval, exactly
from notebook.data.metrics import COUNTERS
from notebook.data.reference import by_reference
from notebook.data.results import Result
from notebook.data.samples import Sample, are_throttled, paired, samples_of, timed_sample
from notebook.decide import prediction
from notebook.decide.verdicts import (
    COUNTED,
    MEASURED,
    PREDICTED,
    PUBLISHED,
    doubt_of_number,
    doubt_of_run,
    estimated,
    widest_spread,
)

COPY_SHARE = "share of copy bandwidth"
PEAK_SHARE = "share of FP32 peak"
TIME = "time"
_NO_BAND = "it is not known how far this prediction errs"


@dataclass(frozen=True)
class Question:
    """What every device is asked; `statement` of the claim that asks it, "" where none does."""

    chapter: str
    metric: str
    variant: str
    baseline: str | None = None
    statement: str = ""

    @property
    def in_claim(self) -> bool:
        return bool(self.statement)

    @property
    def is_ratio(self) -> bool:
        """Whether its answers can be compared between devices: a ratio, a count, a share."""
        return self.baseline is not None or self.metric != TIME

    @property
    def words(self) -> str:
        if self.baseline is None:
            return f"{self.metric} of {self.variant}"
        return f"ratio of {self.metric}: {self.variant} ÷ {self.baseline}"


@dataclass(frozen=True)
class Value:
    """What a device answers in a regime. A count has one observation and no error; of a count of
    zero, which has no logarithm, `estimate` is None. `band`: of a prediction, where it would be measured in
    90 % of cases, if that is known. Times are in microseconds."""

    center: float
    estimate: Estimate | None
    n: int
    doubt: str
    spread: float
    regime: str
    label: str
    data: str
    evidence: str
    band: Interval | None = None

    @property
    def interval(self) -> Interval | None:
        """What is known of its error: the band of a prediction, the 95 % interval of repetitions."""
        if self.evidence == PREDICTED:
            return self.band
        return self.estimate.interval if self.estimate and self.n > 1 else None


class DeviceAnswers:
    """A result that is asked."""

    def __init__(self, project: Project, result: Result, lanes: dict[str, int]) -> None:
        self._result = result
        self._data = project.shown(result.path)
        # Two flops for each lane and cycle, at the highest clock that the run has seen.
        lanes_of_sm = lanes.get(result.compute_capability, 0)
        self._peak_flops = 2e6 * result.sm_clock_mhz * result.sm_count * lanes_of_sm

    def answers(self, question: Question) -> dict[str, Value]:
        """Its values by regime; {} where it cannot answer."""
        if question.metric in COUNTERS:
            return self._counted(question)
        if self._result.is_emulated:
            return self._predicted(question) if question.metric == TIME else {}
        if question.metric == COPY_SHARE:
            by_regime = self._copy_shares.get(question.variant, {})
        elif question.metric == PEAK_SHARE:
            rates = samples_of(self._result, "flops_per_second", question.variant)
            by_regime = {regime: [sample] for regime, sample in rates.items() if self._peak_flops}
        else:
            by_regime = self._samples(question)
        scale = 1 / self._peak_flops if question.metric == PEAK_SHARE and by_regime else 1.0
        return {
            regime: value
            for regime, samples in by_regime.items()
            if (value := self._timed(question, regime, samples, scale))
        }

    def _samples(self, question: Question) -> dict[str, list[Sample]]:
        """The sample of the variant and, if there is one, of the baseline, by regime."""
        asked = [question.variant, *([question.baseline] if question.baseline else [])]
        by_regime = [samples_of(self._result, question.metric, variant) for variant in asked]
        shared = set.intersection(*map(set, by_regime))
        return {regime: [samples[regime] for samples in by_regime] for regime in shared}

    @cached_property
    def _copy_shares(self) -> dict[str, dict[str, list[Sample]]]:
        """By variant and regime its rate and that of the copy in the same state of the caches, the
        nearest in size."""
        shares: dict[str, dict[str, list[Sample]]] = {}
        by_name = self._result.by_name
        for reference, compared in by_reference(self._result).items():
            copy = timed_sample(reference, by_name[reference], "bytes_per_second")
            for name in compared:
                sample = timed_sample(name, by_name[name], "bytes_per_second")
                if name != reference and sample and copy:
                    of_variant = shares.setdefault(names.variant(name), {})
                    of_variant[names.regime(name)] = [sample, copy]
        return shares

    def _counted(self, question: Question) -> dict[str, Value]:
        values = {}
        for regime, samples in self._samples(question).items():
            counts = [sample.values[0] for sample in samples]
            if question.baseline is None or counts[1] != 0:
                ratio = counts[0] / counts[1] if question.baseline else counts[0]
                estimate = exactly(ratio) if ratio > 0 else None
                values[regime] = Value(
                    ratio, estimate, 1, "", 0.0, regime, "", self._data, self._evidence
                )
        return values

    def _predicted(self, question: Question) -> dict[str, Value]:
        """A time, or a ratio of two."""
        result = self._result
        generation = result.device.removeprefix(device_names.EMULATED)
        chapter = result.chapter[:2]
        baselines = prediction.predicted_seconds(result, question.baseline or "")
        values = {}
        for regime, seconds in prediction.predicted_seconds(result, question.variant).items():
            if question.baseline is None:
                number = 1e6 * seconds
                band = prediction.time_interval(number, generation, chapter)
            elif regime in baselines:
                number = seconds / baselines[regime]
                level = prediction.level_of(result, question.variant, regime)
                band = prediction.predicted_interval(number, generation, chapter, level)
            else:
                continue
            doubt = "" if band else _NO_BAND
            values[regime] = Value(
                number, exactly(number), 1, doubt, 0.0, regime, "", self._data, PREDICTED, band
            )
        return values

    @property
    def _evidence(self) -> str:
        """Of all but predicted times."""
        if self._result.is_published:
            return PUBLISHED
        return COUNTED if self._result.is_emulated else MEASURED

    def _timed(
        self, question: Question, regime: str, samples: list[Sample], scale: float
    ) -> Value | None:
        """The first sample's center over the second's, if there is one, times `scale`."""
        groups = paired(samples)
        if not groups[0]:
            return None
        pool = self._result.pool_of(question.metric, regime)
        estimate = estimated(groups, pool)
        if scale != 1.0:
            estimate = estimate.over(exactly(1 / scale))
        decides_alone = self._result.is_published
        doubt = "" if decides_alone else self._doubt(samples, groups)
        spread = 0.0 if decides_alone or doubt else widest_spread(groups)
        n = sum(map(len, groups[0]))
        label = samples[0].label
        return Value(
            estimate.value, estimate, n, doubt, spread, regime, label, self._data, self._evidence
        )

    def _doubt(self, samples: list[Sample], groups: list[list[list[float]]]) -> str:
        doubt = doubt_of_run(self._result.quick, are_throttled(samples))
        return doubt or doubt_of_number(groups)


def fp32_lanes(project: Project) -> dict[str, int]:
    """FP32 lanes of an SM by compute capability, from data/architectures.csv."""
    path = project.root / "data" / "architectures.csv"
    rows = csv_table.read(path, ["compute_capability", "fp32_lanes_per_sm"])
    known = [row for row in rows if row["fp32_lanes_per_sm"]]
    try:
        return {row["compute_capability"]: row.whole("fp32_lanes_per_sm", 1, 4096) for row in known}
    except Malformed as error:
        raise csv_table.damaged(path, error) from error
