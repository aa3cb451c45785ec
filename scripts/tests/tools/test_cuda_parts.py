"""What `lab doctor` says of CUDA's parts, and a driver that is older than the compiler."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import Tree

from notebook.tools import cuda_parts, nvcc

_DRIVER = """
#include <cstdlib>
extern "C" int cuInit(unsigned) {
    const char* error = getenv("TEST_CUDA_ERROR");
    return error ? atoi(error) : 0;
}
extern "C" int cuDeviceGetCount(int* count) { *count = 1; return 0; }
extern "C" int cuGetErrorName(int error, const char** name) {
    if (error != 802) return 1;
    *name = "CUDA_ERROR_SYSTEM_NOT_READY";
    return 0;
}
extern "C" int cuDriverGetVersion(int* version) { *version = VERSION; return 0; }
"""
_NVCC = "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n"


def settings_with_driver(folder: Path, version: int) -> dict[str, str]:
    """A GPU whose driver runs that CUDA, and a toolkit of CUDA 13.0 with cuBLAS alone."""
    library = folder / "driver" / "libcuda.so.1"
    library.parent.mkdir()
    command = ["g++", "-shared", "-fPIC", f"-DVERSION={version}", "-x", "c++", "-", "-o"]
    subprocess.run([*command, str(library)], input=_DRIVER, text=True, check=True)
    compiler = folder / "toolkit" / "bin" / "nvcc"
    compiler.parent.mkdir(parents=True)
    compiler.write_text(_NVCC)
    compiler.chmod(0o755)
    cublas = folder / "toolkit" / "lib64" / "libcublas.so.13"
    cublas.parent.mkdir()
    cublas.touch()
    path = f"{compiler.parent}:{os.environ['PATH']}"
    return {"LD_LIBRARY_PATH": str(library.parent), "PATH": path}


def line(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


def test_doctor_says_what_is_used_and_what_is_lost(tree: Tree, tmp_path: Path) -> None:
    settings = settings_with_driver(tmp_path, 13000)
    said = tree.lab("doctor", **settings).stdout
    assert f"CUDA 13.0, a CUDA toolkit ({tmp_path}/toolkit/bin/nvcc)" in line(said, "nvcc")
    assert line(said, "CUDA driver").endswith("runs CUDA 13.0 and older")
    assert line(said, "cuBLAS").endswith(f"{tmp_path}/toolkit/lib64/libcublas.so.13")
    assert "1 usable" in line(said, "GPU")


def test_what_is_missing_has_its_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_parts, "_SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", settings_with_driver(tmp_path, 13000)["PATH"])
    nvcc.release.cache_clear()
    parts = {part.name: part for part in cuda_parts.parts()}
    assert parts["CUPTI"].advice == "without it chapter 20 counts no page migrations on a GPU"
    assert parts["cuBLAS"].advice == ""


def test_a_driver_older_than_the_compiler_is_named_before_anything_is_built(
    tree: Tree, tmp_path: Path
) -> None:
    settings = settings_with_driver(tmp_path, 12080)
    done = tree.lab("run", "02", "--device", "gpu", **settings)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == (
        "lab: error: the driver runs CUDA 12.8, nvcc is of 13.0: install a driver of release 580 "
        "or later, or a toolkit of CUDA 12 before the other on PATH"
    )
    assert not (tree.root / "build" / "build.ninja").exists()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (802, "fails, CUDA_ERROR_SYSTEM_NOT_READY (802)"),
        (999, "fails, error (999)"),
        (100, "finds none"),
    ],
)
def test_a_driver_that_fails_is_named(tree: Tree, tmp_path: Path, error: int, said: str) -> None:
    settings = settings_with_driver(tmp_path, 13000) | {"TEST_CUDA_ERROR": str(error)}
    done = tree.lab("run", "02", "--device", "gpu", **settings)
    assert done.returncode == 3
    (line_said,) = done.stderr.splitlines()
    assert line_said == f"lab: error: no GPU: the CUDA driver {said}; use --device emulated:ARCH"
    gpu = line(tree.lab("doctor", **settings).stdout, "GPU")
    assert (said.removeprefix("fails, ") in gpu) == said.startswith("fails")


def test_libraries_are_those_of_the_machine() -> None:
    arm = list(map(str, cuda_parts.library_folders(Path("/opt/cuda"), "aarch64")))
    assert "/opt/cuda/targets/sbsa-linux/lib" in arm
    assert "/opt/cuda/targets/aarch64-linux/lib" in arm
    assert "/usr/lib/aarch64-linux-gnu" in arm
    assert not any("x86" in folder for folder in arm)
    intel = list(map(str, cuda_parts.library_folders(None, "x86_64")))
    assert intel == ["/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/lib64"]
