"""What each result decides about its chapter's claims, found out once for the same files and code."""

import glob
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import cache
from pathlib import Path

from notebook import claims, kept, prediction, results, verdicts
from notebook.chapters import Chapter
from notebook.claims import Claim
from notebook.devices import is_slug
from notebook.errors import Malformed
from notebook.fields import Json
from notebook.project import Project
from notebook.results import Result
from notebook.verdicts import Finding, Verdict

_DECIDED = "decided"
# Below this a second process takes longer to start than it saves.
_FEWEST_FILES = 40


def decided(
    project: Project, chapter: Chapter, known: list[Claim], result: Result
) -> dict[str, list[Verdict]]:
    """The verdicts of each claim by its id, in the order of the regimes."""
    name = _name(chapter, result.key) if result.key else ""
    data = project.shown(result.path)
    lines_by_claim = kept.read(project, _DECIDED, name) if name else None
    if lines_by_claim is not None:
        return {
            claim.id: [_verdict(claim, result, data, line) for line in lines_by_claim[claim.id]]
            for claim in known
        }
    fresh = {claim.id: verdicts.decide(claim, result, data) for claim in known}
    if name:
        lines = {
            identifier: list(map(_line, decided_verdicts))
            for identifier, decided_verdicts in fresh.items()
        }
        kept.write(project, _DECIDED, name, lines)
    return fresh


def prepare(project: Project, chapters: list[Chapter], device: str | None = None) -> None:
    """Checks and decides what is new on all cores; what is wrong is named by the reader of it."""
    kept.tidy(project)
    prediction.check_table()
    new = list(_new(project, chapters, device))
    if len(new) >= _FEWEST_FILES:
        with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(_prepare, *zip(*new, strict=True), chunksize=8))


def _new(
    project: Project, chapters: list[Chapter], device: str | None
) -> Iterator[tuple[Project, Chapter, Path]]:
    folder = "*" if device is None else glob.escape(device)
    for chapter in chapters:
        for path in project.data.glob(f"{folder}/{chapter.name}.json"):
            try:
                name = _name(chapter, results.key_of(path, chapter))
            except Malformed:
                continue
            if is_slug(path.parent.name) and not kept.has(project, _DECIDED, name):
                yield project, chapter, path


def _prepare(project: Project, chapter: Chapter, path: Path) -> None:
    try:
        result = results.load_right(project, path, chapter)
    except Malformed:
        return
    decided(project, chapter, _claims(chapter), result)


@cache
def _claims(chapter: Chapter) -> list[Claim]:
    """Read once in each process that prepares."""
    return claims.load_right(chapter).right


def _name(chapter: Chapter, key: str) -> str:
    return kept.key([key.encode(), claims.content(chapter)])


def _line(verdict: Verdict) -> Json:
    return {
        "regime": verdict.regime,
        "label": verdict.label,
        "finding": asdict(verdict.finding),
    }


def _verdict(claim: Claim, result: Result, data: str, line: Json) -> Verdict:
    finding = line["finding"]
    # JSON has lists alone.
    tuples = {
        "interval": finding["interval"] and tuple(finding["interval"]),
        "n": tuple(finding["n"]),
    }
    return Verdict(
        result.chapter,
        claim,
        result.device,
        result.kind,
        result.year,
        data,
        Finding(**finding | tuples),
        line["regime"],
        line["label"],
    )
