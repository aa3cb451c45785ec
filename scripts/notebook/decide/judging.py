"""From a number and its interval to a word: the rules of scripts/README.md as one pure function.

A claim divides the line of possible values into zones, each with its word. The point estimate names
the zone; the claim is decided where the whole interval lies in that zone. Effects and equality are
judged on a log scale, so that twice as fast and half as fast are equally large; a claim of a range
is judged by the value itself.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from notebook.data.intervals import Interval
from notebook.decide.claims import Claim

REPRODUCED = "reproduced"
STRONGER = "stronger"
WEAKER = "weaker"
NO_EFFECT = "no effect"
OPPOSITE = "opposite"
HOLDS = "holds"
DOES_NOT_HOLD = "does not hold"
INCONCLUSIVE = "inconclusive"
TOO_CLOSE = "too close to predict"
NEEDS_GPU = "needs a GPU"
DOES_NOT_APPLY = "does not apply"
NO_DATA = "no data"

OF_EFFECTS = (REPRODUCED, STRONGER, WEAKER, NO_EFFECT, OPPOSITE)
OF_EQUALITY = (HOLDS, DOES_NOT_HOLD)
WITHOUT_EVIDENCE = (TOO_CLOSE, NEEDS_GPU, DOES_NOT_APPLY, NO_DATA)
CONFIRMED = (REPRODUCED, HOLDS)
# In the order in which counts of them are printed.
ALL = (*OF_EFFECTS, *OF_EQUALITY, INCONCLUSIVE, *WITHOUT_EVIDENCE)

# The smallest effect of interest, as a ratio: from 1 / 1.03 to 1.03 is no effect.
SMALLEST_EFFECT = 0.03
SMALLEST_EFFECT_TEXT = f"{100 * SMALLEST_EFFECT:g} %"
_SMALLEST = math.log1p(SMALLEST_EFFECT)
_QUARTER = math.log(1.25)
# A boundary belongs to the zone that comes first, whichever way the last bit was rounded.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Zone:
    """The values from `low` to `high`, both included, that get `word`; `where` says it in words."""

    word: str
    low: float
    high: float
    where: str = ""

    def holds(self, value: float) -> bool:
        return self.low - _ROUNDING <= value <= self.high + _ROUNDING


def judge(claim: Claim, point: float, interval: Interval) -> tuple[str, str]:
    """The word for a ratio (or a value, where the claim is a range), and the reason behind it."""
    zones = zones_of(claim)
    here = _zone(zones, _position(claim, point))
    for end in interval:
        there = _zone(zones, _position(claim, end))
        if there != here:
            return INCONCLUSIVE, f"the interval includes {_boundary(claim, here, there)}"
    return here.word, here.where


def zones_of(claim: Claim) -> list[Zone]:
    """The zones of a claim; where two of them meet, the first one has the boundary."""
    return _zones(claim.expected, claim.sign, claim.claimed, claim.is_counted)


@lru_cache(maxsize=1024)
def _zones(
    expected: Interval | None, sign: int, claimed: float | None, is_counted: bool
) -> list[Zone]:
    infinity = math.inf
    if expected is not None:
        low, high = expected
        both = "" if math.isinf(high - low) else f"outside {low:g} to {high:g}"
        return [
            Zone(HOLDS, low, high),
            Zone(DOES_NOT_HOLD, -infinity, low, both or f"below {low:g}"),
            Zone(DOES_NOT_HOLD, high, infinity, both or f"above {high:g}"),
        ]
    if sign == 0:
        return [
            Zone(HOLDS, -_SMALLEST, _SMALLEST),
            Zone(
                DOES_NOT_HOLD, -infinity, -_SMALLEST, f"lower by more than {SMALLEST_EFFECT_TEXT}"
            ),
            Zone(DOES_NOT_HOLD, _SMALLEST, infinity, f"higher by more than {SMALLEST_EFFECT_TEXT}"),
        ]
    zones = [
        Zone(NO_EFFECT, -_SMALLEST, _SMALLEST),
        Zone(OPPOSITE, -infinity, -_SMALLEST),
    ]
    if claimed is None:
        return [*zones, Zone(REPRODUCED, _SMALLEST, infinity)]
    low, high = _reproduced(claimed, is_counted)
    return [
        *zones,
        Zone(REPRODUCED, max(low, _SMALLEST), max(high, _SMALLEST)),
        Zone(WEAKER, _SMALLEST, low),
        Zone(STRONGER, high, infinity),
    ]


def _reproduced(ratio: float, is_counted: bool) -> Interval:
    """From half to twice the claimed effect; of counts, which are exact, no more than a quarter off."""
    if ratio <= 0:
        return math.inf, math.inf
    claimed = abs(math.log(ratio))
    low, high = claimed / 2, 2 * claimed
    if is_counted:
        return max(low, claimed - _QUARTER), min(high, claimed + _QUARTER)
    return low, high


def _position(claim: Claim, value: float) -> float:
    """Where a value lies among the zones: an effect counts towards the side that is claimed."""
    if claim.expected is not None:
        return value
    logarithm = math.log(value) if value > 0 else -math.inf
    return logarithm * (claim.sign or 1)


def _zone(zones: list[Zone], position: float) -> Zone:
    for zone in zones:
        if zone.holds(position):
            return zone
    raise ValueError("zones cover every number")


def _boundary(claim: Claim, here: Zone, there: Zone) -> str:
    """The end of the first zone that lies towards the second one, in words."""
    if claim.expected is not None:
        return "an end of the range"
    at = here.high if there.high > here.high else here.low
    if claim.claimed is None or abs(at) <= _SMALLEST:
        return SMALLEST_EFFECT_TEXT
    part = "twice" if at > abs(math.log(claim.claimed)) else "half"
    return f"{part} the claimed effect ({math.exp(at * claim.sign):.3g})"
