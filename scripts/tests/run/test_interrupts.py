"""Ctrl-C, `kill` and closed or full streams end a command with one line and a status, whenever they come."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import SCRIPTS, Tree

# As scripts/lab starts Python, where `env` can.
BLOCKED = ["env", "--block-signal=INT,TERM"]
if subprocess.run([*BLOCKED, "true"], capture_output=True, check=False).returncode != 0:
    BLOCKED = []

# At the head of a module: an import that takes its time.
SLOW = """
import pathlib, time
pathlib.Path("importing").touch()
while not pathlib.Path("signalled").exists():
    time.sleep(0.01)
for _ in range(20):
    time.sleep(0.01)
pathlib.Path("imported").touch()
"""
# In place of a command: what only a signal ends.
ENDLESS = """
import time

def print_chapters(*_):
    time.sleep(60)
"""


def wait_for(path: Path) -> None:
    until = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < until, f"no {path.name}"
        time.sleep(0.01)


@pytest.mark.parametrize("module", ["tools/nvcc.py", "commands.py", "pages/chapter_list.py"])
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        (signal.SIGINT, 130, "lab: interrupted; results already written are intact\n"),
        (signal.SIGTERM, 143, ""),
    ],
)
def test_an_import_is_not_cut(
    tree: Tree, module: str, number: signal.Signals, status: int, said: str
) -> None:
    """Of the bootstrap, of the command line, of a command."""
    notebook = tree.root / "scripts" / "notebook"
    (notebook / "pages" / "chapter_list.py").write_text(ENDLESS)
    (notebook / module).write_text((notebook / module).read_text() + SLOW)
    process = subprocess.Popen(
        [*BLOCKED, *tree.command("list")],
        cwd=tree.root,
        env=tree.settings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(tree.root / "importing")
    process.send_signal(number)
    (tree.root / "signalled").touch()
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output, errors) == (status, "", said)
    assert (tree.root / "imported").exists()


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_finalizer_swallows_no_signal(tree: Tree, number: signal.Signals, status: int) -> None:
    body = SLOW.strip().replace("\n", "\n        ")
    finalizer = f"class Slow:\n    def __del__(self):\n        {body}\n"
    endless = ENDLESS.replace("    time.sleep", "    Slow()\n    time.sleep")
    (tree.root / "scripts" / "notebook" / "pages" / "chapter_list.py").write_text(
        finalizer + endless
    )
    process = subprocess.Popen(
        tree.command("list"), cwd=tree.root, env=tree.settings(), stderr=subprocess.PIPE, text=True
    )
    wait_for(tree.root / "importing")
    process.send_signal(number)
    (tree.root / "signalled").touch()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == status
    assert "Traceback" not in errors and "ignored" not in errors


def test_what_the_caller_ignores_stays_ignored(tree: Tree) -> None:
    path = tree.root / "scripts" / "notebook" / "tools" / "nvcc.py"
    path.write_text(path.read_text() + SLOW)
    command = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *tree.command("list")]
    process = subprocess.Popen(
        command, cwd=tree.root, env=tree.settings(), stdout=subprocess.PIPE, text=True
    )
    wait_for(tree.root / "importing")
    process.send_signal(signal.SIGINT)
    (tree.root / "signalled").touch()
    assert "02_misaligned_reads" in process.communicate(timeout=60)[0]
    assert process.returncode == 0


@pytest.mark.skipif(not BLOCKED, reason="this env blocks no signals")
@pytest.mark.parametrize("folder", ["a lab", "a=b"])
def test_python_starts_with_both_signals_blocked(tmp_path: Path, folder: str) -> None:
    """A stand-in for Python signals itself: it ends only once it has unblocked them. `env` would take a=b for a
    variable, so that it is not asked there."""
    root = tmp_path / folder
    (root / "scripts").mkdir(parents=True)
    shutil.copy(SCRIPTS / "lab", root / "scripts")
    shutil.copytree(SCRIPTS / "requirements", root / "scripts" / "requirements")
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    signals = "kill -INT $$; kill -TERM $$;" if "=" not in folder else ""
    python.write_text(f'#!/bin/sh\n{signals} echo "started: $*"\n')
    python.chmod(0o755)
    hashed = subprocess.run(
        ["sha256sum", SCRIPTS / "requirements" / "run.txt"],
        capture_output=True,
        text=True,
        check=True,
    )
    (root / ".venv" / "lab-stamp").write_text(f"{hashed.stdout.split()[0]}\n{python}\n")
    done = subprocess.run([root / "scripts" / "lab", "list"], capture_output=True, text=True)
    assert done.stdout == "started: -P -m notebook list\n", done.stderr


def shell(tree: Tree, redirection: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'"$@" {redirection}', "sh", *tree.command("list")]
    return subprocess.run(
        command, cwd=tree.root, env=tree.settings(), capture_output=True, text=True, check=False
    )


def test_a_closed_standard_output_is_said(tree: Tree) -> None:
    done = shell(tree, ">&-")
    assert done.returncode == 1
    assert done.stderr == (
        "lab: error: standard output is closed; to discard what is printed: >/dev/null\n"
    )


def test_other_closed_streams_are_no_matter(tree: Tree) -> None:
    for redirection in ("<&-", "2>&-", "<&- 2>&-"):
        done = shell(tree, redirection)
        assert done.returncode == 0 and "02_misaligned_reads" in done.stdout, redirection
    # Messages about errors are lost, and not mixed into the results.
    wrong = shell(tree, "77 2>&-")
    assert (wrong.returncode, wrong.stdout) == (2, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_named(tree: Tree, unbuffered: str) -> None:
    tree.environment["PYTHONUNBUFFERED"] = unbuffered
    done = shell(tree, ">/dev/full")
    assert done.returncode == 1
    assert done.stderr == "lab: error: 'standard output': No space left on device\n"


def test_a_reader_that_has_gone_is_no_error(tree: Tree) -> None:
    readable, writable = os.pipe()
    os.close(readable)
    done = subprocess.run(
        tree.command("list"),
        cwd=tree.root,
        env=tree.settings(),
        stdout=writable,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writable)
    assert (done.returncode, done.stderr) == (1, "")
