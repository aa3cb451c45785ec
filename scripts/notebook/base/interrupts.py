"""Ctrl-C and `kill` end a command with one line: not within an import, as what is left half-imported fails with a
traceback, and an extension module may crash; not within a `__del__`, which swallows every exception."""

import signal
import sys
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_IMPORTS = "<frozen importlib._bootstrap>"
_SECONDS_BETWEEN_TRIES = 0.001


def take() -> None:
    """Raises what the command's `finally` and `except` see; scripts/lab has blocked both signals until here.

    What the caller ignores (`nohup`, a script's background) stays ignored.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)
    sys.unraisablehook = _swallowed
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def leave() -> None:
    """The command has ended: from here on they end the process at once; one that still waits has come too late."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> None:
    if _is_importing(frame):
        _try_later(number)
    elif number == signal.SIGINT:
        raise KeyboardInterrupt
    else:
        sys.exit(128 + number)


def _try_later(number: int) -> None:
    signal.signal(signal.SIGALRM, lambda _, frame: _end(number, frame))
    signal.setitimer(signal.ITIMER_REAL, _SECONDS_BETWEEN_TRIES)


def _swallowed(unraisable: "UnraisableHookArgs") -> None:
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _try_later(signal.SIGINT)
    elif isinstance(unraisable.exc_value, SystemExit):
        _try_later(signal.SIGTERM)
    else:
        sys.__unraisablehook__(unraisable)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code.co_filename != _IMPORTS:
        frame = frame.f_back
    return frame is not None
