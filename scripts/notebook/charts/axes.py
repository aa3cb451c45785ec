"""Axes: places on a scale that is linear or logarithmic, and scales with room for their data."""

import math

Range = tuple[float, float]


def grown(ends: Range, values: list[float], log: bool) -> Range:
    low, high = ends
    if values and max(values) > high:
        high = max(values) * 1.15 if log else max(values) + 0.05 * (max(values) - low)
    if values and min(values) < low:
        low = min(values) / 1.15 if log else min(values) - 0.05 * (high - min(values))
    return low, high


def share(value: float, ends: Range, log: bool) -> float:
    """Where a value stands between the ends of its axis, as a share of 1."""
    low, high, at = (math.log(max(one, 1e-300)) if log else one for one in (*ends, value))
    return (at - low) / (high - low)


def on_axis(ends: Range, log: bool) -> float:
    """Just inside: a point at the very end may count as outside on a log scale."""
    return between(*ends, 1e-5, log)


def between(low: float, high: float, share: float, log: bool) -> float:
    return low * (high / low) ** share if log else low + (high - low) * share
