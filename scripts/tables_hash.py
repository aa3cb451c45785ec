#!/usr/bin/env python3
"""The hash of the tables that are compiled into the emulated GPU, as C++.

    tables_hash.py data/architectures.csv data/gpus.csv data/timing/parameters.csv OUTPUT

`sha256sum` of the tables one after the other is the same: it tells which tables an executable has,
whatever has become of the files since.
"""

import hashlib
import sys
from pathlib import Path

from generated_table import generate


def sha256_of(*tables: Path) -> str:
    return hashlib.sha256(b"".join(table.read_bytes() for table in tables)).hexdigest()


def lines_of(*tables: Path) -> list[str]:
    return [f'constexpr const char* tables_sha256 = "{sha256_of(*tables)}";']


if __name__ == "__main__":
    sys.exit(generate(sys.argv[1:], lines_of))
