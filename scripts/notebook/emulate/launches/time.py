"""Predicted time in a report: how long, what bounds it, where warps wait."""

from dataclasses import dataclass, field
from typing import Any

from notebook.base.text import plain
from notebook.emulate.launches.errors import TimeError

_MIN_SHARE = 0.1  # of a limit: those that are used less are left out
_MOST_LINES = 3
_NO_PLACE = ":0"

# A reader's words for the reasons of data/timing: the model's names are the keys.
_REASONS = {
    "memory": "global memory",
    "local": "local memory",
    "texture": "textures",
    "constant": "constants and parameters",
    "shared": "shared memory",
    "shuffle": "shuffles",
    "special": "special registers",
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
    stalls: dict[tuple[str, str], float] = {}
    for line in described["stalls"]:  # several of a line that calls functions of a library
        place = f"{plain(line.get('file') or '').rsplit('/', 1)[-1]}:{int(line.get('line') or 0)}"
        for reason in _REASONS:
            stalls[place, reason] = stalls.get((place, reason), 0.0) + float(line.get(reason, 0))
    shares = {plain(name): float(share) for name, share in described["shares"].items()}
    return Predicted(float(described["seconds"]), plain(described["bound"]), shares, stalls)


def summary(time: Predicted, launches: int, error: TimeError) -> list[str]:
    """Lines for a terminal."""
    per_launch = f", {text_of(time.seconds / launches)} each" if launches > 1 else ""
    used = sorted(time.shares.items(), key=lambda item: -item[1])
    limits = ", ".join(f"{name} {share:.0%}" for name, share in used if share >= _MIN_SHARE)
    of_limits = f"; of the limits: {limits}" if limits else ""
    sentences = [
        f"  predicted {text_of(time.seconds)}{per_launch} ({error}), bound by {time.bound}{of_limits}"
    ]
    waits = [f"{place} {reason} {share:.0%}" for place, reason, share in waits_of(time)]
    return [*sentences, *([f"  warps wait: {', '.join(waits)}"] if waits else [])]


def waits_of(time: Predicted) -> list[tuple[str, str, float]]:
    """Where warps wait most: line, reason and share of all that they wait."""
    total = sum(time.stalls.values())
    worst = sorted(time.stalls.items(), key=lambda item: -item[1])[:_MOST_LINES]
    return [
        (place if place != _NO_PLACE else "an unknown line", _REASONS[reason], cycles / total)
        for (place, reason), cycles in worst
        if cycles >= _MIN_SHARE * total > 0
    ]


def waits_at(time: Predicted | None, place: str) -> tuple[float, str]:
    """The share of all waiting that warps do at a line ("file:line"), and what for mostly."""
    stalls = time.stalls if time else {}
    here = {reason: stalls.get((place, reason), 0.0) for reason in _REASONS}
    total, most = sum(stalls.values()), max(here, key=here.__getitem__)
    return (sum(here.values()) / total, _REASONS[most]) if total and here[most] else (0.0, "")


@dataclass(frozen=True)
class Cells:
    """What a table of several GPUs shows of the time of one launch."""

    time: str = "-"
    error: str = "-"
    bound: str = "-"
    wait: str = "-"


def cells(time: Predicted | None, launches: int, error: TimeError) -> Cells:
    """Of one of the launches: its time, what bounds it, and what its warps wait for most."""
    if time is None:
        return Cells()
    worst = waits_of(time)[:1]
    wait = "".join(
        f"{place.rpartition(':')[2]}: {reason} {share:.0%}" for place, reason, share in worst
    )
    return Cells(text_of(time.seconds / launches), error.cell, time.bound, wait or "-")


def text_of(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"
