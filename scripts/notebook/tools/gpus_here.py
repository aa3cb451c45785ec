"""The GPUs that programs see here and what their driver runs, as the driver or else nvidia-smi says."""

import ctypes
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache

from notebook.base.text import plain

# The first driver that runs programs of a CUDA release, whatever its minor number.
# Source: NVIDIA, CUDA Compatibility, "Minor Version Compatibility".
OLDEST_DRIVERS = {11: 450, 12: 525, 13: 580}
ANY_MINOR = -1  # a driver runs all minor releases of the newest major one
# CUdevice_attribute.
_MAJOR, _MINOR = 75, 76
_CAPABILITY = re.compile(r"(\d+)\.(\d)")
_SECONDS = 30


@dataclass(frozen=True)
class Gpu:
    name: str
    capability: tuple[int, int]

    @property
    def target(self) -> int:
        """61 for compute capability 6.1, as in sm_61."""
        return 10 * self.capability[0] + self.capability[1]

    def __str__(self) -> str:
        return f"{self.name} (compute capability {self.capability[0]}.{self.capability[1]})"


@cache
def gpus() -> tuple[Gpu, ...]:
    """One of each kind, first the one that programs run on. CUDA_VISIBLE_DEVICES hides others from the driver."""
    of_driver = _of_driver()
    return tuple(dict.fromkeys(_of_nvidia_smi() if of_driver is None else of_driver))


@cache
def driver_release() -> tuple[int, int] | None:
    """The newest CUDA that the driver runs, its minor number ANY_MINOR where only nvidia-smi answers; None without a
    driver.
    """
    version = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return _release_of_nvidia_smi()
    if driver.cuDriverGetVersion(ctypes.byref(version)) != 0:
        return None
    return version.value // 1000, version.value % 1000 // 10


def _query(columns: str) -> list[list[str]]:
    command = ["nvidia-smi", f"--query-gpu={columns}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return []
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return [[cell.strip() for cell in line.split(",")] for line in lines]


def _of_nvidia_smi() -> list[Gpu]:
    found = []
    for *name, capability in _query("name,compute_cap"):
        if match := _CAPABILITY.fullmatch(capability):
            words = plain(", ".join(name)) or "the GPU"
            found.append(Gpu(words, (int(match[1]), int(match[2]))))
    return found


def _release_of_nvidia_smi() -> tuple[int, int] | None:
    """The newest CUDA by the driver's own number: the releases that it runs are published."""
    numbers = [row[0].split(".")[0] for row in _query("driver_version") if row]
    if not numbers or not numbers[0].isdecimal():
        return None
    runs = [major for major, oldest in OLDEST_DRIVERS.items() if int(numbers[0]) >= oldest]
    return (max(runs), ANY_MINOR) if runs else None


def text_of(release: tuple[int, int]) -> str:
    """`12.4`; `12` where its minor number is not known."""
    major, minor = release
    return str(major) if minor == ANY_MINOR else f"{major}.{minor}"


def _of_driver() -> list[Gpu] | None:
    """None where it cannot be asked."""
    count = ctypes.c_int(0)
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
            # Distributions install the library without a GPU; the variable may hide every GPU.
            return [] if "CUDA_VISIBLE_DEVICES" in os.environ else None
        return [_asked(driver, ordinal) for ordinal in range(count.value)]
    except (OSError, AttributeError):  # no driver; one without these functions
        return None


def _asked(driver: ctypes.CDLL, ordinal: int) -> Gpu:
    name = ctypes.create_string_buffer(100)
    driver.cuDeviceGetName(name, len(name), ordinal)
    numbers = []
    for attribute in (_MAJOR, _MINOR):
        value = ctypes.c_int(0)
        driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, ordinal)
        numbers.append(value.value)
    return Gpu(plain(name.value.decode(errors="replace")), (numbers[0], numbers[1]))
