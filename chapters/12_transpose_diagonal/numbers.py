"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import H100, Data, Numbers

_ROWS, _COLUMNS = "transpose_read_rows", "transpose_read_columns"
_BOOK = "rows:2048 columns:2048"
_SIDES = (1920, 2048, 2056, 2080, 2112, 2176, 2240, 2304)


def _each(d: Data, kernel: str, side: int) -> float:
    """The time of an element."""
    return d.of(f"{kernel} rows:{side} columns:{side}")[0] / side**2


def _slower(d: Data, kernel: str, sides: tuple[int, ...], others: tuple[int, ...]) -> list[float]:
    """How many percent more time an element takes at each of the sides than at each of the others."""
    return [
        100 * (_each(d, kernel, side) / _each(d, kernel, other) - 1)
        for side in sides
        for other in others
    ]


def _gained(d: Data, kernel: str) -> list[float]:
    """Percent of the time that an order saves reading rows at the book's size."""
    return d.less(f"{_ROWS}_{kernel}", _ROWS, at=_BOOK)


def _predicted_gain(d: Data) -> list[float]:
    hopper = d.on("emulated-hopper")
    turned, plain = (
        hopper.predicted(f"{kernel} {_BOOK}") for kernel in (f"{_ROWS}_diagonal", _ROWS)
    )
    return [100 * (1 - one / other) for one, other in zip(turned, plain, strict=True)]


def _of_memcpy_down(d: Data) -> list[float]:
    """Percent of memcpy that transposes through shared memory gain where blocks walk down the input."""
    tiles = ("transpose_vectors type:float tile:64x64", "transpose_tile_unrolled")
    down, across = (
        [
            share
            for tile in tiles
            for share in d.of_chapter("14").of(
                f"{tile} order:{order} rows:16384 columns:16384", "memcpy_ratio"
            )
        ]
        for order in ("down", "across")
    )
    return [100 * (one - other) for one, other in zip(down, across, strict=True)]


def _fermi_hits(d: Data, kernel: str) -> list[float]:
    return d.on("emulated-fermi").per(f"{kernel} {_BOOK}", "l1_hit_sectors", "load_sectors")


def _slower_copy(d: Data) -> list[float]:
    """How many percent of its bandwidth the driver's copy lacks at the side 2056."""
    odd, *others = (
        d.of(f"memcpy bytes:{4 * side * side}", "bytes_per_second")[0]
        for side in (2056, 2048, 2080)
    )
    return [100 * (1 - odd / other) for other in others]


def _beyond_input(d: Data, *kernels: str) -> list[float]:
    """Bytes read from DRAM beyond the input, in percent."""
    return [
        100 * (read / (4 * side * side) - 1)
        for kernel in kernels
        for side in _SIDES
        for read in d.of(f"{kernel} rows:{side} columns:{side}", "dram_read_bytes")
    ]


NUMBERS: Numbers = {
    "apart": lambda d: [
        more for kernel in (_ROWS, _COLUMNS) for more in _slower(d, kernel, _SIDES, _SIDES)
    ],
    "columns_of_few_partitions": lambda d: _slower(d, _COLUMNS, (1920, 2304), (2080, 2240)),
    "book_h200": lambda d: _gained(d, "diagonal") + _gained(d, "diagonal_any"),
    "book_h100": lambda d: _gained(d.on(H100), "diagonal") + _gained(d.on(H100), "diagonal_any"),
    "one_division": lambda d: d.more(f"{_COLUMNS}_diagonal", _COLUMNS),
    "two_divisions": lambda d: d.more(f"{_COLUMNS}_diagonal_any", _COLUMNS),
    "long_rows": lambda d: [
        long / square / 2
        for order in ("", "_unroll4")
        for long in d.of(f"{_COLUMNS}{order} rows:16384 columns:32768")
        for square in d.of(f"{_COLUMNS}{order} rows:16384 columns:16384")
    ],
    "of_peak": lambda d: [
        100 * rate / d.peak for rate in d.of("transpose_* rows:16384", "bytes_per_second")
    ],
    "slower_at_2048": lambda d: _slower(
        d, _ROWS, (2048,), tuple(side for side in _SIDES if side != 2048)
    ),
    "predicted_gain": _predicted_gain,
    "measured_gain": lambda d: _gained(d, "diagonal"),
    "lost_at_two_sides": lambda d: d.more(
        f"{_ROWS}_diagonal", _ROWS, at="rows:2176|16384 columns:2176|16384"
    ),
    "of_memcpy_down": _of_memcpy_down,
    "fermi_hits": lambda d: _fermi_hits(d, _COLUMNS),
    "fermi_hits_diagonal": lambda d: _fermi_hits(d, f"{_COLUMNS}_diagonal"),
    "fermi_hits_rows": lambda d: [100 * hits for hits in _fermi_hits(d, f"{_ROWS}_diagonal")],
    "span_at_half": lambda d: d.of("transpose_read_rows_noted begun:50", "resident_span"),
    "span_at_nine_tenths": lambda d: d.of("transpose_read_rows_noted begun:90", "resident_span"),
    "slower_copy": _slower_copy,
    "more_read": lambda d: _beyond_input(d, _ROWS, f"{_ROWS}_diagonal", f"{_ROWS}_diagonal_any"),
    "more_read_unrolled": lambda d: _beyond_input(
        d, f"{_ROWS}_unroll4", f"{_ROWS}_diagonal_unroll4"
    ),
}
