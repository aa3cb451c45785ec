"""What was found out about data files before: build/kept, by the content of the files and of the code.

A file that has not changed is neither checked nor decided again, by the same code. Whatever cannot be
read or written here is found out again.
"""

import hashlib
import json
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from notebook import files
from notebook.errors import Malformed
from notebook.fields import Json
from notebook.project import Project

# A hundred devices keep some four thousand files; beyond this most are of data that have changed since.
_MOST_FILES = 100_000


def key(contents: Iterable[bytes]) -> str:
    """Names what was found out about these contents."""
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def read(project: Project, kind: str, name: str) -> Json | None:
    """What was written under that name; None where nothing was, by this code."""
    try:
        digest, _, content = files.read_bytes(_path(project, kind, name)).partition(b"\n")
    except Malformed:
        return None
    # Anything else than what was written is found out again: a file cut short, changed, of another shape.
    if digest != _digest(content):
        return None
    finding: Json = json.loads(content)
    return finding


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def has(project: Project, kind: str, name: str) -> bool:
    return _path(project, kind, name).is_file()


def write(project: Project, kind: str, name: str, finding: Json) -> None:
    content = json.dumps(finding, separators=(",", ":")).encode()
    try:
        files.write_bytes(_path(project, kind, name), _digest(content) + b"\n" + content)
    except OSError:
        return  # a checkout that cannot be written: found out again next time


def tidy(project: Project) -> None:
    """Removes what other code has left, and everything once it has become too much."""
    folder = project.build / "kept"
    for other in folder.glob("*"):
        if other.name != _code() or sum(1 for _ in other.glob("*")) > _MOST_FILES:
            shutil.rmtree(other, ignore_errors=True)


def _path(project: Project, kind: str, name: str) -> Path:
    return project.build.joinpath("kept", _code(), f"{name}.{kind}.json")


@cache
def _code() -> str:
    """All that decides what is found out beside the data: the modules, and the time model's errors."""
    package = Path(__file__).parent
    sources = [path for path in sorted(package.rglob("*")) if path.suffix in (".py", ".csv")]
    timing = Path(__file__).resolve().parents[2] / "data" / "timing"
    errors = [timing / f"{name}.csv" for name in ("ratio_errors", "gpu_errors", "transfer")]
    return key(map(_content, [*sources, *errors]))[:16]


def _content(path: Path) -> bytes:
    try:
        return files.read_bytes(path)
    except Malformed:
        return b""
