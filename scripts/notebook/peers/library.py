"""Compiles a chapter's peers.cu to a shared library and calls its functions with tensors."""

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notebook.base.errors import Problem


def compile_library(
    nvcc: str, source: Path, target: Path, compute_capability: str, checkouts: Path | None
) -> None:
    """Compiles `source` for the GPU to the library `target`, with what it finds in `checkouts`."""
    architecture = "sm_" + compute_capability.replace(".", "")
    includes = [f"-I{checkouts}", f"-I{checkouts}/cuda-samples/Common"] if checkouts else []
    command = [nvcc, "-O3", "-std=c++20", f"-arch={architecture}", "-shared", "-Xcompiler=-fPIC"]
    command += ["--extended-lambda", "-w", *includes, str(source), "-lcublas", "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{source} does not compile:\n{done.stderr[-2000:]}")


def has(library: ctypes.CDLL, name: str) -> bool:
    """Whether the library was compiled with the sources of this function."""
    return hasattr(library, name)


def function(library: ctypes.CDLL, name: str) -> Callable[..., None]:
    """The function `name`, called with tensors (their addresses) and sizes."""
    symbol = library[name]
    symbol.restype = ctypes.c_int

    def call(*arguments: Any) -> None:
        status = symbol(*(_as_c(argument) for argument in arguments))
        if status != 0:
            raise Problem(f"{name} failed with status {status}")

    return call


def _as_c(argument: Any) -> ctypes.c_void_p | ctypes.c_size_t:
    if isinstance(argument, int):
        return ctypes.c_size_t(argument)
    return ctypes.c_void_p(argument.data_ptr())
