"""`lab fleet plan|run|status|collect|cancel`."""

from argparse import Namespace
from pathlib import Path

from notebook import estimates
from notebook.chapters import find_chapters
from notebook.destinations import Destinations
from notebook.errors import CHECK_FAILED, WRONG_USAGE, Problem
from notebook.fleet import campaign, kinds, merge, progress, slurm, submit
from notebook.fleet.campaign import Campaign
from notebook.fleet.job import Placement
from notebook.fleet.kinds import Kind
from notebook.fleet.progress import Progress
from notebook.fleet.submit import Request
from notebook.progress import say
from notebook.project import Project
from notebook.text import terminal_table


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
            )
        )
    header = ("would run on", "tasks", "in all", "longest", "limit of a task")
    print("\n".join(["", *terminal_table(header, planned)]))
    return 0


def run(options: Namespace) -> int:
    """Submits a campaign, or what failed of one again; waits for it and collects, unless detached."""
    slurm.require()
    project = Project.here()
    where = Destinations.chosen(options.data, options.keep, quick=False)
    if options.retry:
        made = _again(project, options)
    else:
        request = _request(project, options)
        if options.dry_run:
            for name, script in submit.scripts(project, request).items():
                print(f"==> {name} <==\n{script}")
            return 0
        made = submit.submit(project, request)
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
    left = [task for task in progress.look(made) if not task.has_ended]
    if left:
        slurm.cancel(made.jobs)
    print(f"campaign {made.number}: cancelled {len(left)} of {len(made.tasks)} tasks")
    return 0


def _request(project: Project, options: Namespace) -> Request:
    if options.in_place and options.no_shared_files:
        raise Problem("--in-place needs a file system that the nodes share", WRONG_USAGE)
    if options.minutes is not None and not 0 < options.minutes <= 7 * 24 * 60:
        raise Problem("--minutes: expected 1 to 10080", WRONG_USAGE)
    return Request(
        kinds.chosen(project, kinds.offers(slurm.nodes()), options.gres, options.emulated),
        find_chapters(project, options.chapters),
        _placement(options),
        minutes=options.minutes,
        is_shared=not options.no_shared_files,
        in_place=options.in_place,
    )


def _placement(options: Namespace) -> Placement:
    image = options.container
    if Path(image).is_file():
        image = str(Path(image).resolve())  # the job runs in another folder
    return Placement(
        options.partition, options.account, options.constraint, image, tuple(options.sbatch)
    )


def _again(project: Project, options: Namespace) -> Campaign:
    """Submits what failed, as it was submitted first but for the options given now."""
    made = campaign.find(project, None if options.retry == "last" else options.retry)
    failed = [task.task for task in progress.look(made) if task.state in progress.NOT_DONE]
    if not failed:
        raise Problem(f"campaign {made.number}: no task has failed")
    if options.chapters or options.gres or options.emulated:
        raise Problem("--retry repeats what failed; it takes no chapters and no GPUs", WRONG_USAGE)
    names = list(dict.fromkeys(task.chapter for task in failed))
    failed_kinds: list[Kind] = list(dict.fromkeys(task.kind for task in failed))
    request = Request(
        failed_kinds,
        find_chapters(project, names),
        _placement(options),
        minutes=options.minutes,
        is_shared=made.is_shared,
        in_place=made.revision == "",
    )
    return submit.submit_again(project, request, made, failed)


def _collected(where: Destinations, made: Campaign, tasks: list[Progress]) -> int:
    merged = merge.merge(where, [task for task in tasks if task.results is not None])
    refused = {merged_task.task.title for merged_task in merged if merged_task.refusal}
    print("\n".join(merge.lines(where.project, merged)))
    failed = [task for task in tasks if task.state in progress.NOT_DONE]
    for task in failed:
        print(f"failed: {progress.line(task)}")
    running = [task for task in tasks if task.state in (progress.RUNNING, progress.WAITING)]
    print(
        f"campaign {made.number}: {len(tasks)} tasks, {len(merged) - len(refused)} merged, "
        f"{len(refused)} refused, {len(failed)} failed, {len(running)} not ended"
    )
    if failed:
        print(f"next: scripts/lab fleet run --retry {made.number}")
    return CHECK_FAILED if failed or refused else 0
