#!/usr/bin/env python3
"""Records of launches of public programs, from which the time model predicts them again without these programs.

    timing_records.py write FOLDER EXECUTABLES    runs what public_programs.py has built, on the emulated H200
    timing_records.py predict                     from a clone: predicts all records, prints the errors of both halves
    timing_records.py predict --looked-at         the same of the half that is not held back

data/timing/public_programs.records.xz has a line of JSON, [[program, launch, record], ...], and behind it the records,
each behind its length in four bytes (common/timing/machine/trace_file.hpp). Launches that do the same share a record;
of more than four different ones of a kernel the others have none. `predict` writes the predicted times of
data/timing/public_programs.csv; a launch without a record gets none, as its last prediction is of an older model.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import other_programs
import public_programs
from notebook.base import csv_table
from notebook.base.errors import Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.emulate import command as emulate
from notebook.timing.sets import is_held_back
from notebook.tools import build
from other_programs import Program
from public_programs import Rows

RECORDS = Path("data/timing/public_programs.records.xz")
PROGRAM = "common/timing/predict_records"
GPU = "hopper"
MAX_OF_KERNEL = 4
MAX_BYTES = 5 << 20
MAX_DECOMPRESSED = 1 << 30
SECONDS = 600
WORKERS = 3
LENGTH = 4


@dataclass
class Records:
    """Different records, and which launches have them."""

    frames: list[bytes] = field(default_factory=list)
    launches: list[tuple[str, int, int]] = field(default_factory=list)  # program, launch, frame

    def to_file(self, path: Path) -> None:
        index = json.dumps(self.launches, separators=(",", ":")).encode() + b"\n"
        compressed = lzma.compress(index + b"".join(self.frames), preset=9 | lzma.PRESET_EXTREME)
        say(f"{len(self.launches)} launches, {len(self.frames)} records, {len(compressed)} bytes")
        if len(compressed) > MAX_BYTES:
            raise Problem(f"the records take {len(compressed)} bytes, and {MAX_BYTES} are allowed")
        path.write_bytes(compressed)


def frames_of(data: bytes) -> list[bytes]:
    """Each with its length."""
    frames = []
    at = 0
    while at < len(data):
        end = at + LENGTH + int.from_bytes(data[at : at + LENGTH], "little")
        if end > len(data):
            raise Problem(f"{RECORDS}: the last record ends too early; check the file out again")
        frames.append(data[at:end])
        at = end
    return frames


def read(path: Path) -> Records:
    data = lzma.LZMADecompressor().decompress(path.read_bytes(), MAX_DECOMPRESSED)
    index, _, rest = data.partition(b"\n")
    launches = [
        (str(program), int(launch), int(frame)) for program, launch, frame in json.loads(index)
    ]
    return Records(frames_of(rest), launches)


def recorded(library: Path, program: Program, executables: Path) -> list[tuple[str, bytes]]:
    """Kernel and record of each launch; of a program that is stopped those before."""
    with tempfile.TemporaryDirectory() as folder:
        report, records = Path(folder) / "report.jsonl", Path(folder) / "records"
        settings = {
            "EMULATED_GPU": GPU,
            "EMULATED_GPU_TIME": "1",
            "EMULATED_GPU_REPORT": str(report),
            "EMULATED_GPU_RECORDS": str(records),
            "LD_LIBRARY_PATH": str(library),
        }
        command = [str(public_programs.executable(program, executables)), *program.arguments]
        try:
            subprocess.run(command, cwd=program.folder, env=os.environ | settings, check=False,
                           capture_output=True, timeout=SECONDS)  # fmt: skip
        except subprocess.TimeoutExpired:
            say(f"{program.shown}: stopped after {SECONDS} s")
        if not records.is_file() or not report.is_file():
            return []
        say(f"{program.shown}: recorded")
        lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
        kernels = [line["kernel"] for line in lines if "predicted" in line]
        return list(zip(kernels, frames_of(records.read_bytes()), strict=False))


def write(folder: Path, executables: Path) -> None:
    project = Project.here()
    timed = public_programs.read_table(project.root / public_programs.TIMES)
    library = emulate.runtime_folder(project)
    programs = [
        program
        for program in other_programs.read_list(public_programs.LIST, folder)
        if program.shown in timed and public_programs.executable(program, executables).is_file()
    ]
    with ThreadPoolExecutor(WORKERS) as pool:
        all_launches = pool.map(lambda each: recorded(library, each, executables), programs)
    records = Records()
    places: dict[bytes, int] = {}
    for program, launches in zip(programs, all_launches, strict=True):
        of_kernel: Counter[str] = Counter()
        for (kernel, frame), row in zip(launches, timed[program.shown], strict=False):
            if public_programs.base_name(kernel) != row["kernel"]:
                break
            if frame not in places:
                if of_kernel[row["kernel"]] >= MAX_OF_KERNEL:
                    continue
                of_kernel[row["kernel"]] += 1
                places[frame] = len(records.frames)
                records.frames.append(frame)
            records.launches.append((program.shown, int(row["launch"]), places[frame]))
    records.to_file(project.root / RECORDS)


def predict(project: Project, records: Records) -> list[tuple[str, str]]:
    """Seconds and bound of each record, on all cores."""
    build.build(project, "--quiet", PROGRAM)
    command = [str(project.build / PROGRAM), GPU]

    def of_frame(frame: bytes) -> tuple[str, str]:
        done = subprocess.run(command, input=frame, capture_output=True, check=False)
        words = done.stdout.decode().split(" ")
        if done.returncode != 0 or len(words) < 2:
            raise Problem(f"{RECORDS} cannot be predicted: {done.stderr.decode().strip()}")
        return words[0], words[1]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(of_frame, records.frames))


def fill_in(records: Records, predicted: list[tuple[str, str]], timed: Rows) -> Rows:
    """The predicted times; only launches that have a record. The others lose what an older model predicted."""
    for rows in timed.values():
        for row in rows:
            row["predicted_seconds"] = row["predicted_bound"] = ""
    result: Rows = {}
    for program, launch, frame in records.launches:
        row = next(row for row in timed[program] if int(row["launch"]) == launch)
        row["predicted_seconds"] = f"{float(predicted[frame][0]):.4g}"
        row["predicted_bound"] = predicted[frame][1]
        result.setdefault(program, []).append(row)
    return result


def predict_all(looked_at: bool) -> None:
    project = Project.here()
    records = read(project.root / RECORDS)
    path = project.root / public_programs.TIMES
    timed = public_programs.read_table(path)
    some = fill_in(records, predict(project, records), timed)
    values = [list(row.values()) for rows in timed.values() for row in rows]
    csv_table.write(path, tuple(next(iter(timed.values()))[0]), values)
    if looked_at:
        some = {name: rows for name, rows in some.items() if not is_held_back(name)}
    print("\n".join(public_programs.time_table(some)))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["write", "predict"])
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER EXECUTABLES")
    parser.add_argument("--looked-at", action="store_true", help="not the half held back")
    options = parser.parse_args()
    try:
        if options.step == "predict":
            predict_all(options.looked_at)
        elif len(options.folders) != 2:
            parser.error("write needs the folder of the sources and that of the executables")
        else:
            write(options.folders[0], options.folders[1].resolve())
    except Problem as problem:
        print(f"timing_records: error: {problem}", file=sys.stderr)
        return problem.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
