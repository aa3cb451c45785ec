"""Small programs whose report is known: each file of common/tests/cases and hazards says at its head what
`lab emulate` answers.

    // expect: TEXT         the output (the report, standard error, what the program prints) has this text
    // expect-not: TEXT     it has not
    // exit: N              exit status of `lab emulate`; 0 where nothing is said
    // flags: --report csv  options of `lab emulate`
    // arguments: 1 2       arguments of the program
    // nvcc: -lcublas       flags of the compiler
    // needs: cublas_v2.h   a header of the toolkit; without it the case is skipped
    // again: WHY           what follows is of one more run of the same program

Lines may be wrapped anywhere: runs of blanks and line ends count as one blank. A new case is a new file.
"""

import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from notebook.tools import toolbox

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("cases", "hazards")
FILES = sorted(
    file for name in FOLDERS for file in (ROOT / "common" / "tests" / name).rglob("*.cu")
)
DIRECTIVE = re.compile(r"// (expect|expect-not|exit|flags|arguments|nvcc|needs|again): *(.*)")


@dataclass
class Case:
    """What the head of a file asks for."""

    expected: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    exit: int = 0
    flags: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    nvcc: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)


def read_cases(text: str) -> list[Case]:
    """One a run; needs and the compiler's flags are those of the first."""
    cases = [case := Case()]
    for line in text.splitlines():
        match = DIRECTIVE.fullmatch(line.strip())
        if not match:
            continue
        name, value = match.groups()
        if name == "again":
            cases.append(case := Case(nvcc=cases[0].nvcc, needs=cases[0].needs))
        elif name == "expect":
            case.expected.append(one_line(value))
        elif name == "expect-not":
            case.unexpected.append(one_line(value))
        elif name == "exit":
            case.exit = int(value)
        else:
            words: list[str] = getattr(case, name)
            words += shlex.split(value)
    return cases


def has_header(name: str) -> bool:
    """Whether nvcc finds a header."""
    nvcc = toolbox.find_nvcc()
    command = [str(nvcc), "-E", "-x", "cu", "-include", name, "/dev/null"]
    run = subprocess.run(command, env=toolbox.environment(), capture_output=True, check=False)
    return run.returncode == 0


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_directives_of_a_case() -> None:
    text = """
// expect: two   blanks
// A comment.
// expect-not: b
// exit: 1
// flags: --report csv
//expect: no
// nvcc: -O1
// again: without the option
// expect: c
"""
    first = Case(["two blanks"], ["b"], 1, ["--report", "csv"], nvcc=["-O1"])
    assert read_cases(text) == [first, Case(["c"], nvcc=["-O1"])]


@pytest.mark.skipif(not toolbox.find_nvcc(), reason="no nvcc")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_case(file: Path) -> None:
    for case in read_cases(file.read_text(encoding="utf-8")):
        run_case(file, case)


def run_case(file: Path, case: Case) -> None:
    assert case.expected or case.unexpected, f"{file.name} expects nothing"
    missing_headers = [name for name in case.needs if not has_header(name)]
    if missing_headers:
        pytest.skip(f"the toolkit lacks {', '.join(missing_headers)}")
    command: list[str | Path] = [ROOT / "scripts" / "lab", "emulate", *case.flags, file]
    command += case.nvcc
    if case.arguments:
        command += ["--", *case.arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    output = one_line(run.stdout + "\n" + run.stderr)
    shown = run.stdout + run.stderr
    missing = [text for text in case.expected if text not in output]
    present = [text for text in case.unexpected if text in output]
    assert not missing, f"missing: {missing}\n{shown}"
    assert not present, f"must not appear: {present}\n{shown}"
    assert run.returncode == case.exit, shown
