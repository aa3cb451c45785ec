"""A campaign: what was submitted. It is kept in build/fleet/NUMBER, so that it survives its command."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import jsonschema_rs

from notebook.base import files
from notebook.base.errors import WRONG_USAGE, Malformed, Problem
from notebook.base.project import Project
from notebook.base.text import quoted, short
from notebook.data import fields, schema
from notebook.data.fields import Json
from notebook.fleet.job import Placement
from notebook.fleet.kinds import Kind

_FILE = "campaign.json"
_MOST_TASKS = 100_000
# The name of a campaign that is not submitted yet.
PLANNED = "NUMBER"


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
    is_shared={"type": "boolean"},
    placement=_object(
        partition=_TEXT,
        account=_TEXT,
        constraint=_TEXT,
        container=_TEXT,
        sbatch=fields.list_of(_TEXT, 1000),
    ),
    gpu_targets=_TEXT,
    tasks=fields.list_of(
        _object(
            kind=_object(gres=_TEXT, device=fields.text(r"gpu|emulated:[a-z0-9_-]{1,64}")),
            chapter=fields.text(fields.CHAPTER),
            job=_JOB,
            index=_JOB,
            minutes=fields.whole(1, 2**31),
            node=fields.text(r"[A-Za-z0-9._-]*"),
        ),
        _MOST_TASKS,
    ),
    builds={"type": "object", "additionalProperties": _JOB},
)


@dataclass(frozen=True)
class Task:
    """One chapter on one kind of GPU: the array job that runs it last, and its index there."""

    kind: Kind
    chapter: str
    job: int
    index: int
    # Its time limit.
    minutes: int
    # Where it ran, as far as Slurm has said so: its output lies there without a shared file system.
    node: str = ""

    @property
    def title(self) -> str:
        return f"{self.chapter} on {self.kind.name}"


@dataclass(frozen=True)
class Campaign:
    """What runs (`revision`; "" for this checkout in place), how its jobs were asked for, and its tasks."""

    folder: Path
    revision: str
    # Whether the nodes see this file system; else the output of tasks stays on them until it is fetched.
    is_shared: bool
    placement: Placement
    # The targets of the build: its option of that name.
    gpu_targets: str
    tasks: list[Task] = field(default_factory=list)
    # The jobs that build, which tasks wait for, by the tree that they build in.
    builds: dict[str, int] = field(default_factory=dict)

    @property
    def number(self) -> str:
        return self.folder.name

    @property
    def is_in_place(self) -> bool:
        return not self.revision

    @property
    def has_builds(self) -> bool:
        """Whether jobs of their own build before tasks run; else each task builds what it lacks."""
        return self.is_shared and not self.is_in_place

    @property
    def jobs(self) -> list[int]:
        return sorted({*(task.job for task in self.tasks), *self.builds.values()})

    @property
    def outputs(self) -> Path:
        return self.folder / "output"

    def output_of(self, task: Task) -> Path:
        """The output of a task, here."""
        return self.outputs / _output_name(task)

    def output_on_node(self, task: Task) -> str:
        """The same on its node, where no file system is shared."""
        return f"{self.prefix_on_nodes}{_output_name(task)}"

    @property
    def prefix_on_nodes(self) -> str:
        # Slurm opens a task's output before its script runs, so no folder can be made for it there.
        return f"/tmp/lab-fleet-{self.number}-"

    def output_of_build(self, tree: str) -> Path:
        return self.outputs / f"build-{tree}.txt"

    def with_tasks(self, tasks: list[Task]) -> "Campaign":
        """The same with these tasks in the place of those of the same title, or added."""
        changed = {task.title: task for task in tasks}
        kept = [task for task in self.tasks if task.title not in changed]
        return replace(self, tasks=[*kept, *tasks])

    def save(self) -> None:
        document = asdict(self) | {"folder": self.number}
        files.write(self.folder / _FILE, json.dumps(document, indent=2) + "\n")


def _output_name(task: Task) -> str:
    return f"{task.kind.name}-{task.job}-{task.index}.txt"


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
        raise Problem(
            f"{quoted(path)} is damaged, or another version made it ({error}); remove that folder"
        ) from error
    tasks = [Task(**(task | {"kind": Kind(**task["kind"])})) for task in document.pop("tasks")]
    options = document.pop("placement")
    placement = Placement(**(options | {"sbatch": tuple(options["sbatch"])}))
    return Campaign(**document | {"folder": folder, "placement": placement, "tasks": tasks})
