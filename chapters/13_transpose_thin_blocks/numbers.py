"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import Data, Numbers

_ROWS, _COLUMNS = "transpose_read_rows", "transpose_read_columns"
_BOOK, _LARGE = "rows:2048 cache:cold", "rows:16384 cache:cold"
_WIDE = f"{_ROWS} block:32x8|32x16|32x32 {_BOOK}"
_THIN = f"{_ROWS} block:4x64"


def _hits(d: Data, shape: str) -> list[float]:
    return d.per(f"{_COLUMNS} block:{shape} {_BOOK}", "l1_hit_sectors", "load_sectors")


def _occupancy(d: Data, shape: str, size: str) -> float:
    (value,) = d.of(f"{_COLUMNS} block:{shape} {size}", "achieved_occupancy")
    return value


def _starts(d: Data, side: int) -> list[float]:
    """Blocks a nanosecond of the shapes that their starts limit."""
    return [
        side * side / (x * y) / time / 1e3
        for x, y in ((8, 8), (8, 16), (16, 8), (4, 32))
        for time in d.of(f"{_COLUMNS} block:{x}x{y} rows:{side}")
    ]


def _printed(d: Data) -> dict[str, float]:
    """The bandwidth of the book's shapes on an RTX 3080."""
    return {
        row["name"].split("/")[1]: float(row["value"])
        for row in d.table("published/13_transpose_thin_blocks.csv")
        if row["device"] == "geforce-rtx-3080" and row["name"].startswith(_COLUMNS)
    }


def _apart_from_printed(d: Data) -> list[float]:
    """How far the gains over the shapes other than 8 x 8 are from those of the RTX 3080, in percent."""
    printed = _printed(d)
    best = printed.pop("block:8x32")
    return [
        100 * abs(gain * rate / best - 1)
        for shape, rate in printed.items()
        if shape != "block:8x8"
        for gain in d.ratio(f"{_COLUMNS} block:8x32", f"{_COLUMNS} {shape}", "bytes_per_second")
    ]


def _sectors_per_ns(d: Data, spec: str) -> list[float]:
    return d.per(spec, "l2_write_sectors", "time", 1e-3)


def _slowest_rows(d: Data) -> list[float]:
    """The time of the slowest shape that reads rows, over that of 4 x 64, at each size."""
    return [
        max(d.ratio(f"{_ROWS} block:32x8|32x16|32x32", _THIN, at=size)) for size in (_BOOK, _LARGE)
    ]


NUMBERS: Numbers = {
    "gain_over_8x8": lambda d: d.ratio(
        f"{_COLUMNS} block:8x32", f"{_COLUMNS} block:8x8", "bytes_per_second"
    ),
    "apart_from_printed": _apart_from_printed,
    "starts": lambda d: _starts(d, 16384),
    "starts_at_2048": lambda d: _starts(d, 2048),
    "fetched": lambda d: d.of(f"{_COLUMNS} block:8x32|16x16|32x8 {_BOOK}", "l2_read_sectors"),
    "hits_8x32": lambda d: _hits(d, "8x32"),
    "hits_16x16": lambda d: _hits(d, "16x16"),
    "hits_32x8": lambda d: _hits(d, "32x8"),
    "achieved_8x8": lambda d: d.of(f"{_COLUMNS} block:8x8", "achieved_occupancy"),
    "achieved_16x16_large": lambda d: [_occupancy(d, "16x16", _LARGE)],
    "achieved_16x32_large": lambda d: [_occupancy(d, "16x32", _LARGE)],
    "achieved_32x16_large": lambda d: [_occupancy(d, "32x16", _LARGE)],
    "achieved_32x32_large": lambda d: [_occupancy(d, "32x32", _LARGE)],
    "achieved_16x16_small": lambda d: [_occupancy(d, "16x16", _BOOK)],
    "achieved_16x32_small": lambda d: [_occupancy(d, "16x32", _BOOK)],
    "achieved_32x16_small": lambda d: [_occupancy(d, "32x16", _BOOK)],
    "achieved_32x32_small": lambda d: [_occupancy(d, "32x32", _BOOK)],
    "thin_rows": lambda d: d.ratio(_THIN, f"{_ROWS} block:16x16", "bytes_per_second"),
    "delivered": lambda d: [
        sectors / (4 * side**2 / 32)
        for side in (2048, 16384)
        for sectors in d.of(f"{_THIN} rows:{side}", "l2_read_sectors")
    ],
    "slowest_rows": _slowest_rows,
    "wide_occupancy": lambda d: d.of(_WIDE, "achieved_occupancy"),
    "wide_rate": lambda d: _sectors_per_ns(d, _WIDE),
    "rate_of_width_16": lambda d: _sectors_per_ns(d, f"{_ROWS} block:16x8|16x16|16x32"),
    "merged": lambda d: [
        100 * (1 - arriving)
        for arriving in d.per(
            f"{_ROWS} block:16x8|16x16|16x32|8x8|8x16|8x32 {_BOOK}",
            "l2_write_sectors",
            "store_sectors",
        )
    ],
    "hits_4x32": lambda d: d.of(f"{_ROWS} block:4x32 {_BOOK}", "l1_hit_sectors"),
    "hits_4x64": lambda d: d.of(f"{_ROWS} block:4x64 {_BOOK}", "l1_hit_sectors"),
    "more_read": lambda d: [
        100 * (read / (4 * 2048**2) - 1) for read in d.of(f"{_ROWS} {_BOOK}", "dram_read_bytes")
    ],
}
