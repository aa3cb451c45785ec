"""Chapter 09: what bounds a transpose."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data

CITED = (
    "125.67 GB/s or 70.76 % of the peak by rows, 58.76 GB/s or 33.09 % by columns",
    "printed 70.8 % by rows and 33.1 % by columns",
)
GIVEN = (
    "four full sectors (100 %), two half-used lines (50 % where",
    "each of 16 sectors, 25 %, and 6.25 % by lines",
    "read 32 sectors, each of them four times",
    "117.6 GB/s, a slip for 177.6",
    "at 2.1 GB",
    "(2.1 GB), of a peak",
    "to its 16 SMs",
    "the other half of the lines",
)


def facts(d: Data) -> Iterator[Fact]:
    book, large = "rows:2048 cache:cold", "rows:16384 cache:cold"
    yield (
        "[three of four] loads hit an L1",
        d.per(f"copy_columns block:16x16 {book}", "l1_hit_sectors", "load_sectors"),
    )
    rows, padded = "copy_rows block:16x16", "transpose_tile_padded"
    yield "takes [two thirds] of the time", d.ratio(f"{padded} block:32x8", rows, at="cache:cold")
    memcpy = d.of("memcpy bytes:1073741824", "bytes_per_second")[0]
    yield (
        "[about 0.96] of `memcpy` at",
        [value / memcpy for value in d.of(f"copy_wide {large}", "bytes_per_second")],
    )
    rates = ("copy_rows block:16x16", "copy_columns block:16x16", padded, "copy_wide", "memcpy")
    sizes = [large] * 4 + ["bytes:1073741824"]
    at_large = [
        d.of(f"{kernel} {size}", "bytes_per_second", 1e-9)
        for kernel, size in zip(rates, sizes, strict=True)
    ]
    yield (
        "of a peak of [4,814] GB/s: by rows [2,313] GB/s ([48] %), by columns [1,621] ([34] %; both in blocks of "
        "16 x 16), padded tile [3,529] ([73] %), `copy_wide` with 64 bytes per thread [4,086] ([85] %), `memcpy` "
        "[4,273] ([89] %)",
        [d.peak / 1e9],
        *(
            values
            for rate in at_large
            for values in (rate, [1e11 * value / d.peak for value in rate])
        ),
    )
    yield (
        "a warp touches [16] sectors instead of [4], in loads and stores",
        *(
            [
                value
                for kind in ("load", "store")
                for value in d.per(
                    f"{kernel} block:16x16 {book}", f"{kind}_sectors", f"{kind}_requests"
                )
            ]
            for kernel in ("copy_columns", "copy_rows")
        ),
    )
    yield (
        "takes [1.1 to 1.6] times its time",
        Data("10").ratio("transpose_read_rows", "copy_columns", at="block:16x16"),
    )
    best = Data("14").of("transpose type:float rows:16384 columns:16384", "memcpy_ratio")
    yield "evicts last have [0.98] of `memcpy`", best
    yield "occupancy of [70] %", d.of(f"{rows} {large}", "achieved_occupancy")
    held = [value / 100 * 132 * 2048 * 4 for value in d.of(f"{rows} {large}", "achieved_occupancy")]
    yield "hold [about 0.75] MB", [value / 1e6 for value in held]
    reads = [value / 2 for value in d.of(f"{rows} {large}", "bytes_per_second")]
    yield "measured [1.16] TB/s of reads", [value / 1e12 for value in reads]
    yield (
        "a load takes [0.66] µs",
        [1e6 * one / other for one, other in zip(held, reads, strict=True)],
    )
    yield (
        "tile comes to [0.83] of",
        [value / memcpy for value in d.of(f"{padded} {large}", "bytes_per_second")],
    )
    yield (
        "at 2.1 GB each is [6 to 7] % faster than the one before",
        d.more("copy_rows block:32x8", rows, "bytes_per_second", large)
        + d.more("copy_rows block:64x4", "copy_rows block:32x8", "bytes_per_second", large),
    )
    columns, thin = "copy_columns block:16x16", "copy_columns block:32x8"
    yield (
        "Of the [2,097,152] sectors stored in 16 x 16 blocks [fewer than half] arrive",
        d.of(f"{columns} {book}", "store_sectors"),
        d.per(f"{columns} {book}", "l2_write_sectors", "store_sectors"),
    )
    yield "blocks all [4,194,304] arrive", d.of(f"{thin} {book}", "l2_write_sectors")
    yield (
        "has [about a third] of the bandwidth",
        d.ratio(thin, columns, "bytes_per_second", book),
    )
    yield (
        "takes [58 to 70] partly filled",
        [value / 1e3 for value in d.per(thin, "l2_write_sectors", "time")],
    )
    full = [value / 32 / 1e9 for value in Data("07").of("write_wide", "bytes_per_second")]
    yield "at [more than twice] that", [value / 64 for value in full]
    small = d.of("memcpy bytes:16777216 cache:cold", "bytes_per_second")
    launches = [
        (d.value(name, "time") or 0) - (d.value(name.replace("2048", "16384"), "time") or 0) / 64
        for kernel in ("copy_rows", "copy_wide", padded)
        for name in d.names(f"{kernel} {book}")
    ]
    yield "on everything, [2 to 3] µs", launches
    yield "[about 64] % of the peak", [100 * value / d.peak for value in small]
    fermi = d.on("emulated-fermi")
    yield "hits in [15 of 16]", fermi.per(columns, "l1_hit_sectors", "load_sectors")
    tile = f"{padded} {book}"
    yield (
        "a [tenth] of its shared loads and [3] % of its stores",
        d.per(tile, "shared_load_bank_conflicts", "shared_load_requests"),
        d.per(tile, "shared_store_bank_conflicts", "shared_store_requests", 100),
    )
    yield (
        "reads [up to 3] % more from DRAM",
        [
            100 * (value / (4 * side**2) - 1)
            for side in (2048, 16384)
            for value in d.of(f"{thin} rows:{side}", "dram_read_bytes")
        ],
    )
    yield "threads has [about 0.75] MB under way", [value / 1e6 for value in held]
    yield (
        "loads [three of four] hit the L1, of its stored sectors [more than half] are merged",
        d.per(f"{columns} {book}", "l1_hit_sectors", "load_sectors"),
        [1 - value for value in d.per(f"{columns} {book}", "l2_write_sectors", "store_sectors")],
    )
