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

from notebook.base import archive
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.fleet import commands, job, kinds, merge, outputs, parcel, progress, slurm
from notebook.fleet.campaign import Campaign, Task
from notebook.fleet.job import Placement
from notebook.fleet.kinds import Kind, Offer
from notebook.fleet.progress import DONE, Progress
from notebook.tools.destinations import Destinations

FERMI = Kind("emulated:fermi", "emulated:fermi")
A100 = Kind("gpu:a100", "gpu")
ANYWHERE = Placement()


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
    shutil.copytree(Path(__file__).resolve().parents[2] / "notebook", tree / "scripts/notebook")
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
        "#!/bin/sh\nprintf '%s\\n' '7_0|RUNNING|None|n1|0' '7_1|PENDING|JobHeldAdmin||0' "
        "'8_N/A|COMPLETED|None|n2|0' '9_0|FAILED|JobLaunchFailure|n2|9' '9_1|FAILED|NonZeroExitCode|n2|1792'\n"
    )
    squeue.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(slurm, "_try", lambda *_: "10_0|FAILED|None|n2|0:11\n")
    states_of_tasks = slurm.states([7, 8, 9, 10])
    assert states_of_tasks[10, 0].signal == 11
    assert states_of_tasks[7, 0] == slurm.TaskState("RUNNING", "None", "n1")
    assert states_of_tasks[7, 1].is_active
    assert not states_of_tasks[8, -1].is_active
    # As wait() returns it: the signal in the lowest bits, the exit status above them.
    assert states_of_tasks[9, 0].signal == 9
    assert states_of_tasks[9, 1].signal == 0


@pytest.mark.parametrize("name", ["-oProxyCommand=x", "a b", ""])
def test_output_on_a_node_with_an_odd_name_is_not_fetched(name: str) -> None:
    with pytest.raises(Problem, match="not a host name"):
        slurm.require_host_name(name)


def _campaign(folder: Path, is_shared: bool, placement: Placement = ANYWHERE) -> Campaign:
    tasks = [Task(FERMI, synthetic.CHAPTER, 7, index, 10, "n1") for index in (0, 1)]
    made = Campaign(folder / "0001", "a revision", is_shared, placement, "", tasks)
    made.outputs.mkdir(parents=True)
    return made


def _states(monkeypatch: pytest.MonkeyPatch, **others: slurm.TaskState) -> None:
    ended = slurm.TaskState("COMPLETED", "", "n1")
    first = others.get("first", ended)
    monkeypatch.setattr(slurm, "states", lambda _: {(7, 0): first, (7, 1): ended})


def _srun(folder: Path, monkeypatch: pytest.MonkeyPatch, refusal: str = "") -> Path:
    """An `srun` that runs the command here, or refuses; notes its arguments in the file that is returned."""
    programs, noted = folder / "programs", folder / "noted"
    programs.mkdir()
    refuse = f"echo 'srun: error: {refusal}' >&2; exit 1" if refusal else ":"
    srun = programs / "srun"
    srun.write_text(
        f"#!/bin/sh\nprintf '%s\\n' \"$*\" >>'{noted}'\n{refuse}\n"
        'while [ "${1#--}" != "$1" ]; do shift; done\nexec "$@"\n'
    )
    srun.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    return noted


def _on_node(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(Campaign, "prefix_on_nodes", f"{folder}/a node's ")


def test_output_is_fetched_from_a_node_at_once_and_only_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _states(monkeypatch)
    _on_node(monkeypatch, tmp_path)
    noted = _srun(tmp_path, monkeypatch)
    where = Placement("a partition", "an account", "gpu", "image", ("--qos=high", "--mail-user=me"))
    campaign = _campaign(tmp_path, is_shared=False, placement=where)
    for task, content in zip(campaign.tasks, (b"one\x00\xff\n", b"2 no file\n"), strict=True):
        Path(campaign.output_on_node(task)).write_bytes(content + parcel.written(content).encode())
    for _ in range(2):
        first, second = progress.look(campaign)
        assert (first.state, first.results) == (DONE, b"one\x00\xff\n")
        assert (second.state, second.results) == (DONE, b"2 no file\n")
    (asked,) = [line for line in noted.read_text().splitlines() if "--nodelist" in line]
    assert "--nodelist=n1 --partition=a partition --account=an account --qos=high" in asked
    assert "constraint" not in asked
    assert "mail" not in asked


@pytest.mark.parametrize(
    "refusal",
    [
        "Unable to allocate resources: Requested nodes are busy",
        "Unable to allocate resources: Immediate execution impossible, insufficient priority",
    ],
)
def test_what_a_busy_node_has_is_left_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: str
) -> None:
    """One question to the node, not one for each task; and nothing has failed."""
    _states(monkeypatch)
    noted = _srun(tmp_path, monkeypatch, refusal)
    campaign, fetcher = _campaign(tmp_path, is_shared=False), outputs.Fetcher()
    for _ in range(2):
        tasks = progress.look(campaign, fetcher)
        assert [task.state for task in tasks] == [progress.NOT_FETCHED] * 2
        assert tasks[0].reason == "n1 has nothing free now"
        assert not any(task.has_ended or task.is_queued for task in tasks)
    assert noted.read_text().count("--nodelist") == 1


