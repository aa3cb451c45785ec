"""Numbers of page.md that no claim has: queries of the tracked data."""

from notebook.pages.queries import Data, Numbers

_ELEMENTS = 2**26
_SCATTERED, _TABLE = "gather scatter:array n:67108864", "sum_table entries:1024"


def _of_array(d: Data) -> list[float]:
    """The bytes that DRAM reads for the scattered elements, the indices left out, over those of the array."""
    array = 4 * _ELEMENTS
    return [(value - array) / array for value in d.of(_SCATTERED, "dram_read_bytes")]


def _dram_rate(d: Data) -> list[float]:
    """Bytes read and written in percent of the DRAM's bandwidth."""
    read, written, seconds = (
        d.of(_SCATTERED, metric) for metric in ("dram_read_bytes", "dram_write_bytes", "time")
    )
    moved = zip(read, written, seconds, strict=True)
    return [100 * (one + other) / (time * d.peak / 1e6) for one, other, time in moved]


def _misses(d: Data) -> list[float]:
    loads, hits = (d.of(_TABLE, f"{name}_sectors") for name in ("load", "l1_hit"))
    return [load - hit for load, hit in zip(loads, hits, strict=True)]


def _loads_of_a_miss(d: Data) -> list[float]:
    loads = d.of(_TABLE, "load_sectors")
    return [load / missed for load, missed in zip(loads, _misses(d), strict=True)]


def _misses_reaching_l2(d: Data) -> list[float]:
    reads = d.of(_TABLE, "l2_read_sectors")
    return [100 * read / missed for read, missed in zip(reads, _misses(d), strict=True)]


def _of_wavefront_rate(d: Data) -> list[float]:
    """Of eight loads a thread, each eight wavefronts a warp, one a clock and SM."""
    clocks = 8 * 8 * _ELEMENTS / 32 / d.result.sm_count
    times = d.of("sum_table n:67108864")
    return [100 * clocks / d.result.sm_clock_mhz / time for time in times]


NUMBERS: Numbers = {
    "ways": lambda d: [
        abs(value)
        for kernel in ("read_offset", "gather", "sum_table")
        for value in d.more(f"{kernel}_ldg", kernel)
    ],
    "dram_reads": _of_array,
    "dram_rate": _dram_rate,
    "block_gather_longer": lambda d: d.more("gather scatter:block", "read_offset offset:0"),
    "sectors_of_a_warp": lambda d: [
        32 * value / _ELEMENTS - 4
        for value in d.of("gather scatter:block n:67108864", "load_sectors")
    ],
    "loads_of_a_miss": _loads_of_a_miss,
    "misses_reaching_l2": _misses_reaching_l2,
    "sums_longer": lambda d: d.ratio(_TABLE, "read_offset offset:0", at="n:16777216|67108864"),
    "of_wavefront_rate": _of_wavefront_rate,
}
