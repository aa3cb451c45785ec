"""A campaign on a real Slurm: tasks that are killed, time out and are preempted, a drained node, a
controller that restarts. It ends with the counts that `lab run` makes."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest
import slurm_cluster
from conftest import Tree
from slurm_cluster import PATIENCE_S, Cluster

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ("04_read_only_cache", "09_transpose_bounds", "10_transpose_naive")
KINDS = ("fermi", "kepler", "volta", "hopper")
TASKS = len(CHAPTERS) * len(KINDS)
Found = TypeVar("Found")

pytestmark = pytest.mark.skipif(
    bool(slurm_cluster.lacking()), reason=f"needs Slurm: {slurm_cluster.lacking()}"
)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    folder = tmp_path / "slurm"
    folder.mkdir()
    started = Cluster(folder, list(KINDS), cpus=2)
    try:
        started.start()
        yield started
    finally:
        started.stop()


def lab(
    cluster: Cluster, *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "scripts" / "lab"), *arguments]
    settings = environment or cluster.environment
    return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=PATIENCE_S)


def test_a_campaign_survives_what_a_cluster_does(cluster: Cluster, tmp_path: Path) -> None:
    merged = tmp_path / "merged"
    cluster.drain()
    resources = ",".join(f"emulated:{kind}" for kind in KINDS)
    # The one task that is to be too slow is made so; the limit is never what a busy machine takes.
    options = ["--in-place", "--detach", "--minutes", "600", "--gres", resources]
    submitted = lab(cluster, "fleet", "run", *options, *CHAPTERS)
    assert submitted.returncode == 0, submitted.stderr
    number = submitted.stdout.split()[1].rstrip(";")

    # A drained node: everything waits, and the reason is shown.
    waiting = lab(cluster, "fleet", "status", number)
    assert waiting.stdout.count("waiting") == TASKS
    cluster.resume()

    # One task is killed; the node is drained in the middle of others, and the controller restarts.
    killed, _ = _first(lambda: _stopped(cluster, without=""))
    cluster.run("scancel", killed)
    # A controller that ends at once forgets what it has not carried out.
    _first(lambda: [] if killed in _running(cluster) else [killed])
    _first(lambda: _running(cluster))
    cluster.drain()
    cluster.stop_controller()
    away = lab(cluster, "fleet", "status", number, environment=cluster.impatient())
    assert away.returncode == 1
    assert away.stderr.count("\n") == 1
    cluster.start_controller()
    _first(lambda: _answers(cluster))
    cluster.resume()

    # Somebody with a higher priority takes the whole node: what runs there is preempted, and runs again.
    _first(lambda: _stopped(cluster, without=killed))  # else it may end before the other job comes
    cluster.run("sbatch", "--partition=urgent", "--exclusive", "--output=/dev/null", "--wrap=true")
    _first(lambda: ["preempted"] if _restarts(cluster) else [])

    # One task hangs until its time is over.
    hanging, process = _first(lambda: _stopped(cluster, without=killed))
    threading.Thread(target=_freeze, args=(process,), daemon=True).start()
    cluster.time_out(hanging)

    ended = _first(lambda: _ended(cluster, number))
    lines = [line for line in ended.splitlines() if " failed" in line]
    assert len(lines) == 2, f"{ended}\n{hanging}\n{cluster.log()}"
    assert sum("cancelled" in line for line in lines) == 1
    assert sum("timeout" in line for line in lines) == 1

    collected = lab(cluster, "fleet", "collect", number, "--data", str(merged))
    assert collected.returncode == 1
    assert f"{TASKS} tasks, {TASKS - 2} merged, 0 refused, 2 failed" in collected.stdout
    assert len(list(merged.glob("*/*.json"))) == TASKS - 2

    # What failed runs again, alone; then everything is there, as `lab run` makes it.
    again = lab(cluster, "fleet", "run", "--retry", number, "--data", str(merged))
    assert again.returncode == 0, again.stderr
    assert f"{TASKS} tasks, {TASKS} merged, 0 refused, 0 failed" in again.stdout
    direct = tmp_path / "direct"
    for kind in KINDS:
        options = ["--device", f"emulated:{kind}", "--data", str(direct), "--no-figures"]
        ran = lab(cluster, "run", *CHAPTERS, *options)
        assert ran.returncode == 0, ran.stderr
    files = sorted(path.relative_to(direct) for path in direct.glob("*/*.json"))
    assert len(files) == len(list(merged.glob("*/*.json"))) == TASKS
    for path in files:
        assert _rows(merged / path) == _rows(direct / path), path


def test_a_campaign_is_cancelled(cluster: Cluster) -> None:
    cluster.drain()
    options = ["--in-place", "--detach", "--gres", "emulated:fermi,emulated:volta"]
    submitted = lab(cluster, "fleet", "run", *options, *CHAPTERS)
    assert submitted.returncode == 0, submitted.stderr
    number = submitted.stdout.split()[1].rstrip(";")
    cancelled = lab(cluster, "fleet", "cancel", number)
    assert "cancelled 6 of 6 tasks" in cancelled.stdout, cancelled.stderr
    after = lab(cluster, "fleet", "status", number)
    assert after.returncode == 1
    assert after.stdout.count("cancelled") == 6
    assert "cancelled 0 of 6 tasks" in lab(cluster, "fleet", "cancel", number).stdout


@pytest.mark.parametrize("image", ["", "an image.sif"])
def test_results_come_back_through_the_output(
    cluster: Cluster, tree: Tree, tmp_path: Path, image: str
) -> None:
    """Nothing is shared with the node: the tree goes there in the job, inside a container or not."""
    revision = _committed(tree)
    programs = tmp_path / "programs"
    programs.mkdir()
    apptainer = programs / "apptainer"
    apptainer.write_text(APPTAINER)
    apptainer.chmod(0o755)
    path = os.pathsep.join((str(programs), cluster.environment["PATH"]))
    environment = tree.settings(SLURM_CONF=cluster.environment["SLURM_CONF"], PATH=path)
    command = ["fleet", "run", "--no-shared-files", "--gres", "emulated:fermi"]
    command += ["--data", str(tmp_path / "merged"), *(["--container", image] if image else [])]
    try:
        done = subprocess.run(
            tree.command(*command),
            env=environment | {"LAB_TEST_CONTAINERS": str(programs / "log")},
            cwd=tree.root,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    finally:
        _remove_from_node(revision)
    assert done.returncode == 0, f"{done.stderr}\n{cluster.log()}"
    assert "1 tasks, 1 merged, 0 refused, 0 failed" in done.stdout
    direct = tree.lab(
        *("run", "--device", "emulated:fermi", "--data", str(tmp_path / "direct"), "--no-figures")
    )
    assert direct.returncode == 0, direct.stderr
    (one,), (other,) = ((tmp_path / name).glob("*/*.json") for name in ("merged", "direct"))
    assert _rows(one) == _rows(other)
    used = (programs / "log").read_text() if image else ""
    assert used == (f"{image}\n" if image else "")


# Takes what `apptainer exec --nv --bind PLACES --pwd FOLDER IMAGE COMMAND…` takes.
APPTAINER = """\
#!/bin/sh
[ "$1 $2 $3 $5" = "exec --nv --bind --pwd" ] || exit 9
cd "$6" || exit 8
printf '%s\\n' "$7" >>"$LAB_TEST_CONTAINERS"
shift 7
exec "$@"
"""


def _committed(tree: Tree) -> str:
    """Makes the tree a git checkout with a `scripts/lab`; its revision."""
    lab_script = tree.root / "scripts" / "lab"
    lab_script.write_text(
        f'#!/bin/sh\nPYTHONPATH="$PWD/scripts" exec "{sys.executable}" -P -m notebook "$@"\n'
    )
    lab_script.chmod(0o755)
    git = ["git", "-C", str(tree.root), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "a tree")):
        subprocess.run([*git, *words], check=True, capture_output=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return head.stdout.strip()


def _remove_from_node(revision: str) -> None:
    """What the job leaves in the node's /tmp, which is this machine's."""
    shutil.rmtree(f"/tmp/lab-fleet-tree-{revision[:12]}", ignore_errors=True)
    for path in Path("/tmp").glob("lab-fleet-0001-emulated-fermi-*.txt"):
        path.unlink()


def _first(look: Callable[[], list[Found]]) -> Found:
    """The first that `look` finds, once it finds something."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if state := look():
            return state[0]
        time.sleep(0.05)
    raise AssertionError("did not happen in time")


