"""`lab figures`: draws all figures and tables from data/, or checks that the tracked ones are up to
date."""

import os
from concurrent.futures import ThreadPoolExecutor

from notebook.base import files
from notebook.base.errors import CHECK_FAILED, Problem, refuse
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.charts import figures
from notebook.charts.figures import Drawn, Figure, Freshness
from notebook.data import schema
from notebook.data.chapters import Chapter, all_chapters
from notebook.pages import pages


def draw(project: Project, asked: list[Chapter] | None = None, form: str = "svg") -> int:
    """Draws every figure and brings every table up to date, or those of the chapters that were asked for;
    other formats go to build/figures."""
    if form != "svg":
        figures.require_gnuplot()
        return _draw_copies(project, asked, form)
    _write_schema(project)
    # Pages describe their pictures by what these say; without gnuplot their tables are written all the same.
    if figures.gnuplot_version():
        _write(project, _known(project, asked))
    write_pages(project, asked)
    figures.require_gnuplot()
    return 0


def _write_schema(project: Project) -> None:
    """Brings data/schema.json up to date, which follows from the tables of fields and metrics."""
    path = project.root / "data" / "schema.json"
    if path.is_file() and path.read_text(encoding="utf-8") != schema.as_text():
        files.write(path, schema.as_text())
        say(f"brought {project.quoted(path)} up to date")


def _known(project: Project, asked: list[Chapter] | None) -> list[Figure]:
    if asked is None:
        return figures.all_figures(project, all_chapters(project))
    return figures.own_figures(project, asked)


def _draw_copies(project: Project, asked: list[Chapter] | None, form: str) -> int:
    known = _known(project, asked)
    folder = project.build / "figures"
    for figure, drawn in _drawn(project, known, form):
        files.write_bytes(folder / f"{figure.name}.{form}", drawn.content)
    say(f"drew {len(known)} figures into {project.quoted(folder)}/*.{form}")
    return 0


def draw_figures(project: Project, chapters: list[Chapter]) -> None:
    """Draws the chapters' figures, and those of several chapters that they have a part in."""
    _write_schema(project)
    _write(project, figures.all_figures(project, chapters))


def _write(project: Project, known: list[Figure]) -> None:
    """Writes the figures whose data or scripts have changed; others keep their bytes."""
    fresh = 0
    for figure, drawn in _drawn(project, known):
        if figure.compared(drawn) is Freshness.STALE:
            files.write(figure.path, drawn.svg)
            say(f"drew {project.quoted(figure.path)}")
        else:
            fresh += 1
    if fresh:
        say(f"{fresh} figures show these data already")


def write_pages(project: Project, asked: list[Chapter] | None = None) -> None:
    """Brings the tables of pages up to date; they show data/ and no other data."""
    if not project.has_own_data:
        say("the tables of pages stay as they are: they show data/")
        return
    for page in pages.write_all(project, asked):
        say(f"brought the tables of {project.quoted(page)} up to date")


def check(project: Project, asked: list[Chapter] | None = None) -> int:
    """Raises Problem when a tracked figure or table, or one of the chapters, is not what the data say."""
    figures.require_gnuplot()
    old = []
    known = _drawn(project, _known(project, asked))
    for figure, drawn in known:
        freshness = figure.compared(drawn)
        if freshness is Freshness.STALE:
            old.append(figure.path)
        elif freshness is Freshness.OTHER_GNUPLOT:
            say(
                f"{project.quoted(figure.path)}: {figures.made_by(drawn.svg)} draws it otherwise "
                "than the version that drew it; made from the same data and script"
            )
    if project.has_own_data:
        old += pages.stale(project, asked)
    if old:
        listed = ", ".join(project.quoted(path) for path in old)
        command = " ".join(["scripts/lab figures", *(chapter.number for chapter in asked or [])])
        raise Problem(f"stale: {listed}; to regenerate: {command}", CHECK_FAILED)
    fresh = [project.quoted(figure.path) for figure, _ in known]
    say(f"up to date: {', '.join(fresh) or 'no figures'}")
    if project.has_own_data:
        whose = "all pages" if asked is None else f"the page{'s' * (len(asked) > 1)}"
        say(f"up to date: the tables of {whose}")
    return 0


def _drawn(project: Project, known: list[Figure], form: str = "svg") -> list[tuple[Figure, Drawn]]:
    """What gnuplot draws for each figure, on all cores; what it cannot draw is named and left out."""

    def drawn(figure: Figure) -> Drawn | None:
        try:
            return figure.drawn(form)
        except Problem as problem:
            refuse(problem)
            return None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        figures_and_images = zip(known, pool.map(drawn, known), strict=True)
        everything = [(figure, its) for figure, its in figures_and_images if its]
    for figure, its in everything:
        for warning in its.warnings:
            say(f"{project.quoted(figure.script)}: gnuplot: {warning}")
    return everything
