"""The real command line, on a temporary tree whose chapter has a fake executable."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import synthetic
from conftest import SCRIPTS, Tree, make_tree

from notebook.data.devices import count_gpus
from notebook.tools import build

HOPPER = f"emulated-hopper/{synthetic.CHAPTER}.json"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A tree that has been run once."""
    tree = make_tree(tmp_path_factory.mktemp("tree") / "lab notebook")
    done = tree.lab("run", "02", "--device", "emulated:hopper", "--keep")
    assert done.returncode == 0, done.stderr
    return tree


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that says what was wrong; there is no traceback."""
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if "lab: error:" in line]
    assert len(errors) == 1, done.stderr
    return errors[0]


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_run_collects_draws_and_decides(built: Tree) -> None:
    done = built.lab("run", "02", "--device", "emulated:hopper", "--again")
    assert done.returncode == 0, done.stderr
    assert "building" not in done.stderr, "it is built"
    assert "emulated:hopper: process 1" in done.stderr and "[lab] measure 1/1" in done.stderr
    assert "holds 80 %" in done.stdout and f"data: data/{HOPPER}" in done.stdout
    text = (built.data / HOPPER).read_text()
    content = json.loads(text)
    assert content["context"]["processes"] == 1
    assert "git_revision" not in content["context"]
    assert "somebody" not in text and "/somewhere" not in text
    assert len(content["rows"]) == 35
    # One row a line, in the order of the offsets.
    assert [line.count('"name"') for line in text.splitlines()].count(1) == 35
    assert [row["name"].split("/")[1] for row in content["rows"]][9:12] == [
        "offset:9",
        "offset:10",
        "offset:11",
    ]
    if shutil.which("gnuplot"):
        assert (built.root / "plots" / f"{synthetic.CHAPTER}.svg").is_file()


def test_data_elsewhere_leave_the_notebook_alone(built: Tree, tmp_path: Path) -> None:
    before = everything(built.data) | everything(built.root / "plots")
    done = built.lab("run", "--device", "emulated:fermi", "--data", str(tmp_path / "my data"))
    assert done.returncode == 0, done.stderr
    assert "stay as they are" in done.stderr
    assert (tmp_path / "my data" / "emulated-fermi" / f"{synthetic.CHAPTER}.json").is_file()
    assert everything(built.data) | everything(built.root / "plots") == before


def test_a_quick_run_does_not_replace_data(built: Tree) -> None:
    before = everything(built.data)
    assert built.lab("run", "--quick", "--device", "emulated:hopper").returncode == 0
    assert everything(built.data) == before
    quick = json.loads((built.root / "build" / "quick" / HOPPER).read_text())
    assert quick["context"]["quick"] is True


@pytest.mark.parametrize(
    ("fake", "complaint"),
    [
        ("fails", "exit status 1"),
        ("truncated", "no valid result"),
        ("climbs", "context.device"),
        ("unvalidated", "context.validation"),
    ],
)
def test_a_failed_run_leaves_old_data(built: Tree, fake: str, complaint: str) -> None:
    before = everything(built.data)
    done = built.lab("run", "02", "--device", "emulated:hopper", "--again", FAKE=fake)
    assert done.returncode == 1
    assert complaint in done.stderr and "Traceback" not in done.stderr
    assert everything(built.data) == before
    assert not list((built.root / "build").glob("run-*"))
    assert not (built.root / "elsewhere").exists()


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_an_interrupted_run_leaves_old_data(
    built: Tree, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    before = everything(built.data)
    pid_file = tmp_path / "pid"
    running = subprocess.Popen(
        built.command("run", "02", "--device", "emulated:hopper", "--again"),
        cwd=built.root,
        env=built.settings(FAKE="hangs", FAKE_PID=str(pid_file)),
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (pid_file.exists() and pid_file.read_text()):
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(number)
    _, errors = running.communicate(timeout=10)
    assert running.returncode == status
    assert "Traceback" not in errors
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert everything(built.data) == before
    assert not list((built.root / "build").glob("run-*"))


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["run", "99"], 2, "valid: 02_misaligned_reads"),
        (["run", "--device", "hopper"], 2, "did you mean emulated:hopper?"),
        (["run", "--device", "emulated:hoper"], 2, "did you mean hopper?"),
        (["run", "--data"], 2, "expected one argument"),
        (["runn"], 2, "invalid choice"),
        ([], 2, "COMMAND"),
        (["verdicts", "--device", "nvidia-h20"], 2, "valid: emulated-hopper"),
        (["verdicts", "99"], 2, "there is no chapter '99'; valid: 02_misaligned_reads"),
        (["verdicts", "02", "--device", "k80"], 2, "no data of device 'k80' in 02_mis"),
        (["verdicts", "--data", "no where"], 2, "--data: no folder 'no where'"),
        (["figures", "--data", "no where"], 2, "--data: no folder 'no where'"),
        (["figures", "--check", "--data", "no where"], 2, "--data: no folder"),
        (["compare", "a", "b", "--data", "scripts"], 2, "--data: no results scripts"),
        (["pack", "nvidia-h200", "--data", "nowhere"], 2, "--data: no folder nowhere"),
        (["new", "../x"], 2, "is not a chapter name"),
        (["new", "misaligned_reads"], 2, "there is chapter 02_misaligned_reads"),
        (["run", "--device", "emulated:hopper", "--data", "/dev/null/x"], 1, "--data DIR"),
    ],
)
def test_wrong_use(built: Tree, arguments: list[str], status: int, complaint: str) -> None:
    done = built.lab(*arguments)
    assert done.returncode == status, done.stderr
    assert complaint in error_of(done)


@pytest.mark.skipif(count_gpus() > 0, reason="there is a GPU")
def test_a_gpu_that_is_not_there(built: Tree) -> None:
    done = built.lab("run", "--device", "gpu")
    assert done.returncode == 3 and "no GPU" in error_of(done)
    assert "running on emulated:hopper" in built.lab("run", "02").stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(["run", "--device", "emulated:hopper"], "g++"), (["figures"], "gnuplot")],
)
def test_missing_tools(built: Tree, arguments: list[str], complaint: str) -> None:
    # Without a PATH there is no apt either.
    done = built.lab(*arguments, PATH="/nonexistent")
    assert done.returncode == 3
    assert complaint in error_of(done)
    assert built.lab("doctor", PATH="/nonexistent").returncode == 3


def test_truncated_data_name_the_file_and_the_mend(tree_with_data: Tree) -> None:
    path = tree_with_data.data / HOPPER
    path.write_text(path.read_text()[:500])
    for command in (["verdicts"], ["figures", "--check"], ["figures"]):
        done = tree_with_data.lab(*command)
        assert done.returncode == 1
        # figures --check may say which of the rest is stale.
        error = next(line for line in done.stderr.splitlines() if "error: " in line)
        assert str(path) in error and "scripts/lab run 02 --device emulated:hopper" in error


def test_verdicts_as_json(tree_with_data: Tree) -> None:
    done = tree_with_data.lab("verdicts", "--json", "--device", "nvidia-h200")
    slower, efficiency = json.loads(done.stdout)
    assert slower["verdict"] == "reproduced" and slower["n"] == [20, 20]
    assert (slower["source"], slower["derived"]) == ("A source, section 1", False)
    assert (slower["source_device"], slower["why"]) == ("A GPU", "They straddle a sector.")
    assert slower["ratio"] == pytest.approx(1.1, rel=0.004)
    assert slower["interval"][0] <= slower["ratio"] <= slower["interval"][1]
    assert slower["data"] == f"data/nvidia-h200/{synthetic.CHAPTER}.json"
    assert (slower["regime"], slower["label"]) == ("n:16777216/cache:cold", "dram")
    assert efficiency["verdict"] == "no data" and efficiency["reason"]


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_letters_that_a_terminal_lacks_are_no_traceback(
    tree_with_data: Tree, encoding: str
) -> None:
    page = tree_with_data.chapter.directory / "page.md"
    page.write_text(
        page.read_text().replace("Does a misaligned read cost anything?", "What is 1 × 2 → 2?")
    )
    for command in (
        ["list"],
        ["list", "--json"],
        ["verdicts"],
        ["verdicts", "--device", "emulated-hopper"],
    ):
        done = tree_with_data.lab(*command, PYTHONIOENCODING=encoding)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


BAD_CLAIM = """
[[claim]]
id = "bad"
statement = "A bad one."
source = "ours"
source_device = "A GPU"
metric = "atomic_request"
variant = "read_offset/offset:11/block:512"
expected = [1, 2]
why = "It is."
"""


def test_a_bad_claim_is_found_before_a_run_and_silences_no_other(built: Tree) -> None:
    claims = built.chapter.directory / "claims.toml"
    sound = claims.read_text()
    before = everything(built.data)
    try:
        claims.write_text(sound + BAD_CLAIM)
        done = built.lab("run", "02", "--device", "emulated:hopper")
        assert done.returncode == 1 and "02_misaligned_reads does not run" in done.stderr
        assert "did you mean atomic_requests?" in done.stderr and "process 1" not in done.stderr
        assert everything(built.data) == before
        verdicts = built.lab("verdicts", "--device", "emulated-hopper")
        assert verdicts.returncode == 1 and "did you mean atomic_requests?" in error_of(verdicts)
        assert "efficiency_32" in verdicts.stdout and "holds 80 %" in verdicts.stdout
        # A page without it would hide it.
        assert "atomic_requests?" in error_of(built.lab("figures"))
        claims.write_text(sound + BAD_CLAIM.replace("atomic_request", "atomic_requests"))
        assert built.lab("verdicts", "--device", "emulated-hopper").returncode == 0
    finally:
        claims.write_text(sound)


HELP_SHOWS = {
    "run": "NAME is fermi, hopper, a GPU (t4, rtx3060)",
    "verdicts": "Prints each chapter's answer",
    "pack": "Checks a GPU's results",
}


def test_every_command_describes_itself_and_its_options(tree: Tree) -> None:
    everything_ = tree.lab("--help").stdout
    commands = [
        line.split()[0]
        for line in everything_.splitlines()
        if line.startswith("    ") and line[4] != " "
    ]
    assert {"setup", "run", "test", "emulate"} <= set(commands)
    for command in commands:
        shown = tree.lab(command, "--help")
        assert shown.returncode == 0 and shown.stderr == ""
        _, _, description = shown.stdout.partition("\n\n")
        assert len(description.split("\n\n")[0]) > 40, command
        for line in (line for line in description.splitlines() if line.startswith("  --")):
            option, _, text = line.strip().partition("  ")
            assert text or len(option) > 20, f"{command}: {line}"
        assert HELP_SHOWS.get(command, "") in " ".join(shown.stdout.split())


def test_list(tree: Tree) -> None:
    assert tree.lab("list").stdout == (
        "02_misaligned_reads  Does a misaligned read cost anything?\n"
        "    no answer yet: needs a GPU (offset_11_slower)\n"
    )
    (chapter,) = json.loads(tree.lab("list", "--json").stdout)
    assert chapter["chapter"] == synthetic.CHAPTER
    assert tree.lab("list", "2").stdout == tree.lab("list").stdout
    unknown = tree.lab("list", "77")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "there is no chapter '77'" in unknown.stderr


def test_figures_check_by_exit_status(tree_with_data: Tree) -> None:
    assert tree_with_data.lab("figures", "--check").returncode == 1
    if shutil.which("gnuplot"):
        assert tree_with_data.lab("figures").returncode == 0
        assert tree_with_data.lab("figures", "--check").returncode == 0


def test_new_makes_a_chapter(tree: Tree) -> None:
    assert tree.lab("new", "write_strides").returncode == 0
    directory = tree.root / "chapters" / "03_write_strides"
    assert (directory / "experiment.cu").is_file()
    assert "03_write_strides" in tree.lab("list").stdout
    # Nothing was counted yet: its page says so, and is refused for nothing.
    made = tree.lab("figures", "03")
    assert "error" not in made.stderr.replace("no gnuplot", ""), made.stderr
    assert "No data yet" in (directory / "README.md").read_text()
    assert "executable(chapter_name, 'experiment.cu'" in (directory / "meson.build").read_text()
    assert tree.lab("new", "01_first").returncode == 0
    assert tree.lab("new", "write_strides").returncode == 2


def test_a_new_directory_is_a_new_chapter_of_the_build(built: Tree) -> None:
    directory = built.root / "chapters" / "03_other"
    directory.mkdir()
    (directory / "meson.build").write_text(
        "custom_target(output: 'other', command: ['touch', '@OUTPUT@'])\n"
    )
    build.configure(built.project, "chapters/03_other/other")
    build.build(built.project, "03_other", "chapters/03_other/other")
    assert (built.project.build / "chapters/03_other/other").is_file()


def test_the_bootstrap_works_from_anywhere(tmp_path: Path) -> None:
    """Through a symbolic link, at a path with a space, from another folder; that a folder there is
    called notebook does not matter."""
    root = tmp_path / "a place"
    (root / "scripts").mkdir(parents=True)
    shutil.copy(SCRIPTS / "lab", root / "scripts")
    shutil.copytree(SCRIPTS / "requirements", root / "scripts" / "requirements")
    (root / "scripts" / "notebook").symlink_to(SCRIPTS / "notebook")
    (root / ".venv").symlink_to(SCRIPTS.parent / ".venv")
    (tmp_path / "link").symlink_to("a place/scripts/lab")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "notebook").mkdir(parents=True)
    (elsewhere / "notebook" / "__main__.py").write_text("raise SystemExit(99)")
    done = subprocess.run(
        [str(tmp_path / "link"), "list"], cwd=elsewhere, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert synthetic.CHAPTER in done.stdout
