"""The parts of CUDA: which this machine has, where, and what is lost without each."""

import platform
from dataclasses import dataclass
from pathlib import Path

from notebook.tools import gpu_toolkit, gpus_here, nvcc, toolbox

# Below a toolkit, and where Debian has libraries. The executables look at the same places (common/lab).
_FOLDERS = ("lib64", "lib", "targets/{target}/lib", "extras/CUPTI/lib64")
_SYSTEM_FOLDERS = ("/usr/lib/{machine}-linux-gnu", "/usr/local/cuda/lib64")
# NVIDIA's names: servers, and Jetsons since CUDA 13, are sbsa; Jetsons before that are aarch64.
_TARGETS = {"aarch64": ("sbsa-linux", "aarch64-linux")}


@dataclass(frozen=True)
class Part:
    """Something that a machine may have."""

    name: str
    place: str  # "" when it is missing
    advice: str  # what is lost, and what to do; "" when all is well


def parts() -> list[Part]:
    """The compiler, the driver, and what only measurements on a GPU need."""
    compiler = toolbox.find_nvcc()
    return [
        _compiler(compiler),
        Part("CUDA driver", _driver_text(), ""),
        _for_a_gpu(
            "ncu",
            toolbox.find_program("ncu"),
            "lab counters and lab profile measure nothing on a GPU",
        ),
        _for_a_gpu(
            "CUPTI", _library(compiler, "cupti"), "chapter 20 counts no page migrations on a GPU"
        ),
        _for_a_gpu(
            "cuBLAS",
            _library(compiler, "cublas"),
            "matrix products and transposes have no reference on a GPU",
        ),
    ]


def _compiler(compiler: str) -> Part:
    advice = [*toolbox.passed_over(), gpu_toolkit.problem(compiler)]
    if not compiler:
        advice.append("compiles the kernels: scripts/lab setup")
        return Part("nvcc", "", "; ".join(filter(None, advice)))
    is_ours = Path(compiler).is_relative_to(nvcc.own_toolkit())
    kind = "from PyPI" if is_ours else "a CUDA toolkit"
    return Part(
        "nvcc", f"CUDA {nvcc.text(compiler)}, {kind} ({compiler})", "; ".join(filter(None, advice))
    )


def _driver_text() -> str:
    release = gpus_here.driver_release()
    return f"runs CUDA {gpus_here.text_of(release)} and older" if release else ""


def _for_a_gpu(name: str, place: str, lost: str) -> Part:
    return Part(name, place, "" if place else f"without it {lost}")


def _library(compiler: str, name: str) -> str:
    """The first library of that name beside the compiler, or of the system."""
    top = Path(compiler).resolve().parents[1] if compiler else None
    folders = library_folders(top, platform.machine())
    paths = (path for folder in folders for path in sorted(folder.glob(f"lib{name}.so*")))
    return next((str(path) for path in paths), "")


def library_folders(toolkit: Path | None, machine: str) -> list[Path]:
    """Where libraries for this kind of machine (`uname -m`) lie, those of the toolkit first."""
    folders = []
    if toolkit:
        for target in _TARGETS.get(machine, (f"{machine}-linux",)):
            names = (folder.format(target=target) for folder in _FOLDERS)
            folders += [toolkit / name for name in names]
    system = (Path(folder.format(machine=machine)) for folder in _SYSTEM_FOLDERS)
    return list(dict.fromkeys([*folders, *system]))
