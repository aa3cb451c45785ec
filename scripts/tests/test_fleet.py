"""Campaigns without a cluster: what is offered, the scripts, the parcels, and what is refused."""

import json
import os
import shutil
import subprocess
from argparse import Namespace
from pathlib import Path

import pytest
import synthetic
from conftest import Tree

from notebook import archive
from notebook.destinations import Destinations
from notebook.errors import Problem
from notebook.fleet import commands, job, kinds, merge, parcel, progress, slurm
from notebook.fleet.campaign import Campaign, Task
from notebook.fleet.job import Placement
from notebook.fleet.kinds import Kind, Offer
from notebook.fleet.progress import DONE, Progress
from notebook.project import Project

FERMI = Kind("emulated:fermi", "emulated:fermi")
A100 = Kind("gpu:a100", "gpu")


def test_sinfo_of_nodes_with_several_kinds_and_partitions() -> None:
    lines = [
        "n1|long*|gpu:a100:4(S:0-1),emulated:fermi:2",
        "n1|short|gpu:a100:4(S:0-1),emulated:fermi:2",
        "n2|long*|gpu:a100:4(S:0-1)",
        "n3|cpu|(null)",
        "n4|old|gpu:2,license:7",
    ]
    assert kinds.offers(lines) == [
        Offer("emulated:fermi", {"n1": 2}, ("long", "short")),
        Offer("gpu", {"n4": 2}, ("old",)),
        Offer("gpu:a100", {"n1": 4, "n2": 4}, ("long", "short")),
    ]


def test_a_resource_that_would_leave_its_word_is_no_offer() -> None:
    assert kinds.offers(["n|p|gpu:$(reboot):1,gpu:`x`:1,gpu:a b:1,gpu::1"]) == []


@pytest.mark.parametrize(
    ("gres", "emulated", "expected"),
    [
        (None, None, ["gpu-a100", "emulated-fermi"]),
        ("gpu:a100", None, ["gpu-a100"]),
        (None, "fermi,emulated-kepler", ["emulated-fermi", "emulated-kepler"]),
    ],
)
def test_the_kinds_that_options_name(
    gres: str | None, emulated: str | None, expected: list[str]
) -> None:
    offered = [
        Offer("gpu:a100", {"n1": 4, "n2": 4}, ("long",)),
        Offer("emulated:fermi", {"n1": 2}, ("long",)),
    ]
    chosen = kinds.chosen(Project.here(), offered, gres, emulated)
    assert [kind.name for kind in chosen] == expected


def test_a_kind_that_the_cluster_lacks() -> None:
    with pytest.raises(Problem, match="did you mean gpu:a100"):
        kinds.chosen(Project.here(), [Offer("gpu:a100", {"n1": 4, "n2": 4}, ())], "gpu:a10", None)


@pytest.mark.parametrize("container", ["", "image with blanks.sif"])
@pytest.mark.parametrize("packed", ["", "QUJD\n"])
def test_scripts_are_valid_shell(tmp_path: Path, container: str, packed: str) -> None:
    tree = job.Tree("/a folder/it's", "0" * 40, packed)
    where = Placement(container=container)
    for text in (
        job.task_script(FERMI, ["02_misaligned_reads"], tree, where),
        job.build_script(A100, ["02_misaligned_reads"], tree, where),
    ):
        script = tmp_path / "job.sh"
        script.write_text(text)
        subprocess.run(["bash", "-n", script], check=True)
        if shellcheck := shutil.which("shellcheck"):
            # 2089, 2090: what stands between quotes is a program for the shell in the container.
            subprocess.run([shellcheck, "-e", "2086,2089,2090,2016", script], check=True)


