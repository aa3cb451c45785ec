"""scripts/fresh_roots.py: what its table says. The roots themselves need root rights and a network."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import fresh_roots
from notebook.tools.fresh_root import Settings


def outcome(case: str, statuses: tuple[int, int], cache: str = "no") -> fresh_roots.Outcome:
    system = fresh_roots.SYSTEMS["debian13"]
    run = fresh_roots.Result(statuses[0], 239.6, 310.4, "lab: error: a thing is missing")
    test = fresh_roots.Result(statuses[1], 278.2, 400, "3 failed, 1 passed")
    results = {"run": run, "test": test}
    return fresh_roots.Outcome(system, fresh_roots.CASES[case], cache, results)


def row(case: str, statuses: tuple[int, int], cache: str = "no") -> list[str]:
    cells = fresh_roots.table([outcome(case, statuses, cache)])[-1].strip("| ").split(" | ")
    return list(cells)


def test_a_cell_says_who_where_with_what_and_how_long() -> None:
    times = ["exit 0, 240 s (CPU 310 s)", "exit 0, 278 s (CPU 400 s)", "not run"]
    assert row("root-nvcc", (0, 0)) == ["Debian 13", "root", "yes", "plain", "no", *times]


def test_a_cell_that_took_compiled_objects_says_so() -> None:
    assert row("sudo", (0, 0), "filled")[1:5] == ["user with sudo", "no", "with a blank", "filled"]


def test_what_was_asked_for_beside_the_usual_has_a_column() -> None:
    emulated = fresh_roots.Result(0, 208.2, 390, "")
    with_reports = replace(outcome("root", (0, 0)), results={"emulate": emulated})
    header, _, *rows = fresh_roots.table([with_reports, outcome("sudo", (0, 0))])
    assert header.endswith("| run | test | readme | emulate |")
    assert rows[0].endswith("| not run | not run | not run | exit 0, 208 s (CPU 390 s) |")
    assert rows[1].endswith("| not run | not run |")


def test_a_failed_command_shows_its_last_line() -> None:
    assert row("root", (0, 1))[-2] == "exit 1, 278 s (CPU 400 s), not 0: 3 failed, 1 passed"
    assert not outcome("root", (0, 1)).is_as_expected


def test_without_packages_a_user_is_told_what_is_missing() -> None:
    assert outcome("bare", (3, 3)).is_as_expected
    assert not outcome("bare", (1, 3)).is_as_expected


def test_objects_are_called_filled_only_where_there_are_some(tmp_path: Path) -> None:
    system = fresh_roots.SYSTEMS["debian13"]
    settings = Settings(tmp_path, {}, has_compiler_cache=True)
    assert fresh_roots.cache_state(system, Settings(tmp_path, {}, False)) == "no"
    assert fresh_roots.cache_state(system, settings) == "empty"
    (settings.kept(system) / "compiled").mkdir(parents=True)
    assert fresh_roots.cache_state(system, settings) == "empty"
    (settings.kept(system) / "compiled" / "0").touch()
    assert fresh_roots.cache_state(system, settings) == "filled"


@pytest.mark.parametrize("mirror", ["Fedora=http://mirror.example", "Ubuntu", "Ubuntu="])
def test_a_wrong_mirror_is_named(mirror: str) -> None:
    command = [sys.executable, fresh_roots.__file__, "--mirror", mirror]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert f"'{mirror}' is not a mirror: expected Debian or Ubuntu, then =URL" in run.stderr


def test_the_commands_of_a_page_are_found() -> None:
    page = """
    scripts/lab run     # build and run
    scripts/lab test

Text with `scripts/lab doctor`.

    scripts/lab list                    # chapters
    meson setup build && ninja -C build x  # without lab
    build/chapters/x --architecture=fermi
    scripts/lab add nvidia-a100.tar.gz  # no such device here
    scripts/lab new 21_my_question      # builds and runs
    const int not_a_command = 1;
"""
    assert fresh_roots.readme_commands(page) == [
        "scripts/lab list",
        "meson setup build && ninja -C build x",
        "build/chapters/x --architecture=fermi",
        "scripts/lab new 21_my_question",
        "scripts/lab run 21_my_question",
    ]
