"""What a campaign sends to the nodes, and what it compiles for: checked against the real tree."""

import os
import re
import subprocess
from pathlib import Path

import fleet_tree
import pytest
import synthetic
from conftest import Tree
from fleet_tree import FleetTree

from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.data.chapters import Chapter
from notebook.fleet import gpu_targets, sources
from notebook.fleet.kinds import Kind
from notebook.tools import build, toolbox

ROOT = Path(__file__).resolve().parents[3]
DATA = re.compile(r"'(data/[^']+)'")

needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the git checkout")


def _unpacked(project: Project, commit: str, folder: Path) -> Path:
    sources.unpack(project, commit, folder)
    return folder


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree that the nodes get of the real one's last commit."""
    return _unpacked(Project.here(), "HEAD", tmp_path_factory.mktemp("sent") / "a tree")


@needs_git
def test_every_table_that_the_real_build_names_is_sent(sent: Path) -> None:
    """Whether it is read to compile a chapter or to test it: both write `'data' / 'x.csv'` or `'data/x.csv'`."""
    named = set()
    for path in sorted(ROOT.glob("**/meson.build")):
        if path.is_relative_to(ROOT / "build"):
            continue
        named |= set(DATA.findall(path.read_text().replace("' / '", "/")))
    assert {"data/architectures.csv", "data/gpus.csv", "data/timing/parameters.csv"} <= named
    assert [name for name in sorted(named) if not (sent / name).is_file()] == []


@needs_git
@pytest.mark.skipif(not toolbox.find_nvcc(), reason="needs nvcc")
def test_the_real_tree_builds_its_tables_from_what_is_sent(
    sent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meson refuses an input that is missing, Ninja a target that cannot be made, and the programs that make
    tables what they do not find. Machine code is for the campaign's GPUs and the node's, as far as nvcc has any."""
    folder, ninja = str(tmp_path / "build"), toolbox.find_program("ninja")
    assert ninja
    query = tmp_path / "nvidia-smi"
    query.write_text("#!/bin/sh\necho 8.9\n")
    query.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    # No toolkit that builds the notebook has code for a K80.
    _run(*build.MESON, "setup", folder, str(sent), "-Dgpu_targets=37,80,native")
    commands = (tmp_path / "build" / "build.ninja").read_text()
    assert set(re.findall(r"code=sm_(\w+)", commands)) == {"80", "89"}
    assert "no work to do" not in _run(ninja, "-C", folder, "-n")
    made = _run(ninja, "-C", folder, "-t", "targets", "all").splitlines()
    tables = [line.partition(":")[0] for line in made if line.endswith(".inc: CUSTOM_COMMAND")]
    assert {Path(table).name for table in tables} >= {"architecture_table.inc", "timing_table.inc"}
    _run(ninja, "-C", folder, *tables)


def _run(*command: str) -> str:
    done = subprocess.run(
        command, env=toolbox.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@needs_git
def test_the_real_tree_fits_into_a_script() -> None:
    """Slurm takes scripts of 4 MiB; base64 makes 4 bytes and a bit of 3."""
    assert len(sources.archive(Project.here(), "HEAD")) * 4 / 3 < 3.5 * 2**20


@pytest.fixture
def committed(tree: Tree, tmp_path: Path) -> FleetTree:
    return fleet_tree.make(tree, tmp_path / "broken")


def test_results_and_figures_are_not_sent_and_may_have_changes(
    committed: FleetTree, tmp_path: Path
) -> None:
    tree = committed.tree
    written = [
        f"data/nvidia-h200/{synthetic.CHAPTER}.json",
        f"data/boards/1/nvidia-h200/{synthetic.CHAPTER}.json",
        "plots/effects.svg",
        f"chapters/{synthetic.CHAPTER}/README.md",
    ]
    for path in written:
        committed.write(path, "before")
    commit = committed.commit()
    for path in written:
        committed.write(path, "after")
    assert sources.revision(tree.project, [tree.chapter]) == commit
    unpacked = _unpacked(tree.project, commit, tmp_path / "sent")
    assert not [path for path in written if (unpacked / path).exists()]
    assert (unpacked / "data/nvidia-h200/counters/patterns.csv").is_file()


@pytest.mark.parametrize(
    "path",
    ["data/gpus.csv", "data/timing/parameters.csv", "data/nvidia-h200/counters/patterns.csv"],
)
def test_what_is_sent_must_be_committed(committed: FleetTree, path: str) -> None:
    committed.write(path, "changed")
    with pytest.raises(Problem, match="commit or stash them first"):
        sources.revision(committed.tree.project, [])


def test_a_chapter_must_be_committed(committed: FleetTree) -> None:
    project = committed.tree.project
    committed.write("chapters/28_new/meson.build", "")
    with pytest.raises(Problem, match="28_new is not committed"):
        sources.revision(project, [Chapter(project.chapters / "28_new")])


def test_a_folder_below_another_checkout_is_no_checkout(committed: FleetTree) -> None:
    inner = committed.tree.root / "chapters"
    with pytest.raises(Problem, match="no git checkout"):
        sources.revision(Project(inner, inner / "data"), [])


def test_a_commit_that_is_gone(committed: FleetTree) -> None:
    with pytest.raises(Problem, match="git archive failed"):
        sources.archive(committed.tree.project, "0" * 40)


@pytest.mark.parametrize(
    ("gres", "target"),
    [
        ("gpu:a100", "80"),
        ("gpu:nvidia_a100-sxm4-80gb", "80"),
        ("gpu:a100_3g.20gb", "80"),  # an instance of MIG
        ("gpu:a10", "86"),
        ("gpu:H100", "90"),
        ("gpu:rtx3090", "86"),
        ("gpu:rtx_3090", "86"),
        ("gpu:tesla_v100", "70"),
        ("gpu:k80", "37"),
        ("gpu:gtx_1080_ti", "61"),
        ("gpu:rtx_2080", "75"),
        # GPUs of several compute capabilities, or of none that is known.
        ("gpu:rtx", ""),
        ("gpu:tesla", ""),
        ("gpu:jetson_tx2", ""),
        ("gpu:80gb", ""),
        ("gpu:foo9", ""),
        ("gpu", ""),
    ],
)
def test_the_compute_capability_that_a_resource_names(gres: str, target: str) -> None:
    """As NVIDIA's list of compute capabilities has them."""
    assert gpu_targets.of_kind(Project.here(), Kind(gres, "gpu")) == target


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], ""),
        (["gpu:h100", "gpu:v100", "gpu:h100"], "70,90"),
        (["gpu:b200", "gpu:a100"], "80,100"),
        (["gpu:h100", "gpu", "gpu:mi250"], "90,native"),
    ],
)
def test_a_campaign_is_compiled_for_all_its_gpus(names: list[str], expected: str) -> None:
    kinds_asked_for = [Kind(name, "gpu") for name in names] + [Kind("", "emulated:fermi")]
    assert gpu_targets.of(Project.here(), kinds_asked_for) == expected