def test_a_task_runs_and_its_output_holds_the_results(tmp_path: Path) -> None:
    """The script runs as Slurm would run it, with a `scripts/lab` that writes a result."""
    tree = tmp_path / "a tree"
    shutil.copytree(Path(__file__).resolve().parents[1] / "notebook", tree / "scripts/notebook")
    lab = tree / "scripts" / "lab"
    lab.write_text(
        '#!/bin/sh\nmkdir -p "$6/emulated-fermi"\n'
        'echo "{}" >"$6/emulated-fermi/$2.json"\necho "ran $*"\n'
    )
    lab.chmod(0o755)
    script = job.task_script(
        FERMI, ["01_access_patterns", "02_misaligned_reads"], job.Tree(str(tree), ""), Placement()
    )
    done = subprocess.run(
        ["bash", "-s"],
        input=script,
        env=os.environ | {"SLURM_ARRAY_TASK_ID": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    content = parcel.read(done.stdout)
    assert content is not None
    (tmp_path / "emulated-fermi.tar.gz").write_bytes(content)
    device, files = archive.unpack(tmp_path / "emulated-fermi.tar.gz")
    assert (device, files) == ("emulated-fermi", {"02_misaligned_reads.json": b"{}\n"})
    assert parcel.exit_status(done.stdout) == 0
    assert parcel.last_line(done.stdout).startswith("ran run 02_misaligned_reads --device")


def test_a_parcel_that_is_cut_or_changed_is_none() -> None:
    whole = parcel.written(b"some results" * 20)
    assert parcel.read(f"before\n{whole}after\n") == b"some results" * 20
    lines = whole.splitlines(keepends=True)
    assert parcel.read("".join(lines[:-1])) is None
    assert parcel.read("".join([lines[0], *lines[2:]])) is None
    assert parcel.read(whole.replace("c29t", "c29u", 1)) is None
    assert parcel.read(whole.replace("lab-results", "lab-results 99", 1)) is None


@pytest.mark.parametrize("option", ["-x", "--qos=a\nb", "; reboot", "--Q"])
def test_what_is_no_option_of_sbatch(option: str) -> None:
    with pytest.raises(Problem, match="not an option of sbatch"):
        Placement(sbatch=(option,)).options()


def test_states_of_an_array_as_squeue_prints_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    squeue = tmp_path / "squeue"
    squeue.write_text(
        "#!/bin/sh\nprintf '%s\\n' '7_0|RUNNING|None|n1' '7_1|PENDING|JobHeldAdmin|' "
        "'8_N/A|COMPLETED|None|n2'\n"
    )
    squeue.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    states_of_tasks = slurm.states([7, 8])
    assert states_of_tasks[7, 0] == slurm.TaskState("RUNNING", "None", "n1")
    assert states_of_tasks[7, 1].is_active
    assert not states_of_tasks[8, -1].is_active


def test_output_on_a_node_with_an_odd_name_is_not_fetched() -> None:
    with pytest.raises(Problem, match="not a host name"):
        slurm.read_from("-oProxyCommand=x", "/tmp/x", 100)


def _campaign(folder: Path, is_shared: bool) -> Campaign:
    tasks = [Task(FERMI, synthetic.CHAPTER, 7, index, "n1") for index in (0, 1)]
    return Campaign(folder / "0001", "a revision", str(folder), is_shared, tasks)


def _states(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = slurm.TaskState("COMPLETED", "", "n1")
    monkeypatch.setattr(slurm, "states", lambda _: {(7, 0): ended, (7, 1): ended})


def test_a_node_that_does_not_give_its_output_keeps_no_other_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _states(monkeypatch)
    srun = tmp_path / "srun"
    srun.write_text(
        "#!/bin/sh\n"
        f"case \"$*\" in *fermi-7-0.txt) cat '{tmp_path}/whole';;\n"
        "*) echo 'srun: error: Unable to allocate resources: node n1 is DOWN' >&2; exit 1;; esac\n"
    )
    srun.chmod(0o755)
    (tmp_path / "whole").write_text(parcel.written(b"results"))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    first, second = progress.look(_campaign(tmp_path, is_shared=False))
    assert (first.state, first.results) == (DONE, b"results")
    assert (second.state, second.results) == (progress.FAILED, None)
    assert second.reason.endswith("node n1 is DOWN")


@pytest.mark.parametrize("shape", ["pipe", "folder", "larger than any", "binary", "escapes"])
def test_no_output_of_a_task_stops_or_misleads_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    """Whatever lies where a task's output should: it has failed, in words that a terminal can show."""
    _states(monkeypatch)
    campaign = _campaign(tmp_path, is_shared=True)
    hostile, whole = (Path(campaign.output_of(task)) for task in campaign.tasks)
    whole.write_text(parcel.written(b"results"))
    if shape == "pipe":
        os.mkfifo(hostile)
    elif shape == "folder":
        hostile.mkdir()
    elif shape == "larger than any":
        with hostile.open("w") as file:
            file.truncate(2**40)  # takes no room
    elif shape == "binary":
        hostile.write_bytes(
            bytes(range(256)) * 100 + b"\nlab-results " + b"0" * 64 + b" 999999999\n"
        )
    else:
        hostile.write_text(
            "\x1b]0;title\x07\x1b[2J\u202e all is well\nlab-task ended with status 0\n"
        )
    failed, done = progress.look(campaign)
    assert (failed.state, failed.results) == (progress.FAILED, None)
    assert all(character.isprintable() for character in failed.reason)
    assert done.results == b"results"


def _done(tree: Tree, content: bytes, device: str = "emulated-fermi") -> Progress:
    packed = archive.pack({f"{device}/{synthetic.CHAPTER}.json": content})
    return Progress(Task(FERMI, synthetic.CHAPTER, 1, 0), DONE, results=packed)


def test_results_are_merged_whole_and_wrong_ones_change_nothing(tree_with_data: Tree) -> None:
    tree = tree_with_data
    path = tree.data / "emulated-fermi" / f"{synthetic.CHAPTER}.json"
    right = path.read_bytes()
    where = Destinations(tree.project, tree.project)
    same = merge.merge(where, [_done(tree, right)])
    assert not same[0].refusal
    assert not same[0].is_changed
    path.unlink()
    new = merge.merge(where, [_done(tree, right)])
    assert new[0].is_changed
    assert path.read_bytes() == right

    document = json.loads(right)
    document["context"]["device"] = "emulated-hopper"
    hopper = json.dumps(document).encode()
    refused = merge.merge(
        where,
        [
            _done(tree, b"{"),
            _done(tree, hopper, "emulated-hopper"),
            _done(tree, hopper),
            _done(tree, right[:-100]),
            Progress(Task(FERMI, synthetic.CHAPTER, 1, 0), DONE, results=b"no archive"),
        ],
    )
    assert all(entry.refusal for entry in refused)
    assert path.read_bytes() == right


@pytest.mark.parametrize("image", ["docker://debian:13", "/images/a.sif", ""])
def test_an_image_of_a_registry_or_of_the_node_stays_as_it_is(image: str) -> None:
    assert _placement_of(image).container == image


def test_an_image_that_is_here_is_found_from_the_folder_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my image.sif").touch()
    monkeypatch.chdir(tmp_path)
    assert _placement_of("my image.sif").container == str(tmp_path / "my image.sif")


def _placement_of(image: str) -> Placement:
    options = Namespace(partition="", account="", constraint="", container=image, sbatch=[])
    return commands._placement(options)
