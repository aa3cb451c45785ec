"""The options of `scripts/lab run`; imports what needs no package, so that --help does not."""

import argparse

from notebook.errors import WRONG_USAGE, Problem

_LONGEST_LIMIT = 7 * 24 * 60


def add_options(command: argparse.ArgumentParser, architectures: str) -> None:
    command.epilog = (
        f"NAME is {architectures}, a GPU (t4, rtx3060) or a compute capability (sm_86)."
    )
    command.add_argument(
        "chapters",
        nargs="*",
        metavar="CHAPTER",
        help="a directory's name, number or part; all, if none is named",
    )
    command.add_argument(
        "--device",
        metavar="gpu|emulated:NAME",
        help="the GPU if there is one, else emulated:hopper, if left out",
    )
    command.add_argument(
        "--quick",
        action="store_true",
        help="few repetitions, which decide no time; the results go to build/quick",
    )
    command.add_argument("--build-only", action="store_true", help="build, and run nothing")
    command.add_argument(
        "--no-figures", action="store_true", help="draw no figures, write no tables"
    )
    command.add_argument(
        "--time-limit",
        type=float,
        metavar="MINUTES",
        help="for one process of a chapter; ten times what it took before, at least an hour, if left out",
    )
    command.add_argument(
        "--resume",
        action="store_true",
        help="go on with the run that was interrupted or failed last, with what is missing of it",
    )
    where = command.add_mutually_exclusive_group()
    where.add_argument("--keep", action="store_true", help="put all results into data/, to stay")
    where.add_argument("--data", metavar="DIR", help="put all results there")


def check(options: argparse.Namespace) -> None:
    """Raises Problem for options that cannot be meant together, and for a limit that is none."""
    limit = options.time_limit
    if limit is not None and not 0 < limit <= _LONGEST_LIMIT:
        raise Problem(f"--time-limit: minutes, above 0 and up to {_LONGEST_LIMIT}", WRONG_USAGE)
    others = (options.chapters, options.device, options.quick, options.build_only, options.keep)
    if options.resume and any((*others, options.data, options.no_figures)):
        raise Problem("--resume repeats what was asked for then; it takes no more", WRONG_USAGE)
