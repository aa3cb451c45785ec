"""Submitting: a tree for each kind of node, a job that builds, and an array that waits for it."""

import base64
import io
import subprocess
import tarfile
from dataclasses import dataclass, replace
from pathlib import Path

from notebook import estimates, files, git
from notebook.chapters import Chapter
from notebook.errors import Problem
from notebook.fleet import campaign, job, slurm
from notebook.fleet.campaign import Campaign, Task
from notebook.fleet.job import Placement, Tree
from notebook.fleet.kinds import Kind
from notebook.progress import say
from notebook.project import Project

# Of a clean build of all chapters on two slow cores, with everything to install.
_BUILD_MINUTES = 60
# What a job does not need: it counts and measures again, and draws nothing.
_NOT_SENT = ("data", "plots")
_SENT_OF_DATA = "data/architectures.csv"
# Slurm's default for the size of a script is 4 MiB.
_LARGEST_SCRIPT = 4 * 2**20


@dataclass(frozen=True)
class Request:
    """What is to be run, and how the jobs reach the tree and we their output."""

    kinds: list[Kind]
    chapters: list[Chapter]
    where: Placement
    # Of every task, where the user has set one.
    minutes: int | None = None
    is_shared: bool = True
    # Run in this checkout, as it is built, instead of in copies of the last commit.
    in_place: bool = False


def scripts(project: Project, request: Request) -> dict[str, str]:
    """Every script that would be submitted, by name, without submitting any."""
    names = [chapter.name for chapter in request.chapters]
    shown = {}
    for kind in request.kinds:
        folder = project.build / "fleet" / "NUMBER"
        tree = replace(_tree(project, request, kind, folder, "REVISION"), packed="")
        if not request.in_place and request.is_shared:
            shown[f"build-{kind.name}.sh"] = job.build_script(kind, names, tree, request.where)
        shown[f"{kind.name}.sh"] = job.task_script(kind, names, tree, request.where)
    return shown


def submit(project: Project, request: Request) -> Campaign:
    """Submits everything; after an error, what was submitted is known and can be cancelled."""
    revision = _revision(project, request)
    folder = campaign.new_folder(project)
    output = folder / "output"
    output.mkdir()
    made = Campaign(
        folder=folder,
        revision=revision,
        output=str(output) if request.is_shared else f"/tmp/lab-fleet-{folder.name}",
        is_shared=request.is_shared,
        tasks=[],
    )
    made.save()
    builds: dict[str, int] = {}
    for kind in request.kinds:
        tree = _tree(project, request, kind, folder, made.revision)
        if not request.in_place and request.is_shared and tree.folder not in builds:
            _prepare(project, Path(tree.folder))
            builds[tree.folder] = _submit_build(request, kind, tree, folder)
            made = replace(made, builds=list(builds.values()))
            made.save()
        chapters = list(enumerate(request.chapters))
        made = _submit_array(project, request, made, kind, tree, chapters, builds.get(tree.folder))
    return made


def submit_again(
    project: Project, request: Request, made: Campaign, failed: list[Task]
) -> Campaign:
    """Submits tasks of a campaign once more, in the tree that the first attempt has built."""
    for kind in dict.fromkeys(task.kind for task in failed):
        failed_chapters = {task.chapter for task in failed if task.kind == kind}
        chapters = [
            (index, chapter)
            for index, chapter in enumerate(request.chapters)
            if chapter.name in failed_chapters
        ]
        tree = _tree(project, request, kind, made.folder, made.revision)
        made = _submit_array(project, request, made, kind, tree, chapters, None)
    return made


def _submit_build(request: Request, kind: Kind, tree: Tree, folder: Path) -> int:
    names = [chapter.name for chapter in request.chapters]
    script = job.build_script(kind, names, tree, request.where)
    files.write(folder / f"build-{kind.name}.sh", script)
    number = slurm.submit(
        script,
        f"--job-name=lab-{folder.name}-build",
        *([f"--gres={kind.gres}:1"] if kind.gres else []),
        f"--time={_BUILD_MINUTES}",
        f"--output={folder}/output/build-{kind.name}.txt",
        *request.where.options(),
    )
    say(f"submitted job {number}: builds for {kind.name}")
    return number


