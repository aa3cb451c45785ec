"""How far predicted times of a GPU are from real ones: from the data that compare them (data/timing)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from math import inf
from pathlib import Path
from statistics import mean

from notebook.base import csv_table, files
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.data import gpu_names

# Times of the chapters that were measured on the GPU, and predicted.
_MEASURED = {
    "hopper": Path("data/timing/validation.csv"),
    "h100-sxm5-80gb-hbm3": Path("data/timing/unseen.csv"),
}
_PRINTED = Path("data/timing/published.csv")
# Fewer times do not show an error.
_MIN_TIMES = 3


@dataclass(frozen=True)
class TimeError:
    """The mean absolute error of predicted times; `mean` (0.09 for 9 %) is None where no times were compared."""

    gpu: str = ""
    of: str = ""  # "measured" or "printed"
    mean: float | None = None

    def __str__(self) -> str:
        """In brackets behind a time: `A100: errors of printed times 9 %`."""
        if self.mean is None:
            return f"{self.gpu}: not validated" if self.gpu else "not validated"
        return f"{self.gpu}: errors of {self.of} times {self.percent}"

    @property
    def percent(self) -> str:
        return f"{100 * self.mean:.0f} %" if self.mean is not None else ""

    @property
    def cell(self) -> str:
        """For a table with a column for each GPU."""
        return f"{self.percent} ({self.of})" if self.mean is not None else "not validated"


NOT_VALIDATED = TimeError()


def of_gpu(project: Project, name: str, rows: Mapping[str, Mapping[str, str]]) -> TimeError:
    """The GPU's own errors; else those of its generation's other GPUs.

    Of measured times, else of printed ones (common/timing).
    """
    row = rows[name]
    own = gpu_names.short(row["gpu"])
    if path := _MEASURED.get(name):
        chapters = _errors(project.root / path, "chapter", "measured_seconds")
        if chapters:
            return TimeError(own, "measured", mean(chain.from_iterable(chapters.values())))
    printed = _errors(project.root / _PRINTED, "gpu", "printed_seconds")
    if len(errors := printed.get(name, [])) >= _MIN_TIMES:
        return TimeError(own, "printed", mean(errors))
    alike = [
        error
        for other, errors in printed.items()
        if rows.get(other, {}).get("generation") == row["generation"] and other != name
        for error in errors
    ]
    if len(alike) >= _MIN_TIMES:
        return TimeError(f"other {row['generation']} GPUs", "printed", mean(alike))
    return TimeError(row["generation"])


def _errors(path: Path, key: str, real: str) -> dict[str, list[float]]:
    """Of each chapter or GPU in a table; {} without the table."""
    found: dict[str, list[float]] = defaultdict(list)
    if not files.is_there(path):
        return found
    try:
        for row in csv_table.read(path, (key, "predicted_seconds", real)):
            times = [row.real(column, 1e-12, inf) for column in ("predicted_seconds", real)]
            found[row[key]].append(abs(times[0] / times[1] - 1))
    except Malformed as error:
        raise csv_table.damaged(path, error) from error
    return found
