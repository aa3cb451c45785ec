"""Which file has the kernel that a benchmark is named after."""

import re
from collections.abc import Iterable
from pathlib import Path

from notebook.base import files

KERNELS = "kernels.cuh"


def of(chapter: Path, name: str) -> Path | None:
    """The file that defines the kernel; of a kernel that an option or a library provides, the file that adds it.

    `read_wide_evict_last` is in evict_last.cu, or else an instance of `read_wide`, if there is no kernel of that name.
    """
    own = [chapter / KERNELS, *sorted(chapter.glob("*.cuh")), *sorted(chapter.glob("*.cu"))]
    if path := _defining(own, name):
        return path
    parts = [path for path in own if path.suffix == ".cu" and path.stem in name]
    if parts:
        return parts[0]
    if path := _defining(sorted(chapter.parent.glob(f"*/{KERNELS}")), name):
        return path
    words = name.split("_")
    for end in range(len(words) - 1, 1, -1):
        if path := _defining(own, "_".join(words[:end])):
            return path
    experiment = chapter / "experiment.cu"
    return experiment if _has(experiment, rf"\b{re.escape(name)}\b") else None


def _defining(paths: Iterable[Path], name: str) -> Path | None:
    definition = rf"__global__[^;{{}}]*\b{re.escape(name)}\("
    return next((path for path in paths if _has(path, definition)), None)


def _has(path: Path, pattern: str) -> bool:
    return files.is_there(path) and re.search(pattern, files.text_of(path)) is not None
