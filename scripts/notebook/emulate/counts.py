"""Counts that a later run is compared with, so that a build fails when a kernel's memory traffic grows.

A file of them is JSON: by emulated GPU and kernel, summed over its launches. Counts are exact and the same on every
machine, so that any growth is one of the program, or of the compiler.
"""

import json
from collections.abc import Sequence
from math import inf
from pathlib import Path

from notebook.base import files
from notebook.base.errors import CHECK_FAILED, MISSING, WRONG_USAGE, Malformed, Problem
from notebook.base.text import plain, quoted
from notebook.data import schema
from notebook.emulate.launches.code import short_kernel
from notebook.emulate.launches.records import Launch
from notebook.emulate.launches.runs import Emulated

Counts = dict[str, dict[str, dict[str, float]]]  # by GPU and kernel; those that are left out are 0

VERSION = 1
# These cost time wherever they grow. Requests come from the code; sectors and conflicts from its addresses.
WATCHED = (
    "load_sectors", "store_sectors", "atomic_sectors", "reduction_sectors", "texture_load_sectors",
    "shared_load_bank_conflicts", "shared_store_bank_conflicts", "shared_atomic_bank_conflicts",
    "local_load_requests", "local_store_requests",
)  # fmt: skip
# A thread's maximum over all launches; absent where no ptxas was there to ask.
SPILLS = "spill_bytes"
_LAUNCHES = "launches"


def counts_of(runs: Sequence[Emulated]) -> Counts:
    return {run.architecture: _by_kernel(run.launches) for run in runs}


def _by_kernel(launches: Sequence[Launch]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for launch in launches:
        kernel = found.setdefault(launch.kernel, {})
        kernel[_LAUNCHES] = kernel.get(_LAUNCHES, 0) + launch.launches
        for name in WATCHED:
            if value := launch.counters.get(name):
                kernel[name] = kernel.get(name, 0) + round(value)
        if launch.spill_bytes is not None:
            kernel[SPILLS] = max(kernel.get(SPILLS, 0), launch.spill_bytes)
    return found


def save(path: Path, runs: Sequence[Emulated]) -> None:
    document = {"emulated_counts": VERSION, "gpus": counts_of(runs)}
    try:
        files.write(path, json.dumps(document, indent=1, sort_keys=True) + "\n")
    except OSError as error:
        raise Problem(
            f"{quoted(path)} cannot be written: {error.strerror}; give --save-counts another file",
            CHECK_FAILED,
        ) from error


def read(path: Path, gpus: Sequence[str]) -> Counts:
    """What --save-counts wrote, of these GPUs at least; raises Problem."""
    if not files.is_there(path):
        raise Problem(
            f"no file {quoted(path)}; write it with: scripts/lab emulate --save-counts {quoted(path)} …",
            MISSING,
        )
    try:
        document = schema.parse_json(files.read_bytes(path))
        if document.get("emulated_counts") != VERSION:
            raise Malformed(f"has no counts of version {VERSION}")
        counts = _checked(document.get("gpus"))
    except Malformed as error:
        raise Problem(
            f"{quoted(path)}: {error}; write it again with --save-counts", CHECK_FAILED
        ) from error
    for gpu in gpus:
        if gpu not in counts:
            known = ", ".join(map(plain, counts)) or "no GPU"
            raise Problem(
                f"{quoted(path)} has counts of {known}, not of {gpu}; write them with --save-counts",
                WRONG_USAGE,
            )
    return counts


def _checked(gpus: object) -> Counts:
    return {
        gpu: {
            kernel: {name: _count(name, value) for name, value in _items(counts, kernel)}
            for kernel, counts in _items(kernels, gpu)
        }
        for gpu, kernels in _items(gpus, "gpus")
    }


def _count(name: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < inf:
        return value
    raise Malformed(f"{plain(name)} is not a valid count")


def _items(described: object, name: str) -> list[tuple[str, object]]:
    if not isinstance(described, dict):
        raise Malformed(f"{plain(name)} is no JSON object")
    return list(described.items())


def check(saved: Counts, runs: Sequence[Emulated], tolerance: float) -> tuple[list[str], list[str]]:
    """What fails and what is only worth a word, a line each. `tolerance`: 0.05 lets counts grow by 5 %."""
    failures, remarks = [], []
    for gpu, kernels in counts_of(runs).items():
        for kernel in saved[gpu].keys() - kernels.keys():
            failures.append(f"{gpu}: {_short(kernel)} was not launched; its counts were saved")
        for kernel, counts in kernels.items():
            if kernel not in saved[gpu]:
                remarks.append(f"{gpu}: {_short(kernel)} is new; no counts of it were saved")
                continue
            grown, fallen = _changes(saved[gpu][kernel], counts, tolerance)
            failures += [f"{gpu}: {_short(kernel)}: {change}" for change in grown]
            remarks += [f"{gpu}: {_short(kernel)}: {change}" for change in fallen]
    return sorted(failures), sorted(remarks)


def _changes(
    before: dict[str, float], now: dict[str, float], tolerance: float
) -> tuple[list[str], list[str]]:
    grown: list[str] = []
    fallen: list[str] = []
    launches = ""
    if before.get(_LAUNCHES) != now[_LAUNCHES]:
        launches = f", in {now[_LAUNCHES]:,.0f} launches instead of {before.get(_LAUNCHES, 0):,.0f}"
    for name in (*WATCHED, SPILLS):
        if name == SPILLS and (name not in before or name not in now):
            continue
        old, new = before.get(name, 0), now.get(name, 0)
        if old == new:
            continue
        change = f" ({100 * (new / old - 1):+.1f} %)" if old else ""
        sentence = f"{name} {new:,.0f} instead of {old:,.0f}{change}{launches}"
        (grown if new > old * (1 + tolerance) else fallen).append(sentence)
    return grown, fallen


def _short(kernel: str) -> str:
    return short_kernel(plain(kernel))
