"""Chapter 08: block sizes."""

import itertools
from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import Data, rank_correlation, table

CITED = ("twice as many as with 512", "8 blocks are 32 of 48 warps")
GIVEN = (
    "8.6 and 8.7",
    "blocks of 64 and 128",
    "(16 blocks, 32 warps)",
    "24 blocks and 48 warps: 768 threads fill it",
    "fill it, and 1024 fill",
    "128, 256, 512 and 1024 are alike, and 64 are slower",
    "fastest with 64 and 128",
    "above 40 %",
    "had expected a quarter",
    "requested twice",
    "At 1.98 GHz",
    "With one element per thread 256 is best",
    "the time of 128. With four, as in the book, 64 and 128 are best: 256 takes",
    "the time of 128 and {",
    "that of 512.**",
    "the time of 512 and",
    "at 2^26 elements, 256 = 1",
    "(128 and 768)",
    *(f"× ({threads})" for threads in (32, 64, 128, 512, 768, 1024)),
)


def facts(d: Data) -> Iterator[Fact]:
    large = "offset:0 n:67108864"
    names = d.names(f"read_offset* {large}")
    rates, achieved, theoretical = (
        [d.value(name, metric) or 0 for name in names]
        for metric in ("bytes_per_second", "achieved_occupancy", "theoretical_occupancy")
    )
    together = rank_correlation(achieved, rates)
    yield "orders the bandwidths (rank correlation [above 0.99])", [together]
    yield "of neighbours: a rank correlation [above 0.99]", [together]
    yield "the [22] rows of 2^26", [len(names)]
    ordered = [rate for _, rate in sorted(zip(achieved, rates, strict=True))]
    yield "but for [three] pairs", [sum(a > b for a, b in itertools.pairwise(ordered))]
    yield "against [0.8] for", [rank_correlation(theoretical, rates)]
    gpus = table("architectures.csv")
    few = [row for row in gpus if row["compute_capability"] in ("8.6", "8.7")]
    yield (
        "(RTX 30, Jetson Orin: [16] blocks, [48] warps)",
        *(
            [float(row[limit]) for row in few]
            for limit in ("max_blocks_per_sm", "max_warps_per_sm")
        ),
    )
    yield (
        "From Maxwell on, [64] do",
        [
            32 * float(row["max_warps_per_sm"]) / float(row["max_blocks_per_sm"])
            for row in gpus
            if row not in few and float(row["compute_capability"]) >= 5
        ],
    )
    yield (
        "and 1024 fill [66.7] %",
        d.on("emulated-ada").of("read_offset block:1024 offset:0", "theoretical_occupancy"),
    )
    starts = [
        2**26 / int(size) / metric / 1e3
        for size in (32, 64, 128)
        for metric in d.of(f"read_offset block:{size} {large} shared_kb:none")
    ]
    yield "[about 1.65] per nanosecond", starts
    yield (
        "moves [1.5] KB, and [1.64] of them per nanosecond are [2.5] TB/s",
        [128 * 12 / 1e3],
        starts[-1:],
        [
            metric / 1e12
            for metric in d.of(f"read_offset block:128 {large} shared_kb:none", "bytes_per_second")
        ],
    )
    book = "read_offset_unrolled shared_kb:none"
    yield (
        "is [about 92] % with 64 threads and [78] % with 1024 threads, whose bandwidth is [9] % lower",
        d.of(f"{book} block:64 {large}", "achieved_occupancy"),
        d.of(f"{book} block:1024 {large}", "achieved_occupancy"),
        d.less(f"{book} block:1024", f"{book} block:64", "bytes_per_second", large),
    )
    plain = "read_offset shared_kb:none"
    doubled = [
        ratio
        for n in (2**24, 2**26)
        for more, fewer in ((64, 32), (128, 64))
        for ratio in d.ratio(
            f"{plain} block:{more}", f"{plain} block:{fewer}", "bytes_per_second", f"offset:0 n:{n}"
        )
    ]
    yield (
        "bandwidth [doubles] from each size to the next at 2^24 and 2^26 elements ([1.96 to 2.00] times)",
        doubled,
        doubled,
    )
    yield "that is [0.8] of a block per clock", [metric / 1.98 for metric in starts]
    yield "or one every [159] clocks", [132 * 1.98 / metric for metric in starts[-1:]]
    above = list(_faster_at_equal_occupancy(d, large))
    yield (
        "bandwidth [within a tenth] above 40 %, [within a quarter] below",
        [share for occupancy, share in above if occupancy > 40],
        [share for occupancy, share in above if occupancy <= 40],
    )
    held = "shared_kb:48"
    yield (
        "Held to [25] % by shared memory",
        d.of(f"read_offset* block:128 {large} {held}", "theoretical_occupancy"),
    )
    yield (
        "lose [more than half] of theirs",
        [
            1 - metric
            for kernel in ("read_offset", "read_offset_unrolled")
            for metric in d.ratio(
                f"{kernel} {held}",
                f"{kernel} shared_kb:none",
                "bytes_per_second",
                f"block:128 {large}",
            )
        ],
    )
    most = d.on("emulated-hopper").of(
        "read_offset_unrolled offset:11 block:32|64|128|256", "l2_read_sectors_most"
    )
    yield "of [more than 260,000]", most
    sizes = "offset:0|11 n:16777216|67108864"
    yield (
        "which makes [3 to 4] %, just",
        d.less(f"{book} block:256", f"{book} block:512", at=sizes),
    )

    def over_256(kernel: str, *blocks: int) -> list[float]:
        pairs = (
            d.ratio(f"{kernel} block:{block}", f"{kernel} block:256", at=large) for block in blocks
        )
        return [ratio for ratios in pairs for ratio in ratios]

    yield (
        "with one element per thread [1.07]× (512 threads), [1.17]× (1024), [1.36]× (128 and 768), [2.7]× (64), "
        "[5.4]× (32)",
        *(over_256(plain, *blocks) for blocks in ((512,), (1024,), (128, 768), (64,), (32,))),
    )
    yield (
        "with four [0.98]× (64), [0.99]× (128), [1.04]× (512), [1.08]× (1024), [1.19]× (768), [1.48]× (32)",
        *(over_256(book, block) for block in (64, 128, 512, 1024, 768, 32)),
    )


def _faster_at_equal_occupancy(d: Data, at: str) -> Iterator[tuple[float, float]]:
    """By how much the unrolled kernel has more bandwidth than the plain one, at each of its occupancies."""
    plain, unrolled = (
        sorted(
            (d.value(name, "achieved_occupancy") or 0, d.value(name, "bytes_per_second") or 0)
            for name in d.names(f"{kernel} {at}")
        )
        for kernel in ("read_offset", "read_offset_unrolled")
    )
    for occupancy, rate in unrolled:
        for (low, slow), (high, fast) in itertools.pairwise(plain):
            if low <= occupancy <= high:
                between = slow + (fast - slow) * (occupancy - low) / (high - low)
                yield occupancy, abs(rate / between - 1)
