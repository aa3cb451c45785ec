"""`lab compare`: devices side by side, each of them by its own measure.

A device is compared by ratios within its own run: a variant over the baseline that a claim names,
a rate over that of the copy beside it or over its peak; counters as they are. Two runs of one
device are compared by their times, too. What one device knows at a size that the other has not is
no row; it is named among what is not compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from notebook import claims, csv_table, names, results
from notebook.chapters import Chapter
from notebook.devices import is_device, is_slug, slug_of
from notebook.errors import WRONG_USAGE, Malformed, Problem
from notebook.intervals import Estimate, Interval, exactly
from notebook.metrics import COUNTERS, PEAK_PERCENT
from notebook.project import Project
from notebook.reference import by_reference
from notebook.results import Result
from notebook.samples import Sample, paired, samples_of, timed_sample
from notebook.tables import all_results
from notebook.text import close_matches, plain, quoted
from notebook.verdicts import (
    SMALLEST_EFFECT,
    doubt_of_number,
    doubt_of_run,
    estimated,
    widened,
    widest_spread,
)

COPY_SHARE = "share of copy bandwidth"
PEAK_SHARE = "share of FP32 peak"
NOTHING = "nothing"
SAME, DIFFERENT, UNDECIDED = "same", "different", "cannot tell"


@dataclass(frozen=True)
class Operand:
    """A device as the user named it, and its results by chapter."""

    name: str
    results: dict[str, Result]


@dataclass(frozen=True)
class Question:
    """What every device is asked; `in_claim` where a claim of the chapter asks it."""

    chapter: str
    metric: str
    variant: str
    baseline: str | None = None
    in_claim: bool = False

    @property
    def words(self) -> str:
        over = f" over {self.baseline}" if self.baseline else ""
        return f"{self.metric} of {self.variant}{over}"


@dataclass(frozen=True)
class Value:
    """What a device answers in a regime. A count has one observation and no error; of a count of
    zero, which has no logarithm, `estimate` is None."""

    center: float
    estimate: Estimate | None
    n: int
    doubt: str
    spread: float
    regime: str
    label: str
    data: str


@dataclass(frozen=True)
class Difference:
    """Of a device from the first one in the row; `ratio` is its value over that one's."""

    mark: str
    ratio: float | None
    interval: Interval | None
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """The answers of the devices to a question at one size; None where a device has none."""

    question: Question
    values: list[Value | None]
    differences: list[Difference | None]

    @property
    def is_of_one_regime(self) -> bool:
        present = [value for value in self.values if value]
        labels = {value.label for value in present if value.label}
        return len({value.regime for value in present}) == 1 and len(labels) <= 1


@dataclass(frozen=True)
class Missing:
    """What is not compared, and why: for each device without an answer, what it has instead."""

    question: Question
    regime: str
    only: str
    others: dict[str, str]


@dataclass(frozen=True)
class Comparison:
    operands: list[Operand]
    rows: list[Row]
    missing: list[Missing]


def operand(project: Project, chapters: list[Chapter], word: str) -> Operand:
    """The device that `word` names: one of data/, published:NAME, or the path of a folder."""
    if "/" in word or Path(word).is_absolute():
        folder = Path(word).resolve()
        if not is_slug(folder.name) or not folder.is_dir():
            raise Problem(f"'{plain(word)}' is no folder of a device's results", WRONG_USAGE)
        other = Project(project.root, folder.parent)
        found = [each for chapter in chapters for each in results.load_chapter(other, chapter)]
        found = [each for each in found if each.device == folder.name]
    elif is_device(slug := slug_of(word)):
        found = [
            each
            for place in (project, project.beside)
            for each in all_results(place, chapters)
            if each.device == slug
        ]
        found = [each for each in found if each.path.parent == found[0].path.parent]
    else:
        found = []
    if not found:
        known = sorted({each.device for each in all_results(project, chapters)})
        raise Problem(f"no data of '{plain(word)}'; {close_matches(word, known)}", WRONG_USAGE)
    return Operand(word, {result.chapter: result for result in found})


