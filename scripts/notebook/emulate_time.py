"""Predicted time in a report: how long, what bounds it, where warps wait."""

from dataclasses import dataclass, field
from typing import Any

from notebook.text import plain

_MIN_SHARE = 0.1  # of a limit: those that are used less are left out
_MOST_LINES = 3

# What a reader calls the reasons of data/timing: the model's names are the keys.
_REASONS = {
    "memory": "global memory",
    "shared": "shared memory",
    "arithmetic": "arithmetic",
    "barrier": "barrier",
    "unit_busy": "busy unit",
    "not_selected": "other warps first",
}


@dataclass
class Predicted:
    """The time of a launch, or of several. Shares are of each unit's limit, 0 to 1."""

    seconds: float
    bound: str
    shares: dict[str, float]
    # Warp cycles by line ("file:line") and reason.
    stalls: dict[tuple[str, str], float] = field(default_factory=dict)

    def add(self, other: "Predicted") -> None:
        self.seconds += other.seconds
        for key, cycles in other.stalls.items():
            self.stalls[key] = self.stalls.get(key, 0.0) + cycles


def predicted(described: Any) -> Predicted | None:
    """What the report of a launch says; None where no time was asked for."""
    if not isinstance(described, dict):
        return None
    stalls = {
        (
            f"{plain(line.get('file') or '').rsplit('/', 1)[-1]}:{int(line.get('line') or 0)}",
            reason,
        ): float(line[reason])
        for line in described["stalls"]
        for reason in _REASONS
    }
    shares = {plain(name): float(share) for name, share in described["shares"].items()}
    return Predicted(float(described["seconds"]), plain(described["bound"]), shares, stalls)


def summary(time: Predicted, launches: int) -> list[str]:
    """Lines for a terminal."""
    per_launch = f", {duration(time.seconds / launches)} each" if launches > 1 else ""
    used = sorted(time.shares.items(), key=lambda item: -item[1])
    limits = ", ".join(f"{name} {share:.0%}" for name, share in used if share >= _MIN_SHARE)
    sentences = [
        f"  predicted {duration(time.seconds)}{per_launch}, bound by {time.bound}; of the limits: {limits}"
    ]
    total = sum(time.stalls.values())
    worst = sorted(time.stalls.items(), key=lambda item: -item[1])[:_MOST_LINES]
    waits = [
        f"{place} {_REASONS[reason]} {cycles / total:.0%}"
        for (place, reason), cycles in worst
        if cycles >= _MIN_SHARE * total > 0
    ]
    return [*sentences, *([f"  warps wait: {', '.join(waits)}"] if waits else [])]


def cells(time: Predicted | None, launches: int) -> tuple[str, str]:
    """The time of one of the launches and what bounds it, for a table."""
    return (duration(time.seconds / launches), time.bound) if time else ("-", "-")


def duration(value: float) -> str:
    """With its unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
