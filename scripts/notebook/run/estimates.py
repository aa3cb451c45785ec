"""How long a chapter will take: as long as data say that its processes took before."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from notebook.base import errors, files
from notebook.base.project import Project
from notebook.data import schema
from notebook.data.chapters import Chapter

# The estimate of a chapter that was never run: longer than any on an H200 or on one CPU of today.
_UNKNOWN_SECONDS = 120.0
# Starting, installing into .venv, looking whether everything is built.
_START_SECONDS = 60.0
# A slower GPU, a busy file system, a third process.
_MARGIN = 4.0
_MIN_MINUTES = 10
_LEAST_LIMIT_SECONDS = 3600.0
_HANGS_AFTER = 10
_LONGEST_SECONDS = 86_400.0


def seconds(project: Project, chapter: Chapter, is_emulated: bool) -> float:
    """The median over devices of this sort (real or emulated) that tell."""
    durations = []
    for folder in (project.data, project.beside.data, project.build / "runs"):
        for path in folder.glob(f"[!.]*/{chapter.name}.json"):
            if path.parent.name.startswith("emulated-") == is_emulated:
                durations += _recorded(path)
    return median(durations) if durations else _UNKNOWN_SECONDS


def _recorded(path: Path) -> list[float]:
    """All processes of a chapter together; [] where the file does not tell."""
    try:
        document = schema.parse_json(files.read_bytes(path))
        total = float(sum(document.get("context", document)["process_seconds"]))
    except (errors.Malformed, ValueError, LookupError, TypeError, ArithmeticError):
        return []
    return [total] if 0 < total < _LONGEST_SECONDS else []


def minutes_to_allow(expected_seconds: float) -> int:
    """The time limit of a task that should take so long."""
    return max(_MIN_MINUTES, round((_START_SECONDS + _MARGIN * expected_seconds) / 60))


def limit(expected_seconds: float) -> float:
    """After how long a process of a chapter hangs: no slow machine and no slow GPU takes it."""
    return max(_LEAST_LIMIT_SECONDS, _HANGS_AFTER * expected_seconds)


def text(seconds_: float) -> str:
    """`45 s`, `3 min`, `2.1 h`."""
    if seconds_ < 100:
        return f"{seconds_:.0f} s"
    return f"{seconds_ / 60:.0f} min" if seconds_ < 6000 else f"{seconds_ / 3600:.1f} h"


@dataclass
class Pace:
    """How long chapters should take, `at_once` of them beside one another, and what those took that are done."""

    expected: dict[str, float]
    at_once: int = 1
    took: dict[str, float] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def left(self, now: float) -> str:
        """`, about 4 min left`: what is done shows how fast this machine is; "" for less than a second."""
        took = dict(self.took)  # threads that run other chapters add to it
        known = sum(self.expected[name] for name in took)
        elapsed = now - self.began
        slower = sum(took.values()) / known if known else 1.0
        seconds_ = slower * sum(self.expected.values()) / self.at_once - elapsed
        return f", about {text(seconds_)} left" if seconds_ >= 1 else ""
