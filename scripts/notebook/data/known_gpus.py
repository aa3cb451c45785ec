"""What data/architectures.csv and data/gpus.csv know of a GPU that its driver names.

A GPU that neither has is compared with its generation alone; a generation that neither has, against the
newest one that they have.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from notebook.base import csv_table, files
from notebook.base.csv_table import Line
from notebook.base.errors import Malformed
from notebook.base.project import Project

_COLUMNS = (
    *("gpu", "generation", "year", "compute_capability"),
    *("sm_count", "max_clock_mhz", "mem_clock_mhz", "dram_bw_gbs", "l2_bytes"),
)
# The parts of a driver's name that name no GPU: vendor, form and memory.
_NOT_A_MODEL = re.compile(r"nvidia|tesla|geforce|quadro|gpu|pcie|sxm[0-9]*|[0-9]+gb|hbm[0-9]+e?")
_MARKETED = re.compile(r"geforce|laptop|rtx|gtx", re.IGNORECASE)
# The harness's word for generations that it does not list (common/lab/device/device_description.cu).
_OLDER, _OLDER_YEAR, _FIRST_LISTED = "before Volta", 2016, (7, 0)
_NEWER = "after Blackwell"

Capability = tuple[int, int]


@dataclass(frozen=True)
class KnownGpu:
    """A row; a value of 0 is not known."""

    model: frozenset[str]
    generation: str
    year: int
    capability: Capability
    sm_count: float
    max_clock_mhz: float
    memory_clock_mhz: float
    dram_bytes_per_second: float
    l2_bytes: float

    @property
    def is_marketed(self) -> bool:
        """Whether boards of other sizes go by the same name, as GeForce ones do."""
        return _MARKETED.search(" ".join(self.model)) is not None


def capability_of(text: str) -> Capability:
    """`9.0` as (9, 0)."""
    major, minor = text.split(".")
    return int(major), int(minor)


def of_project(project: Project) -> list[KnownGpu]:
    """The rows of both tables; raises Problem."""
    folder = project.root / "data"
    return [gpu for name in ("architectures", "gpus") for gpu in _of_table(folder / f"{name}.csv")]


@cache
def _of_table(path: Path) -> list[KnownGpu]:
    if not files.is_there(path):
        return []
    try:
        rows = csv_table.read(path, ["gpu"])
        return [_of_row(row) for row in rows if row["gpu"] and row.keys() >= set(_COLUMNS)]
    except Malformed as error:
        raise csv_table.damaged(path, error) from error


def _of_row(row: Line) -> KnownGpu:
    def number(column: str) -> float:
        return row.real(column, 0, 1e12) if row[column] else 0.0

    return KnownGpu(
        model_of(row["gpu"]),
        row["generation"],
        row.whole("year", 2000, 2100),
        capability_of(row["compute_capability"]),
        number("sm_count"),
        number("max_clock_mhz"),
        number("mem_clock_mhz"),
        1e9 * number("dram_bw_gbs"),
        number("l2_bytes"),
    )


def model_of(name: str) -> frozenset[str]:
    """The words that name a model: `NVIDIA H100 80GB HBM3` is {h100}."""
    words = re.sub(r"\(.*?\)|/.*", " ", name).lower()
    found = re.findall(r"[a-z0-9]+", words)
    return frozenset(word for word in found if not _NOT_A_MODEL.fullmatch(word))


def alike(known: list[KnownGpu], name: str) -> list[KnownGpu]:
    """The rows of the model that a driver names; several where it has several forms."""
    return [gpu for gpu in known if gpu.model == model_of(name)]


def generations_of(known: list[KnownGpu], capability: Capability) -> dict[str, int]:
    """The names that a generation may have, and the year of the first GPU of each."""
    first: dict[str, int] = {}
    for gpu in known:
        first[gpu.generation] = min(gpu.year, first.get(gpu.generation, gpu.year))
    older = [gpu for gpu in known if gpu.capability <= capability]
    names = {}
    if older:
        nearest = max(older, key=lambda gpu: gpu.capability)
        names[nearest.generation] = first[nearest.generation]
    if capability < _FIRST_LISTED:
        names[_OLDER] = _OLDER_YEAR
    return names


def is_newer(known: list[KnownGpu], capability: Capability) -> bool:
    """Whether no table has its generation yet: any name and year beyond the newest may be right."""
    return not known or capability[0] > max(gpu.capability[0] for gpu in known)


def of_generation(known: list[KnownGpu], capability: Capability) -> list[KnownGpu]:
    """The rows of its generation; all of them where there is none."""
    names = generations_of(known, capability)
    found = [gpu for gpu in known if gpu.generation in names]
    return known if is_newer(known, capability) or not found else found
