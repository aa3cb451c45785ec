"""How ratios are printed, the same on every page: those below a tenth as fractions, 1/444 for 0.00225."""

from collections.abc import Callable, Sequence

_TENTH = 0.1


def ends(
    values: Sequence[float], decimal: Callable[[float], str], interval: Sequence[float] = ()
) -> list[str]:
    """The values, then the ends of their interval: by `decimal`, or as fractions where all values are below a tenth."""
    every = [*values, *interval]
    are_small = min(every) > 0 and max(values) < _TENTH
    return list(map(_fraction if are_small else decimal, every))


def _fraction(value: float) -> str:
    parts = 1 / value
    return f"1/{parts:,.0f}" if parts >= 100 else f"1/{parts:.3g}"
