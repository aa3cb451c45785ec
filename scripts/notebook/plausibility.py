"""Whether results that somebody else measured can be what they say they are.

Form, provenance, validation, and what no GPU can do. An honest mistake is found; a person who invents
plausible numbers is not.
"""

import re
from datetime import datetime

from notebook import csv_table, fields
from notebook.csv_table import Line
from notebook.errors import Malformed
from notebook.fields import Json
from notebook.metrics import COUNTERS
from notebook.project import Project
from notebook.records import Row, numbers, rows_of
from notebook.results import parse_counters

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
# The next generations may be faster than any that is known, but not by this much.
_NEXT_OVER_KNOWN = 4
_CLOCKS_MHZ = (100, 5000)


def check_results(project: Project, document: Json, device: str) -> None:
    """Raises Malformed unless a data file of a GPU, checked by the schema, can be right."""
    _check_context(document["context"], device)
    _check_peaks(project, document)


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


def _check_context(context: Json, device: str) -> None:
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
    if re.sub(r"[^a-z0-9]+", "-", context["gpu_name"].lower()).strip("-") != device:
        raise Malformed(f"is of a {context['gpu_name']!r}, which is not {device}")
    try:
        datetime.fromisoformat(context["date"])
    except ValueError as error:
        raise Malformed("does not say its date") from error


def _check_peaks(project: Project, document: Json) -> None:
    columns = ("dram_bw_gbs", "sm_count", "fp32_lanes_per_sm")
    known = csv_table.read(project.root / "data" / "architectures.csv", columns)
    context = document["context"]
    peak, sms = context["dram_bytes_per_second"], context["sm_count"]
    fastest = _NEXT_OVER_KNOWN * _largest(known, "dram_bw_gbs") * 1e9
    max_sms = _NEXT_OVER_KNOWN * _largest(known, "sm_count")
    if not 0 < peak <= fastest or not 0 < sms <= max_sms:
        raise Malformed(f"is of a GPU of {sms:g} SMs and {peak / 1e9:g} GB/s, beyond any known GPU")
    lanes = _largest(known, "fp32_lanes_per_sm")
    max_flops = _TENSOR_OVER_FP32 * 2e6 * sms * lanes * _CLOCKS_MHZ[1]
    for row in document["rows"]:
        for clock in numbers(row.get("sm_clock_mhz", _CLOCKS_MHZ[0])):
            if not _CLOCKS_MHZ[0] <= clock <= _CLOCKS_MHZ[1]:
                raise Malformed(f"has {row['name']} at a clock of {clock:g} MHz")
    for repetition in rows_of(document):
        _check_rates(repetition, peak, max_flops)


def _check_rates(row: Row, peak: float, max_flops: float) -> None:
    max_bytes = peak if row.level == "dram" else _CACHES_OVER_DRAM * peak
    if (rate := row.values.get("bytes_per_second", 0)) > max_bytes:
        raise Malformed(
            f"has {row.name} at {rate / 1e9:g} GB/s, above what {peak / 1e9:g} GB/s of DRAM allow"
        )
    if (rate := row.values.get("flops_per_second", 0)) > max_flops:
        raise Malformed(f"has {row.name} at {rate / 1e12:g} TFLOP/s, above any GPU")


def _largest(known: list[Line], column: str) -> float:
    """The largest value of a column of data/architectures.csv; an empty cell is unknown."""
    return max((row.real(column, 0, 1e9) for row in known if row[column]), default=0)
