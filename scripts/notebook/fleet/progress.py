"""What has become of each task: what its output holds, and what Slurm says."""

import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

from notebook.base.errors import Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import plain, terminal_table
from notebook.fleet import outputs, parcel, slurm
from notebook.fleet.campaign import Campaign, Task
from notebook.fleet.outputs import Fetcher
from notebook.fleet.slurm import TaskState
from notebook.run import estimates

DONE = "done"
FAILED = "failed"
# It has ended, and its output lies on a node that has nothing free for a copy.
NOT_FETCHED = "not fetched"
RUNNING = "running"
WAITING = "waiting"
UNKNOWN = "unknown"

_SECONDS_BETWEEN_LOOKS = 2.0

# `fleet run --retry` submits these again.
NOT_DONE = (FAILED, UNKNOWN)
# How a shell says that a signal ended its command: 128 + the signal.
_OF_A_SIGNAL = 128


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
    def is_queued(self) -> bool:
        return self.state in (WAITING, RUNNING)

    @property
    def has_ended(self) -> bool:
        return self.state in (DONE, FAILED, UNKNOWN)


def look(campaign: Campaign, fetcher: Fetcher | None = None) -> list[Progress]:
    """The state of every task, now. Raises slurm.NoAnswer while the controller is away."""
    states = slurm.states(campaign.jobs)
    found = [
        states.get((task.job, task.index)) or states.get((task.job, -1)) for task in campaign.tasks
    ]
    tasks = [
        replace(task, node=state.node) if state and state.node else task
        for task, state in zip(campaign.tasks, found, strict=True)
    ]
    if tasks != campaign.tasks:
        campaign = campaign.with_tasks(tasks)
        campaign.save()
    refusals: dict[str, Problem] = {}
    if not campaign.is_shared:
        ended = [task for task, state in zip(tasks, found, strict=True) if not _is_active(state)]
        refusals = (fetcher or Fetcher()).fetch(campaign, ended)
    return [
        _active(task, state)
        if state and _is_active(state)
        else _ended(campaign, task, state, states, refusals.get(task.node))
        for task, state in zip(tasks, found, strict=True)
    ]


def watch(campaign: Campaign) -> list[Progress]:
    """Waits until every task has ended; says what changes."""
    began = time.monotonic()
    known: dict[str, tuple[str, str]] = {task.title: (WAITING, "") for task in campaign.tasks}
    is_away = False
    fetcher = Fetcher()
    while True:
        try:
            tasks = look(campaign, fetcher)
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


def _is_active(state: TaskState | None) -> bool:
    return state is not None and state.is_active


def _active(task: Task, state: TaskState) -> Progress:
    if state.state == "PENDING":
        return Progress(task, WAITING, _waiting_for(state))
    return Progress(task, RUNNING, f"on {state.node}" if state.node else "")


def _ended(
    campaign: Campaign,
    task: Task,
    state: TaskState | None,
    states: dict[tuple[int, int], TaskState],
    refusal: Problem | None,
) -> Progress:
    """The state of a task that has ended, or that Slurm has forgotten: its output says the rest."""
    text = outputs.text_of(campaign.output_of(task))
    results = parcel.read(text)
    if results is not None:
        return Progress(task, DONE, results=results)
    has_failed = state is not None and state.state != "COMPLETED"
    if isinstance(refusal, slurm.Busy) and not has_failed:
        return Progress(task, NOT_FETCHED, str(refusal))
    if not text and (failure := _failure_of_build(campaign, task, states)):
        return Progress(task, FAILED, f"not started: {failure}")
    how = _how_it_ended(state, parcel.exit_status(text))
    if not how:
        return Progress(task, UNKNOWN, "Slurm has forgotten it, and it left no output")
    said = plain(refusal or parcel.first_error(text))
    return Progress(task, FAILED, f"{how}: {said}" if said else how)


def _how_it_ended(state: TaskState | None, status: int | None) -> str:
    """By Slurm's own account where it ended the task, else by its exit status; "" where nothing is known."""
    if state and state.state not in ("FAILED", "COMPLETED"):
        return state.state.lower().replace("_", " ")
    if status is not None and status > _OF_A_SIGNAL:
        return _killed(status - _OF_A_SIGNAL)
    if status is not None:
        return f"exit status {status}"
    if state and state.signal:
        return _killed(state.signal)
    return state.state.lower() if state else ""


def _killed(number: int) -> str:
    known = {each.value: each.name for each in signal.Signals}
    return f"killed by {known.get(number, f'signal {number}')}"


def _failure_of_build(
    campaign: Campaign, task: Task, states: dict[tuple[int, int], TaskState]
) -> str:
    """Why the build that a task waited for has failed, and where all of it stands; "" where it has not."""
    build = campaign.builds.get(task.kind.tree)
    if build is None:
        return ""
    state = states.get((build, -1))
    path = campaign.output_of_build(task.kind.tree)
    text = outputs.text_of(path)
    how = _how_it_ended(state, parcel.exit_status(text))
    if _is_active(state) or how in ("", "completed", "exit status 0", "cancelled"):
        return ""
    said = (
        f": {error}; all of it: {Project.here().quoted(path)}"
        if (error := plain(parcel.first_error(text)))
        else ""
    )
    return f"its build failed ({how}){said}"


def _waiting_for(state: slurm.TaskState) -> str:
    held = "; scontrol release lets it go on" if "held" in state.reason.lower() else ""
    return "" if state.reason in ("", "None") else f"{state.reason}{held}"
