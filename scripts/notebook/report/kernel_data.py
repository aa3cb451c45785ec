"""The kernels of a chapter: the lines of kernels.cuh with what each line's accesses cost.

Each built chapter runs its claims' variants on an emulated GPU; what they cost is kept in
build/report-lines for as long as the program stays the same. Without a build the source is shown alone.
"""

import hashlib
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from notebook.base import files
from notebook.base.errors import Malformed, Problem, refuse
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.data import names, results, schema
from notebook.data.chapters import Chapter
from notebook.decide import claims
from notebook.report import rendering
from notebook.tools.build import emulated_runtime

ARCHITECTURE = "hopper"
_KERNEL = re.compile(
    r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s+)?void\s+(?:__launch_bounds__\s*\([^)]*\)\s+)?(\w+)"
)
_TIME_LIMIT_S = 120
_LARGEST_PROGRAM = 256 * 2**20
_COSTS = ("requests", "sectors", "wavefronts", "distinct_bytes", "moved_bytes")


@dataclass
class Access:
    """What the loads or stores of one line cost in all launches together."""

    what: str
    costs: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COSTS, 0))

    @property
    def requests(self) -> int:
        return self.costs["requests"]

    @property
    def per_request(self) -> float:
        """Sectors of global memory, or passes through the banks of shared memory."""
        cost = "wavefronts" if self.what.startswith("shared") else "sectors"
        return self.costs[cost] / self.requests

    @property
    def unit(self) -> str:
        return "passes" if self.what.startswith("shared") else "sectors"

    @property
    def efficiency(self) -> float | None:
        moved = self.costs["moved_bytes"]
        return 100 * self.costs["distinct_bytes"] / moved if moved else None


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
    # The line at which each kernel is defined.
    names: dict[str, int]


@dataclass(frozen=True)
class Counts:
    """What the variants of a chapter cost, by line."""

    variants: list[str]
    lines: dict[int, list[Access]]


def of_chapter(project: Project, chapter: Chapter) -> Kernels:
    try:
        source = files.text_of(chapter.directory / "kernels.cuh")
    except Problem as problem:
        refuse(problem)
        source = ""
    counts = _kept_counts(project, chapter) or Counts([], {})
    lines = [
        Line(number, text, counts.lines.get(number, []))
        for number, text in enumerate(rendering.cuda(source), start=1)
    ]
    names = {
        match[1]: source.count("\n", 0, match.start(1)) + 1 for match in _KERNEL.finditer(source)
    }
    return Kernels(chapter, lines, counts.variants, names)


def accesses(emulated: Sequence[dict[str, Any]], file: str) -> dict[int, list[Access]]:
    """What `lab emulate --report json` counted in the lines of a file."""
    by_line: dict[int, dict[str, Access]] = {}
    for site in _sites(emulated):
        if not str(site["file"]).endswith(file):
            continue
        what = f"{site['space']} {site['kind']}"
        access = by_line.setdefault(int(site["line"]), {}).setdefault(what, Access(what))
        for name in _COSTS:
            access.costs[name] += int(site[name])
    return {
        line: [access for access in by_kind.values() if access.requests]
        for line, by_kind in by_line.items()
    }


def _sites(emulated: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The accesses of each kernel's largest launches: the others validate it on ragged shapes."""
    for run in emulated:
        largest: dict[str, dict[str, Any]] = {}
        for launch in run["launches"]:
            kept = largest.setdefault(launch["kernel"], launch)
            if math.prod(launch["grid"]) > math.prod(kept["grid"]):
                largest[launch["kernel"]] = launch
        for launch in largest.values():
            yield from launch["sites"]


def count(project: Project, chapters: Sequence[Chapter]) -> None:
    """Counts the chapters whose programs have changed since they were counted, on all cores."""
    has_runtime = (project.build / emulated_runtime()).is_file()
    needed = (
        (chapter, _program(project, chapter), chapter.directory / "kernels.cuh")
        for chapter in chapters
    )
    built = [chapter for chapter, *paths in needed if has_runtime and all(map(Path.is_file, paths))]
    stale = [chapter for chapter in built if _kept_counts(project, chapter) is None]
    if len(built) < len(chapters):
        say(
            f"{len(chapters) - len(built)} chapters are not built: their kernels are shown without "
            "counts; scripts/lab run builds them"
        )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = pool.map(lambda chapter: _count(project, chapter), stale)
        for number, (chapter, _) in enumerate(zip(stale, counted, strict=True), start=1):
            say(f"counted what each line costs: {chapter.name} ({number} of {len(stale)})")


def _program(project: Project, chapter: Chapter) -> Path:
    return project.build / chapter.target


def _count(project: Project, chapter: Chapter) -> None:
    """Runs the variants of the chapter's claims at their smallest size, and keeps their costs."""
    variants = _variants(project, chapter)
    emulated = _emulated(_program(project, chapter), variants) if variants else []
    if emulated is None:
        say(f"{chapter.name}: no counts by line within {_TIME_LIMIT_S} s")
        return
    lines = accesses(emulated, f"chapters/{chapter.name}/kernels.cuh")
    content = {
        "made_from": _made_from(project, chapter),
        "variants": variants,
        "lines": {line: [asdict(access) for access in totals] for line, totals in lines.items()},
    }
    files.write(_kept(project, chapter), json.dumps(content))


def _emulated(program: Path, variants: list[str]) -> list[dict[str, Any]] | None:
    """What the emulated GPU counted; None where it did not end in time."""
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
        return list(json.loads(done.stdout)["emulated"])
    except (subprocess.TimeoutExpired, ValueError, LookupError, TypeError):
        return None


def _kept(project: Project, chapter: Chapter) -> Path:
    return project.build / "report-lines" / f"{chapter.name}.json"


def _kept_counts(project: Project, chapter: Chapter) -> Counts | None:
    """The costs that are kept, if they are those of the program as it is."""
    try:
        content = schema.parse_json(files.read_bytes(_kept(project, chapter)))
        if content["made_from"] != _made_from(project, chapter):
            return None
        lines = {
            int(line): [
                Access(str(access["what"]), {name: int(access["costs"][name]) for name in _COSTS})
                for access in totals
            ]
            for line, totals in content["lines"].items()
        }
        return Counts(list(map(str, content["variants"])), lines)
    except (Malformed, ValueError, LookupError, TypeError, AttributeError):
        return None


def _made_from(project: Project, chapter: Chapter) -> str:
    """The hash of the program, of the emulated GPU, and of the source whose lines it names."""
    made_from = (
        _program(project, chapter),
        project.build / emulated_runtime(),
        chapter.directory / "kernels.cuh",
    )
    contents = (files.read_bytes(path, _LARGEST_PROGRAM) for path in made_from)
    hashes = [hashlib.sha256(content).hexdigest() for content in contents]
    return hashlib.sha256("".join([ARCHITECTURE, *hashes]).encode()).hexdigest()


def _variants(project: Project, chapter: Chapter) -> list[str]:
    """The benchmarks of the claims, each at the smallest size that was counted."""
    variants = {
        name
        for claim in claims.load_right(chapter).right
        for name in (claim.variant, claim.baseline)
        if name
    }
    names_by_variant: dict[str, str] = {}
    for result in results.load_chapter(project, chapter):
        if result.device != f"emulated-{ARCHITECTURE}":
            continue
        for name in names.naturally_sorted(result.counts):
            if names.variant(name) in variants:
                names_by_variant.setdefault(names.variant(name), name)
    return list(names_by_variant.values())