def _running(cluster: Cluster) -> list[str]:
    """As JOB_INDEX, which names a task for as long as it lives."""
    jobs = cluster.run("squeue", "--noheader", "--array", "--states=running", "--format=%F_%K")
    return jobs.split()


def _restarts(cluster: Cluster) -> bool:
    """Whether Slurm has put a task back into the queue."""
    return "Restarts=1" in cluster.run("scontrol", "show", "jobs")


def _stopped(cluster: Cluster, without: str) -> list[tuple[str, int]]:
    """A running task, with its chapter's executable, which is stopped: it cannot end meanwhile."""
    for job in _running(cluster):
        for process in _processes(cluster, job) if job != without else ():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
                if job in _running(cluster) and process in _processes(cluster, job):
                    return [(job, process)]
    return []


def _processes(cluster: Cluster, job: str) -> list[int]:
    """The chapter's executable that a job runs."""
    array, index = job.split("_")
    expected = {"SLURM_ARRAY_JOB_ID": array, "SLURM_ARRAY_TASK_ID": index}
    return [
        process
        for process in cluster.processes(expected)
        if b"--architecture=" in slurm_cluster.of_process(process, "cmdline")
    ]


def _freeze(process: int) -> None:
    """Keeps a process stopped, although Slurm continues it before it ends it."""
    with suppress(ProcessLookupError):
        while True:
            os.kill(process, signal.SIGSTOP)
            time.sleep(0.01)


def _answers(cluster: Cluster) -> list[bool]:
    ping = ["scontrol", "ping"]
    done = subprocess.run(ping, env=cluster.environment, capture_output=True, text=True)
    return [True] if "is UP" in done.stdout else []


def _ended(cluster: Cluster, number: str) -> list[str]:
    """The status, once no task waits or runs."""
    table = lab(cluster, "fleet", "status", number).stdout
    states = table.count(" done") + table.count(" failed")
    return [table] if states == TASKS else []


def _rows(path: Path) -> bytes:
    """The rows, as they stand in the file."""
    head, mark, rows = path.read_bytes().partition(b'"rows"')
    assert head and mark
    return rows
