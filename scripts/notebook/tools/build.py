"""Building with Meson and Ninja: configure once, then only what is asked for."""

import configparser
import json
import re
import shutil
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from notebook.base import files, lock, progress
from notebook.base.errors import CHECK_FAILED, MISSING, Malformed, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import short
from notebook.tools import gpus_here, nvcc, toolbox

# The folder of programs that `lab emulate` compiles, which it does before the first build.
PROGRAMS = "emulate"
# The parts of build/ that outlive a new build.
_KEPT = {PROGRAMS, "results", "quick", "filtered", "runs", "figures", "fleet"}
# Not the script `meson`: its first line breaks when the working tree moves.
MESON = [sys.executable, "-m", "mesonbuild.mesonmain"]


_NOTHING_TO_DO = "ninja: no work to do"
# Before it Ninja lists the steps that succeeded.
_FAILED_STEP = re.compile(r"(?m)^(?=FAILED: )")
# The targets for which Meson has configured machine code.
_TARGETS = "common/gpu_targets.json"


def emulated_runtime() -> str:
    """What an executable of this build loads in place of NVIDIA's runtime when it runs on an emulated GPU."""
    release = nvcc.release(toolbox.find_nvcc()) or nvcc.FROM_PYPI
    return f"common/emulator/runtime/libcudart.so.{release[0]}"


def configure(project: Project, *names: str, gpu_targets: str = "") -> None:
    """Makes build/ ready to build `names`, for `gpu_targets` (as configured, if empty); configures again only
    where Ninja does not by itself."""
    if not (compiler := toolbox.find_nvcc()):
        raise Problem("no nvcc to compile with; with a network, run: scripts/lab setup", MISSING)
    for line in toolbox.passed_over():
        say(f"{line}; using nvcc of CUDA {nvcc.text(compiler)} ({compiler})")
    _bring_up_to_date(project, [f"-Dgpu_targets={gpu_targets}"] if gpu_targets else [])
    if not targets(project).issuperset(names):
        # A chapter came after the first configuration.
        _meson(project, "setup", "--reconfigure")
    known = targets(project)
    for name in names:
        if name not in known:
            raise Problem(f"the build has no {name}; is there a meson.build for it?", MISSING)


def _bring_up_to_date(project: Project, asked: list[str]) -> None:
    """Configures where there is no usable build, or one with other options; a build that is not usable is replaced."""
    with lock.held(project.root, say):
        options = _chosen_options(project)
        if not _is_usable(project):
            _clear(project)
            _meson(project, "setup", *options, *asked)
        elif not set(options).issuperset(asked):
            _meson(project, "setup", "--reconfigure", *asked)
        elif lacking := _missing_targets(project):
            say(f"build/ has no machine code for {lacking}: configuring again")
            _meson(project, "setup", "--reconfigure")
        else:
            _ninja(project, "build.ninja", "--quiet", "build.ninja")


def _is_usable(project: Project) -> bool:
    """Whether build/ is a build of this tree, by this Meson and nvcc, that Ninja can read."""
    if not (project.build / "build.ninja").is_file() or _is_foreign(project):
        return False
    ninja = [_find_ninja(), "-C", str(project.build), "-t", "query", "build.ninja"]
    return subprocess.run(ninja, capture_output=True, check=False).returncode == 0


