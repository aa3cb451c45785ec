#!/usr/bin/env python3
"""Runs programs by other people on an emulated GPU and prints which of them pass their own checks.

    .venv/bin/python scripts/other_programs.py FOLDER [--architecture NAME] [--only REGEX] [--markdown]

FOLDER holds checkouts of the repositories that other_programs.toml beside this file (or --list) names;
nothing is fetched, and what is not there is left out. Executables go into build/other_programs.
Exit status 1 if a program does not pass.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.base.text import markdown_cell, markdown_table, plain, terminal_table
from notebook.emulate import command as emulate
from notebook.emulate import options as emulate_options
from notebook.tools import toolbox

NVCC = ("-cudart", "shared", "-lineinfo", "-std=c++17", "-O3", "-w")
CODE = ("-gencode", "arch=compute_75,code=compute_75")
SOURCES = (".cu", ".cpp", ".c")
# Lines of a program whose check failed, whatever its exit status says.
FAILURE = re.compile(
    r"\bFAIL(ED|URE)?\b|\b[Mm]ismatch|do(es)? not match|[Tt]est failed|\bNOT OK\b|CUDA error( at|:)|^Error: "
)
# The line of a failed program that says most: the runtime's own, else one that names an error.
TELLING = (
    re.compile(r"emulated GPU: error"),
    re.compile(
        r"error|fail|mismatch|do(es)? not match|assert|not supported|undefined symbol",
        re.IGNORECASE,
    ),
)
MAX_REASON = 150
# A program that waits instead of computing is stopped after this many times its limit.
MAX_WAITING = 20


@dataclass(frozen=True)
class Program:
    """One program of the list, and where it is."""

    repository: str
    name: str
    folder: Path
    includes: tuple[Path, ...]
    sources: tuple[str, ...]
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    success: str = ""

    @property
    def shown(self) -> str:
        return f"{self.repository}: {self.name}"


@dataclass
class Outcome:
    """What became of it: `reason` is "" if it passed."""

    program: Program
    seconds: float = 0.0
    reason: str = ""
    output: str = field(default="", repr=False)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--architecture", default=emulate_options.DEFAULT_ARCHITECTURE)
    parser.add_argument(
        "--list", type=Path, default=Path(__file__).with_suffix(".toml"), metavar="FILE"
    )
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name has this")
    parser.add_argument(
        "--time-limit", type=int, default=60, metavar="S", help="CPU seconds a program may take"
    )
    parser.add_argument(
        "--runtime", type=Path, metavar="DIR", help="folder of libcudart.so, if not of build/"
    )
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="keep what every program prints there"
    )
    options = parser.parse_args()
    try:
        return _run_all(options)
    except Problem as problem:
        print(f"other_programs: error: {problem}", file=sys.stderr)
        return problem.status


def _run_all(options: argparse.Namespace) -> int:
    project = Project.here()
    programs = [
        p for p in read_list(options.list, options.folder) if re.search(options.only, p.shown)
    ]
    runtime = options.runtime or emulate.runtime_folder(project)
    outcomes = []
    for program in programs:
        outcome = attempt(program, project.build / "other_programs", runtime.resolve(), options)
        print(
            f"{'ok  ' if not outcome.reason else 'FAIL'} {program.shown} {outcome.reason}",
            file=sys.stderr,
        )
        if options.output:
            options.output.mkdir(parents=True, exist_ok=True)
            name = program.shown.replace(": ", ".").replace("/", ".")
            (options.output / f"{name}.txt").write_text(outcome.output)
        outcomes.append(outcome)
    print("\n".join(table(outcomes, options.markdown)))
    return 1 if any(outcome.reason for outcome in outcomes) else 0


def read_list(path: Path, folder: Path) -> list[Program]:
    """The programs of the list whose folders are there."""
    with path.open("rb") as file:
        repositories = tomllib.load(file)
    return [
        program
        for name, table in repositories.items()
        for program in _programs(name, table, folder)
    ]


def _programs(repository: str, described: dict[str, Any], checkouts: Path) -> Iterator[Program]:
    root = (checkouts / repository).resolve()
    for entry in described["programs"]:
        folder = root / described.get("directory", "") / entry["folder"]
        if not folder.is_dir():
            continue
        sources = entry.get("sources") or sorted(
            str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in SOURCES
        )
        stem = f"/{Path(sources[0]).stem}" if "sources" in entry else ""
        yield Program(
            repository,
            f"{entry['folder']}{stem}",
            folder,
            tuple(root / include for include in described.get("include", [])),
            tuple(sources),
            tuple(entry.get("flags", ())),
            tuple(entry.get("arguments", ())),
            entry.get("success", ""),
        )


def attempt(program: Program, builds: Path, runtime: Path, options: argparse.Namespace) -> Outcome:
    """Compiles the program if needed and runs it."""
    executable = builds / program.repository / program.name.replace("/", ".")
    if reason := compile_program(program, executable):
        return Outcome(program, 0.0, reason)
    settings = {
        "LD_LIBRARY_PATH": str(runtime),
        "EMULATED_GPU": options.architecture,
    }
    begin, limit = _cpu_seconds(), options.time_limit
    process = subprocess.Popen(
        [str(executable), *program.arguments],
        cwd=program.folder,
        env=os.environ | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    late = False
    try:
        output, _ = process.communicate(timeout=MAX_WAITING * limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the group that it leads, and nothing else
        output, _ = process.communicate()
        late = True
    text = output.decode(errors="replace")
    if late or process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        reason = f"not finished after {limit} s of CPU time" if not late else "hangs"
    else:
        reason = judge(program, process.returncode, text)
    return Outcome(program, _cpu_seconds() - begin, reason, text)


def _cpu_seconds() -> float:
    """CPU time of all programs so far: unlike the clock's, it does not depend on what else runs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def judge(program: Program, status: int, output: str) -> str:
    """Why the program did not pass; "" if it passed."""
    lines = [plain(line.strip()) for line in output.splitlines() if line.strip()]
    failed = [line for line in lines if FAILURE.search(line)]
    if status == 0 and not failed and re.search(program.success, output):
        return ""
    telling = next((line for pattern in TELLING for line in lines if pattern.search(line)), "")
    line = (
        failed[0]
        if failed and not TELLING[0].search(telling)
        else telling or (lines or ["no output"])[-1]
    )
    how = (
        f"signal {signal.Signals(-status).name}: "
        if status < 0
        else f"exit status {status}: "
        if status
        else ""
    )
    return f"{how}{line}"[:MAX_REASON]


