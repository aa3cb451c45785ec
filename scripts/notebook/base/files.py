"""Reading files that may be anything, and writing so that a reader sees the old content or the new, never half."""

import fcntl
import os
import stat
import tempfile
import tomllib
from contextlib import suppress
from io import RawIOBase
from pathlib import Path
from typing import Any

from notebook.base.errors import Malformed, Problem
from notebook.base.text import quoted

_LONGEST = 16 * 2**20
_MOST_DOTS = 100
_PIECE = 2**14


def is_there(path: Path) -> bool:
    """Whether something has that name, even if it cannot be read: it is not to be taken for nothing."""
    return os.path.lexists(path)


def read_bytes(path: Path, longest: int = _LONGEST) -> bytes:
    """The content of a plain file; raises Malformed.

    No reader waits for the other end of a pipe, and no more is read than it takes to see that it is too much.
    """
    try:
        # Without O_NONBLOCK, opening a pipe waits until another process writes to it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb", buffering=0) as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise Malformed("is no plain file")
            content = _read(file, max(status.st_size + 1, _PIECE), longest + 1)
    except (OSError, ValueError) as error:
        raise Malformed(getattr(error, "strerror", None) or str(error)) from error
    if len(content) > longest:
        raise Malformed(f"is larger than {longest / 2**20:.2g} MiB")
    return content


def _read(file: RawIOBase, piece: int, longest: int) -> bytes:
    """Up to `longest` bytes, in pieces: room for all of them at once takes longer to get than a small file to read."""
    pieces = []
    while longest > 0 and (content := file.read(min(piece, longest))):
        pieces.append(content)
        longest -= len(content)
    return b"".join(pieces)


def read_text(path: Path, longest: int = _LONGEST) -> str:
    """The same as text; raises Malformed with the place of what is no UTF-8."""
    return as_text(read_bytes(path, longest))


def read_toml(path: Path, longest: int = 2**18) -> dict[str, Any]:
    """A TOML file; raises Malformed."""
    text = read_text(path, longest)
    for number, line in enumerate(text.splitlines(), start=1):
        # The parser's memory grows with the square of the parts of a dotted key.
        if line.count(".") > _MOST_DOTS:
            raise Malformed(f"line {number}: has more than {_MOST_DOTS} dots")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Malformed(str(error)) from error
    except (RecursionError, ValueError) as error:
        raise Malformed(
            f"is nested too deeply, or has a number that is too long ({error})"
        ) from error


def text_of(path: Path) -> str:
    """That of a file that git tracks; raises Problem."""
    try:
        return read_text(path)
    except Malformed as error:
        raise Problem(f"{quoted(path)}: {error}; git checkout {quoted(path)}") from error


def as_text(content: bytes) -> str:
    """UTF-8, with line ends of any system as one; raises Malformed."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise Malformed(
            f"line {line}: is not UTF-8 ({error.reason} at byte {error.start})"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write(path: Path, content: str) -> None:
    """Writes `content` to a temporary file beside `path` and renames it."""
    write_bytes(path, content.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """The same for any content."""
    handle, temporary = _temporary(path)
    locked = os.dup(handle)  # until it has its name; a full disk may be noticed by close() alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            os.fchmod(handle, 0o644)  # mkstemp makes it unreadable for others
        os.replace(temporary, path)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):  # write() names no file, replace() the temporary one
            error.filename, error.filename2 = os.fspath(path), None
        raise
    finally:
        os.close(locked)


def _temporary(path: Path) -> tuple[int, str]:
    """A new file beside `path`, open and locked, in a folder that is made where it is missing."""
    while True:
        handle, name = _made_beside(path)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, name
        os.close(handle)  # remove_leftovers was between the two


def _made_beside(path: Path) -> tuple[int, str]:
    prefix, suffix = f".{path.name}.", ".tmp"
    try:
        return tempfile.mkstemp(prefix=prefix, suffix=suffix, dir=path.parent)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.mkstemp(prefix=prefix, suffix=suffix, dir=path.parent)


def remove_leftovers(folder: Path) -> None:
    """Removes the temporary files of `folder` whose writers were killed: those that no process has locked."""
    for path in folder.glob(".*.tmp"):
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


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
