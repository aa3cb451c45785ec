"""A run that was interrupted goes on from what is missing; a chapter that hangs is ended."""

import json
import shutil
from pathlib import Path

import pytest
import synthetic
from conftest import Tree, make_tree

SECOND = "03_second_chapter"
ON_HOPPER = ("--device", "emulated:hopper")


@pytest.fixture(scope="module")
def two_chapters(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    tree = make_tree(tmp_path_factory.mktemp("resume") / "lab notebook")
    second = tree.root / "chapters" / SECOND
    shutil.copytree(tree.chapter.directory, second)
    target = (second / "meson.build").read_text().replace("misaligned_reads'", "second_chapter'")
    (second / "meson.build").write_text(target)
    (second / "figure.gp").unlink()
    (second / "README.md").write_text("# 03 A second one?\n")
    return tree


def test_a_resumed_run_does_what_is_missing_and_nothing_else(two_chapters: Tree) -> None:
    tree = two_chapters
    folder = tree.root / "build" / "results" / "emulated-hopper"
    done = tree.lab("run", *ON_HOPPER, FAKE="fails", FAKE_CHAPTER=SECOND)
    assert done.returncode == 1 and "scripts/lab run --resume" in done.stderr
    first = folder / f"{synthetic.CHAPTER}.json"
    made = first.stat().st_mtime_ns
    assert not (folder / f"{SECOND}.json").exists()

    again = tree.lab("run", "--resume")
    assert again.returncode == 0, again.stderr
    assert "1 of 2 chapters on emulated:hopper are done" in again.stderr
    assert f"{SECOND} on emulated:hopper" in again.stderr
    assert f"{synthetic.CHAPTER} on emulated:hopper" not in again.stderr
    assert first.stat().st_mtime_ns == made
    assert json.loads((folder / f"{SECOND}.json").read_text())["context"]["chapter"] == SECOND
    assert "2 of 2 chapters" in again.stdout, "both are in what it sums up"

    nothing = tree.lab("run", "--resume")
    assert nothing.returncode == 2 and "no run was interrupted" in nothing.stderr


def test_results_that_are_gone_are_made_again(two_chapters: Tree, tmp_path: Path) -> None:
    to = ("--data", str(tmp_path / "here"))
    two_chapters.lab("run", *ON_HOPPER, *to, FAKE="fails", FAKE_CHAPTER=SECOND)
    result = tmp_path / "here" / "emulated-hopper" / f"{synthetic.CHAPTER}.json"
    result.unlink()
    assert two_chapters.lab("run", "--resume").returncode == 0
    assert result.is_file(), "where the run had put them"


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"device": 1}', "{" * 100_000, '{"a": 1e999}', "\0"]
)
def test_a_damaged_record_is_one_line(two_chapters: Tree, content: str) -> None:
    record = two_chapters.root / "build" / "runs" / "unfinished.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(content)
    done = two_chapters.lab("run", "--resume")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1 and "unfinished.json is damaged" in line
    record.unlink()


def test_a_chapter_that_hangs_is_ended(two_chapters: Tree, tmp_path: Path) -> None:
    done = two_chapters.lab(
        *("run", *ON_HOPPER, "--time-limit", "0.03"),
        FAKE="hangs",
        FAKE_CHAPTER=SECOND,
        FAKE_PID=str(tmp_path / "pid"),
    )
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert f"{SECOND}: its executable had not ended after 2 s and was killed" in done.stderr
    assert "1 of 2 chapters on emulated:hopper" in done.stdout, "the other one is done"
    with pytest.raises(FileNotFoundError):
        Path("/proc", (tmp_path / "pid").read_text(), "status").read_text()


@pytest.mark.parametrize(
    "words",
    [("--resume", "02"), ("--resume", "--quick"), ("--time-limit", "0"), ("--time-limit", "nan")],
)
def test_wrong_options(two_chapters: Tree, words: tuple[str, ...]) -> None:
    done = two_chapters.lab("run", *words)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2 and line.startswith("lab: error: --")
