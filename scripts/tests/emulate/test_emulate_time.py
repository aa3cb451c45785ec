"""Predicted time in a report: what a launch's record says, in words."""

from typing import Any

import pytest

from notebook.emulate.launches.errors import NOT_VALIDATED, TimeError
from notebook.emulate.launches.time import Cells, Predicted, cells, predicted, summary

REASONS = (
    "memory", "local", "texture", "constant", "shared", "shuffle", "special", "arithmetic", "barrier",
    "unit_busy", "not_selected",
)  # fmt: skip
A100 = TimeError("A100", "printed", 0.09)


def stall(line: int, **cycles: float) -> dict[str, Any]:
    return {"file": "/home/me/a.cu", "line": line} | dict.fromkeys(REASONS, 0.0) | cycles


def described(*stalls: dict[str, Any], **shares: float) -> dict[str, Any]:
    return {"seconds": 2.5e-5, "bound": "dram", "shares": shares, "stalls": list(stalls)}


@pytest.mark.parametrize("absent", [None, "", 3, []])
def test_no_time_where_none_was_asked_for(absent: Any) -> None:
    assert predicted(absent) is None


def test_stalls_are_by_line_and_reason() -> None:
    time = predicted(described(stall(7, memory=30.0), stall(9, barrier=10.0), dram=0.9))
    assert time is not None
    assert (time.seconds, time.bound) == (2.5e-5, "dram")
    assert time.stalls["a.cu:7", "memory"] == 30
    assert time.stalls["a.cu:9", "barrier"] == 10
    assert len(time.stalls) == 2 * len(REASONS)


def test_stalls_of_one_line_add_up() -> None:
    # A line that calls a function of a header, and that function's line, are one line of the program.
    time = predicted(described(stall(7, memory=30.0), stall(7, memory=12.0)))
    assert time and time.stalls["a.cu:7", "memory"] == 42


def test_a_line_of_no_known_file_is_kept() -> None:
    unknown = dict(stall(0, memory=1.0), file=None, line=None)
    time = predicted(described(unknown))
    assert time and time.stalls[":0", "memory"] == 1


def test_launches_add_up() -> None:
    first, second = (
        Predicted(1e-3, "l2", {"l2": 0.8}, {("a.cu:7", "memory"): cycles}) for cycles in (5.0, 7.0)
    )
    second.stalls["a.cu:8", "shared"] = 2.0
    first.add(second)
    assert first.seconds == 2e-3
    assert first.stalls == {("a.cu:7", "memory"): 12, ("a.cu:8", "shared"): 2}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2.0, "2 s"),
        (0.25, "250 ms"),
        (1e-3, "1 ms"),
        (4.71e-5, "47.1 us"),
        (9.6e-7, "960 ns"),
    ],
)
def test_a_time_has_the_unit_that_fits_it(seconds: float, text: str) -> None:
    (line,) = summary(Predicted(seconds, "dram", {}), 1, NOT_VALIDATED)
    assert line.startswith(f"  predicted {text} (not validated), bound by dram")


def test_several_launches_show_the_time_of_one() -> None:
    (line,) = summary(Predicted(4e-3, "dram", {}), 4, A100)
    assert "predicted 4 ms, 1 ms each (A100: errors of printed times 9 %), bound by dram" in line


def test_a_table_has_the_time_of_one_launch_and_what_bounds_it() -> None:
    stalls = {("a.cu:7", "memory"): 75.0, ("a.cu:8", "special"): 25.0}
    assert cells(Predicted(4e-3, "dram", {}, stalls), 4, A100) == Cells(
        "1 ms", "9 % (printed)", "dram", "7: global memory 75%"
    )
    assert cells(Predicted(4e-3, "dram", {}), 4, NOT_VALIDATED).error == "not validated"
    assert cells(None, 4, A100) == Cells("-", "-", "-", "-")


def test_units_by_their_share_and_lines_by_their_waits() -> None:
    shares = {"issue": 0.2, "dram": 0.91, "sfu": 0.05}
    stalls = {("a.cu:7", "memory"): 75.0, ("a.cu:8", "barrier"): 20.0, ("a.cu:9", "shared"): 5.0}
    limits, waits = summary(Predicted(1e-3, "dram", shares, stalls), 1, A100)
    # A twentieth of a limit, or of all waiting, is not worth a word.
    assert limits.endswith("of the limits: dram 91%, issue 20%")
    assert waits == "  warps wait: a.cu:7 global memory 75%, a.cu:8 barrier 20%"


def test_at_most_three_lines_wait() -> None:
    stalls = {(f"a.cu:{number}", "memory"): 25.0 for number in range(4)}
    assert summary(Predicted(1e-3, "dram", {}, stalls), 1, A100)[1].count("a.cu") == 3


def test_what_waits_for_nothing_has_no_line_about_it() -> None:
    stalls = {("a.cu:7", "memory"): 0.0}
    assert len(summary(Predicted(1e-3, "latency", {}, stalls), 1, A100)) == 1
