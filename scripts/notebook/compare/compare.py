"""`lab compare`: devices side by side, each of them by its own measure.

A device is compared by ratios within its own run: a variant over the baseline that a claim names,
a rate over that of the copy beside it or over its peak; counters as they are. Times stand beside each
other, and are compared where both are runs of one device. What one device knows at a size that the other
has not is no row; it is named among what is not compared, with the reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.base.text import close_matches, plain
from notebook.data import names, received, results
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.devices import is_device, is_slug, slug_of
from notebook.data.intervals import Interval
from notebook.data.metrics import COUNTERS, PEAK_PERCENT
from notebook.data.results import Result
from notebook.decide import claims
from notebook.decide.device_answers import (
    COPY_SHARE,
    PEAK_SHARE,
    TIME,
    DeviceAnswers,
    Question,
    Value,
    fp32_lanes,
)
from notebook.decide.judging import SMALLEST_EFFECT, SMALLEST_EFFECT_TEXT
from notebook.decide.tables import all_results
from notebook.decide.verdicts import widened

NO_CHAPTER = "no data of the chapter"
NOT_RUN = "other variants"
NO_COUNTERS = "no counters were measured"
NOT_PREDICTED = "rates and shares are not predicted"
NO_NUMBER = "no such number"
OTHER_SIZES = "other sizes"
# Two devices with fewer benchmarks in common, as a share of those of the one that has fewer, hardly compare.
_HARDLY_ANY = 0.1
SAME, DIFFERENT, UNDECIDED = "same", "different", "cannot tell"


@dataclass(frozen=True)
class Operand:
    """A device as the user named it, and its results by chapter."""

    name: str
    results: dict[str, Result]


@dataclass(frozen=True)
class Difference:
    """Of a device from the first one in the row; `ratio` is its value over that one's."""

    mark: str
    ratio: float | None
    interval: Interval | None
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """The answers of the devices to a question at one size; None where a device has none. Of times of
    different devices there are no differences."""

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
class DeviceComparison:
    chapters: list[Chapter]
    operands: list[Operand]
    rows: list[Row]
    missing: list[Missing]

    @property
    def strangers(self) -> list[tuple[str, str, int]]:
        """Pairs of devices that have hardly any benchmarks in common, and how many."""
        named = [(operand_here.name, _benchmarks(operand_here)) for operand_here in self.operands]
        return [
            (first, second, len(of_first & of_second))
            for (first, of_first), (second, of_second) in combinations(named, 2)
            if len(of_first & of_second) < _HARDLY_ANY * min(len(of_first), len(of_second))
        ]


def _benchmarks(operand_here: Operand) -> set[tuple[str, str, str]]:
    """Chapter, variant and sizes of each."""
    return {
        (chapter, names.variant(name), _size_and_cache(names.regime(name))[0])
        for chapter, result in operand_here.results.items()
        for name in (*result.by_name, *result.counts)
    }


def split(project: Project, words: list[str]) -> tuple[list[str], list[str]]:
    """The devices and the chapters that the words of a command line name; what may be neither is a device."""
    chapters = [chapter.name for chapter in all_chapters(project)]
    places = (project, project.beside)

    def is_chapter(word: str) -> bool:
        if word.isdecimal() or word.startswith("chapters/"):
            return True
        slug = slug_of(word)
        is_folder = is_slug(slug) and any((place.data / slug).is_dir() for place in places)
        return not is_folder and any(word in name for name in chapters)

    return [word for word in words if not is_chapter(word)], [*filter(is_chapter, words)]


def operand(project: Project, chapters: list[Chapter], word: str) -> Operand:
    """The device that `word` names: one of data/, published:NAME, or the path of a folder."""
    if "/" in word or Path(word).is_absolute():
        folder = Path(word).resolve()
        if not is_slug(folder.name) or not folder.is_dir():
            raise Problem(f"'{plain(word)}' is no folder of a device's results", WRONG_USAGE)
        other = Project(project.root, folder.parent)
        loaded = (results.load_chapter(other, chapter, folder.name) for chapter in chapters)
        matching = [result for of_chapter in loaded for result in of_chapter]
    elif is_device(slug := slug_of(word)):
        places = (project, project.beside)
        matching = [result for place in places for result in all_results(place, chapters, slug)]
        matching = [result for result in matching if result.path.parent == matching[0].path.parent]
    else:
        matching = []
    if not matching:
        known = sorted({result.device for result in all_results(project, chapters)})
        raise Problem(f"no data of '{plain(word)}'; {close_matches(word, known)}", WRONG_USAGE)
    name = received.Device(word, matching[0].is_received)
    return Operand(name, {result.chapter: result for result in matching})


def compare_devices(
    project: Project, chapters: list[Chapter], operands: list[Operand]
) -> DeviceComparison:
    """All that at least two of the devices answer, and what only one of them does."""
    lanes = fp32_lanes(project)
    aligned: list[tuple[Question, list[Value | None]]] = []
    missing: list[Missing] = []
    for chapter in chapters:
        here = [operand_here.results.get(chapter.name) for operand_here in operands]
        devices = [DeviceAnswers(project, result, lanes) if result else None for result in here]
        for question in _questions(chapter, [result for result in here if result]):
            answers = [device.answers(question) if device else {} for device in devices]
            for regime, values in _align(answers):
                if sum(value is not None for value in values) >= 2:
                    aligned.append((question, values))
                else:
                    missing.append(_missing(question, regime, values, answers, operands))
    is_one_device = len({name for one in operands for name in _devices(one)}) == 1
    rows = [
        _row(question, values, question.is_ratio or is_one_device) for question, values in aligned
    ]
    return DeviceComparison(chapters, operands, rows, missing)


