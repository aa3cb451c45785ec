"""A GPU that is lost, full, busy or faulty, at any CUDA call of a chapter: one line says so, no result is written.

Faults are injected by faults/cuda_fault.c between a chapter's executable and the emulated runtime.
"""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import preloaded

from notebook.base.project import Project
from notebook.data.chapters import find_chapters
from notebook.tools import build

PROJECT = Project.here()
EXECUTABLE = PROJECT.build / find_chapters(PROJECT, ["02"])[0].target
SOURCE = Path(__file__).parent / "faults" / "cuda_fault.c"
# By cudaError_t.
FAULTS = {
    2: ("cudaErrorMemoryAllocation", "nvidia-smi shows what else holds the GPU's memory"),
    46: (
        "cudaErrorDevicesUnavailable",
        "another program has the GPU, or its mode forbids computing",
    ),
    214: ("cudaErrorECCUncorrectable", "the GPU may be lost"),
    719: ("cudaErrorLaunchFailure", ""),
    802: ("cudaErrorSystemNotReady", "systemctl status nvidia-fabricmanager"),
    803: ("cudaErrorSystemDriverMismatch", "restart the machine"),
    999: ("cudaErrorUnknown", "the GPU may be lost"),
}
ROW = "--benchmark_filter=read_offset/offset:11/block:512/n:1048576/cache:cold"
MAX_CALLS = 100_000

pytestmark = pytest.mark.skipif(
    not (EXECUTABLE.is_file() and (PROJECT.build / build.emulated_runtime()).is_file()),
    reason="the emulated GPU is not built here",
)


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return preloaded(SOURCE, tmp_path_factory.mktemp("shim"))


@pytest.mark.parametrize("code", FAULTS)
def test_one_line_wherever_it_happens(shim: Path, tmp_path: Path, code: int) -> None:
    name, remedy = FAULTS[code]
    written = tmp_path / "rows.json"
    at, failed = 1, 0
    while at < MAX_CALLS:
        fault = {"CUDA_FAULT_AT": str(at), "CUDA_FAULT_CODE": str(code)}
        done = subprocess.run(
            [EXECUTABLE, "--architecture=hopper", "--no-caches", ROW, f"--benchmark_out={written}"],
            env=os.environ | {"LD_PRELOAD": str(shim)} | fault,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode == 0:
            break
        failed += 1
        *progress, error = done.stderr.splitlines()
        assert done.returncode == 1, done.stderr
        assert error.startswith("error: ") and name in error and remedy in error
        assert all(line.startswith("[lab] ") for line in progress), done.stderr
        assert not written.exists() or not written.read_bytes(), at
        at += 1 + at // 4
    assert failed >= 3 and at < MAX_CALLS and written.stat().st_size > 0
