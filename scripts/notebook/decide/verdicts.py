"""Verdicts: what a device's data say about a chapter's claims.

A claim is decided once in every regime that the data have. Counters are exact. Time is decided by
the interval of the ratio of medians within each process. The word itself comes from `judging`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from notebook.data import names
from notebook.data.intervals import (
    Estimate,
    Interval,
    Pool,
    Processes,
    estimated_center,
    estimated_ratio,
    spread,
)
from notebook.data.results import Result
from notebook.data.samples import MIN_PROCESSES, Sample, are_throttled, paired, samples_of
from notebook.decide.claims import Claim
from notebook.decide.judging import (
    CONFIRMED,
    DOES_NOT_APPLY,
    INCONCLUSIVE,
    NEEDS_GPU,
    NO_DATA,
    SMALLEST_EFFECT_TEXT,
    TOO_CLOSE,
    WITHOUT_EVIDENCE,
    judge,
)
from notebook.decide.prediction import band, predicted_numbers

# The evidence of a finding.
MEASURED, COUNTED, PREDICTED, PUBLISHED = "measured", "counted", "predicted", "published"

_NO_TIME = "no time of these rows is predicted"
_IN_DOUBT = "the error band of the prediction includes a boundary or is not known"

# Fewer repetitions in a process do not bound its median, and a spread this large has more than one
# cause.
MIN_REPETITIONS = 5
LARGEST_SPREAD = 0.10

LEGEND = f"""\
A claim of an effect, by the logarithm of the ratio:
  reproduced      on the claimed side, from half to twice the claimed effect, or of any size beyond
                  {SMALLEST_EFFECT_TEXT} where none is claimed; counts: no more than a quarter off
  stronger        on the claimed side, more than twice the claimed effect
  weaker          on the claimed side beyond {SMALLEST_EFFECT_TEXT}, less than half the claimed effect
  no effect       within {SMALLEST_EFFECT_TEXT}
  opposite        on the other side, beyond {SMALLEST_EFFECT_TEXT}
A claim of equality (within {SMALLEST_EFFECT_TEXT}) or of a range:
  holds, does not hold
Any claim:
  inconclusive    the 95 % interval includes a boundary, clocks throttled, or it was a quick run
  too close to predict
                  the claim is about time, and the error band of its prediction includes a boundary,
                  or it is not known how far predictions err on this generation
  needs a GPU     the claim is about time, which an emulated GPU neither measures nor predicts
  does not apply  the claim is about GPUs that fetch memory in other units, or of other compute capabilities
  no data         the device has no row or counter that the claim asks for
