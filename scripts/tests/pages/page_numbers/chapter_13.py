"""Chapter 13: thin blocks."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data, table

CITED = (
    "577.09 GB/s for (8,32), 514.51 for (16,16) and 364.34 for",
    "(12.5, 25 and 50 % for widths 32, 16 and 8)",
)
GIVEN = (
    "warps of w x 32/w threads",
    "touch 8, 16 and 32 lines",
    "over 8, 16 or 32 lines",
    "A Fermi's limit of 8",
    "an H200's limit of 32",
    "stores halves, and nearly all of those halves",
    "the other half of a sector",
    "reads half of each sector once, the other half",
    "reading twice is cheap",
    "an eighth full each",
    "nanosecond at 2.1 GB",
    "% at 2.1 GB, 78",
    "of 1,048,576",
    "loads half of each",
)
ROWS, COLUMNS = "transpose_read_rows", "transpose_read_columns"


def facts(d: Data) -> Iterator[Fact]:
    book, large = "rows:2048 cache:cold", "rows:16384 cache:cold"
    small = "block:8x16|16x8|4x32"
    rates = d.of(f"{COLUMNS} {small} {large}", "bytes_per_second")
    yield (
        "and (8,8) [half] of it",
        [value / rates[0] for value in d.of(f"{COLUMNS} block:8x8 {large}", "bytes_per_second")],
    )
    starts = _starts(d, 16384)
    yield "starts [about 1.65] blocks per nanosecond at 2.1 GB", starts
    same = "block:8x32|16x16|32x8"
    yield (
        "the same [524,288] sectors from the L2 at 2048 x 2048",
        d.of(f"{COLUMNS} {same} {book}", "l2_read_sectors"),
    )
    yield (
        "in itself [half], [three quarters] and [seven eighths] of",
        *(
            d.per(f"{COLUMNS} block:{shape} {book}", "l1_hit_sectors", "load_sectors")
            for shape in ("8x32", "16x16", "32x8")
        ),
    )
    yield "starts [about 1.65] in a nanosecond at", starts
    yield "counts, [1.44 to 1.55]", _starts(d, 2048)
    eight = f"{COLUMNS} block:8x8"
    yield (
        "of (8,8) is [100] % and the achieved one [26 to 27]",
        d.of(eight, "theoretical_occupancy"),
        d.of(eight, "achieved_occupancy"),
    )
    yield (
        "(a [third] of its warps with 8 x 8)",
        [
            value / 100
            for value in d.on("emulated-fermi").of(f"{COLUMNS} block:8x8", "theoretical_occupancy")
        ],
    )
    yield from _margins(d)
    full = {
        (shape, size): d.of(f"{COLUMNS} block:{shape} {size}", "achieved_occupancy")
        for shape in ("16x16", "16x32", "32x16", "32x32")
        for size in (book, large)
    }
    yield (
        "(16,16): [83] against [86] % at 2.1 GB, [78] against [80] % at the book's size",
        full["16x32", large],
        full["16x16", large],
        full["16x32", book],
        full["16x16", book],
    )
    yield (
        "is [5] and [3] points below",
        *([full["32x16", size][0] - full["32x32", size][0]] for size in (large, book)),
    )
    thin = f"{ROWS} block:4x64"
    yield (
        "[nearly twice] as fast as (16,16)",
        d.ratio(thin, f"{ROWS} block:16x16", "bytes_per_second"),
    )
    yield (
        "The L2 delivers [nearly twice] what is needed",
        [
            value / (4 * side**2 / 32)
            for side in (2048, 16384)
            for value in d.of(f"{thin} rows:{side}", "l2_read_sectors")
        ],
    )
    yield (
        "takes [3.7 to 3.9] times as long as (4,64)",
        [max(d.ratio(f"{ROWS} block:32x8|32x16|32x32", thin, at=size)) for size in (book, large)],
    )
    wide = f"{ROWS} block:32x8|32x16|32x32 {book}"
    yield (
        "from [72] down to [56] %: [4,194,304] sectors",
        [max(d.of(wide, "achieved_occupancy"))],
        [min(d.of(wide, "achieved_occupancy"))],
        d.of(wide, "l2_write_sectors"),
    )
    entering = d.per(wide, "l2_write_sectors", "time")
    yield "at [just under 60] per nanosecond", [value / 1e3 for value in entering]
    sixteen = f"{ROWS} block:16x8|16x16|16x32"
    yield (
        "come to between [49 and 77]",
        [value / 1e3 for value in d.per(sixteen, "l2_write_sectors", "time")],
    )
    merged = f"{ROWS} block:16x8|16x16|16x32|8x8|8x16|8x32 {book}"
    yield (
        "a [tenth to a fifth] of the stores merge",
        [1 - value for value in d.per(merged, "l2_write_sectors", "store_sectors")],
    )
    hits = [
        d.value(name, "l1_hit_sectors") or 0 for name in d.names(f"{ROWS} block:4x32|4x64 {book}")
    ]
    yield "rows: [544] and [704] of 1,048,576", hits[:1], hits[1:]
    yield (
        "up to [4] % above the emulator's",
        [
            max(
                100 * (value / (4 * 2048**2) - 1)
                for value in d.of(f"{ROWS} {book}", "dram_read_bytes")
            )
        ],
    )


def _margins(d: Data) -> Iterator[Fact]:
    """What 8 x 32 gains over the book's other shapes, here and as printed."""
    printed = {
        row["name"].split("/")[1]: float(row["value"])
        for row in table("published/13_transpose_thin_blocks.csv")
        if row["device"] == "geforce-rtx-3080" and row["name"].startswith(COLUMNS)
    }
    best = printed.pop("block:8x32")
    gains = {
        shape: d.ratio(f"{COLUMNS} block:8x32", f"{COLUMNS} {shape}", "bytes_per_second")
        for shape in printed
    }
    yield (
        "a factor of [2.3 to 2.5] (printed for an RTX 3080: [1.34])",
        gains.pop("block:8x8"),
        [best / printed["block:8x8"]],
    )
    yield (
        "margins [within 18] % of",
        [
            100 * abs(value * printed[shape] / best - 1)
            for shape, values in gains.items()
            for value in values
        ],
    )


def _starts(d: Data, side: int) -> list[float]:
    """Blocks a nanosecond of the shapes that their starts limit."""
    return [
        side * side / (x * y) / value / 1e3
        for x, y in ((8, 8), (8, 16), (16, 8), (4, 32))
        for value in d.of(f"{COLUMNS} block:{x}x{y} rows:{side}")
    ]
