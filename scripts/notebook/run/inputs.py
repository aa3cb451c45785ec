"""What a chapter's counts depend on, as one hash: counts whose hash is the same need no second run."""

import hashlib
import re
from pathlib import Path

from notebook.base import errors, files
from notebook.base.project import Project
from notebook.data import schema
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.devices import Target
from notebook.tools import nvcc, toolbox

KEY = "inputs_sha256"
_SOURCES = {".cpp", ".hpp", ".cu", ".cuh", ".h"}
_ROOMS = ("common/emulator", "common/lab", "common/problems", "common/timing")
_TABLES = ("architectures.csv", "gpus.csv", "timing/parameters.csv")
_COMMENT = re.compile(rb"^\s*//.*$", re.MULTILINE)
_OTHER_CHAPTER = re.compile(rb'#include "(?:\.\./)+(\d\d_\w+)/')


def sha256(project: Project, chapter: Chapter) -> str:
    """Of the sources of the chapter, of those it includes, of the harness, the emulator and the time model, without
    lines of comment; of the tables that are compiled in, and of nvcc's release."""
    digest = hashlib.sha256(nvcc.text(toolbox.find_nvcc()).encode())
    for path in _paths(project, chapter):
        content = b"\n".join(_COMMENT.sub(b"", path.read_bytes()).split())
        digest.update(f"\0{path.name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _paths(project: Project, chapter: Chapter) -> list[Path]:
    folders = [*_with_included(project, chapter), *(project.root / room for room in _ROOMS)]
    sources = [
        path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in _SOURCES
    ]
    tables = [project.root / "data" / table for table in _TABLES]
    return [*sources, *(table for table in tables if table.is_file())]


def _with_included(project: Project, chapter: Chapter) -> list[Path]:
    """The folders of a chapter and of all chapters whose files it includes, directly or not."""
    by_name = {other.name: other.directory for other in all_chapters(project)}
    names, found = [chapter.name], set[str]()
    while names:
        name = names.pop()
        if name in found or name not in by_name:
            continue
        found.add(name)
        for path in by_name[name].glob("*.*"):
            if path.suffix in _SOURCES:
                names += [other.decode() for other in _OTHER_CHAPTER.findall(path.read_bytes())]
    return [by_name[name] for name in sorted(found)]


def stored(project: Project, place: Project, chapter: Chapter, target: Target) -> Path | None:
    """The data file whose counts come from the inputs as they are; None where the chapter has to be counted.

    The hash stands in the data file, or in the record of a later run that counted the same.
    """
    device = f"emulated-{target.architecture}"
    path = place.data / device / f"{chapter.name}.json"
    record = place.build / "runs" / device / f"{chapter.name}.json"
    if not path.is_file():
        return None
    return path if sha256(project, chapter) in (_recorded(path), _recorded(record)) else None


def _recorded(path: Path) -> str | None:
    try:
        document = schema.parse_json(files.read_bytes(path))
        return str(document.get("context", document)[KEY])
    except (errors.Malformed, OSError, LookupError, TypeError, AttributeError):
        return None
