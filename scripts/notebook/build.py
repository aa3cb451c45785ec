"""Building with Meson and Ninja: configure once, then only what is asked for."""

import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from notebook import toolbox
from notebook.errors import CHECK_FAILED, MISSING, Problem
from notebook.project import Project

# Not the script `meson`: its first line breaks when the working tree moves.
MESON = [sys.executable, "-m", "mesonbuild.mesonmain"]


# What an executable loads in place of NVIDIA's runtime when it runs on an emulated GPU.
EMULATED_RUNTIME = "common/emulator/runtime/libcudart.so.13"


def configure(project: Project, *wanted: str) -> None:
    """Makes build/ ready to build `wanted`; configures anew only where Ninja does not by itself."""
    if not (project.build / "build.ninja").is_file():
        _meson(project, "setup")
    elif _is_foreign(project):
        _meson(project, "setup", "--wipe")
    else:
        _ninja(project, "--quiet", "build.ninja")
    if not targets(project).issuperset(wanted):
        # A chapter came after the first configuration.
        _meson(project, "setup", "--reconfigure")
    known = targets(project)
    for name in wanted:
        if name not in known:
            raise Problem(f"the build has no {name}; is there a meson.build for it?", MISSING)


def targets(project: Project) -> set[str]:
    """The targets of the configured build, as paths below build/."""
    with (project.build / "meson-info" / "intro-targets.json").open(encoding="utf-8") as file:
        described = json.load(file)
    outputs = [Path(output) for target in described for output in target["filename"]]
    return {str(output.relative_to(project.build)) for output in outputs}


def build(project: Project, *wanted: str) -> None:
    """Builds the targets, or everything for none."""
    _ninja(project, *wanted)


def run_tests(project: Project) -> bool:
    """Runs the C++ tests; True when all passed."""
    command = [*MESON, "test", "-C", str(project.build), "--print-errorlogs"]
    return subprocess.run(command, env=toolbox.environment(), check=False).returncode == 0


def _is_foreign(project: Project) -> bool:
    """Whether build/ was made by another version of Meson, or for a tree at another place."""
    try:
        info = json.loads((project.build / "meson-info" / "meson-info.json").read_text())
        made_by, made_for = info["meson_version"]["full"], info["directories"]["source"]
        return made_by != version("meson") or Path(made_for) != project.root
    except (OSError, ValueError, KeyError, PackageNotFoundError):
        return True


def _meson(project: Project, *arguments: str) -> None:
    _run([*MESON, *arguments, str(project.build), str(project.root)], "configuring")


def _ninja(project: Project, *arguments: str) -> None:
    ninja = toolbox.find_program("ninja")
    if not ninja:
        raise Problem("no ninja; run: scripts/lab setup", MISSING)
    _run([ninja, "-C", str(project.build), *arguments], "building")


def _run(command: list[str], doing: str) -> None:
    """Runs a build tool. What it prints is progress, so it goes to standard error."""
    done = subprocess.run(command, env=toolbox.environment(), stdout=sys.stderr, check=False)
    if done.returncode != 0:
        raise Problem(f"{doing} failed; see the messages above", CHECK_FAILED)
