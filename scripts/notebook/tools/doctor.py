"""`lab doctor`: what is there, what is missing, and what to do about it. Changes nothing."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from notebook.base.errors import MISSING
from notebook.base.text import terminal_table
from notebook.data import devices
from notebook.tools import cuda_parts, gpu_toolkit, gpus_here, toolbox

_PYTHON_PACKAGES = ("meson", "ninja", "numpy", "scipy", "jsonschema-rs", "pytest")


def doctor() -> int:
    """Prints the table; returns 0 when everything that a run needs is there."""
    rows = [["Python", f"{platform.python_version()} ({sys.executable})", ""]]
    rows += [_python_package(name) for name in _PYTHON_PACKAGES]
    rows += [_package(package) for package in toolbox.PACKAGES]
    rows += [[part.name, part.place or "missing", part.advice] for part in cuda_parts.parts()]
    rows.append(_gpu())
    print("\n".join(terminal_table(["what", "found", "note"], rows)))
    compiler = toolbox.find_nvcc()
    has_gpu = devices.count_gpus() > 0 or bool(gpus_here.gpus())
    fits = compiler and not (has_gpu and gpu_toolkit.problem(compiler))
    return 0 if fits and not toolbox.missing(toolbox.FOR_EVERY_RUN) else MISSING


def _python_package(name: str) -> list[str]:
    try:
        return [name, version(name), ""]
    except PackageNotFoundError:
        return [name, "missing", "scripts/lab setup"]


def _package(package: toolbox.Package) -> list[str]:
    text = package.find()
    if text.startswith("/"):
        text = f"{toolbox.first_line(text, '--version')} ({text})"
    fix = "" if text else f"{package.why}: scripts/lab setup"
    return [package.apt, text or "missing", fix]


def _gpu() -> list[str]:
    if count := devices.count_gpus():
        return ["GPU", f"{count} usable: {', '.join(map(str, gpus_here.gpus()))}".rstrip(": "), ""]
    if gpus := gpus_here.gpus():
        return ["GPU", ", ".join(map(str, gpus)), "the driver's library libcuda.so.1 is not found"]
    if failure := devices.driver_failure():
        return [
            "GPU",
            "none",
            f"the driver fails, {failure}: nvidia-smi, and Xid in dmesg, say more",
        ]
    return ["GPU", "none", "nothing: without one, chapters run on emulated GPUs"]
