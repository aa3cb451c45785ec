"""The list of other people's programs, and how their results are judged."""

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SCRIPTS))
import other_programs  # noqa: E402


def program(success: str = "") -> other_programs.Program:
    return other_programs.Program("repository", "name", Path(), (), ("a.cu",), success=success)


@pytest.mark.parametrize(
    ("status", "output", "reason"),
    [
        (0, "Test PASSED\n", ""),
        (0, "done\n", "done"),  # never says that it passed
        (0, "Test PASSED\n2 FAILED\n", "2 FAILED"),
        (0, "Test PASSED\nArrays do not match.\n", "Arrays do not match."),
        (3, "Test PASSED\n", "exit status 3: Test PASSED"),
        (-11, "", "signal SIGSEGV: no output"),
        (0, "", "no output"),
    ],
)
def test_a_program_passes_if_it_says_so_and_nothing_else(
    status: int, output: str, reason: str
) -> None:
    assert other_programs.judge(program("Test PASSED"), status, output) == reason


def test_the_reason_is_the_runtimes_own_line() -> None:
    output = "Emulated H200\nerror: something\nemulated GPU: error: cudaFoo is not supported\n"
    assert other_programs.judge(program(), 1, output) == (
        "exit status 1: emulated GPU: error: cudaFoo is not supported"
    )


def test_the_list_is_complete_and_names_are_unique(tmp_path: Path) -> None:
    path = SCRIPTS / "other_programs.toml"
    assert other_programs.read_list(path, tmp_path) == []  # nothing is there, nothing is fetched
    import tomllib

    repositories = tomllib.loads(path.read_text())
    for name, table in repositories.items():
        assert set(table) <= {"url", "commit", "directory", "include", "programs"}, name
        assert len(table["commit"]) == 40, name
        for program in table["programs"]:
            assert set(program) <= {"folder", "sources", "flags", "arguments", "success"}, program
            folder = tmp_path / name / table.get("directory", "") / program["folder"]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "main.cu").touch()
    names = [listed_program.shown for listed_program in other_programs.read_list(path, tmp_path)]
    assert len(names) == sum(len(table["programs"]) for table in repositories.values()) >= 60
    assert len(set(names)) == len(names)
