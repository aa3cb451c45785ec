"""`scripts/lab emulate`: builds and runs any CUDA program on emulated GPUs, and reports its launches."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from notebook.base.errors import CHECK_FAILED, MISSING, WRONG_USAGE, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import plain, quoted
from notebook.data import gpu_names
from notebook.data.devices import emulable
from notebook.emulate import build as emulate_build
from notebook.emulate import counts as emulate_counts
from notebook.emulate import export
from notebook.emulate import program as emulate_program
from notebook.emulate import report as emulate_report
from notebook.emulate.launches import cells, errors, joining, managed, reading, records
from notebook.emulate.launches import failures as emulate_failures
from notebook.emulate.launches import runs as emulate_runs
from notebook.emulate.options import MACHINE_REPORTS, USAGE
from notebook.tools import build, setup, toolbox


def emulate(options: argparse.Namespace) -> int:
    project = Project.here()
    targets = _targets(project, options.architecture)
    names = [target.name for target in targets]
    if options.report == "html" and sys.stdout.isatty():
        raise Problem("a page is for a browser; write it to a file: > report.html", WRONG_USAGE)
    saved = emulate_counts.read(options.check_counts, names) if options.check_counts else None
    subject, flags, arguments = split_words(options.words)
    program = _find(subject)
    _install_missing(project, options.report)
    if _is_source(subject):
        program = _compile(project, program, flags, targets)
    library = runtime_folder(project)
    runs, statuses, wrong = [], [], False
    for number, target in enumerate(targets):
        # Machines read the report from standard output: what the program prints goes elsewhere.
        stdout = sys.stderr.fileno() if options.report in MACHINE_REPORTS else None
        shown = _Run(program, arguments, library, stdout if number == 0 else subprocess.DEVNULL)
        report, status = _execute(shown, target, options)
        if not report.loaded and status == 0:
            raise Problem(
                f"{plain(program.name)} launched nothing on the emulated GPU: it is not a CUDA program, or it was "
                f"linked with CUDA's runtime statically; build it with: {emulate_program.HOW_TO_BUILD}",
                WRONG_USAGE,
            )
        managed.add_notes(project, report.launches, target.compute_capability)
        clocks = emulate_program.host_clock_notes(program) if report.launches else []
        runs.append(
            emulate_runs.Emulated(
                target.name,
                target.gpu,
                target.sm_count,
                report.launches,
                report.failures,
                target.error,
                target.roof,
                [
                    *emulate_failures.texts(report.failed_calls, report.unnoticed, program),
                    *emulate_failures.hazard_texts(report.hazards, program),
                ],
                [*report.notes, *clocks],
                target.asked,
            )
        )
        statuses.append(status)
        wrong = wrong or bool(report.unnoticed or report.failures) or report.has_hazards
    sys.stdout.flush()
    print("\n".join(_render(options, program.name, runs)))
    status = _verdict(program, targets, statuses, wrong)
    if saved is not None and not _holds(saved, runs, options):
        status = CHECK_FAILED
    if options.save_counts and not status:
        emulate_counts.save(options.save_counts, runs)
    return status


def _holds(
    saved: emulate_counts.Counts,
    runs: Sequence[emulate_runs.Emulated],
    options: argparse.Namespace,
) -> bool:
    """Whether no kernel's counts have grown; says which have."""
    failures, remarks = emulate_counts.check(saved, runs, options.tolerance / 100)
    for line in failures:
        say(f"counts grew: {line}")
    for line in remarks:
        say(f"counts changed: {line}")
    if not failures:
        more = f" by more than {options.tolerance:g} %" if options.tolerance else ""
        say(f"no count of {plain(options.check_counts)} has grown{more}")
    return not failures


