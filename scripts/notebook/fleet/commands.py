"""`lab fleet plan|run|status|collect|cancel`."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

from notebook.base.errors import CHECK_FAILED, WRONG_USAGE, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import terminal_table
from notebook.data.chapters import find_chapters
from notebook.fleet import campaign, gpu_targets, kinds, merge, progress, slurm, sources, submit
from notebook.fleet.campaign import Campaign
from notebook.fleet.job import Placement
from notebook.fleet.kinds import Kind
from notebook.fleet.progress import Progress
from notebook.fleet.submit import Work
from notebook.run import estimates
from notebook.tools.destinations import Destinations


def plan(options: Namespace) -> int:
    """Prints what the cluster offers, and what `fleet run` with these options would submit."""
    slurm.require()
    project = Project.here()
    offered = kinds.offers(slurm.nodes())
    rows = [
        (offer.gres, str(offer.count), str(len(offer.on_nodes)), " ".join(offer.partitions))
        for offer in offered
    ]
    print("\n".join(terminal_table(("the cluster offers", "GPUs", "nodes", "partitions"), rows)))
    chosen = kinds.chosen(project, offered, options.gres, options.emulated)
    chapters = find_chapters(project, options.chapters)
    planned = []
    for kind in chosen:
        expected = [estimates.seconds(project, chapter, kind.is_emulated) for chapter in chapters]
        limit = estimates.minutes_to_allow(max(expected))
        planned.append(
            (
                kind.name,
                str(len(chapters)),
                estimates.text(sum(expected)),
                estimates.text(max(expected)),
                f"{limit} min",
                _machine_code(project, kind),
            )
        )
    header = ("would run on", "tasks", "in all", "longest", "limit of a task", "machine code")
    print("\n".join(["", *terminal_table(header, planned)]))
    return 0


def _machine_code(project: Project, kind: Kind) -> str:
    if kind.is_emulated:
        return "none, PTX"
    target = gpu_targets.of_kind(project, kind)
    return f"sm_{target}" if target else "for the GPU of the node that builds"


def run(options: Namespace) -> int:
    """Submits a campaign, or what failed of one again; waits for it and collects, unless detached."""
    slurm.require()
    project = Project.here()
    where = Destinations.chosen(options.data, options.keep, quick=False)
    made, works = _again(project, options) if options.retry else _new(project, options)
    if options.dry_run:
        for name, script in submit.scripts(project, made, works).items():
            print(f"==> {name} <==\n{script}")
        return 0
    made = submit.submit(project, made, works)
    if options.detach:
        print(f"campaign {made.number}; next: scripts/lab fleet status {made.number}")
        return 0
    say(f"campaign {made.number}: Ctrl-C ends this command, not the jobs; then: lab fleet status")
    return _collected(where, made, progress.watch(made))


def status(options: Namespace) -> int:
    made = campaign.find(Project.here(), options.campaign)
    tasks = progress.look(made)
    print("\n".join([f"campaign {made.number}", *progress.table(tasks)]))
    return CHECK_FAILED if any(task.state == progress.FAILED for task in tasks) else 0


def collect(options: Namespace) -> int:
    """Merges what is there; tasks that still run are left for a later call."""
    where = Destinations.chosen(options.data, options.keep, quick=False)
    made = campaign.find(where.project, options.campaign)
    return _collected(where, made, progress.look(made))


def cancel(options: Namespace) -> int:
    made = campaign.find(Project.here(), options.campaign)
    left = [task for task in progress.look(made) if task.is_queued]
    if left or not made.tasks:  # without tasks it is a build that a failed submission left behind
        slurm.cancel(made.jobs)
    print(f"campaign {made.number}: cancelled {len(left)} of {len(made.tasks)} tasks")
    return 0


def _new(project: Project, options: Namespace) -> tuple[Campaign, list[Work]]:
    """The campaign that the options ask for, not submitted yet."""
    if options.in_place and options.no_shared_files:
        raise Problem("--in-place needs a file system that the nodes share", WRONG_USAGE)
    chapters = find_chapters(project, options.chapters)
    chosen = kinds.chosen(project, kinds.offers(slurm.nodes()), options.gres, options.emulated)
    minutes = _minutes(options)
    made = Campaign(
        folder=campaign.folder_of(project) / campaign.PLANNED,
        revision="" if options.in_place else sources.revision(project, chapters),
        is_shared=not options.no_shared_files,
        placement=_placement(options),
        gpu_targets=gpu_targets.of(project, chosen),
    )
    return made, [submit.work_on(project, made, kind, chapters, minutes) for kind in chosen]


def _minutes(options: Namespace) -> int | None:
    minutes: int | None = options.minutes
    if minutes is not None and not 0 < minutes <= 7 * 24 * 60:
        raise Problem("--minutes: expected 1 to 10080", WRONG_USAGE)
    return minutes


def _placement(options: Namespace) -> Placement:
    image = options.container
    if Path(image).is_file():
        image = str(Path(image).resolve())  # the job runs in another folder
    return Placement(
        options.partition, options.account, options.constraint, image, tuple(options.sbatch)
    )


def _again(project: Project, options: Namespace) -> tuple[Campaign, list[Work]]:
    """What failed of a campaign, as it was submitted last but for the options given now."""
    made = campaign.find(project, None if options.retry == "last" else options.retry)
    if options.chapters or options.gres or options.emulated:
        raise Problem("--retry repeats what failed; it takes no chapters and no GPUs", WRONG_USAGE)
    if (options.in_place and not made.is_in_place) or (options.no_shared_files and made.is_shared):
        raise Problem("--retry repeats what failed where it ran before", WRONG_USAGE)
    failed = [task.task for task in progress.look(made) if task.state in progress.NOT_DONE]
    if not failed:
        raise Problem(f"campaign {made.number}: no task has failed")
    minutes = _minutes(options)
    failed_kinds: list[Kind] = list(dict.fromkeys(task.kind for task in failed))
    works = []
    for kind in failed_kinds:
        tasks = [task for task in failed if task.kind == kind]
        chapters = find_chapters(project, [task.chapter for task in tasks])
        works.append(Work(kind, chapters, minutes or max(task.minutes for task in tasks)))
    return replace(made, placement=made.placement.changed_by(_placement(options))), works


def _collected(where: Destinations, made: Campaign, tasks: list[Progress]) -> int:
    merged = merge.merge(where, [task for task in tasks if task.results is not None])
    refused = {merged_task.task.title for merged_task in merged if merged_task.refusal}
    print("\n".join(merge.lines(where.project, merged)))
    failed = [task for task in tasks if task.state in progress.NOT_DONE]
    for task in failed:
        print(f"failed: {progress.line(task)}")
    left = [task for task in tasks if task.state == progress.NOT_FETCHED]
    for task in left:
        print(f"left for later: {progress.line(task)}")
    queued = [task for task in tasks if task.is_queued]
    print(
        f"campaign {made.number}: {len(tasks)} tasks, {len(merged) - len(refused)} merged, "
        f"{len(refused)} refused, {len(failed)} failed, "
        f"{len(left)} not fetched, {len(queued)} not ended"
    )
    if failed:
        print(f"next: scripts/lab fleet run --retry {made.number}")
    elif left:
        print(f"next, when the nodes are free: scripts/lab fleet collect {made.number}")
    return CHECK_FAILED if failed or refused else 0
