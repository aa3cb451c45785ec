"""What a long command is doing: one line that changes on a terminal, a line now and then elsewhere."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from notebook.base.text import plain

# Elsewhere than on a terminal, where a log shall show that something goes on, but not all of it.
_SECONDS_BETWEEN_LINES = 15.0


def say(message: str) -> None:
    print(f"[lab] {message}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit status, and all that it printed."""

    status: int
    output: str


def run(command: list[str], doing: str, environment: Mapping[str, str] | None = None) -> Done:
    """Runs a command and shows the last line that it printed; it gets no input."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None
    shown = _Line(doing)
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            shown.update(line)
        status = process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        shown.end()
    return Done(status, "".join(lines))


class _Line:
    """The line that tells of a command; it keeps time while the command says nothing."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._last = ""
        self._began = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._ended = threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)
        self._clock.start()

    def update(self, text: str) -> None:
        self._last = plain(text.strip()) or self._last

    def end(self) -> None:
        self._ended.set()
        self._clock.join()
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _tick(self) -> None:
        while not self._ended.wait(0.2 if self._is_terminal else _SECONDS_BETWEEN_LINES):
            seconds = time.monotonic() - self._began
            text = f"[lab] {self._doing}, {seconds:.0f} s: {self._last}"
            if self._is_terminal:
                print(f"\r{text[: _columns() - 1]}\x1b[K", end="", file=sys.stderr, flush=True)
            else:
                print(text, file=sys.stderr, flush=True)


def _columns() -> int:
    try:
        return max(os.get_terminal_size(sys.stderr.fileno()).columns, 20)
    except OSError:
        return 80
