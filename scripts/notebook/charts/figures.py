"""Figures: plots/<name>.svg, of a chapter or of several, drawn by gnuplot from data/ alone: the same
bytes from the same version of gnuplot, and the same picture from others."""

import hashlib
import html
import os
import re
import subprocess
import tempfile
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from notebook.base import files
from notebook.base.errors import MISSING, Malformed, Problem, refuse
from notebook.base.project import Project
from notebook.base.text import plain, quoted, short
from notebook.charts import pictures, registry
from notebook.charts.marks import Chart
from notebook.charts.sources import Sources
from notebook.data.chapters import Chapter
from notebook.decide import findings
from notebook.tools import toolbox

_MADE_FROM = re.compile(r"<!-- made from sha256:([0-9a-f]{64}) -->")
_MADE_BY = re.compile(r"<desc>Produced by GNUPLOT (.*?)\s*</desc>")
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_TITLE_LETTERS = 84
_LIBRARY = ("draw.gp", "style.gp", "panels.gp")
# gnuplot's svg terminal takes a bold font for a family of its own.
_BOLD = ('font-family="DejaVu Sans:Bold"', 'font-family="DejaVu Sans" font-weight="bold"')

# Versions of gnuplot that were seen to show the same.
_ALIKE = ("gnuplot 5.4 ", "gnuplot 6.0 ")


class Freshness(Enum):
    """How a kept figure compares with one that is drawn now."""

    FRESH = 0
    STALE = 1
    OTHER_GNUPLOT = 2  # from the same data and script, but another gnuplot draws it otherwise


def _in_lines(title: str) -> str:
    """A title in as few lines as it needs, about equally long; none ends between a number and its sign."""
    text = title.replace(" %", "\N{NO-BREAK SPACE}%")
    fewest = textwrap.wrap(text, _TITLE_LETTERS)
    for letters in range(_TITLE_LETTERS - 1, 0, -1):
        lines = textwrap.wrap(text, letters)
        if len(lines) > len(fewest):
            break
        fewest = lines
    return "\n".join(fewest)


@dataclass(frozen=True)
class Drawn:
    """What gnuplot made, and its warnings."""

    content: bytes
    warnings: list[str]

    @property
    def svg(self) -> str:
        return self.content.decode("utf-8")