def compare(project: Project, chapters: list[Chapter], operands: list[Operand]) -> Comparison:
    """All that at least two of the devices answer, and what only one of them does."""
    lanes = _fp32_lanes(project)
    aligned: list[tuple[Question, list[Value | None]]] = []
    missing: list[Missing] = []
    for chapter in chapters:
        here = [each.results.get(chapter.name) for each in operands]
        devices = [_Device(project, result, lanes) if result else None for result in here]
        for question in _questions(chapter, [result for result in here if result]):
            answers = [device.answers(question) if device else {} for device in devices]
            for regime, values in _align(answers):
                if sum(value is not None for value in values) >= 2:
                    aligned.append((question, values))
                else:
                    missing.append(_missing(question, regime, values, answers, operands))
    return Comparison(operands, [_row(*each) for each in aligned], missing)


def _questions(chapter: Chapter, found: list[Result]) -> list[Question]:
    """What the claims ask, then shares of every variant, and times if all is one device."""
    asked: dict[tuple[str, str, str | None], Question] = {}
    if len(found) < 2:
        return []

    def ask(metric: str, variant: str, baseline: str | None, in_claim: bool) -> None:
        asked.setdefault(
            (metric, variant, baseline),
            Question(chapter.name, metric, variant, baseline, in_claim),
        )

    for claim in claims.load(chapter):
        if claim.baseline is not None or claim.metric in COUNTERS:
            ask(claim.metric, claim.variant, claim.baseline, True)
        elif claim.metric not in ("time", "bytes_per_second", "flops_per_second"):
            ask(claim.metric, claim.variant, None, True)
    metrics = [COPY_SHARE, PEAK_SHARE, PEAK_PERCENT, "memcpy_ratio", "cublas_ratio"]
    if len({result.device for result in found}) == 1:
        metrics.append("time")
    variants = {names.variant(name) for result in found for name in result.by_name}
    for variant in names.naturally_sorted(variants):
        for metric in metrics:
            ask(metric, variant, None, False)
    return list(asked.values())


class _Device:
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
            return {}
        if question.metric == COPY_SHARE:
            found = self._copy_shares.get(question.variant, {})
        elif question.metric == PEAK_SHARE:
            rates = samples_of(self._result, "flops_per_second", question.variant)
            found = {regime: [sample] for regime, sample in rates.items() if self._peak_flops}
        else:
            found = self._samples(question)
        scale = 1 / self._peak_flops if question.metric == PEAK_SHARE and found else 1.0
        return {
            regime: value
            for regime, samples in found.items()
            if (value := self._timed(question, regime, samples, scale))
        }

    def _samples(self, question: Question) -> dict[str, list[Sample]]:
        """The sample of the variant and, if there is one, of the baseline, by regime."""
        asked = [question.variant, *([question.baseline] if question.baseline else [])]
        by_regime = [samples_of(self._result, question.metric, variant) for variant in asked]
        shared = set.intersection(*map(set, by_regime))
        return {regime: [each[regime] for each in by_regime] for regime in shared}

    @cached_property
    def _copy_shares(self) -> dict[str, dict[str, list[Sample]]]:
        """By variant and regime its rate and that of the copy in the same state of the caches, the
        nearest in size."""
        found: dict[str, dict[str, list[Sample]]] = {}
        by_name = self._result.by_name
        for reference, compared in by_reference(self._result).items():
            copy = timed_sample(reference, by_name[reference], "bytes_per_second")
            for name in compared:
                sample = timed_sample(name, by_name[name], "bytes_per_second")
                if name != reference and sample and copy:
                    of_variant = found.setdefault(names.variant(name), {})
                    of_variant[names.regime(name)] = [sample, copy]
        return found

    def _counted(self, question: Question) -> dict[str, Value]:
        found = {}
        for regime, samples in self._samples(question).items():
            counts = [sample.values[0] for sample in samples]
            if question.baseline is None or counts[1] != 0:
                ratio = counts[0] / counts[1] if question.baseline else counts[0]
                estimate = exactly(ratio) if ratio > 0 else None
                found[regime] = Value(ratio, estimate, 1, "", 0.0, regime, "", self._data)
        return found

    def _timed(
        self, question: Question, regime: str, samples: list[Sample], scale: float
    ) -> Value | None:
        """The first sample's center over the second's, if there is one, times `scale`."""
        groups = paired(samples)
        if not groups[0]:
            return None
        pool = self._result.pool_of(question.metric, regime)
        estimate = estimated(question.metric, groups, pool)
        if scale != 1.0:
            estimate = estimate.over(exactly(1 / scale))
        decides_alone = self._result.is_published
        doubt = "" if decides_alone else self._doubt(samples, groups)
        spread = 0.0 if decides_alone or doubt else widest_spread(groups)
        n = len(samples[0].values)
        label = samples[0].label
        return Value(estimate.value, estimate, n, doubt, spread, regime, label, self._data)

    def _doubt(self, samples: list[Sample], groups: list[list[list[float]]]) -> str:
        throttled = any(sample.throttled for sample in samples)
        return doubt_of_run(self._result.quick, throttled) or doubt_of_number(groups)


