"""Running a chapter's executable and collecting its raw repetitions into one data file."""

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from notebook import files, names, results, steadiness, toolbox
from notebook.chapters import Chapter
from notebook.devices import Target
from notebook.errors import Problem
from notebook.metrics import MOVED
from notebook.progress import say
from notebook.project import Project
from notebook.text import plain

# Where and on whose machine it ran is nobody's business, and its host CPU decides nothing.
CONTEXT_LEFT_OUT = {"host_name", "executable", "load_avg", "caches"}
# It counts the same whatever runs it.
_CONTEXT_OF_THE_HOST = {"num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "library_build_type"}
# What counts can have in common, whenever and with whatever they were made.
_CONTEXT_OF_THE_RUN = {
    *_CONTEXT_OF_THE_HOST,
    *("date", "git_revision", "git_dirty", "compiler", "compile_flags", "emulator_version"),
    *("library_version", "json_schema_version", "runtime_version", "driver_version"),
}
_ROW_LEFT_OUT = {"family_index", "per_family_instance_index", "repetitions", "threads"}


Json = dict[str, Any]

# Executables that run now, some of them on threads: an interrupted command leaves none behind.
_running: set[subprocess.Popen[str]] = set()


def stop_running() -> None:
    """Ends the executables that run now; who waits for them raises Problem."""
    for process in list(_running):
        process.kill()


def git_revision(project: Project) -> tuple[str, str]:
    """The revision of the working tree and whether it has changes: ("unknown",) * 2 outside git.

    What `lab run` itself writes (data, figures, tables in pages) is no change.
    """
    git = ["git", "-C", str(project.root)]
    made_by_us = [":(exclude)data", ":(exclude)plots", ":(exclude)*README.md"]
    try:
        head = _output([*git, "rev-parse", "--show-toplevel", "HEAD"]).splitlines()
        if len(head) != 2 or Path(head[0]) != project.root:
            return "unknown", "unknown"
        changes = _output([*git, "status", "--porcelain", "--", ".", *made_by_us])
    except (OSError, subprocess.CalledProcessError):
        return "unknown", "unknown"
    return head[1], "true" if changes else "false"


@dataclass(frozen=True)
class Collected:
    """A data file, and whether the run has changed it."""

    path: Path
    is_changed: bool


def collect(
    project: Project, chapter: Chapter, target: Target, quick: bool, beside_others: bool = False
) -> Collected:
    """Runs a built chapter, as many processes as it takes, and writes its data file.

    `beside_others`: other chapters run at the same time; it takes one CPU, and shows no progress of its own.
    Whatever goes wrong, the old data file stays as it was; so it does when the same was counted.
    """
    # Counts are exact, and a quick look is one; a time needs a second process, or more.
    once = target.is_emulated or quick
    try:
        with tempfile.TemporaryDirectory(prefix="run-", dir=project.build) as folder:
            run = partial(_process, project, chapter, target, quick, beside_others, Path(folder))
            documents = [run(_number(0))] if once else _until_settled(chapter, run)
            device = _check(documents, chapter, target)
            merged = _merge(documents)
            # Once, and in no process that times, which counting would slow down.
            if merged["context"].get("migrations") == "counted apart":
                counted = run("page migrations", "--count-migrations")
                _check([documents[0], counted], chapter, target)
                _add_moved(merged, counted)
        rows = results.parse_rows(merged["benchmarks"])
        if not once:
            loose = steadiness.unsettled(rows)
            merged["context"] |= {"stopping_rule": steadiness.RULE, "unsettled": len(loose)}
        path = project.data / device / f"{chapter.name}.json"
        is_changed = not (target.is_emulated and _counts_of(path) == _counts_in(merged))
        if is_changed:
            files.write(path, _format(merged))
        record = project.build / "runs" / device / f"{chapter.name}.json"
        files.write(record, json.dumps(merged["context"], indent=2) + "\n")
    except (results.Malformed, ValueError) as error:
        raise Problem(f"{chapter.name}: what its executable wrote is wrong: {error}") from error
    news = "" if is_changed else ", the same as before"
    say(f"{chapter.name}: {len(merged['benchmarks'])} rows in {project.quoted(path)}{news}")
    return Collected(path, is_changed)


def _counts_of(path: Path) -> Json | None:
    """What an older data file counts; None where it does not say."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return _counts_in(document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _counts_in(document: Json) -> Json:
    """A document without what tells one run from the next."""
    context = document["context"].items()
    kept = {key: value for key, value in context if key not in _CONTEXT_OF_THE_RUN}
    return {"context": kept, "benchmarks": document["benchmarks"]}


def _process(
    project: Project,
    chapter: Chapter,
    target: Target,
    quick: bool,
    beside_others: bool,
    folder: Path,
    title: str,
    *flags: str,
) -> Json:
    """What one process measures: all benchmarks, unless a flag says otherwise."""
    if not beside_others:
        say(f"{chapter.name} on {target}: {title}")
    out = folder / f"{title}.json"
    _execute(project, chapter, target, quick, beside_others, out, flags)
    document = _read(chapter, out)
    _check([document], chapter, target)
    return document


def _number(process: int) -> str:
    return f"process {process + 1}"


def _until_settled(chapter: Chapter, run: Callable[..., Json]) -> list[Json]:
    """What processes measure one after another, until the stopping rule is content."""
    documents = [run(_number(process)) for process in range(steadiness.FEWEST_PROCESSES)]
    while len(documents) < steadiness.MOST_PROCESSES:
        rows = results.parse_rows(_merge(documents)["benchmarks"])
        loose = steadiness.unsettled(rows)
        if not loose:
            break
        say(f"{chapter.name}: medians not known to 1 % yet: {len(loose)}")
        every = dict.fromkeys(row.name for row in rows)
        wanted = steadiness.filter_for(loose, every)
        flags = [f"--benchmark_filter={wanted}"] if wanted else []
        documents.append(run(_number(len(documents)), *flags))
    return documents


def _output(command: list[str]) -> str:
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout


def _execute(
    project: Project,
    chapter: Chapter,
    target: Target,
    quick: bool,
    beside_others: bool,
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
        *(["--quick"] if quick else []),
        *(["--workers=1"] if beside_others else []),
        *flags,
    ]
    # Progress and errors come on standard error; standard output would repeat the file. Of several at a
    # time, whose progress would mix, only what a failed one said is shown.
    process = subprocess.Popen(
        command,
        env=toolbox.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if beside_others else None,
        encoding="utf-8",
        errors="replace",
    )
    _running.add(process)
    try:
        _, said = process.communicate()
    except BaseException:  # Ctrl-C, or the exception that SIGTERM becomes: leave nothing behind
        process.kill()
        process.wait()
        raise
    finally:
        _running.discard(process)
    status = process.returncode
    if status != 0 and said:
        sys.stderr.write(said)
    if status != 0:
        how = (
            f"was killed by {signal.Signals(-status).name}"
            if status < 0
            else f"stopped with exit status {status}"
        )
        raise Problem(f"{chapter.name}: its executable {how}; the old data are as they were")


def _read(chapter: Chapter, out: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Problem(
            f"{chapter.name}: its executable wrote no valid result ({plain(error)})"
        ) from error
    return document


def _check(documents: list[dict[str, Any]], chapter: Chapter, target: Target) -> str:
    """The device that the documents are about; raises Malformed unless they are what was asked."""
    devices = set()
    for document in documents:
        if not isinstance(document, dict) or not isinstance(document.get("context"), dict):
            raise results.Malformed("no context")
        context = document["context"]
        if (found := results.context_text(context, "chapter")) != chapter.name:
            raise results.Malformed(f"it is chapter {found!r}")
        if not results.context_text(context, "validation").startswith("passed"):
            raise results.Malformed(f"validation: {context['validation']}")
        if not results.parse_rows(document.get("benchmarks")):
            raise results.Malformed("no rows")
        devices.add(results.device_of(context))
    device = devices.pop()
    if devices:
        raise results.Malformed(f"its processes ran on different devices, {device} and {devices}")
    if target.is_emulated != device.startswith("emulated-"):
        raise results.Malformed(f"it ran on {device}, not on {target}")
    return device


def _merge(documents: list[dict[str, Any]]) -> dict[str, Any]:
    context = documents[0]["context"]
    is_emulated = context["device_kind"] == "emulated"
    left_out = CONTEXT_LEFT_OUT | (_CONTEXT_OF_THE_HOST if is_emulated else set())
    context = {key: value for key, value in context.items() if key not in left_out}
    rows = [
        _row(row, process, is_emulated)
        for process, document in enumerate(documents)
        for row in document["benchmarks"]
        if row.get("run_type") != "aggregate"
    ]
    rows.sort(
        key=lambda row: (names.natural(row["name"]), row["process"], row.get("repetition_index", 0))
    )
    return {"context": context | {"processes": len(documents)}, "benchmarks": rows}


def _add_moved(merged: Json, counted: Json) -> None:
    """Gives every repetition of a benchmark the bytes and page faults that were counted apart."""
    moved = {
        row["name"]: {key: _short(row[key]) for key in MOVED if key in row}
        for row in counted["benchmarks"]
    }
    for row in merged["benchmarks"]:
        row.update(moved.get(row["name"], {}))


def _row(row: dict[str, Any], process: int, is_emulated: bool) -> dict[str, Any]:
    kept = {key: _short(value) for key, value in row.items() if key not in _ROW_LEFT_OUT}
    if is_emulated:  # how long our own CPU took says nothing, and would differ in every run
        kept["real_time"] = kept["cpu_time"] = 0
    return kept | {"process": process}


def _short(value: Any) -> Any:
    """A number to seven significant digits, which is finer than any timer, without a void `.0`."""
    if not isinstance(value, float):
        return value
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    return float(f"{value:.7g}")


def _format(document: dict[str, Any]) -> str:
    """JSON with one row a line, so that a diff shows which rows changed."""
    context = json.dumps(document["context"], indent=2, allow_nan=False)
    # Without spaces: thousands of rows, and the repository keeps every version of them.
    rows = ",\n".join(
        json.dumps(row, allow_nan=False, separators=(",", ":")) for row in document["benchmarks"]
    )
    context = context.replace("\n", "\n  ")
    return f'{{\n  "context": {context},\n  "benchmarks": [\n{rows}\n  ]\n}}\n'
