"""The form of figures: short titles, panels that show something, series that everybody tells apart, whole texts."""

import html
import re
from pathlib import Path

import pytest
from charted import charted

from notebook.base.project import Project
from notebook.charts import figures, look
from notebook.charts.evidence import Device
from notebook.charts.marks import Panel
from notebook.charts.side_labels import Label
from notebook.charts.sources import Sources
from notebook.data.chapters import all_chapters
from notebook.decide import tables

PROJECT = Project.here()
SOURCES = Sources(PROJECT)
MAX_TITLE_WORDS = 10
BARS = ("boxes", "pale", "outlined")
CHARTS = sorted(path.parent.name for path in PROJECT.chapters.glob("*/chart.py"))


@pytest.mark.parametrize("path", sorted(PROJECT.plots.glob("*.svg")), ids=lambda path: path.stem)
def test_a_title_has_ten_words_at_most(path: Path) -> None:
    """A chapter without a chart of its own has its question as title."""
    title = figures.alt_text(path.read_text(encoding="utf-8"))
    questions = [chapter.question for chapter in all_chapters(PROJECT)]
    assert title and (title in questions or len(title.split()) <= MAX_TITLE_WORDS), title


def values(panel: Panel) -> set[tuple[float, ...]]:
    """What its marks show: heights of points and lines, ends of bars."""
    return {
        (datum.x1, datum.x2) if mark.form in BARS else (datum.y,)
        for mark in panel.marks
        if mark.form in ("points", "line", *BARS)
        for datum in mark.data
    }


@pytest.mark.parametrize("name", CHARTS)
def test_no_panel_is_without_variation(name: str) -> None:
    chart = charted(name, SOURCES.facts(name[:2]))
    for panel in chart.panels:
        assert len(values(panel)) != 1, panel.heading  # 0: nothing was measured, which it says
    dashed = {mark.style for panel in chart.panels for mark in panel.marks if mark.form == "dashes"}
    assert dashed <= {look.QUIET}


# Five published GPUs stand in a fixed order, which the line below names, and there are four marks.
_IN_NAMED_ORDER = {("00_memory_hierarchy", 1)}


@pytest.mark.parametrize("name", CHARTS)
def test_series_differ_in_more_than_colour(name: str) -> None:
    """Their marks have other shapes, or their lines another form: grey and colour-blind eyes tell them apart."""
    for panel in charted(name, SOURCES.facts(name[:2])).panels:
        styles: dict[int, set[look.Style]] = {}
        for mark in panel.marks:
            if mark.form == "points":
                styles.setdefault(mark.style.shape, set()).add(mark.style)
        # Where each mark has its name beside it, colours are not needed.
        named = {mark.style.colour for mark in panel.marks if mark.form in ("left", "right")}
        alike = [
            shape
            for shape, known in styles.items()
            if len(known) > 1
            and (name, shape) not in _IN_NAMED_ORDER
            and not {style.colour for style in known} <= named
        ]
        assert alike == [], panel.heading


def test_a_second_series_of_a_device_has_a_shape_of_its_own() -> None:
    for generation in look.GENERATIONS:
        for sibling in range(2):
            first = look.style(generation, look.Evidence.MEASURED, sibling)
            other = look.second(first)
            assert other.shape != first.shape and other.is_filled


# The text of an SVG from gnuplot: its place, the size of its letters, where it is anchored.
_TEXT = re.compile(
    r'<g transform="translate\(([\d.-]+),[\d.-]+\)[^"]*"[^>]*font-size="([\d.]+)"'
    r'[^>]*text-anchor="(\w+)">\s*<text>(?:<tspan[^>]*>)?([^<]+)'
)
_TURNED = re.compile(r"rotate\([^)]*\)[^>]*>\s*<text>(<tspan[^>]*>)?[^<\s]")
_WIDTH = 800
_LABEL = 12.0  # the size of the letters of labels, whose widths are known


def width(text: str) -> float:
    """About the width of a label."""
    label, empty = (Label(0, one, ()).end(has_marks=False) for one in (text, ""))
    return label - empty


@pytest.mark.parametrize("path", sorted(PROJECT.plots.glob("*.svg")), ids=lambda path: path.stem)
def test_no_text_is_cut_or_turned(path: Path) -> None:
    svg = path.read_text(encoding="utf-8")
    assert not _TURNED.search(svg)
    texts = _TEXT.findall(svg)
    assert len(texts) > 5
    for x, size, anchor, text in texts:
        length = width(html.unescape(text).strip()) * float(size) / _LABEL
        start = float(x) - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * length
        assert start >= 0 and start + length <= _WIDTH, text


def test_only_predictions_that_decide_the_claim_are_drawn() -> None:
    """Of chapter 01 nine generations decide, of chapter 02 none; a generation that was measured is never drawn."""
    for number, claim in (("01", "scattered_is_slower"), ("02", "offset_11_is_slower")):
        known = SOURCES.facts(number)
        (chapter,) = (one for one in all_chapters(PROJECT) if one.number == number)
        deciding = {
            verdict.device
            for verdict in tables.decide_chapter(PROJECT, chapter).verdicts
            if verdict.claim.id == claim and verdict.finding.evidence == "predicted"
        }
        drawn = {device.result.device for device in known.predicted(known.measured, claim)}
        assert drawn == deciding - {"emulated-hopper"}
        assert (len(drawn) > 5) == (number == "01")


def test_predictions_of_all_generations_look_alike() -> None:
    predicted: set[look.Style] = {device.predicted_style for device in devices()}
    assert predicted == {look.QUIET} and len(devices()) == len(look.GENERATIONS)


def devices() -> list[Device]:
    return SOURCES.facts("02").emulated
