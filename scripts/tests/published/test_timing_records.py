"""Records of public programs, and NeuSight's elementwise times."""

import csv
from pathlib import Path

import pytest

import timing_elementwise
import timing_records
from notebook.base.errors import Problem
from notebook.base.project import Project
from timing_records import Records

FRAMES = [b"\x03\x00\x00\x00abc", b"\x00\x00\x00\x00", b"\x01\x00\x00\x00d"]


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    written = Records(FRAMES, [("a: b", 1, 0), ("a: b", 2, 2), ("c: d", 1, 1)])
    written.to_file(tmp_path / "records.xz")
    assert timing_records.read(tmp_path / "records.xz") == written


@pytest.mark.parametrize("missing", [1, 2, 3, 5])
def test_a_record_that_ends_too_early_is_refused(missing: int) -> None:
    whole = b"".join(FRAMES)
    with pytest.raises(Problem):
        timing_records.frames_of(whole[:-missing] if missing < 5 else whole[:1])


def test_every_launch_of_the_notebook_has_its_record() -> None:
    path = Project.here().root / timing_records.RECORDS
    assert path.stat().st_size <= timing_records.MAX_BYTES
    records = timing_records.read(path)
    programs = {program for program, _, _ in records.launches}
    assert {frame for _, _, frame in records.launches} == set(range(len(records.frames)))
    assert len(programs) >= 40
    assert len(records.launches) >= 400


def row(**changes: str) -> dict[str, str]:
    whole = {
        "OPName": "add",
        "Latency": "0.8",
        "Device": "Tesla T4",
        "Grid x": "2",
        "B": "3",
        "H": "300",
    }
    return whole | changes


def test_rows_of_one_long_launch_are_taken(tmp_path: Path) -> None:
    rows = [
        row(),
        row(Latency="0.4"),  # the host's part is too large
        row(B="30"),  # 18 blocks: several launches
        row(OPName="pow"),
        row(Device="A100"),
    ]
    with (tmp_path / "elem.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, row())
        writer.writeheader()
        writer.writerows(rows)
    known = {("turing", "add", "900"): "0.0007"}
    (taken,) = timing_elementwise.select(tmp_path / "elem.csv", known)
    assert list(taken.values()) == ["turing", "add", "900", "0.0007", "0.0008"]


def test_about_half_of_the_times_are_held_back() -> None:
    rows = timing_elementwise.read(Project.here().root / timing_elementwise.DATA)
    held_back = sum(timing_elementwise.is_held_back(each) for each in rows)
    assert len(rows) >= 300
    assert 0.4 < held_back / len(rows) < 0.6
    assert len({each["gpu"] for each in rows}) >= 6
