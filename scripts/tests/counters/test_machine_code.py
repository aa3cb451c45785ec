"""Chapters that compile a kernel with and without the L1 compare two machine codes, not one twice."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from notebook.tools import nvcc, toolbox

KERNELS = Path(__file__).resolve().parents[3] / "chapters" / "02_misaligned_reads" / "kernels.cuh"

pytestmark = pytest.mark.skipif(
    not (shutil.which("nvcc") and shutil.which("readelf")), reason="needs nvcc and readelf"
)


def text_of_kernel(folder: Path, cache_operator: str) -> str:
    """The bytes of read_offset's section of code for an H200, as readelf dumps them."""
    source = folder / "kernels.cu"
    source.write_text(KERNELS.read_text(encoding="utf-8"), encoding="utf-8")
    cubin = folder / f"{cache_operator}.cubin"
    flags = ["-cubin", "-std=c++20", "-arch=sm_90", "-Xptxas", f"-dlcm={cache_operator}"]
    _output("nvcc", *flags, "-o", str(cubin), str(source))
    sections = _output("readelf", "--section-headers", "--wide", str(cubin))
    names = re.findall(r"\s(\.text\.\S*read_offset\S*)\s", sections)
    assert len(names) == 1, sections
    dump = _output("readelf", f"--hex-dump={names[0]}", str(cubin))
    assert re.search(r"^\s+0x00000000 ", dump, re.MULTILINE), dump
    return dump


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_loads_through_and_past_the_l1_are_different_machine_codes(tmp_path: Path) -> None:
    """ptxas of CUDA 12.4 and 12.5 ignores the flag from compute capability 7.0 on: the harness leaves such rows out
    (DeviceDescription::has_l1_off). It was compared for sm_50 to sm_90, with 12.4, 12.5, 12.6, 12.8, 12.9 and 13.0."""
    differ = text_of_kernel(tmp_path, "ca") != text_of_kernel(tmp_path, "cg")
    assert differ == ((nvcc.release(toolbox.find_nvcc()) or (0, 0)) >= (12, 6))


def test_the_same_flag_twice_is_the_same_machine_code(tmp_path: Path) -> None:
    """Without this, codes that differ in every compilation would pass for an effect of the flag."""
    assert text_of_kernel(tmp_path, "cg") == text_of_kernel(tmp_path, "cg")
