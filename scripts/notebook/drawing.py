"""`lab figures`: draws all figures and tables from data/, or checks that the tracked ones are up to
date."""

from pathlib import Path

from notebook import figures, pages
from notebook.chapters import Chapter, all_chapters
from notebook.collect import say
from notebook.errors import CHECK_FAILED, Problem
from notebook.project import Project


def draw(project: Project) -> int:
    """Draws every figure and brings every table up to date."""
    write_pages(project)
    figures.require_gnuplot()
    draw_figures(project, all_chapters(project))
    return 0


def draw_figures(project: Project, chapters: list[Chapter]) -> None:
    for figure in figures.all_figures(project, chapters):
        figure.write()
        say(f"drew {project.shown(figure.path)}")


def write_pages(project: Project) -> None:
    """Brings the tables of pages up to date; they show data/ and no other data."""
    if not project.has_own_data:
        say("the tables of pages stay as they are: they show data/")
        return
    for page in pages.write_all(project):
        say(f"brought the tables of {project.shown(page)} up to date")


def check(project: Project) -> int:
    """Raises Problem when a tracked figure or table is not what the data say."""
    gnuplot = figures.gnuplot_version()
    drawn = figures.all_figures(project, all_chapters(project))
    for figure in drawn:
        if figure.path.is_file():
            _say_if_not_comparable(project, figure.path, gnuplot)
    old = [figure.path for figure in drawn if figure.is_stale(gnuplot)]
    if project.has_own_data:
        old += pages.stale(project)
    if old:
        listed = ", ".join(project.shown(path) for path in old)
        raise Problem(f"stale: {listed}; make anew: scripts/lab figures", CHECK_FAILED)
    say(f"up to date: {', '.join(project.shown(each.path) for each in drawn) or 'no figures'}")
    if project.has_own_data:
        say("up to date: the tables of all pages")
    return 0


def _say_if_not_comparable(project: Project, path: Path, gnuplot: str) -> None:
    made_by = figures.made_by(path.read_text(encoding="utf-8"))
    if made_by != gnuplot:
        say(
            f"{project.shown(path)}: made by {made_by}, and here is {gnuplot or 'no gnuplot'}: "
            "compared by the hash of what it was made from, not byte for byte"
        )
