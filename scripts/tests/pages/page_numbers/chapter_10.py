"""Chapter 10: naive transposes."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data, table

CITED = ("506.31 against 455.11", "443.37 against 448.88")
GIVEN = (
    "32 sectors or 16 lines",
    "with lines 7 of 8",
    "a quarter full each",
    "blocks of 16 x 32",
    "with twice the warps",
    "At 2.1 GB",
    "hits in 7 of 8",
)


def behind_a_barrier() -> Iterator[Fact]:
    rows = {row["turn"]: row for row in table("timing/turns.csv")}
    alone, together = (
        rows[f"rows read and columns stored{where}, 8192, us"]
        for where in ("", " behind a barrier")
    )
    yield (
        "reading rows of [8192] x [8192] takes [328] instead of [596] µs",
        [8192],
        [8192],
        [float(together["measured_value"])],
        [float(alone["measured_value"])],
    )
    yield (
        "[8.7] instead of [30.9] million sectors arrive, of which [8.4] million is the least",
        [float(together["measured_sectors"]) / 1e6],
        [float(alone["measured_sectors"]) / 1e6],
        [8192 * 8192 * 4 / 32 / 1e6],
    )


def beside_stores() -> Iterator[Fact]:
    rows = {
        row["behind"]: float(row["measured_value"]) for row in table("timing/behind_stores.csv")
    }
    half, most = (
        rows[f"rows read, columns written: a load, quantile {share} %"] for share in (50, 90)
    )
    yield (
        "[half] of them less than [978] cycles, one in ten more than [2,031]",
        [0.5],
        [half],
        [most],
    )


def facts(d: Data) -> Iterator[Fact]:
    yield from behind_a_barrier()
    yield from beside_stores()
    book, large = "rows:2048 cache:cold", "rows:16384 cache:cold"
    down, across, copy = "transpose_read_columns", "transpose_read_rows", "copy_columns"
    entering = [value / 1e3 for value in d.per(across, "l2_write_sectors", "time")]
    yield "on the H200 takes [54 to 64] of them", entering
    yield (
        "delivers [2.6 to 2.7] times the sectors",
        d.ratio(f"{down} l1:off", f"{down} l1:on", "l2_read_sectors"),
    )
    yield (
        "grows by [about 2] % from DRAM and [16] % from the L2",
        d.more(f"{down} l1:off", f"{down} l1:on", at="cache:cold"),
        d.more(f"{down} l1:off", f"{down} l1:on", at="cache:warm"),
    )
    unrolled = Data("11")
    first = "transpose_read_columns_unroll4_loads_first"
    yield (
        "is worth a [third] of the time",
        [1 - 1 / value for value in unrolled.ratio(f"{first} l1:off", f"{first} l1:on")],
    )
    fermi = d.on("emulated-fermi")
    at = "rows:2048 cache:cold"
    yield (
        "At [25] % ([6.25] % on a Fermi)",
        d.of(f"{down} {at}", "load_efficiency"),
        fermi.of(f"{down} l1:on {at}", "load_efficiency"),
    )
    yield "it is [1.7 to 2.1] times as fast", d.ratio(across, down, at="l1:on")
    yield "is [1.4 to 1.6] times as fast with", d.ratio(across, copy, at="l1:on")
    yield (
        "the others hit: [3 of 4] sectors",
        d.per(f"{down} l1:on {book}", "l1_hit_sectors", "load_sectors"),
    )
    yield (
        "So [524,288] sectors are fetched with the L1 on, as in a copy, and up to [2,097,152] leave",
        d.of(f"{down} l1:on {book}", "l2_read_sectors"),
        d.of(f"{down} l1:off {book}", "load_sectors"),
    )
    yield (
        "from [6.25] to [25] %",
        fermi.of(f"{down} l1:on {at}", "load_efficiency"),
        fermi.of(f"{down} l1:off {at}", "load_efficiency"),
    )
    yield (
        "Of the [2,097,152] sectors that reading columns requests past the L1 [two thirds] are",
        d.of(f"{down} l1:off {book}", "load_sectors"),
        d.per(f"{down} l1:off {book}", "l2_read_sectors", "load_sectors"),
    )
    yield (
        "stores [nine in ten] arrive",
        d.per(f"{across} {book}", "l2_write_sectors", "store_sectors"),
    )
    yield (
        "stored sectors [fewer than half] arrive",
        d.per(f"{copy} l1:on {book}", "l2_write_sectors", "store_sectors"),
    )
    rates = [
        d.of(f"{kernel} {large}", "bytes_per_second", 1e-12)
        for kernel in (f"{down} l1:on", f"{across} l1:on", "copy_rows l1:on")
    ]
    most = d.of("memcpy bytes:1073741824 cache:cold", "bytes_per_second", 1e-12)
    yield (
        "At 16384 x 16384 that is [1.85] against [1.03] TB/s, where a copy by rows in the same blocks has [2.31] and "
        "`cudaMemcpy` [4.27] TB/s",
        *rates,
        most,
    )
    yield "columns has [43] % of `cudaMemcpy`", [100 * rates[0][0] / most[0]]
    whole = 4 * 16384**2
    yield (
        "reads [about 7] % more than its input and writes [about 4] % more",
        [100 * (value / whole - 1) for value in d.of(f"{across} l1:on {large}", "dram_read_bytes")],
        [
            100 * (value / whole - 1)
            for value in d.of(f"{across} l1:on {large}", "dram_write_bytes")
        ],
    )
    yield (
        "Fermi hits in [15 of 16]",
        fermi.per(f"{down} l1:on {at}", "l1_hit_sectors", "load_sectors"),
    )
    yield (
        "exceed the input by [up to 2] % in kernels that store by columns, by [less than 0.03] % in the others",
        *(
            [
                100 * (value / (4 * 2048**2) - 1)
                for kernel in kernels
                for value in d.of(f"{kernel} rows:2048", "dram_read_bytes")
            ]
            for kernels in ((across, copy), (down, "copy_rows"))
        ),
    )
    inside = Data("07").of("write_wide", "bytes_per_second")[0] / 32 / 1e9
    yield "at [less than half] the rate of full ones", [max(entering) / inside]
    arriving = d.per(f"{across} {book}", "l2_write_sectors", "store_sectors")
    yield (
        "strided stores [nine in ten] reach the L2 singly, which takes partly filled sectors "
        "at [less than half] its rate",
        arriving,
        [max(entering) / inside],
    )
    yield (
        "saves [two of three] sectors",
        [1 - 1 / value for value in d.ratio(f"{down} l1:off", f"{down} l1:on", "l2_read_sectors")],
    )
    yield (
        "of the copy's [fewer than half] reach the L2, of this kernel's [nine in ten]",
        d.per(f"{copy} l1:on {book}", "l2_write_sectors", "store_sectors"),
        arriving,
    )