def _fp32_lanes(project: Project) -> dict[str, int]:
    """FP32 lanes of an SM by compute capability, from data/architectures.csv."""
    path = project.root / "data" / "architectures.csv"
    rows = csv_table.read(path, ["compute_capability", "fp32_lanes_per_sm"])
    known = [row for row in rows if row["fp32_lanes_per_sm"]]
    try:
        return {row["compute_capability"]: row.whole("fp32_lanes_per_sm", 1, 4096) for row in known}
    except Malformed as error:
        raise Problem(f"{quoted(path)}: {error}; git checkout {quoted(path)}") from error


def _align(answers: list[dict[str, Value]]) -> Iterator[tuple[str, list[Value | None]]]:
    """Answers at the same sizes and in the same state of the caches, by regime.

    One that does not state the caches stands beside each that does: the row shows both regimes.
    """
    split = [{_size_and_cache(regime): value for regime, value in each.items()} for each in answers]
    for size in names.naturally_sorted({size for each in split for size, _ in each}):
        stated = {cache for each in split for at, cache in each if at == size and cache}
        for state in sorted(stated) or [""]:
            values = [each.get((size, state)) or each.get((size, "")) for each in split]
            yield "/".join(filter(None, (size, state and f"cache:{state}"))), values


def _size_and_cache(regime: str) -> tuple[str, str]:
    parts = regime.split("/")
    sizes = [part for part in parts if not part.startswith("cache:")]
    return "/".join(sizes), names.parameters(f"x/{regime}").get("cache", "") if regime else ""


def _missing(
    question: Question,
    regime: str,
    values: list[Value | None],
    answers: list[dict[str, Value]],
    operands: list[Operand],
) -> Missing:
    only = next(each.name for each, value in zip(operands, values, strict=True) if value)
    others = {
        each.name: _instead(of_device)
        for each, value, of_device in zip(operands, values, answers, strict=True)
        if value is None
    }
    return Missing(question, regime, only, others)


def _instead(answers: dict[str, Value]) -> str:
    if not answers:
        return NOTHING
    regimes = names.naturally_sorted(answers)
    return "other sizes: " + "; ".join(names.regime_in_words(each) or "one" for each in regimes)


def _row(question: Question, values: list[Value | None]) -> Row:
    first = next(value for value in values if value)
    return Row(question, values, [_difference(first, value) for value in values])


def _difference(first: Value, other: Value | None) -> Difference | None:
    """Different beyond the smallest effect of interest, the same within it, or neither shown."""
    if other is None or other is first:
        return None
    if first.estimate is None or other.estimate is None:  # a count of zero
        return Difference(SAME if first.center == other.center else DIFFERENT, None, None)
    change = other.estimate.over(first.estimate)
    ratio, interval = other.center / first.center, change.interval
    if doubt := first.doubt or other.doubt:
        return Difference(UNDECIDED, ratio, interval, doubt)
    mark = mark_of(interval)
    if mark == UNDECIDED:
        return Difference(mark, ratio, interval, f"the interval includes {SMALLEST_EFFECT:.0%}")
    widest = max(first.spread, other.spread)
    if mark_of(widened(interval, widest)) != mark:
        return Difference(UNDECIDED, ratio, interval, f"the spread is too large ({widest:.0%})")
    return Difference(mark, ratio, interval)


def mark_of(interval: Interval) -> str:
    """What the interval of a ratio says of two devices; exactly 3 % is the same."""
    low, high = interval
    largest = (1 + SMALLEST_EFFECT) * (1 + 1e-9)
    if low >= 1 / largest and high <= largest:
        return SAME
    return DIFFERENT if low > largest or high < 1 / largest else UNDECIDED
