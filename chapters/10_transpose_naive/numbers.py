"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import Data, Numbers

_BOOK, _LARGE = "rows:2048 cache:cold", "rows:16384 cache:cold"
_DOWN, _ACROSS, _COPY = "transpose_read_columns", "transpose_read_rows", "copy_columns"
_OF_2_GB = {
    "rows": f"{_ACROSS} l1:on {_LARGE}",
    "columns": f"{_DOWN} l1:on {_LARGE}",
    "copy": f"copy_rows l1:on {_LARGE}",
    "memcpy": "memcpy bytes:1073741824 cache:cold",
}


def _fermi(d: Data) -> Data:
    return d.on("emulated-fermi")


def _behind_stores(d: Data, quantile: int) -> list[float]:
    """Cycles within which such a part of the loads comes back."""
    return [
        float(row["measured_value"])
        for row in d.table("timing/behind_stores.csv")
        if row["behind"] == f"rows read, columns written: a load, quantile {quantile} %"
    ]


def _turns(d: Data, where: str, column: str, scale: float = 1) -> list[float]:
    """Of an H100 that reads rows of 8192 x 8192 and stores columns."""
    return [
        scale * float(row[column])
        for row in d.table("timing/turns.csv")
        if row["turn"] == f"rows read and columns stored{where}, 8192, us"
    ]


def _beyond_need(d: Data, spec: str, metric: str, side: int) -> list[float]:
    """Bytes of DRAM beyond those of a matrix, in percent."""
    return [100 * (moved / (4 * side**2) - 1) for moved in d.of(spec, metric)]


def _time_of_l1(d: Data, cache: str) -> list[float]:
    """By how much the time grows when the L1 is switched off, in percent."""
    return d.more(f"{_DOWN} l1:off", f"{_DOWN} l1:on", at=f"cache:{cache}")


def _unrolled_time_of_l1(d: Data) -> list[float]:
    """What the L1 saves of the time where a thread has four loads in flight, in percent."""
    first = "transpose_read_columns_unroll4_loads_first"
    return d.of_chapter("11").less(f"{first} l1:on", f"{first} l1:off")


NUMBERS: Numbers = {
    "rate_rows": lambda d: d.of(_OF_2_GB["rows"], "bytes_per_second", 1e-12),
    "rate_columns": lambda d: d.of(_OF_2_GB["columns"], "bytes_per_second", 1e-12),
    "rate_copy": lambda d: d.of(_OF_2_GB["copy"], "bytes_per_second", 1e-12),
    "rate_memcpy": lambda d: d.of(_OF_2_GB["memcpy"], "bytes_per_second", 1e-12),
    "of_memcpy": lambda d: [
        100 * rate / memcpy
        for memcpy in d.of(_OF_2_GB["memcpy"], "bytes_per_second")
        for rate in d.of(_OF_2_GB["columns"], "bytes_per_second")
    ],
    "entering": lambda d: d.per(_ACROSS, "l2_write_sectors", "time", 1e-3),
    "entering_wide": lambda d: d.of_chapter("07").of("write_wide", "bytes_per_second", 1e-9 / 32),
    "more_sectors": lambda d: d.ratio(f"{_DOWN} l1:off", f"{_DOWN} l1:on", "l2_read_sectors"),
    "time_of_l1_cold": lambda d: _time_of_l1(d, "cold"),
    "time_of_l1_warm": lambda d: _time_of_l1(d, "warm"),
    "unrolled_time_of_l1": _unrolled_time_of_l1,
    "efficiency": lambda d: d.of(f"{_DOWN} l1:on {_BOOK}", "load_efficiency"),
    "fermi_efficiency_on": lambda d: _fermi(d).of(f"{_DOWN} l1:on {_BOOK}", "load_efficiency"),
    "fermi_efficiency_off": lambda d: _fermi(d).of(f"{_DOWN} l1:off {_BOOK}", "load_efficiency"),
    "fermi_hits": lambda d: _fermi(d).per(
        f"{_DOWN} l1:on {_BOOK}", "l1_hit_sectors", "load_sectors"
    ),
    "hits": lambda d: d.per(f"{_DOWN} l1:on {_BOOK}", "l1_hit_sectors", "load_sectors"),
    "fetched": lambda d: d.of(f"{_DOWN} l1:on {_BOOK}", "l2_read_sectors"),
    "merged_loads": lambda d: d.per(
        f"{_DOWN} l1:off {_BOOK}", "l2_read_sectors", "load_sectors", 100
    ),
    "arriving": lambda d: d.per(f"{_ACROSS} {_BOOK}", "l2_write_sectors", "store_sectors", 100),
    "arriving_of_copy": lambda d: d.per(
        f"{_COPY} l1:on {_BOOK}", "l2_write_sectors", "store_sectors", 100
    ),
    "half_of_loads": lambda d: _behind_stores(d, 50),
    "max_loads": lambda d: _behind_stores(d, 90),
    "alone": lambda d: _turns(d, "", "measured_value"),
    "behind_a_barrier": lambda d: _turns(d, " behind a barrier", "measured_value"),
    "sectors_alone": lambda d: _turns(d, "", "measured_sectors", 1e-6),
    "sectors_behind_a_barrier": lambda d: _turns(d, " behind a barrier", "measured_sectors", 1e-6),
    "more_read": lambda d: _beyond_need(d, f"{_ACROSS} l1:on {_LARGE}", "dram_read_bytes", 2**14),
    "more_written": lambda d: _beyond_need(
        d, f"{_ACROSS} l1:on {_LARGE}", "dram_write_bytes", 2**14
    ),
    "more_read_at_2048": lambda d: [
        more
        for kernel in (_ACROSS, _COPY)
        for more in _beyond_need(d, f"{kernel} rows:2048", "dram_read_bytes", 2**11)
    ],
    "more_read_by_others": lambda d: [
        more
        for kernel in (_DOWN, "copy_rows")
        for more in _beyond_need(d, f"{kernel} rows:2048", "dram_read_bytes", 2**11)
    ],
}
