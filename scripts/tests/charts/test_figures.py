"""Figures: the same bytes from the same data, stale when data change, safe from what data say."""

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic
from conftest import FRONT_PAGE, Tree

from notebook.base.errors import MISSING, Problem, take_refused
from notebook.base.project import Project
from notebook.charts import figures
from notebook.charts.evidence import facts
from notebook.charts.look import GREY
from notebook.charts.marks import Chart, Panel
from notebook.data import results
from notebook.data.chapters import all_chapters
from notebook.pages.drawing import check, draw

needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="no gnuplot")
SVG = f"plots/{synthetic.CHAPTER}.svg"


def change_a_count(tree: Tree) -> None:
    path = tree.data / "emulated-fermi" / f"{synthetic.CHAPTER}.json"
    text = path.read_text()
    assert '"load_efficiency": 50' in text
    path.write_text(text.replace('"load_efficiency": 50', '"load_efficiency": 51', 1))


@needs_gnuplot
def test_the_same_data_give_the_same_bytes(tree_with_data: Tree) -> None:
    tree = tree_with_data
    draw(tree.project)
    first = {path: path.read_bytes() for path in tree.root.rglob("*") if path.is_file()}
    assert tree.root / SVG in first
    (tree.root / SVG).unlink()
    draw(tree.project)
    assert {path: path.read_bytes() for path in first} == first
    check(tree.project)


@needs_gnuplot
@pytest.mark.parametrize("device", ["nvidia-h200", "emulated-hopper"])
def test_one_device_is_enough_to_draw(tree_with_data: Tree, device: str) -> None:
    for path in tree_with_data.data.glob("*/"):
        if path.name != device:
            shutil.rmtree(path)
    draw(tree_with_data.project)
    name = device.split("-")[-1].capitalize()
    assert name in (tree_with_data.root / SVG).read_text()


def test_one_script_is_drawn_from_several_chapters(tree_with_data: Tree) -> None:
    """The effects are those of the front page's rules, of which one is here."""
    tree = tree_with_data
    figures_by_name = {
        figure.name: figure for figure in figures.all_figures(tree.project, [tree.chapter])
    }
    effects = figures_by_name["effects"].chart
    assert (
        "Offset 11 is slow" in effects.as_tsv()
        and effects.title == "H200: 1 of 1 rules hold (its verdicts: right)"
    )
    assert "roofline" not in figures_by_name


@needs_gnuplot
def test_a_chapter_that_is_named_is_drawn_alone(tree_with_data: Tree) -> None:
    tree = tree_with_data
    front = (tree.root / "README.md").read_text()
    done = tree.lab("figures", "2")
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (tree.root / "plots").glob("*.svg")] == [Path(SVG).name]
    assert "reproduced" in (tree.chapter.directory / "README.md").read_text()
    assert (tree.root / "README.md").read_text() == front
    # Nothing else has been drawn, which --check of everything finds.
    assert tree.lab("figures", "--check", "2").returncode == 0
    assert "plots/effects.svg" in tree.lab("figures", "--check").stderr
    assert tree.lab("figures").returncode == 0
    assert tree.lab("figures", "--check").returncode == 0


@needs_gnuplot
def test_a_chapter_is_checked_alone(tree_with_data: Tree) -> None:
    tree = tree_with_data
    draw(tree.project)
    (tree.root / "plots" / "effects.svg").unlink()
    (tree.root / "README.md").write_text(FRONT_PAGE)
    assert tree.lab("figures", "--check", "02").returncode == 0
    change_a_count(tree)
    page = tree.chapter.directory / "README.md"
    page.write_text(page.read_text().replace("reproduced", "reversed", 1))
    done = tree.lab("figures", "02", "--check")
    assert done.returncode == 1
    assert f"stale: {SVG}, chapters/{synthetic.CHAPTER}/README.md" in done.stderr
    assert "to regenerate: scripts/lab figures 02\n" in done.stderr


