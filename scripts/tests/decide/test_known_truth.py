"""Intervals and verdicts on times whose truth is planted: 1,000 seeded trials a kind of run."""

import math
import re
from collections import Counter
from pathlib import Path

import pytest
import simulated_runs
from simulated_runs import KINDS, NOISE, NOISY_PAIRS, SHARES, STOPPING_RULE, TRIALS, Kind
from test_verdicts import claim

from notebook.decide import judging
from notebook.decide.claims import Claim
from notebook.decide.judging import DOES_NOT_HOLD, INCONCLUSIVE, NO_EFFECT, REPRODUCED, judge
from notebook.decide.verdicts import judge_timed

PAGE = Path(__file__).parents[2] / "README.md"
EFFECTS = (0.0, 0.01, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.07, 0.10)
SLOWER = claim()
# Half of the first effect is no effect, and twice is 8.2 %; half of the second is 14 %.
CLAIMS = (SLOWER, claim(claimed=1.04), claim(claimed=1.3))


def test_intervals_cover_the_truth_as_the_page_says() -> None:
    """At least 93 % of them, for whatever the processes do; 95 % is what they promise."""
    table = simulated_runs.table((*KINDS, *SHARES))
    assert table_of_page(0) == table
    shares = [float(share) for share in re.findall(r"([0-9.]+)%", "\n".join(table[2:]))]
    # Six kinds of ratios in three numbers of processes, two of shares in two, by four deviations.
    assert len(shares) == 4 * (6 * 3 + 2 * 2)
    assert min(shares) >= 93


def test_the_page_says_what_intervals_of_noisy_pairs_miss() -> None:
    assert table_of_page(1) == simulated_runs.table(NOISY_PAIRS)


def table_of_page(number: int) -> list[str]:
    """A table of coverage of the page; an empty line ends it."""
    head = "| kind of variation |"
    below = PAGE.read_text(encoding="utf-8").split(head)[number + 1]
    return f"{head}{below}".partition("\n\n")[0].split("\n")


def words(
    kind: Kind, processes: int, between: float, the_claim: Claim, noise: float = NOISE
) -> dict[float, Counter[str]]:
    """The verdicts of 1,000 trials by planted effect."""
    counts: dict[float, Counter[str]] = {effect: Counter() for effect in EFFECTS}
    for trial in simulated_runs.trials(kind, processes, between, noise):
        value, (low, high) = trial.estimate.value, trial.estimate.interval
        for effect in EFFECTS:
            # A factor on the variant's times is the same factor on the ratio and its interval.
            factor = 1 + effect
            variant = [[factor * time for time in repetitions] for repetitions in trial.variant]
            ends = (low * factor, high * factor)
            samples = [variant, trial.baseline]
            counts[effect][judge_timed(the_claim, value * factor, ends, samples)[0]] += 1
    return counts


@pytest.mark.parametrize("between", simulated_runs.BETWEEN)
@pytest.mark.parametrize("processes", [2, 3, STOPPING_RULE])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_planted_effects_are_decided_right_or_not_at_all(
    kind: Kind, processes: int, between: float
) -> None:
    for the_claim in CLAIMS:
        words_by_effect = words(kind, processes, between, the_claim)
        for effect, counted in words_by_effect.items():
            truth = judge(the_claim, 1 + effect, (1 + effect, 1 + effect))[0]
            # No data can tell on which side an effect of exactly 3 % lies.
            above = judge(the_claim, 1.0301, (1.0301, 1.0301))[0]
            right = (truth, above) if effect == 0.03 else (truth,)
            wrong = sum(n for word, n in counted.items() if word not in (*right, INCONCLUSIVE))
            assert wrong <= 0.01 * TRIALS, (effect, counted)
        shown = TRIALS - words_by_effect[0.0][NO_EFFECT] - words_by_effect[0.0][INCONCLUSIVE]
        assert shown <= 1, words_by_effect[0.0]


@pytest.mark.parametrize("processes", [2, 3])
@pytest.mark.parametrize("kind", SHARES, ids=lambda kind: kind.name)
def test_equal_shares_show_no_effect(kind: Kind, processes: int) -> None:
    """A share of 1 is decided to lie outside 0.95 to 1.05 in at most 1 % of the trials."""
    the_claim = claim(baseline=None, expected=(0.95, 1.05), metric="memcpy_ratio")
    for between in simulated_runs.BETWEEN:
        wrong = sum(
            judge(the_claim, trial.estimate.value, trial.estimate.interval)[0] == DOES_NOT_HOLD
            for trial in simulated_runs.trials(kind, processes, between)
        )
        assert wrong <= 0.01 * TRIALS, between


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_two_steady_processes_decide(kind: Kind) -> None:
    """Where processes agree to 0.1 %, as in most of an H200's data, little is left open."""
    words_by_effect = words(kind, 2, 0.001, SLOWER)
    truths = {0.0: NO_EFFECT, 0.01: NO_EFFECT, 0.05: REPRODUCED, 0.1: REPRODUCED}
    for effect, right in truths.items():
        assert words_by_effect[effect][right] >= 0.9 * TRIALS, (effect, words_by_effect[effect])


def test_noise_makes_it_inconclusive_and_not_wrong() -> None:
    """Ten times the noise: an effect of 5 % can hardly be distinguished from one of 3 %."""
    for kind in KINDS[:4]:
        words_by_effect = words(kind, 2, 0.0, SLOWER, noise=0.03)
        assert (
            words_by_effect[0.05][REPRODUCED] + words_by_effect[0.05][INCONCLUSIVE] >= 0.99 * TRIALS
        )
        assert words_by_effect[0.05][INCONCLUSIVE] >= 0.5 * TRIALS


def test_two_processes_without_other_benchmarks_show_no_small_effect() -> None:
    """Nothing tells whether two processes agree by chance: the interval is at least ±3 %."""
    from notebook.data.intervals import estimated_ratio

    shown = 0
    for trial in simulated_runs.trials(KINDS[0], 2, 0.02):
        alone = estimated_ratio(trial.variant, trial.baseline)
        assert alone.half_width >= math.log(1.03) * (1 - 1e-9)
        shown += judge(SLOWER, alone.value, alone.interval)[0] in (REPRODUCED, judging.OPPOSITE)
    assert shown <= 1
