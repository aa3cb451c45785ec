"""Chapter 04 compares what its kernels' names say: the compiler emits read-only loads for __ldg and
for const __restrict__, and none for plain pointers."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from notebook.tools.toolbox import environment, find_nvcc, find_program

KERNELS = Path(__file__).parents[3] / "chapters" / "04_read_only_cache" / "kernels.cuh"

# (read-only, other) global loads of a kernel: the accesses in the source. The gathers load their
# index plainly; a thread of the sums loads eight entries of the table.
LOADS = {
    "read_offset": (0, 2),
    "read_offset_ldg": (2, 0),
    "read_offset_restrict": (2, 0),
    "gather": (0, 2),
    "gather_ldg": (1, 1),
    "gather_restrict": (1, 1),
    "sum_table": (0, 8),
    "sum_table_ldg": (8, 0),
    "sum_table_restrict": (8, 0),
    "copy": (0, 1),
    "copy_ldg": (1, 0),
    # Their table is in constant memory.
    "sum_constant_uniform": (0, 0),
    "sum_constant_by_lane": (0, 0),
}

needs_nvcc = pytest.mark.skipif(not find_nvcc(), reason="no nvcc")


def output_of(*command: str | Path) -> str:
    run = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def compiled(folder: Path, *flags: str) -> Path:
    # Included: nvcc warns of "#pragma once" in the file that it is given.
    source = folder / "kernels.cu"
    source.write_text(f'#include "{KERNELS}"\n')
    result = folder / "compiled"
    output_of(find_nvcc(), "-std=c++17", *flags, source, "-o", result)
    return result


def loads(code: str, kernel: str, read_only: str, any_load: str) -> dict[str, tuple[int, int]]:
    """By kernel; the patterns say where a kernel begins and what its loads look like."""
    counts_by_kernel: dict[str, Counter[bool]] = {}
    name = ""
    for line in code.splitlines():
        if begin := re.search(kernel + r"\s*_Z(\d+)(\w+)", line):
            name = begin[2][: int(begin[1])]
            counts_by_kernel[name] = Counter()
        elif re.search(any_load, line):
            counts_by_kernel[name][bool(re.search(read_only, line))] += 1
    return {name: (counter[True], counter[False]) for name, counter in counts_by_kernel.items()}


@needs_nvcc
def test_ptx_has_read_only_loads_where_the_source_asks_for_them(tmp_path: Path) -> None:
    ptx = compiled(tmp_path, "-ptx").read_text()
    assert loads(ptx, r"\.entry", r"\bld\.global\.nc\b", r"\bld\.global\b") == LOADS


@needs_nvcc
@pytest.mark.skipif(
    not (find_program("cuobjdump") and find_program("nvdisasm")), reason="no cuobjdump"
)
def test_machine_code_has_them_too(tmp_path: Path) -> None:
    sass = output_of(
        find_program("cuobjdump"), "-sass", compiled(tmp_path, "-cubin", "-arch=sm_80")
    )
    assert loads(sass, r"Function :", r"\bLDG\.E\.CONSTANT\b", r"\bLDG\b") == LOADS
