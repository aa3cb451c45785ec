"""What the emulated GPU cannot run is refused when it is compiled, in one line that names it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EMULATOR = ROOT / "common" / "emulator"
FLAGS = ["-std=c++20", "-O2", "-fno-pie", "-ftls-model=local-exec", f"-I{ROOT / 'common'}"]


def compile_source(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    source = folder / "kernels.cu"
    source.write_text(text)
    command = [sys.executable, EMULATOR / "compile_for_emulator.py", source, folder / "kernels.o"]
    flags = [folder / "kernels.d", "--", "g++", *FLAGS, "-include", EMULATOR / "cuda_on_cpu.h"]
    return subprocess.run([*command, *flags], capture_output=True, text=True)


REFUSED = {
    "PTX without operands": (
        '__global__ void f() {\n    asm volatile("cp.async.wait_all;");\n}\n',
        "kernels.cu:2: the emulated GPU cannot run inline PTX: cp.async.wait_all",
    ),
    "PTX with operands of CUDA's kinds": (
        "__global__ void f(float* p) {\n"
        '    float x;\n    asm("ld.global.nc.f32 %0, [%1];" : "=f"(x) : "l"(p));\n    *p = x;\n}\n',
        "kernels.cu:3: the emulated GPU cannot run inline PTX",
    ),
    "a function it lacks": (
        "__global__ void f(long long* p) {\n    *p = clock64();\n}\n",
        "kernels.cu:2: the emulated GPU has no clock64",
    ),
    "an intrinsic it lacks": (
        "__global__ void f(int* p) {\n    *p = __dp4a(1, 2, 3);\n}\n",
        "kernels.cu:2: the emulated GPU has no __dp4a",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refuses_in_one_line(tmp_path: Path, what: str) -> None:
    text, expected = REFUSED[what]
    run = compile_source(tmp_path, text)
    assert run.returncode != 0
    assert not (tmp_path / "kernels.o").exists()
    first = run.stderr.splitlines()[0]
    assert first.startswith("error: ") and expected in first


def test_dynamic_shared_memory_is_defined_once_for_all_names(tmp_path: Path) -> None:
    run = compile_source(
        tmp_path,
        "__global__ void f(float* p) { extern __shared__ float a[]; a[0] = *p; *p = a[1]; }\n"
        "__global__ void g(int* p) { extern __shared__ int b[]; b[0] = *p; *p = b[1]; }\n",
    )
    assert run.returncode == 0, run.stderr
    symbols = subprocess.run(
        ["readelf", "--symbols", "--wide", tmp_path / "kernels.o"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    tls = [line.split() for line in symbols.splitlines() if " TLS " in line]
    assert {fields[7] for fields in tls} == {"a", "b", "emulator_dynamic_shared"}
    assert {fields[1] for fields in tls} == {tls[0][1]}, "all names are one place"
    assert all(fields[6] != "UND" for fields in tls)


def test_an_ordinary_error_is_left_as_it_is(tmp_path: Path) -> None:
    run = compile_source(tmp_path, "__global__ void f() { undeclared = 1; }\n")
    assert run.returncode != 0
    assert "the emulated GPU" not in run.stderr
    assert "undeclared" in run.stderr
