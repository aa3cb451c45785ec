"""Registers and occupancy of a launch, in words: what is known of them, and by whom."""

from notebook import nvcc
from notebook.emulate_cells import number
from notebook.emulate_records import Launch


def registers(launch: Launch) -> str:
    if launch.registers is not None:
        by = f" ({launch.registers_from})" if launch.registers_from else ""
        return f"{launch.registers} registers{by}"
    fix = "" if nvcc.has_older_ptxas() else "; scripts/lab setup --all-ptxas installs older ones"
    return f"registers unknown (no ptxas compiles it for this GPU{fix})"


def percent(launch: Launch) -> str:
    """The occupancy; its upper bound without registers, which may limit it further."""
    if launch.occupancy_percent is None:
        return "-"
    at_most = "at most " if launch.registers is None else ""
    return f"{at_most}{number(launch.occupancy_percent)}"
