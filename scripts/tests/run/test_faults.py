"""A command that fails anywhere loses nothing: one call fails (disk full, read-only, quota, I/O error)
or everything is killed there, then the same command runs again and makes what it should have made.

Faults are injected by faults/fault.c into every process of a command. A nightly run tries more points.
"""

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import synthetic
from conftest import Tree, make_tree, preloaded

from notebook.base import archive
from notebook.fleet import parcel
from notebook.fleet.campaign import Campaign, Task
from notebook.fleet.job import Placement
from notebook.fleet.kinds import Kind
from notebook.run.unfinished import Unfinished
from notebook.tools import testing

KINDS = ("ENOSPC", "KILL", "EROFS", "EIO", "EDQUOT")
POINTS = 40 if os.environ.get(testing.NIGHTLY) else 2
FEWEST = 6  # calls of a command that changes a file: it is opened, written, synchronised, renamed
SOURCE = Path(__file__).parent / "faults" / "fault.c"

Contents = dict[str, bytes]


@dataclass(frozen=True)
class Scenario:
    """A command that changes data, pages or figures; `prepare` makes the state that it starts from."""

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Tree], None] = lambda _: None


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return preloaded(SOURCE, tmp_path_factory.mktemp("shim"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    """A built tree with data, figures and pages."""
    made = make_tree(tmp_path_factory.mktemp("faults") / "lab notebook")
    for architecture in ("fermi", "hopper"):
        done = made.lab(
            *("run", synthetic.CHAPTER, "--device", f"emulated:{architecture}", "--keep")
        )
        assert done.returncode == 0, done.stderr
    yield made


def change_counts(tree: Tree) -> None:
    path = tree.data / "emulated-fermi" / f"{synthetic.CHAPTER}.json"
    path.write_text(path.read_text().replace('"load_sectors":', '"load_sectors": ', 1))


def write_archive(tree: Tree) -> None:
    (tree.data / "architectures.csv").write_text(synthetic.ARCHITECTURES)
    scratch = tree.root / "scratch" / "results.json"
    path = synthetic.save_stored(scratch, synthetic.of_an_a100())
    content = archive.pack({f"nvidia-a100/{synthetic.CHAPTER}.json": path.read_bytes()})
    (tree.root / "nvidia-a100.tar.gz").write_bytes(content)


def write_campaign(tree: Tree) -> None:
    """One task of a campaign has ended with new counts; squeue has forgotten it."""
    folder = tree.root / "build" / "fleet" / "0001"
    (folder / "output").mkdir(parents=True, exist_ok=True)
    task = Task(Kind("", "emulated:fermi"), synthetic.CHAPTER, 1, 0, 5)
    campaign = Campaign(folder, "", True, Placement(), "", [task])
    campaign.save()
    rows = synthetic.misaligned_reads_emulated(128, [2**22])
    path = synthetic.save(tree.root / "scratch", synthetic.document(rows, "emulated-fermi"))
    content = archive.pack({f"emulated-fermi/{path.name}": path.read_bytes()})
    Path(campaign.output_of(task)).write_text(parcel.written(content))
    bin_ = tree.root / "bin"
    bin_.mkdir(exist_ok=True)
    (bin_ / "squeue").write_text("#!/bin/sh\n")
    (bin_ / "squeue").chmod(0o755)
    tree.environment["PATH"] = f"{bin_}{os.pathsep}{os.environ['PATH']}"


def write_record(tree: Tree) -> None:
    """A run was interrupted before its only chapter; what it counts has changed since."""
    change_counts(tree)
    chapters = [synthetic.CHAPTER]
    state = Unfinished(tree.project, "emulated:fermi", str(tree.data), False, True, chapters, {})
    state.save()


def write_kernels(tree: Tree) -> None:
    change_counts(tree)
    (tree.chapter.directory / "kernels.cuh").write_text("__global__ void read_offset() {}\n")


SCENARIOS = (
    Scenario(
        "run", ("run", synthetic.CHAPTER, "--device", "emulated:fermi", "--keep"), change_counts
    ),
    Scenario("figures", ("figures",), change_counts),
    Scenario("add", ("add", "nvidia-a100.tar.gz"), write_archive),
    Scenario("fleet", ("fleet", "collect", "--keep"), write_campaign),
    Scenario("resume", ("run", "--resume"), write_record),
    Scenario("report", ("report",), write_kernels),
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_fault_anywhere_loses_nothing(tree: Tree, shim: Path, scenario: Scenario) -> None:
    kept = _kept(tree)
    scenario.prepare(tree)
    before = _kept(tree)
    calls = _run(tree, shim, scenario, "EIO", 0)
    assert calls.status == 0, calls.said
    after = _kept(tree)
    assert calls.number > FEWEST, "the shim counts nothing"
    for kind, point in _faults(calls.number):
        scenario.prepare(tree)
        _restore(tree, before)
        faulty = _run(tree, shim, scenario, kind, point)
        where = f"{kind} at call {point} of {calls.number}: {faulty.said}"
        assert "Traceback" not in faulty.said, where
        now = _kept(tree)
        for name in before.keys() | now.keys():
            assert now.get(name) in (before.get(name), after.get(name)), f"{name}: {where}"
        if faulty.status == 0:
            assert now.keys() >= after.keys(), f"it says that all is well: {where}"
        if now != after:
            again = tree.lab(*scenario.command)
            assert again.returncode == 0, f"{where}; then: {again.stderr}"
            assert _kept(tree) == after, where
        testing.count("faults", 1)
    _restore(tree, kept)


def _faults(calls: int) -> Iterator[tuple[str, int]]:
    """POINTS kinds of fault with the numbers of the calls at which they happen."""
    if calls <= POINTS:
        every = itertools.product(KINDS, range(1, calls + 1))
        yield from itertools.islice(every, POINTS)
        return
    # Not the same calls in every scenario; the whole range in each.
    for index in range(POINTS):
        yield KINDS[index % len(KINDS)], 1 + int(calls / POINTS * (index + 0.5))


@dataclass(frozen=True)
class Outcome:
    status: int
    said: str
    number: int


def _run(tree: Tree, shim: Path, scenario: Scenario, kind: str, at: int) -> Outcome:
    counter = tree.root / "counter"
    counter.write_bytes(bytes(8))
    injected = tree.settings(
        LD_PRELOAD=str(shim), FAULT_COUNTER=str(counter), FAULT_AT=str(at), FAULT_KIND=kind
    )
    done = subprocess.run(
        tree.command(*scenario.command),
        cwd=tree.root,
        env=injected,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
        start_new_session=True,
        check=False,
    )
    return Outcome(
        done.returncode, done.stderr, int.from_bytes(counter.read_bytes(), sys.byteorder)
    )


def _kept(tree: Tree) -> Contents:
    """What a user would miss: data, figures and pages. Temporary files have hidden names."""
    patterns = (
        "data/*/*.json",
        "plots/*.svg",
        "README.md",
        "chapters/*/README.md",
        "build/report/*.html",
    )
    paths = [path for pattern in patterns for path in tree.root.glob(pattern)]
    return {
        str(path.relative_to(tree.root)): path.read_bytes()
        for path in paths
        if not any(part.startswith(".") for part in path.relative_to(tree.root).parts)
    }


def _restore(tree: Tree, contents: Contents) -> None:
    for name in _kept(tree).keys() - contents.keys():
        (tree.root / name).unlink()
        if not any((tree.root / name).parent.iterdir()):
            (tree.root / name).parent.rmdir()
    for name, content in contents.items():
        (tree.root / name).parent.mkdir(parents=True, exist_ok=True)
        (tree.root / name).write_bytes(content)
