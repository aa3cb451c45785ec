"""The options of `scripts/lab emulate`; imports what needs no package, so that --help does not."""

import argparse
from pathlib import Path

from notebook.base.text import plain

DEFAULT_ARCHITECTURE = "hopper"
REPORTS = ("lines", "launches", "json", "csv", "html")
MACHINE_REPORTS = ("json", "csv", "html")  # written to standard output
USAGE = (
    "scripts/lab emulate [--architecture NAME[,NAME...]] [--report lines|launches|json|csv|html] [--names]\n"
    "                    [--check-hazards] [--check-leaks] [--keep-going]\n"
    "                    [--save-counts FILE] [--check-counts FILE [--tolerance PERCENT]]\n"
    "                    [--sample] [--time-limit S] (FILE.cu [nvcc flags] | PROGRAM) [-- arguments]"
)


def add_options(command: argparse.ArgumentParser) -> None:
    command.usage = USAGE
    command.add_argument(
        "--architecture",
        metavar="NAME[,NAME...]",
        default=DEFAULT_ARCHITECTURE,
        help=f"{DEFAULT_ARCHITECTURE}, if left out",
    )
    command.add_argument("--report", choices=REPORTS, default="lines", help="lines, if left out")
    command.add_argument(
        "--names", action="store_true", help="add Nsight Compute's names of all that is shown"
    )
    command.add_argument(
        "--check-hazards",
        action="store_true",
        help="races, uninitialised and freed memory, copies not waited for, barriers and masks that lanes miss",
    )
    command.add_argument(
        "--check-leaks", action="store_true", help="memory that the program never frees"
    )
    command.add_argument(
        "--keep-going",
        action="store_true",
        help="report accesses out of bounds and go on, where a GPU would not notice them",
    )
    command.add_argument(
        "--save-counts", metavar="FILE", type=Path, help="write counts by kernel into FILE"
    )
    command.add_argument(
        "--check-counts",
        metavar="FILE",
        type=Path,
        help="exit 1 where a kernel's sectors, conflicts, spills or local requests exceed FILE's",
    )
    command.add_argument(
        "--tolerance",
        metavar="PERCENT",
        type=_percent,
        default=0.0,
        help="by how much counts may grow; 0, if left out",
    )
    command.add_argument(
        "--sample", action="store_true", help="run enough blocks to tell the counts of all"
    )
    command.add_argument(
        "--time-limit", metavar="S", type=_positive, help="seconds a launch may take"
    )
    command.add_argument(
        "words",
        nargs=argparse.REMAINDER,
        metavar="FILE.cu|PROGRAM",
        help="with nvcc's flags, and behind -- the program's arguments",
    )


def _percent(text: str) -> float:
    value = _number(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{plain(text)} is not a percentage")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{plain(text)} is not a positive number of seconds")
    return value


def _number(text: str) -> float:
    """nan, which no comparison accepts, for other text."""
    try:
        return float(text)
    except ValueError:
        return float("nan")
