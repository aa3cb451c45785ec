#!/usr/bin/env python3
"""Programs that time themselves, predicted beside measured: clocks.csv and others of data/timing.

    scripts/timing_programs.py [PROGRAM [MEASURED.csv ...]]

Runs the programs of these names in common/microbenchmarks on the emulated H200 and writes what they print beside
what they printed on a GPU: in the given files, a process each (their medians), else as the table has it.
scripts/timing_validation.py makes the table of common/timing/validation.md from these.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from notebook.base import files
from notebook.base.project import Project
from notebook.timing.errors import Pair
from notebook.tools import build


@dataclass(frozen=True)
class Table:
    """What one program prints, a line each: its name and a number, here in `unit`."""

    program: str
    entry: str
    unit: str
    note: str
    is_source: str = "no"  # of new rows: whether a parameter comes from them
    counted: tuple[str, ...] = ()  # columns that the program does not print, kept as they are

    @property
    def target(self) -> str:
        return f"common/microbenchmarks/{self.program}"

    @property
    def path(self) -> Path:
        return Path(f"data/timing/{self.program}.csv")

    @property
    def columns(self) -> tuple[str, str, str, str]:
        return (self.entry, f"measured_{self.unit}", f"predicted_{self.unit}", "is_source")

    def printed(self, text: str) -> dict[str, float]:
        """Numbers by name, as the program prints them."""
        return {row[self.entry]: float(row[self.unit]) for row in csv.DictReader(io.StringIO(text))}

    def predicted(self, project: Project) -> dict[str, float]:
        """What the program prints on the emulated H200."""
        runtime = (project.build / build.emulated_runtime()).parent
        settings = {
            "EMULATED_GPU": "hopper",
            "EMULATED_GPU_TIME": "1",
            "LD_LIBRARY_PATH": str(runtime),
        }
        run = subprocess.run(
            [project.build / self.target],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            check=True,
        )
        return self.printed(run.stdout)

    def read(self, project: Project) -> list[dict[str, str]]:
        """The rows of the table."""
        with (project.root / self.path).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))

    def write(self, project: Project, processes: list[dict[str, float]]) -> None:
        """Writes what is predicted now beside what `processes` measured, or else what the table has."""
        before = self.read(project) if (project.root / self.path).is_file() else []
        name, measured_column, _, is_source = self.columns
        sources = {row[name]: row[is_source] for row in before}
        measured = {row[name]: float(row[measured_column]) for row in before}
        counted = {row[name]: [row.get(column, "") for column in self.counted] for row in before}
        if processes:
            measured = {key: median(each[key] for each in processes) for key in processes[0]}
        now = self.predicted(project)
        text = io.StringIO(self.note)
        text.seek(0, io.SEEK_END)
        table = csv.writer(text, lineterminator="\n")
        table.writerow(self.columns + self.counted)
        for key, value in now.items():
            source = sources.get(key, self.is_source)
            table.writerow(
                [
                    key,
                    f"{measured[key]:.2f}",
                    f"{value:.2f}",
                    source,
                    *counted.get(key, [""] * len(self.counted)),
                ]
            )
        files.write(project.root / self.path, text.getvalue())

    def pairs(self, project: Project) -> list[tuple[Pair, bool]]:
        """Predicted and measured numbers, and whether they judge the model: no parameter comes from them."""
        _, measured, predicted, is_source = self.columns
        return [
            ((float(row[predicted]), float(row[measured])), row[is_source] == "no")
            for row in self.read(project)
        ]


_ON_BOTH = "(driver 580.159.04, 1980 MHz; medians of three processes) and on the emulated one."
_WHERE = f"{_ON_BOTH} A parameter of the time"
CLOCKS = Table(
    "clocks",
    "loop",
    "cycles",
    f"""\
