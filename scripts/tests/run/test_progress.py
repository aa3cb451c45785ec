"""What apt and pip show while they run: lines in a log, one line that changes on a terminal."""

import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

from notebook.base import progress

_SCRIPTS = Path(__file__).resolve().parents[2]


def shown_until(text: str, ours: int, theirs: int, folder: Path) -> str:
    """What a command shows that says "unpacking" and ends once `text` has been seen."""
    seen = folder / "seen"
    waits = f"import os, time\nprint('unpacking')\nwhile not os.path.exists({str(seen)!r}): time.sleep(0.01)"
    call = (
        "from notebook.base import progress; progress._SECONDS_BETWEEN_LINES = 0.1; "
        f"progress.run({[sys.executable, '-u', '-c', waits]!r}, 'apt')"
    )
    settings = os.environ | {"PYTHONPATH": str(_SCRIPTS)}
    running = subprocess.Popen([sys.executable, "-P", "-c", call], stderr=theirs, env=settings)
    os.close(theirs)
    shown = b""
    while part := read(ours):
        shown += part
        if text in shown.decode():
            seen.touch()
    os.close(ours)
    assert running.wait() == 0
    return shown.decode()


def read(file: int) -> bytes:
    try:
        return os.read(file, 65536)
    except OSError:  # of a terminal that has no writer any more
        return b""


def test_a_log_gets_a_line_now_and_then(tmp_path: Path) -> None:
    lines = shown_until("unpacking", *os.pipe(), tmp_path).splitlines()
    assert all(re.fullmatch(r"\[lab\] apt, \d+ s: (unpacking)?", line) for line in lines)


def test_a_terminal_gets_one_line_that_is_cleared(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (24, 80))
    shown = shown_until("unpacking", ours, theirs, tmp_path)
    assert re.search(r"\r\[lab\] apt, \d+ s: unpacking\x1b\[K", shown)
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[K")


def test_a_command_that_fails_keeps_what_it_printed() -> None:
    done = progress.run(["sh", "-c", "echo E: no space left >&2; exit 100"], "apt")
    assert done == progress.Done(100, "E: no space left\n")
