#!/usr/bin/env python3
"""Tries the two commands of the README on fresh systems, and prints a table.

For whoever releases. Makes a root of each system with debootstrap (Debian: apt-get install debootstrap),
clones the last commit into a copy of it, and runs `scripts/lab run` and `scripts/lab test` there.
Needs to be root, about 6 GB and the network; the machine's pip settings hold in the roots, too.

    sudo scripts/fresh_roots.py                              # every system in every case
    sudo scripts/fresh_roots.py --system debian13 --case root
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

_REPOSITORY = Path(__file__).resolve().parents[1]
_CUDA = Path("/usr/local/cuda")
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_HOME = "/home/reader"
_COMMANDS = ("run", "test")


@dataclass(frozen=True)
class System:
    """A release, and what debootstrap makes it from."""

    title: str
    suite: str
    mirror: str
    components: str
    script: str  # what debootstrap calls the way to make it
    keyring: str


_DEBIAN = (
    "http://deb.debian.org/debian",
    "main",
    "sid",
    "/usr/share/keyrings/debian-archive-keyring.gpg",
)
_UBUNTU = (
    "http://archive.ubuntu.com/ubuntu",
    "main,universe",
    "gutsy",
    "/usr/share/keyrings/ubuntu-archive-keyring.gpg",
)
SYSTEMS = {
    "debian12": System("Debian 12", "bookworm", *_DEBIAN),
    "debian13": System("Debian 13", "trixie", *_DEBIAN),
    "ubuntu2404": System("Ubuntu 24.04", "noble", *_UBUNTU),
}


@dataclass(frozen=True)
class Case:
    """Who runs the commands, and with what."""

    who: str
    is_root: bool = False
    may_sudo: bool = False
    has_nvcc: bool = False
    # Installed by somebody else beforehand: what a user without sudo has to ask for.
    is_prepared: bool = False
    folder: str = "notebook"
    status: int = 0  # expected of both commands


CASES = {
    "root": Case("root", is_root=True),
    "root-nvcc": Case("root", is_root=True, has_nvcc=True),
    "sudo": Case("user with sudo", may_sudo=True, folder="my notebook"),
    "sudo-nvcc": Case("user with sudo", may_sudo=True, has_nvcc=True, folder="my notebook"),
    "user": Case("user, packages installed", is_prepared=True),
    "user-nvcc": Case("user, packages installed", is_prepared=True, has_nvcc=True),
    "bare": Case("user without packages", status=3),
}


@dataclass(frozen=True)
class Outcome:
    """A line of the table."""

    system: System
    case: Case
    statuses: tuple[int, ...]
    seconds: tuple[float, ...]
    last_lines: tuple[str, ...]

    @property
    def is_as_expected(self) -> bool:
        return all(status == self.case.status for status in self.statuses)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", action="append", choices=SYSTEMS, help="all, if none is named")
    parser.add_argument("--case", action="append", choices=CASES, help="all, if none is named")
    parser.add_argument(
        "--folder", type=Path, default=Path("/var/tmp/lab-roots"), help="where the roots are made"
    )
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print(
            "error: this needs root and debootstrap: sudo apt-get install debootstrap",
            file=sys.stderr,
        )
        return 3
    cases = [CASES[name] for name in options.case or CASES]
    if any(case.has_nvcc for case in cases) and not _CUDA.is_dir():
        _say(f"no CUDA toolkit in {_CUDA}: the cases with nvcc are left out")
        cases = [case for case in cases if not case.has_nvcc]
    outcomes = []
    for name in options.system or SYSTEMS:
        base = _base(SYSTEMS[name], options.folder)
        for case in cases:
            outcome = _try(SYSTEMS[name], case, base, options.folder)
            outcomes.append(outcome)
            _say(_row(outcome))
    print("\n".join(_table(outcomes)))
    return 0 if all(outcome.is_as_expected for outcome in outcomes) else 1


def _base(system: System, folder: Path) -> Path:
    """A root of the system as it comes, which is made once."""
    base = folder / system.suite
    if not (base / "made").is_file():
        _say(f"making a root of {system.title} in {base}")
        shutil.rmtree(base, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        command = ["debootstrap", "--variant=minbase", f"--components={system.components}"]
        command += ["--include=ca-certificates,git,sudo"]
        if Path(system.keyring).is_file():
            command.append(f"--keyring={system.keyring}")
        else:
            _say(f"no {system.keyring} here: the signatures of {system.title} are not checked")
            command.append("--no-check-gpg")
        script = f"/usr/share/debootstrap/scripts/{system.script}"
        _run([*command, system.suite, str(base), system.mirror, script])
        _set_up(base)
        (base / "made").touch()
    return base


def _set_up(base: Path) -> None:
    """The network and a user; pip trusts whom the machine trusts."""
    shutil.copy("/etc/resolv.conf", base / "etc" / "resolv.conf")
    (base / "etc" / "hosts").write_text(
        f"127.0.0.1 localhost {os.uname().nodename}\n"
    )  # sudo looks itself up
    shutil.copy(_CERTIFICATES, base / _CERTIFICATES.relative_to("/"))
    for settings in (Path("/etc/pip.conf"),):
        if settings.is_file():
            shutil.copy(settings, base / settings.relative_to("/"))
    _run(
        [
            "chroot",
            str(base),
            "useradd",
            "--create-home",
            "--home-dir",
            _HOME,
            "--shell",
            "/bin/sh",
            "reader",
        ]
    )


def _try(system: System, case: Case, base: Path, folder: Path) -> Outcome:
    root = folder / "tried"
    shutil.rmtree(root, ignore_errors=True)
    _run(["cp", "-a", "--reflink=auto", str(base), str(root)])
    if case.may_sudo:
        (root / "etc" / "sudoers.d" / "reader").write_text("reader ALL=(ALL) NOPASSWD: ALL\n")
    if case.is_prepared:
        _prepare(root)
    home = "/root" if case.is_root else _HOME
    place = root / home.lstrip("/") / case.folder
    _run(["git", "clone", "--quiet", "--no-hardlinks", str(_REPOSITORY), str(place)])
    if not case.is_root:
        _run(["chroot", str(root), "chown", "-R", "reader:", _HOME])
    statuses, seconds, lines = [], [], []
    for command in _COMMANDS:
        _say(
            f"{system.title}, {case.who}, {'' if case.has_nvcc else 'no '}nvcc: scripts/lab {command}"
        )
        began = time.monotonic()
        log = folder / "logs" / f"{system.suite}-{_name(case)}-{command}.log"
        status = _inside(
            root, case, f"cd {shlex.quote(f'{home}/{case.folder}')} && scripts/lab {command}", log
        )
        statuses.append(status)
        seconds.append(time.monotonic() - began)
        lines.append((log.read_text(errors="replace").splitlines() or [""])[-1])
    return Outcome(system, case, tuple(statuses), tuple(seconds), tuple(lines))


def _prepare(root: Path) -> None:
    """Installs what the notebook asks for, as an administrator does whom a user asks."""
    sys.path.insert(0, str(_REPOSITORY / "scripts"))
    from notebook.toolbox import PACKAGES

    names = ["python3-venv", *(package.apt for package in PACKAGES)]
    install = "apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install"
    log = root.parent / "logs" / "prepare.log"
    if _inside(root, CASES["root"], f"{install} {' '.join(names)}", log):
        raise SystemExit(f"error: the packages cannot be installed; see {log}")


def _inside(root: Path, case: Case, command: str, log: Path) -> int:
    """Runs a command in the root, alone with its processes and mounts."""
    mounts = f"mount --rbind /dev {shlex.quote(str(root / 'dev'))}"
    if case.has_nvcc:
        toolkit = root / _CUDA.relative_to("/")
        toolkit.mkdir(parents=True, exist_ok=True)
        mounts += (
            f" && mount --bind {shlex.quote(str(_CUDA.resolve()))} {shlex.quote(str(toolkit))}"
        )
        mounts += f" && mount -o remount,bind,ro {shlex.quote(str(toolkit))}"
    who = [] if case.is_root else ["setpriv", "--reuid=reader", "--regid=reader", "--init-groups"]
    settings = {
        "HOME": "/root" if case.is_root else _HOME,
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PIP_CERT": str(_CERTIFICATES),
        **{
            name: value
            for name, value in os.environ.items()
            if name in ("PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT")
        },
    }
    environment = ["env", "-i", *(f"{name}={value}" for name, value in settings.items())]
    inner = shlex.join(["chroot", str(root), *who, *environment, "sh", "-c", command])
    script = f"{mounts} && mount -t proc proc {shlex.quote(str(root / 'proc'))} && exec {inner}"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as file:
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]
        return subprocess.run(
            alone, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False
        ).returncode


def _name(case: Case) -> str:
    return next(name for name, each in CASES.items() if each == case)


def _table(outcomes: list[Outcome]) -> list[str]:
    header = "| system | who | nvcc | path | `scripts/lab run` | `scripts/lab test` |"
    return [header, "|" + " --- |" * 6, *map(_row, outcomes)]


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
    return f"| {' | '.join([outcome.system.title, case.who, nvcc, blank, *results])} |"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).splitlines()[-5:]
        raise SystemExit(f"error: {shlex.join(command)}: {' '.join(said)}")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
