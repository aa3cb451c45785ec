"""What has become of each task: what its output holds, and what Slurm says."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from notebook import estimates, files
from notebook.errors import Malformed, Problem
from notebook.fleet import parcel, slurm
from notebook.fleet.campaign import Campaign, Task
from notebook.progress import say
from notebook.text import plain, terminal_table

DONE = "done"
FAILED = "failed"
RUNNING = "running"
WAITING = "waiting"
UNKNOWN = "unknown"

_SECONDS_BETWEEN_LOOKS = 2.0

# What `fleet run --retry` submits again.
NOT_DONE = (FAILED, UNKNOWN)
_LARGEST_OUTPUT = 96 * 2**20


@dataclass(frozen=True)
class Progress:
    """The state of a task, why, and its results once they are whole."""

    task: Task
    state: str
    reason: str = ""
    results: bytes | None = None

    @property
    def needs_someone(self) -> bool:
        """Whether it waits for more than its turn: held, or its nodes are drained or down."""
        reason = self.reason.lower()
        return self.state == WAITING and any(word in reason for word in ("held", "down", "drain"))

    @property
    def has_ended(self) -> bool:
        return self.state in (DONE, FAILED, UNKNOWN)


def look(campaign: Campaign) -> list[Progress]:
    """The state of every task, now. Raises slurm.NoAnswer while the controller is away."""
    states = slurm.states(campaign.jobs)
    failed_builds = [job for job in campaign.builds if _has_failed(states.get((job, -1)))]
    tasks = []
    for task in campaign.tasks:
        state = states.get((task.job, task.index)) or states.get((task.job, -1))
        if state and state.node and state.node != task.node:
            task = replace(task, node=state.node)
        tasks.append(_state(campaign, task, state, failed_builds))
    if [state_of_task.task for state_of_task in tasks] != campaign.tasks:
        campaign.with_tasks([state_of_task.task for state_of_task in tasks]).save()
    return tasks


def watch(campaign: Campaign) -> list[Progress]:
    """Waits until every task has ended; says what changes."""
    began = time.monotonic()
    known: dict[str, tuple[str, str]] = {task.title: (WAITING, "") for task in campaign.tasks}
    is_away = False
    while True:
        try:
            tasks = look(campaign)
        except slurm.NoAnswer as problem:
            if not is_away:
                say(f"{problem}; asking again")
            is_away = True
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            continue
        if is_away:
            say("Slurm answers again")
            is_away = False
        for state_of_task in tasks:
            # Why a task waits changes often and says little, unless somebody has to act.
            now = (state_of_task.state, state_of_task.reason if state_of_task.needs_someone else "")
            if known.get(state_of_task.task.title) != now:
                known[state_of_task.task.title] = now
                ended = sum(other.has_ended for other in tasks)
                say(f"{ended} of {len(tasks)} ended{_left(began, tasks)}; {line(state_of_task)}")
        if all(state_of_task.has_ended for state_of_task in tasks):
            return tasks
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _left(began: float, tasks: list[Progress]) -> str:
    """The time left if the rest goes as fast as what has ended."""
    ended = sum(task.has_ended for task in tasks)
    if ended in (0, len(tasks)):
        return ""
    seconds = (time.monotonic() - began) / ended * (len(tasks) - ended)
    return f", about {estimates.text(seconds)} left"


def line(progress: Progress) -> str:
    reason = f": {progress.reason}" if progress.reason else ""
    return f"{progress.task.title}: {progress.state}{reason}"


def table(tasks: Iterable[Progress]) -> list[str]:
    rows = [
        (
            task.task.chapter,
            task.task.kind.name,
            f"{task.task.job}_{task.task.index}",
            task.state,
            task.reason,
        )
        for task in tasks
    ]
    return terminal_table(("chapter", "GPU", "job", "state", ""), rows)


def output_text(campaign: Campaign, task: Task) -> str:
    """A task's output so far; from its node where no file system is shared. Where that node does not give it, why."""
    path = campaign.output_of(task)
    if not campaign.is_shared:
        return _on_node(task.node, path) if task.node else ""
    try:
        return files.read_bytes(Path(path), _LARGEST_OUTPUT).decode("utf-8", "replace")
    except Malformed:  # not there yet, or no output of a task
        return ""


def _on_node(node: str, path: str) -> str:
    try:
        return slurm.read_from(node, path, _LARGEST_OUTPUT)
    except slurm.NoAnswer:
        raise
    except Problem as problem:  # a node that is down must not keep the others' results
        return str(problem)


def _has_failed(state: slurm.TaskState | None) -> bool:
    return state is not None and not state.is_active and state.state != "COMPLETED"


def _state(
    campaign: Campaign, task: Task, state: slurm.TaskState | None, failed_builds: list[int]
) -> Progress:
    if state and state.is_active:
        if state.state == "PENDING":
            return Progress(task, WAITING, _waiting_for(state))
        return Progress(task, RUNNING, f"on {state.node}" if state.node else "")
    # It has ended, or Slurm has forgotten it: its output says the rest.
    text = output_text(campaign, task)
    results = parcel.read(text)
    if results is not None:
        return Progress(task, DONE, results=results)
    said = plain(parcel.last_line(text))
    if (status := parcel.exit_status(text)) is not None:
        return Progress(task, FAILED, f"exit status {status}: {said}")
    if state:
        how = state.state.lower().replace("_", " ")
        if failed_builds and state.state == "CANCELLED":
            how = "not started: its build failed"
        return Progress(task, FAILED, f"{how}: {said}" if said else how)
    return Progress(task, UNKNOWN, "Slurm has forgotten it, and it left no output")


def _waiting_for(state: slurm.TaskState) -> str:
    held = "; scontrol release lets it go on" if "held" in state.reason.lower() else ""
    return "" if state.reason in ("", "None") else f"{state.reason}{held}"
