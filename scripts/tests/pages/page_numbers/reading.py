"""Reads numbers as prose writes them: `5 to 6`, `about a third`, `up to 28`, `nine in ten`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

_SMALL = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
]  # fmt: skip
_COUNTS = {word: value for value, word in enumerate(_SMALL, 1)} | {
    "a": 1, "an": 1, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
}  # fmt: skip
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "twelfth": 12, "sixteenth": 16, "twentieth": 20, "fiftieth": 50, "hundredth": 100,
}  # fmt: skip
_WORDS = {"twice": 2.0, "double": 2.0, "doubles": 2.0, "doubled": 2.0, "halve": 0.5, "halves": 0.5}

_RANGE = re.compile(r" to | and | or |–")

WORD_TOLERANCE = 0.12  # of "a third"
ABOUT = 0.12  # of "about 50"


@dataclass(frozen=True)
class Number:
    value: float
    unit: float  # of its last digit; 0 for a number in words

    @property
    def half(self) -> float:
        """How far a value may be from the number that is printed for it."""
        return (0.5 * self.unit if self.unit else WORD_TOLERANCE * self.value) * (1 + 1e-9)

    def stands_for(self, value: float) -> bool:
        return abs(value - self.value) <= self.half


def number(text: str) -> Number:
    text = text.strip().lower().removeprefix("only ").replace("−", "-")
    if re.fullmatch(r"-?\d[\d,]*(\.\d+)?", text):
        digits = len(text.partition(".")[2])
        return Number(float(text.replace(",", "")), 10.0**-digits)
    if match := re.fullmatch(r"(\w+)(?: of | in |/)(\w+)", text):
        return Number(_count(match[1]) / _count(match[2]), 0)
    if text in _WORDS:
        return Number(_WORDS[text], 0)
    if match := re.fullmatch(r"(\d+|\w+) (?:times|thousand|million|billion)", text):
        scale = {"thousand": 1e3, "million": 1e6, "billion": 1e9}.get(text.split()[1], 1)
        return Number(_count(match[1]) * scale, scale if match[1].isdigit() else 0)
    match = re.fullmatch(r"(?:(\w+)[ -])?(\w+)", text)
    part = match and _PARTS.get(match[2], _PARTS.get(match[2].removesuffix("s"), 0))
    if match and part:
        return Number(float(Fraction(int(_count(match[1] or "a")), part)), 0)
    return Number(_count(text), 0)


def _count(text: str) -> float:
    return float(text) if text.isdigit() else float(_COUNTS[text])


def _about(stated: Number, values: list[float]) -> bool:
    return all(
        abs(value - stated.value) <= max(stated.half, ABOUT * abs(stated.value)) for value in values
    )


def _just_under(stated: Number, values: list[float]) -> bool:
    return all((1 - ABOUT) * stated.value <= value <= stated.value for value in values)


def _just_over(stated: Number, values: list[float]) -> bool:
    return all(
        stated.value - stated.half <= value <= (1 + 2 * ABOUT) * stated.value for value in values
    )


def _most(stated: Number, values: list[float]) -> bool:
    return max(values) <= stated.value + (stated.half if stated.unit else 0)


def _least(stated: Number, values: list[float]) -> bool:
    return stated.value <= min(values) <= 2 * stated.value


def _up_to(stated: Number, values: list[float]) -> bool:
    return stated.stands_for(max(values))


def _down_to(stated: Number, values: list[float]) -> bool:
    return stated.stands_for(min(values))


_QUALIFIERS: dict[str, Callable[[Number, list[float]], bool]] = {
    **dict.fromkeys(("about", "around", "roughly"), _about),
    **dict.fromkeys(("nearly", "almost", "just under", "just below"), _just_under),
    **dict.fromkeys(("a little more than", "little more than", "just over"), _just_over),
    **dict.fromkeys(("at most", "within", "less than", "fewer than", "under", "below"), _most),
    **dict.fromkeys(("within about", "no more than", "hardly more than", "beyond"), _most),
    **dict.fromkeys(("more than", "at least", "over", "above"), _least),
    "up to": _up_to,
    "down to": _down_to,
}


def agrees(text: str, values: list[float]) -> bool:
    """Whether `values` are what prose says by `text`."""
    text = text.replace("*", "").strip()
    for qualifier in sorted(_QUALIFIERS, key=len, reverse=True):
        if text.lower().startswith(f"{qualifier} "):
            rest = text[len(qualifier) :]
            if " to " not in rest and " and " not in rest:
                return _QUALIFIERS[qualifier](number(rest), values)
            text = rest
    text = text.strip().removeprefix("between ")
    is_one = " of " in text or " in " in text  # `15 of 16`
    ends = [number(value) for value in ([text] if is_one else _RANGE.split(text))]
    if len(ends) == 1:
        return all(ends[0].stands_for(value) for value in values)
    low, high = sorted(ends, key=lambda end: end.value)
    return low.stands_for(min(values)) and high.stands_for(max(values))
