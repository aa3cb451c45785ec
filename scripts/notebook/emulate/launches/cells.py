"""Numbers and tables of a report for a terminal."""

import textwrap
from collections.abc import Iterable, Sequence

from notebook.emulate.launches.code import short_kernel
from notebook.emulate.launches.records import Launch

WIDTH = 100


def number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def scaled(value: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6)):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{value:,.0f}"


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns; those that the terminal is too narrow for follow below, with their names."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines: list[str] = []
    first = 1
    while first < len(widths):
        last, width = first, widths[0] + 2
        while last < len(widths) and (last == first or width + 2 + widths[last] <= WIDTH):
            width += 2 + widths[last]
            last += 1
        if lines:
            lines.append("")
        for row in rows:
            pairs = zip(row[first:last], widths[first:last], strict=True)
            cells = [cell.rjust(size) for cell, size in pairs]
            lines.append("  " + "  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
        first = last
    return lines


def title(launch: Launch) -> str:
    times = f"{launch.launches:,} launches of " if launch.launches > 1 else ""
    return (
        f"{short_kernel(launch.kernel)}: {times}grid {dimensions(launch.grid)}, "
        f"block {dimensions(launch.block)}{launch.which}"
    )


def dimensions(shape: tuple[int, int, int]) -> str:
    sizes = list(shape)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return " x ".join(f"{size:,}" for size in sizes)


def wrapped(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="    ")]
