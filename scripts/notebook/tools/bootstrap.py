"""Makes .venv with the pinned Python packages, or repairs it: `python3 -m notebook.tools.bootstrap`.

Runs in any Python from 3.11 on before there are packages, so it uses the standard library alone.
Prints the interpreter that has the packages.
"""

import hashlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from notebook.base import files, interrupts, lock, progress, streams
from notebook.base.errors import MISSING, Problem
from notebook.base.progress import say
from notebook.base.text import plain, quoted
from notebook.tools import nvcc, toolbox

_ROOT = Path(__file__).resolve().parents[3]
_REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements" / "run.txt"
_NVCC_REQUIREMENTS = _REQUIREMENTS.with_name("nvcc.txt")
_TOOLS_REQUIREMENTS = _REQUIREMENTS.with_name("check.txt")
_PTXAS_REQUIREMENTS = _REQUIREMENTS.with_name("ptxas.txt")
NIGHTLY_REQUIREMENTS = _REQUIREMENTS.with_name("nightly.txt")
_VENV = _ROOT / ".venv"
_PTXAS = Path("nvidia") / "cuda_nvcc" / "bin" / "ptxas"
_STAMP = _VENV / "lab-stamp"
# Distribution: the module that it brings along.
_MODULES = {
    "meson": "mesonbuild",
    "jsonschema-rs": "jsonschema_rs",
    "markdown-it-py": "markdown_it",
    "axe-core-python": "axe_core_python",
    "pytest-xdist": "xdist",
}
_PIP = ["-m", "pip", "--disable-pip-version-check", "--no-input"]
_REBUILDING = "LAB_REBUILDS_VENV"


def main(*first: Callable[[], None]) -> int:
    """`first`: what a process does that is this command and nothing else."""
    try:
        for step in first:
            step()
        print(prepare())
    except Problem as problem:
        print(f"lab: error: {problem}", file=sys.stderr)
        return problem.status
    except KeyboardInterrupt:
        print("lab: interrupted", file=sys.stderr)
        return 130
    return 0


def prepare() -> str:
    """Makes .venv unless another process just has; the interpreter to go on with."""
    with lock.held(_ROOT, say):
        if interpreter := _prepared():
            return interpreter
        _require_own_folder()
        _make_venv()
        if (_VENV / "bin" / "python").is_file():
            interpreter = str(_VENV / "bin" / "python")
            failure = install(Path(interpreter), _REQUIREMENTS)
        else:
            failure = "no venv"
        if failure:
            interpreter = _go_on_without(failure)
        _VENV.mkdir(exist_ok=True)
        files.write(_STAMP, f"{_wanted()}\n{interpreter}\n")
        return interpreter


def install(python: Path, requirements: Path) -> str:
    """Installs pinned packages with `python`; returns what went wrong, "" when nothing did."""
    say(f"installing {' '.join(_pinned(requirements))} into .venv (pip)")
    return _pip_install(python, "--requirement", str(requirements))


def _pip_install(python: Path, *what: str) -> str:
    # Short timeouts: a machine without a network shall say so soon.
    options = ["--retries", "1", "--timeout", "15", "--progress-bar", "off"]
    done = progress.run([str(python), *_PIP, "install", *options, *what], "pip")
    errors = [line for line in done.output.splitlines() if line.startswith("ERROR:")]
    return plain((errors or ["ERROR: pip failed"])[-1]) if done.status else ""


def install_nvcc() -> str:
    """Puts nvcc into .venv where the machine has none; returns what went wrong, or ""."""
    with lock.held(_ROOT, say):
        if toolbox.find_nvcc():
            return ""
        if not is_ours():
            return f"there is no .venv for it: {sys.executable} is not ours"
        if failure := install(Path(sys.executable), _NVCC_REQUIREMENTS):
            return failure
        nvcc.complete()
        return "" if toolbox.find_nvcc() else "what was installed does not run on this machine"


def install_older_ptxas() -> str:
    """Puts ptxas of earlier CUDA releases into .venv/ptxas; returns what went wrong, or ""."""
    with lock.held(_ROOT, say):
        if not is_ours():
            return f"there is no .venv for them: {sys.executable} is not ours"
        for name, version in _pinned(_PTXAS_REQUIREMENTS).items():
            folder = _VENV / "ptxas" / version.rpartition(".")[0]
            if (folder / _PTXAS).is_file():
                continue
            say(f"installing {name} into {folder.relative_to(_ROOT)} (pip)")
            # Both packages have their files at the same places.
            where = ["--no-deps", "--upgrade", "--target", str(folder)]
            if failure := _pip_install(Path(sys.executable), *where, f"{name}=={version}"):
                return failure
        return ""


