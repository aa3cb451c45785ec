"""--small launches every kernel that uses shared memory, at sizes that a race checker can follow."""

import os
import subprocess
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.data import names
from notebook.data.chapters import Chapter, all_chapters
from notebook.tools import build, testing

PROJECT = Project.here()
NIGHTLY = testing.NIGHTLY in os.environ
RUNTIME = PROJECT.build / build.emulated_runtime()
# Kernels that use no shared memory may have no small shape.
WITHOUT = {
    *("memcpy", "cublas_sgemm", "cublas_sgeam", "read_in_flight", "store_over_lines"),
    *("read_offset", "read_offset_quarter", "read_wide", "write_wide", "copy_wide", "scale_wide"),
    *("read_words", "reduce_integers_shuffle", "add_global_returning"),
    *("copy_wide_evict_last", "scale_wide_evict_last", "copy_keep_reads", "copy_keep_writes"),
}


def uses_shared_memory(chapter: Chapter) -> bool:
    sources = [path for kind in ("*.cuh", "*.cu") for path in chapter.directory.glob(kind)]
    return any("__shared__" in path.read_text(encoding="utf-8") for path in sources)


SHARING = [chapter for chapter in all_chapters(PROJECT) if uses_shared_memory(chapter)]


def output(chapter: Chapter, *flags: str) -> str:
    executable: Path = PROJECT.build / chapter.target
    if not (executable.is_file() and RUNTIME.is_file()):
        pytest.skip("the chapter is not built here")
    command = [executable, "--architecture=hopper", *flags]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def kernels(text: str) -> set[str]:
    return {names.kernel(line) for line in text.splitlines() if line}


def test_the_chapters_of_shared_memory_are_found() -> None:
    numbers = {chapter.number for chapter in SHARING}
    assert {"00", "14", "15", "17", "18", "19"} <= numbers
    assert not numbers & {"02", "16", "20"}


@pytest.mark.parametrize("chapter", SHARING, ids=lambda chapter: chapter.name)
def test_every_kernel_has_a_small_shape(chapter: Chapter) -> None:
    small = kernels(output(chapter, "--small", "--no-caches"))
    missing = kernels(output(chapter, "--benchmark_list_tests=true")) - small
    assert missing <= WITHOUT


@pytest.mark.parametrize(
    "number",
    [
        pytest.param("00", marks=pytest.mark.skipif(not NIGHTLY, reason="it takes long: nightly")),
        "14",
    ],
)
def test_small_shapes_are_free_of_races_on_the_emulated_gpu(number: str) -> None:
    (chapter,) = (entry for entry in SHARING if entry.number == number)
    assert output(chapter, "--small", "--check-hazards")
