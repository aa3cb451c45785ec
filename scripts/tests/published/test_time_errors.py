"""The statistics of predicted times, worked out by hand."""

import math
from pathlib import Path

import pytest

from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.timing import sets
from notebook.timing.errors import errors_of, table

# Predicted over real: 1, 1.1, 1.5, 1.15 and 0.75.
PAIRS = [(1.0, 1.0), (2.2, 2.0), (4.5, 3.0), (4.6, 4.0), (3.75, 5.0)]


def test_errors_are_shares_of_the_real_time() -> None:
    errors = errors_of([PAIRS])
    assert errors.times == 5
    assert errors.mean == pytest.approx((0 + 0.1 + 0.5 + 0.15 + 0.25) / 5)
    assert errors.median == pytest.approx(0.15)
    # Between the fourth and the fifth of 0, 10, 15, 25 and 50 %: 0.9 x 4 = 3.6.
    assert errors.percentile_90 == pytest.approx(0.25 + 0.6 * 0.25)


def test_a_ratio_is_right_within_a_fifth_either_way() -> None:
    """Of the first four 1.1, 1.15 and 1.15 / 1.1 are; 1.5, 1.5 / 1.1 and 1.5 / 1.15 = 1.3 are not; with 0.75 none."""
    assert errors_of([PAIRS[:4]]).ratios_right == pytest.approx(3 / 6)
    assert errors_of([PAIRS]).ratios_right == pytest.approx(3 / 10)


def test_a_time_is_right_within_a_fifth() -> None:
    assert errors_of([[(1.19, 1.0), (0.81, 1.0), (1.21, 1.0), (0.79, 1.0)]]).times_right == 0.5


def test_ratios_are_those_of_a_group() -> None:
    """Two tables, each right but for a factor of its own."""
    groups = [[(2.0, 1.0), (4.0, 2.0)], [(1.0, 2.0), (2.0, 4.0)]]
    assert errors_of(groups).ratios_right == 1
    assert errors_of([groups[0] + groups[1]]).ratios_right == pytest.approx(2 / 6)


def test_the_correlation_is_that_of_logarithms() -> None:
    """Twice as long on every scale correlates wholly; of one time nothing can be said."""
    assert errors_of([[(2e-6, 1e-6), (2e-3, 1e-3), (2.0, 1.0)]]).correlation == pytest.approx(1)
    assert errors_of([[(1.0, 2.0), (2.0, 1.0)]]).correlation == pytest.approx(-1)
    alone = errors_of([[(1.0, 2.0)]])
    assert math.isnan(alone.correlation) and math.isnan(alone.ratios_right)


def test_no_times_have_no_errors() -> None:
    with pytest.raises(ValueError, match="no times"):
        errors_of([[]])


def test_a_table_has_a_line_a_group_and_one_of_all() -> None:
    assert table("chapter", {"01": PAIRS[:2], "02": PAIRS[2:3]})[2:] == [
        "| 01 | 2 | 5.0 % | 5.0 % | 9.0 % | 100 % | 100 % | 1.000 |",
        "| 02 | 1 | 50.0 % | 50.0 % | 50.0 % | 0 % | - | - |",
        "| **all** | 3 | 20.0 % | 10.0 % | 42.0 % | 67 % | 100 % | 0.993 |",
    ]


def test_the_sets_are_those_of_the_tables() -> None:
    """Both GPUs' chapters, what others printed, and programs of others, half of which is held back."""
    project = Project.here()
    measured, unseen_gpu, printed, looked_at, held_back = sets.all_sets(project)
    assert measured.groups.keys() >= unseen_gpu.groups.keys() > {"02_misaligned_reads"}
    assert printed.errors.times >= 300
    assert looked_at.groups and held_back.groups
    assert not looked_at.groups.keys() & held_back.groups.keys()
    assert all(map(sets.is_held_back, held_back.groups))


def test_a_damaged_time_is_named(tmp_path: Path) -> None:
    path = tmp_path / sets.CHAPTERS
    path.parent.mkdir(parents=True)
    path.write_text("chapter,predicted_seconds,measured_seconds\n01,1e-5,\n")
    with pytest.raises(Problem, match="line 2: measured_seconds is ''"):
        sets.read(
            Project(tmp_path, tmp_path / "data"), sets.CHAPTERS, "chapter", "measured_seconds"
        )
