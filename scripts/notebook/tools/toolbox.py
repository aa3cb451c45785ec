"""What the notebook needs from the machine: what is there, what is missing, and installing it."""

import glob
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from notebook.base import progress
from notebook.base.errors import MISSING, Problem
from notebook.base.text import plain
from notebook.tools import gpu_toolkit, nvcc

_CUDA = "/usr/local/cuda/bin"
# NVIDIA's packages keep several releases beside each other.
_OTHER_CUDAS = "/usr/local/cuda-*/bin"
# Another apt may be at work: on a fresh machine often the one that updates it.
_SECONDS_FOR_THE_LOCK = 600
_SECONDS_BETWEEN_TRIES = 3


@dataclass(frozen=True)
class Package:
    """A Debian package. `find` says where it is or what version, and "" when it is missing."""

    apt: str
    why: str
    find: Callable[[], str]


def environment() -> dict[str, str]:
    """The environment of child processes: our own Python tools first, the CUDA compiler last.

    An nvcc that is too old must not be found before the one that serves.
    """
    path = os.environ.get("PATH", os.defpath)
    folders = [str(Path(sys.executable).parent), path, _CUDA]
    if (chosen := find_nvcc()) and shutil.which("nvcc", path=os.pathsep.join(folders)) != chosen:
        folders.insert(1, str(Path(chosen).parent))
    return os.environ | {"PATH": os.pathsep.join(folders)}


def find_program(name: str) -> str:
    """The path of a program on PATH (ours, see `environment`); "" when it is missing."""
    return shutil.which(name, path=environment()["PATH"]) or ""


def compiler_command() -> list[str]:
    """What Meson will compile with: CXX where the user set it."""
    return shlex.split(os.environ.get("CXX", "")) or ["g++"]


def find_compiler() -> str:
    return find_program(compiler_command()[0])


def find_nvcc() -> str:
    """The CUDA compiler: the first of the machine, or the one that setup installs; "" when it is missing.

    One that fits the machine's GPU comes before others.
    """
    usable = serving_nvccs()
    return next(filter(gpu_toolkit.fits, usable), usable[0] if usable else "")


def serving_nvccs() -> list[str]:
    """Every nvcc that the notebook can be built with, in the order in which they are looked for."""
    return [path for path in _installed_nvccs() if nvcc.serves(path)]


def passed_over() -> list[str]:
    """A line for each nvcc that does not serve, and would have come before the one that does."""
    chosen = find_nvcc()
    before = itertools.takewhile(lambda path: path != chosen, _installed_nvccs())
    return [f"{path} is not used: {why}" for path in before if (why := nvcc.why_not(path))]


def _installed_nvccs() -> list[str]:
    others = sorted(glob.glob(_OTHER_CUDAS), key=_numbers, reverse=True)
    return nvcc.installed([*os.environ.get("PATH", os.defpath).split(os.pathsep), _CUDA, *others])


def _numbers(path: str) -> list[int]:
    """Sorts releases: 12.10 is newer than 12.9."""
    return [int(number) for number in re.findall(r"[0-9]+", path)]


def first_line(*command: str) -> str:
    """The first line that a command prints; "" when it fails."""
    return (output(*command).splitlines() or [""])[0].strip()


