"""`lab run`: set up, build, run, collect, draw, and say what the data decide."""

from notebook import build, collect, devices, drawing, figures, files, tables, toolbox, verdicts
from notebook.chapters import Chapter, find_chapters
from notebook.collect import say
from notebook.devices import Target
from notebook.errors import CHECK_FAILED, Problem
from notebook.project import Project

_DEFAULT = Target("hopper")


def run(project: Project, words: list[str], device: str | None, quick: bool) -> int:
    """Runs chapters on a device; returns the exit status.

    A chapter that fails leaves its old data as they were and does not keep others from running.
    """
    chapters = find_chapters(project, words)
    target = _choose() if device is None else devices.parse_target(project, device)
    files.require_writable(project.data)
    files.require_writable(project.build)
    toolbox.install_missing(say)
    toolbox.require(toolbox.FOR_EVERY_RUN, f"running on {target}")
    _build(project, chapters, target)

    done = []
    for number, chapter in enumerate(chapters, start=1):
        say(f"{chapter.name} on {target} ({number} of {len(chapters)})")
        try:
            done.append((chapter, collect.collect(project, chapter, target, quick)))
        except Problem as problem:
            say(f"error: {problem}")
    _draw(project, [chapter for chapter, _ in done])
    for chapter, path in done:
        decided = tables.decide_chapter(project, chapter, path.parent.name)
        print("\n".join(["", chapter.name, *tables.terminal_lines(decided)]))
    if done:
        print(f"\n{verdicts.LEGEND}")
    return 0 if len(done) == len(chapters) else CHECK_FAILED


def _choose() -> Target:
    """The GPU if it can be used, else an emulated one, with a line that says so."""
    if devices.count_gpus() == 0:
        say(f"no GPU here: running on {_DEFAULT} (choose another with --device)")
        return _DEFAULT
    return Target(None)


def _build(project: Project, chapters: list[Chapter], target: Target) -> None:
    wanted = [chapter.target for chapter in chapters]
    if target.is_emulated:
        wanted.append(build.EMULATED_RUNTIME)
    say(f"building {len(chapters)} of the chapters' executables")
    build.configure(project, *wanted)
    build.build(project, *wanted)


def _draw(project: Project, chapters: list[Chapter]) -> None:
    """Figures and tables from the new data, as far as this machine can."""
    if not project.has_own_data:
        say(f"data are in {project.data}: figures and tables, which show data/, stay as they are")
        return
    if chapters and not figures.gnuplot_version():
        say(f"figures are not drawn: no gnuplot; {toolbox.mend([toolbox.GNUPLOT])}")
    elif chapters:
        drawing.draw_figures(project, chapters)
    drawing.write_pages(project)
