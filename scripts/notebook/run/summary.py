"""What a run ends with: ten lines on what was found and where it is."""

import subprocess
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatch

from notebook.base import git
from notebook.base.project import Project
from notebook.data.chapters import Chapter
from notebook.data.devices import Target
from notebook.decide import judging
from notebook.decide.tables import ChapterVerdicts
from notebook.run import count_changes
from notebook.run.collect import Collected

_MAX_NAMED = 3


@dataclass(frozen=True)
class Ran:
    """A chapter that ran, and where its results went."""

    place: Project
    chapter: Chapter
    collected: Collected

    @property
    def device(self) -> str:
        return self.collected.path.parent.name


def places(done: list[Ran]) -> list[Project]:
    """The different places that results went to."""
    return list(dict.fromkeys(collected.place for collected in done))


def lines(
    project: Project,
    target: Target,
    asked: list[Chapter],
    done: list[Ran],
    decided: list[ChapterVerdicts],
    seconds: float,
) -> list[str]:
    """The end of a run."""
    ran = {collected.chapter.name for collected in done}
    failed = [chapter.name for chapter in asked if chapter.name not in ran]
    summary = [_line("ran", f"{len(done)} of {len(asked)} chapters on {target} in {seconds:.0f} s")]
    if failed:
        summary.append(_line("failed", f"{_named(failed)}: see the errors above"))
    if not done:
        return summary
    summary.append(_line("verdicts", words(decided)))
    summary += [_line("", text) for text in _notable(decided)]
    for place in places(done):
        summary += _of_place(
            project, place, [collected for collected in done if collected.place == place]
        )
    summary += [_line("changed", change) for change in _changes(project)]
    device = done[0].device
    shown = (
        ""
        if done[0].place in (project, project.beside)
        else f" --data {project.quoted(done[0].place.data)}"
    )
    summary.append(
        _line(
            "next",
            f"scripts/lab verdicts --device {device}{shown}; what verdicts mean: scripts/README.md",
        )
    )
    return summary


def words(decided: list[ChapterVerdicts]) -> str:
    """How often each word of a verdict was given: "5 reproduced, 2 weaker"."""
    kinds = Counter(
        verdict.finding.verdict
        for chapter_verdicts in decided
        for verdict in chapter_verdicts.verdicts
    )
    return ", ".join(f"{kinds[kind]} {kind}" for kind in judging.ALL if kinds[kind]) or "no claims"


def _notable(decided: list[ChapterVerdicts]) -> list[str]:
    """What the sources say that is not so here."""
    reversed_ = [
        f"{chapter_verdicts.chapter.name} {verdict.claim.id}"
        for chapter_verdicts in decided
        for verdict in chapter_verdicts.verdicts
        if verdict.finding.verdict == judging.OPPOSITE
    ]
    return [f"the other way round: {_named(list(dict.fromkeys(reversed_)))}"] if reversed_ else []


def _of_place(project: Project, place: Project, done: list[Ran]) -> list[str]:
    folder = project.quoted(place.data / done[0].device)
    changed = sum(collected.collected.is_changed for collected in done)
    same = len(done) - changed
    news = ", ".join(
        text
        for number, text in ((changed, f"{changed} new"), (same, f"{same} as before"))
        if number
    )
    summary = [_line("results", f"{folder}: {news}")]
    figures = [
        name
        for name in (f"{collected.chapter.name}.svg" for collected in done)
        if (place.plots / name).is_file()
    ]
    if figures:
        summary.append(_line("figures", f"{project.quoted(place.plots)}: {_named(figures)}"))
    if place.data.parent == project.beside.data:
        summary += [_line("counts", text) for text in _against_data(project, done)]
    if place == project.filtered:
        summary.append(_line("", "the rows that --filter chose; whole results are unchanged"))
    if place == project.beside:
        summary.append(
            _line("", "not tracked; to put such results into data/: scripts/lab run --keep")
        )
    return summary


def _against_data(project: Project, done: list[Ran]) -> list[str]:
    """What results of another nvcc count otherwise than the tracked ones."""
    differing = []
    for path in (collected.collected.path for collected in done):
        kept = project.data / path.parent.name / path.name
        differing.append(count_changes.lines(path, kept))
    same = sum(not lines for lines in differing)
    head = f"as in data/, which another nvcc made: {same} of {len(done)} chapters"
    return [head, *(line for lines in differing for line in lines)]


def _changes(project: Project) -> list[str]:
    """What is tracked and differs from the last commit, and how to undo it."""
    made = ("data", "plots", "README.md", "chapters/*/README.md")
    command = [
        "git",
        "-C",
        str(project.root),
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        *made,
    ]
    try:
        run = subprocess.run(
            command, env=git.environment(), capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return []
    names = [line[3:] for line in run.stdout.splitlines()]
    if not names:
        return []
    # Nothing but what a run writes: a kernel that the user has edited stays.
    undone = [of for of in made if any(fnmatch(name.strip('"'), f"{of}*") for name in names)]
    undo = f"git checkout -- {' '.join(undone)}"
    return [f"tracked files, {len(names)}: {_named(names)}; undo: {undo}"]


def _named(names: list[str]) -> str:
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def _line(word: str, text: str) -> str:
    return f"{word:8}  {text}"
