"""A chapter without `lab`: Ninja builds it by its name, and its executable runs by itself, with the flags of
Google Benchmark, on a machine without a GPU."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.data.chapters import Chapter, all_chapters, find_chapters
from notebook.data.devices import count_gpus
from notebook.tools import build

PROJECT = Project.here()
EXECUTABLE = PROJECT.build / find_chapters(PROJECT, ["02"])[0].target
SCRIPTED = PROJECT.build / "common/tests/scripted_chapter"
RUNTIME = re.compile(r"common/emulator/runtime/libcudart\.so\.1[23]")
LIST = "--benchmark_list_tests"

needs_the_build = pytest.mark.skipif(
    not (PROJECT.build / "build.ninja").is_file(), reason="nothing is configured here"
)
needs_the_chapter = pytest.mark.skipif(
    not (EXECUTABLE.is_file() and (PROJECT.build / build.emulated_runtime()).is_file()),
    reason="the chapter is not built here",
)
needs_the_script = pytest.mark.skipif(not SCRIPTED.is_file(), reason="not built here")


def run(executable: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """Without any environment variable."""
    return subprocess.run(
        [executable, *flags], env={}, capture_output=True, text=True, timeout=60, check=False
    )


def rows(*flags: str) -> list[dict[str, float]]:
    """What a chapter on a GPU that plays a script reports of its one row: a repetition each."""
    done = run(SCRIPTED, "--benchmark_format=json", *flags)
    assert done.returncode == 0, done.stderr
    written = json.loads(done.stdout)
    kinds = [row for row in written["benchmarks"] if row["run_type"] == "iteration"]
    return [row | {"quick": written["context"]["quick"] == "true"} for row in kinds]


@needs_the_build
@pytest.mark.parametrize("chapter", all_chapters(PROJECT), ids=lambda chapter: chapter.name)
def test_ninja_builds_a_chapter_by_its_name_and_what_it_loads(chapter: Chapter) -> None:
    ninja = Path(sys.executable).parent / "ninja"
    command = [ninja, "-C", PROJECT.build, "-t", "query", chapter.name[3:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    inputs = done.stdout.split()
    assert chapter.target in inputs
    assert any(RUNTIME.fullmatch(word) for word in inputs)


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_the_front_pages_say_so_in_three_lines(page: str) -> None:
    lines = (PROJECT.root / page).read_text("utf-8").splitlines()
    first = lines.index(next(line for line in lines if line.startswith("    meson setup build")))
    said = [line.partition("#")[0].strip() for line in lines[first : first + 3]]
    program = f"build/{EXECUTABLE.relative_to(PROJECT.build)}"
    assert said == [
        "meson setup build && ninja -C build misaligned_reads",
        f"{program} --help",
        f"{program} --architecture=fermi",
    ]


@needs_the_chapter
def test_it_lists_its_rows_and_runs_one_in_an_empty_environment() -> None:
    listed = run(EXECUTABLE, "--architecture=fermi", LIST)
    assert listed.returncode == 0, listed.stderr
    name = "read_offset/offset:11/block:512/n:1048576/cache:cold"
    assert name in listed.stdout.splitlines()
    done = run(EXECUTABLE, "--architecture=fermi", f"--benchmark_filter=^{name}$")
    assert done.returncode == 0, done.stderr
    # 32,768 warps of 32 read two arrays.
    assert "load_requests=65536" in done.stdout


@needs_the_chapter
@pytest.mark.skipif(count_gpus() > 0, reason="there is a GPU")
def test_help_is_said_once_on_a_terminal() -> None:
    """Although the program starts again for the emulated GPU, and a terminal keeps what came before."""
    terminal, its_end = pty.openpty()
    with subprocess.Popen([EXECUTABLE, "--help"], env={}, stdout=its_end, stderr=its_end) as done:
        os.close(its_end)
        said = b""
        while piece := _read(terminal):
            said += piece
    os.close(terminal)
    assert done.returncode == 0
    assert said.count(b"[--quick]") == 1 and said.count(b"[--benchmark_filter=") == 1


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 2**16)
    except OSError:  # Linux says so at the end
        return b""


@needs_the_chapter
def test_help_needs_no_emulated_gpu(tmp_path: Path) -> None:
    alone = Path(shutil.copy(EXECUTABLE, tmp_path))
    done = run(alone, "--architecture=fermi", "--help")
    assert done.returncode == 0
    assert "[--architecture=" in done.stdout and "[--benchmark_filter=" in done.stdout


@needs_the_chapter
@pytest.mark.parametrize(
    "flag", ["min_time=10x", "min_time=0.5s", "min_time=0.5", "min_warmup_time=1"]
)
def test_flags_of_time_are_taken_where_nothing_is_timed(flag: str) -> None:
    done = run(EXECUTABLE, "--architecture=fermi", LIST, f"--benchmark_{flag}")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "nothing is timed here" in line and "--benchmark_min_time" in line


@needs_the_script
def test_a_batch_has_the_launches_that_were_asked_for() -> None:
    assert [row["launches"] for row in rows("--benchmark_min_time=10x")] == [10] * 5
    # The script's launches take 1 us.
    (row,) = rows("--benchmark_min_time=0.002s", "--benchmark_repetitions=1")
    assert row["launches"] == 2001


@needs_the_script
def test_a_dry_run_is_one_launch_and_decides_nothing() -> None:
    (row,) = rows("--benchmark_dry_run", "--benchmark_repetitions=3", "--benchmark_min_time=1s")
    assert (row["launches"], row["quick"]) == (1, True)
    assert not any(row["quick"] for row in rows("--benchmark_dry_run=false"))


@needs_the_script
def test_the_last_filter_counts() -> None:
    done = run(SCRIPTED, "--benchmark_filter=nothing", "--benchmark_filter=read", LIST)
    assert (done.returncode, done.stdout) == (0, "read/n:1\n")


# Those of Google Benchmark 1.7.1, each with a value that its documentation shows.
FLAGS = [
    *("list_tests=true", "filter=read", "min_time=0.01", "min_warmup_time=0.01"),
    *("repetitions=2", "enable_random_interleaving=true", "report_aggregates_only=true"),
    *("display_aggregates_only=true", "format=csv", "format=json", "format=console"),
    *("out_format=json", "color=auto", "counters_tabular=true", "context=key=value"),
    *("time_unit=ms", "dry_run=true"),
]


@needs_the_script
@pytest.mark.parametrize("flag", FLAGS)
def test_every_flag_of_google_benchmark_is_taken(flag: str) -> None:
    done = run(SCRIPTED, f"--benchmark_{flag}")
    assert done.returncode == 0 and "read/n:1" in done.stdout, done.stderr
