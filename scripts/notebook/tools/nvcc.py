"""The CUDA compiler: the machine's where it has one that serves, else one from PyPI in .venv."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

from notebook.base.text import plain

# CUDA 12.3 and older cannot compile the harness, or have a runtime that the emulated one does not replace.
OLDEST = (12, 4)
# The packages that requirements/nvcc.txt pins.
FROM_PYPI = (13, 0)
_RELEASE = re.compile(r"release (\d+)\.(\d+)")
_CODE = re.compile(r"sm_(\d+)\b")
_REASON = re.compile(r"error|fatal|cannot find|not found", re.IGNORECASE)
# Links that the wheels leave out, and linkers look for.
_LINKS = {"lib64": "lib", "lib/libcudart.so": "libcudart.so.13"}
# Needs every part that the notebook needs: the compiler of C++20, its headers and libraries, ptxas, the runtime.
_PROBE = """#include <cuda_runtime.h>
#include <concepts>
#include <cstdlib>
__global__ void probe(float* values) { values[threadIdx.x] = 1; }
int main() { probe<<<1, 32>>>(nullptr); return std::same_as<int, int> ? EXIT_SUCCESS : 1; }
"""
_SECONDS_FOR_THE_PROBE = 120
_SECONDS_TO_ANSWER = 20
# Beside the compiler's own file, these may change the outcome of the probe.
_SETTINGS = ("NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")


def own_toolkit() -> Path:
    """The toolkit in the Python environment that this runs in, whether it is there or not."""
    return Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13"


def has_older_ptxas() -> bool:
    """Whether `lab setup --all-ptxas` has been here."""
    return (Path(sys.prefix) / "ptxas").is_dir()


def installed(folders: list[str]) -> list[str]:
    """Every nvcc of `folders`, in their order, then our own: whether they serve or not. Links to one are one."""
    paths = (shutil.which("nvcc", path=folder) for folder in [*folders, str(own_toolkit() / "bin")])
    by_file: dict[str, str] = {}
    for path in filter(None, paths):
        by_file.setdefault(os.path.realpath(path), path)
    return list(by_file.values())


def serves(nvcc: str) -> bool:
    return why_not(nvcc) == ""


@cache
def why_not(nvcc: str) -> str:
    """Why the notebook cannot be built with this nvcc; "" where it can."""
    version = release(nvcc)
    if version is None:
        return f"it does not run, or says nothing for {_SECONDS_TO_ANSWER} s"
    if version < OLDEST:
        oldest, own = (f"{major}.{minor}" for major, minor in (OLDEST, version))
        return f"it is CUDA {own}; {oldest} or newer is needed"
    return _probed(nvcc)


@cache
def release(nvcc: str) -> tuple[int, int] | None:
    """The release of CUDA that it belongs to; None when it does not run."""
    match = _RELEASE.search(_output(nvcc, "--version"))
    return (int(match[1]), int(match[2])) if match else None


def text(nvcc: str) -> str:
    """The release for a message: "12.4"; without an nvcc, of the one that `scripts/lab setup` installs."""
    version = release(nvcc) if nvcc else FROM_PYPI
    return f"{version[0]}.{version[1]}" if version else "unknown"


@cache
def targets(nvcc: str) -> frozenset[int]:
    """The compute capabilities that it makes machine code for, 61 for 6.1; empty where it does not say."""
    return frozenset(map(int, _CODE.findall(_output(nvcc, "--list-gpu-code"))))


def complete() -> None:
    """Adds to our own toolkit what its wheels leave out."""
    release.cache_clear()
    why_not.cache_clear()
    for name, target in _LINKS.items():
        link = own_toolkit() / name
        if not link.exists():
            link.unlink(missing_ok=True)
            link.symlink_to(target)


def _output(nvcc: str, *arguments: str) -> str:
    try:
        done = subprocess.run(
            [nvcc, *arguments], capture_output=True, text=True, timeout=_SECONDS_TO_ANSWER
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def _probed(nvcc: str) -> str:
    """What the probe finds; "" at once where this nvcc passed it before: it takes seconds."""
    found = _read_kept()
    key = _identity(nvcc)
    if key in found:
        return ""
    # A failure may be repaired outside of nvcc: only success is kept.
    if not (reason := _probe(nvcc)):
        _write_kept([*found, key])
    return reason


def _probe(nvcc: str) -> str:
    """Compiles a program and links it with either runtime: Meson tries the static one, chapters have the other."""
    with tempfile.TemporaryDirectory(prefix="lab-nvcc-") as folder:
        source, made = f"{folder}/probe.cu", f"{folder}/probe.o"
        Path(source).write_text(_PROBE, encoding="utf-8")
        for command in (
            [nvcc, "-std=c++20", "-c", source, "-o", made],
            *(
                [nvcc, "-cudart", kind, made, "-o", f"{folder}/probe"]
                for kind in ("static", "shared")
            ),
        ):
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=_SECONDS_FOR_THE_PROBE
                )
            except (OSError, subprocess.SubprocessError) as error:
                return f"it does not run ({plain(str(error))})"
            if done.returncode != 0:
                return (
                    f"it cannot build a program of ten lines: {_reason(done.stderr + done.stdout)}"
                )
    return ""


def _reason(said: str) -> str:
    """The first line that says what is wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return plain(next(filter(_REASON.search, lines), lines[0] if lines else "it says nothing"))


def _identity(nvcc: str) -> str:
    """Names the compiler, the host's compiler and the settings by which the probe came out as it did."""
    parts = [f"{name}={os.environ.get(name, '')}" for name in _SETTINGS]
    for path in filter(None, (nvcc, shutil.which("g++"))):
        status = os.stat(path)
        parts.append(f"{os.path.realpath(path)} {status.st_size} {status.st_mtime_ns}")
    return "; ".join([nvcc, *parts])


def _kept() -> Path | None:
    """Where outcomes are kept; None in a Python that is no environment of its own."""
    return Path(sys.prefix) / "lab-nvcc.json" if sys.prefix != sys.base_prefix else None


def _read_kept() -> list[object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if (path := _kept()) else []
    except (OSError, ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _write_kept(found: list[object]) -> None:
    if path := _kept():
        temporary = path.with_suffix(f".{os.getpid()}")
        try:
            temporary.write_text(json.dumps(found), encoding="utf-8")
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
