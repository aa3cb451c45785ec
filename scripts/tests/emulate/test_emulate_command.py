"""`scripts/lab emulate` as a command: what it runs, passes on and returns."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from conftest import RUN_BY_PYTHON
from test_emulate import described, site

from notebook import cli
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.charts import figures
from notebook.emulate import build as emulate_build
from notebook.emulate import command as emulate
from notebook.tools import build, setup, toolbox


def test_words_of_the_command_line() -> None:
    assert emulate.split_words(["a.cu", "-O3", "--", "-n", "5"]) == ("a.cu", ["-O3"], ["-n", "5"])
    assert emulate.split_words(["a.cu", "-O3"]) == ("a.cu", ["-O3"], [])
    assert emulate.split_words(["./a", "-n", "--", "5"]) == ("./a", [], ["-n", "--", "5"])
    assert emulate.split_words(["./a", "--", "-n"]) == ("./a", [], ["-n"])
    with pytest.raises(Problem, match="no program"):
        emulate.split_words([])


def test_nvcc_gets_an_architecture_unless_the_user_chose_one() -> None:
    flags = emulate_build.nvcc_flags([], ["2.0", "9.0"], {75, 80, 90})
    assert "arch=compute_75,code=compute_75" in flags
    assert "arch=compute_90,code=compute_90" in flags
    # One that this nvcc does not know.
    assert "arch=compute_90,code=compute_90" in emulate_build.nvcc_flags([], ["12.0"], {75, 80, 90})
    for chosen in ("-arch=sm_90", "-gencode", "--gpu-architecture=sm_80"):
        assert "-gencode" not in emulate_build.nvcc_flags([chosen], ["9.0"], {75, 90})


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs the command on a program that is a script: it prints, writes a report and ends."""
    monkeypatch.setattr(emulate, "_install_missing", lambda *_: None)
    monkeypatch.setattr(emulate, "runtime_folder", lambda _: tmp_path / "runtime")

    def emulated(
        *options: str, lines: tuple[dict[str, Any], ...] = (), ends: str = ""
    ) -> tuple[int, str, str]:
        program = tmp_path / "program"
        program.write_text(
            f"{RUN_BY_PYTHON}import os, sys\nprint('hello from', os.environ['EMULATED_GPU'], *sys.argv[1:])\n"
            f"sys.stdout.flush()\nassert os.environ['LD_LIBRARY_PATH'].startswith({str(tmp_path / 'runtime')!r})\n"
            f"open(os.environ['EMULATED_GPU_REPORT'], 'w').write({''.join(json.dumps(x) + chr(10) for x in lines)!r})\n"
            f"{ends}\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        status = cli.main(["emulate", *options, str(program), "--", "5"])
        output = capfd.readouterr()
        return status, output.out, output.err

    return emulated


def test_all_libraries_that_a_program_may_load_are_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it loads NVIDIA's cuBLAS, which finds no GPU."""
    folder = "common/emulator/runtime"
    ours = {f"{folder}/lib{name}.so.13" for name in ("cudart", "cublas")}
    built: list[str] = []
    monkeypatch.setattr(toolbox, "require", lambda *_: None)
    monkeypatch.setattr(build, "configure", lambda _: None)
    monkeypatch.setattr(build, "targets", lambda _: {*ours, "chapters/02/experiment"})
    monkeypatch.setattr(build, "build", lambda _project, _what, *names: built.extend(names))
    project = Project(tmp_path, tmp_path / "data")
    assert emulate.runtime_folder(project) == project.build / folder
    assert set(built) == ours


@pytest.mark.parametrize(
    ("subject", "status", "refused"),
    [
        ("missing.cu", 3, "missing.cu: no such file, or no plain one"),
        ("./missing", 3, "./missing: no such file, or no plain one"),
        ("missing", 3, "missing: no such file, or no plain one"),
        ("/dev/null", 3, "/dev/null: no such file, or no plain one"),
        ("", 3, "'': no such file, or no plain one"),
        (__file__, 2, f"{__file__} is not executable"),
    ],
)
def test_nothing_is_installed_for_what_cannot_be_emulated(
    subject: str, status: int, refused: str,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(toolbox, "missing", lambda *_: pytest.fail("looked for what is missing"))
    assert cli.main(["emulate", subject]) == status
    assert refused in capfd.readouterr().err


NVCC = "nvcc"


@pytest.mark.parametrize(
    ("report", "lacking", "installs"),
    [
        ("lines", {toolbox.GTEST, toolbox.GNUPLOT}, False),
        ("lines", {toolbox.COMPILER}, True),
        ("lines", {NVCC}, True),
        ("html", {toolbox.GNUPLOT}, True),
    ],
)
@pytest.mark.parametrize("may_install", [True, False])
def test_what_a_report_needs_is_installed(
    report: str, lacking: set[Any], installs: bool, may_install: bool,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A report may be the first thing that is asked of a machine; one in text goes without gnuplot."""
    left = set(lacking)
    monkeypatch.setattr(toolbox, "missing", lambda wanted=(): [it for it in left if it in wanted])
    monkeypatch.setattr(toolbox, "find_nvcc", lambda: "" if NVCC in left else "/usr/bin/nvcc")
    monkeypatch.setattr(figures, "gnuplot_version", lambda: toolbox.GNUPLOT not in left)
    monkeypatch.setattr(setup, "install_missing", lambda _: left.clear() if may_install else None)
    project = Project(tmp_path, tmp_path / "data")
    if installs and not may_install:
        with pytest.raises(Problem, match=r"nvcc|g\+\+|gnuplot"):
            emulate._install_missing(project, report)
        return
    emulate._install_missing(project, report)
    assert (not left) == installs


FINISHED = {"finished": True, "launches": 1}


def test_output_and_report(run: Any) -> None:
    status, out, err = run(lines=(described(site(4, "global", "load")), FINISHED))
    assert (status, err) == (0, "")
    assert out.startswith("hello from hopper 5\n")
    assert "1 launch of 1 kernel on emulated hopper" in out


def test_machines_find_only_the_report_on_standard_output(run: Any) -> None:
    status, out, err = run("--report", "json", lines=(described(), FINISHED))
    assert status == 0
    assert json.loads(out)["emulated"][0]["architecture"] == "hopper"
    assert "hello from hopper" in err


def test_every_architecture_runs_once_and_the_program_is_heard_once(run: Any) -> None:
    status, out, _ = run("--architecture", "fermi,hopper", lines=(described(), FINISHED))
    assert status == 0
    assert out.count("hello from") == 1
    assert "fermi (Tesla M2090), hopper (H200 SXM)" in out


def test_gpus_have_the_names_that_were_asked_for(run: Any) -> None:
    call = {"failed_call": "cudaFree", "number": 1, "error": "no", "detail": "", "callers": []}
    _, out, _ = run("--architecture", "t4,sm_80", lines=(described(), call, FINISHED))
    heads = [line.split() for line in out.splitlines() if line.split()[:1] == ["t4"]]
    assert heads == [["t4", "sm_80"]]
    assert "on emulated t4 (Tesla T4), sm_80 (" in out
    assert "! t4: failed call: cudaFree: no" in out
    _, out, _ = run("--architecture", "t4", "--report", "json", lines=(described(), FINISHED))
    assert json.loads(out)["emulated"][0]["architecture"] == "turing"


def test_kernels_of_all_gpus_are_counted(run: Any) -> None:
    """The first GPU refuses what the second runs."""
    refused = {"launch": 1, "kernel": "copy(int)", "error": "refused"}
    ends = f"""
if os.environ['EMULATED_GPU'] == 'fermi':
    open(os.environ['EMULATED_GPU_REPORT'], 'w').write({json.dumps(refused)!r})
"""
    _, out, _ = run("--architecture", "fermi,hopper", lines=(described(), FINISHED), ends=ends)
    assert "1 launch of 1 kernel on emulated fermi" in out
    assert "! fermi: failed launch: copy(int): refused" in out
    _, out, _ = run("--architecture", "fermi", lines=(FINISHED,), ends=ends)
    assert "no launch was completed on emulated fermi" in out


@pytest.mark.parametrize(
    ("ends", "line"),
    [("sys.exit(7)", "exit status 7"), ("os.kill(os.getpid(), 11)", "signal SIGSEGV")],
)
def test_a_failing_program_fails_and_what_it_did_is_reported(
    run: Any, ends: str, line: str
) -> None:
    status, out, err = run(lines=(described(),), ends=ends)
    assert status == 1
    assert f"program failed on hopper: {line}" in err
    assert "1 launch of 1 kernel" in out


def test_a_refused_launch_is_a_failure(run: Any) -> None:
    refused = {
        "launch": 1,
        "kernel": "mma(int)",
        "error": "wmma.mma.sync (gemm.cu:20) is not supported",
    }
    status, out, _ = run(lines=(refused, FINISHED))
    assert status == 1
    assert "! failed launch: mma(int): wmma.mma.sync (gemm.cu:20) is not supported" in out


def test_a_program_without_cuda_gets_a_line_on_how_to_build_it(run: Any) -> None:
    status, _, err = run()
    assert status == 2
    assert "nvcc -cudart shared" in err


@pytest.mark.parametrize(
    "options",
    [["--architecture", "hoper", "x"], ["--time-limit", "nan", "x"], ["--report", "pdf", "x"], []],
)
def test_wrong_usage_is_one_line(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["emulate", *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith("lab: error: ")
    assert error.count("\n") == 1
