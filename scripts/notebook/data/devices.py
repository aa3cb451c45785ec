"""Devices: the names their results go by, and whether this machine has a GPU."""

import ctypes
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from notebook.base import csv_table, files
from notebook.base.errors import MISSING, WRONG_USAGE, Malformed, Problem
from notebook.base.project import Project
from notebook.base.text import close_matches
from notebook.data import gpu_names
from notebook.data.gpu_rows import GpuError, merged

# Devices of data/published/ are called published:<slug>.
PUBLISHED = "published:"

_NO_DEVICE = 100  # CUDA_ERROR_NO_DEVICE
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")
_OF_A_GPU = ("gpu", "generation", "compute_capability", "sm_count")
_CAPABILITY = re.compile(r"[0-9]{1,2}\.[0-9]")
_GPU = re.compile(r"[A-Za-z0-9 ._/()+-]{1,100}")


@dataclass(frozen=True)
class Target:
    """What a chapter is run on: the GPU (`architecture` is None) or an emulated one."""

    architecture: str | None

    @property
    def is_emulated(self) -> bool:
        return self.architecture is not None

    def __str__(self) -> str:
        return f"emulated:{self.architecture}" if self.is_emulated else "gpu"


def is_slug(text: object) -> TypeGuard[str]:
    """Whether `text` may name a folder below data/: nothing else from data becomes a path."""
    return isinstance(text, str) and _SLUG.fullmatch(text) is not None


def is_device(text: object) -> TypeGuard[str]:
    """Whether `text` may be the name of a device, which data/published/ may know, too."""
    return isinstance(text, str) and is_slug(text.removeprefix(PUBLISHED))


def slug_of(text: str) -> str:
    """The name of results that a user means: `emulated:fermi` is `emulated-fermi`."""
    return text.replace("emulated:", "emulated-", 1) if text.startswith("emulated:") else text


def option_for(slug: str) -> str:
    """The --device that makes results of `slug` again: `emulated:fermi`, or `gpu`."""
    emulated, _, architecture = slug.partition("-")
    return f"emulated:{architecture}" if emulated == "emulated" else "gpu"


def architectures(project: Project) -> list[str]:
    """The architectures of data/architectures.csv that can be emulated, in its order."""
    path = project.root / "data" / "architectures.csv"
    named = (row["architecture"] for row in csv_table.read(path, ["architecture"]))
    return list(dict.fromkeys(filter(is_slug, named)))


def emulable(project: Project) -> dict[str, dict[str, str]]:
    """What can be emulated by its name: the architectures, and the GPUs of both tables."""
    tables = []
    for name, columns in (("architectures", ["architecture", *_OF_A_GPU]), ("gpus", _OF_A_GPU)):
        path = project.root / "data" / f"{name}.csv"
        tables.append(_gpus(path, columns) if files.is_there(path) else [])
    try:
        rows = merged(*tables)
    except GpuError as error:
        raise Problem(f"data/gpus.csv: {error}; git checkout data/gpus.csv") from error
    return {row["architecture"]: row for row in rows}


def _gpus(path: Path, columns: Iterable[str]) -> list[dict[str, str]]:
    """The rows of a table of GPUs; raises Problem for one that is none."""
    rows = csv_table.read(path, columns)
    try:
        for row in rows:
            if row["sm_count"]:  # empty where it is not known
                row.whole("sm_count", 1, 10_000)
            for key, pattern in (("compute_capability", _CAPABILITY), ("gpu", _GPU)):
                if row[key] and not pattern.fullmatch(row[key]):
                    raise row.wrong(key)
    except Malformed as error:
        raise csv_table.damaged(path, error) from error
    return [dict(row) for row in rows]


def count_gpus() -> int:
    """The GPUs that the CUDA driver can use; 0 without a driver."""
    driver, failure = _opened_driver()
    count = ctypes.c_int(0)
    if driver is None or failure or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def driver_failure() -> str:
    """How the CUDA driver fails: `CUDA_ERROR_SYSTEM_NOT_READY (802)`; "" where it works, has no GPU or is missing."""
    driver, failure = _opened_driver()
    if driver is None or failure in (0, _NO_DEVICE):
        return ""
    name = ctypes.c_char_p()
    is_known = driver.cuGetErrorName(failure, ctypes.byref(name)) == 0
    return f"{name.value.decode() if is_known and name.value else 'error'} ({failure})"


def _opened_driver() -> tuple[ctypes.CDLL | None, int]:
    """The driver's library, None where there is none, and the CUresult of its start."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None, 0
    return driver, driver.cuInit(0)


def parse_target(project: Project, text: str) -> Target:
    """The device that --device names."""
    text = text.replace("emulated-", "emulated:", 1) if text.startswith("emulated-") else text
    if text == "gpu":
        if count_gpus() == 0:
            found = f"fails, {failure}" if (failure := driver_failure()) else "finds none"
            raise Problem(f"no GPU: the CUDA driver {found}; use --device emulated:ARCH", MISSING)
        return Target(None)
    kind, _, architecture = text.partition(":")
    if kind != "emulated":
        names = ["gpu", *(f"emulated:{name}" for name in architectures(project))]
        raise Problem(f"unknown device '{text}'; {close_matches(text, names)}", WRONG_USAGE)
    return Target(gpu_names.resolve(architecture, emulable(project)))