@needs_gnuplot
def test_a_copy_of_one_chapter_is_one_file(tree_with_data: Tree) -> None:
    done = tree_with_data.lab("figures", "02", "--format", "png")
    assert done.returncode == 0, done.stderr
    folder = tree_with_data.root / "build" / "figures"
    assert [path.name for path in folder.glob("*.png")] == [f"{synthetic.CHAPTER}.png"]


def test_an_unknown_chapter_is_wrong_usage(tree_with_data: Tree) -> None:
    done = tree_with_data.lab("figures", "77")
    assert done.returncode == 2 and "there is no chapter '77'" in done.stderr


@needs_gnuplot
def test_check_finds_what_is_stale(tree_with_data: Tree) -> None:
    tree = tree_with_data
    draw(tree.project)
    change_a_count(tree)
    with pytest.raises(Problem, match=f"stale: {SVG}"):
        check(tree.project)
    draw(tree.project)
    page = tree.chapter.directory / "README.md"
    page.write_text(page.read_text().replace("reproduced", "reversed", 1))
    with pytest.raises(Problem, match=f"stale: chapters/{synthetic.CHAPTER}/README.md"):
        check(tree.project)


@needs_gnuplot
@pytest.mark.parametrize("name", ["draw.gp", "style.gp", "panels.gp"])
def test_figures_are_stale_once_the_scripts_that_draw_them_change(
    tree_with_data: Tree, name: str
) -> None:
    tree = tree_with_data
    draw(tree.project)
    check(tree.project)
    with (tree.root / "plots" / name).open("a") as script:
        script.write("# another style\n")
    with pytest.raises(Problem, match=f"stale: {SVG}"):
        check(tree.project)


# gnuplot as another version: it names itself, and writes the groups of what it draws otherwise.
OTHER_GNUPLOT = """#!/bin/sh
[ "$1" = --version ] && {{ echo 'gnuplot {version}'; exit; }}
{before}
"{gnuplot}" "$@" || exit
sed -i -e 's/GNUPLOT 5.4 patchlevel [0-9]*/GNUPLOT {version}/' -e 's/GNUPLOT 6.0 patchlevel [0-9]*/GNUPLOT {version}/' \
    -e 's/<g id=/<g class="other" id=/' -e '{change}' figure
"""


def other_gnuplot(tree: Tree, version: str, change: str = "", before: str = "") -> None:
    """Puts a gnuplot of another version first on the PATH of the tree's commands."""
    real = shutil.which("gnuplot")
    fake = tree.root / "bin" / "gnuplot"
    fake.parent.mkdir(exist_ok=True)
    text = OTHER_GNUPLOT.format(version=version, gnuplot=real, change=change, before=before)
    fake.write_text(text)
    fake.chmod(0o755)
    tree.environment["PATH"] = f"{fake.parent}:{os.environ['PATH']}"


OTHER_KNOWN = "6.0 patchlevel 99"
MOVED = "s/translate(\\([0-9]*\\)[.]/translate(1\\1./"


@needs_gnuplot
def test_another_gnuplot_that_shows_the_same_leaves_figures_as_they_are(
    tree_with_data: Tree,
) -> None:
    tree = tree_with_data
    assert tree.lab("figures").returncode == 0
    first = (tree.root / SVG).read_bytes()
    other_gnuplot(tree, OTHER_KNOWN)
    done = tree.lab("figures", "--check")
    assert done.returncode == 0 and "up to date" in done.stderr, done.stderr
    assert tree.lab("figures").returncode == 0
    assert (tree.root / SVG).read_bytes() == first
    change_a_count(tree)
    assert f"stale: {SVG}" in tree.lab("figures", "--check").stderr
    assert tree.lab("figures").returncode == 0
    assert f"GNUPLOT {OTHER_KNOWN}".encode() in (tree.root / SVG).read_bytes()


