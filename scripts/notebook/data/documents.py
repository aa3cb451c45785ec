"""Data files as they are written: from Google Benchmark's JSON of each process to one of format 2.

A row holds all repetitions of a benchmark: an array a process, a number a repetition.
"""

import json
from typing import Any

from notebook.base.errors import Malformed
from notebook.data import fields, names, schema
from notebook.data.fields import Json
from notebook.data.metrics import MOVED, TABLE

# It identifies the machine, or says how busy its CPU was: dropped.
CONTEXT_LEFT_OUT = {"host_name", "executable", "load_avg", "caches"}
# A count is the same on any host.
CONTEXT_OF_THE_HOST = {"num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "library_build_type"}
_ROW_LEFT_OUT = {
    *("family_index", "per_family_instance_index", "repetitions", "threads", "run_name"),
    *("run_type", "repetition_index", "time_unit", "label", "iterations"),
}
_MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
_UNKNOWN = ("unknown", "")
_RENAMED = {"real_time": "time_us", "cpu_time": "cpu_time_us"}
_REPEATED = {
    *("time_us", "cpu_time_us", "launches"),
    *("sm_clock_mhz", "throttled", "drifting", "discarded_batches"),
    *(metric.name for metric in TABLE),
}

_ORDER = {field.name: place for place, field in enumerate(fields.ROW)}


def from_benchmark(output: object, is_timed: bool = True) -> Json:
    """What one process wrote, as a document; raises Malformed for a field that the format lacks.

    A process that only counts what moves writes times of 0, which are left out: without them its rows
    are none of a file, and are checked with those that they are added to.
    """
    if not isinstance(output, dict) or not isinstance(output.get("context"), dict):
        raise Malformed("no context")
    repetitions = output.get("benchmarks")
    if not isinstance(repetitions, list):
        raise Malformed("no list of benchmarks")
    context = context_of(output["context"])
    evidence = fields.COUNTED if context.get("device_kind") == fields.EMULATED else fields.MEASURED
    rows: dict[str, Json] = {}
    for repetition in repetitions:
        if not isinstance(repetition, dict):
            raise Malformed("a row is not an object")
        if repetition.get("run_type") != "aggregate":
            _add_repetition(rows, repetition, evidence, is_timed)
    document = {"format": fields.FORMAT, "context": context | {"processes": 1}}
    document["rows"] = [_folded(row) for row in rows.values()]
    if is_timed:
        schema.check(document)
    return document


def merge(documents: list[Json]) -> Json:
    """Several processes as one document, rows in natural order; the context is that of the first."""
    by_name: dict[str, Json] = {}
    for process, document in enumerate(documents):
        for row in document["rows"]:
            once = {key: value for key, value in row.items() if key not in _REPEATED}
            _append_process(by_name.setdefault(row["name"], once), row, process)
    ordered = sorted(by_name.values(), key=lambda row: names.natural(row["name"]))
    rows = [_folded(row) for row in ordered]
    seconds = [
        taken for document in documents for taken in document["context"].get("process_seconds", [])
    ]
    context = documents[0]["context"] | {"processes": len(documents)}
    if seconds:
        context["process_seconds"] = seconds
    return {"format": fields.FORMAT, "context": context, "rows": rows}


def add_moved(merged: Json, counted: Json) -> None:
    """Gives every row the bytes and page faults that a process of its own has counted."""
    moved = {row["name"]: {key: row[key] for key in MOVED if key in row} for row in counted["rows"]}
    for row in merged["rows"]:
        row |= moved.get(row["name"], {})


def as_text(document: Json) -> str:
    """JSON with one row a line, so that a diff shows which rows changed."""
    context = json.dumps(document["context"], indent=2, allow_nan=False).replace("\n", "\n  ")
    # Without spaces: the repository keeps every version of thousands of rows.
    rows = ",\n".join(
        json.dumps(row, allow_nan=False, separators=(",", ":")) for row in document["rows"]
    )
    return f'{{\n  "format": {document["format"]},\n  "context": {context},\n  "rows": [\n{rows}\n  ]\n}}\n'


def short(value: float) -> float:
    """A number to seven significant digits, which is finer than any timer, without a void `.0`."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return float(f"{value:.7g}") if isinstance(value, float) else value


def context_of(given: Json) -> Json:
    """Google Benchmark writes what is added to its context as text: here it gets its types."""
    is_emulated = given.get("device_kind") == fields.EMULATED
    left_out = CONTEXT_LEFT_OUT | (CONTEXT_OF_THE_HOST if is_emulated else set())
    schemas = {field.name: field.schema for field in fields.CONTEXT}
    context: Json = {}
    for key, value in given.items():
        if key not in left_out and value not in _UNKNOWN:
            context[key] = _typed(key, value, schemas.get(key, {}))
    return context


def _typed(key: str, value: object, field_schema: Json) -> object:
    if not isinstance(value, str) or field_schema.get("type") == "string":
        return value
    if field_schema.get("type") == "boolean":
        return {"true": True, "on": True, "false": False, "off": False}.get(value, value)
    if field_schema.get("type") in ("integer", "number") or 32 in field_schema.get("enum", ()):
        return _whole(key, value)
    return value


def _whole(key: str, value: str) -> int:
    if not value.isascii() or not value.isdecimal() or len(value) > 20:
        raise Malformed(f"context.{key}: {value[:40]!r} is not a whole number")
    return int(value)


def _add_repetition(rows: dict[str, Json], repetition: Json, evidence: str, is_timed: bool) -> None:
    name = repetition.get("name")
    if not names.is_name(name):
        raise Malformed(f"{str(name)[:100]!r} is not a benchmark name")
    if repetition.get("error_occurred"):
        raise Malformed(f"{name} failed: {repetition.get('error_message')}")
    row = rows.setdefault(name, {"name": name, "evidence": evidence} | _label(repetition))
    scale = _MICROSECONDS.get(str(repetition.get("time_unit")))
    if scale is None:
        raise Malformed(f"{name}: the time_unit is {repetition.get('time_unit')!r}")
    for key, value in repetition.items():
        if key == "name" or key in _ROW_LEFT_OUT:
            continue
        if not isinstance(value, int | float):
            raise Malformed(f"{name}: {key} is {str(value)[:40]!r}, which is not a number")
        if key in _RENAMED:
            # How long our own CPU took to count says nothing, and would differ in every run.
            if evidence == fields.COUNTED or not is_timed:
                continue
            key, value = _RENAMED[key], value * scale
        if key in _REPEATED:
            row.setdefault(key, [[]])[0].append(short(value))
        else:
            row[key] = short(value)


def _label(repetition: Json) -> Json:
    """The fields in a row's label: its level, then `key:value`, as in `dram kind:memcpy`."""
    level, *others = str(repetition.get("label", "")).split(" ")
    pairs = dict(part.partition(":")[::2] for part in others)
    return ({"level": level} if level else {}) | pairs


def _folded(row: Json) -> Json:
    """A row as it is stored: one number in place of equal ones, fields in the order of the table."""
    ordered = sorted(row, key=lambda key: _ORDER.get(key, len(_ORDER)))
    return {key: row[key] if key == "time_us" else _one(row[key]) for key in ordered}


def _one(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    numbers = {number for process in value for number in process}
    return numbers.pop() if len(numbers) == 1 else value


def _append_process(merged: Json, row: Json, process: int) -> None:
    """Adds what one more process has of a row; processes that lack it have an empty array."""
    count = len(row["time_us"][0]) if "time_us" in row else 1
    for key in _REPEATED & row.keys():
        value = row[key] if isinstance(row[key], list) else [[row[key]] * count]
        arrays = merged.setdefault(key, [])
        arrays += [[]] * (process - len(arrays)) + value
