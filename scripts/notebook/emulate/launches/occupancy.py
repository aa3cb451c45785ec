"""Registers and occupancy of a launch, in words: what is known of them, and by whom."""

from collections.abc import Iterable

from notebook.emulate.launches.cells import number
from notebook.emulate.launches.records import Launch
from notebook.tools import nvcc

_UNKNOWN = "unknown"


def registers(launch: Launch) -> str:
    if launch.registers is None:
        return f"registers {_UNKNOWN}"
    by = f" ({launch.registers_from})" if launch.registers_from else ""
    return f"{launch.registers} registers{by}"


def register_cell(launch: Launch) -> str:
    """The same for a table."""
    return _UNKNOWN if launch.registers is None else number(launch.registers)


def why_unknown(launches: Iterable[Launch]) -> list[str]:
    """A sentence for each reason why registers of some launches are unknown."""
    reasons = dict.fromkeys(
        launch.registers_unknown for launch in launches if launch.registers is None
    )
    return [f"registers unknown: {reason or _no_ptxas()}" for reason in reasons]


def _no_ptxas() -> str:
    fix = "" if nvcc.has_older_ptxas() else "; scripts/lab setup --all-ptxas installs older ones"
    return f"no ptxas compiles it for this GPU{fix}"


def percent(launch: Launch) -> str:
    """The occupancy; its upper bound without registers, which may limit it further."""
    if launch.occupancy_percent is None:
        return "-"
    at_most = "at most " if launch.registers is None else ""
    return f"{at_most}{number(launch.occupancy_percent)}"
