"""Rows that the schema accepts, found without handing every number to it.

A data file has tens of thousands of numbers and few shapes of rows. Here numbers are compared with the
limits of their fields, and of each shape one row, with other numbers, is given to the schema. What is
not found right here is for the whole schema to judge: it alone refuses, and says why.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from notebook import fields, names
from notebook.fields import Json

_LISTS = frozenset({list})
# Stands in a shape for any number, and for any array of numbers.
_NUMBER, _NUMBERS, _ANY_NAME = 0, 1, 2
Shape = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True)
class _Limits:
    """What a number of a field can be."""

    low: float
    high: float
    or_zero: bool
    types: frozenset[type]

    def hold(self, values: list[Any]) -> bool:
        if not self.types.issuperset(map(type, values)):
            return False
        if not values or (self.low <= min(values) and max(values) <= self.high):
            return True
        return self.or_zero and all(
            value == 0 or self.low <= value <= self.high for value in values
        )


def are_right(rows: object, is_valid: Callable[[Json], bool]) -> bool:
    """Whether all rows surely are; `is_valid` asks the schema about one row."""
    if type(rows) is not list or not 0 < len(rows) <= fields.MAX_ROWS:
        return False
    limits = _limits()
    shapes: set[Shape] = set()
    for row in rows:
        shape = _shape(row, limits) if type(row) is dict else None
        if shape is None:
            return False
        shapes.add(shape)
    return all(is_valid(_example(shape, limits)) for shape in shapes)


def _shape(row: Json, limits: dict[str, _Limits]) -> Shape | None:
    """Its fields, and the texts in them; None where a number is not within its limits."""
    parts: list[tuple[str, str | int]] = []
    for key, value in row.items():
        of_field = limits.get(key)
        if of_field is None:
            if type(value) is not str:
                return None
            if key == "name" and names.is_name(value):
                parts.append((key, _ANY_NAME))
            else:
                parts.append((key, value))
        elif type(value) is list:
            if len(value) > fields.MAX_PROCESSES or not _LISTS.issuperset(map(type, value)):
                return None
            if max(map(len, value), default=0) > fields.MAX_REPETITIONS:
                return None
            if not of_field.hold(list(chain.from_iterable(value))):
                return None
            parts.append((key, _NUMBERS))
        elif of_field.hold([value]):
            parts.append((key, _NUMBER))
        else:
            return None
    return tuple(parts)


def _example(shape: Shape, limits: dict[str, _Limits]) -> Json:
    """A row of a shape."""
    row: Json = {}
    for key, value in shape:
        if isinstance(value, str):
            row[key] = value
        elif value == _ANY_NAME:
            row[key] = "name"
        else:
            low = limits[key].low
            row[key] = low if value == _NUMBER else [[low]]
    return row


@cache
def _limits() -> dict[str, _Limits]:
    """Of the fields of a row that hold numbers."""
    known = {}
    for field in fields.ROW:
        number = _number(field.schema)
        if number:
            known[field.name] = number
    return known


def _number(schema: Json) -> _Limits | None:
    """The limits in the schema of a number, or of arrays of it."""
    if reference := schema.get("$ref"):
        by_definition = {f"#/$defs/{fields.definition(unit)}": unit for unit in fields.UNITS}
        return _number(fields.UNITS[by_definition[reference]])
    if schema.get("type") == "array":
        return _number(schema["items"])
    if "anyOf" in schema:  # 0, or a number
        return _number(schema["anyOf"][1] | {"or_zero": True})
    if schema.get("type") not in ("number", "integer"):
        return None
    types = {int} if schema["type"] == "integer" else {int, float}
    low, high = schema["minimum"], schema["maximum"]
    return _Limits(low, high, schema.get("or_zero", False), frozenset(types))