# Cycles an operation as a kernel's own clock counts them: common/microbenchmarks/clocks on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
)
COPIES = Table(
    "copies",
    "copy",
    "us",
    f"""\
# Microseconds of copies and fills, back to back: common/microbenchmarks/copies on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
)
FLIGHTS = Table(
    "flights",
    "flight",
    "ns",
    f"""\
# Nanoseconds of a round of requests in flight: common/microbenchmarks/flights on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
    is_source="yes",
)
BRANCHES = Table(
    "branches",
    "branch",
    "cycles",
    """\
# Cycles of a warp for a round of a loop, and for a body that all its threads skip or execute, with the multiply-add
# behind it: common/microbenchmarks/branches on an H100 (driver 580.159.04, 1980 MHz; medians of three processes)
# and on the emulated H200. A parameter of the time model comes from the rows with yes.
""",
)
CONSTANTS = Table(
    "constants",
    "read",
    "cycles",
    f"""\
# Cycles of a read of constant memory where lanes read different addresses: common/microbenchmarks/constants on
# an H200 {_WHERE}
# model comes from the rows with yes.
# Reads of 8 bytes were measured once, at other addresses; pairs once, as loads of float2 that ptxas split into two
# loads of a word each, as the program's are.
""",
    is_source="yes",
)
STORES = Table(
    "stores",
    "store",
    "ns",
    f"""\
# Nanoseconds of stores in flight to the L2, and of launches that only write: common/microbenchmarks/stores on
# an H200 {_WHERE}
# model comes from the rows with yes.
""",
    is_source="yes",
)
COLUMNS = Table(
    "columns",
    "columns",
    "us",
    f"""\
# Microseconds of launches that write columns of a matrix of 2048 x 2048 floats: common/microbenchmarks/columns on
# an H200 {_WHERE}
# model comes from the rows with yes.
""",
)
STORED_COLUMNS = Table(
    "stored_columns",
    "columns",
    "us",
    """\
# Microseconds of launches whose warps write sectors together, of 2048 x 2048 floats:
# common/microbenchmarks/stored_columns on an H200 (driver 580.159.04, 1980 MHz; medians of three processes) and
# on the emulated one. They show in which order what waits is served.
""",
)
TURNS = Table(
    "turns",
    "turn",
    "value",
    """\
# In which order memory instructions that wait go on, what waits beside them, and columns that blocks of 16 x 16 threads
# write with a barrier in front of the store or without: common/microbenchmarks/turns on an H100 (driver
# 580.159.04, 1980 MHz; medians of three processes) and on the emulated H200. Requests and sectors that the L2 got:
# lts__t_requests_srcunit_tex_op_write and lts__t_sectors_srcunit_tex_op_write, Nsight Compute.
""",
    counted=("measured_requests", "measured_sectors"),
)
SHARED_LOADS = Table(
    "shared_loads",
    "load",
    "value",
    """\
# In which order warps load from shared memory, alone and in a product of 32 x 32 tiles of matrices of 1024 x 1024:
# common/microbenchmarks/shared_loads on an H100 (driver 580.159.04, 1980 MHz; medians of three processes) and on
# the emulated H200.
""",
)
BEHIND_STORES = Table(
    "behind_stores",
    "behind",
    "value",
    f"""\
# The wait behind an SM's stores, in cycles: common/microbenchmarks/behind_stores on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
)
ENGINE = Table(
    "engine",
    "copy",
    "cycles",
    f"""\
# Cycles of copies by the copy engine, of boxes of rows of 128 bytes: common/microbenchmarks/engine on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
)
STREAMS = Table(
    "streams",
    "stream",
    "us",
    f"""\
# Microseconds of launches that stream what the L2 lacks, back to back: common/microbenchmarks/streams on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
    is_source="yes",
)
REUSE = Table(
    "reuse",
    "case",
    "us",
    f"""\
# Microseconds of launches that read again what the L2 has evicted: common/microbenchmarks/reuse on an H200
# {_WHERE}
# model comes from the rows with yes. measured_dram_mb: what DRAM read (dram__bytes_read, Nsight Compute) in a launch of
# the same kernel, by the program from which this one was made, with an L2 that lacked the array at first.
""",
    counted=("measured_dram_mb",),
)
BARRIERS = Table(
    "barriers",
    "barrier",
    "cycles",
    f"""\
# Cycles from barrier to barrier of blocks that share an SM: common/microbenchmarks/barriers on an H200
# {_ON_BOTH}
""",
)
PRODUCTS = Table(
    "products",
    "step",
    "cycles",
    f"""\
# Cycles of a step of a product by tiles of registers: common/microbenchmarks/products on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
)
COLUMN_READS = Table(
    "column_reads",
    "read",
    "us",
    f"""\
# Microseconds of launches that read down columns that the L2 has: common/microbenchmarks/column_reads on an H200
# {_WHERE}
# model comes from the rows with yes.
""",
)
MASKED_STORES = Table(
    "masked_stores",
    "store",
    "us",
    f"""\
# Microseconds of launches that read what the L2 has and leave sectors of lines incomplete, back to back:
# common/microbenchmarks/masked_stores on an H200
# {_ON_BOTH}
""",
)
TABLES = (
    BARRIERS,
    BEHIND_STORES,
    CLOCKS,
    COLUMN_READS,
    COLUMNS,
    BRANCHES,
    CONSTANTS,
    COPIES,
    ENGINE,
    FLIGHTS,
    MASKED_STORES,
    PRODUCTS,
    REUSE,
    SHARED_LOADS,
    STORED_COLUMNS,
    STORES,
    STREAMS,
    TURNS,
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    names = [table.program for table in TABLES]
    parser.add_argument("program", nargs="?", choices=names, help="a program with measurements")
    parser.add_argument("measured", nargs="*", type=Path, help="what it printed on a GPU")
    arguments = parser.parse_args()
    project = Project.here()
    for table in TABLES:
        if arguments.program in (None, table.program):
            build.build(project, "programs", table.target, build.emulated_runtime())
            texts = [path.read_text(encoding="utf-8") for path in arguments.measured]
            table.write(project, [table.printed(text) for text in texts])
    return 0


if __name__ == "__main__":
    sys.exit(main())
