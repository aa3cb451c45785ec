"""`lab peers`: measures what other people's code takes for the same work, beside the chapter's data."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from notebook.base import files
from notebook.base.errors import MISSING, Problem
from notebook.base.project import Project
from notebook.data import documents, fields, results, schema
from notebook.data.chapters import Chapter, find_chapters
from notebook.data.fields import Json
from notebook.peers import library, subjects
from notebook.tools import toolbox

PROCESSES = 2
# Repositories whose programs a chapter's peers.cu includes where it finds them.
CHECKOUTS = ("SGEMM_CUDA", "cuda-samples")
# The GPU's facts in the chapter's own results.
_OF_THE_GPU = (
    *("device", "device_kind", "gpu_name", "generation", "compute_capability", "year", "sm_count"),
    *("l2_bytes", "dram_bytes_per_second", "fetch_unit_bytes", "ecc", "mig", "driver", "compiler"),
)


def peers(project: Project, words: list[str], checkouts: Path | None = None) -> int:
    """Measures the peers of chapters (all that have some, if none is named) into data/DEVICE/peers/.

    `checkouts` holds clones of the repositories `CHECKOUTS`, as many as one likes to measure, too.
    """
    python = _interpreter()
    sources = _revisions(checkouts) if checkouts else []
    for chapter in find_chapters(project, words or list(subjects.CHAPTERS)):
        subjects.of(chapter.name)
        context = _context_of_the_gpu(project, chapter)
        built = _library(project, chapter, str(context["compute_capability"]), checkouts)
        command = [python, "-P", "-m", "notebook.peers.process", chapter.name, str(built)]
        outputs = [_run(project, command) for _ in range(PROCESSES)]
        document = document_of(chapter.name, context, outputs, sources)
        path = project.data / str(context["device"]) / results.PEERS / f"{chapter.name}.json"
        files.write(path, documents.as_text(document))
        print(f"{project.shown(path)}: {len(document['rows'])} rows")
    return 0


def document_of(
    chapter: str, context: Json, outputs: list[list[Json]], sources: Sequence[str] = ()
) -> Json:
    """What processes wrote as a document of the data format; raises Malformed.

    `sources` names what was compiled besides the libraries.
    """
    libraries = outputs[0][0]["libraries"]
    if any(said["gpu_name"] != context["gpu_name"] for said, *_ in outputs):
        raise Problem(f"the GPU is a {outputs[0][0]['gpu_name']}, not a {context['gpu_name']}")
    rows: dict[str, Json] = {}
    for said, *measured in outputs:
        if said["libraries"] != libraries:
            raise Problem("the processes found different libraries")
        for repetition in measured:
            _add(rows.setdefault(repetition["name"], {}), repetition)
    context |= {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "chapter": chapter,
        "libraries": ", ".join([libraries, *sources]),
        "quick": False,
        "validation": "passed",
        "processes": len(outputs),
    }
    every = [{"name": name} | row for name, row in rows.items()]
    document = {"format": fields.FORMAT, "context": context, "rows": every}
    schema.check(document)
    return document


def _add(row: Json, measured: Json) -> None:
    """Adds a process's repetitions to a row, with their share of the copy behind each."""
    row |= {"evidence": fields.MEASURED, "level": "dram", "kind": "peer"}
    times = measured["time_us"]
    row.setdefault("time_us", []).append(times)
    for rate, work in (("bytes_per_second", "bytes"), ("flops_per_second", "flops")):
        if measured[work]:
            row.setdefault(rate, []).append([_rounded(measured[work] / t * 1e6) for t in times])
    if measured["flops"] > measured["bytes"]:
        return  # a product: its limit is no copy
    moved = measured["bytes"] / measured["copied_bytes"]
    pairs = zip(times, measured["copy_us"], strict=True)
    shares = [_rounded(moved * copy / own) for own, copy in pairs]
    row.setdefault("memcpy_ratio", []).append(shares)


def _rounded(value: float) -> float:
    return float(f"{value:.7g}")


def _context_of_the_gpu(project: Project, chapter: Chapter) -> Json:
    """What the chapter's results say of the GPU; they are measured first, so the two are beside one another."""
    for path in sorted(project.data.glob(f"*/{chapter.name}.json")):
        context: Json = schema.parse(files.read_bytes(path))["context"]
        if context["gpu_name"] == _gpu_name():
            return {key: context[key] for key in _OF_THE_GPU if key in context}
    raise Problem(
        f"data/ has no results of {chapter.name} on this GPU; scripts/lab run {chapter.number} --keep",
        MISSING,
    )


def _gpu_name() -> str:
    name = toolbox.first_line("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
    if not name:
        raise Problem("peers are measured on a GPU; nvidia-smi finds none", MISSING)
    return name


def _interpreter() -> str:
    """The first Python, ours or the machine's, that has PyTorch."""
    for python in (sys.executable, shutil.which("python3") or ""):
        if (
            python
            and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0
        ):
            return python
    raise Problem("peers need PyTorch: pip install torch", MISSING)


def _revisions(checkouts: Path) -> list[str]:
    """The repositories in a folder, each with its commit, for the data."""
    revisions = []
    for name in CHECKOUTS:
        if not (checkouts / name).is_dir():
            continue
        revision = toolbox.first_line(
            "git", "-C", str(checkouts / name), "rev-parse", "--short", "HEAD"
        )
        if not revision:
            raise Problem(f"{checkouts / name} is no clone: git knows no revision of it")
        revisions.append(f"{name} {revision}")
    if not revisions:
        raise Problem(f"{checkouts} has none of the folders {', '.join(CHECKOUTS)}", MISSING)
    return revisions


def _library(
    project: Project, chapter: Chapter, compute_capability: str, checkouts: Path | None
) -> Path:
    """The chapter's peers.cu as a library in build/peers/, compiled unless it is newer than its source."""
    source = chapter.directory / "peers.cu"
    folder = project.build / "peers" / ("with-checkouts" if checkouts else "")
    built = folder / f"lib{chapter.name}.so"
    if built.is_file() and built.stat().st_mtime > source.stat().st_mtime:
        return built
    if not (nvcc := toolbox.find_nvcc()):
        raise Problem("no nvcc; scripts/lab setup", MISSING)
    folder.mkdir(parents=True, exist_ok=True)
    library.compile_library(nvcc, source, built, compute_capability, checkouts)
    return built


def _run(project: Project, command: list[str]) -> list[Json]:
    """A measuring process: what it prints, a JSON object a line."""
    path = os.pathsep.join([str(project.root / "scripts"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        raise Problem(f"{' '.join(command[1:])} failed")
    return [json.loads(line) for line in done.stdout.splitlines()]
