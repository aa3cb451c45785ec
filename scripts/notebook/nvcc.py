"""The CUDA compiler: the machine's where it has one that serves, else one from PyPI in .venv."""

import re
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

# The oldest with C++20 in kernels.
OLDEST = (12, 0)
_RELEASE = re.compile(r"release (\d+)\.(\d+)")
# What the wheels leave out, and linkers look for.
_LINKS = {"lib64": "lib", "lib/libcudart.so": "libcudart.so.13"}


def own_toolkit() -> Path:
    """The toolkit in the Python environment that this runs in, whether it is there or not."""
    return Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13"


def has_older_ptxas() -> bool:
    """Whether `lab setup --all-ptxas` has been here."""
    return (Path(sys.prefix) / "ptxas").is_dir()


def find(folders: list[str]) -> str:
    """The first nvcc of `folders` that serves, or our own; "" without one."""
    for folder in [*folders, str(own_toolkit() / "bin")]:
        path = shutil.which("nvcc", path=folder)
        if path and serves(path):
            return path
    return ""


def serves(nvcc: str) -> bool:
    """Whether this nvcc runs and is new enough."""
    version = release(nvcc)
    return version is not None and version >= OLDEST


@cache
def release(nvcc: str) -> tuple[int, int] | None:
    """The release of CUDA that it belongs to; None when it does not run."""
    try:
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    match = _RELEASE.search(said.stdout)
    return (int(match[1]), int(match[2])) if match else None


def complete() -> None:
    """Adds to our own toolkit what its wheels leave out."""
    release.cache_clear()
    for name, target in _LINKS.items():
        link = own_toolkit() / name
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(target)
