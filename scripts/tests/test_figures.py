"""Figures: the same bytes from the same data, stale when data change, safe from what data say."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import synthetic
from conftest import Tree

from notebook import export, figures, results
from notebook.chapters import all_chapters
from notebook.drawing import check, draw
from notebook.errors import MISSING, Problem
from notebook.project import Project

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
    assert device in (tree_with_data.root / SVG).read_text()


@needs_gnuplot
def test_a_figure_may_span_chapters(tree_with_data: Tree) -> None:
    tree = tree_with_data
    nothing_yet = tree.root / "chapters" / "99_nothing_yet"
    nothing_yet.mkdir()
    (nothing_yet / "experiment.cu").write_text("")
    script = tree.root / "plots" / "both.gp"
    script.write_text(
        f"# chapters: 99_nothing_yet {synthetic.CHAPTER}\n"
        "load 'style.gp'\n"
        "set terminal svg name 'both'\n"
        "set output ARG2\n"
        "plot for [i = 0:3] ARG1 index i using 0:0 title columnheader(2)\n"
    )
    draw(tree.project)
    assert "emulated-fermi" in (tree.root / "plots" / "both.svg").read_text()
    change_a_count(tree)
    with pytest.raises(Problem, match=r"both\.svg"):
        check(tree.project)


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ("", r"both\.gp': no line that names what it shows: # chapters: "),
        ("# chapter: 02_misaligned_reads", r"both\.gp': no line that names"),
        (
            "# chapters: 02_misaligned_read",
            r"no chapter 02_misaligned_read; did you mean 02_misaligned_reads",
        ),
    ],
)
def test_a_script_of_several_chapters_that_names_none_is_refused(
    tree_with_data: Tree, header: str, complaint: str
) -> None:
    (tree_with_data.root / "plots" / "both.gp").write_text(f"{header}\nload 'style.gp'\n")
    with pytest.raises(Problem, match=complaint):
        figures.all_figures(tree_with_data.project, [tree_with_data.chapter])


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


# gnuplot as another version: it names itself, and writes the groups of what it draws otherwise.
OTHER_GNUPLOT = """#!/bin/sh
[ "$1" = --version ] && {{ echo 'gnuplot {version}'; exit; }}
{before}
"{gnuplot}" "$@" || exit
for last; do :; done
sed -i -e 's/GNUPLOT 5.4 patchlevel [0-9]*/GNUPLOT {version}/' -e 's/GNUPLOT 6.0 patchlevel [0-9]*/GNUPLOT {version}/' \
    -e 's/<g id=/<g class="other" id=/' -e '{change}' "$last"
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


@pytest.fixture(scope="module")
def real_figures() -> list[figures.Figure]:
    return figures.all_figures(NOTEBOOK, all_chapters(NOTEBOOK))


@needs_gnuplot
@pytest.mark.parametrize("device", ["", "emulated-fermi", "nvidia-h200"])
def test_the_figures_of_the_notebook_draw_without_a_warning(
    real_figures: list[figures.Figure], device: str
) -> None:
    """From all data, and from those of one device, as somebody has who begins."""
    assert len(real_figures) >= 20

    def warnings(figure: figures.Figure) -> list[str]:
        blocks = figure.exported.rstrip("\n").split("\n\n\n")
        of_device = [block for block in blocks if block.startswith(device)]
        exported = "\n\n\n".join(of_device) + "\n" if of_device else figure.exported
        drawn = replace(figure, exported=exported).drawn()
        assert len(drawn.svg) > 5000
        return [f"{figure.path.stem}: {warning}" for warning in drawn.warnings]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert not [each for found in pool.map(warnings, real_figures) for each in found]


@needs_gnuplot
def test_a_figure_neither_runs_nor_links_anything(tree_with_data: Tree) -> None:
    draw(tree_with_data.project)
    svg = (tree_with_data.root / SVG).read_text()
    assert "<script" not in svg and "<image" not in svg and "xlink:href='http" not in svg
    assert str(tree_with_data.root) not in svg