def _missing_targets(project: Project) -> str:
    """The GPUs of this machine that the build has no machine code for; "" where it has, or targets were chosen."""
    try:
        configured = json.loads(files.read_text(project.build / _TARGETS))
        targets, is_chosen = configured["targets"].split(), configured["chosen"] == "true"
    except (Malformed, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    if is_chosen:
        return ""
    lacking = [gpu for gpu in gpus_here.gpus() if str(gpu.target) not in targets]
    return ", ".join(f"sm_{gpu.target}, {gpu.name}" for gpu in lacking)


def _chosen_options(project: Project) -> list[str]:
    """The options that somebody gave this build, as far as it can still be read."""
    stored = configparser.RawConfigParser(delimiters=("=",))
    try:
        stored.read(project.build / "meson-private" / "cmd_line.txt", encoding="utf-8")
        return [f"-D{name}={value}" for name, value in stored["options"].items()]
    except (configparser.Error, KeyError, UnicodeDecodeError):
        return []


def _clear(project: Project) -> None:
    """Removes what is in build/ but for the parts that outlive a new build."""
    if project.build.is_dir():
        leftovers = [path for path in project.build.iterdir() if path.name not in _KEPT]
    else:
        leftovers = [project.build] if project.build.exists() or project.build.is_symlink() else []
    if any(path.name.startswith(("meson-", "build")) for path in leftovers):
        say("build/ is not a build of this tree by this Meson and nvcc: rebuilding")
    for path in leftovers:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def targets(project: Project) -> set[str]:
    """The targets of the configured build, as paths below build/."""
    try:
        described = json.loads(files.read_text(project.build / "meson-info" / "intro-targets.json"))
        outputs = [Path(output) for target in described for output in target["filename"]]
        return {str(output.relative_to(project.build)) for output in outputs}
    except (Malformed, ValueError, LookupError, TypeError, RecursionError) as error:
        folder = project.quoted(project.build)
        raise Problem(f"{folder} is damaged ({short(error)}); remove it and try again") from error


def build(project: Project, what: str, *names: str) -> None:
    """Builds the targets, or everything for none, and shows how far it is; one line says what was built, and how
    long it took."""
    with lock.held(project.root, say):
        _ninja(project, what, *names)


def run_tests(project: Project) -> bool:
    """Runs the C++ tests; True when all passed."""
    command = [*MESON, "test", "-C", str(project.build), "--print-errorlogs"]
    # Meson ends a test after 30 s; on a busy machine the longest take more.
    command += ["--timeout-multiplier=10"]
    return subprocess.run(command, env=toolbox.environment(), check=False).returncode == 0


def _is_foreign(project: Project) -> bool:
    """Whether build/ was made by another Meson or nvcc than are used now, or for a tree at another place."""
    folder = project.build / "meson-info"
    try:
        info = json.loads(files.read_text(folder / "meson-info.json"))
        made_by, made_for = info["meson_version"]["full"], info["directories"]["source"]
        compilers = json.loads(files.read_text(folder / "intro-compilers.json"))["host"]
        cuda = compilers.get("cuda", {}).get("version", "")
        if cuda and not f"{cuda}.".startswith(f"{nvcc.text(toolbox.find_nvcc())}."):
            return True
        return made_by != version("meson") or Path(made_for) != project.root
    except (Malformed, ValueError, LookupError, TypeError, RecursionError, PackageNotFoundError):
        return True


def _meson(project: Project, *arguments: str) -> None:
    _run([*MESON, *arguments, str(project.build), str(project.root)], "configuring", "configured")


def _ninja(project: Project, what: str, *arguments: str) -> None:
    command = [_find_ninja(), "-C", str(project.build), *arguments]
    _run(command, f"building {what}", f"built {what}")


def _find_ninja() -> str:
    ninja = toolbox.find_program("ninja")
    if not ninja:
        raise Problem("no ninja; run: scripts/lab setup", MISSING)
    return ninja


def _run(command: list[str], doing: str, did: str) -> None:
    """Runs a build tool, and shows the line that it is at; all that it printed, from the first failure on, if it
    fails."""
    began = time.monotonic()
    done = progress.run(command, doing, toolbox.environment())
    if done.status != 0:
        print(_FAILED_STEP.split(done.output, maxsplit=1)[-1], file=sys.stderr, flush=True)
        raise Problem(
            f"{doing} failed; see the messages above (where they are about files of build/: "
            "remove that folder)",
            CHECK_FAILED,
        )
    if done.output.strip() and _NOTHING_TO_DO not in done.output:
        say(f"{did} in {time.monotonic() - began:.0f} s")
