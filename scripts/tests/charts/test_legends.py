"""What labels and the line below a figure say of its marks: what is drawn, of each its sign, where it can be read."""

import re
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from charted import charted

from notebook.base.project import Project
from notebook.charts import look
from notebook.charts.curves import Curve, draw
from notebook.charts.evidence import Device
from notebook.charts.look import GREY, Evidence, Style
from notebook.charts.marks import DASHES, POINTS, RINGS, Chart, Panel
from notebook.charts.sources import Sources

HOPPER = look.style("hopper", Evidence.MEASURED)
FERMI = look.style("fermi", Evidence.COUNTED)
SOURCES = Sources(Project.here())


def rows(panel: Panel, form: str) -> list[list[str]]:
    lines = [line.split("\t") for block in panel.blocks(1) for line in block.splitlines()]
    return [line for line in lines if line[1] == form]


def panel_of(*styles: Style, apart: float = 0.0) -> Panel:
    """Each style has a point, at a height of 0.5 or so much higher than the one before."""
    panel = Panel((0, 1), (0, 1))
    for place, style in enumerate(styles):
        panel.points([(0.5, 0.5 + place * apart)], style)
        panel.label(0.5, f"label {place}", style)
    return panel


def test_in_front_of_a_label_stands_its_mark() -> None:
    panel = panel_of(HOPPER, FERMI, apart=0.2)
    (measured,) = rows(panel, f"aside_{POINTS}")
    (counted,) = rows(panel, f"aside_{RINGS}")
    assert (int(measured[2]), int(measured[3])) == (HOPPER.colour, HOPPER.shape)
    assert (int(counted[2]), int(counted[3])) == (FERMI.colour, FERMI.shape)
    assert {row[5] for row in rows(panel, "aside")} == {measured[5], counted[5]}


def test_in_front_of_the_label_of_a_line_stands_a_piece_of_it() -> None:
    panel = Panel((0, 1), (0, 1))
    panel.line([(0, 0), (1, 1)], FERMI, DASHES)
    panel.label(1, "dashed", FERMI)
    panel.label(0, "of nothing drawn", HOPPER)
    assert len(rows(panel, f"aside_{DASHES}")) == 2
    assert not rows(panel, f"aside_{POINTS}") and len(rows(panel, "aside")) == 2


def test_marks_that_hide_each_other_have_one_label_with_both() -> None:
    other = look.style("hopper", Evidence.MEASURED, 1)
    (label,) = rows(panel_of(HOPPER, other), "aside")
    assert label[-1] == "label 0, label 1"
    assert len(rows(panel_of(HOPPER, other), f"aside_{POINTS}")) == 2
    assert len(rows(panel_of(HOPPER, other, apart=0.2), "aside")) == 2


def test_labels_beside_a_panel_do_not_overlap() -> None:
    panel = Panel((0, 1), (0, 100), height=200)
    for value in (50, 50, 51, 52, 99, 100, 0):
        panel.label(value, f"label {value}", GREY)
    places = [
        float(line.split("\t")[5])
        for block in panel.blocks(1)
        for line in block.splitlines()
        if "\taside\t" in line
    ]
    assert len(places) == 7
    assert all(after - before >= 14 / 200 for before, after in pairwise(places))


def test_an_open_mark_is_on_top_of_a_filled_one_and_larger() -> None:
    panel = panel_of(FERMI, HOPPER)
    forms = [block.split("\t")[1] for block in panel.blocks(1)]
    assert forms.index(POINTS) < forms.index(RINGS)
    assert not rows(panel_of(FERMI), RINGS)


def test_a_panel_ends_where_its_longest_label_has_room() -> None:
    panel = panel_of(HOPPER)
    narrow = panel.room
    panel.label(0.1, "a name of very many letters, as some GPUs have", HOPPER)
    assert panel.room > 2 * narrow
    first = Chart("", [panel, panel_of(HOPPER)]).as_tsv()
    assert [line.split("\t")[4] for line in first.splitlines() if "\troom\t" in line] == [
        f"{panel.room:.6g}"
    ] * 2


