"""`lab sass`: the machine code that ptxas makes of a chapter's PTX."""

import re
import subprocess
import tempfile
from pathlib import Path

from notebook.base.errors import CHECK_FAILED, MISSING, WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.base.text import plain
from notebook.data.chapters import find_chapters
from notebook.tools import build, setup, toolbox

_ARCHITECTURE = re.compile(r"sm_[0-9]{2,3}[a-z]?")
_FUNCTION = re.compile(r"^\s*Function : (\S+)", re.MULTILINE)


def show(project: Project, word: str, kernel: str, architecture: str) -> int:
    """Prints the code of the kernels whose name contains `kernel`."""
    if not _ARCHITECTURE.fullmatch(architecture):
        raise Problem(f"--architecture: '{plain(architecture)}' is not like sm_90", WRONG_USAGE)
    chapter = find_chapters(project, [word])[0]
    setup.require_nvcc()
    build.configure(project, chapter.target)
    build.build(project, chapter.name, chapter.target)
    functions: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        _run(Path(folder), "cuobjdump", "--extract-ptx", "all", str(project.build / chapter.target))
        for ptx in sorted(Path(folder).glob("*.ptx")):
            _run(Path(folder), "ptxas", f"-arch={architecture}", str(ptx), "-o", "code.cubin")
            functions |= functions_in(_run(Path(folder), "cuobjdump", "-sass", "code.cubin"))
    readable = demangled(list(functions))
    chosen = [name for name in functions if kernel in readable[name]]
    if not chosen:
        names = "\n  ".join(sorted(readable.values()))
        raise Problem(
            f"{chapter.name} has no kernel '{plain(kernel)}'; it has:\n  {names}", WRONG_USAGE
        )
    print("\n".join(f"{readable[name]} ({architecture})\n{functions[name]}" for name in chosen))
    return 0


def functions_in(dump: str) -> dict[str, str]:
    """cuobjdump's text of each function, without the encodings."""
    _, *parts = _FUNCTION.split(dump)
    return {
        name: "\n".join(_instructions(code))
        for name, code in zip(parts[::2], parts[1::2], strict=True)
    }


def _instructions(text: str) -> list[str]:
    lines = [re.sub(r"\s*/\* 0x[0-9a-f]+ \*/", "", line) for line in text.splitlines()]
    return [line.rstrip() for line in lines if re.match(r"\s+/\*[0-9a-f]{4,}\*/", line)]


def demangled(names: list[str]) -> dict[str, str]:
    """Readable names, where c++filt or cu++filt is there."""
    tool = toolbox.find_program("cu++filt") or toolbox.find_program("c++filt")
    if not tool or not names:
        return {name: name for name in names}
    run = subprocess.run([tool, *names], capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    return dict(zip(names, lines if len(lines) == len(names) else names, strict=True))


def _run(folder: Path, name: str, *arguments: str) -> str:
    tool = toolbox.find_program(name)
    if not tool:
        raise Problem(f"{name} is missing; scripts/lab setup installs it", MISSING)
    run = subprocess.run(
        [tool, *arguments],
        cwd=folder,
        env=toolbox.environment(),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if run.returncode != 0:
        raise Problem(
            f"{name} failed: {plain((run.stderr or run.stdout).strip()[-300:])}", CHECK_FAILED
        )
    return run.stdout
