"""Submitting: a tree for each kind of node, a job that builds, and an array that waits for it."""

import base64
import hashlib
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from notebook.base import files
from notebook.base.errors import Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.data.chapters import Chapter
from notebook.fleet import campaign, job, slurm, sources
from notebook.fleet.campaign import Campaign, Task
from notebook.fleet.job import Tree
from notebook.fleet.kinds import Kind
from notebook.run import estimates

# The time of a clean build of all chapters on two slow cores, with everything to install.
_BUILD_MINUTES = 60
# Slurm's default for the size of a script is 4 MiB.
_LARGEST_SCRIPT = 4 * 2**20


@dataclass(frozen=True)
class Work:
    """Chapters on one kind of GPU, and the time limit of each."""

    kind: Kind
    chapters: list[Chapter]
    minutes: int

    @property
    def names(self) -> list[str]:
        return [chapter.name for chapter in self.chapters]


@dataclass(frozen=True)
class Job:
    """What sbatch gets."""

    name: str
    script: str
    options: list[str]


def work_on(
    project: Project, made: Campaign, kind: Kind, chapters: list[Chapter], minutes: int | None
) -> Work:
    """With the limit that is given, or one that the longest of the chapters keeps, what it has to build included."""
    longest = max(estimates.seconds(project, chapter, kind.is_emulated) for chapter in chapters)
    own_build = 0 if made.has_builds else _BUILD_MINUTES
    return Work(kind, chapters, minutes or own_build + estimates.minutes_to_allow(longest))


def scripts(project: Project, made: Campaign, works: list[Work]) -> dict[str, str]:
    """Every script that would be submitted, by name, with sbatch's options in it; submits none."""
    shown = {}
    for work in works:
        tree = _tree(project, made, work.kind)
        if tree.packed:
            tree = replace(tree, packed=f"({len(tree.packed)} bytes)\n")
        jobs = [_array(made, work, tree)]
        if made.has_builds and _build_name(work.kind) not in shown:
            jobs.insert(0, _build(made, work.kind, tree, works))
        for planned in jobs:
            shell, _, script = planned.script.partition("\n")
            options = [f"#SBATCH {option}" for option in planned.options]
            shown[planned.name] = "\n".join([shell, *options, script])
    return shown


def submit(project: Project, made: Campaign, works: list[Work]) -> Campaign:
    """Submits a new campaign, or work of one again: all of it, or after an error nothing."""
    if made.number == campaign.PLANNED:
        made = replace(made, folder=campaign.new_folder(project))
        made.outputs.mkdir()
    before = campaign.load(made.folder) if made.tasks else made
    built: set[str] = set()
    try:
        for work in works:
            tree = _tree(project, made, work.kind)
            if made.has_builds and work.kind.tree not in built:
                built.add(work.kind.tree)
                made = _submit_build(project, made, tree, work.kind, works)
            made = _submit_array(made, work, tree)
    except BaseException:
        _withdraw(before, made)
        raise
    return made


def _submit_build(
    project: Project, made: Campaign, tree: Tree, kind: Kind, works: list[Work]
) -> Campaign:
    _prepare(project, Path(tree.folder), made.revision)
    number = _submit(made, _build(made, kind, tree, works))
    made = replace(made, builds=made.builds | {kind.tree: number})
    made.save()
    say(f"submitted job {number}: builds for {kind.tree}")
    return made


def _submit_array(made: Campaign, work: Work, tree: Tree) -> Campaign:
    number = _submit(made, _array(made, work, tree))
    tasks = [
        Task(work.kind, name, number, index, work.minutes) for index, name in enumerate(work.names)
    ]
    made = made.with_tasks(tasks)
    made.save()
    say(
        f"submitted job {number}: {len(tasks)} chapters on {work.kind.name}, "
        f"at most {work.minutes} min each"
    )
    return made


def _withdraw(before: Campaign, made: Campaign) -> None:
    """Cancels what an unfinished submission has submitted, and leaves the campaign as it was before."""
    if jobs := sorted({*made.jobs} - {*before.jobs}):
        try:
            slurm.cancel(jobs)
        except Problem as problem:
            say(f"{problem}; what was submitted stays: scripts/lab fleet cancel {made.number}")
            return
        say(f"cancelled what was submitted: {', '.join(map(str, jobs))}")
    if before.tasks:
        before.save()
    else:
        shutil.rmtree(before.folder, ignore_errors=True)


def _submit(made: Campaign, planned: Job) -> int:
    files.write(made.folder / planned.name, planned.script)
    return slurm.submit(planned.script, *planned.options)


def _build_name(kind: Kind) -> str:
    return f"build-{kind.tree}.sh"


def _build(made: Campaign, kind: Kind, tree: Tree, works: Iterable[Work]) -> Job:
    """Builds what runs in a tree; seconds where an earlier attempt has built it."""
    names = [name for work in works if work.kind.tree == kind.tree for name in work.names]
    script = job.build_script(kind, list(dict.fromkeys(names)), tree, made.placement)
    title = f"lab-{made.number}-build"
    output = str(made.output_of_build(kind.tree))
    options = job.options(kind, title, _BUILD_MINUTES, output, made.placement)
    return Job(_build_name(kind), script, options)


def _array(made: Campaign, work: Work, tree: Tree) -> Job:
    script = job.task_script(work.kind, work.names, tree, made.placement)
    if len(script) > _LARGEST_SCRIPT:
        raise Problem(
            f"the tree packs to {len(script) >> 20} MiB, more than a job's script may have; "
            "use a shared file system (without --no-shared-files)"
        )
    title = f"lab-{made.number}-{work.kind.name}"
    prefix = f"{made.outputs}/" if made.is_shared else made.prefix_on_nodes
    output = f"{prefix}{work.kind.name}-%A-%a.txt"
    options = [
        f"--array=0-{len(work.chapters) - 1}",
        "--requeue",
        *job.options(work.kind, title, work.minutes, output, made.placement),
    ]
    if made.has_builds:
        # A build that fails takes its tasks with it instead of leaving them in the queue.
        build = made.builds.get(work.kind.tree, "BUILD")
        options += [f"--dependency=afterok:{build}", "--kill-on-invalid-dep=yes"]
    return Job(f"{work.kind.name}.sh", script, options)


def _tree(project: Project, made: Campaign, kind: Kind) -> Tree:
    """Where tasks of a kind run."""
    if made.is_in_place:
        return Tree(str(project.root), "", gpu_targets=made.gpu_targets)
    if made.is_shared:
        folder = str(made.folder / f"tree-{kind.tree}")
        return Tree(folder, made.revision, gpu_targets=made.gpu_targets)
    content = sources.archive(project, made.revision)
    # Named by its content: what is unpacked there already is what this job brings.
    folder = f"/tmp/lab-fleet-tree-{hashlib.sha256(content).hexdigest()[:12]}"
    packed = base64.encodebytes(content).decode("ascii")
    return Tree(folder, made.revision, packed, made.gpu_targets)


def _prepare(project: Project, folder: Path, revision: str) -> None:
    """Makes the tree; installs into its .venv from here, since compute nodes often have no network."""
    if not folder.exists():
        unpacked = folder.with_suffix(".new")
        shutil.rmtree(unpacked, ignore_errors=True)
        sources.unpack(project, revision, unpacked)
        unpacked.rename(folder)
    say(f"installing into {project.quoted(folder)}")
    done = subprocess.run([str(folder / "scripts" / "lab"), "setup"], check=False)
    if done.returncode != 0:
        say("setup failed here (see above); the job that builds tries again on its node")