def split_words(words: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """The program or .cu file, nvcc's flags and the program's arguments."""
    if not words or words[0] == "--":
        raise Problem(f"no program; usage: {' '.join(USAGE.split())}", WRONG_USAGE)
    subject, rest = words[0], list(words[1:])
    at = rest.index("--") if "--" in rest else None
    if _is_source(subject):
        return (subject, rest, []) if at is None else (subject, rest[:at], rest[at + 1 :])
    return (subject, [], rest[1:] if at == 0 else rest)


@dataclass(frozen=True)
class Target:
    """An emulated GPU, with what the reports need of its row in data/architectures.csv."""

    name: str
    gpu: str
    compute_capability: str
    sm_count: int
    error: errors.TimeError
    roof: emulate_runs.Roof | None
    asked: str  # its name as the user wrote it


@dataclass(frozen=True)
class _Run:
    program: Path
    arguments: list[str]
    library: Path
    stdout: int | None


def _targets(project: Project, words: str) -> list[Target]:
    known = emulable(project)
    asked: dict[str, str] = {}
    for word in words.split(","):
        asked.setdefault(gpu_names.resolve(word, known), plain(word))
    return [
        Target(
            name,
            known[name]["gpu"],
            known[name]["compute_capability"],
            int(known[name]["sm_count"] or 0),
            errors.of_gpu(project, name, known),
            _roof(known[name]),
            word,
        )
        for name, word in asked.items()
    ]


def _roof(row: Mapping[str, str]) -> emulate_runs.Roof | None:
    """Each partition of an SM has a scheduler, which issues an instruction a cycle."""
    columns = ("sm_count", "sub_partitions", "max_clock_mhz", "dram_bw_gbs")
    if not all(row.get(column) for column in columns):
        return None
    sms, partitions, clock_mhz, gigabytes = (float(row[column]) for column in columns)
    return emulate_runs.Roof(sms * partitions * clock_mhz * 1e6, gigabytes * 1e9)


def _is_source(subject: str) -> bool:
    return subject.endswith(".cu")


def _find(subject: str) -> Path:
    """The .cu file, or a program that can be emulated; a program's name alone is looked for on PATH, too."""
    path = Path(subject)
    if not _is_source(subject) and "/" not in subject and not path.is_file():
        path = Path(toolbox.find_program(subject) or subject)
    if not path.is_file():
        raise Problem(f"{quoted(subject)}: no such file, or no plain one", MISSING)
    if _is_source(subject):
        return path
    emulate_program.require_emulable(path.resolve())
    if not os.access(path, os.X_OK):
        raise Problem(
            f"{plain(subject)} is not executable; run: chmod +x, or give the .cu file", WRONG_USAGE
        )
    return path.resolve()


def _install_missing(project: Project, report: str) -> None:
    """This may be the first command of a machine. Raises Problem for what could not be installed."""
    needed = (*toolbox.FOR_EVERY_RUN, *((toolbox.GNUPLOT,) if report == "html" else ()))
    if toolbox.missing(needed) or not toolbox.find_nvcc():
        setup.install_missing(project)
    toolbox.require(toolbox.FOR_EVERY_RUN, "an emulated GPU")
    setup.require_nvcc()
    if report == "html":
        # Charts take as long to import as everything else: a report in text goes without.
        from notebook.charts import figures

        figures.require_gnuplot()  # it draws the roofline


def _compile(project: Project, source: Path, flags: list[str], targets: list[Target]) -> Path:
    program = emulate_build.build(
        project, source, flags, [target.compute_capability for target in targets]
    )
    emulate_program.require_emulable(program)
    return program


def runtime_folder(project: Project) -> Path:
    """The folder of our libcudart.so, built where it is missing or old."""
    toolbox.require(toolbox.FOR_EVERY_RUN, "an emulated GPU")
    build.configure(project)
    names = [
        name
        for name in build.targets(project)
        if name.rsplit("/", 1)[-1] in emulate_program.LIBRARIES
    ]
    build.build(project, "the emulated GPU", *names)
    return (project.build / names[0]).parent


def _execute(run: _Run, target: Target, options: argparse.Namespace) -> tuple[records.Report, int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.jsonl"
        settings = {
            "EMULATED_GPU": target.name,
            "EMULATED_GPU_REPORT": str(path),
            "EMULATED_GPU_TIME": "1",
        }
        switches = {
            "EMULATED_GPU_HAZARDS": options.check_hazards,
            "EMULATED_GPU_LEAKS": options.check_leaks,
            "EMULATED_GPU_KEEP_GOING": options.keep_going,
            "EMULATED_GPU_SAMPLE": options.sample,
        }
        settings |= {name: "1" for name, wanted in switches.items() if wanted}
        if options.time_limit:
            settings["EMULATED_GPU_TIME_LIMIT"] = str(options.time_limit)
        paths = [str(run.library), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        environment = os.environ | settings | {"LD_LIBRARY_PATH": os.pathsep.join(paths)}
        sys.stdout.flush()
        try:
            done = subprocess.run(
                [str(run.program), *run.arguments],
                env=environment,
                stdout=run.stdout,
                check=False,
            )
        except OSError as error:
            raise Problem(
                f"{plain(run.program)} cannot be started: {error.strerror}", CHECK_FAILED
            ) from error
        return reading.read(path), done.returncode


def _render(
    options: argparse.Namespace, program: str, runs: Sequence[emulate_runs.Emulated]
) -> list[str]:
    report = options.report
    if report == "json":
        return [export.as_json(runs)]
    if report == "csv":
        return [export.as_csv(runs).rstrip("\n")]
    joined = joining.join([run.launches for run in runs])
    shown = [
        replace(run, launches=launches) for run, (launches, _) in zip(runs, joined, strict=True)
    ]
    omitted = [
        line
        for run, (_, left_out) in zip(runs, joined, strict=True)
        for line in joining.omitted_lines(run.name, left_out)
    ]
    if report == "html":
        from notebook.emulate import page as emulate_page

        return [emulate_page.as_html(plain(program), shown, options.names, omitted)]
    body = (
        emulate_report.line_report(shown, options.names)
        if report == "lines"
        else emulate_report.launch_report(shown, options.names)
    )
    body += cells.wrapped(f"note: {note}" for note in runs[0].notes)
    for run in runs:
        body += emulate_failures.lines(run.name if len(runs) > 1 else "", run.failed_calls)
    body += omitted
    return ["", *textwrap.wrap(_title(runs), cells.WIDTH), "", *body]


def _title(runs: Sequence[emulate_runs.Emulated]) -> str:
    gpus = ", ".join(f"{run.name} ({run.gpu})" for run in runs)
    launches = max(sum(launch.launches for launch in run.launches) for run in runs)
    kernels = len({launch.kernel for run in runs for launch in run.launches})
    counted = (
        f"{launches:,} launch{'es' * (launches != 1)} of {kernels} kernel{'s' * (kernels != 1)}"
    )
    return f"{counted if launches else 'no launch was completed'} on emulated {gpus}"


def _verdict(program: Path, targets: Sequence[Target], statuses: Sequence[int], wrong: bool) -> int:
    """The program's own failure becomes ours, with a line; so do launches that were not counted and hazards."""
    name = plain(program.name)
    failed = [
        (target, status) for target, status in zip(targets, statuses, strict=True) if status != 0
    ]
    for target, status in failed:
        how = f"exit status {status}" if status > 0 else f"signal {signal.Signals(-status).name}"
        say(f"{name} failed on {target.asked}: {how}")
    return CHECK_FAILED if failed or wrong else 0