Counters decide exactly. A time needs two processes on a GPU. Published results (published:…)
decide without an interval. Rules with worked examples: scripts/README.md"""


@dataclass(frozen=True)
class Finding:
    """A verdict and what it rests on.

    `ratio` is variant / baseline of the claim's metric, or the value itself where the claim gives
    a range without a baseline; `n` the repetitions of the variant and of the baseline. `evidence`
    is MEASURED, COUNTED, PREDICTED or PUBLISHED; "" where there is none.
    """

    verdict: str
    reason: str = ""
    evidence: str = ""
    ratio: float | None = None
    interval: Interval | None = None
    n: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        """The verdict as it is shown: a predicted one is marked."""
        return f"predicted {self.verdict}" if self.evidence == PREDICTED else self.verdict


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
        """The mechanism that the chapter gives for a verdict that does not confirm the claim."""
        silent = self.finding.verdict in (*CONFIRMED, *WITHOUT_EVIDENCE)
        return "" if silent else self.claim.because_of(self.device)


def decide(claim: Claim, result: Result, data: str) -> list[Verdict]:
    """The verdicts of `claim` on one device, in the order of its regimes.

    `data` names the file of the result, as the verdicts shall name it.
    """
    verdict = partial(Verdict, result.chapter, claim, result.device, result.kind, result.year, data)
    if obstacle := _obstacle(claim, result):
        return [verdict(obstacle)]
    if result.is_emulated and not claim.is_counted:
        predicted = _find_predicted(claim, result)
        if not any(finding.evidence for finding in predicted.values()):
            return [verdict(_undecided(predicted.values()))]
        return [verdict(finding, regime) for regime, finding in predicted.items()]
    by_regime = _samples_by_regime(claim, result)
    if not by_regime:
        return [verdict(Finding(NO_DATA, f"no data of {_wanted(claim)}"))]
    return [
        verdict(replace(finding, reason=result.reason(finding.reason)), regime, samples[0].label)
        for regime, samples in by_regime.items()
        for finding in [_find(claim, samples, result)]
    ]


def _obstacle(claim: Claim, result: Result) -> Finding | None:
    """Why this device can say nothing about the claim; None if it can."""
    fetched = {32: "32-byte sectors", 128: "128-byte lines"}
    unit = claim.fetch_unit_bytes
    if unit is not None and unit != result.fetch_unit_bytes:
        here = fetched.get(result.fetch_unit_bytes, f"{result.fetch_unit_bytes} bytes")
        reason = f"the claim is about {fetched[unit]}; this device fetches {here}"
        return Finding(DOES_NOT_APPLY, reason)
    if not _is_meant(result.compute_capability, claim.compute_capability):
        least = claim.compute_capability
        which = least.removesuffix("a") + (" alone" if least.endswith("a") else " and later")
        return Finding(DOES_NOT_APPLY, f"the claim is about compute capability {which}")
    if result.is_emulated and claim.unmodelled and not claim.is_counted:
        return Finding(NEEDS_GPU, f"not modelled: {claim.unmodelled}")
    if result.kind == "gpu" and claim.is_counted and not result.counts:
        return Finding(NO_DATA, "no counters were measured on this device")
    return None


def _is_meant(capability: str, least: str) -> bool:
    """Whether a claim about GPUs from `least` on ("9.0"; "9.0a": that alone) is about one of this compute
    capability; one that is not known is meant."""
    if not capability or not least:
        return True
    if least.endswith("a"):
        return capability == least.removesuffix("a")
    here, from_here_on = (tuple(map(int, text.split("."))) for text in (capability, least))
    return here >= from_here_on


def _find_predicted(claim: Claim, result: Result) -> dict[str, Finding]:
    """What the time model decides, by regime; a band that leaves a doubt decides nothing, and so does
    a prediction without one."""
    findings = {}
    for regime, number in predicted_numbers(claim, result).items():
        interval = band(claim, number, regime, result)
        if interval is None:
            findings[regime] = Finding(TOO_CLOSE, _IN_DOUBT)
            continue
        verdict, reason = judge(claim, number, interval)
        findings[regime] = (
            Finding(TOO_CLOSE, reason)
            if verdict == INCONCLUSIVE
            else Finding(verdict, reason, PREDICTED, number, interval)
        )
    return findings


def _undecided(predicted: Iterable[Finding]) -> Finding:
    """The one finding of a claim about time that is decided in none of its regimes."""
    return Finding(TOO_CLOSE, _IN_DOUBT) if any(predicted) else Finding(NEEDS_GPU, _NO_TIME)


def _wanted(claim: Claim) -> str:
    rows = " and ".join(filter(None, (claim.variant, claim.baseline)))
    return f"{rows} at {' or '.join(claim.regimes)}" if claim.regimes else rows


def _samples_by_regime(claim: Claim, result: Result) -> dict[str, list[Sample]]:
    """The sample of the variant and, if there is one, of the baseline, by regime."""
    variants = [claim.variant, *([claim.baseline] if claim.baseline else [])]
    samples = [samples_of(result, claim.metric, variant) for variant in variants]
    common = set.intersection(*map(set, samples))
    if claim.regimes:
        common &= set(claim.regimes)
    return {
        regime: [by_regime[regime] for by_regime in samples]
        for regime in names.naturally_sorted(common)
    }


def _find(claim: Claim, samples: list[Sample], result: Result) -> Finding:
    if result.is_published:
        return _find_published(claim, samples, result)
    if claim.is_counted:
        return _find_counted(claim, samples, COUNTED if result.is_emulated else MEASURED)
    pool = result.pool_of(claim.metric, names.regime(samples[0].name))
    return _find_timed(claim, samples, result.quick, pool)


def _find_published(claim: Claim, samples: list[Sample], result: Result) -> Finding:
    """Decided by the numbers themselves, for want of more; the reason says so."""
    finding = _find_counted(claim, samples, PUBLISHED)
    alone = "" if claim.is_counted else "one printed number, no interval"
    caveats = [result.caveats.get(sample.name, "") for sample in samples]
    reasons = filter(None, (finding.reason, alone, *caveats))
    return replace(finding, reason="; ".join(dict.fromkeys(reasons)), interval=None)


def _find_counted(claim: Claim, samples: list[Sample], evidence: str) -> Finding:
    """Exactly; where counts differ between repetitions, from the lowest number that they allow to the highest."""
    n = _sizes(samples)
    value, *rest = [(min(sample.values), max(sample.values)) for sample in samples]
    least, most = value
    if claim.baseline is not None:
        (baseline,) = rest
        least, most = _ratio(value[0], baseline[1]), _ratio(value[1], baseline[0])
    if least == most:
        return Finding(*judge(claim, least, (least, most)), evidence, least, (least, most), n)
    verdict, reason = judge(claim, (least + most) / 2, (least, most))
    reason = "; ".join(filter(None, (reason, "the counts differ between repetitions")))
    return Finding(verdict, reason, evidence, (least + most) / 2, (least, most), n)


def _ratio(value: float, baseline: float) -> float:
    if baseline == 0:
        return 1.0 if value == 0 else math.inf
    return value / baseline


def _find_timed(claim: Claim, samples: list[Sample], quick: bool, pool: Pool) -> Finding:
    by_process = paired(samples)
    if not by_process[0]:
        return Finding(INCONCLUSIVE, "no process has both", MEASURED, n=_sizes(samples))
    estimate = estimated(by_process, pool)
    ratio, interval = estimate.value, estimate.interval
    doubt = doubt_of_run(quick, are_throttled(samples)) or doubt_of_number(by_process)
    verdict, reason = (
        (INCONCLUSIVE, doubt) if doubt else judge_timed(claim, ratio, interval, by_process)
    )
    sizes = tuple(sum(map(len, of_sample)) for of_sample in by_process)
    return Finding(verdict, reason, MEASURED, ratio, interval, sizes)


def estimated(samples: Sequence[Processes], pool: Pool) -> Estimate:
    """The first sample over the second, if there is one; else its metric by itself."""
    if len(samples) == 2:
        return estimated_ratio(samples[0], samples[1], pool)
    return estimated_center(samples[0], pool)


def judge_timed(
    claim: Claim, ratio: float, interval: Interval, samples: Sequence[Processes]
) -> tuple[str, str]:
    """The word of an interval, unless a wide spread of the repetitions makes it doubtful.

    `samples`: of the variant, and of the baseline if there is one, the repetitions by process.
    """
    verdict, reason = judge(claim, ratio, interval)
    widest = widest_spread(samples)
    if verdict == INCONCLUSIVE or widest == 0:
        return verdict, reason
    if judge(claim, ratio, widened(interval, widest))[0] != verdict:
        return INCONCLUSIVE, f"the spread is too large ({widest:.0%})"
    return verdict, reason


def _sizes(samples: list[Sample]) -> tuple[int, ...]:
    return tuple(sum(map(len, sample.by_process.values())) for sample in samples)


def doubt_of_run(quick: bool, throttled: bool) -> str:
    """Why no time of a run may decide anything; "" if it may."""
    if quick:
        return "a quick run"
    return "clocks throttled" if throttled else ""


def doubt_of_number(samples: Sequence[Processes]) -> str:
    """Why so few times must not decide a claim, whatever their interval; "" if they may."""
    processes = len(samples[0])
    if processes < MIN_PROCESSES:
        return f"{processes} process; {MIN_PROCESSES} are needed"
    min_repetitions = min(min(map(len, sample)) for sample in samples)
    if min_repetitions < MIN_REPETITIONS:
        return f"{min_repetitions} repetitions in a process; {MIN_REPETITIONS} are needed"
    return ""


def widest_spread(samples: Sequence[Processes]) -> float:
    """The largest spread of a process' repetitions; 0 where none is above LARGEST_SPREAD."""
    # Where even the whole range is small, no quartile has to be found.
    wide = [
        spread(repetitions)
        for sample in samples
        for repetitions in sample
        if max(repetitions) - (least := min(repetitions)) > LARGEST_SPREAD * least
    ]
    widest = max(wide, default=0.0)
    return widest if widest > LARGEST_SPREAD else 0.0


def widened(interval: Interval, by: float) -> Interval:
    """The interval with each end moved outwards by a factor 1 + `by`."""
    return interval[0] / (1 + by), interval[1] * (1 + by)
