"""`lab compare`: devices side by side, each of them by its own measure.

A device is compared by ratios within its own run: a variant over the baseline that a claim names,
a rate over that of the copy beside it or over its peak; counters as they are. Two runs of one
device are compared by their times, too. What one device knows at a size that the other has not is
no row; it is named among what is not compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.base.text import close_matches, plain
from notebook.data import names, received, results
from notebook.data.chapters import Chapter
from notebook.data.devices import is_device, is_slug, slug_of
from notebook.data.intervals import Interval
from notebook.data.metrics import COUNTERS, PEAK_PERCENT
from notebook.data.results import Result
from notebook.decide import claims
from notebook.decide.device_answers import (
    COPY_SHARE,
    PEAK_SHARE,
    DeviceAnswers,
    Question,
    Value,
    fp32_lanes,
)
from notebook.decide.judging import SMALLEST_EFFECT, SMALLEST_EFFECT_TEXT
from notebook.decide.tables import all_results
from notebook.decide.verdicts import widened

NOTHING = "nothing"
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
class DeviceComparison:
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
    return DeviceComparison(operands, [_row(*aligned_row) for aligned_row in aligned], missing)


def _questions(chapter: Chapter, results_of_chapter: list[Result]) -> list[Question]:
    """What the claims ask, then shares of every variant, and times if all is one device."""
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
    metrics = [COPY_SHARE, PEAK_SHARE, PEAK_PERCENT, "memcpy_ratio", "cublas_ratio"]
    if len({result.device for result in results_of_chapter}) == 1:
        metrics.append("time")
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
        operand_here.name: _instead(of_device)
        for operand_here, value, of_device in zip(operands, values, answers, strict=True)
        if value is None
    }
    return Missing(question, regime, only, others)


def _instead(answers: dict[str, Value]) -> str:
    if not answers:
        return NOTHING
    regimes = names.naturally_sorted(answers)
    return "other sizes: " + "; ".join(names.regime_in_words(regime) or "one" for regime in regimes)


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
