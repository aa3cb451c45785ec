"""Calls of CUDA's API that failed, refused launches too: a line each, with the source line of the call."""

import re
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from notebook.base.text import plain
from notebook.emulate.launches.cells import wrapped
from notebook.emulate.launches.code import short_kernel
from notebook.emulate.launches.records import FailedCall, Hazard
from notebook.tools import toolbox

_LAUNCHES = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel"}
# Headers of CUDA: a reader looks for the line of the program that uses them.
# Distributions have its headers among the system's.
_TOOLKIT = re.compile(r"(cuda|nvidia)[^/]*/.*include/|^/usr/include/")
_STUB = ".stub.c"  # what nvcc calls for each <<<...>>>


def lines(architecture: str, failed_calls: Sequence[str]) -> list[str]:
    """For the terminal; `architecture`: "" where there is only one."""
    on = f"{architecture}: " if architecture else ""
    return wrapped(f"! {on}{text}" for text in failed_calls)


def texts(calls: Sequence[FailedCall], unnoticed: set[int], program: Path) -> list[str]:
    """A line for each; calls that say the same are one."""
    return _counted(_text(call, call.number in unnoticed, program) for call in calls)


def hazard_texts(hazards: Sequence[Hazard], program: Path) -> list[str]:
    """Likewise of hazards outside of launches: `hazard: cudaMemcpy copies ..., file.cu:7`."""
    places = [(hazard, _source_line(program, hazard.callers)) for hazard in hazards]
    return _counted(
        f"hazard: {f'{hazard.function} {hazard.text}'.strip()}{f', {place}' if place else ''}"
        for hazard, place in places
    )


def _counted(lines: Iterable[str]) -> list[str]:
    counts: dict[str, int] = {}
    for text in lines:
        counts[text] = counts.get(text, 0) + 1
    return [text if count == 1 else f"{text} ({count:,} times)" for text, count in counts.items()]


def _text(call: FailedCall, is_unnoticed: bool, program: Path) -> str:
    is_launch = call.function in _LAUNCHES
    what = "refused launch" if is_launch else f"failed call: {call.function}"
    why = f"{call.detail} ({call.error})" if call.detail else call.error
    place = _source_line(program, call.callers)
    return (
        f"{what}: {why}"
        f"{f', {place}' if place else ''}{'; the program did not check' if is_unnoticed else ''}"
    )


@cache
def _source_line(program: Path, callers: tuple[int, ...]) -> str:
    """`file.cu:7`: the innermost line of the program's own code; "" where it is not known."""
    tool = toolbox.find_program("addr2line")
    if not tool or not callers:
        return ""
    command = [tool, "-f", "-C", "-e", str(program), *map(hex, callers)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    stub = ""
    for function, place in zip(lines[::2], lines[1::2], strict=False):
        file, _, line = place.partition(" (")[0].rpartition(":")
        if file.endswith(_STUB):
            # The function that calls it stands for the kernel itself.
            stub = function
            continue
        is_kernel = bool(stub) and short_kernel(function).split("<")[0] in stub
        stub = ""
        if not is_kernel and line.isdecimal() and int(line) and not _TOOLKIT.search(file):
            return f"{plain(Path(file).name)}:{line}"
    return ""
