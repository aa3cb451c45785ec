"""Whether results that somebody else measured can be what they say they are.

Form, provenance, validation, and what no GPU can do. An honest mistake is found; whoever invents
plausible numbers is not.
"""

import csv
import json
import math
import re
from datetime import datetime
from typing import Any

from notebook.collect import CONTEXT_LEFT_OUT
from notebook.metrics import COUNTERS
from notebook.project import Project
from notebook.results import Malformed

_LONGEST_TEXT = 2000
_MOST_ROWS = 50_000
_LARGEST_NUMBER = 1e30
_KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
_REVISION = re.compile(r"[0-9a-f]{40}")
_PROVENANCE = (
    "gpu_name",
    "generation",
    "compute_capability",
    "sm_count",
    "l2_bytes",
    "dram_bytes_per_second",
    "driver_version",
    "runtime_version",
    "compiler",
    "compile_flags",
    "throttle_reasons_before",
)
# Caches deliver more than DRAM, and tensor cores compute more than FP32 lanes: by 7 and 16 times at
# most on the GPUs of data/architectures.csv.
_CACHES_OVER_DRAM = 20
_TENSOR_OVER_FP32 = 20
# The next generations may be faster than any that is known, but not by this much.
_NEXT_OVER_KNOWN = 4
_CLOCKS_MHZ = (100, 5000)

Json = dict[str, Any]


def parse_json(text: bytes) -> Json:
    """An object of plain JSON: no NaN, no depth that ends the program; raises Malformed."""
    try:
        document = json.loads(text.decode("utf-8"), parse_constant=_no_number)
    except RecursionError as error:
        raise Malformed("is nested too deeply") from error
    except ValueError as error:
        raise Malformed(f"is no JSON ({error})") from error
    if not isinstance(document, dict):
        raise Malformed("is no JSON object")
    return document


def check_results(project: Project, document: Json, device: str, chapter: str) -> None:
    """Raises Malformed unless a data file of a GPU can be what it says it is."""
    if set(document) != {"context", "benchmarks"}:
        raise Malformed("has other parts than a context and benchmarks")
    context, rows = document["context"], document["benchmarks"]
    if not isinstance(context, dict) or not isinstance(rows, list):
        raise Malformed("has no context or no benchmarks")
    if not 0 < len(rows) <= _MOST_ROWS:
        raise Malformed(f"has {len(rows)} rows")
    check_plain(context)
    for row in rows:
        if not isinstance(row, dict):
            raise Malformed("has a row that is no object")
        check_plain(row)
    _check_context(context, device, chapter)
    _check_peaks(project, context, rows)


def check_counters(text: bytes) -> None:
    """Raises Malformed unless a table of counters has known columns; rows are checked when read."""
    try:
        header = next(csv.reader(text.decode("utf-8").splitlines()), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise Malformed(f"is no table ({error})") from error
    if header[:1] != ["name"] or not set(header[1:]) <= set(COUNTERS):
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
            raise Malformed(f"has a {key} that is no number of this world")


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _check_context(context: Json, device: str, chapter: str) -> None:
    expected = {"device": device, "device_kind": "gpu", "chapter": chapter, "quick": "false"}
    for key, value in expected.items():
        if context.get(key) != value:
            raise Malformed(f"has the {key} {context.get(key)!r}, not {value!r}")
    if not str(context.get("validation", "")).startswith("passed"):
        raise Malformed(f"was not validated ({context.get('validation', 'nothing is said')})")
    if not isinstance(processes := context.get("processes"), int) or processes < 2:
        raise Malformed("was measured in fewer than two processes")
    for key in _PROVENANCE:
        if not isinstance(context.get(key), str) or not context[key]:
            raise Malformed(f"does not say its {key}")
    if not _REVISION.fullmatch(str(context.get("git_revision"))):
        raise Malformed("does not say its git_revision")
    if context.get("git_dirty") != "false":
        raise Malformed("was measured with a changed working tree (git_dirty)")
    if named := CONTEXT_LEFT_OUT & set(context):
        raise Malformed(f"names the machine it ran on ({', '.join(sorted(named))})")
    if re.sub(r"[^a-z0-9]+", "-", context["gpu_name"].lower()).strip("-") != device:
        raise Malformed(f"is of a {context['gpu_name']!r}, which is not {device}")
    try:
        datetime.fromisoformat(str(context.get("date")))
    except ValueError as error:
        raise Malformed("does not say its date") from error


def _check_peaks(project: Project, context: Json, rows: list[Json]) -> None:
    known = _known_gpus(project)
    peak = _number(context, "dram_bytes_per_second")
    sms = _number(context, "sm_count")
    fastest = _NEXT_OVER_KNOWN * max(float(row["dram_bw_gbs"] or 0) for row in known) * 1e9
    most_sms = _NEXT_OVER_KNOWN * max(int(row["sm_count"] or 0) for row in known)
    if not 0 < peak <= fastest or not 0 < sms <= most_sms:
        raise Malformed(f"is of a GPU of {sms:g} SMs and {peak / 1e9:g} GB/s, which there is not")
    lanes = max(int(row["fp32_lanes_per_sm"] or 0) for row in known)
    most_flops = _TENSOR_OVER_FP32 * 2e6 * sms * lanes * _CLOCKS_MHZ[1]
    for row in rows:
        name = row.get("name")
        clock = _value(row, "sm_clock_mhz", default=_CLOCKS_MHZ[0])
        if not _CLOCKS_MHZ[0] <= clock <= _CLOCKS_MHZ[1]:
            raise Malformed(f"has {name} at a clock of {clock:g} MHz")
        if _value(row, "real_time") <= 0:
            raise Malformed(f"has {name} in no time")
        most_bytes = peak if row.get("label") == "dram" else _CACHES_OVER_DRAM * peak
        if (rate := _value(row, "bytes_per_second")) > most_bytes:
            raise Malformed(
                f"has {name} at {rate / 1e9:g} GB/s, above what {peak / 1e9:g} GB/s of DRAM allow"
            )
        if (rate := _value(row, "flops_per_second")) > most_flops:
            raise Malformed(f"has {name} at {rate / 1e12:g} TFLOP/s, above any GPU")


def _value(row: Json, key: str, default: float = 0) -> float:
    value = row.get(key, default)
    if not isinstance(value, int | float):
        raise Malformed(f"has a {key} that is no number")
    return value


def _known_gpus(project: Project) -> list[dict[str, str]]:
    path = project.root / "data" / "architectures.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _number(context: Json, key: str) -> float:
    try:
        value = float(context[key])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Malformed(f"has a {key} that is no number")
    return value
