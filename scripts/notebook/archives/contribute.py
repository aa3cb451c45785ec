"""`lab pack` and `lab add`: a GPU's results from one notebook to another."""

import os
import tempfile
from pathlib import Path

from notebook.archives import context_consistency, counter_consistency, plausibility
from notebook.base import archive, files, lock
from notebook.base.archive import Files
from notebook.base.errors import WRONG_USAGE, Malformed, Problem
from notebook.base.project import Project
from notebook.base.text import plain, quoted
from notebook.data import known_gpus, received, results, schema
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.devices import is_slug, option_for
from notebook.data.fields import Json


def pack(project: Project, device: str, output: str | None) -> int:
    """Writes <device>.tar.gz, unless what is in it would be refused where it arrives."""
    folder = _folder(project, device)
    packed = {
        f"{device}/{name}": _packed(folder / name)
        for chapter in all_chapters(project)
        for name in _names(chapter)
        if files.is_there(folder / name)
    }
    path = Path(output or f"{device}.tar.gz")
    if not path.parent.is_dir():
        raise Problem(f"--output: no folder {quoted(path.parent)}; make it first", WRONG_USAGE)
    with tempfile.TemporaryDirectory(prefix="lab-pack-") as scratch:
        candidate = Path(scratch) / path.name
        files.write_bytes(candidate, archive.pack(packed))
        packed_device, unpacked = archive.unpack(candidate)
        chapters = check(project, candidate, packed_device, unpacked)
        files.write_bytes(path, candidate.read_bytes())
    print(
        f"packed {len(chapters)} chapters of {project.quoted(folder)} into {quoted(path)}; "
        f"add it where it arrives: scripts/lab add {quoted(Path(path.name))}"
    )
    return 0


def _packed(path: Path) -> bytes:
    try:
        return files.read_bytes(path)
    except Malformed as error:
        raise Problem(f"{quoted(path)}: {error}; remove it, or make it again") from error


def _folder(project: Project, device: str) -> Path:
    """The results of a GPU: those of a run of ours, else those that data/ has."""
    if device.startswith("emulated-"):
        raise Problem(
            f"results of an emulated GPU are not packed; scripts/lab run --device "
            f"{option_for(device)} makes the same ones everywhere"
            if is_slug(device)
            else "results of an emulated GPU are not packed",
            WRONG_USAGE,
        )
    places = (project.beside, project) if project.has_own_data else (project,)
    if is_slug(device):
        for folder in (place.data / device for place in places):
            if folder.is_dir():
                return folder
    looked = " or ".join(project.quoted(place.data) for place in places)
    raise Problem(
        f"no results of a GPU '{plain(device)}' in {looked}; scripts/lab run makes them",
        WRONG_USAGE,
    )


def add(project: Project, file: str) -> int:
    """Checks an archive and puts its results into data/, all or nothing."""
    path = Path(file)
    device, unpacked = archive.unpack(path)
    place = project.data / device
    if place.exists():
        raise Problem(
            f"{project.quoted(place)} is there already; see what differs with --data DIR, then "
            f"scripts/lab compare {device} DIR/{device}; or remove it first"
        )
    _refuse_emulated(path, device)
    chapters = check(project, path, device, unpacked)
    files.require_writable(project.data)
    # Beside its place, and with a name that no device has: a rename then makes it appear at once.
    with lock.temporary_folder(".add-", project.data) as scratch:
        noted = unpacked | {received.NOTE: received.note(path.read_bytes())}
        _write(scratch / device, noted)
        os.rename(scratch / device, place)
    print(
        f"added {len(chapters)} chapters of {device} as {project.quoted(place)}, {received.MARK}; "
        f"next: scripts/lab figures; scripts/lab verdicts --device {device}"
    )
    return 0


def _names(chapter: Chapter) -> list[str]:
    counters = f"counters/{chapter.name}"
    return [f"{chapter.name}.json", f"{counters}.csv", f"{counters}.meta.json"]


def _refuse_emulated(path: Path, device: str) -> None:
    if device.startswith("emulated-"):
        raise Problem(
            f"{quoted(path)}: emulated results are deterministic; make those of {device} locally: "
            f"scripts/lab run --device {option_for(device)}"
        )


def check(project: Project, path: Path, device: str, unpacked: Files) -> list[Chapter]:
    """The chapters of unpacked results; raises Problem for what cannot be right."""
    chapters = [chapter for chapter in all_chapters(project) if f"{chapter.name}.json" in unpacked]
    known = {name for chapter in chapters for name in _names(chapter)}
    if unknown := sorted(set(unpacked) - known):
        raise Problem(f"{quoted(path)}: {unknown[0]} belongs to no chapter of this notebook")
    if not chapters:
        raise Problem(f"{quoted(path)}: holds no results")
    documents: dict[str, Json] = {}
    for name, text in unpacked.items():
        try:
            if document := _checked(device, name, text):
                documents[name] = document
        except Malformed as error:
            raise Problem(f"{quoted(path)}: {name} {plain(error)}; nothing was added") from error
    if not device.startswith("emulated-"):
        _check_consistency(project, path, chapters, documents, unpacked)
    with tempfile.TemporaryDirectory(prefix="lab-check-") as scratch:
        folder = Path(scratch) / device
        _write(folder, unpacked)
        for chapter in chapters:
            try:
                results.read(folder / f"{chapter.name}.json", chapter)
            except Malformed as error:
                raise Problem(
                    f"{quoted(path)}: {chapter.name}.json: {plain(error)}; nothing was added"
                ) from error
    return chapters


def _checked(device: str, name: str, text: bytes) -> Json | None:
    """The results in a file; None for one of counters. Raises Malformed for another form."""
    if name.endswith(".csv"):
        plausibility.check_counters(text)
        return None
    if name.endswith(".meta.json"):
        plausibility.check_plain(schema.parse_json(text))
        return None
    document = schema.parse(text)
    plausibility.check_place(document, device, name.removesuffix(".json"))
    return document


def _check_consistency(
    project: Project,
    path: Path,
    chapters: list[Chapter],
    documents: dict[str, Json],
    unpacked: Files,
) -> None:
    """Raises Problem for results that contradict themselves."""
    name = ""
    try:
        for chapter in chapters:
            name = f"{chapter.name}.json"
            plausibility.check_results(project, documents[name], chapter)
        for chapter in chapters:
            name = f"counters/{chapter.name}.csv"
            _check_counters(project, chapter, documents[f"{chapter.name}.json"], unpacked)
        name = "its chapters"
        context_consistency.check_together([each["context"] for each in documents.values()])
    except Malformed as error:
        raise Problem(f"{quoted(path)}: {name} {plain(error)}; nothing was added") from error


def _check_counters(project: Project, chapter: Chapter, document: Json, unpacked: Files) -> None:
    table, meta = (f"counters/{chapter.name}.{ending}" for ending in ("csv", "meta.json"))
    if table in unpacked:
        measured = results.parse_counters(unpacked[table])
        counted = counter_consistency.counted_by(project, chapter)
        device = plausibility.device_of(known_gpus.of_project(project), document["context"])
        counter_consistency.check_counters(measured, document["rows"], counted, device)
    if meta in unpacked:
        counter_consistency.check_meta(schema.parse_json(unpacked[meta]), document["context"])


def _write(folder: Path, unpacked: Files) -> None:
    for name, text in unpacked.items():
        files.write_bytes(folder / name, text)
