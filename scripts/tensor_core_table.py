#!/usr/bin/env python3
"""What tensor cores do, as C++, from data/tensor_cores.csv.

    tensor_core_table.py data/tensor_cores.csv OUTPUT

A row without source, or with a value that is not a number, is one line on standard error and exit status 1.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

from generated_table import TableError, generate

INSTRUCTIONS = {"mma": "false", "wgmma": "true"}
CAPABILITY = re.compile(r"([0-9]+)\.([0-9])")


def initialiser(row: dict[str, str]) -> str:
    place = f"{row['compute_capability']}, {row['operands']}"
    capability = CAPABILITY.fullmatch(row["compute_capability"])
    if not capability or not row["operands"].isalnum():
        raise TableError(f"{place}: expected a compute capability such as 8.0 and a plain name")
    if row["instruction"] not in INSTRUCTIONS:
        raise TableError(f"{place}: expected mma or wgmma as the instruction")
    if not row["source"]:
        raise TableError(f"{place}: the source is missing")
    # Integers and FP64 have no such sums.
    bits, products, result = (
        int(row[name] or 0) for name in ("fraction_bits", "products", "result_bits")
    )
    rate, latency = float(row["products_per_cycle"]), float(row["latency_cycles"] or 0)
    return (
        f'TensorCore{{{int(capability[1]) * 10 + int(capability[2])}, "{row["operands"]}", '
        f"{INSTRUCTIONS[row['instruction']]}, {{{bits}, {products}, {result}}}, {rate!r}, {latency!r}}},"
    )


def lines_of(table: Path) -> list[str]:
    with table.open(newline="", encoding="utf-8") as file:
        rows = [initialiser(row) for row in csv.DictReader(file)]
    return [f"constexpr std::array<TensorCore, {len(rows)}> table{{", *rows, "};"]


def main(arguments: list[str]) -> int:
    return generate(arguments, lines_of)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
