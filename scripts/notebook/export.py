"""What gnuplot draws: a chapter's results as tab-separated blocks, one a device and regime.

The header of a block names its columns, but for the first two, which are titles of the block: so
device names reach gnuplot as data (`columnheader(1)`) and never as text of a script. Below these
stand the benchmark name and its regime. What a device does not know is -.

    <device, regime>  <device>  kernel  <parameters…>  label  emulated  repetitions
    time_us, bandwidth_gbs, gflops,        medians, each with …_low and …_high, the 95 % interval;
    items_per_us                           what a chapter counts: dependent loads, blocks, launches
    peak_percent, memcpy_percent           the theoretical bandwidth, memcpy of the same run is 100 %
    memcpy_ratio                           the same, over the rate of a memcpy timed right beside
    <counters…>                            counted (emulated) or measured (GPU)
"""

import math
from collections.abc import Iterable
from statistics import median

from notebook import names
from notebook.intervals import error_bars
from notebook.metrics import COUNTERS, PEAK_PERCENT
from notebook.results import Result, Row

_MISSING = "-"
_REFERENCE = "memcpy"
# Column: the metric and what one unit of the column is in its units.
_QUANTITIES = {
    "time_us": ("time", 1.0),
    "bandwidth_gbs": ("bytes_per_second", 1e9),
    "gflops": ("flops_per_second", 1e9),
    "items_per_us": ("items_per_second", 1e6),
    "peak_percent": (PEAK_PERCENT, 1.0),
    "memcpy_ratio": ("memcpy_ratio", 1.0),
}
_TIMED = [
    f"{column}{end}" for column in (*_QUANTITIES, "memcpy_percent") for end in ("", "_low", "_high")
]

Cells = dict[str, str]


def as_tsv(results: list[Result]) -> str:
    """The blocks of all results, separated as gnuplot's `index` wants it.

    Chapters that share a device and regime share a block; a benchmark is the first one's.
    """
    all_names = {name for result in results for name in (*result.by_name, *result.counts)}
    keys = names.naturally_sorted({key for name in all_names for key in names.parameters(name)})
    columns = ["kernel", *keys, "label", "emulated", "repetitions", *_TIMED, *COUNTERS]
    blocks: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for result in results:
        for header, *lines in _blocks(result, columns):
            block = blocks.setdefault(tuple(header), {})
            for line in lines:
                block.setdefault(line[0], line)
    return (
        "\n\n\n".join(
            "\n".join("\t".join(line) for line in (header, *block.values()))
            for header, block in blocks.items()
        )
        + "\n"
    )


def _blocks(result: Result, columns: list[str]) -> Iterable[list[list[str]]]:
    timed = _timed(result)
    every = names.naturally_sorted({*result.by_name, *result.counts})
    for regime in names.naturally_sorted({names.regime(name) for name in every}):
        title = ", ".join(filter(None, (result.device, names.regime_in_words(regime))))
        lines = [[title, result.device, *columns]]
        for name in every:
            if names.regime(name) == regime:
                cells = _described(result, name) | timed.get(name, {}) | _counted(result, name)
                lines.append([name, regime, *(cells.get(column, _MISSING) for column in columns)])
        yield lines


def _described(result: Result, name: str) -> Cells:
    rows = result.by_name.get(name, [])
    return names.parameters(name) | {
        "kernel": names.kernel(name),
        "label": (rows[0].level if rows else "") or _MISSING,
        "emulated": str(int(result.is_emulated)),
        "repetitions": str(len(rows)),
    }


def _counted(result: Result, name: str) -> Cells:
    counts = result.counts.get(name, [{}])[0]
    return {counter: _number(value) for counter, value in counts.items()}


def _timed(result: Result) -> dict[str, Cells]:
    """Medians and intervals of what was measured, by benchmark name; {} on an emulated GPU."""
    cells: dict[str, Cells] = {}
    if result.is_emulated:
        return cells
    for column, (metric, unit) in _QUANTITIES.items():
        samples = {
            name: [row.metric(metric) / unit for row in rows]
            for name, rows in result.by_name.items()
            if all(metric == "time" or metric in row.values for row in rows)
        }
        _add(cells, column, samples, None)
    for reference, compared in by_reference(result).items():
        rates = {name: _rates(result.by_name[name]) for name in compared}
        # A hundredth of it, so that the ratio is in percent.
        _add(cells, "memcpy_percent", rates, [rate / 100 for rate in rates[reference]])
    return cells


def _add(
    cells: dict[str, Cells],
    column: str,
    samples: dict[str, list[float]],
    baseline: list[float] | None,
) -> None:
    """Adds a column: samples of equal length go through the bootstrap together."""
    divisor = 1.0 if baseline is None else median(baseline)
    for length in sorted({len(sample) for sample in samples.values()}):
        together = {name: each for name, each in samples.items() if len(each) == length}
        lows, highs = error_bars(list(together.values()), baseline)
        for (name, sample), low, high in zip(together.items(), lows, highs, strict=True):
            cells.setdefault(name, {}).update(
                {
                    column: _number(median(sample) / divisor),
                    f"{column}_low": _number(low),
                    f"{column}_high": _number(high),
                }
            )


def by_reference(result: Result) -> dict[str, list[str]]:
    """For each memcpy row the benchmarks to compare with it, itself among them.

    A benchmark is compared with the copy in the same cache state that moves the most similar
    number of bytes, of two as similar the larger.
    """
    moved = {
        name: median(row.values["bytes_per_second"] * row.time_us for row in rows)
        for name, rows in result.by_name.items()
        if all(row.values.get("bytes_per_second", 0) > 0 for row in rows)
    }
    groups: dict[str, list[str]] = {}
    for name, size in moved.items():
        references = [
            other
            for other in moved
            if names.kernel(other) == _REFERENCE and _cache(other) == _cache(name)
        ]
        if references:
            # Rounded, so that half and twice the bytes are as similar whatever the rate's last digit.
            nearest = min(
                references,
                key=lambda other: (round(abs(math.log(moved[other] / size)), 3), -moved[other]),
            )
            groups.setdefault(nearest, []).append(name)
    return groups


def _rates(rows: list[Row]) -> list[float]:
    return [row.values["bytes_per_second"] for row in rows]


def _cache(name: str) -> str:
    return names.parameters(name).get("cache", "")


def _number(value: float) -> str:
    return f"{value:.6g}"


def without_empty_columns(exported: str) -> str:
    """The export without the columns in which a block has nothing: a new counter adds one to each."""
    blocks = []
    for block in exported.rstrip("\n").split("\n\n\n"):
        rows = [line.split("\t") for line in block.split("\n")]
        columns = [column for column in zip(*rows, strict=False) if set(column[1:]) != {_MISSING}]
        blocks.append("\n".join("\t".join(cells) for cells in zip(*columns, strict=True)))
    return "\n\n\n".join(blocks)
