"""Where Meson finds the parts of a toolkit, however it is laid out: stand-ins for nvcc say what the real ones do."""

import subprocess
import sys
from pathlib import Path

import pytest
from test_toolbox import program

SCRIPT = Path(__file__).resolve().parents[2] / "cuda_toolkit.py"
# -M lists what a file includes, --dryrun what nvcc would do.
NVCC = """#!/bin/sh
case $* in
*" -M "* | "-M "*) echo 'null.o : /usr/include/stdc-predef.h {headers}/cuda_runtime.h' ;;
*--dryrun*) cat >&2 <<'END'
{said}
END
;;
esac
"""


def parts(folder: Path, headers: str, said: str, *options: str) -> subprocess.CompletedProcess[str]:
    nvcc = folder / "bin" / "nvcc"
    program(nvcc, NVCC.format(headers=headers, said=said))
    command = [sys.executable, str(SCRIPT), *options, str(nvcc)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def library(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_the_distributions_toolkit_names_no_top(tmp_path: Path) -> None:
    """Debian's nvcc.profile: headers where every compiler looks, libraries by machine."""
    runtime = library(tmp_path / "usr" / "lib" / "x86_64-linux-gnu" / "libcudart.so.12")
    said = f"#$ _HERE_=/usr/lib/nvidia-cuda-toolkit/bin\n#$ LIBRARIES=  -L{runtime.parent}/stubs -L{runtime.parent}"
    done = parts(tmp_path, "/usr/include", said)
    assert done.stdout.splitlines() == ["", str(runtime)], done.stderr


@pytest.mark.parametrize("name", ["libcudart.so.12", "libcudart.so.13"])
def test_nvidias_toolkit_at_a_path_with_a_blank(tmp_path: Path, name: str) -> None:
    top = tmp_path / "cuda toolkit"
    runtime = library(top / "lib64" / name)
    (top / "include").mkdir()
    said = f'#$ TOP={top}\n#$ LIBRARIES=  "-L{top}/lib64/stubs" "-L{top}/lib64"'
    headers = str(top / "include").replace(" ", "\\ ")
    done = parts(tmp_path, headers, said)
    assert done.stdout.splitlines() == [str(top / "include"), str(runtime)], done.stderr


def test_pypis_toolkit_has_no_lib64(tmp_path: Path) -> None:
    top = tmp_path / "nvidia" / "cu13"
    runtime = library(top / "lib" / "libcudart.so.13")
    done = parts(tmp_path, str(top / "include"), f"#$ TOP={top}")
    assert done.stdout.splitlines()[1] == str(runtime), done.stderr


def test_the_runtime_of_another_machine(tmp_path: Path) -> None:
    top = tmp_path / "cuda"
    library(top / "lib64" / "libcudart.so.13")
    runtime = library(top / "targets" / "sbsa-linux" / "lib" / "libcudart.so.13")
    said = f"#$ TOP={top}\n#$ LIBRARIES= -L{top}/lib64"
    done = parts(tmp_path, str(top / "include"), said, "--targets", "sbsa-linux,aarch64-linux")
    assert done.stdout.splitlines()[1] == str(runtime), done.stderr


def test_a_toolkit_without_its_runtime_is_named(tmp_path: Path) -> None:
    done = parts(tmp_path, "/usr/include", "#$ LIBRARIES= -L/nonexistent")
    assert done.returncode != 0
    assert done.stderr.rstrip().endswith("its toolkit has no libcudart.so.13 or libcudart.so.12")
