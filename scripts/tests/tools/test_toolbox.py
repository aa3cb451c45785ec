"""What is missing is installed or named, all of it at once; other installers are waited for."""

import os
import time
from pathlib import Path

import pytest
from conftest import Tree
from test_command_line import error_of

from notebook.base import lock
from notebook.tools import gpus_here, nvcc, toolbox

LOCKED = """#!/bin/sh
echo "$@" >>"{folder}/calls"
if [ ! -e "{folder}/tried" ]; then
    touch "{folder}/tried"
    echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)'
    exit 100
fi
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def test_apts_lock_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "apt-get", LOCKED.format(folder=tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(toolbox, "_SECONDS_BETWEEN_TRIES", 0)
    said: list[str] = []
    assert toolbox._apt(["env"], ["g++"], said.append) == ""
    assert "another apt is installing on this machine: waiting for it" in said
    calls = (tmp_path / "calls").read_text().splitlines()
    assert ["update" in call for call in calls] == [True, True, False]
    assert calls[2].endswith("install g++")


def test_another_error_of_apt_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "apt-get", "#!/bin/sh\necho 'E: Unable to locate package g++'; exit 100\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert toolbox._apt(["env"], ["g++"], lambda _: None) == "E: Unable to locate package g++"


@pytest.mark.parametrize("words", [("run", "--device", "emulated:hopper"), ("emulate", "a.cu")])
def test_the_last_line_names_all_that_is_missing(words: tuple[str, ...], tree: Tree) -> None:
    (tree.root / "a.cu").touch()
    done = tree.lab(*words, PATH="/nonexistent")
    assert done.returncode == 3
    for package in ("pkg-config", "g++", "libbenchmark-dev", "gnuplot-nox"):
        assert package in error_of(done)


NVCC = "#!/bin/sh\necho 'Cuda compilation tools, release {release}, V{release}.1'\n"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where setup puts nvcc; nothing else has one."""
    monkeypatch.setattr(nvcc, "own_toolkit", lambda: tmp_path / "own")
    monkeypatch.setattr(toolbox, "_CUDA", str(tmp_path / "cuda"))
    monkeypatch.setenv("PATH", str(tmp_path / "user"))
    monkeypatch.setattr(toolbox, "_OTHER_CUDAS", str(tmp_path / "cuda-*"))
    monkeypatch.setattr(nvcc, "_kept", lambda: None)
    forget()
    return tmp_path / "own" / "bin" / "nvcc"


def forget() -> None:
    """What was found out about compilers, which a test changes."""
    for found in (nvcc.release, nvcc.why_not, nvcc.targets):
        found.cache_clear()


def found_by_children() -> str:
    return toolbox.find_program("nvcc")


def test_the_machines_nvcc_comes_first(tmp_path: Path, own: Path) -> None:
    assert toolbox.find_nvcc() == ""
    program(own, NVCC.format(release="13.0"))
    assert toolbox.find_nvcc() == found_by_children() == str(own)
    program(tmp_path / "cuda" / "nvcc", NVCC.format(release="12.4"))
    assert toolbox.find_nvcc() == found_by_children() == str(tmp_path / "cuda" / "nvcc")
    program(tmp_path / "user" / "nvcc", NVCC.format(release="13.1"))
    assert toolbox.find_nvcc() == found_by_children() == str(tmp_path / "user" / "nvcc")


def test_of_several_releases_the_newest_comes_first(tmp_path: Path, own: Path) -> None:
    for release in ("12.9", "12.10", "12.4"):
        program(tmp_path / f"cuda-{release}" / "nvcc", NVCC.format(release=release))
    assert toolbox.find_nvcc() == str(tmp_path / "cuda-12.10" / "nvcc")


