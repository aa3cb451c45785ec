"""A campaign on a real Slurm: tasks that are killed, time out and are preempted, a drained node, a
controller that restarts. It ends with the counts that `lab run` makes."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import fleet_tree
import pytest
import slurm_cluster
import synthetic
from conftest import Tree
from fleet_tree import BUILD_ERROR, FleetTree
from slurm_cluster import PATIENCE_S, Cluster

ROOT = Path(__file__).resolve().parents[3]
CHAPTERS = ("09_transpose_bounds", "10_transpose_naive")
KINDS = ("fermi", "kepler", "volta")
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
    killed, _ = _first(lambda: _stopped(cluster))
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
    _first(lambda: _stopped(cluster, killed))  # else it may end before the other job comes
    cluster.run("sbatch", "--partition=urgent", "--exclusive", "--output=/dev/null", "--wrap=true")
    _first(lambda: ["preempted"] if _restarts(cluster) else [])

    # One task hangs until its time is over.
    hanging, process = _first(lambda: _stopped(cluster, killed))
    threading.Thread(target=_freeze, args=(process,), daemon=True).start()
    cluster.time_out(hanging)

    # The program of one task is killed, as a node that is out of memory does.
    _, process = _first(lambda: _stopped(cluster, killed, hanging))
    os.kill(process, signal.SIGKILL)

    ended = _first(lambda: _ended(cluster, number))
    lines = [line for line in ended.splitlines() if " failed" in line]
    assert len(lines) == 3, f"{ended}\n{hanging}\n{cluster.log()}"
    assert sum("cancelled" in line for line in lines) == 1
    assert sum("timeout" in line for line in lines) == 1
    assert sum("its executable was killed by SIGKILL" in line for line in lines) == 1

    collected = lab(cluster, "fleet", "collect", number, "--data", str(merged))
    assert collected.returncode == 1
    assert f"{TASKS} tasks, {TASKS - 3} merged, 0 refused, 3 failed" in collected.stdout
    assert len(list(merged.glob("*/*.json"))) == TASKS - 3

    # The failed jobs run again, alone; then everything is there, as `lab run` makes it.
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
    assert "cancelled 4 of 4 tasks" in cancelled.stdout, cancelled.stderr
    after = lab(cluster, "fleet", "status", number)
    assert after.returncode == 1
    assert after.stdout.count("cancelled") == 4
    assert "cancelled 0 of 4 tasks" in lab(cluster, "fleet", "cancel", number).stdout


@dataclass(frozen=True)
class Stand:
    """A committed tree that submits to the cluster."""

    committed: FleetTree
    cluster: Cluster
    folder: Path

    def fleet(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        tree = self.committed.tree
        programs = str(self.folder / "programs")
        ours = {
            "SLURM_CONF": self.cluster.environment["SLURM_CONF"],
            "PATH": os.pathsep.join((programs, self.cluster.environment["PATH"])),
            "LAB_TEST_CONTAINERS": str(self.folder / "containers"),
        }
        return subprocess.run(
            tree.command("fleet", *arguments),
            env=tree.settings(**ours),
            cwd=tree.root,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    def jobs(self) -> int:
        return len(self.cluster.run("squeue", "--noheader", "--states=all").splitlines())


@pytest.fixture
def stand(cluster: Cluster, tree: Tree, tmp_path: Path) -> Iterator[Stand]:
    yield Stand(fleet_tree.make(tree, tmp_path / "broken"), cluster, tmp_path)
    # Files that jobs leave in the node's /tmp, which is this machine's.
    for script in (tree.root / "build" / "fleet").glob("*/emulated-fermi.sh"):
        for folder in set(re.findall(r"/tmp/lab-fleet-tree-\w+", script.read_text())):
            shutil.rmtree(folder, ignore_errors=True)
    for path in Path("/tmp").glob("lab-fleet-000?-emulated-fermi-*.txt"):
        path.unlink()


MODES = {"shared": [], "not shared": ["--no-shared-files"], "in place": ["--in-place"]}
FERMI = ["--gres", "emulated:fermi"]


@pytest.mark.parametrize("mode", MODES)
def test_a_build_that_fails_is_named_and_runs_again(stand: Stand, mode: str) -> None:
    """In each mode: planned, failed by its build, shown, shown again, repeated and merged."""
    planned = stand.fleet("plan", *FERMI)
    assert planned.returncode == 0, planned.stderr
    assert re.search(r"^emulated-fermi +1 ", planned.stdout, re.MULTILINE)
    stand.committed.broken.write_text(f"{BUILD_ERROR}\n")
    merged = ["--data", str(stand.folder / "merged")]
    options = [*MODES[mode], "--partition=urgent", "--sbatch=--comment=ours", "--minutes=99"]
    failed = stand.fleet("run", *FERMI, *options, *merged)
    assert failed.returncode == 1
    assert "1 tasks, 0 merged, 0 refused, 1 failed" in failed.stdout, failed.stdout
    how = "not started: its build failed (exit status 1)" if mode == "shared" else "exit status 1"
    assert f"failed: {how}: {BUILD_ERROR}" in failed.stdout

    before = stand.jobs()
    assert stand.fleet("run", "--retry", "last", "--dry-run").returncode == 0
    assert stand.jobs() == before

    # The next commit breaks the chapter; the campaign stays with its own.
    commit = stand.committed.git("rev-parse", "HEAD")
    stand.committed.broken.unlink()
    if mode != "in place":
        stand.committed.write(f"chapters/{synthetic.CHAPTER}/fake_executable.py", "#!/bin/false\n")
        stand.committed.commit()
    again = stand.fleet("run", "--retry", "last", *merged)
    assert again.returncode == 0, f"{again.stdout}{again.stderr}{stand.cluster.log()}"
    assert "1 tasks, 1 merged, 0 refused, 0 failed" in again.stdout
    (result,) = (stand.folder / "merged").glob("*/*.json")
    assert json.loads(result.read_text())["context"]["git_revision"] == commit
    asked = stand.cluster.run("squeue", "--noheader", "--states=all", "--format=%P|%k|%l")
    lines = asked.splitlines()
    assert {line.split("|")[0] for line in lines if "ours" in line} == {"urgent"}
    assert sum("|ours|1:39:00" in line for line in lines) == 2


def test_a_busy_node_keeps_output_and_loses_none(stand: Stand) -> None:
    detached = stand.fleet("run", "--detach", "--no-shared-files", *FERMI)
    assert detached.returncode == 0, detached.stderr
    _first(lambda: [] if _queued(stand.cluster) else [True])
    stand.cluster.run("sbatch", "--exclusive", "--output=/dev/null", "--wrap=sleep 3600")
    _first(lambda: _states(stand.cluster, "running"))
    to = ["--data", str(stand.folder / "merged")]
    busy = stand.fleet("collect", *to)
    assert "1 tasks, 0 merged, 0 refused, 0 failed, 1 not fetched" in busy.stdout, busy.stderr
    stand.cluster.run("scancel", "--user=root")
    _first(lambda: [] if _queued(stand.cluster) else [True])
    free = stand.fleet("collect", *to)
    assert free.returncode == 0, free.stderr
    assert "1 tasks, 1 merged, 0 refused, 0 failed, 0 not fetched" in free.stdout


def test_results_come_out_of_a_container_as_of_a_run(stand: Stand) -> None:
    """Nothing is shared with the node: the tree goes there in the job, and runs in the container."""
    programs = stand.folder / "programs"
    programs.mkdir()
    apptainer = programs / "apptainer"
    apptainer.write_text(APPTAINER)
    apptainer.chmod(0o755)
    image = ["--container", "an image.sif"]
    to = ["--data", str(stand.folder / "merged")]
    done = stand.fleet("run", "--no-shared-files", *FERMI, *image, *to)
    assert done.returncode == 0, f"{done.stderr}\n{stand.cluster.log()}"
    assert "1 tasks, 1 merged, 0 refused, 0 failed" in done.stdout
    to = ["--data", str(stand.folder / "direct")]
    direct = stand.committed.tree.lab("run", "--device", "emulated:fermi", *to, "--no-figures")
    assert direct.returncode == 0, direct.stderr
    (one,), (other,) = ((stand.folder / name).glob("*/*.json") for name in ("merged", "direct"))
    assert _rows(one) == _rows(other)
    assert (stand.folder / "containers").read_text() == "an image.sif\n"


# Takes what `apptainer exec --nv --bind PLACES --pwd FOLDER IMAGE COMMAND…` takes.
APPTAINER = """\
#!/bin/sh
[ "$1 $2 $3 $5" = "exec --nv --bind --pwd" ] || exit 9
cd "$6" || exit 8
printf '%s\\n' "$7" >>"$LAB_TEST_CONTAINERS"
shift 7
exec "$@"
"""


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
    return _states(cluster, "running")


def _states(cluster: Cluster, states: str) -> list[str]:
    jobs = cluster.run("squeue", "--noheader", "--array", f"--states={states}", "--format=%F_%K")
    return jobs.split()


def _queued(cluster: Cluster) -> list[str]:
    return _states(cluster, "pending,running,completing,configuring")


def _restarts(cluster: Cluster) -> bool:
    """Whether Slurm has put a task back into the queue."""
    return "Restarts=1" in cluster.run("scontrol", "show", "jobs")


def _stopped(cluster: Cluster, *without: str) -> list[tuple[str, int]]:
    """A running task, with its chapter's executable, which is stopped: it cannot end meanwhile."""
    for job in _running(cluster):
        for process in _processes(cluster, job) if job not in without else ():
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
