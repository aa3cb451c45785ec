"""Figures: plots/<name>.svg, of a chapter or of several, drawn by gnuplot from data/ alone, byte for
byte the same again."""

import hashlib
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from notebook import export, files, published, results, toolbox
from notebook.chapters import Chapter, all_chapters
from notebook.errors import MISSING, Problem
from notebook.project import Project
from notebook.text import close_matches, plain

_MADE_FROM = re.compile(r"<!-- made from sha256:([0-9a-f]{64}) -->")
_CHAPTERS = re.compile(r"^# chapters(, with what others printed)?: (.+)$", re.MULTILINE)
_STYLE = "style.gp"
_MADE_BY = re.compile(r"<desc>Produced by GNUPLOT (.*?)\s*</desc>")


@dataclass(frozen=True)
class Figure:
    """A figure: its script, the data exported for it and where it is kept."""

    script: Path
    style: Path
    exported: str
    path: Path

    @property
    def made_from(self) -> str:
        """The hash of everything that the figure is made from."""
        sources = (self.exported, self.script.read_text("utf-8"), self.style.read_text("utf-8"))
        return hashlib.sha256("\0".join(sources).encode()).hexdigest()

    def drawn(self) -> str:
        """The SVG that gnuplot draws."""
        with tempfile.TemporaryDirectory(prefix="lab-") as name:
            folder = Path(name)
            (folder / "data.tsv").write_text(self.exported, encoding="utf-8", newline="\n")
            # Arguments with fixed names, no settings of the user's, and no locale: the same bytes.
            command = ["gnuplot", "--default-settings", "-c", str(self.script)]
            done = subprocess.run(
                [*command, "data.tsv", "figure.svg"],
                cwd=folder,
                env=os.environ | {"LC_ALL": "C", "GNUPLOT_LIB": str(self.style.parent)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            svg = folder / "figure.svg"
            if done.returncode != 0 or not svg.is_file():
                raise Problem(f"{self.script}: gnuplot failed: {_last_line(done.stderr)}")
            head, newline, body = svg.read_text(encoding="utf-8").partition("\n")
            return f"{head}{newline}<!-- made from sha256:{self.made_from} -->\n{body}"

    def write(self) -> None:
        files.write(self.path, self.drawn())

    def is_stale(self, gnuplot: str) -> bool:
        """Whether the tracked figure differs from what would be drawn by this gnuplot.

        Another version of gnuplot writes other bytes from the same data: then only what the
        figure says that it was made from is compared.
        """
        if not self.path.is_file():
            return True
        tracked = self.path.read_text(encoding="utf-8")
        if made_by(tracked) == gnuplot:
            return tracked != self.drawn()
        made_from = _MADE_FROM.search(tracked)
        return made_from is None or made_from[1] != self.made_from


def all_figures(project: Project, chapters: list[Chapter]) -> list[Figure]:
    """The figures of the chapters that have data, and those that span them; what is exported for
    each is kept in build/."""
    found = []
    for chapter in chapters:
        script = chapter.directory / "figure.gp"
        chapter_results = results.load_chapter(project, chapter)
        if chapter_results and script.is_file():
            found.append(_figure(project, chapter.name, script, chapter_results))
    return found + _spanning(project, chapters)


def _spanning(project: Project, chapters: list[Chapter]) -> list[Figure]:
    """The figures of plots/ that show one of `chapters`: a script names its chapters.

    What these have on one device is exported as one result.
    """
    found = []
    known = {chapter.name: chapter for chapter in all_chapters(project)}
    for script in sorted((project.root / "plots").glob("*.gp")):
        if script.name == _STYLE:
            continue
        of = _CHAPTERS.search(script.read_text(encoding="utf-8"))
        if not of:
            raise Problem(f"{script}: no line that names what it shows: # chapters: 02_name 03_other")
        for wrong in (name for name in of[2].split() if name not in known):
            raise Problem(f"{script}: there is no chapter {plain(wrong)}; {close_matches(wrong, known)}")
        shown = [known[name] for name in of[2].split()]
        if not {chapter.name for chapter in chapters} & {chapter.name for chapter in shown}:
            continue
        own = [result for each in shown for result in results.load_chapter(project, each)]
        printed = [result for each in shown for result in published.load_chapter(project, each)]
        if own:
            together = results.merged_by_device(own) + (printed if of[1] else [])
            found.append(_figure(project, script.stem, script, together))
    return found


def _figure(project: Project, name: str, script: Path, shown: list[results.Result]) -> Figure:
    exported = export.as_tsv(shown)
    files.write(project.build / "figures" / f"{name}.tsv", exported)
    style = project.root / "plots" / _STYLE
    return Figure(script, style, exported, project.plots / f"{name}.svg")


def made_by(svg: str) -> str:
    """The version of gnuplot that drew an SVG, as `gnuplot --version` prints it."""
    found = _MADE_BY.search(svg)
    return f"gnuplot {found[1]}" if found else "unknown"


def gnuplot_version() -> str:
    """The version of the gnuplot here, "" without one."""
    return toolbox.first_line("gnuplot", "--version") if toolbox.GNUPLOT.find() else ""


def require_gnuplot() -> None:
    if not gnuplot_version():
        raise Problem(f"no gnuplot to draw with; {toolbox.mend([toolbox.GNUPLOT])}", MISSING)


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return plain(lines[-1].strip()) if lines else "it said nothing"
