"""Rows that the schema accepts, found without handing every number to it.

A data file has tens of thousands of numbers and few shapes of rows. Here the numbers of a field are compared with
its limits, those of all rows with the same fields at once, and of each shape one row, with other numbers, is given
to the schema. What is not found right here is for the whole schema to judge: it alone refuses, and says why.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from notebook import fields, names
from notebook.fields import Json

_DICTS, _LISTS, _TEXTS = frozenset({dict}), frozenset({list}), frozenset({str})
# Stands in a shape for any number, and for any array of numbers.
_NUMBER, _NUMBERS, _ANY_NAME = 0, 1, 2
# The fields of a row, and what stands in each.
Keys = tuple[str, ...]
Shape = tuple[str | int, ...]
# The shapes of all chapters are some dozens.
_MOST_SHAPES = 1000


@dataclass(frozen=True)
class _Limits:
    """What a number of a field can be."""

    low: float
    high: float
    or_zero: bool
    types: frozenset[type]

    def hold(self, values: Collection[Any]) -> bool:
        if not values:
            return True
        if not self.types.issuperset(map(type, values)) or max(values) > self.high:
            return False
        least = min(values)
        if least == 0 and self.or_zero:
            least = min(filter(None, values), default=self.low)
        return bool(self.low <= least)


class Shapes:
    """Asks the schema about each shape of a row once; `is_valid` asks it about a row."""

    def __init__(self, is_valid: Callable[[Json], bool]) -> None:
        self._is_valid = is_valid
        self._accepted: set[tuple[Keys, Shape]] = set()

    def accept(self, keys: Keys, shape: Shape) -> bool:
        if (keys, shape) in self._accepted:
            return True
        if not self._is_valid(_example(keys, shape)):
            return False
        if len(self._accepted) < _MOST_SHAPES:
            self._accepted.add((keys, shape))
        return True


def are_right(rows: object, known: Shapes) -> bool:
    """Whether all rows surely are."""
    if type(rows) is not list or not 0 < len(rows) <= fields.MAX_ROWS:
        return False
    if not _DICTS.issuperset(map(type, rows)):
        return False
    alike: dict[Keys, list[Json]] = {}
    for row in rows:
        alike.setdefault(tuple(row), []).append(row)
    return all(_are_right(keys, group, known) for keys, group in alike.items())


def _are_right(keys: Keys, rows: list[Json], known: Shapes) -> bool:
    """Whether rows that all have these fields surely are."""
    kinds = []
    for key, values in zip(keys, zip(*(row.values() for row in rows), strict=True), strict=True):
        of_field = _kinds(key, values)
        if of_field is None:
            return False
        kinds.append(of_field)
    shapes = set(zip(*kinds, strict=True))
    return bool(shapes) and all(known.accept(keys, shape) for shape in shapes)


def _kinds(key: str, values: Sequence[Any]) -> Sequence[str | int] | None:
    """What stands in a field of each row; None where a number is not within the limits."""
    limits = _limits().get(key)
    if limits is None:
        if not _TEXTS.issuperset(map(type, values)):
            return None
        return [_ANY_NAME] * len(values) if _are_names(key, values) else values
    arrays = [value for value in values if type(value) is list]
    if not arrays:
        return [_NUMBER] * len(values) if limits.hold(values) else None
    if max(map(len, arrays)) > fields.MAX_PROCESSES:
        return None
    processes = list(chain.from_iterable(arrays))
    if not _LISTS.issuperset(map(type, processes)):
        return None
    if max(map(len, processes), default=0) > fields.MAX_REPETITIONS:
        return None
    alone = [value for value in values if type(value) is not list]
    if not limits.hold([*alone, *chain.from_iterable(processes)]):
        return None
    return [_NUMBERS if type(value) is list else _NUMBER for value in values]


def _are_names(key: str, values: Sequence[str]) -> bool:
    return key == "name" and all(map(names.is_name, values))


def _example(keys: Keys, shape: Shape) -> Json:
    """A row of a shape."""
    row: Json = {}
    for key, value in zip(keys, shape, strict=True):
        if isinstance(value, str):
            row[key] = value
        elif value == _ANY_NAME:
            row[key] = "name"
        else:
            low = _limits()[key].low
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
