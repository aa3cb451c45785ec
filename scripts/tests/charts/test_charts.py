"""Charts: titles that follow the data, equal curves under one name, colours that everybody can tell."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy
import pytest
import synthetic
from charted import charted
from colorspacious import cspace_convert  # type: ignore[import-untyped]
from conftest import Tree

from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.charts import device_selection, look, registry, words
from notebook.charts import validation as validation_chart
from notebook.charts.curves import collect, draw
from notebook.charts.evidence import Facts, facts
from notebook.charts.look import GENERATIONS
from notebook.charts.marks import Panel
from notebook.charts.sources import Sources
from notebook.data import device_names, results
from notebook.data.chapters import find_chapters
from notebook.data.records import grouped
from notebook.data.results import Result

AT = "block:512/n:{}/cache:cold"


def reads(tree: Tree, times: dict[int, float]) -> Facts:
    """Chapter 02 on an H200 whose reads at these offsets take these times."""
    at = AT.format(2**26)
    rows = [
        row
        for offset, time in times.items()
        for row in synthetic.timed(f"read_offset/offset:{offset}/{at}", time)
    ]
    small = AT.format(2**20)
    rows += [
        row
        for offset in times
        for row in synthetic.timed(f"read_offset/offset:{offset}/{small}", 5, load_efficiency=80.0)
    ]
    synthetic.save(tree.data, synthetic.document(rows))
    counted = synthetic.row(f"read_offset/offset:11/{small}", 0, load_efficiency=49.8)
    synthetic.save(tree.data, synthetic.document([counted], "emulated-fermi"))
    return facts(results.load_chapter(tree.project, tree.chapter))


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (100, "is as fast"),
        (102, "is as fast"),
        (107, "7 % slower"),
        (210, "2.1x slower"),
        (80, "25 % faster"),
    ],
)
def test_a_title_says_what_the_data_say(tree: Tree, time: float, said: str) -> None:
    assert said in charted("02_misaligned_reads", reads(tree, {0: 100, 11: time})).title


def test_without_data_there_is_no_finding(tree: Tree) -> None:
    chart = charted("02_misaligned_reads", reads(tree, {0: 100}))
    assert chart.title == ""
    assert chart.titled("Does it cost time?").title == "Does it cost time?"
    empty = charted("02_misaligned_reads", facts([]))
    assert "needs a GPU" in empty.as_tsv() and empty.title == ""


@pytest.mark.parametrize("ratio", [1.0, 1.029, 1 / 1.029])
def test_within_three_percent_nothing_is_slower(ratio: float) -> None:
    assert words.slower(ratio) == "as fast"


def test_a_ratio_and_its_inverse_are_the_same_amount() -> None:
    assert (words.slower(1.25), words.slower(1 / 1.25)) == ("25 % slower", "25 % faster")
    assert (words.slower(3), words.slower(1 / 3)) == ("3x slower", "3x faster")


def test_equal_curves_are_one_curve_with_one_name(tree: Tree) -> None:
    name = "read_offset/offset:{}/" + AT.format(2**20)
    efficiency = {"fermi": 50.0, "kepler": 80.0, "pascal": 80.1, "volta": 80.0, "hopper": 60.0}
    for year, (generation, value) in enumerate(efficiency.items()):
        rows = [
            synthetic.row(name.format(offset), 0, load_efficiency=100.0 if offset == 0 else value)
            for offset in (0, 11)
        ]
        document = synthetic.document(rows, f"emulated-{generation}")
        document["context"]["year"] = str(2010 + year)
        synthetic.save(tree.data, document)
    known = facts(results.load_chapter(tree.project, tree.chapter))
    curves = collect(
        known.emulated,
        lambda device: [
            (float(at), device.value(name.format(at), "load_efficiency")) for at in (0, 11)
        ],
    )
    assert [curve.name for curve in curves] == ["Fermi", "Kepler–Volta", "Hopper"]


def test_no_point_is_outside_of_its_panel() -> None:
    panel = Panel((0, 1), (1, 2), log_y=True)
    panel.points([(0.5, 9.0), (1.5, 0.1)], look.GREY)
    axes = next(iter(panel.blocks(1))).split("\t")
    left, right, bottom, top = map(float, axes[6:10])
    assert left == 0 and right > 1.5 and 0 < bottom < 0.1 and top > 9


def test_every_figure_has_a_finding_as_title() -> None:
    """The question stands there only where the data lack what the title is about, or a chapter has no chart."""
    sources = Sources(Project.here())
    charts = {
        chapter.name: registry.of_chapter(chapter, sources.facts(chapter.number))
        for chapter in sources.chapters
        if (chapter.directory / "chart.py").is_file()
    }
    charts |= {name: item.chart(sources) for name, item in registry.SPANNING.items()}
    assert [name for name, chart in charts.items() if not chart or not chart.title] == []


def test_no_version_of_gnuplot_chooses_the_ticks_of_a_short_logarithmic_axis() -> None:
    """5.4 puts them at 1 and 10 where 6.0 puts them at 20, 30, 40."""
    sources = Sources(Project.here())
    charts = {
        chapter.name: registry.of_chapter(chapter, sources.facts(chapter.number))
        for chapter in find_chapters(sources.project, [])
    }
    charts |= {name: item.chart(sources) for name, item in registry.SPANNING.items()}
    left_to_gnuplot = [
        (name, panel.heading, form)
        for name, chart in charts.items()
        for panel in (chart.panels if chart else [])
        for is_log, (low, high), form in (
            (panel.log_x, panel.x, "ticks_x"),
            (panel.log_y, panel.y, "ticks_y"),
        )
        if is_log and high < 1000 * low and form not in {mark.form for mark in panel.marks}
    ]
    assert left_to_gnuplot == []


@pytest.mark.parametrize(
    ("figure", "line"),
    [
        ("02_misaligned_reads", "book: 49.8 %"),
        ("05_misaligned_writes", "book: 1.25x the bytes"),
        ("06_aos_soa", "book: 2x"),
        ("07_unroll4", "book: 0.32"),
    ],
)
def test_printed_values_are_drawn_from_the_claims(figure: str, line: str) -> None:
    known = Sources(Project.here()).facts(figure[:2])
    assert line in charted(figure, known).as_tsv()
    assert line not in charted(figure, Facts(known.devices)).as_tsv()


def simulated(colour: int, deficiency: str) -> numpy.ndarray:  # type: ignore[type-arg]
    """A colour in CAM02-UCS, whose distances are those that people see, as somebody sees it."""
    rgb = [(colour >> shift & 255) / 255 for shift in (16, 8, 0)]
    if deficiency:
        space = {"name": "sRGB1+CVD", "cvd_type": deficiency, "severity": 100}
        rgb = numpy.clip(cspace_convert(rgb, space, "sRGB1"), 0, 1)
    return numpy.asarray(cspace_convert(rgb, "sRGB1", "CAM02-UCS"))


@pytest.mark.parametrize("deficiency", ["", "protanomaly", "deuteranomaly"])
def test_generations_differ_in_colour_for_everybody(deficiency: str) -> None:
    """20 is ten times a just noticeable difference; blue and purple of the default palette have 11."""
    seen = {name: simulated(colour, deficiency) for name, colour in look.COLOURS.items()}
    nearest = min(
        (float(numpy.linalg.norm(seen[one] - seen[other])), one, other)
        for one, other in combinations(seen, 2)
    )
    assert nearest[0] > 20, nearest


def test_colours_are_dark_enough_on_white_and_text_darker() -> None:
    for colour in look.COLOURS.values():
        lightness = cspace_convert(
            [(colour >> shift & 255) / 255 for shift in (16, 8, 0)], "sRGB1", "CIELab"
        )[0]
        assert lightness < 71
        ink = look.ink(colour)
        channels = numpy.array([(ink >> shift & 255) / 255 for shift in (16, 8, 0)])
        linear = numpy.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        assert 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.5


def test_a_neighbouring_generation_has_another_shape() -> None:
    shapes = [look.style(name, look.Evidence.COUNTED).shape for name in look.GENERATIONS]
    assert all(one != other for one, other in pairwise(shapes))


def test_the_fill_says_the_evidence() -> None:
    shapes = [look.style("hopper", kind).shape for kind in look.Evidence]
    measured, counted, predicted, published = shapes
    assert measured == counted + 1 and counted == predicted and published not in (measured, counted)


def test_bars_of_a_chapter_without_a_chart_say_that_they_were_counted(tree: Tree) -> None:
    counted = [synthetic.row("gather/along:row/n:1024", 0, load_efficiency=80.0)]
    synthetic.save(tree.data, synthetic.document(counted, "emulated-hopper"))
    chart = charted("21_new", facts(results.load_chapter(tree.project, tree.chapter)))
    assert "80  Hopper" in chart.as_tsv() and chart.note == "counted"
    assert "\toutlined\t" in chart.as_tsv()


def test_bars_of_a_chapter_without_a_chart_show_the_first_claims_metric(tree: Tree) -> None:
    counted = [
        synthetic.row("scatter/n:1024", 0, load_efficiency=80.0, store_efficiency=25.0),
    ]
    synthetic.save(tree.data, synthetic.document(counted, "emulated-hopper"))
    known = facts(results.load_chapter(tree.project, tree.chapter))
    tsv = charted(
        "21_new", replace(known, metrics=("store_efficiency", "load_efficiency"))
    ).as_tsv()
    assert "25  Hopper" in tsv and "80" not in tsv and "store efficiency, %" in tsv


def test_predicted_times_are_drawn_beside_measured_ones(tree: Tree) -> None:
    """Of ten generations nine predict the same, which is one curve."""
    names_of = {offset: f"read_offset/offset:{offset}/{AT.format(2**20)}" for offset in (0, 11)}
    for generation in look.GENERATIONS:
        counted = [synthetic.row(name, 0, load_efficiency=80.0) for name in names_of.values()]
        synthetic.save(tree.data, synthetic.document(counted, f"emulated-{generation}"))

    def predicted(result: Result) -> Result:
        times = {names_of[0]: 1e-6, names_of[11]: 3e-6 if "fermi" in result.device else 2e-6}
        rows = [
            replace(row, predicted_seconds=times[row.name]) for row in synthetic.rows_in(result)
        ]
        return replace(result, by_name=grouped(rows))

    loaded = [*map(predicted, results.load_chapter(tree.project, tree.chapter))]
    every = {"offset_11_is_slower": frozenset(look.GENERATIONS)}
    known = facts(loaded, decided=every)
    drawn = charted("02_misaligned_reads", known).as_tsv()
    assert drawn.count("\tdashes\t") == 2 * 2 and "Kepler–Blackwell" in drawn
    assert "grey ring, dashed: predicted" in charted("02_misaligned_reads", known).note
    # Where no prediction decides the claim, none is drawn.
    assert "\tdashes\t" not in charted("02_misaligned_reads", facts(loaded)).as_tsv()


def test_many_predicted_curves_are_drawn_as_their_range(tree: Tree) -> None:
    """Five that differ: the area between them, and by name those that are most often lowest and highest."""
    counted = [
        synthetic.row(f"read_offset/offset:{x}/n:1", 0, load_efficiency=80.0) for x in (0, 11)
    ]
    for generation in look.GENERATIONS[:5]:
        synthetic.save(tree.data, synthetic.document(counted, f"emulated-{generation}"))
    known = facts(results.load_chapter(tree.project, tree.chapter)).emulated
    heights = dict(
        zip((entry.generation for entry in known), (1.0, 4.0, 2.0, 3.0, 5.0), strict=True)
    )
    curves = collect(
        known,
        lambda device: [
            (0.0, 1.0),
            (1.0, heights[device.generation]),
            (2.0, heights[device.generation]),
            # The one place where the highest is another one: no name says that it is the highest.
            (3.0, 5.5 if device.generation == "kepler" else 3.5),
        ],
    )
    panel = Panel((0, 3), (0, 6))
    assert draw(panel, curves, predicted=True) == {look.Evidence.PREDICTED}
    (band,) = (mark for mark in panel.marks if mark.form == "band")
    assert [(entry.y1, entry.y2) for entry in band.data] == [
        (1.0, 1.0),
        (1.0, 5.0),
        (1.0, 5.0),
        (3.5, 5.5),
    ]
    drawn = "".join(panel.blocks(1))
    assert "predicted: Fermi" in drawn and "predicted: Volta" in drawn
    assert "Kepler" not in drawn
    # At a single place, too, where points of measured curves would stand side by side.
    alone = collect(known, lambda device: [(1.0, heights[device.generation])])
    panel = Panel((0, 3), (0, 6))
    draw(panel, alone, predicted=True, form="")
    (band,) = (mark for mark in panel.marks if mark.form == "band")
    assert {(entry.y1, entry.y2) for entry in band.data} == {(1.0, 5.0)}
    assert band.data[0].x < 1 < band.data[1].x
    drawn = "".join(panel.blocks(1))
    assert "predicted: Fermi" in drawn and "predicted: Volta" in drawn


def test_a_ratio_is_the_one_that_verdicts_have(tree: Tree) -> None:
    """Three processes, of which one is slower: the mean of their logarithms, not the ratio of medians."""
    at = AT.format(2**26)
    rows = [
        row
        for process, slower in enumerate((1.0, 1.0, 1.44))
        for offset, factor in ((0, 1.0), (11, slower))
        for repetition in range(5)
        for row in [
            synthetic.row(f"read_offset/offset:{offset}/{at}", 100 * factor, repetition, process)
        ]
    ]
    synthetic.save(tree.data, synthetic.document(rows))
    (device,) = facts(results.load_chapter(tree.project, tree.chapter)).measured
    ratio = device.ratio(*(f"read_offset/offset:{offset}/{at}" for offset in (11, 0)))
    assert ratio == pytest.approx(1.44 ** (1 / 3))


def test_ratios_of_two_sizes_are_refused(tree: Tree) -> None:
    (device,) = reads(tree, {0: 100, 11: 107}).measured
    small, large = (f"read_offset/offset:0/{AT.format(n)}" for n in (2**20, 2**26))
    assert device.ratio(small, small) == 1 and device.ratio(small, large) is None


VALIDATION = "chapter,name,predicted_seconds,predicted_bound,measured_seconds\n"


def validation(tree: Tree, text: str) -> Sources:
    path = tree.data / "timing" / "validation.csv"
    path.parent.mkdir()
    path.write_text(text)
    return Sources(tree.project)


def test_predicted_against_measured(tree: Tree) -> None:
    assert validation_chart.validation(Sources(tree.project)) is None
    rows = [f"02_misaligned_reads,v{i},{time}e-6,dram,1e-6\n" for i, time in enumerate((1, 1.1, 2))]
    chart = validation_chart.validation(validation(tree, VALIDATION + "".join(rows)))
    assert chart and chart.title.startswith("2 of 3 predicted times lie within 1.5x")
    assert chart.panels[0].heading.endswith("half within 1.10x")


@pytest.mark.parametrize("time", ["-1", "nan", "0", "fast", ""])
def test_a_validation_without_times_is_refused(tree: Tree, time: str) -> None:
    sources = validation(tree, f"{VALIDATION}02_misaligned_reads,v,{time},dram,1\n")
    with pytest.raises(Problem, match=r"validation\.csv.*line 2: predicted_seconds"):
        validation_chart.validation(sources)


def test_a_label_beside_a_curve_names_what_is_shorter() -> None:
    words = list(GENERATIONS)
    every = [f"emulated-{word}" for word in words]
    newer = [device for device in every if device not in ("emulated-fermi", "emulated-turing")]
    assert device_names.label(newer, every) == "all but Fermi, Turing"
    assert device_names.label(every[1:], every) == "Kepler–Blackwell"
    most = [
        entry
        for entry in every
        if entry.removeprefix("emulated-") not in ("fermi", "kepler", "ada")
    ]
    assert device_names.label(most, every) == "the others"


def test_of_many_gpus_two_of_a_generation_are_drawn() -> None:
    hopper = {"hopper": ["h200", "h100", "h800"]}
    assert device_selection.drawn(hopper) == ["h200", "h100"]
    entry = {f"generation {number}": [f"{number}a", f"{number}b"] for number in range(4)}
    assert device_selection.drawn(entry) == ["0a", "1a", "2a", "3a"]
    assert (
        device_selection.note(2, 2) == ""
        and device_selection.note(2, 102) == "2 of 102 measured GPUs"
    )


def test_a_hundred_gpus_leave_a_figure_readable(tree: Tree) -> None:
    """The figure draws two of them, and says so."""
    at = AT.format(2**26)
    for number in range(30):
        rows = [
            row
            for offset, time_us in ((0, 100.0), (11, 100.0 + number))
            for row in synthetic.timed(f"read_offset/offset:{offset}/{at}", time_us)
        ]
        device = f"nvidia-board-{number:02}"
        synthetic.save(tree.data, synthetic.document(rows, device), device)
    sources = Sources(tree.project)
    assert [entry.result.device for entry in sources.facts("02").measured] == [
        "nvidia-board-28",
        "nvidia-board-29",
    ]
    assert sources.note == "2 of 30 measured GPUs"
