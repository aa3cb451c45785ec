"""Failed calls and refused launches in a report, and what the exit status makes of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_emulate import described, launches, site
from test_emulate_command import run as run  # a fixture

from notebook.base.project import Project
from notebook.emulate.launches import failures
from notebook.emulate.launches import managed as emulate_managed
from notebook.emulate.launches.joining import MAX_DIFFERENT, join
from notebook.emulate.launches.reading import read
from notebook.emulate.launches.records import FailedCall


def failed(number: int = 1, function: str = "cudaFree", **changed: Any) -> dict[str, Any]:
    return {
        "failed_call": function, "number": number, "error": "invalid argument", "detail": "0x10 is not an allocation",
        "callers": [],
    } | changed  # fmt: skip


def finished(*unnoticed: int) -> dict[str, Any]:
    return {"finished": True, "launches": 0, "unnoticed": list(unnoticed)}


def test_a_failure_that_the_program_did_not_notice_is_ours(run: Any) -> None:
    status, out, _ = run(lines=(failed(), finished(1)))
    assert status == 1
    assert (
        "! failed call: cudaFree: 0x10 is not an allocation (invalid argument); the program" in out
    )


def test_a_failure_that_the_program_noticed_is_shown(run: Any) -> None:
    status, out, _ = run(lines=(failed(), finished()))
    assert status == 0
    assert "! failed call: cudaFree: 0x10 is not an allocation (invalid argument)\n" in out


def test_a_program_that_was_killed_noticed_nothing(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text(json.dumps(failed(3)) + "\n" + '{"fini')
    assert read(path).unnoticed == {3}


def test_machines_get_failed_calls_too(run: Any) -> None:
    launch = failed(function="cudaLaunchKernel", detail="kernel k, grid.x = 0, at least 1")
    status, out, _ = run("--report", "json", lines=(launch, finished(1)))
    assert status == 1
    (text,) = json.loads(out)["emulated"][0]["failed_calls"]
    assert text == (
        "refused launch: kernel k, grid.x = 0, at least 1 (invalid argument); the program did not check"
    )


def test_calls_that_fail_alike_are_one_line() -> None:
    calls = [FailedCall("cudaFree", number, "invalid argument", "", ()) for number in (1, 2, 3)]
    lines = failures.texts(calls, {1, 2}, Path("program"))
    assert lines == [
        "failed call: cudaFree: invalid argument; the program did not check (2 times)",
        "failed call: cudaFree: invalid argument",
    ]


# ---- launches that differ ------------------------------------------------------------------------


def strided(number: int, sectors: int) -> dict[str, Any]:
    return described(site(4, "global", "load", sectors=sectors), launch=number)


def test_launches_that_count_differently_stay_apart(tmp_path: Path) -> None:
    three = launches(tmp_path, strided(1, 4), strided(2, 8), strided(3, 4))
    ((joined, omitted),) = join([three])
    assert [(launch.numbers, launch.which) for launch in joined] == [
        ([1, 3], " (launches 1, 3)"),
        ([2], " (launch 2)"),
    ]
    assert omitted == 0
    # The parts that were read stay: JSON and CSV show them.
    assert [launch.launches for launch in three] == [1, 1, 1]


def test_launches_that_differ_on_one_gpu_stay_apart_on_all(tmp_path: Path) -> None:
    here = launches(tmp_path, strided(1, 4), strided(2, 4), strided(3, 4))
    there = launches(tmp_path, strided(1, 4), strided(2, 4), strided(3, 8))
    joined = [kept for kept, _ in join([here, there])]
    assert [[launch.numbers for launch in kept] for kept in joined] == [[[1, 2], [3]]] * 2


def test_of_many_launches_that_differ_the_first_are_kept(tmp_path: Path) -> None:
    many = [strided(number, 4 + number) for number in range(1, MAX_DIFFERENT + 4)]
    ((joined, omitted),) = join([launches(tmp_path, *many)])
    assert [launch.numbers[0] for launch in joined] == list(range(1, MAX_DIFFERENT + 1))
    assert omitted == 3


# ---- managed memory ------------------------------------------------------------------------------


def with_first_touches(tmp_path: Path) -> Project:
    """A notebook in which the first touch of 12 MiB took 2 ms, of 432 MiB 60."""
    rows = [
        {"name": "touch_managed/mib:12", "time_us": [[1000.0, 2000.0], [2000.0, 9000.0]]},
        {
            "name": "add_matrices/memory:managed/phase:first_touch/rows:6144/columns:6144",
            "time_us": [[60000.0]],
        },
    ]
    folder = tmp_path / "data/nvidia-h200"
    folder.mkdir(parents=True)
    (folder / "20_unified_memory.json").write_text(json.dumps({"rows": rows}), "utf-8")
    return Project.here(tmp_path / "data")


@pytest.mark.parametrize(("mib", "milliseconds"), [(12, 2), (222, 31), (432, 60), (864, 120)])
def test_a_first_touch_takes_what_an_h200_took(
    tmp_path: Path, mib: int, milliseconds: float
) -> None:
    """Between the measured sizes on a straight line, beyond the largest in proportion."""
    project = with_first_touches(tmp_path)
    (launch,) = launches(tmp_path, described(managed_bytes=mib << 20))
    emulate_managed.add_notes(project, [launch], "9.0")
    (note,) = launch.notes
    assert f"{mib} MiB of managed memory" in note
    assert float(note.split("takes some ")[1].split(" ms")[0]) == pytest.approx(
        milliseconds, rel=0.01
    )


def test_what_is_smaller_than_all_that_was_measured_has_no_time(tmp_path: Path) -> None:
    (launch,) = launches(tmp_path, described(managed_bytes=128))
    emulate_managed.add_notes(with_first_touches(tmp_path), [launch], "9.0")
    assert "128 bytes" in launch.notes[0] and "takes some" not in launch.notes[0]


def test_without_results_of_chapter_20_a_first_touch_has_no_time(tmp_path: Path) -> None:
    (launch,) = launches(tmp_path, described(managed_bytes=12 << 20))
    emulate_managed.add_notes(Project.here(tmp_path), [launch], "9.0")
    (note,) = launch.notes
    assert "takes some" not in note
    assert note.endswith("has written them; cudaMemPrefetchAsync before the launch avoids it")


def test_before_pascal_managed_memory_moves_before_launches(tmp_path: Path) -> None:
    (launch,) = launches(tmp_path, described(managed_bytes=4096))
    emulate_managed.add_notes(Project.here(), [launch], "3.5")
    (note,) = launch.notes
    assert "before Pascal" in note
    assert "4,096 bytes" in note