def _submit_array(
    project: Project,
    request: Request,
    made: Campaign,
    kind: Kind,
    tree: Tree,
    chapters: list[tuple[int, Chapter]],
    build: int | None,
) -> Campaign:
    names = [chapter.name for chapter in request.chapters]
    script = job.task_script(kind, names, tree, request.where)
    if len(script) > _LARGEST_SCRIPT:
        raise Problem(
            f"the tree packs to {len(script) >> 20} MiB, more than a job's script may have; "
            "use a shared file system (without --no-shared-files)"
        )
    files.write(made.folder / f"{kind.name}.sh", script)
    longest = max(estimates.seconds(project, chapter, kind.is_emulated) for _, chapter in chapters)
    minutes = request.minutes or estimates.minutes_to_allow(longest)
    name = f"lab-{made.number}-{kind.name}"
    indices = [index for index, _ in chapters]
    output = f"{made.output}/{kind.name}-%A-%a.txt"
    if not made.is_shared:
        # Slurm opens it before the script runs, so that its folder cannot be made there first.
        output = f"{made.output}-{kind.name}-%A-%a.txt"
    options = job.array_options(kind, name, indices, minutes, output, request.where)
    if build is not None:
        # A build that fails takes its tasks with it instead of leaving them in the queue.
        options += [f"--dependency=afterok:{build}", "--kill-on-invalid-dep=yes"]
    number = slurm.submit(script, *options)
    say(
        f"submitted job {number}: {len(chapters)} chapters on {kind.name}, at most {minutes} min each"
    )
    tasks = [Task(kind, chapter.name, number, index) for index, chapter in chapters]
    made = made.with_tasks(tasks)
    made.save()
    return made


def _revision(project: Project, request: Request) -> str:
    """The commit that runs; raises Problem where what runs would be something else."""
    of_here = ["git", "-C", str(project.root)]
    environment = git.environment()
    head = subprocess.run(
        [*of_here, "rev-parse", "HEAD"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if request.in_place:
        return ""
    if head.returncode != 0:
        raise Problem("fleet run sends the last commit to the nodes, and this is no git checkout")
    changed = subprocess.run(
        [*of_here, "status", "--porcelain", "--untracked-files=no"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if changed.stdout.strip():
        raise Problem(
            "tracked files have changes, and the nodes run the last commit: "
            "commit or stash them first"
        )
    return head.stdout.strip()


def _tree(project: Project, request: Request, kind: Kind, folder: Path, revision: str) -> Tree:
    """Where tasks of a kind run."""
    if request.in_place:
        return Tree(str(project.root), "")
    if not request.is_shared:
        packed = base64.encodebytes(_archived(project)).decode("ascii")
        return Tree(f"/tmp/lab-fleet-tree-{revision[:12]}", revision, packed)
    # Emulated GPUs run on any node alike; GPUs get code for their own kind.
    name = "emulated" if kind.is_emulated else kind.name
    return Tree(str(folder / f"tree-{name}"), revision)


def _archived(project: Project) -> bytes:
    """The last commit as tar.gz, without what no task reads."""
    paths = [".", *(f":(exclude){name}" for name in _NOT_SENT)]
    command = ["git", "-C", str(project.root), "archive", "--format=tar", "HEAD"]
    tree, table = (
        subprocess.run(
            [*command, *part], env=git.environment(), capture_output=True, check=True
        ).stdout
        for part in (paths, [_SENT_OF_DATA])
    )
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as packed:
        for part in (tree, table):
            with tarfile.open(fileobj=io.BytesIO(part)) as source:
                for member in source:
                    packed.addfile(member, source.extractfile(member) if member.isreg() else None)
    return content.getvalue()


def _prepare(project: Project, folder: Path) -> None:
    """Makes the tree; installs into its .venv from here, since compute nodes often have no network."""
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(_archived(project))) as packed:
        packed.extractall(folder, filter="data")
    say(f"installing into {project.quoted(folder)}")
    done = subprocess.run([str(folder / "scripts" / "lab"), "setup"], check=False)
    if done.returncode != 0:
        say("setup failed here (see above); the job that builds tries again on its node")
