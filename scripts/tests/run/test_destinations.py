"""Where a run writes: what is tracked stays as it is, unless it is counted again and differs."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import synthetic
from conftest import Tree, make_tree
from test_command_line import everything

from notebook.tools import nvcc, toolbox

RESULT = f"{synthetic.CHAPTER}.json"
FERMI = f"emulated-fermi/{RESULT}"
HOPPER = f"emulated-hopper/{RESULT}"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A checkout, committed with the results of one emulated GPU."""
    tree = make_tree(tmp_path_factory.mktemp("tree") / "lab notebook")
    (tree.root / ".gitignore").write_text("/build/\n__pycache__/\n")
    done = tree.lab("run", "--device", "emulated:hopper", "--keep")
    assert done.returncode == 0, done.stderr
    git(tree.root, "init", "--quiet")
    git(tree.root, "add", "--all")
    git(tree.root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "all")
    return tree


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_another_architecture_is_written_beside(notebook: Tree) -> None:
    done = notebook.lab("run", "--device", "emulated:fermi")
    assert done.returncode == 0, done.stderr
    assert (notebook.root / "build" / "results" / FERMI).is_file()
    assert git(notebook.root, "status", "--porcelain") == ""
    assert "results   build/results/emulated-fermi: 1 new" in done.stdout
    assert "scripts/lab run --keep" in done.stdout and "changed " not in done.stdout
    if shutil.which("gnuplot"):
        assert (
            notebook.root / "build" / "results" / "plots" / f"{synthetic.CHAPTER}.svg"
        ).is_file()


def test_results_beside_are_found_by_their_device(notebook: Tree) -> None:
    assert notebook.lab("run", "--device", "emulated:fermi").returncode == 0
    for device in ("emulated-fermi", "emulated:fermi"):
        done = notebook.lab("verdicts", "--device", device)
        assert done.returncode == 0 and f"data: build/results/{FERMI}" in done.stdout, done.stderr
    compared = notebook.lab("compare", "emulated:fermi", "emulated:hopper")
    assert compared.returncode == 0, compared.stderr


def test_what_another_nvcc_made_is_written_beside_with_what_differs(notebook: Tree) -> None:
    kept = notebook.data / HOPPER
    before = kept.read_text()
    own = nvcc.text(toolbox.find_nvcc())
    document = json.loads(before)
    document["context"]["compiler"] = "nvcc 12.1.66"
    row = next(row for row in document["rows"] if "load_sectors" in row)
    row["load_sectors"] += 7
    kept.write_text(json.dumps(document, indent=2))
    try:
        changed = everything(notebook.data)
        done = notebook.lab("run", "--device", "emulated:hopper")
        assert done.returncode == 0, done.stderr
        assert everything(notebook.data) == changed
    finally:
        kept.write_text(before)
    folder = f"build/results/nvcc-{own}/emulated-hopper"
    assert (notebook.root / folder / RESULT).is_file()
    assert f"results   {folder}: 1 new" in done.stdout
    assert "counts    as in data/, which another nvcc made: 0 of 1 chapters" in done.stdout
    assert f"1 of {len(document['rows'])} rows count otherwise than in data/" in done.stdout
    sectors = row["load_sectors"]
    assert f"{row['name']}: load_sectors {sectors} to {sectors - 7}" in done.stdout


def test_counts_that_are_the_same_change_no_tracked_byte(notebook: Tree) -> None:
    before = everything(notebook.data)
    done = notebook.lab("run", "--device", "emulated:hopper", FAKE="another day")
    assert done.returncode == 0, done.stderr
    assert everything(notebook.data) == before
    assert git(notebook.root, "status", "--porcelain") == ""
    assert "results   data/emulated-hopper: 1 as before" in done.stdout
    # The run's description is beside.
    record = json.loads((notebook.root / "build" / "runs" / HOPPER).read_text())
    assert record["date"].startswith("2030-") and record["compiler"] == "another"


def test_counts_that_differ_are_written_and_told_of(notebook: Tree) -> None:
    try:
        done = notebook.lab("run", "--device", "emulated:hopper", FAKE="counts otherwise")
        assert done.returncode == 0, done.stderr
        assert "results   data/emulated-hopper: 1 new" in done.stdout
        changed = next(line for line in done.stdout.splitlines() if line.startswith("changed "))
        assert f"data/{HOPPER}" in changed and "undo: git checkout " in changed
        undo = changed.partition("undo: ")[2].split()
        git(notebook.root, *undo[1:])
        assert git(notebook.root, "status", "--porcelain") == ""
    finally:
        git(notebook.root, "checkout", ".")


def test_a_quick_run_and_data_elsewhere_leave_it_alone(notebook: Tree, tmp_path: Path) -> None:
    assert notebook.lab("run", "--quick", "--device", "emulated:hopper").returncode == 0
    done = notebook.lab("run", "--device", "emulated:hopper", "--data", str(tmp_path / "a b"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a b" / HOPPER).is_file()
    assert git(notebook.root, "status", "--porcelain") == ""
    assert f"--data '{tmp_path / 'a b'}'" in done.stdout  # as a shell takes it


def test_a_run_ends_with_ten_lines_or_less(notebook: Tree) -> None:
    done = notebook.lab("run", "--device", "emulated:hopper")
    end = done.stdout.rstrip().rpartition("\n\n")[2].splitlines()
    assert len(end) <= 10
    assert end[0].startswith("ran       1 of 1 chapters on emulated:hopper in ")
    assert any(line.startswith("verdicts  1 holds") for line in end), end
    assert end[-1].startswith("next      scripts/lab verdicts --device emulated-hopper")


def test_keep_and_data_exclude_each_other(notebook: Tree) -> None:
    done = notebook.lab("run", "--keep", "--data", "x")
    assert done.returncode == 2 and "not allowed with" in done.stderr
