"""Hazards in a report, within launches and outside of them, and the exit status that they make."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_emulate import described
from test_emulate_command import run as run  # a fixture

from notebook.emulate.launches import failures
from notebook.emulate.launches.reading import read
from notebook.emulate.launches.records import Hazard

FINISHED = {"finished": True, "launches": 1, "unnoticed": []}


def hazard(text: str, function: str = "cudaMemcpy") -> dict[str, Any]:
    return {"hazard": text, "function": function, "callers": []}


def test_a_hazard_of_a_launch_is_exit_status_1(run: Any) -> None:
    status, out, _ = run(lines=(described(hazards=["kernel k: a race"]), FINISHED))
    assert status == 1
    assert "! hazard: kernel k: a race" in out


def test_a_hazard_outside_of_launches_is_exit_status_1(run: Any) -> None:
    status, out, _ = run(lines=(described(), hazard("copies 4 bytes"), FINISHED))
    assert status == 1
    assert "! hazard: cudaMemcpy copies 4 bytes\n" in out


def test_without_hazards_the_exit_status_is_0(run: Any) -> None:
    status, out, _ = run(lines=(described(), FINISHED))
    assert status == 0
    assert "hazard" not in out


@pytest.mark.parametrize(
    ("option", "variable"),
    [
        ("--check-hazards", "EMULATED_GPU_HAZARDS"),
        ("--check-leaks", "EMULATED_GPU_LEAKS"),
        ("--keep-going", "EMULATED_GPU_KEEP_GOING"),
    ],
)
def test_an_option_is_a_variable_of_the_runtime(run: Any, option: str, variable: str) -> None:
    shown = f"print('{variable} is', os.environ.get('{variable}'))"
    assert f"{variable} is 1\n" in run(option, lines=(described(), FINISHED), ends=shown)[1]
    assert f"{variable} is None\n" in run(lines=(described(), FINISHED), ends=shown)[1]


def test_what_belongs_to_no_call_is_told_alone() -> None:
    left = Hazard("1 allocation of 4 bytes in all never freed: 4 (allocation 1)", "", ())
    again = Hazard("copies 4 bytes", "cudaMemcpy", ())
    assert failures.hazard_texts([left, again, again], Path("program")) == [
        "hazard: 1 allocation of 4 bytes in all never freed: 4 (allocation 1)",
        "hazard: cudaMemcpy copies 4 bytes (2 times)",
    ]


def test_a_report_with_hazards_alone_is_one(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text(json.dumps(hazard("copies 4 bytes")) + "\n")
    report = read(path)
    assert report.loaded
    assert report.has_hazards
