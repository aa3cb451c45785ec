"""Whether the GPU, its driver and the CUDA compiler fit, and what brings a toolkit that does."""

import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from notebook.base.errors import MISSING, Problem
from notebook.tools import gpus_here, nvcc
from notebook.tools.gpus_here import Gpu

Release = tuple[int, int]

_NEWEST = (99, 9)
# The releases that have code for a compute capability: the first, and the last where later ones dropped it.
# Source: NVIDIA, CUDA Toolkit Release Notes and nvcc's --list-gpu-code of each release.
_DROPPED = {(5, 0): (11, 8), (7, 5): (12, 9)}  # below: the last release that has it
_CAME = {
    (8, 9): (11, 8),
    (10, 0): (12, 8),
    (10, 3): (12, 9),
    (11, 0): (13, 0),
    (12, 0): (12, 8),
    (12, 1): (12, 9),
}
_GENERATIONS = {
    (2, 0): "fermi",
    (3, 0): "kepler",
    (5, 0): "maxwell",
    (6, 0): "pascal",
    (7, 0): "volta",
    (7, 5): "turing",
    (8, 0): "ampere",
    (8, 9): "ada",
    (9, 0): "hopper",
    (10, 0): "blackwell",
}
_REPOSITORY = "https://developer.download.nvidia.com/compute/cuda/repos"
_ARCHIVE = "https://developer.nvidia.com/cuda-toolkit-archive"
# Systems for which NVIDIA has packages of CUDA 12, by ID and VERSION_ID of /etc/os-release.
_REPOSITORIES = {"debian": ("12",), "ubuntu": ("22.04", "24.04")}


@dataclass(frozen=True)
class Range:
    """The releases of CUDA that serve a machine: from `oldest` to `newest`."""

    oldest: Release
    newest: Release

    @property
    def is_empty(self) -> bool:
        return self.oldest > self.newest

    def holds(self, release: Release | None) -> bool:
        return release is not None and self.oldest <= release <= self.newest

    def __str__(self) -> str:
        oldest = f"{self.oldest[0]}.{self.oldest[1]}"
        if self.newest == _NEWEST:
            return f"CUDA {oldest} or later"
        return f"CUDA {oldest} to {self.newest[0]}.{self.newest[1]}"


def fits(compiler: str) -> bool:
    """Whether this nvcc compiles for every GPU of the machine, and the driver runs what it makes."""
    return _misfit(compiler) is None


def require(compiler: str) -> None:
    """Raises Problem where the machine's GPU cannot run what the compiler makes."""
    if text := problem(compiler):
        raise Problem(text, MISSING)


def problem(compiler: str) -> str:
    """What does not fit, what would, and the way without the GPU; "" where all fits."""
    if gpu := _misfit(compiler):
        return f"{gpu} {_needs(gpu, _release(compiler))}; {_without(gpu)}"
    release, driver = _release(compiler), gpus_here.driver_release()
    if driver and driver[0] < release[0]:
        newer = f"{_driver_for(release)}, or a toolkit of CUDA {driver[0]} before the other on PATH"
        return f"{_runs(driver, release)}: install {newer}"
    return ""


def _misfit(compiler: str) -> Gpu | None:
    """The GPU that programs run on, where what the compiler makes does not run on it."""
    release = _release(compiler)
    known = nvcc.targets(compiler) if compiler else frozenset()
    for gpu in gpus_here.gpus()[:1]:
        served = releases_for(gpu, gpus_here.driver_release())
        if not served.holds(release) or (known and gpu.target not in known):
            return gpu
    return None


