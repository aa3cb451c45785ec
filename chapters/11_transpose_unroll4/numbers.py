"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import Data, Numbers

_BOOK, _LARGE = "rows:2048 cache:cold", "rows:16384 cache:cold"
_DOWN, _ACROSS = "transpose_read_columns", "transpose_read_rows"
_FIRST = f"{_DOWN}_unroll4_loads_first"


def _of_memcpy(d: Data, size: str, copied: int) -> list[float]:
    """The bandwidth of reading columns with all loads first, over that of a copy of so many bytes."""
    return [
        rate / memcpy
        for memcpy in d.of(f"memcpy bytes:{copied}", "bytes_per_second")
        for rate in d.of(f"{_FIRST} l1:on {size}", "bytes_per_second")
    ]


def _occupancy(d: Data, kernel: str, size: str) -> list[float]:
    return d.of(f"{kernel} l1:on {size}", "achieved_occupancy")


def _beyond_input(d: Data, kernel: str, size: str, side: int) -> list[float]:
    """Bytes read from DRAM beyond the input, in percent."""
    read = d.of(f"{kernel} {size}", "dram_read_bytes")
    return [100 * (moved / (4 * side**2) - 1) for moved in read]


def _fewer_hits(d: Data) -> list[float]:
    plain, unrolled = (
        d.of(f"{kernel} l1:on {_LARGE}", "l1_hit_sectors") for kernel in (_DOWN, f"{_DOWN}_unroll4")
    )
    return [one - other for one, other in zip(plain, unrolled, strict=True)]


def _fermi_fetches(d: Data, kernel: str) -> list[float]:
    return d.on("emulated-fermi").of(f"{kernel} l1:on rows:2048", "l2_read_sectors_most")


NUMBERS: Numbers = {
    "loads_first": lambda d: d.ratio(_FIRST, _DOWN, at="l1:on"),
    "of_memcpy_large": lambda d: _of_memcpy(d, _LARGE, 2**30),
    "of_memcpy_small": lambda d: _of_memcpy(d, _BOOK, 2**24),
    "requests": lambda d: d.of(f"*_unroll4 {_BOOK}", "load_requests"),
    "occupancy_small": lambda d: _occupancy(d, _DOWN, _BOOK),
    "occupancy_small_unrolled": lambda d: _occupancy(d, f"{_DOWN}_unroll4", _BOOK),
    "occupancy_large": lambda d: _occupancy(d, _DOWN, _LARGE),
    "occupancy_large_unrolled": lambda d: _occupancy(d, f"{_DOWN}_unroll4", _LARGE),
    "without_l1_plain": lambda d: d.of_chapter("10").more(
        f"{_DOWN} l1:off", f"{_DOWN} l1:on", at="cache:cold"
    ),
    "without_l1": lambda d: d.more(f"{_FIRST} l1:off", f"{_FIRST} l1:on"),
    "sectors_without_l1": lambda d: d.ratio(
        f"{_FIRST} l1:off", f"{_FIRST} l1:on", "l2_read_sectors"
    ),
    "faster_than_plain": lambda d: d.ratio(_FIRST, _DOWN, "bytes_per_second", f"l1:on {_LARGE}"),
    "wide_copy": lambda d: [
        copy / rate
        for copy in d.of_chapter("09").of("copy_wide rows:16384", "bytes_per_second")
        for rate in d.of(f"{_FIRST} l1:on {_LARGE}", "bytes_per_second")
    ],
    "fermi_hits": lambda d: d.on("emulated-fermi").per(
        f"{_ACROSS}_unroll4 l1:on rows:2048", "l1_hit_sectors", "load_sectors", 100
    ),
    "fermi_fetches": lambda d: _fermi_fetches(d, f"{_ACROSS}_unroll4"),
    "fermi_fetches_plain": lambda d: _fermi_fetches(d, _ACROSS),
    "read_plain": lambda d: _beyond_input(d, f"{_ACROSS} l1:on", _LARGE, 2**14),
    "read_unrolled": lambda d: _beyond_input(d, f"{_ACROSS}_unroll4 l1:on", _LARGE, 2**14),
    "read_loads_first": lambda d: _beyond_input(
        d, f"{_ACROSS}_unroll4_loads_first l1:on", _LARGE, 2**14
    ),
    "read_at_2048": lambda d: _beyond_input(d, f"{_ACROSS}*", _BOOK, 2**11),
    "fewer_hits": _fewer_hits,
}
