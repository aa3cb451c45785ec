"""The standard streams: open, whatever the caller has closed, able to print any letter, and named where they fail."""

import io
import os
import sys

from notebook.base.errors import Problem

OUTPUT = "standard output"


class _Named(io.FileIO):
    """Says that it was standard output which could not be written: print() names no file."""

    def write(self, content: object) -> int:
        try:
            return super().write(content)  # type: ignore[arg-type]
        except OSError as error:
            error.filename = OUTPUT
            raise


def prepare() -> None:
    """Raises Problem where standard output is closed: what a command finds would be lost."""
    closed = [handle for handle in (0, 1, 2) if _opens(handle)]
    if 2 in closed:
        sys.stderr = open(2, "w", encoding="utf-8")  # noqa: SIM115  # as long as the process lives
    if 1 in closed:
        raise Problem("standard output is closed; to discard what is printed: >/dev/null")
    # A terminal or a log whose encoding lacks a letter gets a question mark for it.
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Named(1, "w", closefd=False)),
        sys.stdout.encoding,
        errors="replace",
        line_buffering=sys.stdout.isatty(),
    )
    sys.stderr.reconfigure(errors="replace")  # type: ignore[union-attr]


def _opens(handle: int) -> bool:
    """Whether a stream was closed: the next file that is opened would take its place, and what is printed."""
    try:
        os.fstat(handle)
    except OSError:
        os.open(os.devnull, os.O_RDWR)
        return True
    return False


def discard_output() -> None:
    """What is still to be written would fail again when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
