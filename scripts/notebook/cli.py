"""The command line of `scripts/lab`: runs one command, and makes one line of what goes wrong."""

import os
import signal
import sys

from notebook import commands
from notebook.errors import CHECK_FAILED, INTERRUPTED, Problem, take_refused


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status: 0, 1 (a check failed), 2 (usage), 3 (missing)."""
    # A plain `kill` cleans up as Ctrl-C does: an exception runs through every `finally`.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    for stream in (sys.stdout, sys.stderr):
        # A terminal or a log whose encoding lacks a letter gets a question mark for it.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        options = commands.parser().parse_args(arguments)
        status: int = options.command(options)
        sys.stdout.flush()
        return CHECK_FAILED if take_refused() and status == 0 else status
    except Problem as problem:
        print(f"lab: error: {problem}", file=sys.stderr)
        return problem.status
    except BrokenPipeError:  # `lab list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CHECK_FAILED
    except OSError as error:
        where = f"'{error.filename}': " if error.filename else ""
        print(f"lab: error: {where}{error.strerror or error}", file=sys.stderr)
        return CHECK_FAILED
    except KeyboardInterrupt:
        print("lab: interrupted; finished data are whole", file=sys.stderr)
        return INTERRUPTED
