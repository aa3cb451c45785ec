#!/usr/bin/env python3
"""Predicted times of a GPU to which nothing was fitted, against those that were measured of it.

    scripts/timing_unseen.py

Runs the built chapters on the emulated GPU, writes data/timing/unseen.csv and the table of common/timing/validation.md.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from notebook.base.project import Project
from notebook.data import documents
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.fields import Json
from notebook.data.results import read
from timing_validation import HIERARCHY, VALIDATION_PAGE, Timed, fill_in, table, write, written

ARCHITECTURE, MEASURED = "nvidia-h100-sxm", "nvidia-h100-80gb-hbm3"
TABLE = Path("data/timing/unseen.csv")
BEGIN = "<!-- timing:unseen -->"


def predicted_rows(executable: Path) -> list[Json]:
    """The rows of a chapter on the emulated GPU."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output.json"
        flags = [f"--architecture={ARCHITECTURE}", "--workers=1", f"--benchmark_out={output}"]
        subprocess.run([executable, *flags], capture_output=True, check=True)
        text = output.read_text(encoding="utf-8")
    rows: list[Json] = documents.from_benchmark(json.loads(text))["rows"]
    return rows


def timed(project: Project, chapter: Chapter) -> Iterator[Timed]:
    """The benchmarks of a chapter that have both times."""
    measured = read(project.data / MEASURED / f"{chapter.name}.json", chapter).by_name
    for row in predicted_rows(project.build / chapter.target):
        times = [each.time_us for each in measured.get(row["name"], [])]
        if times and row.get("predicted_seconds", 0) > 0:
            predicted, bound = row["predicted_seconds"], row["predicted_bound"]
            yield Timed(
                chapter.name, row["name"], predicted, bound, statistics.median(times) * 1e-6
            )


def main() -> int:
    project = Project.here()
    chapters = [
        chapter
        for chapter in all_chapters(project)
        if chapter.name != HIERARCHY and (project.data / MEASURED / f"{chapter.name}.json").exists()
    ]
    with ThreadPoolExecutor(2) as workers:
        pairs = list(workers.map(lambda chapter: list(timed(project, chapter)), chapters))
    write((pair for some in pairs for pair in some), project.root / TABLE)
    lines = table(written(project.root / TABLE))
    fill_in(project.root / VALIDATION_PAGE, BEGIN, lines)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
