"""Slurm's own commands, and what they say of jobs."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from notebook.errors import MISSING, Problem
from notebook.text import plain

# A controller that restarts answers again within a minute or so.
_SECONDS_TO_ANSWER = 60
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,254}")

# Not finished: everything that Slurm has not given up. All other states are ends.
_ACTIVE = {
    "PENDING",
    "RUNNING",
    "COMPLETING",
    "CONFIGURING",
    "REQUEUED",
    "REQUEUE_HOLD",
    "REQUEUE_FED",
    "RESIZING",
    "SIGNALING",
    "STAGE_OUT",
    "STOPPED",
    "SUSPENDED",
}


class NoAnswer(Problem):
    """Slurm could not be asked now; it may answer later."""


@dataclass(frozen=True)
class TaskState:
    """What Slurm says of one task: RUNNING, TIMEOUT …; why it waits; where it runs or ran."""

    state: str
    reason: str = ""
    node: str = ""

    @property
    def is_active(self) -> bool:
        return self.state in _ACTIVE


def require() -> None:
    """Raises Problem where this machine cannot submit jobs."""
    if not shutil.which("sbatch"):
        raise Problem(
            "no sbatch: run this on a machine that submits to a Slurm cluster "
            "(Debian's package slurm-client)",
            MISSING,
        )


def nodes() -> list[str]:
    """A line for each node and partition: `node|partition|gres`."""
    return _run("sinfo", "--noheader", "--Node", "--format=%N|%P|%G").splitlines()


def submit(script: str, *options: str) -> int:
    """Submits a script; returns the job's number."""
    text = _run("sbatch", "--parsable", *options, given=script)
    number = text.strip().split(";")[0]
    if not number.isdecimal():
        raise Problem(f"sbatch answered '{plain(text.strip())}', not a job number")
    return int(number)


def cancel(jobs: Sequence[int]) -> None:
    _run("scancel", *map(str, jobs))


def read_from(node: str, path: str, longest: int) -> str:
    """The content of a file on a node, where no file system is shared; at most so many bytes of it."""
    if not _NODE.fullmatch(node):
        raise Problem(f"Slurm names the node '{plain(node)}', which is not a host name")
    options = [f"--nodelist={node}", "--ntasks=1", "--time=5", "--quiet", "--immediate=60"]
    return _run("srun", *options, "head", f"--bytes={longest}", "--", path)


def states(jobs: Sequence[int]) -> dict[tuple[int, int], TaskState]:
    """The state of each (job, array index) that Slurm remembers; index -1 for a plain job."""
    if not jobs:
        return {}
    numbers = ",".join(map(str, jobs))
    # Accounting remembers longer; squeue knows why a job waits. Without a database sacct fails.
    states_by_job = _parsed(
        _try("sacct", "-nXP", "-j", numbers, "-o", "JobID,State,Reason,NodeList")
    )
    shown = _run_or_unknown_job(
        *("squeue", "--noheader", "--array", "--states=all"),
        *(f"--jobs={numbers}", "--format=%F_%K|%T|%r|%N"),
    )
    return states_by_job | _parsed(shown)


def _parsed(text: str) -> dict[tuple[int, int], TaskState]:
    states_by_job = {}
    for line in text.splitlines():
        name, state, reason, node = ([*line.split("|"), "", "", ""])[:4]
        job, _, index = name.strip().partition("_")
        if not job.isdecimal() or not (index.isdecimal() or index in ("", "N/A")):
            continue  # an array that has not started yet: `12_[0-3]`
        key = (int(job), int(index) if index.isdecimal() else -1)
        # "CANCELLED by 0" names a user.
        states_by_job[key] = TaskState((state.split() or [""])[0], plain(reason), node.strip("() "))
    return states_by_job


def _run_or_unknown_job(*command: str) -> str:
    """squeue fails for a job that it has forgotten."""
    try:
        return _run(*command)
    except NoAnswer:
        raise
    except Problem as problem:
        if "Invalid job id" in str(problem):
            return ""
        raise


def _try(*command: str) -> str:
    if not shutil.which(command[0]):
        return ""
    try:
        return _run(*command)
    except Problem:
        return ""


def _run(*command: str, given: str | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS_TO_ANSWER + 60,
            check=False,
        )
    except FileNotFoundError as error:
        raise Problem(f"no {command[0]}: install Slurm's commands", MISSING) from error
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"{command[0]} does not answer; is Slurm's controller up?") from error
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.strip()]
        said = plain((errors or ["failed without a message"])[-1])
        kind = NoAnswer if "contact" in said or "onnect" in said else Problem
        raise kind(f"{command[0]}: {said.removeprefix(command[0] + ': ')}")
    return done.stdout