def compile_program(program: Program, executable: Path, code: tuple[str, ...] = CODE) -> str:
    """Compiles what is newer than the executable; returns nvcc's first error, or ""."""
    files = [
        path
        for path in program.folder.rglob("*")
        if path.suffix in (*SOURCES, ".h", ".hpp", ".cuh")
    ]
    if executable.is_file() and all(
        path.stat().st_mtime < executable.stat().st_mtime for path in files
    ):
        return ""
    nvcc = toolbox.find_nvcc()
    if not nvcc:
        return "no nvcc; run: scripts/lab setup"
    executable.parent.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{path}" for path in (program.folder, program.folder / "inc", *program.includes)]
    command = [
        nvcc,
        *NVCC,
        *code,
        *program.flags,
        *includes,
        "-o",
        str(executable),
        *program.sources,
    ]
    done = subprocess.run(
        command,
        cwd=program.folder,
        env=toolbox.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return ""
    lines = [plain(line) for line in (done.stdout + done.stderr).splitlines() if "error" in line]
    return f"nvcc: {(lines or ['failed'])[0]}"[:MAX_REASON]


def table(outcomes: list[Outcome], markdown: bool) -> list[str]:
    """A row a program, and the sum."""
    rows = [
        [
            outcome.program.shown,
            "failed" if outcome.reason else "passed",
            f"{outcome.seconds:.1f} s",
            outcome.reason,
        ]
        for outcome in outcomes
    ]
    header = ["program", "result", "CPU time", "why not"]
    passed = sum(not outcome.reason for outcome in outcomes)
    lines = (
        markdown_table(header, [[markdown_cell(cell) for cell in row] for row in rows])
        if markdown
        else terminal_table(header, rows)
    )
    return [*lines, "", f"{passed} of {len(outcomes)} programs pass."]


if __name__ == "__main__":
    sys.exit(main())
