#!/usr/bin/env python3
"""Tries the commands of the README on fresh systems and prints a table: a step of each release.

Makes a root of each system with debootstrap (Debian: apt-get install debootstrap), clones the last
commit into a copy of it, and runs there `scripts/lab run`, `scripts/lab test` and all other commands
of the README. Needs root rights, about 8 GB and the network; the machine's pip settings apply in the
roots, too. Downloaded packages are kept in the folder for the next root, compiled objects only with
--compiler-cache.

    sudo scripts/fresh_roots.py                              # every system in every case
    sudo scripts/fresh_roots.py --system debian13 --case root
    sudo scripts/fresh_roots.py --mirror Ubuntu=http://mirror.example/ubuntu --compiler-cache
"""

import argparse
import os
import resource
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from notebook.tools import fresh_root
from notebook.tools.fresh_root import CUDA, Case, Distribution, Settings, System, say

_COMMANDS = ("run", "test", "readme")
# Others, where asked for: machine code for every GPU that the toolkits know, and `lab emulate` as a clone's first
# command.
_TARGETS = "targets"
_EMULATE = "emulate"
_EVERY_TARGET = "PYTHONPATH=scripts .venv/bin/python scripts/weekly/every_target.py"
# Its device is one that a reader has and we have not.
_NEEDS_A_GPU = "nvidia-a100"
_PROGRAM = """__global__ void twice(float* values) { values[threadIdx.x] *= 2; }
int main() {
    float* values;
    cudaMalloc(&values, 32 * sizeof(float));
    twice<<<1, 32>>>(values);
    return cudaDeviceSynchronize();
}
"""
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
        Case("distribution", "root, the distribution's CUDA", True, has_distributions_cuda=True),
        Case("bare", "user without packages", status=3),
    )
}


@dataclass(frozen=True)
class Result:
    """Of one command."""

    status: int
    seconds: float
    cpu_seconds: float  # what other programs of the machine hardly change
    last_line: str


@dataclass(frozen=True)
class Outcome:
    """A line of the table."""

    system: System
    case: Case
    cache: str  # of compiled objects: "no", "empty", "filled"
    results: dict[str, Result]  # by command

    @property
    def is_as_expected(self) -> bool:
        return all(result.status == self.case.status for result in self.results.values())


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
            # Ubuntu 24.04 has CUDA 12.0 in its multiverse: NVIDIA's packages are the way there.
            if case.has_distributions_cuda and SYSTEMS[name].distribution is not _DEBIAN:
                continue
            outcome = _try(SYSTEMS[name], case, base, settings, options.command or _COMMANDS)
            outcomes.append(outcome)
            say(_row(outcome, list(outcome.results)))
    shutil.rmtree(settings.folder / "tried", ignore_errors=True)
    print("\n".join(table(outcomes)))
    return 0 if all(outcome.is_as_expected for outcome in outcomes) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="default: all")
    parser.add_argument("--case", action="append", choices=CASES, help="default: all")
    parser.add_argument(
        "--command",
        action="append",
        choices=(*_COMMANDS, _TARGETS, _EMULATE),
        help=f"default: {', '.join(_COMMANDS)}; {_TARGETS} wants run before it, {_EMULATE} should be given first",
    )
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


def _try(
    system: System, case: Case, base: Path, settings: Settings, commands: Sequence[str]
) -> Outcome:
    cache = cache_state(system, settings)
    cell = fresh_root.copy_base(system, case, base, settings)
    results = {}
    for command in commands:
        say(f"{system.title}, {case.who}, nvcc {_nvcc(case)}: {command}")
        began, began_cpu = time.monotonic(), _cpu_seconds()
        log = settings.folder / "logs" / f"{system.suite}-{case.name}-{command}.log"
        status = fresh_root.run_in_clone(cell, _script(command), log)
        last_line = (log.read_text(errors="replace").splitlines() or [""])[-1]
        seconds, cpu_seconds = time.monotonic() - began, _cpu_seconds() - began_cpu
        results[command] = Result(status, seconds, cpu_seconds, last_line)
    return Outcome(system, case, cache, results)


def _cpu_seconds() -> float:
    """Of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _script(command: str) -> str:
    """What a shell runs for a command of the table."""
    if command == _TARGETS:
        return _EVERY_TARGET
    program = f"printf %s {shlex.quote(_PROGRAM)} > program.cu"
    if command == _EMULATE:
        return f"{program}\nscripts/lab emulate program.cu"
    if command != "readme":
        return f"scripts/lab {command}"
    readme = fresh_root.REPOSITORY / "README.md"
    tools = 'PATH="$PWD/.venv/bin:$PATH"'  # as `. .venv/bin/activate` does
    commands = readme_commands(readme.read_text(encoding="utf-8"))
    return "\n".join(["set -ex", tools, program, *commands])


# How a command of a page begins.
_SHOWN = ("scripts/lab ", "build/", "meson ")


def readme_commands(text: str) -> list[str]:
    """The commands that a page shows, beside the two that have columns of their own."""
    commands = []
    for line in text.splitlines():
        command = line.split("#")[0].strip()
        if not line.startswith("    ") or not command.startswith(_SHOWN):
            continue
        if command in ("scripts/lab run", "scripts/lab test") or _NEEDS_A_GPU in command:
            continue
        commands.append(command)
        if command.startswith("scripts/lab new "):  # "that builds and runs"
            commands.append(f"scripts/lab run {command.split()[-1]}")
    return commands


def cache_state(system: System, settings: Settings) -> str:
    if not settings.has_compiler_cache:
        return "no"
    folder = settings.kept(system) / "compiled"
    return "filled" if folder.is_dir() and any(folder.iterdir()) else "empty"


def table(outcomes: list[Outcome]) -> list[str]:
    ran = {command for outcome in outcomes for command in outcome.results}
    commands = [*_COMMANDS, *(command for command in (_TARGETS, _EMULATE) if command in ran)]
    header = ["system", "who", "nvcc", "path", "compiler cache", *commands]
    rows = [_row(outcome, commands) for outcome in outcomes]
    return [_line(header), "|" + " --- |" * len(header), *rows]


def _row(outcome: Outcome, commands: list[str]) -> str:
    case = outcome.case
    cells = [outcome.system.title, case.who, _nvcc(case)]
    cells += ["with a blank" if " " in case.folder else "plain", outcome.cache]
    for command in commands:
        result = outcome.results.get(command)
        if not result:
            cells.append("not run")
            continue
        cell = f"exit {result.status}, {result.seconds:.0f} s (CPU {result.cpu_seconds:.0f} s)"
        is_expected = result.status == case.status
        cells.append(cell if is_expected else f"{cell}, not {case.status}: {result.last_line}")
    return _line(cells)


def _nvcc(case: Case) -> str:
    if case.has_distributions_cuda:
        return "the distribution's"
    return "yes" if case.has_nvcc else "no"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
