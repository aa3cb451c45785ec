"""Running a chapter's executable and collecting its raw repetitions into one data file."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from notebook.base import files, git, lock
from notebook.base.errors import Malformed, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import plain, quoted
from notebook.data import documents, fields, records, schema
from notebook.data.chapters import Chapter
from notebook.data.devices import Target
from notebook.data.fields import Json
from notebook.data.samples import MIN_PROCESSES
from notebook.decide import convergence
from notebook.run import estimates, inputs
from notebook.tools import toolbox

# Fields that counts can have in common, whenever and with whatever they were made.
_CONTEXT_OF_THE_RUN = {
    *documents.CONTEXT_OF_THE_HOST,
    *("date", "git_revision", "git_dirty", "compiler", "compile_flags", "emulator_version"),
    *("library_version", "json_schema_version", "runtime_version", "driver_version"),
    *("process_seconds", "tables_sha256", inputs.KEY),
}
# The flag of a process that counts what moves of managed memory, and times nothing.
_COUNT_MIGRATIONS = "--count-migrations"
# Google Benchmark writes an object a repetition.
_LONGEST_OUTPUT = 64 * 2**20
_REVISION = re.compile(r"[0-9a-f]{40}")

# Executables that run now, some of them on threads: an interrupted command leaves none behind.
_running: set[subprocess.Popen[str]] = set()


def stop_running() -> None:
    """Ends the executables that run now; who waits for them raises Problem."""
    for process in list(_running):
        process.kill()


def git_revision(project: Project) -> tuple[str, str]:
    """The revision of the working tree and whether it has changes: ("unknown",) * 2 outside git.

    What `lab run` itself writes (results, figures, pages), and the text of pages, is no change; the tables of GPUs
    and of the time model are compiled in. A tree that `lab fleet` has unpacked from a commit has no
    git of its own; its job says which commit it is.
    """
    command = ["git", "-C", str(project.root)]
    results = [f":(exclude,glob)data/*/{name}" for name in ("*.json", "counters/**", "peers/**")]
    pages = [":(exclude)*README.md", ":(exclude,glob)chapters/*/page.md"]
    made_by_us = [*results, *pages, ":(exclude)plots"]
    try:
        head = _output([*command, "rev-parse", "--show-toplevel", "HEAD"]).splitlines()
        if len(head) != 2 or Path(head[0]) != project.root:
            return _revision_of_the_job()
        status = ["status", "--porcelain", "--untracked-files=all"]
        changes = _output([*command, *status, "--", ".", *made_by_us])
    except (OSError, subprocess.CalledProcessError):
        return _revision_of_the_job()
    return head[1], "true" if changes else "false"


def _revision_of_the_job() -> tuple[str, str]:
    revision = os.environ.get("LAB_GIT_REVISION", "")
    return (revision, "false") if _REVISION.fullmatch(revision) else ("unknown", "unknown")


@dataclass(frozen=True)
class Collected:
    """A data file, and whether the run has changed it."""

    path: Path
    is_changed: bool


@dataclass(frozen=True)
class Manner:
    """How processes of a chapter run. `beside_others`: other chapters run at the same time; it takes one CPU,
    and shows no progress of its own."""

    quick: bool = False
    beside_others: bool = False
    # Beyond it a process hangs.
    seconds: float | None = None
    # A --benchmark_filter: some rows, which are no result of the chapter.
    only: str | None = None


def collect(project: Project, chapter: Chapter, target: Target, how: Manner) -> Collected:
    """Runs a built chapter, as many processes as it takes, and writes its data file.

    Whatever goes wrong, the old data file stays as it was; so it does when the same was counted.
    """
    # Counts are exact, and a quick look is one; a time needs a second process, or more.
    once = target.is_emulated or how.quick
    try:
        with lock.temporary_folder("run-", project.build) as folder:
            run = partial(_process, project, chapter, target, how, folder)
            processes = [run(_number(0))] if once else _until_settled(chapter, run)
            device = _device(processes)
            merged = documents.merge(processes)
            # Once, and in no process that times, which counting would slow down.
            if merged["context"].get("migrations_counted_apart"):
                counted = run("page migrations", _COUNT_MIGRATIONS)
                _device([processes[0], counted])
                documents.add_moved(merged, counted)
        if not once:
            unsettled = convergence.unsettled(records.rows_of(merged))
            merged["context"] |= {"stopping_rule": convergence.RULE, "unsettled": len(unsettled)}
        if target.is_emulated:
            merged["context"][inputs.KEY] = inputs.sha256(project, chapter)
        schema.check(merged)
        path = project.data / device / f"{chapter.name}.json"
        is_changed = not (target.is_emulated and _counts_of(path) == _counts_in(merged))
        if is_changed:
            files.write(path, documents.as_text(merged))
        if how.only is None:  # what some rows take tells nothing of the chapter
            record = project.build / "runs" / device / f"{chapter.name}.json"
            files.write(record, json.dumps(merged["context"], indent=2) + "\n")
    except Malformed as error:
        raise Problem(
            f"{chapter.name}: what its executable wrote is wrong: {plain(error)}"
        ) from error
    news = "" if is_changed else ", the same as before"
    say(f"{chapter.name}: {len(merged['rows'])} rows in {project.quoted(path)}{news}")
    return Collected(path, is_changed)


def counts_alike(path: Path, content: bytes) -> bool:
    """Whether a data file is there that counts what `content` does."""
    return path.is_file() and _counts_of(path) == _counts_in(schema.parse(content))


def _counts_of(path: Path) -> Json | None:
    """What an older data file counts; None where there is none of this format."""
    try:
        return _counts_in(schema.parse(files.read_bytes(path)))
    except Malformed:
        return None


def _counts_in(document: Json) -> Json:
    """A document without what tells one run from the next."""
    context = document["context"].items()
    kept = {key: value for key, value in context if key not in _CONTEXT_OF_THE_RUN}
    return document | {"context": kept}


def _process(
    project: Project,
    chapter: Chapter,
    target: Target,
    how: Manner,
    folder: Path,
    title: str,
    *flags: str,
) -> Json:
    """What one process measures: all benchmarks, unless a flag says otherwise."""
    if not how.beside_others:
        say(f"{chapter.name} on {target}: {title}")
    out = folder / f"{title}.json"
    began = time.monotonic()
    _execute(project, chapter, target, how, out, flags)
    document = _read(chapter, out, is_timed=_COUNT_MIGRATIONS not in flags)
    # `lab run` and `lab fleet` estimate the next run by these.
    document["context"]["process_seconds"] = [round(time.monotonic() - began, 1) or 0.1]
    _require_asked(document, chapter, target)
    return document


def _number(process: int) -> str:
    return f"process {process + 1}"


def _until_settled(chapter: Chapter, run: Callable[..., Json]) -> list[Json]:
    """What processes measure one after another, until the stopping rule is content."""
    processes = [run(_number(process)) for process in range(MIN_PROCESSES)]
    while len(processes) < convergence.MAX_PROCESSES:
        rows = records.rows_of(documents.merge(processes))
        unsettled = convergence.unsettled(rows)
        if not unsettled:
            break
        say(f"{chapter.name}: not converged yet: {len(unsettled)}")
        every = dict.fromkeys(row.name for row in rows)
        pattern = convergence.filter_for(unsettled, every)
        flags = [f"--benchmark_filter={pattern}"] if pattern else []
        processes.append(run(_number(len(processes)), *flags))
    return processes


def _output(command: list[str]) -> str:
    run = subprocess.run(command, env=git.environment(), capture_output=True, text=True, check=True)
    return run.stdout


def _execute(
    project: Project,
    chapter: Chapter,
    target: Target,
    how: Manner,
    out: Path,
    flags: tuple[str, ...],
) -> None:
    revision, dirty = git_revision(project)
    command = [
        str(project.build / chapter.target),
        f"--benchmark_out={out}",
        "--benchmark_out_format=json",
        "--benchmark_format=json",  # its table would print the context on standard error
        f"--benchmark_context=git_revision={revision},git_dirty={dirty}",
        *([f"--architecture={target.architecture}"] if target.is_emulated else []),
        *(["--quick"] if how.quick else []),
        *(["--workers=1"] if how.beside_others else []),
        *([f"--benchmark_filter={how.only}"] if how.only else []),
        *flags,  # of two filters the last one counts
    ]
    # Progress and errors come on standard error; standard output would repeat the file. Of several at a
    # time, whose progress would mix, only what a failed one said is shown.
    process = subprocess.Popen(
        command,
        env=toolbox.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if how.beside_others else None,
        encoding="utf-8",
        errors="replace",
    )
    _running.add(process)
    try:
        _, said = process.communicate(timeout=how.seconds)
    except (
        BaseException
    ) as error:  # Ctrl-C, what SIGTERM becomes, or the time is up: leave nothing behind
        process.kill()
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise Problem(
                f"{chapter.name}: its executable had not ended after {estimates.text(error.timeout)} and was "
                "killed; existing data unchanged; to allow more: --time-limit MINUTES"
            ) from error
        raise
    finally:
        _running.discard(process)
    status = process.returncode
    if status != 0 and said:
        sys.stderr.write(said)
    if status != 0:
        ending = (
            f"was killed by {signal.Signals(-status).name}"
            if status < 0
            else f"stopped with exit status {status}"
        )
        raise Problem(f"{chapter.name}: its executable {ending}; existing data unchanged")


def _read(chapter: Chapter, out: Path, is_timed: bool) -> Json:
    try:
        content = files.read_bytes(out, _LONGEST_OUTPUT)
        output = schema.parse_json(content, longest=_LONGEST_OUTPUT)
    except Malformed as error:
        if not shutil.disk_usage(out.parent).free:
            raise Problem(
                f"{chapter.name}: no space left for its result in {quoted(out.parent)}"
            ) from error
        raise Problem(
            f"{chapter.name}: its executable wrote no valid result ({plain(error)})"
        ) from error
    return documents.from_benchmark(output, is_timed)


def _require_asked(document: Json, chapter: Chapter, target: Target) -> None:
    """Raises Malformed unless a document is about the chapter and the kind of device asked for."""
    context = document["context"]
    if context["chapter"] != chapter.name:
        raise Malformed(f"it is chapter {context['chapter']!r}")
    if target.is_emulated != (context["device_kind"] == fields.EMULATED):
        raise Malformed(f"it ran on {context['device']}, not on {target}")


def _device(processes: list[Json]) -> str:
    """The device of all processes; raises Malformed where they differ."""
    devices = {document["context"]["device"] for document in processes}
    if len(devices) > 1:
        raise Malformed(f"its processes ran on different devices, {', '.join(devices)}")
    return str(devices.pop())
