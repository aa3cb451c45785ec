"""Predicted times in figures: only of generations without a measured or published time there."""

from dataclasses import replace

import pytest
from charted import charted

from notebook.base.project import Project
from notebook.charts import look
from notebook.charts.evidence import facts
from notebook.charts.marks import POINTS, Panel
from notebook.charts.sources import Sources

SOURCES = Sources(Project.here())
_OF_TIMES = ("time", "a transpose", "one field read: time")
EVERY = {"claim": frozenset(look.GENERATIONS)}


def styles(panel: Panel) -> set[look.Style]:
    return {mark.style for mark in panel.marks if mark.form == POINTS}


def of_times(figure: str) -> list[Panel]:
    """The panels of a figure that show times and no counts, whose open marks are the same."""
    panels = charted(figure, SOURCES.facts(figure[:2])).panels
    return [panel for panel in panels if panel.heading.startswith(_OF_TIMES)]


@pytest.mark.parametrize(
    "figure",
    [
        "01_access_patterns",
        "02_misaligned_reads",
        "03_l1_cache",
        "05_misaligned_writes",
        "06_aos_soa",
        "07_unroll4",
        "12_transpose_diagonal",
    ],
)
def test_predictions_stand_beside_measured_times_where_they_decide(figure: str) -> None:
    """Of these claims the one of chapter 01 alone."""
    assert of_times(figure)
    for panel in of_times(figure):
        assert look.style("hopper", look.Evidence.MEASURED) in styles(panel)
        assert (look.QUIET in styles(panel)) == (figure == "01_access_patterns")


def test_a_published_time_takes_the_place_of_a_prediction_too() -> None:
    known = replace(SOURCES.facts("02"), decided=EVERY)
    orin = next(device for device in known.published if device.name == "Jetson Orin")
    generations = [device.generation for device in known.predicted([orin], "claim")]
    assert "ampere" not in generations and "hopper" in generations


def test_without_a_measurement_every_generation_is_predicted() -> None:
    emulated = facts((device.result for device in SOURCES.facts("02").emulated), decided=EVERY)
    predicted = emulated.predicted([], "claim")
    assert [device.generation for device in predicted] == list(look.GENERATIONS)
    assert emulated.predicted([], "another") == []


def test_bars_of_time_are_predicted_where_tiles_gain_most_and_least() -> None:
    known = SOURCES.facts("17")
    chart = charted("17_matmul_tiled", known)
    claims = ("sixteen_times_faster", "thirty_two_times_faster")
    for width, claim, panel in zip((16, 32), claims, chart.panels, strict=True):
        others = known.predicted(known.measured, claim)
        gains = {}
        for device in others:
            naive = device.row("matmul_naive", block=f"{width}x{width}", m=256)
            tiled = device.row("matmul_tiled", tile=width, m=256)
            gains[device.name] = device.ratio(naive, tiled, "time") or 0.0
        most, least = max(gains, key=gains.__getitem__), min(gains, key=gains.__getitem__)
        texts = [datum.text for mark in panel.marks for datum in mark.data]
        for name in gains:
            assert any(name in text for text in texts) == (name in (most, least)), name
    assert "predicted at 256 cubed" in chart.note


def test_a_fermi_has_no_read_only_loads() -> None:
    _, plain, through = charted("04_read_only_cache", SOURCES.facts("04")).panels
    fermi = look.style("fermi", look.Evidence.COUNTED)
    assert fermi in styles(plain) and fermi not in styles(through)
