"""The JSON Schema of a data file, generated from fields.py, and reading by it.

`python -m notebook.data.schema` prints data/schema.json, which programs in other languages can use.
"""

import json
import re
from functools import cache
from math import inf
from typing import Any

import jsonschema_rs

from notebook.base import files
from notebook.base.errors import Malformed
from notebook.base.text import short
from notebook.data import fields, names
from notebook.data.fields import Field, Json
from notebook.data.metrics import METRICS_FILE

_LONGEST_NUMBER = 40  # characters
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def schema() -> Json:
    """The whole schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One chapter on one device",
        "type": "object",
        "required": ["format", "context", "rows"],
        "additionalProperties": False,
        "$defs": {fields.definition(unit): fields.repeated(unit)[1] for unit in fields.UNITS},
        "properties": {
            "format": {"const": fields.FORMAT},
            "context": _object(fields.CONTEXT),
            "rows": {
                "description": "none where the device executes no row of the chapter",
                "type": "array",
                "maxItems": fields.MAX_ROWS,
                "items": _object(fields.ROW)
                | {
                    "if": {"properties": {"evidence": {"const": fields.MEASURED}}},
                    "then": {"required": ["time_us"]},
                    "else": {"properties": {"time_us": False, "cpu_time_us": False}},
                    "dependentRequired": {
                        "predicted_bound": ["predicted_seconds"],
                        "predicted_seconds": ["predicted_bound"],
                    },
                },
            },
        },
    }


def as_text() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def parse(content: bytes) -> Json:
    """A checked document; raises Malformed with the place of what is wrong."""
    document = parse_json(content)
    check(document)
    return document


def parse_json(content: bytes, longest: int = fields.LONGEST_FILE) -> Json:
    """A JSON object with finite numbers and no key twice; raises Malformed."""
    if len(content) > longest:
        raise Malformed(f"is larger than {longest >> 20} MiB")
    text = files.as_text(content)
    try:
        document = json.loads(
            text,
            object_pairs_hook=_object_of,
            parse_constant=_no_constant,
            parse_int=_int,
            parse_float=_float,
        )
        if _SURROGATE.search(text):  # of a character both halves, or one, which no text can hold
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except RecursionError as error:
        raise Malformed("is nested too deeply") from error
    except ValueError as error:
        raise Malformed(f"is no JSON ({short(error)})") from error
    if not isinstance(document, dict):
        raise Malformed("is no JSON object")
    return document


def check(document: Json) -> None:
    """Raises Malformed unless the document is one of format 2."""
    if document.get("format") != fields.FORMAT:
        raise Malformed(f"is not of format {fields.FORMAT}; scripts/lab run collects it again")
    # Collecting errors takes longer than finding that there is none.
    if not _is_valid(document):
        error = _first_error(document)
        unknown = error.kind.name == "additionalProperties"
        where_known = f"; fields: {fields.FILE}, metrics: {METRICS_FILE}" if unknown else ""
        raise Malformed(f"{place(error.instance_path)}: {short(error.message)}{where_known}")
    _check_rows(document)


def _is_valid(document: Json) -> bool:
    try:
        return bool(_validator().is_valid(document))
    except ValueError as error:  # "Recursion limit reached"
        raise Malformed("is nested too deeply") from error


def _first_error(document: Json) -> Any:
    try:
        return next(iter(_validator().iter_errors(document)))
    except ValueError as error:  # the same, of its message
        raise Malformed("is nested too deeply") from error


def _check_rows(document: Json) -> None:
    """What a schema cannot say: names are unique, arrays of a row have one shape."""
    context, rows = document["context"], document["rows"]
    if len({row["name"] for row in rows}) != len(rows):
        raise Malformed("two rows have the same name")
    is_gpu = context["device_kind"] == fields.GPU
    if context["device"].startswith("emulated-") == is_gpu:
        raise Malformed(f"the device {context['device']} is of the kind {context['device_kind']}")
    repetitions = 0
    for row in rows:
        if key := names.wrong_size(row["name"]):
            raise Malformed(f"{row['name']}: {key} is no whole number")
        if is_gpu != (row["evidence"] == fields.MEASURED):
            raise Malformed(
                f"{row['name']}: {row['evidence']} on a device of kind {context['device_kind']}"
            )
        shape = [*map(len, row.get("time_us", [[1]]))]
        if len(shape) > context["processes"] or sum(shape) == 0:
            raise Malformed(
                f"{row['name']}: time_us: {len(shape)} processes with {sum(shape)} repetitions"
            )
        for key, value in row.items():
            if type(value) is list and [*map(len, value)] != shape:
                raise Malformed(f"{row['name']}: {key}: other repetitions than those of time_us")
        repetitions += sum(shape)
    if repetitions > fields.MAX_REPETITIONS_OF_FILE:
        raise Malformed(f"has {repetitions} repetitions; at most {fields.MAX_REPETITIONS_OF_FILE}")


@cache
def _validator() -> Any:
    return jsonschema_rs.Draft202012Validator(schema())


def _object(table: tuple[Field, ...]) -> Json:
    return {
        "type": "object",
        "required": [field.name for field in table if field.required],
        "additionalProperties": False,
        "properties": {
            field.name: {"description": field.meaning} | field.schema for field in table
        },
    }


def place(path: list[str | int]) -> str:
    """`rows[3].time_us[0][2]`: where in a document."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return short("".join(steps).lstrip(".") or "the file")


def _object_of(pairs: list[tuple[str, Any]]) -> Json:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return members


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _int(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError("a number is too long")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if number in (inf, -inf):  # 1e999
        raise ValueError(f"{short(digits, _LONGEST_NUMBER)} is too large")
    return number


if __name__ == "__main__":
    print(as_text(), end="")