@pytest.mark.parametrize(
    ("shown", "styles", "note"),
    [
        ({Evidence.MEASURED}, [HOPPER], "measured"),
        (
            {Evidence.MEASURED, Evidence.COUNTED},
            [HOPPER, FERMI],
            "filled: measured   open: counted",
        ),
        ({Evidence.MEASURED, Evidence.COUNTED}, [FERMI], "bars: measured   open: counted"),
        (
            {Evidence.COUNTED, Evidence.PREDICTED, Evidence.PUBLISHED},
            [FERMI, Style(0, 3), Style(0, 2)],
            "open: counted   grey ring: predicted   star, x: published",
        ),
    ],
)
def test_the_line_below_lists_what_is_drawn_and_each_form_once(
    shown: set[Evidence], styles: list[Style], note: str
) -> None:
    chart = Chart("", [panel_of(*styles)], look.key(shown))
    assert chart.with_its_forms_explained().note == note


@pytest.mark.parametrize(("end", "is_named"), [(1.001, False), (1.1, True)])
def test_intervals_are_named_where_they_are_longer_than_their_mark(
    end: float, is_named: bool
) -> None:
    panel = Panel((0, 1), (0.9, 1.3))
    panel.error_bars([(0.5, 1.0, end)], look.GREY)
    note = Chart("", [panel], look.key({look.Evidence.MEASURED})).with_its_forms_explained().note
    assert (look.INTERVALS in note) == is_named


def test_an_interval_that_its_mark_hides_is_not_drawn() -> None:
    panel = Panel((0, 1), (0, 1), height=200)
    panel.error_bars([(0.2, 0.5, 0.51), (0.4, 0.3, 0.6)], HOPPER)
    assert [row[4] for row in rows(panel, "bars_y")] == ["0.4"]


def test_a_line_ends_at_a_break_and_begins_anew() -> None:
    panel = Panel((0, 3), (0, 1), breaks=(1.5,))
    panel.line([(x, 0.5) for x in range(4)], HOPPER)
    panel.reference(0.5)
    assert [len(mark.data) for mark in panel.marks] == [2, 2, 2]
    assert panel.marks[-1].data[-1].x == 3


def test_published_gpus_of_a_generation_have_different_stars() -> None:
    of_02, of_12 = (
        {device.name: device.style for device in SOURCES.facts(number).published}
        for number in ("02", "12")
    )
    assert of_02["RTX 3080"].shape != of_02["Jetson Orin"].shape
    assert of_02["RTX 3080"].colour == of_02["Jetson Orin"].colour
    assert len(set(of_12.values())) == len(of_12)
    assert all(of_12[name] == style for name, style in of_02.items() if name in of_12)


def test_points_without_a_line_stand_side_by_side() -> None:
    devices: list[Device] = SOURCES.facts("03").emulated[:2]
    panel = Panel((0, 1), (0, 100), height=200)
    curves = [
        Curve([device], [(0.2, 50.0), (0.8, 10.0 + 60 * index)], [])
        for index, device in enumerate(devices)
    ]
    draw(panel, curves, form="")
    points = [mark.data for mark in panel.marks if mark.form == POINTS]
    (one, other) = ([datum.x for datum in data] for data in points)
    assert one[0] < 0.2 < other[0] and one[1] == other[1] == 0.8


def test_of_three_stars_all_differ() -> None:
    styles = [look.style("ampere", Evidence.PUBLISHED, number) for number in range(3)]
    assert all(one != other for one, other in combinations(styles, 2))
    assert not any(style.is_filled for style in (*styles, GREY)) and HOPPER.is_filled


# A line of text in an SVG: its height, and how it is drawn.
_TEXT = re.compile(r'<g transform="translate\([\d.]+,([\d.]+)\)([^>]*)>\s*<text>[^<]')
_LETTER = 9.0  # pixels above its line


@pytest.mark.parametrize(
    "figure", sorted((Project.here().root / "plots").glob("*.svg")), ids=lambda path: path.stem
)
def test_the_title_lies_above_everything_else(figure: Path) -> None:
    texts = _TEXT.findall(figure.read_text(encoding="utf-8"))
    title = [float(y) for y, how in texts if "bold" in how]
    below = [float(y) - _LETTER for y, how in texts if "bold" not in how]
    assert 1 <= len(title) <= 3 and max(title) < min(below)


def test_published_marks_of_one_place_stand_side_by_side() -> None:
    """In chapter 00, where several GPUs have nearly the same latency."""
    chart = charted("00_memory_hierarchy", SOURCES.facts("00"))
    stars = [
        datum.x
        for mark in chart.panels[0].marks
        if mark.form == POINTS and not mark.style.is_filled
        for datum in mark.data
    ]
    assert len(stars) > 5 and len(set(stars)) == len(stars)
