"""Which code a result comes from: the commit, whether anything that counts differs from it, and the tables
that were compiled in."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import SCRIPTS, Tree

from notebook.data.fields import CONTEXT
from notebook.run import collect

ROOT = SCRIPTS.parent


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def committed(tree: Tree) -> Tree:
    """A checkout whose last commit has tables and results."""
    for name in ("gpus.csv", "timing/parameters.csv", "emulated-fermi/02_misaligned_reads.json"):
        (tree.data / name).parent.mkdir(exist_ok=True)
        (tree.data / name).write_text("as committed\n")
    git(tree.root, "init", "--quiet")
    git(tree.root, "add", "--all")
    git(tree.root, "commit", "--quiet", "--message=first")
    return tree


@pytest.mark.parametrize(
    ("name", "is_dirty"),
    [
        # Compiled into the emulated GPU.
        ("data/architectures.csv", "true"),
        ("data/gpus.csv", "true"),
        ("data/timing/parameters.csv", "true"),
        ("chapters/02_misaligned_reads/experiment.cu", "true"),
        ("common/new.cpp", "true"),
        ("data/timing/new.csv", "true"),
        # Written by `lab run`.
        ("data/emulated-fermi/02_misaligned_reads.json", "false"),
        ("data/nvidia-new/02_misaligned_reads.json", "false"),
        ("data/nvidia-new/counters/02_misaligned_reads.csv", "false"),
        ("data/nvidia-new/peers/02_misaligned_reads.json", "false"),
        ("plots/effects.svg", "false"),
        ("chapters/02_misaligned_reads/README.md", "false"),
        # Text.
        ("chapters/02_misaligned_reads/page.md", "false"),
    ],
)
def test_a_tree_is_dirty_where_code_or_a_compiled_table_differs(
    committed: Tree, name: str, is_dirty: str
) -> None:
    assert collect.git_revision(committed.project)[1] == "false"
    (committed.root / name).parent.mkdir(parents=True, exist_ok=True)
    (committed.root / name).write_text("changed\n")
    assert collect.git_revision(committed.project) == (
        git(committed.root, "rev-parse", "HEAD"),
        is_dirty,
    )


def test_the_repository_of_the_environment_is_not_recorded(
    committed: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    git(other, "commit", "--quiet", "--allow-empty", "--message=other")
    ours = git(committed.root, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert os.environ["GIT_DIR"] and collect.git_revision(committed.project) == (ours, "false")


def test_the_hash_is_that_of_the_tables_one_after_the_other(tmp_path: Path) -> None:
    tables = [ROOT / "data" / name for name in ("architectures.csv", "gpus.csv")]
    tables.append(ROOT / "data" / "timing" / "parameters.csv")
    output = tmp_path / "tables_hash.inc"
    command = [sys.executable, str(ROOT / "scripts" / "tables_hash.py"), *map(str, tables)]
    subprocess.run([*command, str(output)], check=True)
    expected = hashlib.sha256(b"".join(map(Path.read_bytes, tables))).hexdigest()
    assert f'"{expected}"' in output.read_text()
    assert "tables_sha256" in {field.name for field in CONTEXT}


def test_a_missing_table_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "tables_hash.py")]
    done = subprocess.run(
        [*command, str(tmp_path / "none.csv"), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and done.stderr.startswith("error: none.csv: ")
    assert done.stderr.count("\n") == 1
