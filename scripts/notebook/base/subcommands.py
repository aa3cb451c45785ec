"""A command of `lab` is a function: its name is the command's, its docstring what --help says.

The first line is the summary in the list of commands; the paragraph below it, if there is one, describes it.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from inspect import cleandoc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[ArgumentParser]


def commands_of(parser: ArgumentParser) -> "Commands":
    """Where the commands below `parser` are added."""
    return parser.add_subparsers(required=True, metavar="COMMAND", title="commands")


def add(commands: "Commands", run: Callable[[Namespace], int]) -> ArgumentParser:
    """Adds the command that `run` is."""
    summary, _, description = cleandoc(run.__doc__ or "").partition("\n\n")
    parser = commands.add_parser(
        run.__name__.strip("_"),
        help=summary,
        description=description or f"{summary.capitalize()}.",
    )
    parser.set_defaults(command=run)
    return parser
