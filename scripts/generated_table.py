"""Tables of C++ that the build makes from those in data/."""

import csv
import sys
from collections.abc import Callable
from pathlib import Path

from notebook.data.gpu_rows import GpuError


class TableError(Exception):
    """A row that cannot become C++; the text says which and why."""


def generate(arguments: list[str], lines_of: Callable[..., list[str]]) -> int:
    """Writes what `lines_of` makes of the tables into the last of `arguments`.

    What is wrong with a table is one line on standard error, and the result 1.
    """
    *tables, output = (Path(argument) for argument in arguments)
    try:
        lines = lines_of(*tables)
    except (
        TableError,
        GpuError,
        LookupError,
        TypeError,
        ValueError,
        OverflowError,
        OSError,
        csv.Error,
    ) as error:
        print(f"error: {', '.join(table.name for table in tables)}: {error}", file=sys.stderr)
        return 1
    output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0
