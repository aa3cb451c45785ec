"""A chapter's executable chooses its CUDA runtime when it starts: NVIDIA's, or the emulated GPU's."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.data.chapters import find_chapters
from notebook.data.devices import count_gpus
from notebook.tools import build

PROJECT = Project.here()
EXECUTABLE = PROJECT.build / find_chapters(PROJECT, ["02"])[0].target
LIST = "--benchmark_list_tests=true"
RESTARTED = "LAB_EMULATED_RUNTIME_CHOSEN"

pytestmark = pytest.mark.skipif(
    not (EXECUTABLE.is_file() and (PROJECT.build / build.emulated_runtime()).is_file()),
    reason="the emulated GPU is not built here",
)


def run(executable: Path, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [executable, *flags],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_architecture_is_emulated_whatever_the_machine_has() -> None:
    done = run(EXECUTABLE, "--architecture=fermi", LIST)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    # The largest size is for GPUs alone.
    assert "n:1048576" in done.stdout and "n:67108864" not in done.stdout


@pytest.mark.skipif(count_gpus() > 0, reason="there is a GPU")
def test_without_a_gpu_one_is_emulated_and_said_so() -> None:
    done = run(EXECUTABLE, LIST)
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("[lab] no GPU here") and "--architecture=" in line


def test_an_unknown_architecture_is_refused_in_one_line() -> None:
    done = run(EXECUTABLE, "--architecture=fermy", LIST)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "fermy" in line and "hopper" in line


def test_a_limited_address_space_is_no_lost_gpu() -> None:
    """The emulated GPU reserves the range of its memory at the first allocation."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))

    row = "--benchmark_filter=^read_offset/offset:11/block:512/n:1048576/cache:cold$"
    done = subprocess.run(
        [EXECUTABLE, "--architecture=fermi", row],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "ulimit -v unlimited" in done.stderr
    assert done.stderr.splitlines()[-1].endswith("; the emulated GPU says why above")
    assert "lost" not in done.stderr and "nvidia-smi" not in done.stderr


def test_without_the_library_it_says_how_to_build_it(tmp_path: Path) -> None:
    alone = Path(shutil.copy(EXECUTABLE, tmp_path))
    done = run(alone, "--architecture=fermi", LIST)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert build.emulated_runtime() in line and "ninja -C build" in line


def test_a_library_that_does_not_load_is_no_endless_loop() -> None:
    """As after a restart that has brought NVIDIA's runtime again."""
    done = run(EXECUTABLE, "--architecture=fermi", LIST, **{RESTARTED: "1"})
    assert done.returncode == 3
    name = Path(build.emulated_runtime()).name
    assert done.stderr.splitlines()[-1].startswith(f"error: the emulated GPU's {name}")
