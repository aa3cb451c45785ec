"""The options of `lab fleet`. Imports nothing that needs a package, so that --help always works."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from notebook.base import subcommands

if TYPE_CHECKING:
    from notebook.base.subcommands import Commands

_GRES = "gpu:a100,gpu:h100: these kinds of GPU of the cluster; all, if left out"
_EMULATED = "all|ARCH,ARCH: emulated GPUs, on any node"


def add_command(commands: "Commands") -> None:
    """Adds fleet, with plan, run, status, collect and cancel below it."""
    steps = subcommands.commands_of(subcommands.add(commands, _fleet))
    _add_what(subcommands.add(steps, _plan))
    run = subcommands.add(steps, _run)
    _add_what(run)
    _add_where(run)
    run.add_argument("--dry-run", action="store_true", help="print the job scripts, submit nothing")
    run.add_argument(
        "--detach", action="store_true", help="return after submitting; later: lab fleet collect"
    )
    run.add_argument(
        "--retry",
        metavar="NUMBER",
        help="submit again what failed of that campaign, or of the 'last', by its options and those given now",
    )
    _add_campaign(subcommands.add(steps, _status))
    collect = subcommands.add(steps, _collect)
    _add_campaign(collect)
    _add_keep(collect)
    _add_campaign(subcommands.add(steps, _cancel))


def _add_campaign(parser: ArgumentParser) -> None:
    parser.add_argument("campaign", nargs="?", metavar="NUMBER", help="the last, if left out")


def _add_what(parser: ArgumentParser) -> None:
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help="all, if none is named")
    parser.add_argument("--gres", metavar="LIST", help=_GRES)
    parser.add_argument("--emulated", metavar="LIST", help=_EMULATED)


def _add_where(parser: ArgumentParser) -> None:
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


def _add_keep(parser: ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--keep", action="store_true", help="put all results into data/, to stay")
    where.add_argument("--data", metavar="DIR", help="put all results there")


def _fleet(_: Namespace) -> int:
    """the notebook on every kind of GPU of a Slurm cluster

    Submits a job array for each kind of GPU, a task for each chapter, shows what becomes of them, checks the
    results and merges whole chapters into the data.
    """
    raise AssertionError("one of its commands runs")


def _plan(options: Namespace) -> int:
    """what the cluster offers, the tasks, and their time"""
    from notebook.fleet import commands

    return commands.plan(options)


def _run(options: Namespace) -> int:
    """submit, show progress, collect"""
    from notebook.fleet import commands

    return commands.run(options)


def _status(options: Namespace) -> int:
    """what has become of each task"""
    from notebook.fleet import commands

    return commands.status(options)


def _collect(options: Namespace) -> int:
    """check the results and merge whole chapters into the data"""
    from notebook.fleet import commands

    return commands.collect(options)


def _cancel(options: Namespace) -> int:
    """cancel what has not ended"""
    from notebook.fleet import commands

    return commands.cancel(options)
