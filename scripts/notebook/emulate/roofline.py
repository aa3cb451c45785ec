"""The instruction roofline of an emulated GPU: what its kernels issue, below what its schedulers and its memory allow.

An instruction roofline (Ding and Williams, 2019) needs what is counted of every kernel: warp instructions and sectors.
"""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from notebook.base.errors import Problem
from notebook.base.text import plain
from notebook.emulate.launches.records import Launch
from notebook.emulate.launches.runs import Roof

SECTOR_BYTES = 32
_SCRIPT = Path(__file__).with_suffix(".gp")


@dataclass(frozen=True)
class Point:
    """A kernel, by the number that the picture shows."""

    number: int
    instructions_per_sector: float
    instructions_per_second: float


def point(number: int, launch: Launch) -> Point | None:
    """None where no time is predicted or nothing is read from memory or written."""
    counters = launch.counters
    # The least that has to move: reads of a cold L2, and each sector that is written once.
    written = SECTOR_BYTES * counters.get("l2_write_sectors_least", 0)
    moved = counters.get("dram_read_bytes", 0) + written
    instructions, _ = launch.instructions
    if not launch.predicted or not launch.predicted.seconds or not moved or not instructions:
        return None
    return Point(
        number, instructions / (moved / SECTOR_BYTES), instructions / launch.predicted.seconds
    )


def svg(roof: Roof, points: Sequence[Point]) -> bytes:
    """The picture; only numbers reach gnuplot."""
    bend = roof.instructions_per_second / (roof.dram_bytes_per_second / SECTOR_BYTES)
    along = [bend, *(each.instructions_per_sector for each in points)]
    across = [roof.instructions_per_second, *(each.instructions_per_second for each in points)]
    rows = (
        f"{p.instructions_per_sector:.6g} {p.instructions_per_second:.6g} {p.number}"
        for p in points
    )
    with tempfile.TemporaryDirectory(prefix="lab-") as name:
        folder = Path(name)
        (folder / "data").write_text("\n".join(rows) + "\n", encoding="utf-8")
        limits = (min(along) / 4, max(along) * 4, min(across) / 4, max(across) * 2)
        numbers = (roof.instructions_per_second, roof.dram_bytes_per_second / SECTOR_BYTES, *limits)
        done = subprocess.run(
            [
                "gnuplot",
                "--default-settings",
                "-c",
                str(_SCRIPT),
                *(f"{each:.6e}" for each in numbers),
            ],
            cwd=folder,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        figure = folder / "figure.svg"
        if done.returncode != 0 or not figure.is_file():
            raise Problem(f"gnuplot could not draw the roofline: {plain(done.stderr.strip())}")
        return figure.read_bytes()
