"""Numbers in titles, each with the words that they bear."""

import math

from notebook.decide.judging import SMALLEST_EFFECT, SMALLEST_EFFECT_TEXT

# The ratios that are no effect, and what the lines around them are called.
NO_EFFECT = (1 / (1 + SMALLEST_EFFECT), 1 + SMALLEST_EFFECT)
NO_EFFECT_LINES = f"dotted lines: ±{SMALLEST_EFFECT_TEXT}"


def slower(ratio: float, than: str = "") -> str:
    """A ratio of times in words: `7 % slower`, `2.1x slower`, `12 % faster than plain order`, `as fast as plain
    order`."""
    if abs(math.log(ratio)) <= math.log1p(SMALLEST_EFFECT):
        return f"as fast as {than}" if than else "as fast"
    amount = ratio if ratio > 1 else 1 / ratio
    size = percent(amount - 1) if amount < 1.995 else times(amount)
    return f"{size} {'slower' if ratio > 1 else 'faster'}{f' than {than}' if than else ''}"


def slower_or_by(ratio: float) -> str:
    """The same, with the ratio where it counts as no effect: `as fast (1.02x)`."""
    text = slower(ratio)
    return f"{text} ({ratio:.2f}x)" if text == "as fast" else text


def times(ratio: float) -> str:
    """`2.1x`, `16x`."""
    return f"{ratio:.0f}x" if ratio >= 9.95 else f"{ratio:.1f}".removesuffix(".0") + "x"


def percent(share: float) -> str:
    """A share of 1 as `75 %`."""
    return f"{100 * share:.0f} %"