@needs_gnuplot
@pytest.mark.parametrize(
    ("version", "status", "says"),
    [
        (OTHER_KNOWN, 1, f"stale: {SVG}"),
        ("7.1 patchlevel 0", 0, "gnuplot 7.1 patchlevel 0 draws it otherwise"),
    ],
)
def test_another_gnuplot_that_shows_something_else_is_told_of(
    tree_with_data: Tree, version: str, status: int, says: str
) -> None:
    assert tree_with_data.lab("figures").returncode == 0
    other_gnuplot(tree_with_data, version, change=MOVED)
    done = tree_with_data.lab("figures", "--check")
    assert done.returncode == status and says in done.stderr, done.stderr


@needs_gnuplot
@pytest.mark.parametrize("before", ["echo no >&2; exit 1", "kill -SEGV $$"])
def test_check_fails_where_drawing_fails(tree_with_data: Tree, before: str) -> None:
    assert tree_with_data.lab("figures").returncode == 0
    other_gnuplot(tree_with_data, OTHER_KNOWN, before=before)
    for command in (["figures"], ["figures", "--check"]):
        done = tree_with_data.lab(*command)
        assert done.returncode == 1 and "gnuplot failed" in done.stderr
        assert "up to date: plots" not in done.stderr


def test_check_needs_gnuplot(tree_with_data: Tree) -> None:
    done = tree_with_data.lab("figures", "--check", PATH="/nonexistent")
    assert done.returncode == 3 and "gnuplot-nox" in done.stderr


NOTEBOOK = Project.here()
# Letters of the line below a figure: 800 pixels hold some more.
_NOTE_FITS = 126


@needs_gnuplot
@pytest.mark.parametrize("device", ["", "emulated-fermi", "nvidia-h200"])
def test_the_figures_of_the_notebook_draw_without_a_warning(tmp_path: Path, device: str) -> None:
    """From all data, and from those of one device, as somebody has who begins."""
    project = replace(NOTEBOOK, data=tmp_path) if device else NOTEBOOK
    if device:
        shutil.copytree(NOTEBOOK.data / device, tmp_path / device)
        (tmp_path / "published").symlink_to(NOTEBOOK.data / "published")
    known = figures.all_figures(project, all_chapters(NOTEBOOK))
    assert len(known) >= 20

    def warnings(figure: figures.Figure) -> list[str]:
        drawn = figure.drawn()
        assert len(drawn.svg) > 4000 and figures.alt_text(drawn.svg)
        assert len(figure.chart.note) <= _NOTE_FITS, figure.path.stem
        return [f"{figure.path.stem}: {warning}" for warning in drawn.warnings]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert not [entry for of_figure in pool.map(warnings, known) for entry in of_figure]


@needs_gnuplot
def test_a_figure_neither_runs_nor_links_anything(tree_with_data: Tree) -> None:
    draw(tree_with_data.project)
    svg = (tree_with_data.root / SVG).read_text()
    assert "<script" not in svg and "<image" not in svg and "xlink:href='http" not in svg
    assert str(tree_with_data.root) not in svg


HOSTILE = "`touch ran`; system('touch ran') $(touch ran) <b> {/*9 big} @x %s <![CDATA["


@needs_gnuplot
def test_text_of_data_is_text_in_the_figure(tree_with_data: Tree) -> None:
    """Labels, titles and notes that would run commands, were they ever parts of a script."""
    (figure, *_) = figures.all_figures(tree_with_data.project, [tree_with_data.chapter])
    panel = Panel((0, 1), (0, 1), heading=HOSTILE)
    panel.text(0.5, 0.5, HOSTILE)
    panel.label(0.5, HOSTILE, GREY)
    panel.ticks_x([(0.5, HOSTILE)])
    drawn = replace(figure, chart=Chart(HOSTILE, [panel, panel], HOSTILE)).drawn()
    text = HOSTILE.replace("<", "&lt;")
    assert drawn.svg.count(text) >= 8 and not drawn.warnings
    assert figures.alt_text(drawn.svg) == HOSTILE
    assert not list(tree_with_data.root.rglob("ran")) and not Path("ran").exists()


