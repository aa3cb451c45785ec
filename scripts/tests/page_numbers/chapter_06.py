"""Chapter 06: arrays of structures and structures of arrays."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import H100, Data

CITED = (
    "loses 50 % of the bandwidth",
    "the structure of arrays reaches 100 %. Others printed 50 % and 100 %",
)
GIVEN = (
    "reach over 32 s bytes",
    "efficiency is 1 / f",
    "fill half of each sector, and the other half",
    "fill half of a sector, whose other half",
    "a record of 8",
    "100 % theoretical occupancy",
    "131,072 blocks",
    "(f − 1) / f",
    "of the second halves",
    "there the halves come",
    "a line of 128, so",
)
PLAIN = "soa_one_field record:8 n:16777216 cache:cold"


def facts(d: Data) -> Iterator[Fact]:
    aos, soa = "aos_one_field", "soa_one_field"
    large = "n:16777216 cache:cold"
    yield (
        "reads [3.6 to 3.9] times the DRAM bytes",
        d.ratio(f"{aos} record:8", f"{soa} record:8", "dram_read_bytes", "n:4194304|16777216"),
    )
    for words, record in (
        ("One field of 12 bytes takes [1.6 to 1.7] times", 12),
        ("one of 16 bytes [2.0 to 2.2] times", 16),
    ):
        yield words, d.ratio(f"{aos} record:{record}", f"{soa} record:{record}", at="cache:cold")
    other = d.on(H100)
    sixteen = f"{aos} record:16", f"{soa} record:16", "time", "cache:cold"
    yield (
        "(records of 16 bytes) [2.0 to 2.2] and [2.5 to 3.2] times",
        d.ratio(*sixteen),
        other.ratio(*sixteen),
    )
    yield "in the same [82] µs; the bytes", d.of(PLAIN) + other.of(PLAIN)
    eight = f"{aos} record:8", f"{soa} record:8", "time", large
    yield "take the H200 [1.13] times as long", d.ratio(*eight)
    yield "memory is slower, [1.62] times", other.ratio(*eight)
    yield "one instruction at [100] %", d.of("aos_whole_record", "load_efficiency")
    yield "from plain arrays ([100] %)", d.of("sum_into_one_field record:8", "load_efficiency")
    yield "into a structure ([50] %)", d.of("sum_into_one_field record:8", "store_efficiency")
    yield (
        "most kernels here take the same [81 to 83] µs on the H200",
        [value for value in d.of(f"* {large} block:128") if value < 90],
    )
    yield (
        "[about 35] % is reached",
        d.of(f"{soa} record:2|3|4 {large}", "achieved_occupancy"),
    )
    yield "one every [0.6] ns", [1e3 * value / 131072 for value in d.of(PLAIN)]
    yield "An H100 takes the same [82] µs", other.of(PLAIN)
    yield "([134] MB both ways", [2 * 4 * 2**24 / 1e6]
    both = [
        sum(
            d.of(f"{aos} record:8 {large}", name)[0]
            for name in ("dram_read_bytes", "dram_write_bytes")
        )
    ]
    yield "moves [about 400] MB", [value / 1e6 for value in both]
    yield "take DRAM an [eighth] longer", [value - 1 for value in d.ratio(*eight)]
    yield (
        "the AoS is [1 to 3] % *faster*",
        d.less("aos_all_fields", "soa_all_fields", at="record:16 cache:cold"),
    )
    fermi = d.on("emulated-fermi")
    yield (
        "an SoA is at [25] %",
        fermi.of(f"{soa} record:4 n:1048576 cache:cold", "nvprof_gld_efficiency"),
    )
    short = [
        (16 * size - value) / 1e6
        for size in (2**22, 2**24)
        for kernel in (aos, "sum_into_one_field")
        for value in d.of(f"{kernel} record:8 n:{size} cache:cold", "dram_read_bytes")
    ]
    yield "still holds [about 7] MB of partly written", short
    kept = [
        8 * 2**24 / 1e6 - value / 1e6
        for value in d.of(f"*_all_fields record:8 {large}", "dram_write_bytes")
    ]
    yield "of complete ones [about 20] MB", kept
    yield "[nine in ten] do", separate_halves(Data("05"), "write_offset", "n:67108864 cache:cold")
    yield (
        "those of the SoA [within 2] %",
        [
            abs(value)
            for value in d.more("aos_all_fields", "soa_all_fields", at="record:2|3|4|8|12")
        ],
    )
    yield (
        "differ by [2.6 to 3.8] KB, among",
        d.beyond("emulated-hopper", "*_all_fields", "dram_read_bytes", 1e-3)
        + d.beyond("emulated-hopper", "*_whole_record", "dram_read_bytes", 1e-3)
        + d.beyond("emulated-hopper", "soa_one_field", "dram_read_bytes", 1e-3),
    )


def separate_halves(d: Data, kernel: str, at: str) -> list[float]:
    """The second parts of shared sectors that reach the L2, of all."""
    whole = d.of(f"{kernel} offset:0 {at}", "l2_write_sectors")
    both = d.of(f"{kernel} offset:11 {at}", "l2_write_sectors")
    return [4 * (b / w - 1) for b, w in zip(both, whole, strict=True)]
