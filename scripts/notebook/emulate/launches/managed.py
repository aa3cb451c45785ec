"""Memory that the predicted time leaves out: page faults of managed memory, with how long an H200 takes for as many
bytes, and accesses to the host's memory.
"""

import json
import re
from collections.abc import Iterable
from statistics import median

from notebook.base.project import Project
from notebook.emulate.launches.records import Launch
from notebook.emulate.launches.time import text_of

_MEASURED = ("nvidia-h200", "20_unified_memory")
_MATRICES = re.compile(r"add_matrices/memory:managed/phase:first_touch/rows:(\d+)/columns:(\d+)")
_TOUCHED = re.compile(r"touch_managed/mib:(\d+)")
_FIRST_WITH_PAGE_FAULTS = 6  # Pascal: compute capability 6.0


def add_notes(project: Project, launches: Iterable[Launch], compute_capability: str) -> None:
    """A note at each launch that is the first to touch managed memory, or that accesses the host's."""
    has_faults = float(compute_capability) >= _FIRST_WITH_PAGE_FAULTS
    for launch in launches:
        if launch.host_bytes:
            launch.notes.append(
                f"accesses over PCIe are not in the predicted time: {_size(launch.host_bytes)} of page-locked host "
                "memory, which the model takes to lie in the GPU's memory"
            )
        if not launch.managed_bytes:
            continue
        size = _size(launch.managed_bytes)
        if has_faults:
            seconds = _seconds(project, launch.managed_bytes)
            measured = (
                f"an H200 takes some {text_of(seconds)} for that (chapter 20); " if seconds else ""
            )
            launch.notes.append(
                f"page faults and migration are not in the predicted time: {size} of managed memory, touched for the "
                f"first time, come to the GPU during this launch where the host has written them; {measured}"
                f"cudaMemPrefetchAsync before the launch avoids it"
            )
        else:
            launch.notes.append(
                f"migration is not in the predicted time: before Pascal all managed memory moves to the GPU before a "
                f"launch, here {size}"
            )


def _size(count: int) -> str:
    mib = count / 2**20
    return f"{mib:,.0f} MiB" if mib >= 1 else f"{count:,} bytes"


def _seconds(project: Project, managed_bytes: int) -> float | None:
    """Of the first launch, interpolated between the sizes that chapter 20 measured, in proportion beyond the largest;
    None below the smallest, and without its results."""
    device, chapter = _MEASURED
    path = project.data / device / f"{chapter}.json"
    if not path.is_file():
        return None
    import numpy as np  # here alone: it takes long to import, and few programs have managed memory

    document = json.loads(path.read_text(encoding="utf-8"))
    measured: dict[float, float] = {}
    for row in document["rows"]:
        microseconds = np.ravel(np.concatenate([np.ravel(part) for part in row["time_us"]]))
        if match := _MATRICES.fullmatch(row["name"]):
            measured[12.0 * int(match[1]) * int(match[2])] = median(microseconds)
        elif match := _TOUCHED.fullmatch(row["name"]):
            measured[int(match[1]) * 2.0**20] = median(microseconds)
    sizes = sorted(measured)
    if managed_bytes < sizes[0]:
        return None
    times = [measured[size] for size in sizes]
    beyond = max(1.0, managed_bytes / sizes[-1])
    return 1e-6 * beyond * float(np.interp(managed_bytes / beyond, sizes, times))
