"""What the numbers of the chapters about the matrix product share."""

from notebook.data import names
from notebook.pages.queries import Data

LANES = 32


def clocks_of_a_step(d: Data, spec: str) -> list[float]:
    """Clocks of an SM for each step of a warp's loop, which is a multiply-add of every lane."""
    return [
        (d.value(name, "time") or 0) * d.result.sm_clock_mhz * d.result.sm_count / _steps(name)
        for name in d.names(spec)
    ]


def _steps(name: str) -> float:
    sides = names.parameters(name)
    return int(sides["m"]) * int(sides["n"]) * int(sides["k"]) / LANES