# Stand-ins: the distribution's of Debian 12, one that lacks its libraries, one for another g++, and none at all.
_LACKS_A_LIBRARY = """#!/bin/sh
case $1 in --version) echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit;; esac
echo '/usr/bin/ld: cannot find -lcudart' >&2; exit 1
"""
_REFUSES_THE_COMPILER = """#!/bin/sh
case $1 in --version) echo 'Cuda compilation tools, release 12.4, V12.4.131'; exit;; esac
echo 'error: #error -- unsupported GNU version! gcc versions later than 13 are not supported!' >&2; exit 1
"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (NVCC.format(release="11.8"), "it is CUDA 11.8; 12.4 or newer is needed"),
        (NVCC.format(release="12.3"), "it is CUDA 12.3; 12.4 or newer is needed"),
        (_LACKS_A_LIBRARY, "it cannot build a program of ten lines: /usr/bin/ld: cannot find"),
        (_REFUSES_THE_COMPILER, "gcc versions later than 13 are not supported"),
        ("#!/bin/sh\nexit 1\n", "it does not run"),
        ("#!/bin/sh\n", "it does not run"),
    ],
)
def test_an_nvcc_that_does_not_serve_is_passed_over(
    tmp_path: Path, own: Path, text: str, why: str
) -> None:
    program(tmp_path / "user" / "nvcc", text)
    assert toolbox.find_nvcc() == ""
    program(own, NVCC.format(release="13.0"))
    forget()
    # Meson takes the first that it finds.
    assert toolbox.find_nvcc() == found_by_children() == str(own)
    (line,) = toolbox.passed_over()
    assert line.startswith(f"{tmp_path / 'user' / 'nvcc'} is not used: ") and why in line


def test_what_the_probe_found_is_kept(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nvcc, "_kept", lambda: tmp_path / "kept.json")
    calls = tmp_path / "calls"
    program(own, NVCC.format(release="13.0") + f'echo "$@" >>{calls}\n')
    for _ in range(2):
        assert toolbox.find_nvcc() == str(own)
        forget()
    assert calls.read_text().count("probe.cu") == 1
    program(own, NVCC.format(release="12.9") + f'echo "$@" >>{calls}\n')  # installed again
    assert toolbox.find_nvcc() == str(own)
    assert calls.read_text().count("probe.cu") == 2
    (tmp_path / "kept.json").write_text("[[[")
    forget()
    assert toolbox.find_nvcc() == str(own)


def test_an_nvcc_that_fits_the_gpu_comes_before_one_that_does_not(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NVIDIA's packages: /usr/local/cuda is the newest of several."""
    program(tmp_path / "cuda" / "nvcc", NVCC.format(release="13.0"))
    program(tmp_path / "cuda-12.9" / "nvcc", NVCC.format(release="12.9"))
    assert toolbox.find_nvcc() == str(tmp_path / "cuda" / "nvcc")
    old = gpus_here.Gpu("NVIDIA GeForce GTX 1080", (6, 1))
    monkeypatch.setattr(gpus_here, "gpus", lambda: (old,))
    assert toolbox.find_nvcc() == found_by_children() == str(tmp_path / "cuda-12.9" / "nvcc")


def test_our_own_nvcc_gets_the_names_that_linkers_look_for(own: Path) -> None:
    library = own.parents[1] / "lib" / "libcudart.so.13"
    library.parent.mkdir(parents=True)
    library.write_text("library")
    nvcc.complete()
    nvcc.complete()
    assert (own.parents[1] / "lib64" / "libcudart.so").read_text() == "library"


def test_one_waits_for_the_other(tmp_path: Path) -> None:
    said: list[str] = []
    with lock.held(tmp_path, said.append):
        child = os.fork()
        if child == 0:
            with lock.held(tmp_path, lambda _: (tmp_path / "waits").touch()):
                (tmp_path / "got it").touch()
            os._exit(0)
        while not (tmp_path / "waits").exists():
            time.sleep(0.01)
        assert not (tmp_path / "got it").exists()
    os.waitpid(child, 0)
    assert (tmp_path / "got it").exists() and said == []
