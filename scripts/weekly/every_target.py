#!/usr/bin/env python3
"""Every chapter with machine code for the usual compute capabilities that a toolkit here knows, as cuobjdump shows.

    PYTHONPATH=scripts .venv/bin/python scripts/weekly/every_target.py [--targets 61,90] [--nvcc PATH]…

Builds in build/targets-RELEASE, with every nvcc of the machine that serves unless some are named. A chapter has
code for a target in what its generation runs: kernels that need a later one are compiled for those that have it.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from notebook.base.errors import CHECK_FAILED
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.data.chapters import find_chapters
from notebook.tools import build, nvcc, testing, toolbox

# One of each kind of machine code: sm_62, sm_72, sm_87 … are those of the others for embedded GPUs.
TARGETS = (50, 52, 60, 61, 70, 75, 80, 86, 89, 90, 100, 103, 120)
_CODE = re.compile(r"\bsm_(\d+)\b")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", type=_targets, default=TARGETS)
    parser.add_argument("--nvcc", action="append", help="default: every one that serves")
    options = parser.parse_args(arguments)
    compilers = options.nvcc or toolbox.serving_nvccs()
    return 0 if all([_builds(path, options.targets) for path in compilers]) else CHECK_FAILED


def _targets(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _builds(compiler: str, wanted: tuple[int, ...]) -> bool:
    """Builds every chapter with a compiler; whether each has the code of all targets that it knows."""
    project = Project.here()
    targets = [target for target in wanted if target in nvcc.targets(compiler)]
    folder = project.build / f"targets-{nvcc.text(compiler)}"
    environment = toolbox.environment()
    folders = [str(Path(compiler).parent), environment["PATH"], str(nvcc.own_toolkit() / "bin")]
    environment["PATH"] = os.pathsep.join(folders)
    cuobjdump = shutil.which("cuobjdump", path=environment["PATH"])
    if not cuobjdump:
        say(
            "error: no cuobjdump to look with; install: .venv/bin/pip install nvidia-cuda-cuobjdump"
        )
        return False
    option = f"-Dgpu_targets={','.join(map(str, targets))}"
    setup = [*build.MESON, "setup", *(["--reconfigure"] if folder.is_dir() else []), option]
    chapters = find_chapters(project, [])
    programs = [chapter.target for chapter in chapters]
    ninja = str(Path(sys.executable).with_name("ninja"))
    for command in (
        [*setup, str(folder), str(project.root)],
        [ninja, "-C", str(folder), "--quiet", *programs],
    ):
        if subprocess.run(command, env=environment, stdout=sys.stderr, check=False).returncode:
            return False
    wrong = {program: set(targets) - code_in(cuobjdump, folder / program) for program in programs}
    for program, lacking in wrong.items():
        if lacking:
            say(f"error: {program} has no code for {', '.join(f'sm_{n}' for n in sorted(lacking))}")
    testing.count("chapters with code for a target", len(programs) * len(targets))
    say(f"nvcc {nvcc.text(compiler)}: {len(programs)} chapters for {', '.join(map(str, targets))}")
    return not any(wrong.values())


def code_in(cuobjdump: str, program: Path) -> set[int]:
    """The compute capabilities whose machine code a program holds."""
    listing = toolbox.output(cuobjdump, "--list-elf", str(program))
    return set(map(int, _CODE.findall(listing)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
