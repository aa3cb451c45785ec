#!/usr/bin/env python3
"""Runs the steps of the Dockerfile and of the Apptainer definition in copies of a fresh root.

No image is built: this shows that the steps work, in order, as the users that they name, from a system without
anything. Needs root rights and the network; what a step prints goes to a log beside the root.

    sudo debootstrap --variant=minbase trixie /var/tmp/trixie
    sudo PYTHONPATH=scripts scripts/container_steps.py /var/tmp/trixie
    sudo PYTHONPATH=scripts scripts/container_steps.py /var/tmp/trixie --command 'scripts/lab run 02'
"""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from notebook.tools import fresh_root
from notebook.tools.fresh_root import REPOSITORY, Case, Cell, say

DOCKERFILE = REPOSITORY / "Dockerfile"
APPTAINER = REPOSITORY / "scripts" / "notebook" / "fleet" / "apptainer.def"
_CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")


@dataclass(frozen=True)
class Step:
    """A command as a user in a folder; or, with `copies_to`, the repository put there."""

    command: str
    user: str = "root"
    folder: str = "/"
    copies_to: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", type=Path, help="a fresh root; it is copied and not changed")
    parser.add_argument("--command", help="run this instead of the Dockerfile's CMD")
    options = parser.parse_args()
    docker = list(docker_steps(DOCKERFILE.read_text(encoding="utf-8"), options.command))
    apptainer = [apptainer_step(APPTAINER.read_text(encoding="utf-8"))]
    passed = [
        _tried(options.root, steps, name)
        for name, steps in (("Dockerfile", docker), ("apptainer.def", apptainer))
    ]
    return 0 if all(passed) else 1


def docker_steps(text: str, command: str | None = None) -> Iterator[Step]:
    """What an image is built and run with. Raises ValueError for an instruction that is not known."""
    user, folder = "root", "/"
    for line in re.sub(r"\\\n", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.M)).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "RUN":
            yield Step(rest.strip(), user, folder)
        elif word == "CMD":
            yield Step(command or shlex.join(json.loads(rest)), user, folder)
        elif word == "COPY":
            yield Step("", copies_to=rest.split()[-1])
        elif word == "USER":
            user = rest
        elif word == "WORKDIR":
            folder = rest
        elif word not in ("", "FROM"):
            raise ValueError(f"Dockerfile: {word} is not known")


def apptainer_step(text: str) -> Step:
    """Its %post section, which Apptainer runs as root and stops at the first failure."""
    section = re.split(r"^%", text, flags=re.M)[1]
    name, _, commands = section.partition("\n")
    if name.strip() != "post":
        raise ValueError(f"apptainer.def: %{name.strip()} is not known")
    return Step(f"set -e\n{commands}")


def _tried(base: Path, steps: list[Step], name: str) -> bool:
    """Runs the steps until one fails; says how each ended."""
    root = base.with_name(f"{base.name}-{name}")
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    for number, step in enumerate(steps, start=1):
        began = time.monotonic()
        log = base.with_name(f"{root.name}-{number}.log")
        status = _copied(root, step) if step.copies_to else _ran(root, step, log)
        what = f"COPY to {step.copies_to}" if step.copies_to else " ".join(step.command.split())
        say(
            f"{name}, step {number}, as {step.user}: exit {status}, "
            f"{time.monotonic() - began:.0f} s: {what[:70]}"
        )
        if status:
            say(f"see {log}")
            return False
    return True


def _copied(root: Path, step: Step) -> int:
    """The last commit with its history, of the user 1000, as .dockerignore leaves it."""
    place = root / step.copies_to.lstrip("/")
    git = ["git", "clone", "--quiet", "--no-hardlinks", str(REPOSITORY), str(place)]
    subprocess.run(git, check=True)
    return subprocess.run(["chown", "-R", "1000:1000", str(place)], check=True).returncode


def _ran(root: Path, step: Step, log: Path) -> int:
    # pip here trusts what this machine trusts, which may be more than the system's own list.
    if (root / _CERTIFICATES.parent).is_dir():
        shutil.copy(Path("/") / _CERTIFICATES, root / _CERTIFICATES)
    is_root = step.user in ("root", "0", "0:0")
    case = Case(step.user, step.user, is_root=is_root)
    script = f"cd {shlex.quote(step.folder)} || exit\n{step.command}"
    return fresh_root.run_inside(Cell(root, case, {}), script, log)


if __name__ == "__main__":
    sys.exit(main())
