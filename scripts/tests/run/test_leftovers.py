"""What a killed command leaves is removed by the next run; what a living one uses is not. A full disk is named."""

import errno
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
import synthetic
from conftest import Tree

from notebook.base import files, leftovers, lock
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.run import collect

ON_FERMI = ("--device", "emulated:fermi", "--no-figures")


def hidden(root: Path) -> list[Path]:
    return [path for path in root.rglob(".*") if path.name.endswith(".tmp")]


def test_the_next_run_removes_what_a_killed_one_left(tree: Tree) -> None:
    pid = tree.root / "pid"
    process = subprocess.Popen(
        tree.command("run", *ON_FERMI),
        cwd=tree.root,
        env=tree.settings(FAKE="hangs", FAKE_PID=str(pid)),
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not (pid.exists() and pid.read_text()):
        assert time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.wait()
    os.kill(int(pid.read_text()), signal.SIGKILL)
    assert list((tree.root / "build").glob("run-*"))
    for name in ("data", "plots", "chapters/02_misaligned_reads", "build/runs"):
        (tree.root / name / ".file.json.abc.tmp").write_text("half")

    done = tree.lab("run", *ON_FERMI)
    assert done.returncode == 0, done.stderr
    assert not list((tree.root / "build").glob("run-*"))
    assert hidden(tree.root) == []


def test_what_is_used_stays(tmp_path: Path) -> None:
    project = Project(tmp_path, tmp_path / "data")
    (tmp_path / "build").mkdir()
    handle, temporary = files._temporary(tmp_path / "data" / "results.json")
    with lock.temporary_folder("run-", project.build) as folder:
        leftovers.remove(project, [])
        assert folder.is_dir() and Path(temporary).is_file()
    assert not folder.exists()
    os.close(handle)
    leftovers.remove(project, [])
    assert not Path(temporary).exists()


def test_results_elsewhere_are_cleared_too(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    left = elsewhere / "nvidia-h200" / ".02.json.abc.tmp"
    kept = elsewhere / "nvidia-h200" / "02.json"
    left.parent.mkdir(parents=True)
    for path in (left, kept):
        path.write_text("{}")
    leftovers.remove(Project(tmp_path / "root", tmp_path / "root" / "data"), [elsewhere])
    assert not left.exists() and kept.exists()


def test_a_file_that_a_cleaner_took_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the making of a temporary file and its lock."""
    make = files._made_beside

    def taken_once(path: Path) -> tuple[int, str]:
        monkeypatch.setattr(files, "_made_beside", make)
        handle, name = make(path)
        files.remove_leftovers(tmp_path)
        return handle, name

    monkeypatch.setattr(files, "_made_beside", taken_once)
    files.write(tmp_path / "file", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "whole"


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """write() fails without a name, and rename() with that of the temporary file."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for function in ("fchmod", "replace"):
        with monkeypatch.context() as patched, pytest.raises(OSError) as raised:
            patched.setattr(os, function, full)
            files.write(tmp_path / "results.json", "{}")
        assert raised.value.filename == str(tmp_path / "results.json")
        assert list(tmp_path.iterdir()) == []


def test_a_result_that_found_no_space_says_where(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "process 1.json"
    out.write_text('{"context": {')
    with pytest.raises(Problem, match="wrote no valid result"):
        collect._read(tree.chapter, out, is_timed=True)
    usage = collect.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(collect.shutil, "disk_usage", lambda _: usage._replace(free=0))
    where = f"{synthetic.CHAPTER}: no space left for its result in '?{tmp_path}'?"
    with pytest.raises(Problem, match=where):
        collect._read(tree.chapter, out, is_timed=True)
