"""Figures: plots/<name>.svg, of a chapter or of several, drawn by gnuplot from data/ alone: the same
bytes from the same version of gnuplot, and the same picture from others."""

import hashlib
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from notebook import export, files, pictures, published, results, toolbox
from notebook.chapters import Chapter, all_chapters
from notebook.errors import MISSING, Problem
from notebook.project import Project
from notebook.text import close_matches, plain, quoted

_MADE_FROM = re.compile(r"<!-- made from sha256:([0-9a-f]{64}) -->")
_CHAPTERS = re.compile(r"^# chapters(, with what others printed)?: (.+)$", re.MULTILINE)
_STYLE = "style.gp"
_MADE_BY = re.compile(r"<desc>Produced by GNUPLOT (.*?)\s*</desc>")


# Versions of gnuplot that were seen to show the same.
_ALIKE = ("gnuplot 5.4 ", "gnuplot 6.0 ")


class Freshness(Enum):
    """How a kept figure compares with one that is drawn now."""

    FRESH = 0
    STALE = 1
    OTHER_GNUPLOT = 2  # from the same data and script, but another gnuplot draws it otherwise


@dataclass(frozen=True)
class Drawn:
    """What gnuplot made, and what it complained about."""

    svg: str
    warnings: list[str]


@dataclass(frozen=True)
class Figure:
    """A figure: its script, the data exported for it and where it is kept."""

    script: Path
    style: Path
    exported: str
    path: Path

    @property
    def made_from(self) -> str:
        """The hash of everything that the figure is made from; a counter that nobody has is nothing."""
        sources = (
            export.without_empty_columns(self.exported),
            self.script.read_text("utf-8"),
            self.style.read_text("utf-8"),
        )
        return hashlib.sha256("\0".join(sources).encode()).hexdigest()

    def drawn(self) -> Drawn:
        """The SVG that gnuplot draws, and its warnings."""
        with tempfile.TemporaryDirectory(prefix="lab-") as name:
            folder = Path(name)
            (folder / "data.tsv").write_text(self.exported, encoding="utf-8", newline="\n")
            # Arguments with fixed names, no settings of the user's, one locale: the same bytes.
            command = ["gnuplot", "--default-settings", "-c", str(self.script)]
            done = subprocess.run(
                [*command, "data.tsv", "figure.svg"],
                cwd=folder,
                env=os.environ | {"LC_ALL": "C.UTF-8", "GNUPLOT_LIB": str(self.style.parent)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
            svg = folder / "figure.svg"
            if done.returncode != 0 or not svg.is_file():
                raise Problem(f"{quoted(self.script)}: gnuplot failed: {_last_line(done.stderr)}")
            head, newline, body = svg.read_text(encoding="utf-8").partition("\n")
            text = f"{head}{newline}<!-- made from sha256:{self.made_from} -->\n{body}"
            return Drawn(text, [plain(line) for line in done.stderr.splitlines() if line.strip()])

    def compared(self, drawn: Drawn) -> Freshness:
        """What the kept figure is beside what has been drawn from the data of today.

        Another version of gnuplot writes other bytes: then what is shown is compared. Versions
        that are known to show the same have to; another one may space things otherwise.
        """
        if not self.path.is_file():
            return Freshness.STALE
        kept = self.path.read_text(encoding="utf-8")
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
            raise Problem(
                f"{quoted(script)}: no line that names what it shows: # chapters: 02_name 03_other"
            )
        for wrong in (name for name in of[2].split() if name not in known):
            raise Problem(
                f"{quoted(script)}: there is no chapter {plain(wrong)}; {close_matches(wrong, known)}"
            )
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
