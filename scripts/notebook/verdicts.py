"""Verdicts: what a device's data say about a chapter's claims (DESIGN: claims and verdicts).

A claim is decided once in every regime that the data have. Counters are exact. Time is decided by
the bootstrap interval of the ratio of medians within each process, against a smallest effect of
interest of 3 %.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from notebook import names
from notebook.claims import Claim
from notebook.intervals import Interval, center, center_interval, ratio_interval, spread
from notebook.results import Result
from notebook.samples import Sample, paired, samples_of

REPRODUCED = "reproduced"
WEAKER = "weaker"
ABSENT = "absent"
REVERSED = "reversed"
INCONCLUSIVE = "inconclusive"
NOT_MEASURED = "not measured"
ALL = (REPRODUCED, WEAKER, ABSENT, REVERSED, INCONCLUSIVE, NOT_MEASURED)

SMALLEST_EFFECT = 0.03
# Fewer repetitions in a process do not bound its median, and a spread this large has more than one
# cause.
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
Counters decide exactly; a time needs {FEWEST_PROCESSES} processes on a GPU. What others printed
(published:…) decides without an interval."""


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
    kind: str
    year: int
    data: str
    finding: Finding
    regime: str = ""
    label: str = ""

    @property
    def because(self) -> str:
        """The mechanism that the chapter gives for a verdict other than reproduced."""
        silent = self.finding.verdict in (REPRODUCED, NOT_MEASURED)
        return "" if silent else self.claim.because_of(self.device)


def decide(claim: Claim, result: Result, data: str) -> list[Verdict]:
    """The verdicts of `claim` on one device, in the order of its regimes.

    `data` names the file of the result, as the verdicts shall name it.
    """
    verdict = partial(Verdict, result.chapter, claim, result.device, result.kind, result.year, data)
    by_regime = {} if _cannot_decide(claim, result) else _samples_by_regime(claim, result)
    if not by_regime:
        reason = _cannot_decide(claim, result) or f"no data of {_wanted(claim)}"
        finding = Finding(NOT_MEASURED, reason)
        return [verdict(finding)]
    return [
        verdict(_find(claim, samples, result), regime, samples[0].label)
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
    if result.kind == "gpu" and claim.is_counted and not result.counts:
        return "no counters were measured on this device"
    return ""


def _wanted(claim: Claim) -> str:
    rows = " and ".join(filter(None, (claim.variant, claim.baseline)))
    return f"{rows} at {' or '.join(claim.regimes)}" if claim.regimes else rows


def _samples_by_regime(claim: Claim, result: Result) -> dict[str, list[Sample]]:
    """The sample of the variant and, if there is one, of the baseline, by regime."""
    wanted = [claim.variant, *([claim.baseline] if claim.baseline else [])]
    found = [samples_of(result, claim.metric, variant) for variant in wanted]
    common = set.intersection(*map(set, found))
    if claim.regimes:
        common &= set(claim.regimes)
    return {regime: [each[regime] for each in found] for regime in names.naturally_sorted(common)}


def _find(claim: Claim, samples: list[Sample], result: Result) -> Finding:
    if result.is_published:
        return _find_printed(claim, samples, result)
    if claim.is_counted:
        return _find_counted(claim, samples)
    return _find_timed(claim, samples, result.quick)


def _find_printed(claim: Claim, samples: list[Sample], result: Result) -> Finding:
    """Decided by the numbers themselves, for want of more; the reason says so."""
    found = _find_counted(claim, samples)
    alone = "" if claim.is_counted else "one printed number, no interval"
    caveats = [result.caveats.get(sample.name, "") for sample in samples]
    reasons = filter(None, (found.reason, alone, *caveats))
    return replace(found, reason="; ".join(dict.fromkeys(reasons)), interval=None)


def _find_counted(claim: Claim, samples: list[Sample]) -> Finding:
    n = _sizes(samples)
    if any(len(set(sample.values)) > 1 for sample in samples):
        return Finding(INCONCLUSIVE, "the counts differ between repetitions", n=n)
    values = [sample.values[0] for sample in samples]
    ratio = values[0] if claim.baseline is None else _ratio(*values)
    return Finding(*judge(claim, (ratio, ratio)), ratio=ratio, interval=(ratio, ratio), n=n)


def _ratio(value: float, baseline: float) -> float:
    if baseline == 0:
        return 1.0 if value == 0 else math.inf
    return value / baseline


def _find_timed(claim: Claim, samples: list[Sample], quick: bool) -> Finding:
    by_process = paired(samples)
    if not by_process[0]:
        return Finding(INCONCLUSIVE, "no process has both", n=_sizes(samples))
    ratio = center(by_process[0])
    if claim.baseline is None:
        interval = center_interval(by_process[0])
    else:
        ratio /= center(by_process[1])
        interval = ratio_interval(by_process[0], by_process[1])
    throttled = any(sample.throttled for sample in samples)
    doubt = doubt_of_run(quick, throttled) or doubt_of_samples(by_process)
    verdict, reason = (INCONCLUSIVE, doubt) if doubt else judge(claim, interval)
    return Finding(verdict, reason, ratio, interval, _sizes(samples))


def _sizes(samples: list[Sample]) -> tuple[int, ...]:
    return tuple(len(sample.values) for sample in samples)


def doubt_of_run(quick: bool, throttled: bool) -> str:
    """Why no time of a run may decide anything; "" if it may."""
    if quick:
        return "a quick run"
    return "clocks throttled" if throttled else ""


def doubt_of_samples(samples: list[list[list[float]]]) -> str:
    """Why times must not decide a claim, whatever their interval; "" if they may.

    `samples`: of the variant, and of the baseline if there is one, the repetitions by process.
    """
    processes = len(samples[0])
    every = [repetitions for sample in samples for repetitions in sample]
    if processes < FEWEST_PROCESSES:
        return f"{processes} process; {FEWEST_PROCESSES} are needed"
    if (fewest := min(map(len, every))) < FEWEST_REPETITIONS:
        return f"{fewest} repetitions in a process; {FEWEST_REPETITIONS} are needed"
    if (widest := max(map(spread, every))) > LARGEST_SPREAD:
        return f"the spread is too large ({widest:.0%})"
    if len(samples) == 2:
        ratios = [
            median(variant) / median(baseline) for variant, baseline in zip(*samples, strict=True)
        ]
        if len({_zone(ratio - 1) for ratio in ratios}) > 1:
            return f"the processes disagree ({', '.join(f'{ratio:.3f}' for ratio in ratios)})"
    return ""
