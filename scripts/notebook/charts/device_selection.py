"""Which measured GPUs figures draw one by one: with more, their curves and names would hide each other.

Of each generation the GPUs with results of the most chapters are drawn, of as many the last by name:
two, or one where that makes more than six. Figures say how many are left out, tables leave out none.
"""

from collections.abc import Mapping, Sequence

_MOST = 6
_OF_A_GENERATION = 2


def drawn(of_generation: Mapping[str, Sequence[str]]) -> list[str]:
    """From the measured GPUs of each generation, in the order in which they are chosen."""
    for at_most in range(_OF_A_GENERATION, 0, -1):
        chosen = [name for names in of_generation.values() for name in names[:at_most]]
        if len(chosen) <= _MOST:
            break
    return chosen


def note(shown: int, every: int) -> str:
    """What a figure says of those that it leaves out; "" where it leaves out none."""
    return f"{shown} of {every} measured GPUs" if shown < every else ""