@dataclass(frozen=True)
class Figure:
    """A figure: its script, the scripts that all share, what it shows and where it is kept."""

    name: str
    script: Path
    library: Path
    chart: Chart
    path: Path

    @property
    def made_from(self) -> str:
        """The hash of everything that the figure is made from."""
        scripts = [self.script, *(self.library / name for name in _LIBRARY)]
        sources = [self.chart.title, self.chart.note, self.chart.as_tsv()]
        sources += [files.text_of(script) for script in scripts]
        return hashlib.sha256("\0".join(sources).encode()).hexdigest()

    def drawn(self, form: str = "svg") -> Drawn:
        """What gnuplot draws, and its warnings."""
        with tempfile.TemporaryDirectory(prefix="lab-") as name:
            folder = Path(name)
            files.write(folder / "data.tsv", self.chart.as_tsv())
            arguments = [
                _in_lines(plain(self.chart.title)),
                plain(self.chart.note),
                form,
                self.name,
            ]
            # Fixed names, no settings of the user's, one locale and one date: the same bytes.
            command = ["gnuplot", "--default-settings", "-c", str(self.library / _LIBRARY[0])]
            done = subprocess.run(
                [*command, str(self.script), "data.tsv", "figure", *arguments],
                cwd=folder,
                env=os.environ | {"LC_ALL": "C.UTF-8", "GNUPLOT_LIB": str(self.library)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
            figure = folder / "figure"
            if done.returncode != 0 or not figure.is_file():
                raise Problem(f"{quoted(self.script)}: gnuplot failed: {_last_line(done.stderr)}")
            warnings = [plain(line) for line in done.stderr.splitlines() if line.strip()]
            return Drawn(self._finished(figure.read_bytes(), form), warnings)

    def _finished(self, content: bytes, form: str) -> bytes:
        """An SVG with the title for readers that see no picture."""
        if form != "svg":
            return content
        head, newline, body = content.decode("utf-8").partition("\n")
        title = f"<title>{html.escape(plain(self.chart.title), quote=False)}</title>"
        body = _TITLE.sub(lambda _: title, body.replace(*_BOLD), count=1)
        return f"{head}{newline}<!-- made from sha256:{self.made_from} -->\n{body}".encode()

    def compared(self, drawn: Drawn) -> Freshness:
        """What the kept figure is beside what has been drawn from the data of today.

        Another version of gnuplot writes other bytes: then what is shown is compared. Versions
        that are known to show the same have to; another one may space things otherwise.
        """
        try:
            kept = files.read_text(self.path)
        except Malformed:  # there is none, or what is there was not drawn
            return Freshness.STALE
        if kept == drawn.svg:
            return Freshness.FRESH
        made_from = _MADE_FROM.search(kept)
        versions = made_by(kept), made_by(drawn.svg)
        if made_from is None or made_from[1] != self.made_from or versions[0] == versions[1]:
            return Freshness.STALE
        if pictures.same(kept, drawn.svg):
            return Freshness.FRESH
        both_known = all(version.startswith(_ALIKE) for version in versions)
        return Freshness.STALE if both_known else Freshness.OTHER_GNUPLOT


def all_figures(project: Project, chapters: list[Chapter]) -> list[Figure]:
    """The figures of the chapters that have data, and those that span them; what each shows is kept
    in build/."""
    findings.prepare(project, chapters)
    sources = Sources(project)
    known = _of_each(project, sources, chapters)
    chosen = {chapter.number for chapter in chapters}
    for name, spanning in registry.SPANNING.items():
        if not chosen.isdisjoint(spanning.chapters or chosen):
            figure = _made(name, partial(_of_several, project, sources, name, spanning))
            known += [figure] if figure else []
    return known


def own_figures(project: Project, chapters: list[Chapter]) -> list[Figure]:
    """Those of the chapters alone."""
    return _of_each(project, Sources(project), chapters)


def _of_each(project: Project, sources: Sources, chapters: list[Chapter]) -> list[Figure]:
    made = (_made(each.name, partial(_of_chapter, project, sources, each)) for each in chapters)
    return [figure for figure in made if figure]


def _made(name: str, figure: Callable[[], Figure | None]) -> Figure | None:
    """A figure; None, and a line that says so, where what it needs is damaged: others are drawn."""
    try:
        return figure()
    except Problem as problem:
        refuse(problem)
    except (LookupError, ValueError, ArithmeticError) as error:
        # Rows that are right by themselves, and are not what the chart shows: no number, no such variant.
        refuse(Problem(f"figure {name} is not drawn: its data lack what it shows ({short(error)})"))
    return None


def _of_chapter(project: Project, sources: Sources, chapter: Chapter) -> Figure | None:
    script = chapter.directory / "figure.gp"
    if not files.is_there(script) or not sources.own(chapter):
        return None
    chart = registry.of_chapter(chapter, sources.facts(chapter.number))
    noted = chart.with_its_forms_explained().noted(sources.note)
    return _figure(project, chapter.name, script, noted.titled(chapter.question))


def _of_several(
    project: Project, sources: Sources, name: str, spanning: registry.Spanning
) -> Figure | None:
    script = project.root / "plots" / f"{name}.gp"
    chart = spanning.chart(sources) if files.is_there(script) else None
    if chart is None:
        return None
    explained = chart.with_its_forms_explained()
    return _figure(project, name, script, explained.titled(spanning.question))


def _figure(project: Project, name: str, script: Path, chart: Chart) -> Figure:
    files.write(project.build / "figures" / f"{name}.tsv", chart.as_tsv())
    return Figure(name, script, project.root / "plots", chart, project.plots / f"{name}.svg")


def alt_text(svg: str) -> str:
    """What a figure says, for readers that see no picture: its title."""
    match = _TITLE.search(svg)
    return html.unescape(match[1]) if match else ""


def made_by(svg: str) -> str:
    """The version of gnuplot that drew an SVG, as `gnuplot --version` prints it."""
    match = _MADE_BY.search(svg)
    return f"gnuplot {match[1]}" if match else "unknown"


def gnuplot_version() -> str:
    """The version of the gnuplot here, "" without one."""
    return toolbox.first_line("gnuplot", "--version") if toolbox.GNUPLOT.find() else ""


def require_gnuplot() -> None:
    if not gnuplot_version():
        raise Problem(
            f"no gnuplot to draw with; {toolbox.how_to_install([toolbox.GNUPLOT])}", MISSING
        )


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return plain(lines[-1].strip()) if lines else "it said nothing"
