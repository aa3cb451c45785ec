"""Writing files so that a reader sees the old content or the new, never half of one."""

import os
import tempfile
from pathlib import Path

from notebook.errors import Problem
from notebook.text import quoted


def write(path: Path, content: str) -> None:
    """Writes `content` to a temporary file beside `path` and renames it."""
    write_bytes(path, content.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """The same for any content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        temporary.chmod(0o644)  # mkstemp makes it unreadable for others
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def require_writable(folder: Path) -> None:
    """Raises Problem unless files can be written in `folder`, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(prefix=".writable.", dir=folder):
            pass
    except OSError as error:
        raise Problem(
            f"cannot write in the data folder {quoted(folder)} ({error.strerror}); "
            "choose another with --data DIR"
        ) from error
