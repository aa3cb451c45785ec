"""The options of `lab fleet`. Imports nothing that needs a package, so that --help always works."""

import argparse
from argparse import Namespace
from collections.abc import Callable

_GRES = "gpu:a100,gpu:h100: these kinds of GPU of the cluster; all, if left out"
_EMULATED = "all|ARCH,ARCH: emulated GPUs, on any node"


def add_options(fleet: argparse.ArgumentParser) -> None:
    """Adds plan, run, status, collect and cancel."""
    commands = fleet.add_subparsers(required=True, metavar="COMMAND", title="commands")
    plan = _add(commands, "plan", "what the cluster offers, the tasks, and their time", _plan)
    _add_what(plan)
    run = _add(commands, "run", "submit, show progress, collect", _run)
    _add_what(run)
    _add_where(run)
    run.add_argument("--dry-run", action="store_true", help="print the job scripts, submit nothing")
    run.add_argument(
        "--detach", action="store_true", help="return after submitting; later: lab fleet collect"
    )
    run.add_argument(
        "--retry",
        metavar="NUMBER",
        help="submit again what failed of that campaign; 'last' for the last one",
    )
    for name, summary, command in (
        ("status", "what has become of each task", _status),
        ("collect", "check the results and merge whole chapters into the data", _collect),
        ("cancel", "cancel what has not ended", _cancel),
    ):
        parser = _add(commands, name, summary, command)
        parser.add_argument("campaign", nargs="?", metavar="NUMBER", help="the last, if left out")
        if name == "collect":
            _add_keep(parser)


def _add_what(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help="all, if none is named")
    parser.add_argument("--gres", metavar="LIST", help=_GRES)
    parser.add_argument("--emulated", metavar="LIST", help=_EMULATED)


def _add_where(parser: argparse.ArgumentParser) -> None:
    for name in ("partition", "account", "constraint"):
        parser.add_argument(f"--{name}", default="", metavar="NAME", help=f"sbatch's --{name}")
    parser.add_argument(
        "--sbatch",
        action="append",
        default=[],
        metavar="OPTION",
        help="one more option of sbatch, as --sbatch=--qos=high; can be repeated",
    )
    parser.add_argument(
        "--container", default="", metavar="IMAGE", help="run in it, through pyxis or Apptainer"
    )
    parser.add_argument("--minutes", type=int, help="time limit of a task, not the estimated one")
    parser.add_argument(
        "--no-shared-files",
        action="store_true",
        help="the nodes do not share this file system: send the tree along, fetch the output",
    )
    parser.add_argument(
        "--in-place",
        action="store_true",
        help="run in this checkout as it is built, for nodes like this machine",
    )
    _add_keep(parser)


def _add_keep(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--keep", action="store_true", help="put all results into data/, to stay")
    where.add_argument("--data", metavar="DIR", help="put all results there")


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    summary: str,
    command: Callable[[Namespace], int],
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
    parser.set_defaults(command=command)
    return parser


def _plan(options: Namespace) -> int:
    from notebook.fleet import commands

    return commands.plan(options)


def _run(options: Namespace) -> int:
    from notebook.fleet import commands

    return commands.run(options)


def _status(options: Namespace) -> int:
    from notebook.fleet import commands

    return commands.status(options)


def _collect(options: Namespace) -> int:
    from notebook.fleet import commands

    return commands.collect(options)


def _cancel(options: Namespace) -> int:
    from notebook.fleet import commands

    return commands.cancel(options)