@needs_gnuplot
def test_text_of_data_is_text_in_the_figure(tree: Tree) -> None:
    """A title that would run commands, were it ever part of a script."""
    text = f"`touch '{tree.root}/ran'`; system('touch ran') $(touch ran) <b> {{/*9 big}} @x %s"
    rows = synthetic.misaligned_reads_emulated(32)
    synthetic.save(tree.data, synthetic.document(rows, "emulated-hopper"))
    exported = export.as_tsv(results.load_chapter(tree.project, tree.chapter))
    figure = figures.Figure(
        tree.chapter.directory / "figure.gp",
        tree.root / "plots" / "style.gp",
        exported.replace("emulated-hopper", text),
        tree.root / SVG,
    )
    drawn = figure.drawn().svg
    assert text.replace("<", "&lt;") in drawn
    assert not list(tree.root.rglob("ran"))


def test_what_chapters_share_stands_in_one_block(tree_with_data: Tree) -> None:
    once = results.load_chapter(tree_with_data.project, tree_with_data.chapter)
    assert export.as_tsv(once + once) == export.as_tsv(once)


@needs_gnuplot
def test_a_script_that_fails_leaves_the_old_figure(tree_with_data: Tree) -> None:
    tree = tree_with_data
    draw(tree.project)
    old = (tree.root / SVG).read_text()
    (tree.chapter.directory / "figure.gp").write_text("plot 'no such file'\n")
    with pytest.raises(Problem, match=r"figure\.gp': gnuplot failed: .*No data in plot"):
        draw(tree.project)
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


@needs_gnuplot
def test_a_counter_that_nobody_has_makes_no_figure_stale(
    tree_with_data: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(tree_with_data.project)
    monkeypatch.setattr(export, "COUNTERS", (*export.COUNTERS, "new_counter"))
    found = results.load_chapter(tree_with_data.project, tree_with_data.chapter)
    assert "new_counter" in export.as_tsv(found)
    check(tree_with_data.project)


def test_exported_medians_and_intervals(tree_with_data: Tree) -> None:
    found = results.load_chapter(tree_with_data.project, tree_with_data.chapter)
    blocks = export.as_tsv(found).rstrip("\n").split("\n\n\n")
    titles = [block.split("\t")[0] for block in blocks]
    assert titles == [
        "emulated-fermi, n = 2^20, cold",
        "emulated-fermi, n = 2^24, cold",
        "emulated-hopper, n = 2^20, cold",
        "emulated-hopper, n = 2^24, cold",
        "nvidia-h200, bytes = 2^26, cold",
        "nvidia-h200, n = 2^24, cold",
    ]
    header, *lines = (line.split("\t") for line in blocks[5].splitlines())
    assert all(len(line) == len(header) for line in lines)
    aligned = dict(zip(header, lines[0], strict=True))
    # 12 bytes x 2^24 in (12 x 2^24 / 3.8e6) us are 3,800 GB/s, and memcpy has 4,000 GB/s.
    assert float(aligned["bandwidth_gbs"]) == pytest.approx(3800)
    assert float(aligned["peak_percent"]) == pytest.approx(100 * 3800 / 4800)
    assert float(aligned["memcpy_percent"]) == pytest.approx(95)
    assert float(aligned["memcpy_percent_low"]) <= 95 <= float(aligned["memcpy_percent_high"])
    assert aligned["load_efficiency"] == "-"


def test_the_ratio_to_a_memcpy_beside_is_exported_where_a_row_has_it(tree: Tree) -> None:
    name = "read_offset/offset:0/block:512/n:1024/cache:cold"
    rows = [
        *synthetic.timed(name, 50.0, memcpy_ratio=1.04),
        *synthetic.timed("other/n:1024/cache:cold", 50.0),
    ]
    synthetic.save(tree.data, synthetic.document(rows))
    (block,) = export.as_tsv(results.load_chapter(tree.project, tree.chapter)).split("\n\n\n")
    header, *lines = (line.split("\t") for line in block.splitlines())
    by_name = {line[0]: dict(zip(header, line, strict=True)) for line in lines}
    ends = ("memcpy_ratio", "memcpy_ratio_low", "memcpy_ratio_high")
    assert [float(by_name[name][end]) for end in ends] == [1.04, 1.04, 1.04]
    assert [by_name["other/n:1024/cache:cold"][end] for end in ends] == ["-"] * 3


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
    text = export.as_tsv(results.load_chapter(tree.project, tree.chapter))
    header = next(line for line in text.splitlines() if "memcpy_percent" in line).split("\t")
    found = {
        line.split("\t")[0]: float(line.split("\t")[header.index("memcpy_percent")])
        for line in text.splitlines()
        if line.split("\t")[0] in variants
    }
    assert found == {name: pytest.approx(75) for name in variants}
