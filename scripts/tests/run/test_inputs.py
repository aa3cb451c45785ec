"""Counts from unchanged sources are shown at once; an edit that matters counts again."""

import pytest
from conftest import Tree, make_tree

ON_FERMI = ("run", "02", "--device", "emulated:fermi", "--no-figures")
STORED = "counted before from the same sources"


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    tree = make_tree(tmp_path_factory.mktemp("inputs") / "lab notebook")
    (tree.root / "common" / "emulator").mkdir(parents=True, exist_ok=True)
    (tree.root / "common" / "emulator" / "warp.cpp").write_text("int lanes = 32;\n")
    assert STORED not in _run(tree)
    return tree


def _run(tree: Tree, *options: str) -> str:
    done = tree.lab(*ON_FERMI, *options)
    assert done.returncode == 0, done.stderr
    assert "1 of 1 chapters" in done.stdout
    return done.stderr


def test_what_was_counted_is_shown_at_once(counted: Tree) -> None:
    assert STORED in _run(counted)
    assert STORED not in _run(counted, "--again")


@pytest.mark.parametrize(
    ("path", "line", "is_again"),
    [
        ("chapters/02_misaligned_reads/experiment.cu", "int edited;\n", True),
        ("chapters/02_misaligned_reads/experiment.cu", "// edited\n", False),
        ("chapters/02_misaligned_reads/page.md", "Edited.\n", False),
        ("common/emulator/warp.cpp", "int edited;\n", True),
        ("data/timing/parameters.csv", "\n", True),
    ],
)
def test_an_edit_that_matters_counts_again(
    counted: Tree, path: str, line: str, is_again: bool
) -> None:
    edited = counted.root / path
    _run(counted)
    before = edited.read_text() if edited.is_file() else None
    edited.parent.mkdir(parents=True, exist_ok=True)
    edited.write_text((before or "") + line)
    try:
        assert (STORED not in _run(counted)) == is_again
    finally:
        edited.unlink() if before is None else edited.write_text(before)


def test_a_damaged_or_missing_record_counts_again(counted: Tree) -> None:
    _run(counted)
    (result,) = counted.root.glob("build/results/emulated-fermi/02_*.json")
    (record,) = counted.root.glob("build/runs/emulated-fermi/02_*.json")
    result.write_text(result.read_text().replace("inputs_sha256", "start_time"))
    record.write_text("{")
    assert STORED not in _run(counted)