def install_tools(requirements: Path = _TOOLS_REQUIREMENTS) -> str:
    """Puts the tools of `lab check` into .venv where they are missing; what went wrong, or ""."""
    with lock.held(_ROOT, say):
        pinned = _pinned(requirements)
        if all(_is_installed(name, version) for name, version in pinned.items()):
            return ""
        if not is_ours():
            return f"there is no .venv for them: {sys.executable} is not ours"
        return install(Path(sys.executable), requirements)


def is_ours() -> bool:
    """Whether this runs in the .venv of its own working tree; a link leads to one of another."""
    return Path(sys.prefix) == _VENV and not _VENV.is_symlink()


def damage() -> list[str]:
    """The pinned packages that the .venv this runs in has lost; [] in another Python."""
    if not is_ours():
        return []
    lost = [name for name, version in _pinned(_REQUIREMENTS).items() if not _has(name, version)]
    if "ninja" not in lost and not (_VENV / "bin" / "ninja").is_file():
        lost.append("ninja")
    return lost


def rebuild(lost: str) -> None:
    """Starts the command again with a new .venv; does not return."""
    if os.environ.get(_REBUILDING):
        raise Problem(
            f".venv cannot be repaired ({lost}); remove it: rm -r {quoted(_VENV)}", MISSING
        )
    _require_own_folder()
    say(f".venv is damaged ({lost}): rebuilding it")
    _STAMP.unlink(missing_ok=True)
    command = [str(_ROOT / "scripts" / "lab"), *sys.argv[1:]]
    os.execve(command[0], command, os.environ | {_REBUILDING: "1"})


def _prepared() -> str:
    """The interpreter of a .venv that is up to date; "" without one."""
    try:
        installed, interpreter = _STAMP.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # also a UnicodeDecodeError
        return ""
    is_there = installed == _wanted() and os.access(interpreter, os.X_OK)
    return interpreter if is_there else ""


def _wanted() -> str:
    return hashlib.sha256(_REQUIREMENTS.read_bytes()).hexdigest()


def _pinned(requirements: Path) -> dict[str, str]:
    """The packages that a file of requirements names, with their versions."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    words = [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
    return dict(word.split("==", 1) for word in words)


def _has(name: str, version: str) -> bool:
    return _is_installed(name, version) and find_spec(_MODULES.get(name, name)) is not None


def _is_installed(name: str, version: str) -> bool:
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False


def _require_own_folder() -> None:
    """Raises Problem where .venv is not ours to make; a link goes, what it leads to stays as it is."""
    if _VENV.is_symlink():
        say(f".venv is a link to {quoted(_VENV.readlink())}, which stays unchanged: making our own")
        _VENV.unlink()
    whole = os.R_OK | os.W_OK | os.X_OK
    if not os.access(_ROOT, whole):
        raise Problem(f"{quoted(_ROOT)} belongs to {_owner(_ROOT)}; clone it to a folder of yours")
    if _VENV.exists() and not os.access(_VENV, whole):
        raise Problem(
            f"{quoted(_VENV)} belongs to {_owner(_VENV)}, and you may not use it; "
            f"remove it: sudo rm -r {quoted(_VENV)}",
            MISSING,
        )


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:  # a user of another machine
        return f"user {path.stat().st_uid}"


def _make_venv() -> None:
    """Makes an empty .venv with pip, or none at all."""
    if not _try_venv():
        toolbox.apt_install(["python3-venv"], say)
        _try_venv()


def _try_venv() -> bool:
    # Without Debian's python3-venv this fails half-way, and leaves an interpreter without pip.
    command = [sys.executable, "-m", "venv", "--clear", str(_VENV)]
    if subprocess.run(command, capture_output=True, check=False).returncode == 0:
        return True
    shutil.rmtree(_VENV, ignore_errors=True)
    return False


def _go_on_without(failure: str) -> str:
    """The Python that runs this, when it has the packages in some version; else raises Problem."""
    if all(find_spec(module) for module in ("mesonbuild", "numpy", "scipy", "jsonschema_rs")):
        say(
            f"the pinned Python packages cannot be installed; going on with those of {sys.executable}"
        )
        return sys.executable
    if failure == "no venv":
        everything = toolbox.how_to_install(toolbox.missing(), "python3-venv")
        raise Problem(
            f"a Python environment cannot be made: python3-venv is missing; {everything}", MISSING
        )
    lab = quoted(_ROOT / "scripts" / "lab")
    raise Problem(
        f"the Python packages cannot be installed ({failure}); with a network, run: {lab} setup",
        MISSING,
    )


if __name__ == "__main__":
    sys.exit(main(interrupts.take, streams.prepare))
