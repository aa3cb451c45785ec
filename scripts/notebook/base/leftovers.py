"""What killed commands have left behind: folders of runs, and files that were being written."""

import fcntl
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from notebook.base import files
from notebook.base.project import Project

_TEMPORARY = ("build/run-*", "data/.add-*")
_WRITTEN = ("plots", "chapters/*", "data", "data/*", "data/*/*", "build", "build/*", "build/*/*")


def remove(project: Project, elsewhere: Iterable[Path]) -> None:
    """In the working tree, and in folders of results elsewhere. A living command locks what it uses."""
    for pattern in _TEMPORARY:
        for folder in project.root.glob(pattern):
            _remove(folder)
    written = [project.root, *(path for pattern in _WRITTEN for path in project.root.glob(pattern))]
    for results in elsewhere:
        written += [results, *results.glob("*")]
    for folder in filter(Path.is_dir, dict.fromkeys(written)):
        files.remove_leftovers(folder)


def _remove(folder: Path) -> None:
    with suppress(OSError):  # of another user, locked, or where there are no locks
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
        finally:
            os.close(handle)
