"""Merging a campaign's results: each is checked as a stranger's, then put into the data whole."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from notebook.archives import contribute
from notebook.base import archive, errors, files
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.base.text import plain
from notebook.data import devices, schema
from notebook.data.chapters import Chapter, find_chapters
from notebook.data.devices import Target
from notebook.fleet.campaign import Task
from notebook.fleet.progress import Progress
from notebook.run import collect
from notebook.tools.destinations import Destinations


@dataclass(frozen=True)
class Merged:
    """Where a task's results went; or why they were refused."""

    task: Task
    path: Path | None = None
    is_changed: bool = False
    refusal: str = ""


def merge(where: Destinations, done: list[Progress]) -> list[Merged]:
    """Merges what is whole and right; what is not is refused and changes nothing."""
    merged = []
    for task in done:
        try:
            merged.append(_merge(where, task.task, task.results or b""))
        except Problem as problem:
            merged.append(Merged(task.task, refusal=plain(problem)))
    return merged


def lines(project: Project, merged: list[Merged]) -> list[str]:
    """A line for each task."""
    messages = []
    for merged_task in merged:
        if merged_task.path is None:
            messages.append(f"refused: {merged_task.task.title}: {merged_task.refusal}")
        else:
            news = "" if merged_task.is_changed else ", the same as before"
            messages.append(f"{merged_task.task.title}: {project.quoted(merged_task.path)}{news}")
    return messages


def _merge(where: Destinations, task: Task, content: bytes) -> Merged:
    (chapter,) = find_chapters(where.project, [task.chapter])
    with tempfile.TemporaryDirectory(prefix="lab-fleet-") as scratch:
        path = Path(scratch) / f"{task.kind.name}.tar.gz"
        path.write_bytes(content)
        device, unpacked = archive.unpack(path)
        if set(unpacked) != {f"{chapter.name}.json"}:
            raise Problem(f"holds {', '.join(sorted(unpacked))}, not {chapter.name}.json")
        expected = devices.slug_of(task.kind.device)
        if device != expected if task.kind.is_emulated else device.startswith("emulated-"):
            raise Problem(f"is of {device}, not of {task.kind.name}")
        contribute.check(where.project, path, device, unpacked)
    results = unpacked[f"{chapter.name}.json"]
    architecture = device.removeprefix("emulated-") if task.kind.is_emulated else None
    place = where.of(chapter, Target(architecture))
    target = _place(place.data, device, chapter, results)
    is_changed = not (task.kind.is_emulated and collect.counts_alike(target, results))
    if is_changed:
        files.write_bytes(target, results)
    return Merged(task, target, is_changed)


def _place(data: Path, device: str, chapter: Chapter, content: bytes) -> Path:
    """data/<device>/<chapter>.json; beside it, in boards/, where that is of another board."""
    usual = data / device / f"{chapter.name}.json"
    board = _board(content)
    if not board or not usual.is_file() or _board_of(usual) == board:
        return usual
    return data / "boards" / board / device / usual.name


def _board_of(path: Path) -> str:
    try:
        return _board(files.read_bytes(path))
    except errors.Malformed:
        return ""


def _board(content: bytes) -> str:
    """The identity of the board that a data file names; "" for none."""
    try:
        return str(schema.parse(content)["context"].get("board", ""))
    except errors.Malformed:
        return ""
