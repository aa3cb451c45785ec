"""The scripts that a campaign submits, to be read by people: `fleet run --dry-run` prints them."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.fleet.kinds import Kind

_OPTION = re.compile(r"--[a-z][a-z-]*(=[^\n\r]*)?")


@dataclass(frozen=True)
class Placement:
    """What the jobs of a campaign ask of the cluster, apart from the GPU."""

    partition: str = ""
    account: str = ""
    constraint: str = ""
    container: str = ""
    # More options of sbatch, as they are: ("--qos=high",).
    sbatch: tuple[str, ...] = ()

    def options(self) -> list[str]:
        named = (
            ("partition", self.partition),
            ("account", self.account),
            ("constraint", self.constraint),
        )
        given = [f"--{name}={value}" for name, value in named if value]
        for option in (*given, *self.sbatch):
            if not _OPTION.fullmatch(option):
                raise Problem(
                    f"'{option}' is not an option of sbatch; write it as --name=value", WRONG_USAGE
                )
        return [*given, *self.sbatch]

    def on_node(self, node: str) -> list[str]:
        """Options of srun for a job of these on one node, without what only sbatch takes."""
        named = (("partition", self.partition), ("account", self.account))
        given = [f"--{name}={value}" for name, value in named if value]
        taken = ("--qos=", "--reservation=", "--partition=", "--account=")
        return [f"--nodelist={node}", *given, *(o for o in self.sbatch if o.startswith(taken))]

    def changed_by(self, other: "Placement") -> "Placement":
        """With what `other` gives in place of the same here."""
        changed = {option.partition("=")[0] for option in other.sbatch}
        kept = [option for option in self.sbatch if option.partition("=")[0] not in changed]
        return replace(
            self,
            partition=other.partition or self.partition,
            account=other.account or self.account,
            constraint=other.constraint or self.constraint,
            container=other.container or self.container,
            sbatch=(*kept, *other.sbatch),
        )


@dataclass(frozen=True)
class Tree:
    """The working tree that tasks run in, on a file system that the nodes share; or, with `packed`
    (a tar.gz of it in base64), the folder where each node unpacks it."""

    folder: str
    revision: str
    packed: str = ""
    # The targets of the build: its option of that name.
    gpu_targets: str = ""

    @property
    def build_option(self) -> str:
        return f" --gpu-targets {shlex.quote(self.gpu_targets)}" if self.gpu_targets else ""


def build_script(kind: Kind, chapters: Sequence[str], tree: Tree, where: Placement) -> str:
    """Builds the chapters once, on a node of the kind that will run them."""
    command = (
        f"scripts/lab run --build-only --device {kind.device}{tree.build_option} "
        f"{shlex.join(chapters)}"
    )
    return "\n".join(
        [
            "#!/bin/bash",
            "# Builds the notebook's chapters on a node of this kind.",
            *_prologue(tree),
            _contained(where, tree, command),
            *_epilogue(),
        ]
    )


def task_script(kind: Kind, chapters: Sequence[str], tree: Tree, where: Placement) -> str:
    """Runs one chapter, the one that the array index names; its results end up in the output."""
    command = (
        f'scripts/lab run "$chapter" --device {kind.device}{tree.build_option}'
        ' --data "$results" --no-figures'
        ' && python3 -P -m notebook.fleet.parcel "$results" "$chapter"'
    )
    return "\n".join(
        [
            "#!/bin/bash",
            "# One chapter of the notebook; its results are printed between two marks.",
            f"chapters=({shlex.join(chapters)})",
            "chapter=${chapters[$SLURM_ARRAY_TASK_ID]}",
            *_prologue(tree),
            "results=$(mktemp -d) || exit 1",
            "trap 'rm -rf \"$results\"' EXIT",
            'export chapter results PYTHONPATH="$PWD/scripts"',
            _contained(where, tree, command),
            *_epilogue(),
        ]
    )


def _epilogue() -> list[str]:
    return ["status=$?", 'echo "lab-task ended with status $status"', "exit $status", ""]


def options(kind: Kind, name: str, minutes: int, output: str, where: Placement) -> list[str]:
    """What sbatch is asked for: one GPU of the kind, for a build or each task of an array."""
    return [
        f"--job-name={name}",
        *([f"--gres={kind.gres}:1"] if kind.gres else []),
        "--nodes=1",
        "--ntasks=1",
        f"--time={minutes}",
        # The output of an earlier attempt must not stand before the results of the next.
        "--open-mode=truncate",
        f"--output={output}",
        *where.options(),
    ]


def _prologue(tree: Tree) -> list[str]:
    folder = shlex.quote(tree.folder)
    lines = [f"export LAB_GIT_REVISION={tree.revision}"] if tree.revision else []
    if not tree.packed:
        return [*lines, f"cd {folder} || exit 1"]
    return [
        *lines,
        "# Another user's folder of that name is refused.",
        f"[ -d {folder} ] || mkdir -m 700 {folder}",
        f"[ -O {folder} ] && cd {folder} || exit 1",
        "# The tree comes along in this script; the first task on a node unpacks it.",
        "(flock 9; [ -e unpacked ] || { base64 -d <<'TREE' | tar xz && touch unpacked; }",
        tree.packed.rstrip("\n"),
        "TREE",
        ") 9>.lock || exit 1",
    ]


def _contained(where: Placement, tree: Tree, command: str) -> str:
    """The command itself, or inside a container: through pyxis where srun has it, else Apptainer."""
    if not where.container:
        return command
    image, folder = shlex.quote(where.container), shlex.quote(tree.folder)
    # Single quotes: the shell inside the container expands the variables, which are exported.
    inside = shlex.quote(command)
    return "\n".join(
        [
            "if srun --help 2>&1 | grep -q -- --container-image; then",
            f"    srun --container-image={image} --container-mounts={folder}:{folder},/tmp:/tmp \\",
            f"        --container-workdir={folder} bash -c {inside}",
            "else",
            f"    apptainer exec --nv --bind {folder},/tmp --pwd {folder} {image} bash -c {inside}",
            "fi",
        ]
    )
