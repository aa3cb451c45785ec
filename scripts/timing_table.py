#!/usr/bin/env python3
"""The time model's parameters, as C++, from data/timing/parameters.csv.

    timing_table.py data/timing/parameters.csv OUTPUT

A value that is no positive number is one line on standard error and exit status 1; so is a quantity that
an architecture has twice or lacks. A generation has its own values, and those of `default` for the rest;
ampere_8_6, compute capability 8.6 of the generation ampere, has the values that differ.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from pathlib import Path

from generated_table import TableError, generate

# A compute capability of a generation.
PART = re.compile(r"([a-z]+)_[0-9]+_[0-9]+")
DEFAULT = "default"


def read(table: Path) -> dict[str, dict[str, float]]:
    """Values by architecture and quantity."""
    values: dict[str, dict[str, float]] = {}
    with table.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            of_one = values.setdefault(row["architecture"], {})
            name = row["quantity"]
            place = f"{row['architecture']}, {name}"
            if not name.isidentifier() or not row["architecture"].isidentifier():
                raise TableError(f"{place}: expected plain names")
            if name in of_one:
                raise TableError(f"{place}: given twice")
            if not row["source"]:
                raise TableError(f"{place}: the source is missing")
            try:
                of_one[name] = float(row["value"])
            except ValueError as error:
                raise TableError(f"{place}: {row['value']!r} is not a number") from error
            if not (math.isfinite(of_one[name]) and of_one[name] > 0):
                raise TableError(f"{place}: {row['value']} is not a positive number")
    default = values.pop(DEFAULT, {})
    for architecture, own in values.items():
        part = PART.fullmatch(architecture)
        of_generation = values.get(part[1], {}) if part else {}
        values[architecture] = default | of_generation | own
    names = {name for of_one in values.values() for name in of_one}
    for architecture, of_one in values.items():
        for name in sorted(names - set(of_one)):
            raise TableError(f"{architecture}, {name}: missing")
    return values


def initialiser(architecture: str, values: dict[str, float]) -> str:
    assignments = " ".join(f"p.{name} = {value!r};" for name, value in sorted(values.items()))
    return f'{{"{architecture}", [] {{ Parameters p; {assignments} return p; }}()}},'


def lines_of(table: Path) -> list[str]:
    return [initialiser(name, values) for name, values in read(table).items()]


def main(arguments: list[str]) -> int:
    return generate(arguments, lines_of)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
