"""Chapter 07: unrolling by four, and the limit of an addition."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data, table

CITED = (
    "its factor, 3.04 to 3.17, and",
    "in the printed 0.599 ms",
    "8 % faster (RTX 4070 Ti) and 5 % slower",
    "the printed 0.32",
    "is 3.04 to 3.17 (0.32×)",
)
GIVEN = (
    "are 336 GB/s, and the peak of an M2090",
    "Fermi here, is 177.6: not",
    "A quarter as many blocks live four times as long",
    "with four times the requests",
    "A quarter of them is what",
    "A quarter of the work takes",
    "256 blocks are left",
    "touch every sector twice",
    "640 of 1,056",
    "not 97 %",
    "(16 u − 1) / (16 u)",
    "at u = 8",
    "does a quarter of the work",
    "skips three quarters",
)


def facts(d: Data) -> Iterator[Fact]:
    plain, book = "read_offset", "read_offset_unrolled unroll:4"
    first = "read_offset_loads_first unroll:4"
    straight, large = "offset:0 block:512", "n:16777216|67108864"
    limit = "n:536870912"
    yield (
        "it saves a [tenth]",
        [value / 100 for value in d.less(book, plain, at=f"{straight} {large}")],
    )
    yield (
        "rises from [about 70] to [about 81] %",
        d.of(f"{plain} {straight} {large}", "achieved_occupancy"),
        d.of(f"{book} {straight} {large}", "achieved_occupancy"),
    )
    yield (
        "elements: [72] to [83] %)",
        d.of(f"{plain} {straight} n:1048576", "achieved_occupancy"),
        d.of(f"{book} {straight} n:1048576", "achieved_occupancy"),
    )
    yield (
        "what 16-byte accesses reach, [within 1] %",
        [
            abs(value)
            for value in d.more(
                first, "read_offset_wide", "memcpy_ratio", f"offset:0 block:512 {limit}"
            )
        ],
    )
    streaming = "read_offset_wide_streaming offset:0"
    yield "cost [9] % here", d.more(streaming, "read_offset_wide offset:0", at=limit)
    yield (
        "moves [about 8] % fewer bytes",
        d.less(streaming, "read_offset_wide offset:0", "memcpy_ratio", limit),
    )
    yield (
        "floats gain [2] % in blocks of 256 ([1.02] of cudaMemcpy) and lose [3] % in blocks of 1024",
        [100 * value - 100 for value in d.of("copy_wide_evict_last block:256", "memcpy_ratio")]
        + [100 * value - 100 for value in d.of("scale_wide_evict_last block:256", "memcpy_ratio")],
        d.of("copy_wide_evict_last block:256", "memcpy_ratio")
        + d.of("scale_wide_evict_last block:256", "memcpy_ratio"),
        [100 - 100 * value for value in d.of("copy_wide_evict_last block:1024", "memcpy_ratio")]
        + [100 - 100 * value for value in d.of("scale_wide_evict_last block:1024", "memcpy_ratio")],
    )
    yield (
        "in blocks of 512, they have [1.00]",
        d.of("copy_wide block:512", "memcpy_ratio") + d.of("scale_wide block:512", "memcpy_ratio"),
    )
    orin = {
        row["name"].split("/")[0]: float(row["value"])
        for row in table("published/08_block_size.csv")
        if row["device"] == "jetson-orin"
        and "/offset:0/block:512/" in row["name"]
        and "unroll:2" not in row["name"]
    }
    yield (
        "with 2^22 has [33] % slower",
        [100 * (orin["read_offset_unrolled"] / orin["read_offset"] - 1)],
    )
    yield from _room_in_the_l2(d)
    read, write = (d.of(f"{kernel}_wide", "memcpy_ratio")[0] for kernel in ("read", "write"))
    apart = 3 / (2 / read + 1 / write)
    yield (
        "What is left is [2] %: reading and writing apart, each at its own ceiling, would have [1.063] of",
        [
            100 * (apart / value - 1)
            for value in d.of("read_offset_bulk l2_set_aside:30", "memcpy_ratio")
        ],
        [apart],
    )
    yield (
        "of four elements first it loses [less than 1] %",
        d.more(f"{first} offset:11", f"{first} offset:0"),
    )
    quarter = "read_offset_quarter"
    yield (
        "[about half] at 2^20 and [about 0.26] at 2^26",
        d.ratio(quarter, plain, at=f"{straight} n:1048576"),
        d.ratio(quarter, plain, at=f"{straight} n:67108864"),
    )
    less = d.less(first, plain, at=f"{straight} {large}")
    yield (
        "save [about a quarter] of the time ([24 and 26] % at 2^24 and 2^26)",
        [value / 100 for value in less],
        less,
    )
    yield (
        "reaches [three quarters] of a",
        d.of(f"{plain} {straight} {limit}", "memcpy_ratio"),
    )
    yield (
        "still loses [about 3] %",
        d.more(f"{book} offset:11", f"{book} offset:0", at=f"block:512 {large}"),
    )
    small = f"{straight} n:1048576"
    yield (
        "takes [half] of its [7] µs",
        d.ratio(quarter, plain, at=small),
        d.of(f"{plain} {small}"),
    )
    rates = [
        d.of(f"{kernel} {straight} n:67108864", "bytes_per_second", 1e-12)
        for kernel in (plain, book, first)
    ]
    yield (
        "At 2^26 elements ([805] MB) plain, book and loads first reach [3.21], [3.57] and [4.32] of the memory's "
        "[4.81] TB/s; at 2^20, "
        "the other end of both ranges, the last two save [1] and [11] %",
        [3 * 4 * 2**26 / 1e6],
        *rates,
        [d.peak / 1e12],
        d.less(book, plain, at=small),
        d.less(first, plain, at=small),
    )
    part = d.ratio(quarter, plain, at=small)
    yield "[about a third] of the time is launch", [(4 * value - 1) / 3 for value in part]
    yield (
        "occupancy falls to [45] %",
        d.of(f"read_offset_unrolled unroll:8 {small}", "achieved_occupancy"),
    )
    yield "still help by a [tenth]", [value / 100 for value in d.less(first, plain, at=small)]
    same = [
        max(d.of(f"{kernel} offset:11 block:1024 {limit}", "memcpy_ratio"))
        for kernel in ("read_offset_shuffled", "read_offset_overlapping", first)
    ]
    yield "equally fast [within 0.5] %", [100 * (max(same) / min(same) - 1)]
    yield (
        "shuffled loads at [97] %, the scalar ones at [80] %",
        d.of("read_offset_shuffled", "load_efficiency"),
        d.of(f"{first} offset:11", "load_efficiency"),
    )
    yield "are at [61] % and", d.of("read_offset_overlapping", "load_efficiency")
    yield (
        "paced kernel moves [1.033] of the copy",
        d.of("read_offset_wide_paced block:1024", "memcpy_ratio"),
    )
    yield "accesses move [1.028]", d.of("read_offset_wide block:1024", "memcpy_ratio")
    eight = "read_offset_loads_first unroll:8 offset:11 block:512 n:67108864"
    most = 127 / 128 / 5
    yield (
        "by [about 1] % at",
        [100 * (1 - value / most) for value in d.per(eight, "l1_hit_sectors", "load_sectors")],
    )
    hopper = d.on("emulated-hopper")
    yield (
        "L1 hits [within 0.01] %",
        [
            100
            * abs((d.value(name, "l1_hit_sectors") or 0) - counted)
            / (d.value(name, "load_sectors") or 1)
            for name in hopper.names("* n:1048576")
            if (counted := hopper.value(name, "l1_hit_sectors")) is not None
            and d.value(name, "l1_hit_sectors") is not None
        ],
    )
    fermi = d.on("emulated-fermi")
    yield "its efficiency is [50] %", fermi.of("read_offset_overlapping", "load_efficiency")
    yield "shuffled ones have [68.7] %", fermi.of("read_offset_shuffled", "load_efficiency")
    yield (
        "the gain, about a [tenth], comes",
        [value / 100 for value in d.less(book, plain, at=f"{straight} {large}")],
    )
    fixed = [(4 * value - 1) / 3 for value in part]
    yield "blocks, and a [third] of the time is start", fixed
    yield "[about a third] of the time is start", fixed
    yield "where a [third] of the time is start", fixed
    yield (
        "offset 11 costs [about 3] %, which",
        d.more(f"{book} offset:11", f"{book} offset:0", at=f"block:512 {large}"),
    )
    yield "[1.028]: just below", d.of("read_offset_wide block:1024", "memcpy_ratio")
    yield (
        "costs [nearly a tenth]",
        [value / 100 for value in d.more(streaming, "read_offset_wide offset:0", at=limit)],
    )


def _trials() -> Iterator[Fact]:
    def best(board: str, threads: str, cluster: str) -> float:
        return max(
            float(row["memcpy_ratio"])
            for row in table("residency_trials.csv")
            if (row["board"], row["problem"], row["l2_set_aside"]) == (board, "a + b", "30")
            and row["kernel"] == "bulk copies, reads evict_last, writes evict_first"
            and (row["threads"], row["cluster"], row["block_bytes"]) == (threads, cluster, "56192")
        )

    boards = ("086c9fdc", "84c5fe3b")
    yield (
        "threads gain [0.2 to 0.3] %, clusters of two [0.1 to 0.2] %",
        [100 * (best(board, "480", "1") / best(board, "512", "1") - 1) for board in boards],
        [100 * (best(board, "512", "2") / best(board, "512", "1") - 1) for board in boards],
    )
    in_turns = [
        float(row["memcpy_ratio"])
        for row in table("residency_trials.csv")
        if row["problem"] == "copy" and "ring" not in row["kernel"]
    ]
    yield "have [0.96] of the driver's", [max(in_turns)]


def _room_in_the_l2(d: Data) -> Iterator[Fact]:
    """What a copy takes with a part of the L2 set aside, and what it moves then."""
    copy, whole = "copy_wide block:512", "l2_set_aside:100"
    times = {
        kernel: d.ratio(f"{kernel} {whole}", copy)
        for kernel in ("copy_wide", "copy_keep_writes", "copy_keep_reads")
    }
    yield (
        "does not notice [30] % of that",
        [30 * value for value in d.ratio("copy_wide l2_set_aside:30", copy)],
    )
    yield "the copy takes [3.2] times as long. Yet", times["copy_wide"]
    yield "takes [3.2] times as long where most", times["copy_wide"]
    moved = ("dram_read_bytes", "dram_write_bytes", "l2_read_sectors", "l2_write_sectors")
    yield (
        "same sectors, each [within 1] %",
        [abs(value) for name in moved for value in d.more(f"copy_wide {whole}", copy, name)],
    )
    yield (
        "the copy takes [1.22] times as long, when the read lines do, [2.51] times",
        times["copy_keep_writes"],
        times["copy_keep_reads"],
    )
    bulk = "read_offset_bulk offset:0 block:512"
    yield (
        "has [1.04] of the copy, [1.03] without that part, as 16-byte accesses",
        d.of(f"{bulk} l2_set_aside:30", "memcpy_ratio"),
        [*d.of(bulk, "memcpy_ratio"), max(d.of("read_offset_wide_evict_last", "memcpy_ratio"))],
    )
    boards = {
        row["name"].split("/")[1]: float(row["median"])
        for row in table("limits_by_board.csv")
        if row["name"].startswith("read_offset_bulk/") and row["board"] == "054ea111"
    }
    yield (
        "another board had [1.05] and [1.04]",
        [boards["l2_set_aside:30"]],
        [boards["offset:0"]],
    )
    yield from _trials()
    yield "sets aside up to [39] MB of [63]", [39.3216], [62.91456]
