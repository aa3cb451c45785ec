"""Whether results that somebody else measured can be what they say they are.

Form, provenance, validation, and what no GPU can do. An honest mistake is found; a person who invents
plausible numbers is not.
"""

import re

from notebook.archives import context_consistency, row_consistency, work_references
from notebook.archives.row_consistency import Device
from notebook.base import csv_table
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.data import fields, known_gpus
from notebook.data.chapters import Chapter
from notebook.data.fields import Json
from notebook.data.known_gpus import KnownGpu
from notebook.data.metrics import COUNTERS
from notebook.data.records import Row, numbers, rows_of
from notebook.data.results import parse_counters

_LONGEST_TEXT = 2000
_LARGEST_NUMBER = 1e30
_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PROVENANCE = (
    "generation",
    "compute_capability",
    "sm_count",
    "l2_bytes",
    "driver_version",
    "runtime_version",
    "compiler",
    "compile_flags",
    "throttle_reasons_before",
    "git_revision",
    "git_dirty",
)
# Caches deliver more than DRAM, and tensor cores compute more than FP32 lanes: by 7 and 16 times at
# most on the GPUs of data/architectures.csv.
_CACHES_OVER_DRAM = 20
_TENSOR_OVER_FP32 = 20
# FP32 lanes of an SM: 192 on Kepler, 128 since.
_MAX_LANES = 192
_CLOCKS_MHZ = (100, 5000)


def check_results(project: Project, document: Json, chapter: Chapter) -> None:
    """Raises Malformed unless a data file of a GPU, checked by the schema, can be right."""
    context, rows = document["context"], document["rows"]
    _check_context(context)
    known = known_gpus.of_project(project)
    context_consistency.check_context(known, document)
    _check_peaks(document)
    device = device_of(known, context)
    seen = work_references.of_chapter(project, chapter.name, without=context["device"])
    row_consistency.check_kernels(chapter, rows, seen)
    row_consistency.check_rows(rows, device, seen)


def device_of(known: list[KnownGpu], context: Json) -> Device:
    """What rows and counters are compared with."""
    return Device(
        context["l2_bytes"],
        context["dram_bytes_per_second"],
        context["sm_count"],
        context_consistency.clock_limit(known, context),
        context.get("process_seconds", []),
    )


def check_place(document: Json, device: str, chapter: str) -> None:
    """Raises Malformed unless a data file is about the device and the chapter that it is named for."""
    for key, value in (("device", device), ("chapter", chapter)):
        if document["context"][key] != value:
            raise Malformed(f"has the {key} {document['context'][key]!r}, not {value!r}")


def check_counters(text: bytes) -> None:
    """Raises Malformed unless a table of counters has known columns and sound rows."""
    parse_counters(text)
    for line in csv_table.parse(text, ["name"])[:1]:
        if not line.keys() <= {"name", *COUNTERS}:
            raise Malformed("has other columns than name and counters")


def check_plain(values: Json) -> None:
    """Raises Malformed unless the values are numbers and short printable texts."""
    for key, value in values.items():
        if not _KEY.fullmatch(key):
            raise Malformed(f"has a key {key[:64]!r}")
        if isinstance(value, str):
            if len(value) > _LONGEST_TEXT or not value.isprintable():
                raise Malformed(f"has a {key} that is too long or not printable")
        elif not isinstance(value, int | float):
            raise Malformed(f"has a {key} that is neither number nor text")
        elif not -_LARGEST_NUMBER <= value <= _LARGEST_NUMBER:
            raise Malformed(f"has a {key} that is out of range")


def _check_context(context: Json) -> None:
    expected = {"device_kind": fields.GPU, "quick": False}
    for key, value in expected.items():
        if context[key] != value:
            raise Malformed(f"has the {key} {context[key]!r}, not {value!r}")
    if context["processes"] < 2:
        raise Malformed("was measured in fewer than two processes")
    for key in _PROVENANCE:
        if key not in context:
            raise Malformed(f"does not say its {key}")
    if context["git_dirty"]:
        raise Malformed("was measured with a changed working tree (git_dirty)")
    device = context["device"]
    if re.sub(r"[^a-z0-9]+", "-", context["gpu_name"].lower()).strip("-") != device:
        raise Malformed(f"is of a {context['gpu_name']!r}, which is not {device}")


def _check_peaks(document: Json) -> None:
    context = document["context"]
    max_flops = _TENSOR_OVER_FP32 * 2e6 * context["sm_count"] * _MAX_LANES * _CLOCKS_MHZ[1]
    for row in document["rows"]:
        for clock in numbers(row.get("sm_clock_mhz", _CLOCKS_MHZ[0])):
            if not _CLOCKS_MHZ[0] <= clock <= _CLOCKS_MHZ[1]:
                raise Malformed(f"has {row['name']} at a clock of {clock:g} MHz")
    for repetition in rows_of(document):
        _check_rates(repetition, context["dram_bytes_per_second"], max_flops)


def _check_rates(row: Row, peak: float, max_flops: float) -> None:
    max_bytes = peak if row.level == "dram" else _CACHES_OVER_DRAM * peak
    if (rate := row.values.get("bytes_per_second", 0)) > max_bytes:
        raise Malformed(
            f"has {row.name} at {rate / 1e9:g} GB/s, above what {peak / 1e9:g} GB/s of DRAM allow"
        )
    if (rate := row.values.get("flops_per_second", 0)) > max_flops:
        raise Malformed(f"has {row.name} at {rate / 1e12:g} TFLOP/s, above any GPU")
