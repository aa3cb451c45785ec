"""`lab run --filter`: the chapters and rows that match."""

import re
import subprocess
from collections.abc import Iterable

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import plain
from notebook.data.chapters import Chapter
from notebook.data.devices import Target
from notebook.decide import convergence
from notebook.tools import toolbox


def patterns(
    project: Project, chapters: Iterable[Chapter], target: Target, expression: str
) -> dict[str, str]:
    """For each chapter with rows that match, the --benchmark_filter that selects them; raises Problem for none."""
    found = {}
    for chapter in chapters:
        names = [name for name in _rows(project, chapter, target) if re.search(expression, name)]
        if not names:
            say(f"{chapter.name}: no row matches --filter")
        elif (pattern := convergence.filter_of(names)) is None:
            raise Problem(f"--filter matches too many rows of {chapter.name}", WRONG_USAGE)
        else:
            found[chapter.name] = pattern
    if not found:
        raise Problem(
            f"--filter {expression}: matches no row; a built chapter lists its own with "
            "--benchmark_list_tests",
            WRONG_USAGE,
        )
    return found


def _rows(project: Project, chapter: Chapter, target: Target) -> list[str]:
    """The names of all rows of a built chapter on this device."""
    command = [str(project.build / chapter.target), "--benchmark_list_tests"]
    if target.is_emulated:
        command.append(f"--architecture={target.architecture}")
    done = subprocess.run(
        command,
        env=toolbox.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        said = plain((done.stderr.strip().splitlines() or ["it said nothing"])[-1])
        raise Problem(f"{chapter.name}: its executable lists no rows: {said}")
    return done.stdout.splitlines()