@needs_gnuplot
@pytest.mark.parametrize("form", ["png", "pdf"])
def test_other_formats_are_copies_beside(tree_with_data: Tree, form: str) -> None:
    tree = tree_with_data
    assert tree.lab("figures", "--format", form).returncode == 0
    copy = tree.root / "build" / "figures" / f"{synthetic.CHAPTER}.{form}"
    first = copy.read_bytes()
    assert first.startswith({"png": b"\x89PNG", "pdf": b"%PDF"}[form])
    assert not (tree.root / SVG).exists()
    assert tree.lab("figures", "--format", form).returncode == 0
    # A PDF has the time of drawing in it, which newer versions of cairo compress.
    assert form == "pdf" or copy.read_bytes() == first


@needs_gnuplot
def test_the_title_is_there_for_readers_without_the_picture(tree_with_data: Tree) -> None:
    draw(tree_with_data.project)
    title = figures.alt_text((tree_with_data.root / SVG).read_text())
    # The synthetic H200 takes 1.1 to 1.2 times as long at offset 11.
    assert title == "H200: a read at offset 11 is 10 % slower"


@needs_gnuplot
def test_a_script_that_fails_leaves_the_old_figure(tree_with_data: Tree) -> None:
    tree = tree_with_data
    draw(tree.project)
    old = (tree.root / SVG).read_text()
    (tree.chapter.directory / "figure.gp").write_text("plot 'no such file'\n")
    take_refused()
    draw(tree.project)
    (refused,) = take_refused()
    assert re.search(r"figure\.gp': gnuplot failed: .*No data in plot", refused)
    assert (tree.root / SVG).read_text() == old


def test_no_gnuplot_is_something_missing(
    tree_with_data: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "gnuplot_version", lambda: "")
    with pytest.raises(Problem, match="gnuplot-nox") as caught:
        draw(tree_with_data.project)
    assert caught.value.status == MISSING
    # The tables need no gnuplot.
    assert "reproduced" in (tree_with_data.chapter.directory / "README.md").read_text()


def test_rows_of_one_size_are_compared_with_one_copy(tree: Tree) -> None:
    """2^24 bytes lie just between copies that move 2^23 and 2^25: bytes that differ by rounding
    must not choose. The larger copy, of 4,000 GB/s, makes 3,000 GB/s 75 %."""
    rows = []
    for moved, rate in ((2**23, 2e12), (2**25, 4e12)):
        name = f"memcpy/bytes:{moved // 2}/cache:cold"
        rows += synthetic.timed(name, moved / rate * 1e6, noise=0.0, bytes_per_second=rate)
    time_us = 2**24 / 3e12 * 1e6
    variants = {"a/n:1024/cache:cold": 1 - 1e-9, "b/n:1024/cache:cold": 1 + 1e-9}
    for name, rounding in variants.items():
        rate = 3e12 * rounding
        rows += synthetic.timed(name, time_us, noise=0.0, bytes_per_second=rate)
    synthetic.save(tree.data, synthetic.document(rows))
    (result,) = results.load_chapter(tree.project, tree.chapter)
    (device,) = facts([result]).devices
    shares = dict(zip(variants, device.of_memcpy(variants), strict=True))
    assert {name: share and share[0] for name, share in shares.items()} == {
        name: pytest.approx(0.75) for name in variants
    }


def test_what_runs_in_a_cache_is_compared_with_a_copy_there(tree: Tree) -> None:
    """The copy of as many bytes is of the other cache state: 1,000 GB/s of 4,000, not of 8,000."""
    rows = []
    for name, moved, rate in (
        ("memcpy/bytes:4194304/cache:cold", 2**23, 4e12),
        ("memcpy/bytes:8388608/cache:warm", 2**24, 8e12),
        ("a/n:1024/cache:cold", 2**24, 1e12),
    ):
        rows += synthetic.timed(name, moved / rate * 1e6, noise=0.0, bytes_per_second=rate)
    synthetic.save(tree.data, synthetic.document(rows))
    (result,) = results.load_chapter(tree.project, tree.chapter)
    (device,) = facts([result]).devices
    (share,) = device.of_memcpy(["a/n:1024/cache:cold"])
    assert share and share[0] == pytest.approx(0.25)
