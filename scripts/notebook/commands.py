"""The commands of `scripts/lab`, their options and what --help says of them.

Imports what needs no package: --help works before anything is installed. A command imports the
rest when it runs.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import NoReturn

from notebook import development_commands
from notebook.base import subcommands
from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.data.devices import architectures
from notebook.emulate import options as emulate_options
from notebook.fleet import options as fleet_options
from notebook.run import run_options


class _Parser(ArgumentParser):
    """Wrong usage is one line, and exit status 2."""

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message}; see: scripts/{self.prog} --help", WRONG_USAGE)


def parser() -> ArgumentParser:
    """All commands."""
    top = _Parser(
        prog="lab",
        description="CUDA memory experiments, on a GPU or on an emulated one.",
        epilog="Each command has its own --help. The two to begin with: scripts/lab run, scripts/lab test.",
    )
    commands = subcommands.commands_of(top)
    _setup_options(subcommands.add(commands, _setup))
    _list_options(subcommands.add(commands, _list))
    _run_options(subcommands.add(commands, _run))
    _emulate_options(subcommands.add(commands, _emulate))
    _figures_options(subcommands.add(commands, _figures))
    _verdicts_options(subcommands.add(commands, _verdicts))
    _compare_options(subcommands.add(commands, _compare))
    _counters_options(subcommands.add(commands, _counters))
    _peers_options(subcommands.add(commands, _peers))
    _pack_options(subcommands.add(commands, _pack))
    _add_options(subcommands.add(commands, _add))
    _data_to_read(subcommands.add(commands, _report))
    fleet_options.add_command(commands)
    subcommands.add(commands, _doctor)
    _new_options(subcommands.add(commands, _new))
    development_commands.add_commands(commands)
    return top


def _data_to_read(command: ArgumentParser) -> None:
    command.add_argument(
        "--data", metavar="DIR", help="read the results of that folder, not of data/"
    )


def _setup_options(command: ArgumentParser) -> None:
    command.add_argument(
        "--all-ptxas",
        action="store_true",
        help="also ptxas of CUDA 12.9 and 11.8 (60 MB): registers of emulated GPUs before Turing",
    )


def _setup(options: Namespace) -> int:
    """install what is missing

    Installs what is missing: compiler, libraries and gnuplot through apt (as root, or with sudo that asks no
    password), Python packages and, where there is no nvcc of CUDA 12 or later, the CUDA compiler into .venv.
    Does nothing where everything is there. The other commands do the same when they need it.
    """
    from notebook.tools import setup

    return setup.setup(Project.here(), options.all_ptxas)


def _list_options(command: ArgumentParser) -> None:
    command.add_argument("chapters", nargs="*", metavar="CHAPTER", help="all, if none is named")
    command.add_argument("--json", action="store_true", help="with the devices that have data")


def _list(options: Namespace) -> int:
    """the chapters, their questions and answers

    Each chapter: its name, its question, and what the data in data/ answer.
    """
    from notebook.pages import chapter_list

    return chapter_list.print_chapters(Project.here(), options.chapters, options.json)


def _run_options(command: ArgumentParser) -> None:
    run_options.add_options(command, _architectures())


def _run(options: Namespace) -> int:
    """build, run, collect data, draw, print verdicts

    Builds the chapters, runs them, collects their results, draws their figures and prints what they decide.
    Emulated results that data/ has already are counted again in place, and come out the same; all others
    go to build/results, until --keep puts them into data/. Rows that --filter chooses go to build/filtered.
    """
    from notebook.run import run, unfinished
    from notebook.tools.destinations import Destinations

    run_options.check(options)
    if options.resume:
        return run.resume(unfinished.load(Project.here()), options.time_limit)
    where = Destinations.chosen(
        options.data, options.keep, options.quick, options.filter is not None
    )
    draws = not options.no_figures
    steps = run.Steps(
        options.quick,
        options.build_only,
        draws,
        options.time_limit,
        options.filter,
        options.gpu_targets,
        again=options.again or not run_options.may_be_stored(options),
    )
    return run.run(where, options.chapters, options.device, steps)


def _emulate_options(command: ArgumentParser) -> None:
    command.epilog = (
        f"NAME is {_architectures()}, a GPU (t4, rtx3060) or a compute capability (sm_86)."
    )
    emulate_options.add_options(command)


def _emulate(options: Namespace) -> int:
    """any CUDA program on an emulated GPU: what its accesses cost, and its predicted time

    Builds a .cu file with nvcc, or takes a program that is linked with CUDA's shared runtime, runs it on
    emulated GPUs and reports every launch: counts by line, and how long it would take.
    """
    from notebook.emulate import command as emulate

    return emulate.emulate(options)


def _figures_options(command: ArgumentParser) -> None:
    command.add_argument(
        "chapters",
        nargs="*",
        metavar="CHAPTER",
        help="its figure and its page alone; everything, if none is named",
    )
    what = command.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="fail if the tracked ones are stale")
    what.add_argument(
        "--format",
        choices=["svg", "png", "pdf"],
        default="svg",
        help="svg goes to plots/; png and pdf go to build/figures/",
    )
    command.add_argument("--data", metavar="DIR", help="draw from there, into DIR/plots")


def _figures(options: Namespace) -> int:
    """all figures and generated tables from data/

    Draws the figures and brings the generated tables of the pages up to date. Of a chapter: its own figure and page.
    """
    from notebook.data.chapters import find_chapters
    from notebook.pages import drawing

    project = Project.with_results(options.data)
    asked = find_chapters(project, options.chapters) if options.chapters else None
    if options.check:
        return drawing.check(project, asked)
    return drawing.draw(project, asked, options.format)


def _verdicts_options(command: ArgumentParser) -> None:
    command.add_argument("chapters", nargs="*", metavar="CHAPTER", help="all, if none is named")
    command.add_argument("--device", metavar="DEVICE", help="one device, with its numbers")
    command.add_argument("--all", action="store_true", help="every claim on every device")
    _data_to_read(command)
    command.add_argument("--json", action="store_true", help="every verdict, with every number")


def _verdicts(options: Namespace) -> int:
    """what the data decide

    Prints each chapter's answer, and which claims hold and which fall on measured GPUs; with --device every
    claim with its numbers, with --all a matrix of claims and devices.
    """
    from notebook.pages import verdict_list

    return verdict_list.print_verdicts(options)


def _compare_options(command: ArgumentParser) -> None:
    command.add_argument(
        "words",
        nargs="+",
        metavar="DEVICE|CHAPTER",
        help="devices of data/ or build/results, or folders; then chapters, all, if none is named",
    )
    command.add_argument("--chapter", action="append", default=[], help="one more chapter")
    _data_to_read(command)
    command.add_argument("--all", action="store_true", help="every row, with what differs marked")
    command.add_argument("--json", action="store_true", help="every row, with every number")


def _compare(options: Namespace) -> int:
    """devices side by side, or two runs of one

    Prints claims with what is printed and the verdict and number of each device: ratios within its own run. Without
    a chapter: the claims on which devices differ. Of named chapters: all claims, and the measured, published and
    predicted times. For example: lab compare emulated-fermi nvidia-h200 10
    """
    from notebook.compare import compare, comparison_output
    from notebook.data.chapters import find_chapters

    project = Project.with_results(options.data)
    devices, words = compare.split(project, options.words)
    words += options.chapter
    if len(devices) < 2:
        raise Problem("compare needs two devices; see: scripts/lab compare --help", WRONG_USAGE)
    chapters = find_chapters(project, words)
    operands = [compare.operand(project, chapters, word) for word in devices]
    comparison = compare.compare_devices(project, chapters, operands)
    form = "json" if options.json else "all" if options.all else "named" if words else ""
    print("\n".join(comparison_output.in_form(project, comparison, form)))
    return 0


def _counters_options(command: ArgumentParser) -> None:
    command.add_argument(
        "chapter", metavar="CHAPTER|validation", help="or the emulator's validation set"
    )
    command.add_argument("--data", metavar="DIR", help="the folder of the measured ones, not data/")


def _counters(options: Namespace) -> int:
    """measure counters (ncu), and print emulated beside measured

    Measures the hardware's counters of a chapter with Nsight Compute where there is a GPU, and prints those of
    the emulated GPU beside the measured ones.
    """
    from notebook.counters import counters

    return counters.counters(Project.here(options.data), options.chapter)


def _peers_options(command: ArgumentParser) -> None:
    command.add_argument("chapters", nargs="*", metavar="CHAPTER", help="all that have peers")
    command.add_argument(
        "--checkouts",
        metavar="DIR",
        type=Path,
        help="folder with clones of github.com/siboehm/SGEMM_CUDA, NVIDIA/cuda-samples, or both, to time, too",
    )
    command.add_argument("--data", metavar="DIR", help="the folder of the results, not data/")


def _peers(options: Namespace) -> int:
    """measure what other people's code takes for the same work

    Times PyTorch, CUB, Thrust and cuBLAS at the problems of chapters 07, 14 and 19, each repetition beside a
    copy by the driver, into data/DEVICE/peers/. Needs a GPU, PyTorch, and the chapter's own results.
    """
    from notebook.peers import record

    return record.peers(Project.here(options.data), options.chapters, options.checkouts)


def _pack_options(command: ArgumentParser) -> None:
    command.add_argument("device", metavar="DEVICE", help="a folder of build/results or data/")
    command.add_argument("--output", metavar="FILE", help="DEVICE.tar.gz, if left out")
    _data_to_read(command)


def _pack(options: Namespace) -> int:
    """one archive of a GPU's results, to send

    Checks a GPU's results and packs them into one archive, which `lab add` takes.
    """
    from notebook.archives import contribute

    return contribute.pack(Project.with_results(options.data), options.device, options.output)


def _add_options(command: ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="what `lab pack` wrote")
    command.add_argument("--data", metavar="DIR", help="put them there, to compare with data/")


def _add(options: Namespace) -> int:
    """check an archive and put its results into data/

    Checks an archive that somebody packed and puts its results into data/, all or nothing.
    """
    from notebook.archives import contribute

    return contribute.add(Project.here(options.data), options.file)


def _report(options: Namespace) -> int:
    """all pages, verdicts and kernels as a site in build/report

    Writes a static site that opens from the file system: every page with its figures, a table of all verdicts
    to filter and sort, two devices side by side, kernels line by line. Counts what the lines of built chapters
    cost, half a minute the first time.
    """
    from notebook.report import command

    return command.report(Project.with_results(options.data))


def _doctor(_: Namespace) -> int:
    """what is there, what is missing, and how to fix it

    Lists every tool and library with its version and what it is for. Changes nothing.
    """
    from notebook.tools import doctor

    return doctor.doctor()


def _new_options(command: ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help="like write_strides, or 21_write_strides")


def _new(options: Namespace) -> int:
    """the skeleton of a chapter

    Makes a directory in chapters/ that builds and runs at once.
    """
    from notebook import skeleton

    project = Project.here()
    directory = skeleton.create(project, options.name)
    print(f"made {project.quoted(directory)}/; next: scripts/lab run {directory.name[:2]}")
    return 0


def _architectures() -> str:
    try:
        return ", ".join(architectures(Project.here()))
    except Problem:
        return "a column of data/architectures.csv"
