"""Building one .cu file for the emulated GPU, into build/emulate/<hash>; again only when it changed."""

import hashlib
import os
import re
import subprocess
from functools import cache
from pathlib import Path

from notebook.base.errors import CHECK_FAILED, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import plain
from notebook.tools import build as tools_build
from notebook.tools import nvcc as compilers
from notebook.tools import toolbox

# The oldest that nvcc 13 compiles for; older architectures execute its PTX.
_OLDEST = 75
# The user may choose these instead.
_CHOOSES_ARCHITECTURE = re.compile(
    r"-(arch|gencode|gpu-architecture|-gpu-architecture|-generate-code)\b"
)


def build(project: Project, file: Path, flags: list[str], capabilities: list[str]) -> Path:
    """The executable of `file` with PTX for each compute capability ("9.0")."""
    nvcc = toolbox.find_nvcc()
    command = [nvcc, *nvcc_flags(flags, capabilities, _supported(nvcc)), *flags]
    # Another nvcc may lie at the same path one day.
    named = "\0".join([str(file.resolve()), compilers.text(nvcc), *command])
    digest = hashlib.sha256(named.encode()).hexdigest()[:16]
    folder = project.build / tools_build.PROGRAMS / digest
    program, dependencies = folder / file.stem, folder / "dependencies"
    if program.is_file() and not _changed(program, dependencies):
        return program
    folder.mkdir(parents=True, exist_ok=True)
    say(f"compiling {plain(file.name)} (nvcc)")
    made = folder / f"{file.stem}.new"
    command += ["-MD", "-MF", str(dependencies), "-o", str(made), str(file.resolve())]
    if subprocess.run(command, env=toolbox.environment(), check=False).returncode != 0:
        raise Problem(f"nvcc did not compile {plain(file)}; see the messages above", CHECK_FAILED)
    os.replace(made, program)
    return program


def nvcc_flags(flags: list[str], capabilities: list[str], supported: set[int]) -> list[str]:
    """What makes an executable that the emulated GPU can run and name the lines of."""
    own = ["-cudart", "shared", "-lineinfo", "-g"]  # -g: of the host's code, for failed calls
    if not any(_CHOOSES_ARCHITECTURE.match(flag) for flag in flags):
        targets = {max(_OLDEST, int(capability.replace(".", ""))) for capability in capabilities}
        # One that this nvcc does not know runs the PTX of the newest one before it.
        known = {
            max((candidate for candidate in supported if candidate <= number), default=_OLDEST)
            for number in targets
        }
        for number in sorted(known):
            own += ["-gencode", f"arch=compute_{number},code=compute_{number}"]
    return own


@cache
def _supported(nvcc: str) -> set[int]:
    run = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True, check=False)
    return {int(number) for number in re.findall(r"compute_([0-9]+)\b", run.stdout)}


def _changed(program: Path, dependencies: Path) -> bool:
    """Whether a file that the program was made from is newer, or gone."""
    try:
        text = dependencies.read_text(encoding="utf-8", errors="replace")
        made = program.stat().st_mtime
        names = re.split(r"(?<!\\)\s+", text.partition(":")[2].replace("\\\n", " ").strip())
        return any(Path(name.replace("\\ ", " ")).stat().st_mtime > made for name in names if name)
    except OSError:
        return True
