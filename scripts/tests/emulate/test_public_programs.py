"""Public programs on both GPUs: how launches are matched, and what counts as an error."""

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SCRIPTS))
import public_programs  # noqa: E402
from notebook.timing.sets import is_held_back  # noqa: E402

ROOT = SCRIPTS.parent
PROFILE = """==PROF== Connected to process 7382
"ID","Kernel Name","gpu__time_duration.sum"
"","","ns"
"0","void ns::wyllie<int>(long *, int)","6,016"
"""


def test_a_profile_has_a_row_a_launch() -> None:
    (row,) = public_programs.read_profile(PROFILE)
    assert row["gpu__time_duration.sum"] == "6,016"
    assert public_programs.read_profile("==ERROR== Failed to find metric") == []


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("void ns::wyllie<int>(long *, int)", "wyllie"),
        ("wyllie(long*, int)", "wyllie"),
        ("(anonymous namespace)::k", "k"),
    ],
)
def test_both_tools_name_a_kernel_alike(kernel: str, name: str) -> None:
    assert public_programs.base_name(kernel) == name


def test_launches_are_compared_up_to_the_first_other_kernel() -> None:
    launches = [{"kernel": name} for name in ("a(int)", "b(int)", "c(int)")]
    rows = [{"kernel": name} for name in ("a", "x", "c")]
    assert list(public_programs.beside(launches, rows)) == [(launches[0], rows[0])]


def test_a_time_that_is_not_predicted_is_no_error() -> None:
    rows = [
        {"predicted_seconds": "", "measured_seconds": "1e-6"},
        {"predicted_seconds": "3e-6", "measured_seconds": "2e-6"},
    ]
    assert list(public_programs._errors(rows)) == pytest.approx([0.5])


def test_each_half_has_at_least_a_third_of_the_programs() -> None:
    times = public_programs.read_table(ROOT / public_programs.TIMES)
    held_back = sum(map(is_held_back, times))
    assert len(times) / 3 <= held_back <= 2 * len(times) / 3
    assert len(times) >= 40