def test_what_slurm_says_has_failed_does_not_wait_for_a_busy_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a retry can begin."""
    _states(monkeypatch, first=slurm.TaskState("TIMEOUT", "", "n1", 15))
    _srun(tmp_path, monkeypatch, "Unable to allocate resources: Requested nodes are busy")
    first, second = progress.look(_campaign(tmp_path, is_shared=False))
    assert (first.state, first.reason) == (
        progress.FAILED,
        "timeout: n1 has nothing free now",
    )
    assert second.state == progress.NOT_FETCHED


@pytest.mark.parametrize("sent", ["12 /tmp/x\nshort", "garbage\n", "no line"])
def test_output_that_is_cut_on_its_way_is_not_taken(
    sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm, "_run_raw", lambda *_: sent.encode())
    with pytest.raises(Problem, match="no whole files"):
        slurm.read_from([], ["/tmp/x"], 100)


def test_a_node_that_does_not_give_its_output_keeps_no_other_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _states(monkeypatch)
    _srun(tmp_path, monkeypatch, "Unable to allocate resources: node n1 is DOWN")
    campaign = _campaign(tmp_path, is_shared=False)
    campaign.output_of(campaign.tasks[0]).write_text(parcel.written(b"results"))
    first, second = progress.look(campaign)
    assert (first.state, first.results) == (DONE, b"results")
    assert (second.state, second.results) == (progress.FAILED, None)
    assert second.reason.endswith("node n1 is DOWN")


@pytest.mark.parametrize(
    ("state", "output", "expected"),
    [
        (
            slurm.TaskState("FAILED", "JobLaunchFailure", "n1", 9),
            "working",
            "killed by SIGKILL: working",
        ),
        (slurm.TaskState("FAILED", "", "n1", 9), "", "killed by SIGKILL"),
        (
            slurm.TaskState("FAILED", "", "n1"),
            "lab-task ended with status 139\n",
            "killed by SIGSEGV",
        ),
        (slurm.TaskState("FAILED", "", "n1"), "lab-task ended with status 3\n", "exit status 3"),
        (
            slurm.TaskState("OUT_OF_MEMORY", "", "n1"),
            "lab-task ended with status 137\n",
            "out of memory",
        ),
        (slurm.TaskState("TIMEOUT", "", "n1", 15), "at work", "timeout: at work"),
        (
            slurm.TaskState("CANCELLED", "", "n1", 15),
            "lab-task ended with status 143\n",
            "cancelled",
        ),
    ],
)
def test_a_task_that_was_ended_says_by_what(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    state: slurm.TaskState,
    output: str,
    expected: str,
) -> None:
    _states(monkeypatch, first=state)
    campaign = _campaign(tmp_path, is_shared=True)
    campaign.output_of(campaign.tasks[0]).write_text(output)
    first, _ = progress.look(campaign)
    assert (first.state, first.reason) == (progress.FAILED, expected)


@pytest.mark.parametrize(
    "line",
    [
        "../common/timing/meson.build:2:9: ERROR: File data/timing/parameters.csv does not exist.",
        "ninja: error: 'data/gpus.csv', needed by 'table.inc', missing and no known rule to make it",
        "../common/lab/tensor_map.cu:19:5: error: 'x' was not declared in this scope",
        "../chapters/17_matmul_tiled/experiment.cu(40): error: no instance of constructor",
        "../chapters/17_matmul_tiled/experiment.cu(40): error #20-D: identifier is undefined",
        "../common/lab/x.hpp:3:10: fatal error: gtest/gtest.h: No such file or directory",
        "ptxas fatal   : Unresolved extern function 'f'",
        "/usr/bin/ld: x.o: undefined reference to `main'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/gpus.csv'",
        "lab: error: no nvcc to compile with",
    ],
)
def test_the_first_error_is_the_reason(line: str) -> None:
    output = (
        "[12/99] Compiling C++ object error_test.cpp.o\n../a.hpp(3): warning #177-D: no errors\n"
        f"{line}\nninja: build stopped: subcommand failed.\n"
        "[lab] error: building failed; see the messages above\nlab-task ended with status 1\n"
    )
    assert parcel.first_error(output) == line.removeprefix("../")


@pytest.mark.parametrize("shape", ["pipe", "folder", "larger than any", "binary", "escapes"])
def test_no_output_of_a_task_stops_or_misleads_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    """Whatever lies where a task's output should: it has failed, in words that a terminal can show."""
    _states(monkeypatch)
    campaign = _campaign(tmp_path, is_shared=True)
    hostile, whole = (campaign.output_of(task) for task in campaign.tasks)
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
    return Progress(Task(FERMI, synthetic.CHAPTER, 1, 0, 10), DONE, results=packed)


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
            Progress(Task(FERMI, synthetic.CHAPTER, 1, 0, 10), DONE, results=b"no archive"),
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
