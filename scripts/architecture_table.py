#!/usr/bin/env python3
"""The emulator's table of architectures, as C++, from data/architectures.csv and data/gpus.csv.

    architecture_table.py data/architectures.csv data/gpus.csv OUTPUT

A row with a name in the column `architecture` stands for its generation, every other row is a GPU:
notebook/data/gpu_rows.py. Anything that is not a number where one is needed, or no plain text where text is,
is one line on standard error and exit status 1.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

from generated_table import TableError, generate
from notebook.data.gpu_rows import merged

NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?: \(.+)?")
TEXT = re.compile(r"[A-Za-z0-9 ._/()+-]*")


def text(row: dict[str, str], field: str) -> str:
    value = row[field]
    if not TEXT.fullmatch(value):
        raise TableError(f"{row['gpu']!r}: {field} holds characters that do not belong there")
    return f'"{value}"'


def number(row: dict[str, str], field: str, scale: int = 1) -> str:
    """The number of a field, or the first of two sources ("32 (forum) / 128 ..."); an empty one is 0,
    "not known". What is neither a whole number nor followed by its source is a typo, like 11O8."""
    value = row[field]
    if value == "":
        return "0"
    match = NUMBER.fullmatch(value)
    if match is None:
        raise TableError(f"{row['gpu']!r}: {field} is {value!r}, a number is needed")
    return str(round(float(match[1]) * scale))


def numbers(row: dict[str, str], field: str) -> str:
    """A list like "0;8;16"; "fixed" is none."""
    values = [] if row[field] == "fixed" else row[field].split(";")
    if not all(value.isdecimal() for value in values):
        raise TableError(f"{row['gpu']!r}: {field} is {row[field]!r}, numbers are needed")
    return "{" + ", ".join(values) + "}"


def flag(row: dict[str, str], field: str) -> str:
    """yes... or no...; a conflict of sources counts as no, and the row says so."""
    value = row[field]
    if not value.startswith(("yes", "no", "CONFLICT")):
        raise TableError(f"{row['gpu']!r}: {field} is {value!r}, yes or no is needed")
    return "true" if value.startswith("yes") else "false"


def read_only_path(row: dict[str, str]) -> str:
    """none, own or l1."""
    value = row["read_only_path"]
    if value not in ("none", "own", "l1"):
        raise TableError(f"{row['gpu']!r}: read_only_path is {value!r}; expected none, own or l1")
    return f"ReadOnlyPath::{value}"


def initialiser(row: dict[str, str]) -> str:
    if not (row["l1_plus_shared_kb_per_sm"] or row["l1_default_kb"]):
        raise TableError(f"{row['gpu']!r}: the size of the L1 is not known")
    members = {
        "name": text(row, "architecture"),
        "gpu": text(row, "gpu"),
        "generation": text(row, "generation"),
        "year": number(row, "year"),
        "compute_capability": text(row, "compute_capability"),
        "sm_count": number(row, "sm_count"),
        "sm_clock_hz": number(row, "max_clock_mhz", 10**6),
        "dram_bytes_per_second": number(row, "dram_bw_gbs", 10**9),
        "dram_clock_hz": number(row, "mem_clock_mhz", 10**6),
        "dram_bus_bits": number(row, "bus_bits"),
        "l2_bytes": number(row, "l2_bytes"),
        "l1_and_shared_bytes_per_sm": number(row, "l1_plus_shared_kb_per_sm", 1024),
        "l1_bytes": number(row, "l1_default_kb", 1024),
        "read_only_cache_bytes": number(row, "read_only_cache_kb", 1024),
        "shared_options_kb": numbers(row, "shared_config_options_kb"),
        "max_shared_bytes_per_sm": number(row, "max_shared_per_sm_kb", 1024),
        "max_shared_bytes_per_block": number(row, "max_shared_per_block_kb", 1024),
        "l1_caches_global_loads": flag(row, "global_loads_cached_in_l1_by_default"),
        "fetch_unit_bytes_with_l1": number(row, "load_granularity_l1_on_bytes"),
        "fetch_unit_bytes_without_l1": number(row, "load_granularity_l1_off_bytes"),
        "stores_allocate_in_l1": flag(row, "stores_allocate_in_l1"),
        "read_only_path": read_only_path(row),
        "fence_invalidates_l1": flag(row, "threadfence_invalidates_l1"),
        "banks": f"{{{number(row, 'shared_banks')}, {number(row, 'bank_width_bytes')}}}",
        "max_threads_per_block": number(row, "max_threads_per_block"),
        "max_threads_per_sm": number(row, "max_threads_per_sm"),
        "max_warps_per_sm": number(row, "max_warps_per_sm"),
        "max_blocks_per_sm": number(row, "max_blocks_per_sm"),
        "max_grid_x": number(row, "max_grid_x"),
        "registers_per_sm": number(row, "regs_per_sm"),
        "register_allocation_unit": number(row, "register_allocation_unit"),
        "sub_partitions": number(row, "sub_partitions"),
        "shared_allocation_unit_bytes": number(row, "shared_allocation_unit_bytes"),
        "shared_system_bytes_per_block": number(row, "shared_system_bytes_per_block"),
        "independent_thread_scheduling": flag(row, "independent_thread_scheduling"),
        "fp32_lanes_per_sm": number(row, "fp32_lanes_per_sm"),
    }
    return "{" + ", ".join(f".{name} = {value}" for name, value in members.items()) + "},"


def read(table: Path) -> list[dict[str, str]]:
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lines_of(architectures: Path, gpus: Path) -> list[str]:
    rows = read(architectures)
    generations = sum(1 for row in rows if row["architecture"])
    return [
        f"constexpr std::size_t generations = {generations};",
        "constexpr auto table = std::to_array<Architecture>({",
        *(initialiser(row) for row in merged(rows, read(gpus))),
        "});",
    ]


def main(arguments: list[str]) -> int:
    return generate(arguments, lines_of)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
