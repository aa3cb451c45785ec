"""`lab check`: format, lint, types, spelling and sizes of everything that git tracks."""

import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from notebook.base import files, git
from notebook.base.errors import CHECK_FAILED, MISSING, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.data import schema
from notebook.tools import bootstrap, plain_words, toolbox

MAX_FILE_LINES = 350
MAX_FUNCTION_LINES = 60
_CODE = (".py", ".cpp", ".hpp", ".cu", ".cuh")
_CPP = (".cpp", ".hpp", ".cu", ".cuh")
_TEXTS = (*_CODE, ".md", ".toml", ".gp", ".build", ".txt")
# A page in another language has other words.
_OTHER_LANGUAGES = (".zh.md",)
# Macros that include the file: what clang-format makes of its tables cannot be read.
_NOT_FORMATTED = ("common/tests/validation_set/arithmetic_instructions.hpp",)

Findings = list[str]


@dataclass(frozen=True)
class Check:
    """One check and what it finds: a line each, none when all is well."""

    name: str
    find: Callable[[], Findings]


def check(project: Project) -> int:
    """Runs all checks; returns 0 when none finds anything."""
    if failure := bootstrap.install_tools():
        raise Problem(f"the tools of lab check cannot be installed: {failure}", MISSING)
    began = time.monotonic()
    checks = _checks(project, _tracked(project))
    with ThreadPoolExecutor(2) as pool:
        findings_by_check = list(pool.map(lambda one: one.find(), checks))
    for one, findings in zip(checks, findings_by_check, strict=True):
        print("\n".join([f"{one.name}: {len(findings) or 'no'} findings", *findings]))
    total = sum(map(len, findings_by_check))
    say(f"{len(checks)} checks, {total} findings, {time.monotonic() - began:.0f} s")
    return CHECK_FAILED if total else 0


def _checks(project: Project, tracked: list[str]) -> list[Check]:
    root = project.root
    python = [name for name in tracked if name.endswith(".py")]
    cpp = [name for name in tracked if name.endswith(_CPP) and name not in _NOT_FORMATTED]
    texts = [
        name
        for name in tracked
        if name.endswith(_TEXTS) and not name.endswith(_OTHER_LANGUAGES) and "/lib/" not in name
    ]

    def tool(name: str, *words: str, on: Iterable[str] = ()) -> Check:
        return Check(name, lambda: _run(root, [*words, *on]))

    return [
        Check("mypy", lambda: _types(project, python)),
        tool("clang-format", "clang-format", "--dry-run", "--Werror", on=cpp),
        tool("ruff", "ruff", "check", "--quiet", "--output-format=concise", on=python),
        tool("ruff format", "ruff", "format", "--quiet", "--diff", on=python),
        tool("shellcheck", "shellcheck", "scripts/lab", ".ci/run"),
        tool("hadolint", "hadolint", "Dockerfile"),
        tool("codespell", "codespell", on=texts),
        Check("plain words", lambda: plain_words.findings(root, texts)),
        Check("sizes", lambda: _sizes(root, [name for name in tracked if name.endswith(_CODE)])),
        Check("data/schema.json", lambda: _schema(root)),
    ]


def _tracked(project: Project) -> list[str]:
    """The files that git has, or would add."""
    command = ["git", "-C", str(project.root), "ls-files", "--cached", "--others"]
    done = subprocess.run(
        [*command, "--exclude-standard", "-z"],
        env=git.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Problem("lab check asks git for the files; there is no git checkout", MISSING)
    names = sorted(set(filter(None, done.stdout.split("\0"))))
    return [name for name in names if (project.root / name).is_file()]


def _run(root: Path, command: list[str]) -> Findings:
    done = subprocess.run(
        command,
        cwd=root,
        env=toolbox.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    lines = (done.stdout + done.stderr).splitlines()
    if done.returncode != 0:
        return lines or [f"{command[0]} stopped with exit status {done.returncode}"]
    return []


def _types(project: Project, python: list[str]) -> Findings:
    """Of the package, and of what chapters keep in their folders: their names are no names of modules, so that
    build/typed has links to them in packages that have such names."""
    shutil.rmtree(project.build / "typed", ignore_errors=True)
    names: dict[str, str] = {}
    for name in python:
        if match := re.fullmatch(r"chapters/([0-9]{2})_\w+/(\w+\.py)", name):
            link = project.build / "typed" / f"chapter_{match[1]}" / match[2]
            files.write(link.with_name("__init__.py"), "")
            link.symlink_to(project.root / name)
            names[project.shown(link)] = name
    command = ["mypy", "--strict", "--no-error-summary", "scripts/notebook", *names]
    lines = _run(project.root, command)
    return [names.get(file, file) + rest for file, rest in (_parted(line) for line in lines)]


def _parted(line: str) -> tuple[str, str]:
    file, colon, rest = line.partition(":")
    return file, colon + rest


def _sizes(root: Path, code: list[str]) -> Findings:
    """Files and functions that have grown too long to be read at once, outside tests."""
    code = [name for name in code if "/tests/" not in f"/{name}"]
    counts = {name: len((root / name).read_text("utf-8").splitlines()) for name in code}
    too_long = [
        f"{name}: {lines} lines; at most {MAX_FILE_LINES}"
        for name, lines in counts.items()
        if lines > MAX_FILE_LINES
    ]
    limits = [f"-Tlength={MAX_FUNCTION_LINES}", "-C1000", "-L1000", "-a1000"]
    command = [sys.executable, "-m", "lizard", "-lcpp", "-lpython", "-w", *limits, *code]
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    allowed = settings["tool"]["lab"]["long_functions"]
    warnings = [line for line in _run(root, command) if ": warning: " in line] if code else []
    return too_long + [line for line in warnings if _function(line) not in allowed]


def _function(warning: str) -> str:
    """`experiment.cu:main` of lizard's `experiment.cu:97: warning: main has 72 NLOC, …`."""
    place, _, words = warning.partition(": warning: ")
    return f"{place.rpartition(':')[0]}:{words.split(' has ')[0]}"


def _schema(root: Path) -> Findings:
    path = root / "data" / "schema.json"
    if path.is_file() and path.read_text("utf-8") == schema.as_text():
        return []
    return ["stale: PYTHONPATH=scripts .venv/bin/python -m notebook.data.schema > data/schema.json"]
