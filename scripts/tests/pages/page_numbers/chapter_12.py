"""Chapter 12: the diagonal order of blocks."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import H100, Data

CITED = ("measured 0.970 and 1.008 of the bandwidth",)
GIVEN = (
    "P / gcd(W / 64, P)",
    "has P = 6",
    "at 1920 and 2304",
    "Now 1920 and 2304 are no slower than 2080 and 2240",
    "2048 is the slowest side for reading rows and 16384 the fastest, although it strides eight times",
    "**2048 stays odd",
    "**2048.**",
    "0, 1 and 2 integer divisions",
    "go with 0,",
    "half that the diagonal one",
    "At 2176 and 16384",
    "16384 doubles",
    "gains more than 3 %",
    "over the sides from 1920 to 2304",
    "not a multiple of 16",
    "At 2056",
    "2048 alone is odd",
    "At 2048 stores down a column",
    "but at 2048, whose columns lie",
    "columns of rows of 8 KiB",
    "the 94 slices of the L2",
    "at rows of 8 and 16 KiB",
    "at 2176 and 16384 no counter",
)
ROWS, COLUMNS = "transpose_read_rows", "transpose_read_columns"
SIDES = (1920, 2048, 2056, 2080, 2112, 2176, 2240, 2304)


def facts(d: Data) -> Iterator[Fact]:
    book = "rows:2048 columns:2048"
    yield (
        "makes reading rows [10 to 11] % faster",
        d.less(f"{ROWS}_diagonal", ROWS, at=book) + d.less(f"{ROWS}_diagonal_any", ROWS, at=book),
    )
    other = d.on(H100)
    yield (
        "the same size gains [2 to 4] %",
        other.less(f"{ROWS}_diagonal", ROWS, at=book)
        + other.less(f"{ROWS}_diagonal_any", ROWS, at=book),
    )
    yield (
        "[4 to 7] and [10 to 12] % more time",
        d.more(f"{COLUMNS}_diagonal", COLUMNS),
        d.more(f"{COLUMNS}_diagonal_any", COLUMNS),
    )
    yield (
        "reach [less than half] of it",
        [value / d.peak for value in d.of("transpose_* rows:16384", "bytes_per_second")],
    )
    small = [(kernel, [1 / _each(d, kernel, side) for side in SIDES]) for kernel in (ROWS, COLUMNS)]
    yield (
        "kernels differ by [7] % at most over",
        [max(100 * (max(rates) / min(rates) - 1) for _, rates in small)],
    )
    yield (
        "and at most [3] % slower reading columns",
        [
            max(
                100 * (_each(d, COLUMNS, side) / _each(d, COLUMNS, other) - 1)
                for side in (1920, 2304)
                for other in (2080, 2240)
            )
        ],
    )
    slower = [
        100 * (_each(d, ROWS, 2048) / _each(d, ROWS, side) - 1) for side in SIDES if side != 2048
    ]
    yield "kernel is [3 to 6] % slower per element", slower
    yield (
        "At 2176 and 16384 diagonal order is [3 to 4] % slower",
        d.more(f"{ROWS}_diagonal", ROWS, at="rows:2176|16384 columns:2176|16384"),
    )
    hopper = d.on("emulated-hopper")
    yield (
        "predicts that the order gains [10] % here; [10] % are measured",
        [
            100 * (1 - turned / plain)
            for turned, plain in zip(
                hopper.predicted(f"{ROWS}_diagonal {book}"),
                hopper.predicted(f"{ROWS} {book}"),
                strict=True,
            )
        ],
        d.less(f"{ROWS}_diagonal", ROWS, at=book),
    )
    yield (
        "loses [4 to 7] % at every side",
        d.more(f"{COLUMNS}_diagonal", COLUMNS),
    )
    across = Data("14")
    tile = "transpose_vectors type:float tile:64x64"
    large = "rows:16384 columns:16384"
    yield (
        "which is [3 to 4] % of `memcpy` better",
        [
            100 * (one - other)
            for kernel in (tile, "transpose_tile_unrolled")
            for one, other in zip(
                across.of(f"{kernel} order:down {large}", "memcpy_ratio"),
                across.of(f"{kernel} order:across {large}", "memcpy_ratio"),
                strict=True,
            )
        ],
    )
    fermi = d.on("emulated-fermi")
    yield (
        "fall from [15 of 16] to [7 of 8], reading rows they rise from none to [nearly half]",
        fermi.per(f"{COLUMNS} {book}", "l1_hit_sectors", "load_sectors"),
        fermi.per(f"{COLUMNS}_diagonal {book}", "l1_hit_sectors", "load_sectors"),
        fermi.per(f"{ROWS}_diagonal {book}", "l1_hit_sectors", "load_sectors"),
    )
    copies = {
        side: d.of(f"memcpy bytes:{4 * side * side}", "bytes_per_second")[0]
        for side in (2056, 2048, 2080)
    }
    yield (
        "copy is slower by [14 to 15] %",
        [100 * (1 - copies[2056] / copies[side]) for side in (2048, 2080)],
    )
    yield (
        "are [1 to 2] % above the input at the sides of the table, unrolled ones [4 to 7] %",
        _above(d, (ROWS, f"{ROWS}_diagonal", f"{ROWS}_diagonal_any")),
        _above(d, (f"{ROWS}_unroll4", f"{ROWS}_diagonal_unroll4")),
    )
    yield (
        "costs [3 to 4] % at 2176 and 16384",
        d.more(f"{ROWS}_diagonal", ROWS, at="rows:2176|16384 columns:2176|16384"),
    )


def _each(d: Data, kernel: str, side: int) -> float:
    """The time of an element."""
    return d.of(f"{kernel} rows:{side} columns:{side}")[0] / side**2


def _above(d: Data, kernels: tuple[str, ...]) -> list[float]:
    return [
        100 * (read / (4 * side * side) - 1)
        for kernel in kernels
        for side in SIDES
        for read in d.of(f"{kernel} rows:{side} columns:{side}", "dram_read_bytes")
    ]
