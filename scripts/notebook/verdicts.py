"""Verdicts: what a device's data say about a chapter's claims (DESIGN: claims and verdicts).

A claim is decided once in every regime that the data have. Counters are exact. Time is decided by
the bootstrap interval of the ratio of medians, against a smallest effect of interest of 3 %.
"""

import math
from dataclasses import dataclass
from statistics import median

from notebook import names
from notebook.claims import Claim
from notebook.intervals import Interval, median_interval, ratio_interval, spread
from notebook.results import Result

REPRODUCED = "reproduced"
WEAKER = "weaker"
ABSENT = "absent"
REVERSED = "reversed"
INCONCLUSIVE = "inconclusive"
NOT_MEASURED = "not measured"
ALL = (REPRODUCED, WEAKER, ABSENT, REVERSED, INCONCLUSIVE, NOT_MEASURED)

SMALLEST_EFFECT = 0.03
# Fewer repetitions do not bound a median, and a spread this large has more than one cause.
FEWEST_REPETITIONS = 5
LARGEST_SPREAD = 0.10
FEWEST_PROCESSES = 2

LEGEND = f"""\
reproduced    on the claimed side beyond 3 %, by at least half the claimed effect; a claim of
              equality or of a range: it holds
weaker        on the claimed side beyond 3 %, by less than half the claimed effect
absent        the 95 % interval lies within 3 % of no effect; equality or range: it does not hold
reversed      on the other side beyond 3 %
inconclusive  the interval allows more than one of these, clocks throttled, the spread of a sample
              is above {LARGEST_SPREAD:.0%}, the processes disagree, or the run was a --quick one
not measured  no data that could decide it
Counters decide exactly; a time needs {FEWEST_PROCESSES} processes on a GPU."""


