"""`lab run --filter`: some rows run, and take the place of no whole result."""

import json
import shutil
from pathlib import Path

import pytest
import synthetic
from conftest import Tree, make_tree
from test_command_line import everything

from notebook.tools import build

ON_HOPPER = ("--device", "emulated:hopper")
HOPPER = f"emulated-hopper/{synthetic.CHAPTER}.json"
SECOND = "03_second_chapter"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """With whole results: of one emulated GPU in data/, of another in build/results."""
    tree = make_tree(tmp_path_factory.mktemp("filter") / "lab notebook")
    for arguments in ((*ON_HOPPER, "--keep"), ("--device", "emulated:fermi")):
        done = tree.lab("run", "--no-figures", *arguments)
        assert done.returncode == 0, done.stderr
    return tree


@pytest.fixture
def two_chapters(tmp_path: Path) -> Tree:
    """Two chapters; the second one has rows of another name."""
    tree = make_tree(tmp_path / "lab notebook")
    second = tree.root / "chapters" / SECOND
    shutil.copytree(tree.chapter.directory, second)
    meson = second / "meson.build"
    meson.write_text(meson.read_text().replace("misaligned_reads'", "second_chapter'"))
    fake = second / "fake_executable.py"
    renamed = 'rows = [row | {"name": "other_" + row["name"]} for row in rows]\nrows = [row for'
    fake.write_text(fake.read_text().replace("rows = [row for", renamed))
    return tree


def whole_results(tree: Tree) -> dict[str, bytes]:
    folders = [tree.data, *(tree.root / "build" / name for name in ("results", "runs", "quick"))]
    return {str(folder): everything(folder) for folder in folders if folder.is_dir()}


def rows_of(path: Path) -> set[str]:
    return {row["name"] for row in json.loads(path.read_text())["rows"]}


@pytest.mark.parametrize("device", ["emulated:hopper", "emulated:fermi"])
def test_some_rows_go_beside_whole_results(notebook: Tree, device: str) -> None:
    before = whole_results(notebook)
    done = notebook.lab("run", "02", "--device", device, "--filter", "offset:(0|11)/")
    assert done.returncode == 0, done.stderr
    assert whole_results(notebook) == before
    folder = f"build/filtered/{device.replace(':', '-')}"
    assert rows_of(notebook.root / folder / f"{synthetic.CHAPTER}.json") == {
        f"read_offset/offset:{offset}/block:512/n:1048576/cache:cold" for offset in (0, 11)
    }
    assert f"results   {folder}: 1 new" in done.stdout
    assert "whole results are unchanged" in done.stdout
    # Rows that are left out would be missing in a figure.
    assert not list((notebook.root / "build" / "filtered").rglob("*.svg"))


def test_a_quick_run_of_some_rows_is_no_quick_run_of_all(notebook: Tree) -> None:
    assert notebook.lab("run", "--quick", "--no-figures", *ON_HOPPER).returncode == 0
    before = whole_results(notebook)
    done = notebook.lab("run", "--quick", *ON_HOPPER, "--filter", "offset:1/")
    assert done.returncode == 0, done.stderr
    assert whole_results(notebook) == before
    assert len(rows_of(notebook.root / "build" / "filtered" / HOPPER)) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--filter", "no such row"], "--filter no such row: matches no row"),
        (["--filter", "offset:(1"], "--filter offset:(1: is not a regular expression"),
        (["--filter", "1", "--keep"], "they go to build/filtered, without --keep and --data"),
        (["--filter", "1", "--data", "x"], "they go to build/filtered, without --keep and --data"),
    ],
)
def test_wrong_filters(notebook: Tree, arguments: list[str], complaint: str) -> None:
    before = whole_results(notebook)
    done = notebook.lab("run", *ON_HOPPER, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr.splitlines()[-1]
    assert whole_results(notebook) == before


def test_resume_takes_no_filter(notebook: Tree) -> None:
    done = notebook.lab("run", "--resume", "--filter", "offset:1/")
    assert done.returncode == 2 and "it takes no more" in done.stderr


def test_chapters_without_such_rows_are_left_out(two_chapters: Tree) -> None:
    done = two_chapters.lab("run", *ON_HOPPER, "--filter", "^read_offset/offset:11/")
    assert done.returncode == 0, done.stderr
    assert f"{SECOND}: no row matches --filter" in done.stderr
    assert "ran       1 of 1 chapters" in done.stdout
    folder = two_chapters.root / "build" / "filtered" / "emulated-hopper"
    assert [path.name for path in folder.iterdir()] == [f"{synthetic.CHAPTER}.json"]


def test_an_interrupted_run_of_some_rows_goes_on_with_them(two_chapters: Tree) -> None:
    some = ("--filter", "read_offset/offset:11/")
    done = two_chapters.lab("run", *ON_HOPPER, *some, FAKE="fails", FAKE_CHAPTER=SECOND)
    assert done.returncode == 1
    folder = two_chapters.root / "build" / "filtered" / "emulated-hopper"
    assert not (folder / f"{SECOND}.json").exists()
    again = two_chapters.lab("run", "--resume")
    assert again.returncode == 0, again.stderr
    (name,) = rows_of(folder / f"{SECOND}.json")
    assert name.startswith("other_read_offset/offset:11/")
    assert not (two_chapters.root / "build" / "results").exists()


def test_a_new_build_keeps_them(tree: Tree) -> None:
    build.configure(tree.project, tree.chapter.target)
    kept = tree.project.filtered.data / "emulated-fermi" / "kept.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    (tree.project.build / "build.ninja").write_text("garbage $\n")
    build.configure(tree.project, tree.chapter.target)
    assert kept.read_text() == "{}"
