"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable

from notebook.pages.queries import Data, Numbers

_PLAIN, _BOOK = "read_offset", "read_offset_unrolled unroll:4"
_FIRST, _QUARTER = "read_offset_loads_first unroll:4", "read_offset_quarter"
_STRAIGHT = "offset:0 block:512"
_SMALL = f"{_STRAIGHT} n:1048576"
_LARGE = "n:16777216|67108864"
_LARGEST = f"{_STRAIGHT} n:67108864"
_LIMIT = "n:536870912"
_STREAMING = "read_offset_wide_streaming offset:0"
_COPY = "copy_wide block:512"
_BULK = f"read_offset_bulk {_STRAIGHT}"


def _rate(kernel: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"{kernel} {_LARGEST}", "bytes_per_second", 1e-12)


def _saved(kernel: str, at: str) -> Callable[[Data], list[float]]:
    return lambda d: d.less(kernel, _PLAIN, at=at)


def _occupancy(kernel: str, sizes: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(f"{kernel} {_STRAIGHT} {sizes}", "achieved_occupancy")


def _of_memcpy(*specs: str) -> Callable[[Data], list[float]]:
    return lambda d: [share for spec in specs for share in d.of(spec, "memcpy_ratio")]


def _without_room(kernel: str) -> Callable[[Data], list[float]]:
    """Its time while all that can be set aside of the L2 is, over that of the copy with the whole L2."""
    return lambda d: d.ratio(f"{kernel} l2_set_aside:100", _COPY)


def _moved_without_room(d: Data) -> list[float]:
    """By how much the copy's traffic changes then, in percent."""
    metrics = ("dram_read_bytes", "dram_write_bytes", "l2_read_sectors", "l2_write_sectors")
    return [
        abs(more)
        for metric in metrics
        for more in d.more("copy_wide l2_set_aside:100", _COPY, metric)
    ]


def _other_board(name: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        float(row["median"])
        for row in d.table("limits_by_board.csv")
        if row["name"].startswith("read_offset_bulk/")
        and (row["board"], row["name"].split("/")[1]) == ("054ea111", name)
    ]


def _trial(d: Data, board: str, threads: str, cluster: str) -> float:
    """The best share of memcpy of the fastest addition in trials."""
    return max(
        float(row["memcpy_ratio"])
        for row in d.table("residency_trials.csv")
        if (row["board"], row["problem"], row["l2_set_aside"]) == (board, "a + b", "30")
        and row["kernel"] == "bulk copies, reads evict_last, writes evict_first"
        and (row["threads"], row["cluster"], row["block_bytes"]) == (threads, cluster, "56192")
    )


def _gained(threads: str, cluster: str) -> Callable[[Data], list[float]]:
    """Percent that trials of a shape gain over blocks of 512 without clusters, on two boards."""
    return lambda d: [
        100 * (_trial(d, board, threads, cluster) / _trial(d, board, "512", "1") - 1)
        for board in ("086c9fdc", "84c5fe3b")
    ]


def _best_in_turns(d: Data) -> list[float]:
    shares = [
        float(row["memcpy_ratio"])
        for row in d.table("residency_trials.csv")
        if row["problem"] == "copy" and "ring" not in row["kernel"]
    ]
    return [max(shares)]


def _ceiling(d: Data) -> list[float]:
    """An addition whose reads and writes are as fast as reads and writes alone, over memcpy."""
    ((read,), (write,)) = (d.of(f"{kernel}_wide", "memcpy_ratio") for kernel in ("read", "write"))
    return [3 / (2 / read + 1 / write)]


def _left(d: Data) -> list[float]:
    """Percent that the fastest addition lacks to that."""
    best = d.of("read_offset_bulk l2_set_aside:30", "memcpy_ratio")
    return [100 * (_ceiling(d)[0] / share - 1) for share in best]


def _same_at_11(d: Data) -> list[float]:
    """How far three kernels at offset 11 are apart, in percent."""
    shares = [
        max(d.of(f"{kernel} offset:11 block:1024 {_LIMIT}", "memcpy_ratio"))
        for kernel in ("read_offset_shuffled", "read_offset_overlapping", _FIRST)
    ]
    return [100 * (max(shares) / min(shares) - 1)]


def _fixed(d: Data) -> list[float]:
    """The part of the time that does not depend on the work, by a quarter of it, in percent."""
    return [100 * (4 * part - 1) / 3 for part in d.ratio(_QUARTER, _PLAIN, at=_SMALL)]


def _lost_hits(d: Data) -> list[float]:
    """Percent of its possible L1 hits that an unrolling by 8 at offset 11 lacks."""
    eight = "read_offset_loads_first unroll:8 offset:11 block:512 n:67108864"
    most = 127 / 128 / 5
    return [100 * (1 - hits / most) for hits in d.per(eight, "l1_hit_sectors", "load_sectors")]


def _wrong_hits(d: Data) -> list[float]:
    """How far counted L1 hits are from measured ones, in percent of the load sectors."""
    hopper = d.on("emulated-hopper")
    hits = (
        (d.value(name, "l1_hit_sectors"), hopper.value(name, "l1_hit_sectors"), name)
        for name in hopper.names("* n:1048576")
    )
    return [
        100 * abs(measured - counted) / (d.value(name, "load_sectors") or 1)
        for measured, counted, name in hits
        if measured is not None and counted is not None
    ]


def _slower_on_orin(d: Data) -> list[float]:
    """By how much unrolling by four is slower with 2^22 elements on a Jetson Orin, in percent."""
    orin = d.of_chapter("08").on("published:jetson-orin")
    return orin.more(_BOOK, _PLAIN, at=f"{_STRAIGHT} n:4194304")


def _efficiency(spec: str, device: str = "nvidia-h200") -> Callable[[Data], list[float]]:
    return lambda d: d.on(device).of(spec, "load_efficiency")


NUMBERS: Numbers = {
    "rate_plain": _rate(_PLAIN),
    "rate_book": _rate(_BOOK),
    "rate_first": _rate(_FIRST),
    "peak": lambda d: [d.peak / 1e12],
    "book_saves": _saved(_BOOK, f"{_STRAIGHT} {_LARGE}"),
    "book_saves_small": _saved(_BOOK, _SMALL),
    "first_saves": _saved(_FIRST, f"{_STRAIGHT} {_LARGE}"),
    "first_saves_small": _saved(_FIRST, _SMALL),
    "occupancy_plain": _occupancy(_PLAIN, _LARGE),
    "occupancy_book": _occupancy(_BOOK, _LARGE),
    "occupancy_plain_small": _occupancy(_PLAIN, "n:1048576"),
    "occupancy_book_small": _occupancy(_BOOK, "n:1048576"),
    "occupancy_eight_small": _occupancy("read_offset_unrolled unroll:8", "n:1048576"),
    "slower_on_orin": _slower_on_orin,
    "width": lambda d: [
        abs(more)
        for more in d.more(_FIRST, "read_offset_wide", "memcpy_ratio", f"{_STRAIGHT} {_LIMIT}")
    ],
    "streaming": lambda d: d.more(_STREAMING, "read_offset_wide offset:0", at=_LIMIT),
    "streaming_beside_copies": lambda d: d.less(
        _STREAMING, "read_offset_wide offset:0", "memcpy_ratio", _LIMIT
    ),
    "of_memcpy_plain": _of_memcpy(f"{_PLAIN} {_STRAIGHT} {_LIMIT}"),
    "of_memcpy_read": _of_memcpy("read_wide"),
    "of_memcpy_write": _of_memcpy("write_wide"),
    "of_memcpy_bulk": _of_memcpy(_BULK),
    "of_memcpy_bulk_aside": _of_memcpy(f"{_BULK} l2_set_aside:30"),
    "of_memcpy_hint": lambda d: [max(d.of("read_offset_wide_evict_last", "memcpy_ratio"))],
    "of_memcpy_hint_256": _of_memcpy(
        "copy_wide_evict_last block:256", "scale_wide_evict_last block:256"
    ),
    "of_memcpy_hint_1024": _of_memcpy(
        "copy_wide_evict_last block:1024", "scale_wide_evict_last block:1024"
    ),
    "of_memcpy_no_hint": _of_memcpy(_COPY, "scale_wide block:512"),
    "of_memcpy_paced": _of_memcpy("read_offset_wide_paced block:1024"),
    "of_memcpy_wide": _of_memcpy("read_offset_wide block:1024"),
    "with_30_percent": lambda d: d.ratio("copy_wide l2_set_aside:30", _COPY),
    "without_room": _without_room("copy_wide"),
    "without_room_for_reads": _without_room("copy_keep_writes"),
    "without_room_for_writes": _without_room("copy_keep_reads"),
    "moved_without_room": _moved_without_room,
    "other_board": _other_board("offset:0"),
    "other_board_aside": _other_board("l2_set_aside:30"),
    "gained_by_480": _gained("480", "1"),
    "gained_by_clusters": _gained("512", "2"),
    "best_in_turns": _best_in_turns,
    "ceiling": _ceiling,
    "left": _left,
    "first_at_11": lambda d: d.more(f"{_FIRST} offset:11", f"{_FIRST} offset:0"),
    "book_at_11": lambda d: d.more(
        f"{_BOOK} offset:11", f"{_BOOK} offset:0", at=f"block:512 {_LARGE}"
    ),
    "quarter_small": lambda d: d.ratio(_QUARTER, _PLAIN, at=_SMALL),
    "quarter_large": lambda d: d.ratio(_QUARTER, _PLAIN, at=_LARGEST),
    "time_small": lambda d: d.of(f"{_PLAIN} {_SMALL}"),
    "fixed": _fixed,
    "same_at_11": _same_at_11,
    "shuffled": _efficiency("read_offset_shuffled"),
    "scalar": _efficiency(f"{_FIRST} offset:11"),
    "overlapping": _efficiency("read_offset_overlapping"),
    "fermi_overlapping": _efficiency("read_offset_overlapping", "emulated-fermi"),
    "fermi_shuffled": _efficiency("read_offset_shuffled", "emulated-fermi"),
    "lost_hits": _lost_hits,
    "wrong_hits": _wrong_hits,
}
