"""What a run has still to do: build/runs/unfinished.json, from which `lab run --resume` goes on."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import jsonschema_rs

from notebook.base import files
from notebook.base.errors import WRONG_USAGE, Malformed, Problem
from notebook.base.project import Project
from notebook.base.text import short
from notebook.data import fields, schema
from notebook.data.fields import Json
from notebook.tools.destinations import Destinations

_PATH: Json = {"type": "string", "minLength": 1, "maxLength": 4096}
_CHAPTER = fields.text(fields.CHAPTER)
_SCHEMA: Json = {
    "type": "object",
    "required": ["device", "data", "quick", "draws", "chapters", "done", "filter"],
    "additionalProperties": False,
    "properties": {
        "device": fields.text(r"gpu|emulated:[a-z0-9-]{1,64}"),
        "data": {"anyOf": [{"type": "null"}, _PATH]},
        "quick": {"type": "boolean"},
        "draws": {"type": "boolean"},
        "filter": {"type": ["string", "null"], "maxLength": 100_000},
        "chapters": fields.list_of(_CHAPTER, 100),
        "done": {"type": "object", "propertyNames": _CHAPTER, "additionalProperties": _PATH},
    },
}


@dataclass(frozen=True)
class Unfinished:
    """A run as it was asked for; `done` has the data file of each chapter that has ended well."""

    project: Project
    device: str
    data: str | None
    quick: bool
    draws: bool
    chapters: list[str]
    done: dict[str, str]
    filter: str | None = None

    @property
    def where(self) -> Destinations:
        return Destinations(self.project, (self.data and Project.here(self.data)) or None)

    def result_of(self, chapter: str) -> Path | None:
        """The data file that the chapter's run has left; None where it has still to run."""
        path = Path(self.done[chapter]) if chapter in self.done else None
        return path if path and path.is_file() else None

    def add(self, chapter: str, path: Path) -> None:
        self.done[chapter] = str(path)
        self.save()

    def save(self) -> None:
        kept = {key: getattr(self, key) for key in _SCHEMA["required"]}
        files.write(_path(self.project), json.dumps(kept, indent=2) + "\n")

    def end(self, chapters: Iterable[str]) -> bool:
        """Whether all of the chapters are done: then nothing is left to go on from."""
        if any(chapter not in self.done for chapter in chapters):
            return False
        _path(self.project).unlink(missing_ok=True)
        return True


def load(project: Project) -> Unfinished:
    """The run that was interrupted last; raises Problem where there is none."""
    path = _path(project)
    if not files.is_there(path):
        raise Problem("--resume: no run was interrupted; scripts/lab run begins one", WRONG_USAGE)
    try:
        document = schema.parse_json(files.read_bytes(path))
        if wrong := next(jsonschema_rs.iter_errors(_SCHEMA, document), None):
            raise Malformed(f"{schema.place(wrong.instance_path)}: {short(wrong.message)}")
    except Malformed as error:
        where = project.quoted(path)
        raise Problem(f"{where} is damaged ({error}); run again without --resume") from error
    return Unfinished(project, **document)


def _path(project: Project) -> Path:
    return project.build / "runs" / "unfinished.json"
