#!/usr/bin/env python3
"""Tries the two commands of the README on fresh systems and prints a table: a step of each release.

Makes a root of each system with debootstrap (Debian: apt-get install debootstrap), clones the last
commit into a copy of it, and runs `scripts/lab run` and `scripts/lab test` there. Needs root
rights, about 8 GB and the network; the machine's pip settings apply in the roots, too. Downloaded
packages are kept in the folder for the next root, compiled objects only with --compiler-cache.

    sudo scripts/fresh_roots.py                              # every system in every case
    sudo scripts/fresh_roots.py --system debian13 --case root
    sudo scripts/fresh_roots.py --mirror Ubuntu=http://mirror.example/ubuntu --compiler-cache
"""

import argparse
import os
import shlex
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from notebook import fresh_root
from notebook.fresh_root import CUDA, Case, Distribution, Settings, System, say

_COMMANDS = ("run", "test")
_KEYRINGS = "/usr/share/keyrings"
_DEBIAN = Distribution(
    "Debian",
    "http://deb.debian.org/debian",
    "main",
    "sid",
    f"{_KEYRINGS}/debian-archive-keyring.gpg",
)
_UBUNTU = Distribution(
    "Ubuntu",
    "http://archive.ubuntu.com/ubuntu",
    "main,universe",
    "gutsy",
    f"{_KEYRINGS}/ubuntu-archive-keyring.gpg",
)
SYSTEMS = {
    "debian12": System("Debian 12", "bookworm", _DEBIAN),
    "debian13": System("Debian 13", "trixie", _DEBIAN),
    "ubuntu2404": System("Ubuntu 24.04", "noble", _UBUNTU),
}
_BLANK = "my notebook"
_PREPARED = "user, packages installed"
CASES = {
    case.name: case
    for case in (
        Case("root", "root", is_root=True),
        Case("root-nvcc", "root", is_root=True, has_nvcc=True),
        Case("sudo", "user with sudo", may_sudo=True, folder=_BLANK),
        Case("sudo-nvcc", "user with sudo", may_sudo=True, has_nvcc=True, folder=_BLANK),
        Case("user", _PREPARED, is_prepared=True),
        Case("user-nvcc", _PREPARED, is_prepared=True, has_nvcc=True),
        Case("bare", "user without packages", status=3),
    )
}


@dataclass(frozen=True)
class Outcome:
    """A line of the table."""

    system: System
    case: Case
    cache: str  # of compiled objects: "no", "empty", "filled"
    statuses: tuple[int, ...]
    seconds: tuple[float, ...]
    last_lines: tuple[str, ...]

    @property
    def is_as_expected(self) -> bool:
        return all(status == self.case.status for status in self.statuses)


def main() -> int:
    options = _options()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        say("error: this needs root and debootstrap: sudo apt-get install debootstrap")
        return 3
    settings = Settings(options.folder, dict(options.mirror or ()), options.compiler_cache)
    cases = [CASES[name] for name in options.case or CASES]
    if any(case.has_nvcc for case in cases) and not CUDA.is_dir():
        say(f"no CUDA toolkit in {CUDA}: the cases with nvcc are left out")
        cases = [case for case in cases if not case.has_nvcc]
    outcomes = []
    for name in options.system or SYSTEMS:
        base = fresh_root.make_base(SYSTEMS[name], settings)
        for case in cases:
            outcome = _try(SYSTEMS[name], case, base, settings)
            outcomes.append(outcome)
            say(_row(outcome))
    shutil.rmtree(settings.folder / "tried", ignore_errors=True)
    print("\n".join(_table(outcomes)))
    return 0 if all(outcome.is_as_expected for outcome in outcomes) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="default: all")
    parser.add_argument("--case", action="append", choices=CASES, help="default: all")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("/var/tmp/lab-roots"),
        help="where the roots are made (default: %(default)s)",
    )
    parser.add_argument(
        "--mirror",
        action="append",
        type=_mirror,
        metavar="DISTRIBUTION=URL",
        help="where debootstrap and apt find Debian or Ubuntu",
    )
    parser.add_argument(
        "--compiler-cache",
        action="store_true",
        help="install ccache in the roots; the cells of a system share its objects",
    )
    return parser.parse_args()


def _mirror(text: str) -> tuple[str, str]:
    distribution, _, url = text.partition("=")
    known = {system.distribution.name for system in SYSTEMS.values()}
    if distribution not in known or not url:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a mirror: expected {' or '.join(sorted(known))}, then =URL"
        )
    return distribution, url


def _try(system: System, case: Case, base: Path, settings: Settings) -> Outcome:
    cache = _cache_state(system, settings)
    cell = fresh_root.copy_base(system, case, base, settings)
    statuses, seconds, lines = [], [], []
    for command in _COMMANDS:
        nvcc = "nvcc" if case.has_nvcc else "no nvcc"
        say(f"{system.title}, {case.who}, {nvcc}: scripts/lab {command}")
        began = time.monotonic()
        log = settings.folder / "logs" / f"{system.suite}-{case.name}-{command}.log"
        folder = shlex.quote(f"{case.home}/{case.folder}")
        statuses.append(fresh_root.run_inside(cell, f"cd {folder} && scripts/lab {command}", log))
        seconds.append(time.monotonic() - began)
        lines.append((log.read_text(errors="replace").splitlines() or [""])[-1])
    return Outcome(system, case, cache, tuple(statuses), tuple(seconds), tuple(lines))


def _cache_state(system: System, settings: Settings) -> str:
    if not settings.has_compiler_cache:
        return "no"
    folder = settings.kept(system) / "compiled"
    return "filled" if folder.is_dir() and any(folder.iterdir()) else "empty"


def _table(outcomes: list[Outcome]) -> list[str]:
    header = (
        "| system | who | nvcc | path | compiler cache | `scripts/lab run` | `scripts/lab test` |"
    )
    return [header, "|" + " --- |" * 7, *map(_row, outcomes)]


def _row(outcome: Outcome) -> str:
    case = outcome.case
    results = [
        f"exit {status}, {seconds:.0f} s"
        + ("" if status == case.status else f" (expected {case.status}): {line}")
        for status, seconds, line in zip(
            outcome.statuses, outcome.seconds, outcome.last_lines, strict=True
        )
    ]
    nvcc = "yes" if case.has_nvcc else "no"
    blank = "with a blank" if " " in case.folder else "plain"
    return (
        f"| {' | '.join([outcome.system.title, case.who, nvcc, blank, outcome.cache, *results])} |"
    )


if __name__ == "__main__":
    sys.exit(main())
