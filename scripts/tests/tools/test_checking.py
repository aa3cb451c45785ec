"""`lab check` finds what is planted, `lab test --nightly` sums up what its parts count."""

from pathlib import Path

import pytest
from conftest import Tree

from notebook.base.errors import MISSING, WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.counters import counters
from notebook.data import devices
from notebook.tools import checking, machine_code, testing, toolbox


def test_functions_and_files_that_have_grown_too_long_are_found(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.lab]\nlong_functions = ["table.py:a_table"]\n')
    (tmp_path / "tests").mkdir()

    def finds(name: str, text: str) -> list[str]:
        (tmp_path / name).write_text(text)
        return checking._sizes(tmp_path, [name])

    def function(name: str, lines: int) -> str:
        return f"def {name}():\n" + "    print()\n" * lines

    assert finds("short.py", function("short", 50)) == []
    (finding,) = finds("long.py", function("long", 70))
    assert "long.py:1:" in finding and "long has" in finding
    (finding,) = finds("long.cu", "void run() {\n" + "    f();\n" * 70 + "}\n")
    assert "long.cu:1:" in finding
    assert finds("table.py", function("a_table", 70)) == []
    (finding,) = finds("file.py", "x = 1\n" * 351)
    assert finding == "file.py: 351 lines; at most 350"
    assert finds("tests/file.py", "x = 1\n" * 351) == []


def test_a_check_that_stops_with_nothing_said_is_a_finding(tmp_path: Path) -> None:
    assert checking._run(tmp_path, ["false"]) == ["false stopped with exit status 1"]
    assert checking._run(tmp_path, ["true"]) == []


def test_the_parts_of_a_nightly_run_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    testing.count("cases", 5)  # not nightly: counts nothing
    counts = tmp_path / "counts"
    monkeypatch.setenv(testing.NIGHTLY, str(counts))
    testing.count("cases", 5)
    testing.count("cases", 7)
    testing.count("mutants that survived", 1)
    assert testing.summary(counts.read_text(), 3600) == (
        "nightly: cases 12, faults 0, mutants 0, mutants that survived 1, bytes lost 0, "
        "code executed 0; 60 min"
    )


def test_a_nightly_run_says_how_long_each_part_took() -> None:
    parts = {"builds": testing.Part(True, 372), "fuzz": testing.Part(False, 2400)}
    assert testing.durations(parts) == "nightly: builds 6.2 min, fuzz 40.0 min"


@pytest.mark.parametrize(
    ("nightly", "ci", "user", "installed"),
    [
        (True, "", 0, ["slurm-wlm munge", "chromium"]),
        (True, "", 1000, ["chromium"]),
        (False, "true", 0, ["slurm-wlm munge"]),
        (False, "", 0, []),
    ],
)
def test_a_cluster_that_cannot_be_had_leaves_the_browser(
    nightly: bool, ci: str, user: int, installed: list[str],
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    log = tmp_path / "log"
    log.touch()
    apt = f'#!/bin/sh\n[ "$*" = "${{*%update}}" ] || exit 0\necho "${{*##*install }}" >>{log}\nexit 100\n'
    (tmp_path / "apt-get").write_text(apt)
    (tmp_path / "apt-get").chmod(0o755)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: user)
    monkeypatch.setattr(toolbox, "_as_root", lambda: ["/usr/bin/env"])
    monkeypatch.setattr(toolbox, "missing", list)  # of what is wanted, all
    testing._install_what_some_tests_need(nightly)
    assert log.read_text().splitlines() == installed


DUMP = """
	code for sm_90
		Function : _Z1aPf
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED"
        /*0000*/                   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */
                                                               /* 0x000fe20000000800 */
        /*0010*/                   EXIT ;                      /* 0x000000000000794d */
		Function : _Z1bPf
        /*0000*/                   NOP ;                       /* 0x0000000000007918 */
"""


def test_machine_code_is_shown_without_encodings() -> None:
    functions = machine_code.functions_in(DUMP)
    assert list(functions) == ["_Z1aPf", "_Z1bPf"]
    assert [line.split() for line in functions["_Z1aPf"].splitlines()] == [
        ["/*0000*/", "LDC", "R1,", "c[0x0][0x28]", ";"],
        ["/*0010*/", "EXIT", ";"],
    ]


def test_an_architecture_is_one_of_ptxas(tree: Tree) -> None:
    with pytest.raises(Problem, match="is not like sm_90") as caught:
        machine_code.show(tree.project, "02", "", "--evil")
    assert caught.value.status == WRONG_USAGE


def test_a_profile_needs_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "count_gpus", lambda: 0)
    with pytest.raises(Problem, match="needs a GPU") as caught:
        counters.profile(Project.here(), "02")
    assert caught.value.status == MISSING
