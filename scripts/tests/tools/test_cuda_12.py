"""CUDA 12: the emulated runtime compiles with its headers, and chapters have code for GPUs before Turing.

The headers come from PyPI, 3 MB a release; the code is built where a toolkit of CUDA 12.4 to 12.9 is installed.
"""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.tools import nvcc, testing, toolbox

PROJECT = Project.here()
RUNTIME = PROJECT.root / "common" / "emulator" / "runtime"
# The newest of each release. The first is compiled in every run.
HEADERS = {
    "12.4": "12.4.127",
    "12.5": "12.5.82",
    "12.6": "12.6.77",
    "12.8": "12.8.90",
    "12.9": "12.9.79",
}
OLDEST = next(iter(HEADERS))
NIGHTLY = testing.NIGHTLY in os.environ
_CXX_LINKAGE = re.compile(r" T (cuda[A-Z]\w*\(.*)")


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a folder of headers for each release, as far as PyPI can be reached."""
    folder = tmp_path_factory.mktemp("headers")
    for release, version in HEADERS.items() if NIGHTLY else [(OLDEST, HEADERS[OLDEST])]:
        package = f"nvidia-cuda-runtime-cu12=={version}"
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--retries",
            "1",
        ]
        done = subprocess.run([*command, "-d", folder / "wheels" / release, package], check=False)
        for wheel in (folder / "wheels" / release).glob("*.whl"):
            zipfile.ZipFile(wheel).extractall(folder / release)
        if done.returncode:
            break
    return folder


@pytest.mark.parametrize(
    "release",
    [
        pytest.param(name, marks=[] if name == OLDEST or NIGHTLY else pytest.mark.skip("nightly"))
        for name in HEADERS
    ],
)
def test_the_emulated_runtime_compiles_with_the_headers(
    headers: Path, release: str, tmp_path: Path
) -> None:
    include = headers / release / "nvidia" / "cuda_runtime" / "include"
    if not include.is_dir():
        pytest.skip(f"the headers of CUDA {release} cannot be had from PyPI here")
    (tmp_path / "tables_hash.inc").write_text('constexpr const char* tables_sha256 = "";')
    # As the build joins them; those that define functions of one release alone stand alone.
    units = [RUNTIME / "exports" / f"version_{name}.cpp" for name in ("12", "12_graphs", "13")]
    names = sources_of_the_runtime()
    for first in range(0, len(names), 8):
        unit = tmp_path / f"unit{first}.cpp"
        joined = names[first : first + 8]
        unit.write_text("".join(f'#include "{RUNTIME / name}"\n' for name in joined))
        units.append(unit)
    made = tmp_path / "made.o"
    folders = ["-I", PROJECT.root / "common", "-I", tmp_path, "-isystem", include]
    for unit in units:
        command = ["g++", "-std=c++20", "-O0", "-Wno-deprecated-declarations", "-c", unit, *folders]
        done = subprocess.run([*command, "-o", made], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        listing = subprocess.run(["nm", "-C", made], capture_output=True, text=True, check=True)
        # Without a declaration in the headers a function would get C++ linkage, and a stub its place.
        assert not _CXX_LINKAGE.findall(listing.stdout)


def sources_of_the_runtime() -> list[str]:
    """Those that every release shares, in the order of the build."""
    text = (RUNTIME / "meson.build").read_text()
    listed = text[text.index("static_library('cudart_objects'") : text.index("tables_hash,\n")]
    names = re.findall(r"'([\w/]+\.cpp)'", listed)
    assert len(names) > 30
    return names


def compilers_of_cuda_12() -> list[str]:
    return [path for path in toolbox.serving_nvccs() if (nvcc.release(path) or (0, 0))[0] == 12]


@pytest.mark.skipif(not compilers_of_cuda_12(), reason="no toolkit of CUDA 12.4 to 12.9 here")
def test_chapters_have_code_for_gpus_before_turing() -> None:
    script = PROJECT.root / "scripts" / "weekly" / "every_target.py"
    compiler = compilers_of_cuda_12()[0]
    command = [sys.executable, script, "--targets", "61,90", "--nvcc", compiler]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "chapters for 61, 90" in done.stderr