def _devices(operand_here: Operand) -> set[str]:
    return {result.device for result in operand_here.results.values()}


def _questions(chapter: Chapter, results_of_chapter: list[Result]) -> list[Question]:
    """What the claims ask and the times of what they ask, then shares of every variant; of one device the times
    of all."""
    asked: dict[tuple[str, str, str | None], Question] = {}
    if len(results_of_chapter) < 2:
        return []

    def ask(metric: str, variant: str, baseline: str | None, statement: str = "") -> None:
        asked.setdefault(
            (metric, variant, baseline),
            Question(chapter.name, metric, variant, baseline, statement),
        )

    for claim in claims.load(chapter):
        if claim.baseline is not None or claim.metric in COUNTERS:
            ask(claim.metric, claim.variant, claim.baseline, claim.statement)
        elif claim.metric not in ("time", "bytes_per_second", "flops_per_second"):
            ask(claim.metric, claim.variant, None, claim.statement)
        if claim.metric == TIME:
            for variant in filter(None, (claim.variant, claim.baseline)):
                ask(TIME, variant, None)
    metrics = [COPY_SHARE, PEAK_SHARE, PEAK_PERCENT, "memcpy_ratio", "cublas_ratio"]
    if len({result.device for result in results_of_chapter}) == 1:
        metrics.append(TIME)
    variants = {names.variant(name) for result in results_of_chapter for name in result.by_name}
    for variant in names.naturally_sorted(variants):
        for metric in metrics:
            ask(metric, variant, None)
    return list(asked.values())


def _align(answers: list[dict[str, Value]]) -> Iterator[tuple[str, list[Value | None]]]:
    """Answers at the same sizes and in the same state of the caches, by regime.

    One that does not state the caches stands beside each that does: the row shows both regimes.
    """
    split = [
        {_size_and_cache(regime): value for regime, value in answer.items()} for answer in answers
    ]
    for size in names.naturally_sorted({size for samples in split for size, _ in samples}):
        stated = {cache for samples in split for at, cache in samples if at == size and cache}
        for state in sorted(stated) or [""]:
            values = [samples.get((size, state)) or samples.get((size, "")) for samples in split]
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
    only = next(
        operand_here.name for operand_here, value in zip(operands, values, strict=True) if value
    )
    others = {
        operand_here.name: _instead(operand_here.results.get(question.chapter), question, of_device)
        for operand_here, value, of_device in zip(operands, values, answers, strict=True)
        if value is None
    }
    return Missing(question, regime, only, others)


def _instead(result: Result | None, question: Question, answers: dict[str, Value]) -> str:
    """Why a device has no answer where another one has."""
    if answers:
        sizes = (
            names.regime_in_words(regime) or "one" for regime in names.naturally_sorted(answers)
        )
        return f"{OTHER_SIZES}: {'; '.join(sizes)}"
    if result is None:
        return NO_CHAPTER
    if any(name not in result.by_variant for name in (question.variant, question.baseline) if name):
        return NOT_RUN
    if question.metric in COUNTERS and not result.counts:
        return NO_COUNTERS
    is_measured_alone = question.metric not in (TIME, *COUNTERS)
    return NOT_PREDICTED if result.is_emulated and is_measured_alone else NO_NUMBER


def _row(question: Question, values: list[Value | None], is_compared: bool) -> Row:
    first = next(value for value in values if value)
    differences = [_difference(first, value) if is_compared else None for value in values]
    return Row(question, values, differences)


def _difference(first: Value, other: Value | None) -> Difference | None:
    """Different beyond the smallest effect of interest, the same within it, or neither shown."""
    if other is None or other is first:
        return None
    if first.estimate is None or other.estimate is None:  # a count of zero
        return Difference(SAME if first.center == other.center else DIFFERENT, None, None)
    change = other.estimate.over(first.estimate)
    ratio, interval = other.center / first.center, change.interval
    for value in (first, other):
        if value.band:
            interval = widened(interval, value.band[1] / value.center - 1)
    if doubt := first.doubt or other.doubt:
        return Difference(UNDECIDED, ratio, interval, doubt)
    mark = mark_of(interval)
    if mark == UNDECIDED:
        return Difference(mark, ratio, interval, f"the interval includes {SMALLEST_EFFECT_TEXT}")
    widest = max(first.spread, other.spread)
    if mark_of(widened(interval, widest)) != mark:
        return Difference(UNDECIDED, ratio, interval, f"the spread is too large ({widest:.0%})")
    return Difference(mark, ratio, interval)


def mark_of(interval: Interval) -> str:
    """What the interval of a ratio says of two devices; exactly the smallest effect is the same."""
    low, high = interval
    largest = (1 + SMALLEST_EFFECT) * (1 + 1e-9)
    if low >= 1 / largest and high <= largest:
        return SAME
    return DIFFERENT if low > largest or high < 1 / largest else UNDECIDED