@dataclass(frozen=True)
class Finding:
    """A verdict and what it rests on.

    `ratio` is variant / baseline of the claim's metric, or the value itself where the claim gives
    a range without a baseline; `n` the repetitions of the variant and of the baseline.
    """

    verdict: str
    reason: str = ""
    ratio: float | None = None
    interval: Interval | None = None
    n: tuple[int, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The finding of one result about one claim in one regime ("" where no regime has data)."""

    chapter: str
    claim: Claim
    device: str
    data: str
    finding: Finding
    regime: str = ""
    label: str = ""

    @property
    def because(self) -> str:
        """The mechanism that the chapter gives for a verdict other than reproduced."""
        return "" if self.finding.verdict == REPRODUCED else self.claim.because.get(self.device, "")


@dataclass(frozen=True)
class _Sample:
    """The metric of one benchmark: its repetitions and the process of each."""

    values: list[float]
    processes: list[int]
    throttled: bool
    label: str

    def of_process(self, process: int) -> list[float]:
        return [
            value
            for value, whose in zip(self.values, self.processes, strict=True)
            if whose == process
        ]


def decide(claim: Claim, result: Result, data: str) -> list[Verdict]:
    """The verdicts of `claim` on one device, in the order of its regimes.

    `data` names the file of the result, as the verdicts shall name it.
    """
    by_regime = {} if _cannot_decide(claim, result) else _samples_by_regime(claim, result)
    if not by_regime:
        reason = _cannot_decide(claim, result) or f"no data of {_wanted(claim)}"
        finding = Finding(NOT_MEASURED, reason)
        return [Verdict(result.chapter, claim, result.device, data, finding)]
    return [
        Verdict(
            chapter=result.chapter,
            claim=claim,
            device=result.device,
            data=data,
            finding=(
                _find_counted(claim, samples)
                if claim.is_counted
                else _find_timed(claim, samples, result.quick)
            ),
            regime=regime,
            label=samples[0].label,
        )
        for regime, samples in by_regime.items()
    ]


def judge(claim: Claim, interval: Interval) -> tuple[str, str]:
    """The verdict of an interval of ratios (or of values, for a range), and its reason."""
    if claim.expected is not None:
        return _judge_range(claim.expected, interval)
    low, high = (end - 1 for end in interval)
    if claim.sign == 0:
        if _zone(low) == _zone(high):
            return (REPRODUCED, "") if _zone(low) == 0 else (ABSENT, "they differ beyond 3 %")
        return INCONCLUSIVE, "the interval includes 3 %"
    low, high = sorted((claim.sign * low, claim.sign * high))
    if _zone(low) != _zone(high):
        return INCONCLUSIVE, "the interval includes 3 %"
    if _zone(low) < 0:
        return REVERSED, ""
    if _zone(low) == 0:
        return ABSENT, ""
    half = 0.0 if claim.claimed is None else abs(claim.claimed - 1) / 2
    return (REPRODUCED, "") if high >= half else (WEAKER, "")


def _judge_range(expected: Interval, interval: Interval) -> tuple[str, str]:
    inside = [expected[0] <= end <= expected[1] for end in interval]
    if all(inside):
        return REPRODUCED, ""
    if interval[1] < expected[0] or interval[0] > expected[1]:
        low, high = expected
        side = f"below {low:g}" if interval[1] < low else f"above {high:g}"
        return ABSENT, side if math.isinf(high - low) else f"outside {low:g} to {high:g}"
    return INCONCLUSIVE, "the interval includes an end of the range"


def _zone(effect: float) -> int:
    """-1 below, 0 within, +1 beyond the smallest effect of interest."""
    return (effect > SMALLEST_EFFECT) - (effect < -SMALLEST_EFFECT)


def _cannot_decide(claim: Claim, result: Result) -> str:
    """Why this device can say nothing about the claim; "" if it can."""
    fetched = {32: "32-byte sectors", 128: "128-byte lines"}
    unit = claim.fetch_unit_bytes
    if unit is not None and unit != result.fetch_unit_bytes:
        here = fetched.get(result.fetch_unit_bytes, f"{result.fetch_unit_bytes} bytes")
        return f"the claim is about {fetched[unit]}; this device fetches {here}"
    if result.is_emulated and not claim.is_counted:
        return "a time needs a GPU"
    if not result.is_emulated and claim.is_counted and not result.counts:
        return "no counters were measured on this device"
    return ""


def _wanted(claim: Claim) -> str:
    rows = " and ".join(filter(None, (claim.variant, claim.baseline)))
    return f"{rows} at {' or '.join(claim.regimes)}" if claim.regimes else rows


def _samples_by_regime(claim: Claim, result: Result) -> dict[str, list[_Sample]]:
    """The sample of the variant and, if there is one, of the baseline, by regime."""
    wanted = [claim.variant, *([claim.baseline] if claim.baseline else [])]
    found = [_samples(result, claim, variant) for variant in wanted]
    common = set.intersection(*map(set, found))
    if claim.regimes:
        common &= set(claim.regimes)
    return {regime: [each[regime] for each in found] for regime in names.naturally_sorted(common)}


def _samples(result: Result, claim: Claim, variant: str) -> dict[str, _Sample]:
    samples = {}
    if claim.is_counted:
        for name, counts in result.counts.items():
            values = [count[claim.metric] for count in counts if claim.metric in count]
            if values and names.variant(name) == variant:
                samples[names.regime(name)] = _Sample(values, [0] * len(values), False, "")
        return samples
    for name, rows in result.by_name.items():
        if names.variant(name) != variant:
            continue
        if claim.metric != "time":
            rows = [row for row in rows if claim.metric in row.values]
        if rows:
            samples[names.regime(name)] = _Sample(
                values=[row.metric(claim.metric) for row in rows],
                processes=[row.process for row in rows],
                throttled=any(row.throttled for row in rows),
                label=rows[0].label,
            )
    return samples


def _find_counted(claim: Claim, samples: list[_Sample]) -> Finding:
    n = tuple(len(sample.values) for sample in samples)
    if any(len(set(sample.values)) > 1 for sample in samples):
        return Finding(INCONCLUSIVE, "the counts differ between repetitions", n=n)
    values = [sample.values[0] for sample in samples]
    ratio = values[0] if claim.baseline is None else _ratio(*values)
    return Finding(*judge(claim, (ratio, ratio)), ratio=ratio, interval=(ratio, ratio), n=n)


def _ratio(value: float, baseline: float) -> float:
    if baseline == 0:
        return 1.0 if value == 0 else math.inf
    return value / baseline


def _find_timed(claim: Claim, samples: list[_Sample], quick: bool) -> Finding:
    values = [sample.values for sample in samples]
    medians = [median(sample) for sample in values]
    if claim.baseline is None:
        ratio, interval = medians[0], median_interval(values[0])
    else:
        ratio, interval = medians[0] / medians[1], ratio_interval(values[0], values[1])
    doubt = _doubt(claim, samples, quick)
    verdict, reason = (INCONCLUSIVE, doubt) if doubt else judge(claim, interval)
    return Finding(verdict, reason, ratio, interval, tuple(map(len, values)))


def _doubt(claim: Claim, samples: list[_Sample], quick: bool) -> str:
    """Why a time must not decide a claim, whatever its interval; "" if it may."""
    processes = set.intersection(*(set(sample.processes) for sample in samples))
    if quick:
        return "a quick run"
    if any(sample.throttled for sample in samples):
        return "clocks throttled"
    if len(processes) < FEWEST_PROCESSES:
        return f"{len(processes)} process; {FEWEST_PROCESSES} are needed"
    if (fewest := min(len(sample.values) for sample in samples)) < FEWEST_REPETITIONS:
        return f"{fewest} repetitions; {FEWEST_REPETITIONS} are needed"
    if (widest := max(spread(sample.values) for sample in samples)) > LARGEST_SPREAD:
        return f"the spread is too large ({widest:.0%})"
    if claim.baseline is not None:
        ratios = [
            median(samples[0].of_process(process)) / median(samples[1].of_process(process))
            for process in sorted(processes)
        ]
        if len({_zone(ratio - 1) for ratio in ratios}) > 1:
            return f"the processes disagree ({', '.join(f'{ratio:.3f}' for ratio in ratios)})"
    return ""
