"""The command line of `scripts/lab`."""

import argparse
import json
import os
import signal
import sys
from typing import NoReturn

from notebook import (
    compare,
    contribute,
    counters,
    doctor,
    drawing,
    emulate,
    matrix,
    side_by_side,
    skeleton,
    tables,
    testing,
    toolbox,
    verdicts,
)
from notebook import run as running
from notebook.chapters import all_chapters, find_chapters
from notebook.collect import say
from notebook.errors import CHECK_FAILED, INTERRUPTED, MISSING, WRONG_USAGE, Problem
from notebook.project import Project
from notebook.results import load_chapter
from notebook.text import close_matches, plain


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line, and exit status 2."""

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message}; see: scripts/{self.prog} --help", WRONG_USAGE)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the exit status: 0, 1 (a check failed), 2 (usage), 3 (missing)."""
    # A plain `kill` cleans up as Ctrl-C does: an exception runs through every `finally`.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
        sys.stdout.flush()
        return status
    except Problem as problem:
        print(f"lab: error: {problem}", file=sys.stderr)
        return problem.status
    except BrokenPipeError:  # `lab list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CHECK_FAILED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"lab: error: {where}{error.strerror or error}", file=sys.stderr)
        return CHECK_FAILED
    except KeyboardInterrupt:
        print("lab: interrupted; finished data are whole", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="lab", description="CUDA memory experiments, on a GPU or on an emulated one."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("setup", help="install what is missing")
    command.set_defaults(command=_setup)

    command = commands.add_parser("list", help="the chapters and their questions")
    command.add_argument("--json", action="store_true")
    command.set_defaults(command=_list)

    command = commands.add_parser("run", help="build, run, collect data, draw, print verdicts")
    command.add_argument("chapters", nargs="*", metavar="CHAPTER", help="all, if none is named")
    command.add_argument("--device", metavar="gpu|emulated:ARCH")
    command.add_argument(
        "--quick",
        action="store_true",
        help="few repetitions, which decide no time; the results go to build/quick",
    )
    command.add_argument("--data", metavar="DIR", help="put the results there, not into data/")
    command.set_defaults(command=_run)

    command = commands.add_parser(
        "emulate", help="any CUDA program on an emulated GPU: what its memory accesses cost"
    )
    emulate.add_options(command)

    command = commands.add_parser("figures", help="all figures and generated tables from data/")
    command.add_argument("--check", action="store_true", help="fail if the tracked ones are stale")
    command.add_argument("--data", metavar="DIR", help="draw from there, into DIR/plots")
    command.set_defaults(command=_figures)

    command = commands.add_parser("verdicts", help="what the data decide")
    command.add_argument("--device", metavar="DEVICE", help="one device, with its numbers")
    command.add_argument("--data", metavar="DIR")
    command.add_argument("--json", action="store_true")
    command.set_defaults(command=_verdicts)

    command = commands.add_parser("compare", help="devices, each by its own measure; or two runs")
    command.add_argument("devices", nargs="+", metavar="DEVICE", help="of data/, or a folder")
    command.add_argument("--chapter", metavar="CHAPTER", help="all, if left out")
    command.add_argument("--data", metavar="DIR")
    command.add_argument("--json", action="store_true", help="every row, with every number")
    command.set_defaults(command=_compare)

    command = commands.add_parser(
        "counters", help="measure counters (ncu), and print emulated beside measured"
    )
    command.add_argument("chapter", metavar="CHAPTER|validation")
    command.add_argument("--data", metavar="DIR")
    command.set_defaults(
        command=lambda options: counters.counters(Project.here(options.data), options.chapter)
    )

    command = commands.add_parser("pack", help="one archive of a GPU's results, to send")
    command.add_argument("device", metavar="DEVICE", help="a folder of data/")
    command.add_argument("--output", metavar="FILE", help="DEVICE.tar.gz, if left out")
    command.add_argument("--data", metavar="DIR")
    command.set_defaults(
        command=lambda options: contribute.pack(
            Project.here(options.data), options.device, options.output
        )
    )

    command = commands.add_parser("add", help="check an archive and put its results into data/")
    command.add_argument("file", metavar="FILE")
    command.add_argument("--data", metavar="DIR", help="put them there, to compare with data/")
    command.set_defaults(
        command=lambda options: contribute.add(Project.here(options.data), options.file)
    )

    command = commands.add_parser("doctor", help="what is there, what is missing, and the mend")
    command.set_defaults(command=lambda _: doctor.doctor())

    command = commands.add_parser("new", help="the skeleton of a chapter")
    command.add_argument("name", metavar="NAME")
    command.set_defaults(command=_new)

    command = commands.add_parser("test", help="build everything and run every test")
    command.set_defaults(command=lambda _: testing.test(Project.here()))
    return parser


def _setup(_: argparse.Namespace) -> int:
    still_missing = toolbox.install_missing(say)
    if not toolbox.find_nvcc():
        say("no nvcc: the GPU executables are left out; everything else works")
    if not still_missing:
        say("everything is there; next: scripts/lab run")
    return MISSING if still_missing else 0


def _list(options: argparse.Namespace) -> int:
    project = Project.here()
    chapters = all_chapters(project)
    if options.json:
        described = [
            {
                "chapter": chapter.name,
                "question": chapter.question,
                "devices": [result.device for result in load_chapter(project, chapter)],
            }
            for chapter in chapters
        ]
        print(json.dumps(described, indent=2, ensure_ascii=False))
        return 0
    width = max((len(chapter.name) for chapter in chapters), default=0)
    for chapter in chapters:
        print(f"{chapter.name:{width}}  {chapter.question}".rstrip())
    return 0


def _run(options: argparse.Namespace) -> int:
    # A quick run must not take the place of data that decide something.
    data = options.data or (Project.here().build / "quick" if options.quick else None)
    return running.run(Project.here(data), options.chapters, options.device, options.quick)


def _figures(options: argparse.Namespace) -> int:
    project = Project.here(options.data)
    return drawing.check(project) if options.check else drawing.draw(project)


def _verdicts(options: argparse.Namespace) -> int:
    project = Project.here(options.data)
    chapters = all_chapters(project)
    decided = [tables.decide_chapter(project, chapter, options.device) for chapter in chapters]
    if options.device is not None and not any(each.results for each in decided):
        every = tables.all_results(project, chapters)
        known = sorted({result.device for result in every})
        raise Problem(
            f"no data of device '{plain(options.device)}'; {close_matches(options.device, known)}",
            WRONG_USAGE,
        )
    if options.json:
        found = [tables.as_json(verdict) for each in decided for verdict in each.verdicts]
        print(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        return 0
    if options.device is None:
        print("\n".join(matrix.lines(decided)))
        return 0
    for each in (each for each in decided if each.verdicts):
        print("\n".join([each.chapter.name, *tables.terminal_lines(each), ""]))
    print(verdicts.LEGEND)
    return 0


def _compare(options: argparse.Namespace) -> int:
    project = Project.here(options.data)
    if len(options.devices) < 2:
        raise Problem("compare needs two devices; see: scripts/lab compare --help", WRONG_USAGE)
    chapters = find_chapters(project, [options.chapter] if options.chapter else [])
    operands = [compare.operand(project, chapters, word) for word in options.devices]
    found = compare.compare(project, chapters, operands)
    if options.json:
        print(json.dumps(side_by_side.as_json(found), indent=2, allow_nan=False))
    else:
        print("\n".join(side_by_side.lines(found)))
    return 0


def _new(options: argparse.Namespace) -> int:
    project = Project.here()
    directory = skeleton.create(project, options.name)
    print(
        f"made {project.shown(directory)}/ and its line in chapters/meson.build; "
        f"next: scripts/lab run {directory.name[:2]}"
    )
    return 0
