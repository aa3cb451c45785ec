"""Errors: one line for the user with how to fix it, and the exit status that goes with it."""

import sys

CHECK_FAILED = 1
WRONG_USAGE = 2
MISSING = 3
INTERRUPTED = 130

_refused: dict[str, None] = {}


class Problem(Exception):
    """One line that says what is wrong and how to fix it; `status` becomes the exit status."""

    def __init__(self, message: str, status: int = CHECK_FAILED) -> None:
        super().__init__(message)
        self.status = status


class Malformed(Exception):
    """What is wrong with a file; the caller, which knows its name, makes a Problem of it."""


def refuse(problem: Problem) -> None:
    """Names, once, an input that is not used; the command goes on without it and ends with status 1."""
    if str(problem) not in _refused:
        _refused[str(problem)] = None
        print(f"lab: error: {problem}", file=sys.stderr)


def take_refused() -> list[str]:
    """What was refused since this was last called."""
    refused = list(_refused)
    _refused.clear()
    return refused
