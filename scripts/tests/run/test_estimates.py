"""What runs are expected to take comes from what processes took, and is corrected by what has ended."""

import json

import pytest
from conftest import Tree

from notebook.base.project import Project
from notebook.data.chapters import all_chapters
from notebook.run import estimates
from notebook.run.estimates import Pace


def test_estimates_come_from_what_processes_took(tree_with_data: Tree) -> None:
    project, chapter = tree_with_data.project, tree_with_data.chapter
    assert estimates.seconds(project, chapter, True) == 120
    record = project.build / "runs" / "emulated-fermi" / f"{chapter.name}.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"process_seconds": [7.0, 0.5]}')
    assert estimates.seconds(project, chapter, True) == 7.5
    record.write_text('{"process_seconds": "long"}')
    assert estimates.seconds(project, chapter, True) == 120
    assert estimates.minutes_to_allow(7.5) == 10
    assert estimates.minutes_to_allow(900) == 61


def test_every_tracked_data_file_tells_what_its_processes_took() -> None:
    project = Project.here()
    for chapter in all_chapters(project):
        for path in project.data.glob(f"*/{chapter.name}.json"):
            assert json.loads(path.read_bytes())["context"].get("process_seconds"), path


@pytest.mark.parametrize(
    ("took", "at_once", "elapsed", "left"),
    [
        ({}, 1, 0.0, "60 s"),
        ({}, 2, 0.0, "30 s"),
        ({}, 2, 10.0, "20 s"),
        # A third of the work took twice as long as it should have.
        ({"a": 40.0}, 1, 40.0, "80 s"),
        # Beside another one, which has run as long: on pace.
        ({"a": 20.0}, 2, 20.0, "10 s"),
        ({"a": 20.0, "b": 10.0, "c": 10.0}, 1, 40.0, ""),
    ],
)
def test_the_time_left(took: dict[str, float], at_once: int, elapsed: float, left: str) -> None:
    pace = Pace({"a": 20.0, "b": 30.0, "c": 10.0}, at_once, took, began=100.0)
    assert pace.left(100.0 + elapsed) == (f", about {left} left" if left else "")


def test_a_run_says_how_long_it_will_take(tree: Tree) -> None:
    ran = tree.lab("run", "--device", "emulated:fermi", "--no-figures")
    assert ran.returncode == 0, ran.stderr
    assert "(1 of 1, about 2 min left)" in ran.stderr
