"""What was found out about data files before: build/kept, by the content of the files and of the code.

A file that has not changed is neither checked nor decided again, by the same code. Whatever cannot be
read or written here is found out again. An SQLite database has them: a hundred devices have some four
thousand, and to make as many files took a fifth of the time of finding them out.
"""

import hashlib
import json
import shutil
import sqlite3
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from notebook.base import files
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.data.fields import Json

# A hundred devices keep some 40 MiB; beyond this most is of data that have changed since.
_MOST_BYTES = 1 << 30
# How long to wait for another process that writes.
_PATIENCE_SECONDS = 10
# Nothing is lost with the machine that the data files do not say: no write waits for the disk. A process that is
# killed leaves a journal, by which the next one takes back its half of a change.
_SETTINGS = "PRAGMA synchronous=OFF; PRAGMA journal_mode=PERSIST;"
_TABLE = "CREATE TABLE IF NOT EXISTS findings (name TEXT PRIMARY KEY, digest TEXT, content BLOB)"


def key(contents: Iterable[bytes]) -> str:
    """Names what was found out about these contents."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def read(project: Project, kind: str, name: str) -> Json | None:
    """What was written under that name; None where nothing was, by this code."""
    rows = _run(project, "SELECT digest, content FROM findings WHERE name = ?", _named(kind, name))
    # Anything else than what was written is found out again: cut short, changed, of another shape.
    if not rows or type(rows[0][1]) is not bytes or rows[0][0] != _digest(rows[0][1]):
        return None
    finding: Json = json.loads(rows[0][1])
    return finding


def has(project: Project, kind: str, name: str) -> bool:
    return bool(_run(project, "SELECT 1 FROM findings WHERE name = ?", _named(kind, name)))


def write(project: Project, kind: str, name: str, finding: Json) -> None:
    content = json.dumps(finding, separators=(",", ":")).encode()
    row = (_named(kind, name), _digest(content), content)
    _run(project, "INSERT OR REPLACE INTO findings VALUES (?, ?, ?)", *row)


def close() -> None:
    """To be called before a process is forked: SQLite's locks are lost where two share a connection."""
    for connection in _connections.by_path.values():
        connection.close()
    _connections.by_path.clear()


def tidy(project: Project) -> None:
    """Removes what other code has left, and everything once it has become too much."""
    own = _path(project)
    for other in own.parent.glob("*"):
        if other.is_dir():
            shutil.rmtree(other, ignore_errors=True)
        elif not other.name.startswith(own.name) or other.stat().st_size > _MOST_BYTES:
            other.unlink(missing_ok=True)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _named(kind: str, name: str) -> str:
    return f"{name}.{kind}"


class _Connections(threading.local):
    """A thread's own: no other thread can use them."""

    def __init__(self) -> None:
        self.by_path: dict[Path, sqlite3.Connection] = {}


_connections = _Connections()


def _run(project: Project, statement: str, *values: str | bytes) -> list[tuple[object, ...]]:
    """The rows of a statement; none where the database cannot be read or written."""
    path = _path(project)
    try:
        if path not in _connections.by_path:
            path.parent.mkdir(parents=True, exist_ok=True)
            _connections.by_path[path] = _opened(path)
        return _connections.by_path[path].execute(statement, values).fetchall()
    except OSError:
        return []
    except sqlite3.OperationalError:  # locked, full, cannot be written
        return []
    except sqlite3.DatabaseError:  # damaged, or no database
        if connection := _connections.by_path.pop(path, None):
            connection.close()
        path.unlink(missing_ok=True)
        return []


def _opened(path: Path) -> sqlite3.Connection:
    # Each statement is a transaction of its own.
    connection = sqlite3.connect(path, timeout=_PATIENCE_SECONDS, isolation_level=None)
    connection.executescript(_SETTINGS)
    connection.execute(_TABLE)
    return connection


def _path(project: Project) -> Path:
    return project.build.joinpath("kept", f"{_code()}.sqlite")


@cache
def _code() -> str:
    """All that decides what is found out beside the data: the modules, and the time model's errors."""
    package = Path(__file__).parents[1]
    sources = [path for path in sorted(package.rglob("*")) if path.suffix in (".py", ".csv")]
    timing = Path(__file__).resolve().parents[3] / "data" / "timing"
    errors = [timing / f"{name}.csv" for name in ("ratio_errors", "gpu_errors", "transfer")]
    return key(map(_content, [*sources, *errors]))[:16]


def _content(path: Path) -> bytes:
    try:
        return files.read_bytes(path)
    except Malformed:
        return b""
