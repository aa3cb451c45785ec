"""The verdict on times whose truth is planted, in 1,000 seeded trials of each kind of noise.

A trial has what a GPU run has at least: two processes of five repetitions, the second slower as a
whole by some per cent. The noise is that of an H200's repetitions, and above: half of its processes
spread by 0.45 % between their fastest and slowest repetition, nine tenths by less than 0.91 %.
"""

from collections.abc import Callable

import numpy
import pytest
from numpy.typing import NDArray
from test_verdicts import claim

from notebook import verdicts
from notebook.intervals import center, power_intervals

TRIALS = 1000
PROCESSES, REPETITIONS = 2, 5
Times = NDArray[numpy.float64]  # trials x processes x repetitions
Noise = Callable[[numpy.random.Generator, tuple[int, ...], float], Times]


def heavy_tails(source: numpy.random.Generator, shape: tuple[int, ...], scale: float) -> Times:
    """Student's t with three degrees of freedom: every fortieth beyond three scales."""
    return 1 + scale * source.standard_t(3, shape)


def drift(source: numpy.random.Generator, shape: tuple[int, ...], scale: float) -> Times:
    """Three scales from begin to end; repetitions stand anywhere, as their order is random."""
    return 1 + 3 * scale * source.random(shape) + scale * source.standard_normal(shape)


def bimodal(source: numpy.random.Generator, shape: tuple[int, ...], scale: float) -> Times:
    """Every fifth repetition slower by four scales."""
    slow = source.random(shape) < 0.2
    return 1 + 4 * scale * slow + scale / 2 * source.standard_normal(shape)


NOISES = (heavy_tails, drift, bimodal)


def verdicts_of_trials(noise: Noise, scale: float, effects: list[float]) -> dict[float, list[str]]:
    """The verdicts of 1,000 trials by planted effect, on the claim that the variant is slower."""
    source = numpy.random.default_rng(7)
    shape = (2, TRIALS, PROCESSES, REPETITIONS)
    whole = 1 + 0.015 * source.standard_normal((1, TRIALS, PROCESSES, 1))
    variant, baseline = noise(source, shape, scale) * whole
    # A factor on the variant's times is the same factor on the ratio, so one bootstrap is enough.
    processes = range(PROCESSES)
    lows, highs = power_intervals(
        [
            ([variant[:, process] for process in processes], 1),
            ([baseline[:, process] for process in processes], -1),
        ]
    )
    found: dict[float, list[str]] = {}
    for effect in effects:
        factor = 1 + effect
        samples = zip((variant * factor).tolist(), baseline.tolist(), strict=True)
        intervals = zip((lows * factor).tolist(), (highs * factor).tolist(), strict=True)
        found[effect] = [
            verdicts.INCONCLUSIVE
            if verdicts.doubt_of_number(list(sample))
            else verdicts.judge_timed(
                claim(), center(sample[0]) / center(sample[1]), interval, list(sample)
            )[0]
            for sample, interval in zip(samples, intervals, strict=True)
        ]
    return found


# 3 % is the smallest effect of interest itself: no data can tell on which side it lies.
RIGHT = {
    0.00: verdicts.NO_EFFECT,
    0.01: verdicts.NO_EFFECT,
    0.03: verdicts.INCONCLUSIVE,
    0.05: verdicts.REPRODUCED,
    0.10: verdicts.REPRODUCED,
}


@pytest.mark.parametrize("noise", NOISES)
def test_planted_effects_get_the_right_verdict(noise: Noise) -> None:
    found = verdicts_of_trials(noise, 0.003, list(RIGHT))
    right = {effect: found[effect].count(verdict) for effect, verdict in RIGHT.items()}
    assert min(right.values()) >= 0.95 * TRIALS, right
    effects = sum(found[0.0].count(each) for each in (verdicts.REPRODUCED, verdicts.OPPOSITE))
    assert effects <= 1


@pytest.mark.parametrize("noise", NOISES)
def test_noise_makes_it_inconclusive_and_not_wrong(noise: Noise) -> None:
    """Ten times the noise: an effect of 5 % can hardly be told from one of 3 %."""
    found = verdicts_of_trials(noise, 0.03, [0.0, 0.05])
    wrong = [
        each for each in found[0.05] if each not in (verdicts.REPRODUCED, verdicts.INCONCLUSIVE)
    ]
    assert len(wrong) <= 0.05 * TRIALS
    assert found[0.05].count(verdicts.INCONCLUSIVE) >= 0.5 * TRIALS
    effects = sum(found[0.0].count(each) for each in (verdicts.REPRODUCED, verdicts.OPPOSITE))
    assert effects <= 0.05 * TRIALS
