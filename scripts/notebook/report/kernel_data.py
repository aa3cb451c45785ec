"""The kernels of a chapter: the lines of kernels.cuh with what each line's accesses cost.

The counts come from `lab report --lines`, which runs each chapter's variants on an emulated GPU and
keeps what it counts in build/report-lines; without it the source is shown alone.
"""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from notebook import claims, names, results
from notebook.chapters import Chapter
from notebook.errors import Problem
from notebook.progress import say
from notebook.project import Project
from notebook.report import rendering

ARCHITECTURE = "hopper"
_TIME_LIMIT_S = 120


@dataclass
class Access:
    """What the loads or stores of one line cost in all launches together."""

    what: str
    requests: int = 0
    sectors: int = 0
    wavefronts: int = 0
    lane_bytes: int = 0
    distinct_bytes: int = 0
    moved_bytes: int = 0

    @property
    def per_request(self) -> float:
        """Sectors of global memory, or passes through the banks of shared memory."""
        cost = self.wavefronts if self.what.startswith("shared") else self.sectors
        return cost / self.requests

    @property
    def unit(self) -> str:
        return "passes" if self.what.startswith("shared") else "sectors"

    @property
    def efficiency(self) -> float | None:
        return 100 * self.distinct_bytes / self.moved_bytes if self.moved_bytes else None


@dataclass(frozen=True)
class Line:
    """A line of the source."""

    number: int
    source: Markup
    accesses: list[Access]


@dataclass(frozen=True)
class Kernels:
    """A chapter's kernels; `counted` names the variants behind the counts, [] without counts."""

    chapter: Chapter
    lines: list[Line]
    counted: list[str]


def of_chapter(project: Project, chapter: Chapter) -> Kernels:
    source = (chapter.directory / "kernels.cuh").read_text(encoding="utf-8")
    counts: dict[str, Any] = {"variants": [], "emulated": []}
    kept = _kept(project, chapter)
    if kept.is_file():
        try:
            counts = json.loads(kept.read_text(encoding="utf-8"))
        except ValueError as error:
            how = "to make it again: scripts/lab report --lines"
            raise Problem(f"{project.quoted(kept)}: {error}; {how}") from error
    accesses = _accesses(counts, f"chapters/{chapter.name}/kernels.cuh")
    lines = [
        Line(number, text, list(accesses.get(number, {}).values()))
        for number, text in enumerate(rendering.cuda(source), start=1)
    ]
    return Kernels(chapter, lines, counts["variants"])


def _accesses(counts: dict[str, Any], file: str) -> dict[int, dict[str, Access]]:
    found: dict[int, dict[str, Access]] = {}
    for site in _sites(counts):
        if not str(site["file"]).endswith(file):
            continue
        what = f"{site['space']} {site['kind']}"
        access = found.setdefault(int(site["line"]), {}).setdefault(what, Access(what))
        for name in (
            "requests",
            "sectors",
            "wavefronts",
            "lane_bytes",
            "distinct_bytes",
            "moved_bytes",
        ):
            setattr(access, name, getattr(access, name) + int(site[name]))
    return {
        line: {what: each for what, each in of.items() if each.requests}
        for line, of in found.items()
    }


def _sites(counts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The accesses of each kernel's largest launches: the others validate it on ragged shapes."""
    for run in counts["emulated"]:
        largest: dict[str, dict[str, Any]] = {}
        for launch in run["launches"]:
            kept = largest.setdefault(launch["kernel"], launch)
            if math.prod(launch["grid"]) > math.prod(kept["grid"]):
                largest[launch["kernel"]] = launch
        for launch in largest.values():
            yield from launch["sites"]


def _kept(project: Project, chapter: Chapter) -> Path:
    return project.build / "report-lines" / f"{chapter.name}.json"


def count(project: Project, chapter: Chapter) -> None:
    """Runs the variants of the chapter's claims at their smallest size, and keeps the counts."""
    program = project.build / chapter.target
    variants = _variants(project, chapter)
    if not variants or not program.is_file():
        say(f"{chapter.name}: not built, or no data of emulated-{ARCHITECTURE}; no counts by line")
        return
    pattern = "^(" + "|".join(map(re.escape, variants)) + ")(/|$)"
    command = [sys.executable, "-P", "-m", "notebook", "emulate", "--architecture", ARCHITECTURE]
    command += ["--report", "json", str(program), "--", f"--benchmark_filter={pattern}"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIME_LIMIT_S,
        )
        content = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        say(f"{chapter.name}: no counts by line within {_TIME_LIMIT_S} s")
        return
    kept = _kept(project, chapter)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"variants": variants, "emulated": content["emulated"]}), "utf-8")


def _variants(project: Project, chapter: Chapter) -> list[str]:
    """The benchmarks of the claims, each at the smallest size that was counted."""
    wanted = {
        name for claim in claims.load(chapter) for name in (claim.variant, claim.baseline) if name
    }
    found: dict[str, str] = {}
    for result in results.load_chapter(project, chapter):
        if result.device != f"emulated-{ARCHITECTURE}":
            continue
        for name in names.naturally_sorted(result.counts):
            if names.variant(name) in wanted:
                found.setdefault(names.variant(name), name)
    return list(found.values())