def _needs(gpu: Gpu, release: Release) -> str:
    """The toolkits that serve the GPU, and how to get one."""
    driver = gpus_here.driver_release()
    with_any_driver, served = releases_for(gpu, None), releases_for(gpu, driver)
    if with_any_driver.is_empty:
        newest = f"{with_any_driver.newest[0]}.{with_any_driver.newest[1]}"
        oldest = f"{nvcc.OLDEST[0]}.{nvcc.OLDEST[1]}"
        return f"has code in CUDA {newest} and older alone, and the notebook needs {oldest}"
    if driver and served.is_empty:
        wanted = release if with_any_driver.holds(release) else with_any_driver.oldest
        oldest_driver = _driver_for(wanted)
        return f"needs {with_any_driver}; {_runs(driver, release)}: install {oldest_driver}"
    if driver and with_any_driver.holds(release):
        newer = f"install {_driver_for(release)}, or a toolkit of {served}"
        return f"needs another driver or toolkit; {_runs(driver, release)}: {newer}: {how_to_get(served)}"
    return f"needs a toolkit of {served}; nvcc is of {_text(release)}; {how_to_get(served)}"


def _runs(driver: Release, release: Release) -> str:
    return f"the driver runs CUDA {gpus_here.text_of(driver)}, nvcc is of {_text(release)}"


def _driver_for(release: Release) -> str:
    number = gpus_here.OLDEST_DRIVERS.get(release[0])
    return f"a driver of release {number} or later" if number else "a newer driver"


def _without(gpu: Gpu) -> str:
    older = [first for first in _GENERATIONS if first <= gpu.capability]
    generation = _GENERATIONS[max(older)] if older else "fermi"
    return f"or, without the GPU: --device emulated:{generation}"


def _text(release: Release) -> str:
    return f"{release[0]}.{release[1]}"


def _release(compiler: str) -> Release:
    """Of the compiler; without one, of what `scripts/lab setup` installs."""
    return (nvcc.release(compiler) if compiler else None) or nvcc.FROM_PYPI


def releases_for(gpu: Gpu, driver: Release | None) -> Range:
    """The toolkits that have code for the GPU and that its driver runs."""
    came = [release for first, release in _CAME.items() if _from(first, gpu.capability)]
    dropped = [last for below, last in _DROPPED.items() if gpu.capability < below]
    newest = [*dropped, *([(driver[0], 9)] if driver and driver[0] < 13 else [])]
    return Range(max([nvcc.OLDEST, *came]), min([_NEWEST, *newest]))


def _from(first: Release, capability: Release) -> bool:
    """Whether a release that brought `first` brought `capability`, too: one of its family, not older."""
    return capability >= first and capability[0] == first[0]


def how_to_get(served: Range) -> str:
    """The line that installs a toolkit of these releases on this system."""
    package = "nvidia-cuda-toolkit"
    candidate = _apt_candidate(package)
    if served.holds(candidate):
        return f"install it: sudo apt-get install {package}"
    system, version = _system()
    if (system, version) == ("debian", "13") and served.holds((12, 4)):
        listed = Path("/etc/apt/sources.list.d/debian.sources")
        sources = listed if listed.is_file() else Path("/etc/apt/sources.list")
        enable = f"sudo sed -i 's/ main/ main contrib non-free/' {sources}"
        return f"install it: {enable} && sudo apt-get update && sudo apt-get install {package}"
    if version in _REPOSITORIES.get(system, ()):
        chosen = min(served.newest, (12, 9)) if served.oldest <= (12, 9) else served.oldest
        folder = f"{_REPOSITORY}/{system}{version.replace('.', '')}/{_machine()}"
        return (
            f"install it from NVIDIA's repository: wget {folder}/cuda-keyring_1.1-1_all.deb && "
            "sudo dpkg -i cuda-keyring_1.1-1_all.deb && sudo apt-get update && "
            f"sudo apt-get install cuda-toolkit-{chosen[0]}-{chosen[1]}"
        )
    return f"install it from {_ARCHIVE}"


def _machine() -> str:
    """The machine's architecture as NVIDIA's repositories name it."""
    return {"aarch64": "sbsa"}.get(platform.machine(), platform.machine())


def _system() -> tuple[str, str]:
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return "", ""
    return release.get("ID", ""), release.get("VERSION_ID", "")


def _apt_candidate(package: str) -> Release | None:
    """The release of the distribution's package; None where it has none."""
    try:
        done = subprocess.run(
            ["apt-cache", "policy", package], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"Candidate: (\d+)\.(\d+)", done.stdout)
    return (int(match[1]), int(match[2])) if match else None
