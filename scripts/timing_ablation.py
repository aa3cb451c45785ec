#!/usr/bin/env python3
"""What each mechanism of the time model does: its errors without it, in the table of common/timing/README.md.

    scripts/timing_ablation.py [MECHANISM ...]

Builds the emulated GPU's runtime once more for each mechanism of scripts/timing_ablation.toml, in a copy of the tree
under build/ablation that lacks it, and runs the chapters on the emulated H200, rows that are executed whole alone. Of
named mechanisms it prints the lines; of all it writes the table, about a minute for each mechanism on eight cores.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from notebook.base.project import Project
from notebook.data import documents
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.results import read
from notebook.tools import build
from timing_validation import H200, HIERARCHY, MEASURED, fill_in

MECHANISMS = Path("scripts/timing_ablation.toml")
PARAMETERS = Path("data/timing/parameters.csv")
PAGE = Path("common/timing/README.md")
BEGIN = "<!-- timing:ablation -->"
NOTHING = "nothing"
TREE_PARTS = ("chapters", "common", "data", "scripts")
FIRST_OF_LATER = "09"  # of the chapters that the table's second column is about
WORTH_NAMING, MAX_NAMED = 0.0085, 2  # chapters whose error grows by that much, the worst ones


@dataclass(frozen=True)
class Edit:
    file: Path
    old: str
    new: str


@dataclass(frozen=True)
class Mechanism:
    """What leaves it out: other texts in its sources, and other parameters."""

    name: str
    edits: tuple[Edit, ...] = ()
    parameters: tuple[tuple[str, float], ...] = ()

    def without(self, texts: dict[Path, str]) -> dict[Path, str]:
        """The files that change, of these."""
        changed: dict[Path, str] = {}
        for edit in self.edits:
            text = changed.get(edit.file, texts[edit.file])
            if text.count(edit.old) != 1:
                raise SystemExit(f"error: {self.name}: not once in {edit.file}: {edit.old.strip()}")
            changed[edit.file] = text.replace(edit.old, edit.new)
        if self.parameters:
            changed[PARAMETERS] = with_parameters(texts[PARAMETERS], dict(self.parameters))
        return changed


def with_parameters(table: str, values: dict[str, float]) -> str:
    """The table of parameters with these of Hopper."""
    lines = table.splitlines(keepends=True)
    found = set()
    for number, line in enumerate(lines):
        cells = next(csv.reader([line]), [])
        if len(cells) < 3 or cells[0] != H200 or cells[1] not in values:
            continue
        found.add(cells[1])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(
            [*cells[:2], f"{values[cells[1]]:g}", *cells[3:]]
        )
        lines[number] = text.getvalue()
    if missing := values.keys() - found:
        raise SystemExit(f"error: {PARAMETERS} has no {', '.join(sorted(missing))} of {H200}")
    return "".join(lines)


def mechanisms(root: Path) -> list[Mechanism]:
    entries = tomllib.loads((root / MECHANISMS).read_text(encoding="utf-8"))["mechanism"]
    return [
        Mechanism(
            entry["name"],
            tuple(
                Edit(Path(edit["file"]), edit["old"], edit["new"])
                for edit in entry.get("edits", [])
            ),
            tuple(entry.get("parameters", {}).items()),
        )
        for entry in entries
    ]


def texts_of(root: Path, wanted: list[Mechanism]) -> dict[Path, str]:
    files = {edit.file for each in wanted for edit in each.edits} | {PARAMETERS}
    return {file: (root / file).read_text(encoding="utf-8") for file in files}


def build_runtimes(project: Project, wanted: list[Mechanism]) -> Iterator[tuple[str, Path]]:
    """A folder like build/ with the runtime for each mechanism, which it lacks, and one that lacks nothing."""
    place = project.build / "ablation"
    tree = Project(place / "tree", place / "tree" / "data")
    shutil.rmtree(tree.root, ignore_errors=True)
    for part in TREE_PARTS:
        shutil.copytree(project.root / part, tree.root / part)
    for path in project.root.glob("meson.*"):
        shutil.copy(path, tree.root)
    texts = texts_of(project.root, wanted)
    build.configure(tree, build.emulated_runtime())
    for number, each in enumerate([Mechanism(NOTHING), *wanted]):
        changed = each.without(texts)
        for file, text in changed.items():
            (tree.root / file).write_text(text, encoding="utf-8")
        build.build(tree, "the emulated GPU", build.emulated_runtime())
        folder = place / f"{number:02}"
        shutil.rmtree(folder, ignore_errors=True)
        runtime = folder / build.emulated_runtime()
        runtime.parent.mkdir(parents=True)
        shutil.copy(tree.build / build.emulated_runtime(), runtime)
        for file in changed:
            (tree.root / file).write_text(texts[file], encoding="utf-8")
        yield each.name, folder


def chapter_errors(project: Project, chapter: Chapter, place: Path) -> list[float]:
    """Of the rows that are executed whole: how far the predicted times are from the measured ones."""
    # The executable restarts itself with the runtime in a folder above it.
    executable = place / chapter.name
    executable.hardlink_to(project.build / chapter.target)
    flags = [f"--architecture={H200}", "--workers=1", "--counts-alone", "--benchmark_format=json"]
    run = subprocess.run([executable, *flags], stdout=subprocess.PIPE, text=True, check=True)
    measured = read(project.data / MEASURED / f"{chapter.name}.json", chapter).by_name
    result = []
    for row in documents.from_benchmark(json.loads(run.stdout))["rows"]:
        times = [each.time_us for each in measured.get(row["name"], [])]
        if times and row.get("predicted_seconds", 0) > 0:
            seconds = statistics.median(times) * 1e-6
            result.append(abs(row["predicted_seconds"] / seconds - 1))
    return result


def table_row(name: str, medians: dict[str, float], whole: dict[str, float]) -> str:
    """A row of the table: median errors by the chapters' numbers."""
    means = (
        statistics.mean(
            error for chapter, error in medians.items() if (chapter >= FIRST_OF_LATER) is later
        )
        for later in (False, True)
    )
    changes = sorted(
        ((error - whole[chapter], chapter) for chapter, error in medians.items()), reverse=True
    )
    named = [
        f"chapter {chapter}: {medians[chapter]:.1%} instead of {whole[chapter]:.1%}"
        for change, chapter in changes[:MAX_NAMED]
        if change > WORTH_NAMING
    ]
    return (
        f"| {name} | {' | '.join(f'{mean:.1%}' for mean in means)} | {'; '.join(named)} |".replace(
            "|  |", "| |"
        )
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    project = Project.here()
    known = mechanisms(project.root)
    names = [each.name for each in known]
    parser.add_argument("mechanism", nargs="*", help=f"one of: {'; '.join(names)}")
    asked = parser.parse_args().mechanism
    if unknown := set(asked) - set(names):
        parser.error(f"no mechanism {', '.join(sorted(unknown))}; there are: {'; '.join(names)}")
    wanted = [each for each in known if not asked or each.name in asked]
    chapters = [
        chapter
        for chapter in all_chapters(project)
        if chapter.name != HIERARCHY and (project.data / MEASURED / f"{chapter.name}.json").exists()
    ]
    targets = [chapter.target for chapter in chapters]
    build.configure(project, *targets)
    build.build(project, "programs", *targets)
    lines = ["| left out | 01 to 08 | 09 to 19 | most |", "|---|---|---|---|"]
    whole: dict[str, float] = {}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, place in build_runtimes(project, wanted):
            found = pool.map(
                lambda chapter, at=place: chapter_errors(project, chapter, at), chapters
            )
            of_chapters = {
                chapter.number: each for chapter, each in zip(chapters, found, strict=True) if each
            }
            medians = {number: statistics.median(each) for number, each in of_chapters.items()}
            whole = whole or medians
            lines.append(table_row(name, medians, whole))
            print(lines[-1], flush=True)
            if name == NOTHING:
                print(f"{sum(map(len, of_chapters.values()))} rows", flush=True)
    if not asked:
        fill_in(project.root / PAGE, BEGIN, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
