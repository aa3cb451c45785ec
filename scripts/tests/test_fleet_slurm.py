"""A campaign on a real Slurm: tasks that are killed and time out, a drained node, a controller that
restarts. It ends with the counts that `lab run` makes."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest
import slurm_cluster
from slurm_cluster import Cluster

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ("03_l1_cache", "09_transpose_bounds", "16_matmul_naive")
KINDS = ("fermi", "kepler", "volta", "hopper")
TASKS = len(CHAPTERS) * len(KINDS)
SECONDS = 100
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


def lab(cluster: Cluster, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "scripts" / "lab"), *arguments]
    return subprocess.run(
        command, env=cluster.environment, capture_output=True, text=True, timeout=SECONDS
    )


def test_a_campaign_survives_what_a_cluster_does(cluster: Cluster, tmp_path: Path) -> None:
    merged = tmp_path / "merged"
    cluster.drain()
    resources = ",".join(f"emulated:{kind}" for kind in KINDS)
    submitted = lab(
        *(cluster, "fleet", "run", "--in-place", "--detach", "--gres", resources, *CHAPTERS)
    )
    assert submitted.returncode == 0, submitted.stderr
    number = submitted.stdout.split()[1].rstrip(";")

    # A drained node: everything waits, and the reason is shown.
    waiting = lab(cluster, "fleet", "status", number)
    assert waiting.stdout.count("waiting") == TASKS
    cluster.resume()

    # One task is killed; the controller restarts, and the node is drained meanwhile.
    killed = _first(lambda: _running(cluster))
    cluster.run("scancel", killed)
    # A controller that ends at once forgets what it has not carried out.
    _first(lambda: [] if killed in _running(cluster) else [killed])
    cluster.drain()
    cluster.stop_controller()
    away = lab(cluster, "fleet", "status", number)
    assert away.returncode == 1
    assert away.stderr.count("\n") == 1
    cluster.start_controller()
    _first(lambda: _answers(cluster))
    cluster.resume()

    # One task hangs until its time is over.
    hanging = _first(lambda: [job for job in _running(cluster) if job != killed])
    process = _first(lambda: _processes(cluster, hanging))
    threading.Thread(target=_freeze, args=(process,), daemon=True).start()
    cluster.run("scontrol", "update", f"JobId={hanging}", "EndTime=now")

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
    ran = lab(
        *(cluster, "run", *CHAPTERS, "--device", "emulated:fermi"),
        *("--data", str(direct), "--no-figures"),
    )
    assert ran.returncode == 0, ran.stderr
    for chapter in CHAPTERS:
        path = f"emulated-fermi/{chapter}.json"
        assert _rows(merged / path) == _rows(direct / path)
    assert len(list(merged.glob("*/*.json"))) == TASKS


def _first(look: Callable[[], list[Found]]) -> Found:
    """The first that `look` finds, once it finds something."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if found := look():
            return found[0]
        time.sleep(0.05)
    raise AssertionError("did not happen in time")


def _running(cluster: Cluster) -> list[str]:
    """As JOB_INDEX, which names a task for as long as it lives."""
    jobs = cluster.run("squeue", "--noheader", "--array", "--states=running", "--format=%F_%K")
    return jobs.split()


def _processes(cluster: Cluster, job: str) -> list[int]:
    """The chapter's executable that a job runs."""
    array, index = job.split("_")
    wanted = {"SLURM_ARRAY_JOB_ID": array, "SLURM_ARRAY_TASK_ID": index}
    return [
        process
        for process in cluster.processes(wanted)
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


def _rows(path: Path) -> list[object]:
    rows: list[object] = json.loads(path.read_text())["rows"]
    return rows
