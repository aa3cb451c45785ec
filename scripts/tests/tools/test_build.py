"""Whatever lies in build/: it is a build of this tree, or one is made; results of runs stay."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Tree

from notebook.base.errors import Problem
from notebook.tools import build, gpus_here

REAL = Path(__file__).resolve().parents[3]


def _garbage_in_ninja(folder: Path) -> None:
    (folder / "build.ninja").write_text("\x00 garbage $\n")


def _half_of_ninja(folder: Path) -> None:
    text = (folder / "build.ninja").read_text()
    (folder / "build.ninja").write_text(text[: len(text) // 2] + "\nbuild\n")


def _garbage_in_meson(folder: Path) -> None:
    (folder / "meson-info" / "meson-info.json").write_text("{")
    (folder / "meson-private" / "coredata.dat").write_bytes(b"\x00")


def _nothing_but_leftovers(folder: Path) -> None:
    shutil.rmtree(folder / "meson-info")
    (folder / "build.ninja").unlink()


def _another_tree(folder: Path) -> None:
    info = folder / "meson-info" / "meson-info.json"
    info.write_text(info.read_text().replace("lab notebook", "lab elsewhere"))


@pytest.mark.parametrize(
    "damage",
    [_garbage_in_ninja, _half_of_ninja, _garbage_in_meson, _nothing_but_leftovers, _another_tree],
)
def test_a_damaged_build_is_made_anew(tree: Tree, damage: Callable[[Path], None]) -> None:
    target = tree.chapter.target
    build.configure(tree.project, target)
    kept = tree.project.build / "results" / "emulated-fermi" / "kept.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    damage(tree.project.build)
    build.configure(tree.project, target)
    build.build(tree.project, "the chapter", target)
    assert (tree.project.build / target).is_file()
    assert kept.read_text() == "{}"


def test_the_program_of_the_first_command_outlives_the_first_build(tree: Tree) -> None:
    program = tree.project.build / build.PROGRAMS / "0123456789abcdef" / "program"
    program.parent.mkdir(parents=True)
    program.write_text("compiled")
    build.configure(tree.project, tree.chapter.target)
    assert program.read_text() == "compiled"


def test_a_file_in_place_of_the_folder(tree: Tree) -> None:
    tree.project.build.write_text("garbage")
    build.configure(tree.project, tree.chapter.target)


def _configured_for(tree: Tree, targets: str, chosen: str) -> None:
    (tree.project.build / "common").mkdir(exist_ok=True)
    (tree.project.build / "common" / "gpu_targets.json").write_text(
        json.dumps({"targets": targets, "chosen": chosen})
    )


@pytest.mark.parametrize(
    ("targets", "chosen", "is_again"),
    [("", "false", True), ("90", "false", True), ("61 90", "false", False), ("90", "true", False)],
)
def test_another_gpu_is_configured_for(
    tree: Tree,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    targets: str,
    chosen: str,
    is_again: bool,
) -> None:
    build.configure(tree.project)
    _configured_for(tree, targets, chosen)
    monkeypatch.setattr(gpus_here, "gpus", lambda: (gpus_here.Gpu("GTX 1080", (6, 1)),))
    capfd.readouterr()
    build.configure(tree.project)
    said = "build/ has no machine code for sm_61, GTX 1080: configuring again"
    assert (said in capfd.readouterr().err) == is_again


def test_a_build_by_another_nvcc_is_made_anew(
    tree: Tree, capfd: pytest.CaptureFixture[str]
) -> None:
    build.configure(tree.project)
    compilers = tree.project.build / "meson-info" / "intro-compilers.json"
    compilers.write_text(json.dumps({"host": {"cuda": {"version": "11.8.89"}}}))
    capfd.readouterr()
    build.configure(tree.project)
    assert "is not a build of this tree by this Meson and nvcc" in capfd.readouterr().err


def test_gpu_targets_last_until_others_are_asked_for(tree: Tree) -> None:
    shutil.copy(REAL / "meson.options", tree.root)
    options = tree.project.build / "meson-private" / "cmd_line.txt"
    ninja = tree.project.build / "build.ninja"

    def configured(**asked: str) -> str:
        build.configure(tree.project, tree.chapter.target, **asked)
        (line,) = [line for line in options.read_text().splitlines() if "gpu_targets" in line]
        return line

    assert configured(gpu_targets="80,90") == "gpu_targets = 80,90"
    before = ninja.stat().st_mtime_ns
    assert configured() == configured(gpu_targets="80,90") == "gpu_targets = 80,90"
    assert ninja.stat().st_mtime_ns == before
    _garbage_in_ninja(tree.project.build)
    assert configured(gpu_targets="70,native") == "gpu_targets = 70,native"
    assert configured(gpu_targets="75") == "gpu_targets = 75"


def test_options_outlive_a_new_build(tree: Tree) -> None:
    build.configure(tree.project)
    options = tree.project.build / "meson-private" / "cmd_line.txt"
    options.write_text("[options]\nbuildtype = plain\n\n[properties]\n")
    _garbage_in_ninja(tree.project.build)
    build.configure(tree.project)
    assert "buildtype = plain" in options.read_text()


def test_a_wrong_build_file_is_said_and_leaves_the_build(
    tree: Tree, capfd: pytest.CaptureFixture[str]
) -> None:
    build.configure(tree.project, tree.chapter.target)
    before = (tree.project.build / "build.ninja").stat().st_ino
    meson = tree.chapter.directory / "meson.build"
    meson.write_text(meson.read_text() + "nonsense(\n")
    with pytest.raises(Problem, match="failed; see the messages above"):
        build.configure(tree.project, tree.chapter.target)
    assert (tree.project.build / "build.ninja").stat().st_ino == before
    capfd.readouterr()


def test_a_deleted_chapter_breaks_no_build(tree: Tree) -> None:
    """With the notebook's own list of chapters."""
    shutil.copy(REAL / "chapters" / "meson.build", tree.root / "chapters")
    (tree.root / "meson.build").write_text(
        "project('fake')\npython = find_program('python3')\nsubdir('chapters')\n"
    )
    other = tree.root / "chapters" / "03_other"
    shutil.copytree(tree.chapter.directory, other)
    text = (other / "meson.build").read_text()
    (other / "meson.build").write_text(
        text.replace("misaligned_reads_emulated", "other").replace("misaligned_reads", "other")
    )
    build.configure(tree.project, tree.chapter.target, "chapters/03_other/other")
    shutil.rmtree(other)
    build.configure(tree.project, tree.chapter.target)
    build.build(tree.project, "everything")
    assert not any("03_other" in target for target in build.targets(tree.project))


def test_one_line_says_what_was_built(tree: Tree, capfd: pytest.CaptureFixture[str]) -> None:
    target = tree.chapter.target
    build.configure(tree.project, target)
    capfd.readouterr()
    build.build(tree.project, "the chapter", target)
    assert re.fullmatch(r"\[lab\] built the chapter in [0-9]+ s\n", capfd.readouterr().err)
    build.build(tree.project, "the chapter", target)
    assert capfd.readouterr() == ("", "")
    with pytest.raises(Problem, match="building the chapter failed; see the messages above"):
        build.build(tree.project, "the chapter", "nothing_of_this_name")
    assert "unknown target 'nothing_of_this_name'" in capfd.readouterr().err
