"""A GPU, its driver and the CUDA compiler that do not fit: what is said is enough to go on."""

from pathlib import Path

import pytest
from conftest import Tree
from test_command_line import error_of
from test_toolbox import program

import gpu_targets
from notebook.tools import gpu_toolkit, gpus_here, nvcc
from notebook.tools.gpu_toolkit import Range
from notebook.tools.gpus_here import Gpu

NVCC_13 = "/opt/cuda-13/bin/nvcc"
# As `nvcc --list-gpu-code` of CUDA 13.0 and of 12.4 have it.
CODE_13 = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}
CODE_12_4 = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}
PASCAL = Gpu("NVIDIA GeForce GTX 1080", (6, 1))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An nvcc of CUDA 13.0 and a driver that runs it."""
    releases = {NVCC_13: (13, 0), "nvcc-12.4": (12, 4)}
    codes = {NVCC_13: CODE_13, "nvcc-12.4": CODE_12_4}
    monkeypatch.setattr(nvcc, "release", releases.get)
    monkeypatch.setattr(nvcc, "targets", lambda path: frozenset(codes[path]))
    monkeypatch.setattr(gpus_here, "driver_release", lambda: (13, 0))
    monkeypatch.setattr(gpu_toolkit, "_apt_candidate", lambda package: None)
    monkeypatch.setattr(gpu_toolkit, "_system", lambda: ("", ""))
    return monkeypatch


def has(machine: pytest.MonkeyPatch, gpu: Gpu, driver: tuple[int, int] | None = (13, 0)) -> None:
    machine.setattr(gpus_here, "gpus", lambda: (gpu,))
    machine.setattr(gpus_here, "driver_release", lambda: driver)


# The first and the last release with code for each compute capability, by the release notes of CUDA.
@pytest.mark.parametrize(
    ("capability", "oldest", "newest"),
    [
        ((5, 2), (12, 4), (12, 9)),
        ((6, 1), (12, 4), (12, 9)),
        ((7, 0), (12, 4), (12, 9)),
        ((7, 5), (12, 4), (99, 9)),
        ((8, 6), (12, 4), (99, 9)),
        ((9, 0), (12, 4), (99, 9)),
        ((10, 0), (12, 8), (99, 9)),
        ((10, 3), (12, 9), (99, 9)),
        ((11, 0), (13, 0), (99, 9)),
        ((12, 0), (12, 8), (99, 9)),
        ((12, 1), (12, 9), (99, 9)),
    ],
)
def test_releases_by_compute_capability(
    capability: tuple[int, int], oldest: tuple[int, int], newest: tuple[int, int]
) -> None:
    assert gpu_toolkit.releases_for(Gpu("GPU", capability), None) == Range(oldest, newest)


@pytest.mark.parametrize("driver", [(13, 0), (13, 2), (14, 0), None])
def test_a_driver_of_the_same_major_release_or_later_serves(
    machine: pytest.MonkeyPatch, driver: tuple[int, int] | None
) -> None:
    has(machine, Gpu("NVIDIA H200", (9, 0)), driver)
    assert gpu_toolkit.fits(NVCC_13) and gpu_toolkit.problem(NVCC_13) == ""


@pytest.mark.parametrize(
    ("system", "candidate", "remedy"),
    [
        (("debian", "13"), (12, 4), "install it: sudo apt-get install nvidia-cuda-toolkit;"),
        (("debian", "13"), None, "sudo sed -i 's/ main/ main contrib non-free/' /etc/apt/sources"),
        (("debian", "12"), (11, 8), "/repos/debian12/x86_64/cuda-keyring_1.1-1_all.deb"),
        (("ubuntu", "24.04"), (12, 0), "/repos/ubuntu2404/x86_64/cuda-keyring_1.1-1_all.deb"),
        (("arch", ""), None, "https://developer.nvidia.com/cuda-toolkit-archive"),
    ],
)
def test_a_pascal_gpu_with_cuda_13(
    machine: pytest.MonkeyPatch,
    system: tuple[str, str],
    candidate: tuple[int, int] | None,
    remedy: str,
) -> None:
    has(machine, PASCAL)
    machine.setattr(gpu_toolkit, "_system", lambda: system)
    machine.setattr(gpu_toolkit, "_apt_candidate", lambda package: candidate)
    machine.setattr(gpu_toolkit.platform, "machine", lambda: "x86_64")
    said = gpu_toolkit.problem(NVCC_13)
    assert said.startswith(
        "NVIDIA GeForce GTX 1080 (compute capability 6.1) needs a toolkit of CUDA 12.4 to 12.9;"
    )
    assert "nvcc is of 13.0" in said and remedy in said
    assert said.endswith("or, without the GPU: --device emulated:pascal")
    if "cuda-keyring" in remedy:
        assert said.count("sudo apt-get install cuda-toolkit-12-9") == 1
    assert gpu_toolkit.problem("nvcc-12.4") == ""


@pytest.mark.parametrize(
    ("gpu", "driver", "words"),
    [
        (Gpu("Tesla K80", (3, 7)), (11, 4), "has code in CUDA 11.8 and older alone"),
        (
            Gpu("NVIDIA H200", (9, 0)),
            (12, 4),
            "a driver of release 580 or later, or a toolkit of CUDA 12.4 to 12.9",
        ),
        (
            Gpu("NVIDIA B200", (10, 0)),
            (11, 4),
            "needs CUDA 12.8 or later; the driver runs CUDA 11.4",
        ),
    ],
)
def test_a_gpu_or_a_driver_that_no_toolkit_here_serves(
    machine: pytest.MonkeyPatch, gpu: Gpu, driver: tuple[int, int], words: str
) -> None:
    has(machine, gpu, driver)
    assert words in gpu_toolkit.problem(NVCC_13)


def test_a_gpu_that_came_after_the_toolkit(machine: pytest.MonkeyPatch) -> None:
    has(machine, Gpu("NVIDIA GeForce RTX 5090", (12, 0)))
    assert "needs a toolkit of CUDA 12.8 or later; nvcc is of 12.4" in gpu_toolkit.problem(
        "nvcc-12.4"
    )


def test_without_nvcc_the_one_that_setup_installs_is_judged(machine: pytest.MonkeyPatch) -> None:
    has(machine, PASCAL)
    assert "needs a toolkit of CUDA 12.4 to 12.9" in gpu_toolkit.problem("")


SMI = """#!/bin/sh
case $* in
*driver_version*) echo 581.42 ;;
*) echo 'NVIDIA GeForce GTX 1080, 6.1' ;;
esac
"""
NVCC = "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n"


def test_the_owner_of_a_gtx_1080_is_told_before_anything_is_built(
    tree: Tree, tmp_path: Path
) -> None:
    program(tmp_path / "bin" / "nvidia-smi", SMI)
    program(tmp_path / "bin" / "nvcc", NVCC)
    path = str(tmp_path / "bin")  # the machine may have an nvcc that fits
    done = tree.lab("run", "02", PATH=path)
    assert done.returncode == 3
    line = error_of(done)
    for words in ("GTX 1080", "6.1", "CUDA 12.4 to 12.9", "--device emulated:pascal", "install"):
        assert words in line
    assert not (tree.root / "build" / "build.ninja").exists()
    # nvidia-smi says which driver it is: 581 runs all releases of CUDA 13.
    assert "runs CUDA 13 and older" in tree.lab("doctor", PATH=path).stdout
    assert "needs a toolkit of CUDA 12.4 to 12.9" in tree.lab("doctor", PATH=path).stdout


def test_what_meson_is_to_compile_for_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus_here, "gpus", lambda: (PASCAL, Gpu("NVIDIA H200", (9, 0))))
    assert gpu_targets.targets(["80", "native", "90a", "90"]) == ["80", "61", "90", "90a"]
    assert gpu_targets.targets([]) == []
    for wrong in ("hopper", "9.0", "9", "sm_90", "1000", ""):
        with pytest.raises(ValueError, match="is no compute capability; expected numbers like"):
            gpu_targets.targets([wrong])
