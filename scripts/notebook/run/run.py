"""`lab run`: set up, build, run, collect, draw, and say what the data decide."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from notebook.base import files, leftovers, lock
from notebook.base.errors import CHECK_FAILED, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import terminal_table
from notebook.charts import figures
from notebook.data import devices
from notebook.data.chapters import Chapter, find_chapters
from notebook.data.devices import Target
from notebook.decide import claims, tables
from notebook.pages import drawing
from notebook.run import collect, estimates, inputs, row_filter, summary
from notebook.run.collect import Collected, Manner
from notebook.run.estimates import Pace
from notebook.run.summary import Ran
from notebook.run.unfinished import Unfinished
from notebook.tools import build, gpu_toolkit, gpus_here, setup, toolbox
from notebook.tools.destinations import Destinations

_DEFAULT = Target("hopper")
_MAX_CHAPTERS_IN_FULL = 3


@dataclass(frozen=True)
class Steps:
    """What a run leaves out: all that follows the build, or the figures and tables."""

    quick: bool = False
    only_builds: bool = False
    draws: bool = True
    # The limit of one process of a chapter, in minutes.
    time_limit: float | None = None
    # A regular expression for the names of the rows that run; no figure is drawn of some rows.
    filter: str | None = None
    # The build's option of that name; "" for as it is configured.
    gpu_targets: str = ""
    # Counts chapters whose stored counts are current, too.
    again: bool = True


def resume(before: Unfinished, time_limit: float | None) -> int:
    """Goes on with a run that was interrupted, or whose chapters failed."""
    say(f"{len(before.done)} of {len(before.chapters)} chapters on {before.device} are done")
    steps = Steps(before.quick, draws=before.draws, time_limit=time_limit, filter=before.filter)
    return run(before.where, before.chapters, before.device, steps, before.done)


def run(
    where: Destinations,
    words: list[str],
    device: str | None,
    steps: Steps,
    before: dict[str, str] | None = None,
) -> int:
    """Runs chapters on a device; returns the exit status.

    A chapter that fails leaves its existing data unchanged and does not keep others from running.
    `before`: the data files of chapters that are done already.
    """
    began = time.monotonic()
    project = where.project
    asked = find_chapters(project, words)
    target = _choose() if device is None else devices.parse_target(project, device)
    for folder in [*where.folders(asked, target), project.build]:
        files.require_writable(folder)
    chapters = [chapter for chapter in asked if _has_right_claims(chapter)]
    _require_tools(project, target)
    stored = {} if steps.again else _stored(where, chapters, target)
    new = [chapter for chapter in chapters if chapter.name not in stored]
    if new:
        _build(project, new, target, steps.gpu_targets)
    if steps.only_builds:
        return 0
    only = None
    if steps.filter is not None:
        only = row_filter.patterns(project, chapters, target, steps.filter)
        asked = [chapter for chapter in asked if chapter not in chapters or chapter.name in only]
        chapters = [chapter for chapter in chapters if chapter.name in only]

    fixed = str(where.fixed.data) if where.fixed else None
    names = [chapter.name for chapter in asked]
    state = Unfinished(
        *(project, str(target), fixed, steps.quick, steps.draws, names, stored | (before or {})),
        filter=steps.filter,
    )
    runs = project.build / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    with lock.held(runs, say, "another scripts/lab run measures here: waiting for it"):
        leftovers.remove(project, where.folders(asked, target))
        state.save()
        done = _collect_all(where, chapters, target, steps, state, only)
    draws = steps.draws and only is None and bool(new)
    drawn = not draws or all([_draw(place, done) for place in summary.places(done)])
    decided = _decide(done)
    if not state.end(names):
        say("next, for what is missing: scripts/lab run --resume")
    seconds = time.monotonic() - began
    print("\n".join(["", *summary.lines(project, target, asked, done, decided, seconds)]))
    return 0 if drawn and len(done) == len(asked) else CHECK_FAILED


def _collect_all(
    where: Destinations,
    chapters: list[Chapter],
    target: Target,
    steps: Steps,
    state: Unfinished,
    only: dict[str, str] | None,
) -> list[Ran]:
    """Runs the chapters: on a GPU, which they would share, one after another, else one on each CPU.

    `only`: by chapter, the --benchmark_filter that chooses its rows.
    """
    at_once = min(len(os.sched_getaffinity(0)), len(chapters)) if target.is_emulated else 1
    expected = {
        chapter.name: estimates.seconds(where.project, chapter, target.is_emulated)
        for chapter in chapters
    }
    pace = Pace(expected, at_once)

    def collected(number: int, chapter: Chapter) -> Ran | None:
        if path := state.result_of(chapter.name):
            return Ran(where.of(chapter, target), chapter, Collected(path, is_changed=False))
        # Full runs tell nothing of a quick one, or of some rows, before its first chapter has ended.
        is_partial = steps.quick or only is not None
        left = "" if is_partial and not pace.took else pace.left(time.monotonic())
        say(f"{chapter.name} on {target} ({number} of {len(chapters)}{left})")
        place, began = where.of(chapter, target), time.monotonic()
        seconds = (steps.time_limit and 60 * steps.time_limit) or estimates.limit(
            expected[chapter.name]
        )
        how = Manner(steps.quick, at_once > 1, seconds, only[chapter.name] if only else None)
        try:
            done = collect.collect(place, chapter, target, how)
        except Problem as problem:
            say(f"error: {problem}")
            return None
        pace.took[chapter.name] = time.monotonic() - began
        state.add(chapter.name, done.path)
        return Ran(place, chapter, done)

    if at_once <= 1:
        ran = [collected(number, chapter) for number, chapter in enumerate(chapters, start=1)]
        return [collected_chapter for collected_chapter in ran if collected_chapter]
    with ThreadPoolExecutor(at_once) as pool:
        futures = [
            pool.submit(collected, number, chapter)
            for number, chapter in enumerate(chapters, start=1)
        ]
        try:
            return [
                collected_chapter for future in futures if (collected_chapter := future.result())
            ]
        except BaseException:  # Ctrl-C, or the exception that SIGTERM becomes
            pool.shutdown(wait=False, cancel_futures=True)
            collect.stop_running()
            raise


def _stored(where: Destinations, chapters: list[Chapter], target: Target) -> dict[str, str]:
    """The data files of the chapters whose counts come from the sources as they are."""
    found = {}
    for chapter in chapters:
        if path := inputs.stored(where.project, where.of(chapter, target), chapter, target):
            say(
                f"{chapter.name} on {target}: counted before from the same sources (again: --again)"
            )
            found[chapter.name] = str(path)
    return found


def _has_right_claims(chapter: Chapter) -> bool:
    """Says what is wrong before time is spent on results that could not be decided."""
    wrong = claims.load_right(chapter).wrong
    for message in wrong:
        say(f"error: {message}; {chapter.name} does not run")
    return not wrong


def _choose() -> Target:
    """The GPU if it can be used, else an emulated one, with a line that says so."""
    if devices.count_gpus() == 0:
        if gpus_here.gpus():
            gpu_toolkit.require(toolbox.find_nvcc())
        failure = devices.driver_failure()
        lack = f"the CUDA driver fails, {failure}" if failure else "no GPU here"
        say(f"{lack}: running on {_DEFAULT} (choose another with --device)")
        return _DEFAULT
    return Target(None)


def _require_tools(project: Project, target: Target) -> None:
    """Installs what is missing; raises Problem for what still is, and first for a GPU that does not fit nvcc."""
    if not target.is_emulated:
        gpu_toolkit.require(toolbox.find_nvcc())
    setup.install_missing(project)
    toolbox.require(toolbox.FOR_EVERY_RUN, f"running on {target}")
    setup.require_nvcc()
    if not target.is_emulated:
        gpu_toolkit.require(toolbox.find_nvcc())


def _build(project: Project, chapters: list[Chapter], target: Target, gpu_targets: str) -> None:
    names = [chapter.target for chapter in chapters]
    if target.is_emulated:
        names.append(build.emulated_runtime())
    build.configure(project, *names, gpu_targets=gpu_targets)
    what = chapters[0].name if len(chapters) == 1 else f"{len(chapters)} chapters"
    build.build(project, what, *names)


def _decide(done: list[Ran]) -> list[tables.ChapterVerdicts]:
    """Decides the claims of the chapters and prints their verdicts: of a few chapters each, of many how many of
    each word."""
    decided = [
        tables.decide_chapter(collected.place, collected.chapter, collected.device)
        for collected in done
    ]
    if len(decided) <= _MAX_CHAPTERS_IN_FULL:
        for verdicts in decided:
            print("\n".join(["", verdicts.chapter.name, *tables.terminal_lines(verdicts)]))
    elif decided:
        words = [[each.chapter.name, summary.words([each])] for each in decided]
        print("\n".join(["", *terminal_table(["chapter", "verdicts"], words)]))
    return decided


def _draw(project: Project, done: list[Ran]) -> bool:
    """Figures and tables from the new data, as far as this machine can; False where one is wrong."""
    chapters = [collected.chapter for collected in done if collected.place == project]
    try:
        if figures.gnuplot_version():
            drawing.draw_figures(project, chapters)
        else:
            say(f"figures are not drawn: no gnuplot; {toolbox.how_to_install([toolbox.GNUPLOT])}")
        drawing.write_pages(project)
    except Problem as problem:
        say(f"error: {problem}")
        return False
    return True
