"""A campaign: what was submitted. It is kept in build/fleet/NUMBER, so that it survives its command."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import jsonschema_rs

from notebook import fields, files, schema
from notebook.errors import WRONG_USAGE, Malformed, Problem
from notebook.fields import Json
from notebook.fleet.kinds import Kind
from notebook.project import Project
from notebook.text import quoted, short

_FILE = "campaign.json"
_MOST_TASKS = 100_000


def _object(**properties: Json) -> Json:
    required = list(properties)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


_TEXT: Json = {"type": "string", "maxLength": 4096, "pattern": r"^[^\x00-\x1f]*$"}
_JOB = fields.whole(-1, 2**63 - 1)
_SCHEMA = _object(
    folder=_TEXT,
    revision=_TEXT,
    output=_TEXT,
    is_shared={"type": "boolean"},
    tasks=fields.list_of(
        _object(
            kind=_object(gres=_TEXT, device=fields.text(r"gpu|emulated:[a-z0-9_-]{1,64}")),
            chapter=fields.text(fields.CHAPTER),
            job=_JOB,
            index=_JOB,
            node=fields.text(r"[A-Za-z0-9._-]*"),
        ),
        _MOST_TASKS,
    ),
    builds=fields.list_of(_JOB, _MOST_TASKS),
)


@dataclass(frozen=True)
class Task:
    """One chapter on one kind of GPU: the array job that runs it last, and its index there."""

    kind: Kind
    chapter: str
    job: int
    index: int
    # Where it ran, as far as Slurm has said so: its output lies there without a shared file system.
    node: str = ""

    @property
    def title(self) -> str:
        return f"{self.chapter} on {self.kind.name}"


@dataclass(frozen=True)
class Campaign:
    """`output` is the folder of the tasks' output, on the nodes where `is_shared` is false."""

    folder: Path
    revision: str
    output: str
    is_shared: bool
    tasks: list[Task]
    # The jobs that build, which the tasks wait for.
    builds: list[int] = field(default_factory=list)

    @property
    def number(self) -> str:
        return self.folder.name

    @property
    def jobs(self) -> list[int]:
        return sorted({*(task.job for task in self.tasks), *self.builds})

    def output_of(self, task: Task) -> str:
        between = "/" if self.is_shared else "-"
        return f"{self.output}{between}{task.kind.name}-{task.job}-{task.index}.txt"

    def with_tasks(self, tasks: list[Task]) -> "Campaign":
        """The same with these tasks in the place of those of the same title, or added."""
        changed = {task.title: task for task in tasks}
        kept = [task for task in self.tasks if task.title not in changed]
        return replace(self, tasks=[*kept, *tasks])

    def save(self) -> None:
        document = asdict(self) | {"folder": self.number}
        files.write(self.folder / _FILE, json.dumps(document, indent=2) + "\n")


def folder_of(project: Project) -> Path:
    return project.build / "fleet"


def new_folder(project: Project) -> Path:
    """Makes the folder of the next campaign: 0001, 0002, …"""
    parent = folder_of(project)
    parent.mkdir(parents=True, exist_ok=True)
    while True:
        last = max((int(path.name) for path in parent.glob("[0-9]" * 4)), default=0)
        folder = parent / f"{last + 1:04}"
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue  # another command was faster


def find(project: Project, number: str | None) -> Campaign:
    """The campaign of a number, or the last one."""
    known = sorted(path.parent for path in folder_of(project).glob(f"*/{_FILE}"))
    if not known:
        raise Problem("no campaign yet; scripts/lab fleet run submits one", WRONG_USAGE)
    if number is None:
        return load(known[-1])
    names = [path.name for path in known]
    if number.zfill(4) not in names:
        raise Problem(f"no campaign {number}; there are {', '.join(names)}", WRONG_USAGE)
    return load(folder_of(project) / number.zfill(4))


def load(folder: Path) -> Campaign:
    path = folder / _FILE
    try:
        document = schema.parse_json(files.read_bytes(path))
        if wrong := next(jsonschema_rs.iter_errors(_SCHEMA, document), None):
            raise Malformed(f"{schema.place(wrong.instance_path)}: {short(wrong.message)}")
    except Malformed as error:
        raise Problem(f"{quoted(path)} is damaged ({error}); remove that folder") from error
    tasks = [Task(**(task | {"kind": Kind(**task["kind"])})) for task in document.pop("tasks")]
    return Campaign(**(document | {"folder": folder, "tasks": tasks}))
