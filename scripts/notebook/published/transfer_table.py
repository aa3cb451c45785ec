"""Whether errors carry over between generations: each left out in turn, judged by the GPUs of the others."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from notebook.data import names
from notebook.decide import transfer
from notebook.decide.claims import Claim
from notebook.decide.judging import INCONCLUSIVE, judge
from notebook.decide.prediction import SHARE_IN_BAND, predicted_interval
from notebook.decide.transfer import RatioError, Trial
from notebook.published.times import ClaimedRatio, Compared, Errors, is_a_ratio

CLAIM, RATIO = "claim", "ratio"
# A ratio of two times beyond it is an effect.
_SLOWER = Claim("", "", (), "", metric="time", variant="", why="", direction="slower")
# Ratios whose bands the page shows.
_SHOWN = (1.1, 2.0, 5.0)

# A GPU's generation, as architectures are named.
Generations = Mapping[str, str]
ErrorsByGpu = dict[tuple[str, str], list[RatioError]]


@dataclass(frozen=True)
class Judged:
    """A ratio that a verdict is about, as predicted and as printed or measured."""

    architecture: str
    kind: str
    claim: Claim
    predicted: float
    found: float


def error_rows(
    tables: Iterable[Errors], measured: Iterable[ClaimedRatio], generations: Generations
) -> Iterator[list[str]]:
    """The ratios of each GPU: all of two times of a printed table, and of measured times those of claims."""
    for table in tables:
        for one, other in combinations(table.rows, 2):
            if is_a_ratio(one, other):
                ratios = (one.predicted / other.predicted, one.seconds / other.seconds)
                yield _error_row(one.gpu, generations, *ratios)
    for ratio in measured:
        yield _error_row(ratio.gpu, generations, ratio.predicted, ratio.found)


def _error_row(gpu: str, generations: Generations, *ratios: float) -> list[str]:
    return [generations[gpu], gpu, *(f"{ratio:.4g}" for ratio in ratios)]


def judged(
    tables: Iterable[Errors], claimed: Iterable[ClaimedRatio], generations: Generations
) -> Iterator[Judged]:
    """The ratios of claims about time, and each of two runs of one size in a printed table."""
    for ratio in claimed:
        if ratio.is_judged:
            generation = generations[ratio.gpu]
            yield Judged(generation, CLAIM, ratio.claim, ratio.predicted, ratio.found)
    for table in tables:
        for one, other in combinations(_runs(table), 2):
            if names.regime(one.run) == names.regime(other.run):
                ratios = (one.predicted / other.predicted, one.seconds / other.seconds)
                yield Judged(generations[one.gpu], RATIO, _SLOWER, *ratios)


def _runs(table: Errors) -> list[Compared]:
    """Of each run the median of its printed times."""
    by_run: dict[str, list[Compared]] = {}
    for row in table.rows:
        by_run.setdefault(row.run, []).append(row)
    return [
        Compared(
            *(rows[0].table, rows[0].gpu, run),
            median(row.seconds for row in rows),
            rows[0].predicted,
        )
        for run, rows in by_run.items()
    ]


def trials(
    architectures: Iterable[str], errors: ErrorsByGpu, everything: Iterable[Judged]
) -> Iterator[Trial]:
    """Of each generation and kind, by the band of the GPUs of the other generations alone."""
    of_place: dict[tuple[str, str], list[Judged]] = {}
    for one in everything:
        of_place.setdefault((one.architecture, one.kind), []).append(one)
    for architecture in architectures:
        others = [of_gpu for (other, _), of_gpu in errors.items() if other != architecture]
        for kind in (CLAIM, RATIO):
            outcomes = [_outcome(one, others) for one in of_place.get((architecture, kind), [])]
            counts = [sum(column) for column in zip(*outcomes, strict=True)] or [0, 0, 0]
            yield Trial(architecture, kind, len(outcomes), *counts)


def _outcome(one: Judged, others: Iterable[list[RatioError]]) -> tuple[bool, bool, bool]:
    """Whether it lies in the band, whether the band decides, and whether rightly."""
    error = RatioError.of(one.predicted, one.found)
    width = transfer.half_width(error.size, others, [], SHARE_IN_BAND)
    if width is None:
        return False, False, False
    band = (one.predicted * math.exp(-width), one.predicted * math.exp(width))
    word, _ = judge(one.claim, one.predicted, band)
    truth, _ = judge(one.claim, one.found, (one.found, one.found))
    is_decided = word != INCONCLUSIVE
    return error.error <= width, is_decided, is_decided and word == truth


def trial_rows(every: Iterable[Trial]) -> Iterator[list[object]]:
    for trial in every:
        yield [getattr(trial, column) for column in transfer.TRIALS_COLUMNS]


def lines(every: list[Trial]) -> list[str]:
    """Markdown: each generation left out, and the bands that its verdicts are decided by."""
    by_architecture: dict[str, list[Trial]] = {}
    for trial in every:
        by_architecture.setdefault(trial.architecture, []).append(trial)
    shown = " | ".join(f"band of {ratio:g}" for ratio in _SHOWN)
    return [
        f"| left out | ratios | in the band | decided | right | of claims | in the band | decided | right | {shown} |",
        "|---|" + (8 + len(_SHOWN)) * "---|",
        *(_line(name, both) for name, both in by_architecture.items()),
        _cells("all", _sums(every)) + len(_SHOWN) * " |",
        "",
        _summary(every),
    ]


def _line(architecture: str, both: list[Trial]) -> str:
    bands = "".join(f" {_band(ratio, architecture)} |" for ratio in _SHOWN)
    return _cells(architecture.capitalize(), _sums(both)) + bands


def _band(ratio: float, architecture: str) -> str:
    interval = predicted_interval(ratio, architecture)
    return "-" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"


def _sums(every: Iterable[Trial]) -> list[int]:
    """What was counted of ratios, and of claims."""
    return [
        sum(getattr(trial, column) for trial in every if trial.kind == kind)
        for kind in (RATIO, CLAIM)
        for column in transfer.TRIALS_COLUMNS[2:]
    ]


def _cells(first: str, counts: Iterable[int]) -> str:
    return "| " + " | ".join([first, *map(str, counts)]) + " |"


def _summary(every: list[Trial]) -> str:
    decided = sum(trial.decided for trial in every)
    in_band = sum(trial.in_band for trial in every) / max(1, sum(trial.judged for trial in every))
    contradicted = [
        trial.architecture.capitalize()
        for trial in every
        if trial.kind == CLAIM and transfer.contradicts(every, trial.architecture, SHARE_IN_BAND)
    ]
    word = "accepted" if transfer.is_accepted(every) else "not accepted"
    beside = f"; by it no verdict is given for {', '.join(contradicted)}" if contradicted else ""
    return (
        f"{in_band:.1%} of the ratios lie in the band; {decided} verdicts are decided, "
        f"{transfer.share_right(every):.1%} of these rightly. The rule is {word}{beside}."
    )
