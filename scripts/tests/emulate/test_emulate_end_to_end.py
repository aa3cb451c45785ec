"""`scripts/lab emulate` with nvcc and the emulated GPU that are there: counts derived by hand."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from notebook.emulate.launches.records import SITE_COUNTS
from notebook.tools import toolbox

LAB = Path(__file__).resolve().parents[2] / "lab"

PROGRAM = """
#include <cstdio>
#include <cstdlib>

__global__ void strided(float* out, const float* in) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = in[i];
    out[8 * i] = value;
}

__global__ void columns(float* out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = threadIdx.x;
    __syncthreads();
    const float value = tile[threadIdx.x][threadIdx.y];
    out[threadIdx.y * 32 + threadIdx.x] = value;
}

__global__ void compiled_for(int* out) {
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}

int main(int argc, char** argv) {
    float *in, *out;
    int* number;
    cudaMalloc(&in, 16384 * 4);
    cudaMalloc(&out, 16384 * 32);
    cudaMallocManaged(&number, 4);
    for (int i = 0; i < 2; ++i) strided<<<64, 256>>>(out, in);
    columns<<<1, dim3(32, 32)>>>(out);
    compiled_for<<<1, 1>>>(number);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    std::printf("compiled for %d, argument %s\\n", *number, argv[1]);
    return std::atoi(argv[2]);
}
"""

pytestmark = pytest.mark.skipif(not toolbox.find_nvcc(), reason="no nvcc")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("emulate") / "program.cu"
    path.write_text(PROGRAM)
    return path


def lab(*words: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    command = [str(LAB), "emulate", *map(str, words)]
    environment = os.environ | settings
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def line_of(text: str) -> int:
    return next(i for i, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


def site(launch: dict[str, Any], space: str, kind: str) -> dict[str, Any]:
    (matching,) = (
        site for site in launch["sites"] if (site["space"], site["kind"]) == (space, kind)
    )
    return matching


def test_counts_of_every_line(source: Path) -> None:
    run = lab("--architecture", "turing,hopper", "--report", "json", source, "--", "x", "0")
    assert run.returncode == 0, run.stderr
    # Each GPU executes the PTX of its own compute capability, and the program is heard once.
    assert run.stderr.count("compiled for 750, argument x") == 1
    for emulated in json.loads(run.stdout)["emulated"]:
        *twice, columns, _ = emulated["launches"]
        # Every launch, in order.
        assert [launch["launch"] for launch in emulated["launches"]] == [1, 2, 3, 4]
        assert [launch["kernel"] for launch in twice] == ["strided(float*, float const*)"] * 2
        for strided in twice:
            # 64 blocks of 8 warps: 4 sectors a load, a sector a lane for stores 32 bytes apart.
            load, store = site(strided, "global", "load"), site(strided, "global", "store")
            assert (load["requests"], load["sectors"], load["efficiency"]) == (512, 2048, 100.0)
            assert (store["requests"], store["sectors"], store["efficiency"]) == (512, 16384, 12.5)
            assert load["line"] == line_of("in[i]")
            assert store["line"] == line_of("out[8 * i]")
            assert set(SITE_COUNTS) < set(load)
        # A column of a tile of 32 words is in one bank.
        read, written = site(columns, "shared", "load"), site(columns, "shared", "store")
        assert (read["requests"], read["wavefronts"], read["bank_conflicts"]) == (32, 1024, 992)
        assert (written["requests"], written["wavefronts"]) == (32, 32)


def test_the_report_names_what_stands_out(source: Path) -> None:
    run = lab(source, "-O3", "--", "y", "0")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("compiled for 900, argument y\n")
    assert f"! line {line_of('out[8 * i]')}: 32.0 sectors a request, each 12.5 % used" in run.stdout
    assert f"! line {line_of('[threadIdx.x][threadIdx.y]')}: bank conflicts, 32.0" in run.stdout
    assert "out[8 * i] = value;" in run.stdout
    assert all(len(line) <= 100 for line in run.stdout.splitlines())


def test_the_programs_exit_status_makes_ours(source: Path) -> None:
    run = lab(source, "--", "z", "7")
    assert run.returncode == 1
    assert "program failed on hopper: exit status 7" in run.stderr


def test_a_statically_linked_program(source: Path, tmp_path: Path) -> None:
    program = tmp_path / "program"
    subprocess.run(
        ["nvcc", "-o", program, source], env=toolbox.environment(), check=True, timeout=300
    )
    run = lab(program, "--", "x", "0")
    assert run.returncode == 2
    assert "nvcc -cudart shared" in run.stderr
