"""What each result decides about its chapter's claims, found out once for the same files and code."""

import gc
import glob
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.data import cache, results
from notebook.data.chapters import Chapter
from notebook.data.devices import is_slug
from notebook.data.results import Result
from notebook.decide import claims, prediction, verdicts
from notebook.decide.claims import Claim, Claims
from notebook.decide.verdicts import Finding, Verdict

_DECIDED = "decided"
# Below this a second process takes longer to start than it saves.
_FEWEST_FILES = 40


def decided(project: Project, known: Claims, result: Result) -> dict[str, list[Verdict]]:
    """The verdicts of each claim by its id, in the order of the regimes."""
    name = _name(known, result.key) if result.key else ""
    data = project.shown(result.path)
    lines_by_claim = cache.read(project, _DECIDED, name) if name else None
    if lines_by_claim is not None:
        return {
            claim.id: [_verdict(claim, result, data, line) for line in lines_by_claim[claim.id]]
            for claim in known.right
        }
    fresh = {claim.id: verdicts.decide(claim, result, data) for claim in known.right}
    if name:
        lines = {
            identifier: list(map(_line, decided_verdicts))
            for identifier, decided_verdicts in fresh.items()
        }
        cache.write(project, _DECIDED, name, lines)
    return fresh


def prepare(project: Project, chapters: list[Chapter], device: str | None = None) -> None:
    """Checks and decides what is new on all cores; what is wrong is named by the reader of it."""
    for _ in prepared(project, chapters, device):
        pass


def prepared(
    project: Project, chapters: list[Chapter], device: str | None = None
) -> Iterator[Chapter]:
    """The same; yields each chapter once it is decided, while later chapters still are being decided."""
    cache.tidy(project)
    prediction.check_tables()
    by_chapter = {chapter.name: list(_files(project, chapter, device)) for chapter in chapters}
    every = list(chain.from_iterable(by_chapter.values()))
    new = filter(_is_new, every)
    # Once so many are new, all are left to the processes: asking for each takes a reading of it. They look
    # through their own objects for garbage, not through those of the modules.
    if len(list(islice(new, _FEWEST_FILES))) < _FEWEST_FILES:
        yield from chapters
        return
    cache.close()
    pool = ProcessPoolExecutor(len(os.sched_getaffinity(0)), initializer=gc.freeze)
    try:
        done = pool.map(_prepare, every, chunksize=8)
        for chapter in chapters:
            for _ in by_chapter[chapter.name]:
                next(done)
            yield chapter
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class _File:
    """A data file, and what it is decided by."""

    project: Project
    chapter: Chapter
    known: Claims
    path: Path


def _files(project: Project, chapter: Chapter, device: str | None) -> Iterator[_File]:
    folder = "*" if device is None else glob.escape(device)
    known = claims.load_right(chapter)
    for path in project.data.glob(f"{folder}/{chapter.name}.json"):
        if is_slug(path.parent.name):
            yield _File(project, chapter, known, path)


def _is_new(file: _File) -> bool:
    try:
        name = _name(file.known, results.key_of(file.path, file.chapter))
    except Malformed:
        return False
    return not cache.has(file.project, _DECIDED, name)


def _prepare(file: _File) -> None:
    try:
        result = results.load_right(file.project, file.path, file.chapter)
    except Malformed:
        return
    decided(file.project, file.known, result)


def _name(known: Claims, key: str) -> str:
    return cache.key([key.encode(), known.key.encode()])


def _line(verdict: Verdict) -> list[Any]:
    """A regime, its label, and the fields of the finding in their order."""
    return [verdict.regime, verdict.label, *vars(verdict.finding).values()]


def _verdict(claim: Claim, result: Result, data: str, line: list[Any]) -> Verdict:
    regime, label, word, reason, evidence, ratio, interval, n = line
    return Verdict(
        result.chapter,
        claim,
        result.device,
        result.kind,
        result.year,
        data,
        Finding(word, reason, evidence, ratio, interval and tuple(interval), tuple(n)),
        regime,
        label,
    )
