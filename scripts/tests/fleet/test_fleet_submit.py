"""What is submitted, and submitted again, with stand-ins for Slurm's commands that note what they get."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import fleet_tree
import pytest
import synthetic
from conftest import Tree
from fleet_tree import FleetTree

_PROGRAMS = {
    "sinfo": "echo 'n1|long*|gpu:a100:4,gpu:h100:2,emulated:fermi:1'",
    # Job 1, 2, …; the one that is named in the file `refused` is none.
    "sbatch": """\
number=$(($(cat "$NOTES/count" 2>/dev/null || echo 0) + 1))
echo "$number" >"$NOTES/count"
printf '%s\\n' "$@" >"$NOTES/options-$number"
cat >"$NOTES/script-$number"
if [ "$number" = "$(cat "$NOTES/refused" 2>/dev/null)" ]; then
    echo "sbatch: error: Batch job submission failed: Invalid account" >&2
    exit 1
fi
echo "$number" """,
    "squeue": 'cat "$NOTES/states" 2>/dev/null || true',
    "scancel": 'echo "$*" >>"$NOTES/cancelled"; [ ! -e "$NOTES/away" ]',
}


@dataclass(frozen=True)
class Stand:
    """A committed tree, and the folder in which the stand-ins note what they get."""

    committed: FleetTree
    notes: Path

    def fleet(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join((str(self.notes / "programs"), os.environ["PATH"]))
        return self.committed.tree.lab("fleet", *arguments, PATH=path, NOTES=str(self.notes))

    def submitted(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        done = self.fleet("run", "--detach", *arguments)
        assert done.returncode == 0, done.stderr
        return done

    @property
    def count(self) -> int:
        path = self.notes / "count"
        return int(path.read_text()) if path.exists() else 0

    def options(self, number: int) -> list[str]:
        return (self.notes / f"options-{number}").read_text().splitlines()

    def script(self, number: int) -> str:
        return (self.notes / f"script-{number}").read_text()

    def note(self, name: str, text: str = "") -> None:
        (self.notes / name).write_text(text)

    @property
    def cancelled(self) -> list[str]:
        path = self.notes / "cancelled"
        return path.read_text().split() if path.exists() else []


@pytest.fixture
def stand(tree: Tree, tmp_path: Path) -> Stand:
    programs = tmp_path / "notes" / "programs"
    programs.mkdir(parents=True)
    for name, text in _PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return Stand(fleet_tree.make(tree, tmp_path / "broken"), tmp_path / "notes")


PLACES = ["--partition=long", "--account=me", "--constraint=fast", "--qos=high", "--comment=a b"]
FIRST = [*PLACES[:3], "--sbatch=--qos=high", "--sbatch=--comment=a b", "--minutes=33"]
EMULATED = "--gres=emulated:fermi"
ON_GPUS = "--gres=gpu:a100,gpu:h100"


def _same_of(options: list[str]) -> list[str]:
    """Without what names a job or an attempt."""
    return [o for o in options if not o.startswith(("--dependency", "--array"))]


def test_a_campaign_builds_once_for_each_kind_of_node_and_for_all_its_gpus(stand: Stand) -> None:
    stand.submitted("--gres=gpu:a100,gpu:h100,emulated:fermi", "--emulated=hopper")
    # A build and an array each for the A100s and the H100s, one build and two arrays for emulated GPUs.
    assert stand.count == 7
    scripts = [stand.script(number) for number in range(1, 8)]
    assert all("scripts/lab run" in script for script in scripts)
    assert all("--gpu-targets 80,90" in script for script in scripts)
    builds = [number for number in range(1, 8) if "--build-only" in scripts[number - 1]]
    assert builds == [1, 3, 5]
    waits = [o for number in range(1, 8) for o in stand.options(number) if "--dependency" in o]
    assert waits == [f"--dependency=afterok:{build}" for build in (1, 3, 5, 5)]


@pytest.mark.parametrize("how", [[], ["--no-shared-files"], ["--in-place"]])
def test_a_dry_run_shows_what_is_submitted(stand: Stand, how: list[str]) -> None:
    dry = stand.fleet("run", "--dry-run", EMULATED, *FIRST, *how)
    assert dry.returncode == 0, dry.stderr
    assert stand.count == 0
    assert not (stand.committed.tree.root / "build" / "fleet").exists()
    stand.submitted(EMULATED, *FIRST, *how)
    shown = dry.stdout.split("==> ")[1:]
    assert len(shown) == stand.count
    for number, text in enumerate(shown, start=1):
        expected = [option for option in stand.options(number) if option != "--parsable"]
        planned = [line.removeprefix("#SBATCH ") for line in text.splitlines() if "#SBATCH" in line]
        assert planned == [
            option.replace("0001", "NUMBER").replace("afterok:1", "afterok:BUILD")
            for option in expected
        ]
        assert set(PLACES) <= set(planned)


@pytest.mark.parametrize("how", [[], ["--no-shared-files"], ["--in-place"]])
def test_a_retry_is_submitted_as_the_first_attempt_was(stand: Stand, how: list[str]) -> None:
    stand.submitted(EMULATED, *FIRST, *how)
    first = stand.count
    stand.note("states", f"{first}_0|FAILED|None|n1|256\n")

    dry = stand.fleet("run", "--retry", "last", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert stand.count == first
    for option in (*PLACES, "--time=33"):
        assert f"#SBATCH {option}\n" in dry.stdout

    stand.submitted("--retry", "last")
    assert stand.count == 2 * first
    for number in range(1, first + 1):
        assert _same_of(stand.options(number)) == _same_of(stand.options(first + number))
        assert stand.script(number) == stand.script(first + number)


def test_options_of_a_retry_replace_those_of_the_first_attempt(stand: Stand) -> None:
    stand.submitted(EMULATED, *FIRST)
    stand.note("states", "2_0|TIMEOUT|None|n1|15\n")
    stand.submitted("--retry", "1", "--partition=short", "--sbatch=--qos=low", "--minutes=66")
    for number in (3, 4):
        given = stand.options(number)
        assert {"--partition=short", "--account=me", "--constraint=fast"} <= set(given)
        assert [o for o in given if o.startswith(("--qos", "--comment"))] == [
            "--comment=a b",
            "--qos=low",
        ]
    assert "--time=66" in stand.options(4)
    # The next one repeats that.
    stand.note("states", "4_0|FAILED|None|n1|256\n")
    stand.submitted("--retry", "1")
    assert _same_of(stand.options(6)) == _same_of(stand.options(4))


@pytest.mark.parametrize("how", [[], ["--no-shared-files"]])
def test_a_retry_runs_the_commit_of_its_campaign(stand: Stand, how: list[str]) -> None:
    commit = stand.committed.git("rev-parse", "HEAD")
    stand.submitted(EMULATED, *how)
    first = stand.count
    stand.note("states", f"{first}_0|FAILED|None|n1|256\n")
    stand.committed.write("chapters/later", "another commit")
    assert stand.committed.commit() != commit
    stand.submitted("--retry", "last")
    assert stand.script(2 * first) == stand.script(first)
    assert f"LAB_GIT_REVISION={commit}\n" in stand.script(2 * first)


def test_trees_of_two_commits_have_two_folders_on_a_node(stand: Stand) -> None:
    stand.submitted(EMULATED, "--no-shared-files")
    stand.committed.write("chapters/later", "another commit")
    stand.committed.commit()
    stand.submitted(EMULATED, "--no-shared-files")
    folders = [set(re.findall(r"/tmp/lab-fleet-tree-\w+", stand.script(n))) for n in (1, 2)]
    assert len(folders[0]) == len(folders[1]) == 1
    assert folders[0] != folders[1]


@pytest.mark.parametrize("refused", [1, 2, 4])
def test_a_submission_that_fails_is_no_campaign(stand: Stand, refused: int) -> None:
    stand.note("refused", str(refused))
    failed = stand.fleet("run", "--detach", ON_GPUS)
    assert failed.returncode == 1
    assert "error: sbatch: error: Batch job submission failed: Invalid account" in failed.stderr
    assert stand.cancelled == [str(number) for number in range(1, refused)]
    assert not list((stand.committed.tree.root / "build" / "fleet").iterdir())
    assert "no campaign yet" in stand.fleet("status").stderr


def test_the_last_campaign_is_the_last_that_was_submitted(stand: Stand) -> None:
    stand.submitted(EMULATED)
    stand.note("refused", "3")
    assert stand.fleet("run", "--detach", EMULATED).returncode == 1
    stand.note("states", "2_0|RUNNING|None|n1|0\n")
    assert stand.fleet("status").stdout.startswith("campaign 0001\n")


def test_a_retry_that_fails_leaves_the_campaign_as_it_was(stand: Stand) -> None:
    stand.submitted(EMULATED)
    kept = stand.committed.tree.root / "build/fleet/0001/campaign.json"
    stand.note("states", "2_0|FAILED|None|n1|256\n")
    stand.fleet("status")
    before = kept.read_bytes()
    stand.note("refused", "4")
    assert stand.fleet("run", "--detach", "--retry", "1", "--partition=x").returncode == 1
    assert stand.cancelled == ["3"]
    assert kept.read_bytes() == before


def test_what_cannot_be_cancelled_stays_a_campaign(stand: Stand) -> None:
    stand.note("refused", "2")
    stand.note("away")
    failed = stand.fleet("run", "--detach", EMULATED)
    assert failed.returncode == 1
    assert "what was submitted stays: scripts/lab fleet cancel 0001" in failed.stderr
    (stand.notes / "away").unlink()
    assert stand.fleet("cancel", "1").returncode == 0
    assert stand.cancelled == ["1", "1"]


def test_a_retry_stays_where_its_campaign_ran(stand: Stand) -> None:
    stand.submitted(EMULATED)
    stand.note("states", "2_0|FAILED|None|n1|256\n")
    for wrong in ("--in-place", "--no-shared-files", EMULATED, synthetic.CHAPTER):
        refused = stand.fleet("run", "--retry", "1", wrong)
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1
    assert stand.count == 2


def test_a_build_that_failed_is_named_with_file_and_error(stand: Stand) -> None:
    stand.submitted(EMULATED)
    output = stand.committed.tree.root / "build/fleet/0001/output/build-emulated.txt"
    output.write_text(
        f"[3/9] Compiling\n../chapters/{fleet_tree.BUILD_ERROR}\n[lab] error: building failed; see above\n"
        "lab-task ended with status 1\n"
    )
    cancelled = "2_0|CANCELLED|DependencyNeverSatisfied||0\n"
    expected = (
        f"chapters/{fleet_tree.BUILD_ERROR}; all of it: build/fleet/0001/output/build-emulated.txt"
    )
    # With Slurm's word, and where it has forgotten the build, or all of it.
    for states in (f"1_N/A|FAILED|NonZeroExitCode|n1|256\n{cancelled}", cancelled, ""):
        stand.note("states", states)
        shown = stand.fleet("status")
        assert shown.returncode == 1
        assert f"not started: its build failed (exit status 1): {expected}" in shown.stdout


def test_a_campaign_that_was_cancelled_has_no_failed_build(stand: Stand) -> None:
    stand.submitted(EMULATED)
    stand.note("states", "1_N/A|CANCELLED|None|n1|15\n2_0|CANCELLED|Dependency||0\n")
    shown = stand.fleet("status").stdout
    assert "cancelled" in shown
    assert "its build failed" not in shown


def test_a_build_that_said_nothing_is_named_by_its_end(stand: Stand) -> None:
    stand.submitted(EMULATED)
    stand.note("states", "1_N/A|NODE_FAIL|None|n1|0\n2_0|CANCELLED|Dependency||0\n")
    lines = stand.fleet("status").stdout.splitlines()
    assert lines[-1].rstrip().endswith("not started: its build failed (node fail)")


def test_a_cancelled_task_of_another_kind_is_not_its_failed_build(stand: Stand) -> None:
    stand.submitted(ON_GPUS)
    stand.note(
        "states",
        "1_N/A|FAILED|NonZeroExitCode|n1|256\n2_0|CANCELLED|Dependency||0\n"
        "3_N/A|COMPLETED|None|n1|0\n4_0|CANCELLED|None|n1|15\n",
    )
    lines = stand.fleet("status").stdout.splitlines()
    (a100,) = [line for line in lines if "gpu-a100" in line]
    (h100,) = [line for line in lines if "gpu-h100" in line]
    assert "its build failed" in a100
    assert "its build failed" not in h100
    assert "cancelled" in h100
