"""The commands of those who change the notebook: check, test, sass, profile."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from notebook.base import subcommands
from notebook.base.project import Project

if TYPE_CHECKING:
    from notebook.base.subcommands import Commands


def add_commands(commands: "Commands") -> None:
    _sass_options(subcommands.add(commands, _sass))
    subcommands.add(commands, _profile).add_argument("chapter", metavar="CHAPTER")
    subcommands.add(commands, _check)
    subcommands.add(commands, _test).add_argument(
        "--nightly",
        action="store_true",
        help="many more cases and programs; up to two hours on 2 cores",
    )


def _sass_options(command: ArgumentParser) -> None:
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--kernel", metavar="TEXT", help="only kernels whose name contains it")
    command.add_argument(
        "--architecture", metavar="SM", default="sm_90", help="sm_75 or later; sm_90 if left out"
    )


def _sass(options: Namespace) -> int:
    """the machine code of a chapter's kernels

    Compiles the PTX in a chapter's executable with ptxas and prints the machine code of its kernels. Needs no
    GPU.
    """
    from notebook.tools import machine_code

    return machine_code.show(
        Project.here(), options.chapter, options.kernel or "", options.architecture
    )


def _profile(options: Namespace) -> int:
    """hardware counters of a chapter, as a table

    Launches each variant of a chapter once under Nsight Compute and prints its counters; stores nothing. Needs
    a GPU.
    """
    from notebook.counters import counters

    return counters.profile(Project.here(), options.chapter)


def _check(_: Namespace) -> int:
    """format, lint, types, spelling, sizes

    Runs ruff, mypy, clang-format, shellcheck, hadolint and codespell on all tracked files, and measures the
    length of files and functions.
    """
    from notebook.tools import checking

    return checking.check(Project.here())


def _test(options: Namespace) -> int:
    """build and pass the tests

    Builds all but what a nightly run alone needs, and runs the C++ and the Python tests, and lab check.
    """
    from notebook.tools import testing

    return testing.test(Project.here(), options.nightly)