def output(*command: str) -> str:
    """What a command prints; "" when it fails."""
    try:
        run = subprocess.run(
            command, env=environment(), capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout


def _program(name: str) -> Callable[[], str]:
    return lambda: find_program(name)


def _daemon(name: str) -> Callable[[], str]:
    return lambda: find_program(name) or shutil.which(name, path="/usr/sbin:/sbin") or ""


@cache
def _has_header(header: str) -> bool:
    """Whether the compiler that will build the notebook finds a header."""
    if not find_compiler():
        return False
    source = f"#if !__has_include(<{header}>)\n#error missing\n#endif\n"
    command = [*compiler_command(), "-E", "-x", "c++", "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0


def _library(pkg_config: str | None, header: str) -> Callable[[], str]:
    def find() -> str:
        version = first_line("pkg-config", "--modversion", pkg_config) if pkg_config else ""
        return version or ("there" if _has_header(header) else "")

    return find


COMPILER = Package("g++", "compiles the experiments and the emulated GPU", find_compiler)
BENCHMARK = Package(
    "libbenchmark-dev",
    "Google Benchmark runs the experiments",
    _library("benchmark", "benchmark/benchmark.h"),
)
GTEST = Package("libgtest-dev", "runs the C++ tests", _library("gtest", "gtest/gtest.h"))
PKG_CONFIG = Package(
    "pkg-config",
    "finds the libraries for Meson",
    lambda: find_program("pkg-config") or find_program("cmake"),
)
GNUPLOT = Package("gnuplot-nox", "draws the figures", _program("gnuplot"))
GIT = Package("git", "names the revision that results were made from", _program("git"))

SLURM = Package("slurm-wlm", "tests of campaigns start a cluster", _daemon("slurmctld"))
MUNGE = Package("munge", "tests of campaigns start a cluster", _daemon("munged"))
CHROMIUM = Package(
    "chromium",
    "tests open pages in it",
    lambda: find_program("chromium") or find_program("chromium-browser"),
)
# Without these some tests are skipped. A cluster brings daemons along, so only CI and a nightly run install one, as
# root, who alone can start it. A browser is large, so only a nightly run installs one.
FOR_TESTS_OF_CAMPAIGNS = (SLURM, MUNGE)
FOR_TESTS_OF_PAGES = (CHROMIUM,)

# pkg-config and the compiler first: the libraries are looked for with them.
PACKAGES = (PKG_CONFIG, COMPILER, BENCHMARK, GTEST, GNUPLOT, GIT)
FOR_EVERY_RUN = (PKG_CONFIG, COMPILER, BENCHMARK)


def missing(packages: tuple[Package, ...] = PACKAGES) -> list[Package]:
    """The packages that are not there."""
    return [package for package in packages if not package.find()]


def install_missing(say: Callable[[str], None]) -> list[Package]:
    """Installs what is missing through apt where we may; returns what still is missing."""
    if os.environ.get("CXX") and not find_compiler():
        raise Problem(f"the compiler that CXX names, {os.environ['CXX']}, is missing", MISSING)
    lacking = missing()
    if not lacking:
        return []
    for package in lacking:
        say(f"missing: {package.apt} ({package.why})")
    if as_root := _as_root():
        if failure := _apt(as_root, [package.apt for package in lacking], say):
            say(f"apt-get: {failure}")
        _has_header.cache_clear()
    still = missing()
    if still:
        say(f"could not be installed here: {_names(still)}; {how_to_install(still)}")
    return still


def require(packages: tuple[Package, ...], for_what: str) -> None:
    """Raises Problem when one of `packages` is not there; says how to get all that is missing."""
    if lacking := missing(packages):
        raise Problem(f"{for_what} needs {_names(lacking)}; {how_to_install(missing())}", MISSING)


def how_to_install(packages: list[Package], *more: str) -> str:
    """What the user can do about missing packages, and about more that are named as apt does."""
    names = " ".join([*more, *(package.apt for package in packages)])
    if shutil.which("apt-get"):
        return f"install: sudo apt-get install {names}"
    return f"install what Debian calls {names}"


def apt_install(names: list[str], say: Callable[[str], None]) -> None:
    """Installs packages where we may; the caller checks whether they are there."""
    if (as_root := _as_root()) and (failure := _apt(as_root, names, say)):
        say(f"apt-get: {failure}")


def _names(packages: list[Package]) -> str:
    return " ".join(package.apt for package in packages)


def _as_root() -> list[str]:
    """How to run apt-get as root; [] where there is no apt or we may not."""
    if not shutil.which("apt-get"):
        return []
    if os.geteuid() == 0:
        return ["env"]
    sudo = ["sudo", "-n", "env"]
    may = shutil.which("sudo") and subprocess.run([*sudo, "true"], capture_output=True)
    return sudo if may and may.returncode == 0 else []


def _apt(as_root: list[str], names: list[str], say: Callable[[str], None]) -> str:
    """Installs packages; returns the first error, "" if there is none."""
    say(f"installing {' '.join(names)} (apt)")
    # Short timeouts: a machine without a network shall say so soon.
    options = ["-q", "-o", "Acquire::http::Timeout=15", "-o", "Acquire::Retries=1"]
    # apt's progress for a terminal is no lines.
    options += ["-o", "Dpkg::Use-Pty=0"]
    apt = [*as_root, "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", "apt-get", *options]
    done = progress.Done(0, "")
    for arguments in (["update"], ["-y", "--no-install-recommends", "install", *names]):
        done = _when_unlocked([*apt, *arguments], say)
    errors = [line for line in done.output.splitlines() if line.startswith("E:")]
    return plain((errors or ["failed"])[0]) if done.status else ""


def _when_unlocked(apt: list[str], say: Callable[[str], None]) -> progress.Done:
    """Runs apt-get; waits while another apt holds one of the locks."""
    began = time.monotonic()
    while True:
        done = progress.run(apt, "apt")
        is_locked = done.status != 0 and "Could not get lock" in done.output
        if not is_locked or time.monotonic() - began > _SECONDS_FOR_THE_LOCK:
            return done
        say("another apt is installing on this machine: waiting for it")
        time.sleep(_SECONDS_BETWEEN_TRIES)
