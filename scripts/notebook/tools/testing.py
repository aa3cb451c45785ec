"""`lab test`: builds all but what a nightly run alone needs, runs the C++ tests, lab check and the scripts' tests."""

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from notebook.base.errors import CHECK_FAILED
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.tools import build, checking, nvcc, setup, toolbox

# Set for every part of a nightly run: the file to which each adds lines of what it counted, such as
# `cases 100000`. A test that sees it tries many more cases.
NIGHTLY = "LAB_NIGHTLY"
COUNTED = ("cases", "faults", "mutants", "mutants that survived", "bytes lost", "code executed")
# A nightly run's programs beyond the tests: they add their counts to the file, and exit with 0
# when all is well.
_NIGHTLY_PARTS = "scripts/nightly/*.py"
# On all cores, up to 8; the tests of a file one after another, since they share what its fixtures make.
_PYTEST = ("-q", "--numprocesses=auto", "--maxprocesses=8", "--dist=loadfile", "scripts/tests")


def test(project: Project, nightly: bool = False) -> int:
    """Returns 0 when every test passed."""
    began = time.monotonic()
    setup.install_missing(project)
    toolbox.require((*toolbox.FOR_EVERY_RUN, toolbox.GTEST), "building the tests")
    setup.require_nvcc()
    _install_what_some_tests_need(nightly)
    build.configure(project)
    build.build(project, "everything")
    if nightly:
        build.build(project, "the programs of a nightly run", "nightly")
    if not any(
        (12, 4) <= (nvcc.release(path) or (0, 0)) < (13, 0) for path in toolbox.serving_nvccs()
    ):
        say("no toolkit of CUDA 12.4 to 12.9 here: machine code for Maxwell to Volta is not built")
    with tempfile.TemporaryDirectory(prefix="lab-nightly-") as folder:
        counts = Path(folder) / "counts"
        counts.touch()
        environment = toolbox.environment() | ({NIGHTLY: str(counts)} if nightly else {})
        programs = sorted(project.root.glob(_NIGHTLY_PARTS)) if nightly else []
        # The tests first: with many cases they take as long as all other parts together.
        reasons = ["-rs"] if nightly else []  # why a test was skipped
        runs = {"tests of the scripts": ["-m", "pytest", *_PYTEST, *reasons]}
        runs |= {program.stem: [str(program)] for program in programs}
        parts: dict[str, Callable[[], bool]] = {
            "C++ tests": lambda: build.run_tests(project),
            "checks": lambda: checking.check(project) == 0,
        }
        done = {"builds": Part(True, time.monotonic() - began)}
        done |= {name: _timed(part) for name, part in parts.items()}
        # Two beside one another: some parts take one core, and fuzzing takes its time on any number.
        with ThreadPoolExecutor(2) as pool:
            timed = pool.map(
                lambda words: _timed(lambda: _passes(project, environment, *words)), runs.values()
            )
            done |= dict(zip(runs, timed, strict=True))
        if nightly:
            print(durations(done))
            print(summary(counts.read_text("utf-8"), time.monotonic() - began))
    failed = [name for name, part in done.items() if not part.passed]
    if failed:
        say(f"error: failed, see above: {', '.join(failed)}")
    return CHECK_FAILED if failed else 0


def _install_what_some_tests_need(nightly: bool) -> None:
    wanted: list[tuple[toolbox.Package, ...]] = []
    if (nightly or os.environ.get("CI")) and os.geteuid() == 0:
        wanted.append(toolbox.FOR_TESTS_OF_CAMPAIGNS)
    if nightly:
        wanted.append(toolbox.FOR_TESTS_OF_PAGES)
    # One after another: a system may lack one of them.
    for lacking in filter(None, map(toolbox.missing, wanted)):
        toolbox.apt_install([package.apt for package in lacking], say)


@dataclass(frozen=True)
class Part:
    """How a part of a run ended, and after how many seconds."""

    passed: bool
    seconds: float


def _timed(part: Callable[[], bool]) -> Part:
    began = time.monotonic()
    passed = part()
    return Part(passed, time.monotonic() - began)


def durations(parts: dict[str, Part]) -> str:
    """A line: the minutes of each part."""
    return "nightly: " + ", ".join(
        f"{name} {part.seconds / 60:.1f} min" for name, part in parts.items()
    )


def summary(counts: str, seconds: float) -> str:
    """The last line of a nightly run: everything that its parts counted."""
    total: Counter[str] = Counter()
    for line in counts.splitlines():
        name, _, number = line.rpartition(" ")
        total[name] += int(number)
    names = dict.fromkeys([*COUNTED, *total])
    counted = ", ".join(f"{name} {total[name]}" for name in names)
    return f"nightly: {counted}; {seconds / 60:.0f} min"


def count(name: str, number: int) -> None:
    """Adds to what a nightly run counts; does nothing in another."""
    if path := os.environ.get(NIGHTLY):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{name} {number}\n")


def _passes(project: Project, environment: dict[str, str], *arguments: str) -> bool:
    path = os.pathsep.join(
        filter(None, [str(project.root / "scripts"), os.environ.get("PYTHONPATH")])
    )
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=project.root, env=environment | {"PYTHONPATH": path}, check=False
    )
    return done.returncode == 0
