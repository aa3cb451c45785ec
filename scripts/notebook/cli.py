"""The command line of `scripts/lab`: runs one command, and makes one line of what goes wrong."""

import sys

from notebook import commands
from notebook.base import streams
from notebook.base.errors import CHECK_FAILED, Problem, take_refused


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status: 0, 1 (a check failed), 2 (usage), 3 (missing)."""
    try:
        options = commands.parser().parse_args(arguments)
        status: int = options.command(options)
        sys.stdout.flush()
        return CHECK_FAILED if take_refused() and status == 0 else status
    except Problem as problem:
        print(f"lab: error: {problem}", file=sys.stderr)
        return problem.status
    except BrokenPipeError:  # `lab list | head`
        streams.discard_output()
        return CHECK_FAILED
    except OSError as error:
        if error.filename == streams.OUTPUT:
            streams.discard_output()
        where = f"'{error.filename}': " if error.filename else ""
        print(f"lab: error: {where}{error.strerror or error}", file=sys.stderr)
        return CHECK_FAILED
