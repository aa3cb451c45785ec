"""One at a time: what installs into .venv or builds in build/ waits for another that does."""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BUILDING = "another scripts/lab is installing or building here: waiting for it"


@contextmanager
def held(root: Path, say: Callable[[str], None], why: str = _BUILDING) -> Iterator[None]:
    """Holds the lock of a folder, the working tree or build/runs: its own, so no file is left."""
    folder = os.open(root, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(why)
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        with suppress(OSError):  # a child may still have the folder open
            fcntl.flock(folder, fcntl.LOCK_UN)
        os.close(folder)


@contextmanager
def temporary_folder(prefix: str, parent: Path) -> Iterator[Path]:
    """A folder that goes when it was used. Of a killed command it stays, unlocked, for leftovers.py."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent) as name:
        folder = Path(name)
        with held(folder, lambda _: None):
            yield folder
