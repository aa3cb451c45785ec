"""The commands of those who change the notebook: check, test, sass, profile."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from notebook.project import Project

Add = Callable[[str, str, str], ArgumentParser]


def add_commands(add: Add) -> None:
    command = add(
        "sass",
        "the machine code of a chapter's kernels",
        "Compiles the PTX in a chapter's executable with ptxas and prints the machine code of its "
        "kernels. Needs no GPU.",
    )
    command.add_argument("chapter", metavar="CHAPTER")
    command.add_argument("--kernel", metavar="TEXT", help="only kernels whose name contains it")
    command.add_argument(
        "--architecture", metavar="SM", default="sm_90", help="sm_75 or later; sm_90 if left out"
    )
    command.set_defaults(command=_sass)

    command = add(
        "profile",
        "hardware counters of a chapter, as a table",
        "Launches each variant of a chapter once under Nsight Compute and prints its counters; "
        "stores nothing. Needs a GPU.",
    )
    command.add_argument("chapter", metavar="CHAPTER")
    command.set_defaults(command=_profile)

    command = add(
        "check",
        "format, lint, types, spelling, sizes",
        "Runs ruff, mypy, clang-format, shellcheck, hadolint and codespell on all tracked files, and "
        "measures the length of files and functions.",
    )
    command.set_defaults(command=_check)

    command = add(
        "test",
        "build everything and run every test",
        "Builds everything and runs the C++ and the Python tests, and lab check.",
    )
    command.add_argument(
        "--nightly", action="store_true", help="many more cases; about an hour on 2 cores"
    )
    command.set_defaults(command=_test)


def _sass(options: Namespace) -> int:
    from notebook import machine_code

    return machine_code.show(
        Project.here(), options.chapter, options.kernel or "", options.architecture
    )


def _profile(options: Namespace) -> int:
    from notebook import counters

    return counters.profile(Project.here(), options.chapter)


def _check(_: Namespace) -> int:
    from notebook import checking

    return checking.check(Project.here())


def _test(options: Namespace) -> int:
    from notebook import testing

    return testing.test(Project.here(), options.nightly)
