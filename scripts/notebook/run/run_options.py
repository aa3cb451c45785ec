"""The options of `scripts/lab run`; imports what needs no package, so that --help does not."""

import argparse
import re

from notebook.base.errors import WRONG_USAGE, Problem

_LONGEST_LIMIT = 7 * 24 * 60
_TARGETS = r"((native|[0-9]{2,3}[a-z]?)(,(native|[0-9]{2,3}[a-z]?)){0,50})?"


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
    command.add_argument(
        "--filter",
        metavar="REGEX",
        help="the rows whose name matches, as offset:11/; the results go to build/filtered",
    )
    command.add_argument(
        "--again",
        action="store_true",
        help="on an emulated GPU: count the named chapters again, also from sources that have not changed",
    )
    command.add_argument("--build-only", action="store_true", help="build, and run nothing")
    command.add_argument(
        "--gpu-targets",
        default="",
        metavar="LIST",
        help="compile for GPUs of these compute capabilities: 80,90; native: those here; as configured, if left out",
    )
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
    """Raises Problem for options that cannot be meant together, and for values that are none."""
    limit = options.time_limit
    if limit is not None and not 0 < limit <= _LONGEST_LIMIT:
        raise Problem(f"--time-limit: minutes, above 0 and up to {_LONGEST_LIMIT}", WRONG_USAGE)
    others = [options.chapters, options.device, options.quick, options.build_only, options.keep]
    others += [options.data, options.no_figures, options.filter is not None]
    if not re.fullmatch(_TARGETS, options.gpu_targets):
        raise Problem("--gpu-targets: compute capabilities like 80,90, or native", WRONG_USAGE)
    if options.resume and any(others):
        raise Problem("--resume repeats what was asked for then; it takes no more", WRONG_USAGE)
    if options.filter is not None:
        _check_filter(options)


def may_be_stored(options: argparse.Namespace) -> bool:
    """Whether chapters that were counted from the same sources need not be counted again: named ones, whole."""
    others = (options.quick, options.keep, options.data, options.build_only, options.gpu_targets)
    is_emulated = (options.device or "").startswith("emulated")
    return bool(options.chapters) and is_emulated and options.filter is None and not any(others)


def _check_filter(options: argparse.Namespace) -> None:
    if options.keep or options.data is not None:
        raise Problem(
            "--filter: some rows are no result of a chapter; they go to build/filtered, "
            "without --keep and --data",
            WRONG_USAGE,
        )
    try:
        re.compile(options.filter)
    except (re.error, RecursionError, OverflowError) as error:
        raise Problem(
            f"--filter {options.filter}: is not a regular expression: {error}", WRONG_USAGE
        ) from error
