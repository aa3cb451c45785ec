"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable

from notebook.pages.queries import Data, Numbers

_BOOK, _LARGE = "rows:2048 cache:cold", "rows:16384 cache:cold"
_ROWS, _COLUMNS = "copy_rows block:16x16", "copy_columns block:16x16"
_LOW, _TILE = "copy_columns block:32x8", "transpose_tile_padded"
_MEMCPY = "memcpy bytes:1073741824"
_OF_2_GB = {
    "columns": f"{_COLUMNS} {_LARGE}",
    "rows": f"{_ROWS} {_LARGE}",
    "tile": f"{_TILE} {_LARGE}",
    "wide": f"copy_wide {_LARGE}",
    "memcpy": _MEMCPY,
}


def _rate(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(spec, "bytes_per_second", 1e-9)


def _of_peak(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(spec, "bytes_per_second", 100 / d.peak)


def _of_memcpy(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        rate / memcpy
        for memcpy in d.of(_MEMCPY, "bytes_per_second")
        for rate in d.of(f"{spec} {_LARGE}", "bytes_per_second")
    ]


def _in_flight(d: Data) -> list[float]:
    """Bytes that the GPU's threads have requested, one load of 4 bytes each."""
    threads = d.result.sm_count * 2048
    return [4 * threads * share / 100 for share in d.of(f"{_ROWS} {_LARGE}", "achieved_occupancy")]


def _read(d: Data) -> list[float]:
    """Bytes that the copy by rows reads in a second."""
    return d.of(f"{_ROWS} {_LARGE}", "bytes_per_second", 0.5)


def _start_and_end(d: Data) -> list[float]:
    """Microseconds that a cold kernel of 2048 x 2048 takes beyond its part of one of 16384 x 16384."""
    return [
        small - large / 64
        for kernel in (_ROWS, "copy_wide", _TILE)
        for small, large in zip(d.of(f"{kernel} {_BOOK}"), d.of(f"{kernel} {_LARGE}"), strict=True)
    ]


def _stored(lines: int, store_bytes: int) -> Callable[[Data], list[float]]:
    """Sectors that the L2 takes in a nanosecond of stores into so many lines."""
    return lambda d: [
        d.result.sm_count * lines * max(store_bytes // 32, 1) / float(row["measured_ns"])
        for row in d.table("timing/stores.csv")
        if row["store"] == f"{lines} lines of {store_bytes} bytes"
    ]


NUMBERS: Numbers = {
    **{f"rate_{name}": _rate(spec) for name, spec in _OF_2_GB.items()},
    **{f"peak_{name}": _of_peak(spec) for name, spec in _OF_2_GB.items()},
    "naive": lambda d: d.of_chapter("10").ratio(
        "transpose_read_rows", "copy_columns", at="block:16x16"
    ),
    "column_sectors": lambda d: d.per(f"{_COLUMNS} {_BOOK}", "load_sectors", "load_requests"),
    "column_hits": lambda d: d.per(f"{_COLUMNS} {_BOOK}", "l1_hit_sectors", "load_sectors"),
    "peak": lambda d: [d.peak / 1e9],
    "wide_of_memcpy": _of_memcpy("copy_wide"),
    "tile_of_memcpy": _of_memcpy(_TILE),
    "best_of_memcpy": lambda d: d.of_chapter("14").of(
        "transpose type:float rows:16384 columns:16384", "memcpy_ratio"
    ),
    "occupancy": lambda d: d.of(f"{_ROWS} {_LARGE}", "achieved_occupancy"),
    "in_flight": lambda d: [held / 1e6 for held in _in_flight(d)],
    "read": lambda d: [rate / 1e12 for rate in _read(d)],
    "latency": lambda d: [
        1e6 * held / rate for held, rate in zip(_in_flight(d), _read(d), strict=True)
    ],
    "wider_block": lambda d: [
        more
        for wide, narrow in (("32x8", "16x16"), ("64x4", "32x8"))
        for more in d.more(
            f"copy_rows block:{wide}", f"copy_rows block:{narrow}", "bytes_per_second", _LARGE
        )
    ],
    "arriving": lambda d: d.per(f"{_COLUMNS} {_BOOK}", "l2_write_sectors", "store_sectors", 100),
    "arriving_of_32x8": lambda d: d.per(
        f"{_LOW} {_BOOK}", "l2_write_sectors", "store_sectors", 100
    ),
    "rate_of_32x8": lambda d: d.share(_LOW, _COLUMNS, "bytes_per_second", _BOOK),
    "partly_filled": lambda d: d.per(_LOW, "l2_write_sectors", "time", 1e-3),
    "stored_full_lines": _stored(1, 128),
    "stored_full_sectors": _stored(4, 32),
    "stored_words": _stored(32, 4),
    "start_and_end": _start_and_end,
    "small_memcpy": _of_peak("memcpy bytes:16777216 cache:cold"),
    "fermi_hits": lambda d: d.on("emulated-fermi").per(
        f"{_COLUMNS} {_BOOK}", "l1_hit_sectors", "load_sectors"
    ),
    "load_conflicts": lambda d: d.per(
        f"{_TILE} {_BOOK}", "shared_load_bank_conflicts", "shared_load_requests", 100
    ),
    "store_conflicts": lambda d: d.per(
        f"{_TILE} {_BOOK}", "shared_store_bank_conflicts", "shared_store_requests", 100
    ),
    "more_from_dram": lambda d: [
        100 * (read / (4 * side**2) - 1)
        for side in (2048, 16384)
        for read in d.of(f"{_LOW} rows:{side}", "dram_read_bytes")
    ],
}
