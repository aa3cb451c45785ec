"""Slurm's own commands, and what they say of jobs."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from notebook.base.errors import MISSING, Problem
from notebook.base.text import plain

# A controller that restarts answers again within a minute or so.
_SECONDS_TO_ANSWER = 60
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,254}")
# How long a node may take to find a CPU for a copy of output, and how srun says that it has not.
_SECONDS_FOR_A_TURN = 10
_NOTHING_FREE = ("nodes are busy", "immediate execution impossible")
# `sh -c` names its first argument $0. A line with the size and the path stands before each file.
_SEND_FILES = """\
for path; do
    [ -f "$path" ] && size=$(head --bytes="$0" -- "$path" | wc -c) || continue
    echo "$size $path" && head --bytes="$size" -- "$path"
done
true"""

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


class Busy(Problem):
    """A node has nothing free now; it may have later."""


@dataclass(frozen=True)
class TaskState:
    """What Slurm says of one task: RUNNING, TIMEOUT …; why it waits; where it runs or ran; the signal that ended it."""

    state: str
    reason: str = ""
    node: str = ""
    signal: int = 0

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


def require_host_name(node: str) -> None:
    """Raises Problem for a name that srun could take for something else."""
    if not _NODE.fullmatch(node):
        raise Problem(f"Slurm names the node '{plain(node)}', which is not a host name")


def read_from(options: Sequence[str], paths: Sequence[str], longest: int) -> dict[str, bytes]:
    """What is in files on a node, the one of srun's options, where no file system is shared: at most so
    many bytes of each. Raises Busy where the node has nothing free for it."""
    how = [*options, "--nodes=1", "--ntasks=1", "--time=5", "--quiet"]
    how.append(f"--immediate={_SECONDS_FOR_A_TURN}")
    try:
        sent = _run_raw("srun", *how, "sh", "-c", _SEND_FILES, str(longest), *paths)
    except NoAnswer:
        raise
    except Problem as problem:
        said = str(problem).lower()
        if any(words in said for words in _NOTHING_FREE):
            raise Busy(str(problem)) from problem
        raise
    return dict(_files_in(sent))


def _files_in(sent: bytes) -> Iterator[tuple[str, bytes]]:
    while sent:
        head, _, sent = sent.partition(b"\n")
        count, _, path = head.partition(b" ")
        if not count.isdigit() or len(sent) < int(count):
            said = plain(head.decode("utf-8", "replace"))
            raise Problem(f"srun sent no whole files: '{said}'; try again")
        yield path.decode("utf-8", "replace"), sent[: int(count)]
        sent = sent[int(count) :]


def states(jobs: Sequence[int]) -> dict[tuple[int, int], TaskState]:
    """The state of each (job, array index) that Slurm remembers; index -1 for a plain job."""
    if not jobs:
        return {}
    numbers = ",".join(map(str, jobs))
    # Accounting remembers longer; squeue knows why a job waits. Without a database sacct fails.
    fields = "JobID,State,Reason,NodeList,ExitCode"
    states_by_job = _parsed(_try("sacct", "-nXP", "-j", numbers, "-o", fields))
    shown = _run_or_unknown_job(
        *("squeue", "--noheader", "--array", "--states=all", f"--jobs={numbers}"),
        "--Format=ArrayJobID:_,ArrayTaskID:|,State:|,Reason:|,NodeList:|,exit_code:",
    )
    return states_by_job | _parsed(shown)


def _parsed(text: str) -> dict[tuple[int, int], TaskState]:
    states_by_job = {}
    for line in text.splitlines():
        name, state, reason, node, ended = ([*line.split("|"), "", "", "", ""])[:5]
        job, _, index = name.strip().partition("_")
        if not job.isdecimal() or not (index.isdecimal() or index in ("", "N/A")):
            continue  # an array that has not started yet: `12_[0-3]`
        key = (int(job), int(index) if index.isdecimal() else -1)
        # "CANCELLED by 0" names a user.
        word = (state.split() or [""])[0]
        states_by_job[key] = TaskState(word, plain(reason), node.strip("() "), _signal(ended))
    return states_by_job


def _signal(ended: str) -> int:
    """Of `0:9`, as sacct has it, or of a status as wait() returns it, which squeue shows."""
    _, mark, signal_of_pair = ended.strip().partition(":")
    number = signal_of_pair if mark else ended.strip()
    return int(number) & 0x7F if number.isdecimal() else 0


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
    return _run_raw(*command, given=given).decode("utf-8", "replace")


def _run_raw(*command: str, given: str | None = None) -> bytes:
    try:
        done = subprocess.run(
            command,
            input=None if given is None else given.encode(),
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            timeout=_SECONDS_TO_ANSWER + 60,
            check=False,
        )
    except FileNotFoundError as error:
        raise Problem(f"no {command[0]}: install Slurm's commands", MISSING) from error
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"{command[0]} does not answer; is Slurm's controller up?") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").splitlines()
        errors = [line for line in lines if line.strip()]
        said = plain((errors or ["failed without a message"])[-1])
        kind = NoAnswer if "contact" in said or "onnect" in said else Problem
        raise kind(f"{command[0]}: {said.removeprefix(command[0] + ': ')}")
    return done.stdout
