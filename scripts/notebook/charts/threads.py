"""Charts of chapters 06 to 08: how data are laid out and how many threads read them."""

import math
from collections.abc import Iterator

from notebook.charts.bars import ladder
from notebook.charts.curves import Place, counts, printed, ratios, times
from notebook.charts.evidence import LARGEST, SET_ASIDE, Device, Facts, complete, number, parameter
from notebook.charts.look import BLUE, CLAIMED, GREY, ORANGE, PLAIN, Evidence, Style, key
from notebook.charts.marks import CENTER, THIN, Chart, Panel
from notebook.charts.words import percent, slower
from notebook.charts.words import times as x_times

Points = list[tuple[float, float | None]]

# The bytes of a record by its fields, of 1 byte and of 4.
_RECORDS = {2: "2 x 1", 3: "3 x 1", 4: "4 x 1", 8: "2 x 4", 12: "3 x 4", 16: "4 x 4"}
# Between the records with fields of 1 byte and those with fields of 4.
_OTHER_FIELDS = 2.5


def aos_soa(facts: Facts) -> Chart:
    """Time of an array of structures over that of a structure of arrays, by the size of a record."""
    ticks = [
        (float(place), f"{size} = {fields}")
        for place, (size, fields) in enumerate(_RECORDS.items())
    ]
    heading = "time with an array of structures, structure of arrays = 1: {}"
    one = Panel((-0.4, 5.4), (0, 2.6), heading=heading.format("one field read"), height=180)
    every = Panel((-0.4, 5.4), (0, 2), heading=heading.format("all fields read"), height=120)
    heading = "one field read: bytes used of those fetched, %"
    fetched = Panel((-0.4, 5.4), (0, 108), heading=heading, height=150)
    for panel in (one, every, fetched):
        panel.ticks_x(ticks)
        panel.breaks = (_OTHER_FIELDS,)

    def efficiency(device: Device) -> Points:
        at = {"n": 2**20, "cache": "cold"}
        rows = [device.row("aos_one_field", record=size, **at) for size in _RECORDS]
        return [(float(x), device.value(row, "load_efficiency")) for x, row in enumerate(rows)]

    shown = times(one, facts, lambda device: _layouts(device, "one_field"))
    shown |= times(every, facts, lambda device: _layouts(device, "all_fields"))
    one.reference(1)
    every.reference(1)
    printed(one, facts, "one_field_costs_half_the_bandwidth", "book: {}x")
    shown |= counts(fetched, "06", facts.counted, efficiency)
    return Chart(_aos_soa_title(facts.gpu), [one, every, fetched], key(shown))


def _layouts(device: Device, fields: str) -> list[Place]:
    return [(float(place), *_layout(device, fields, size)) for place, size in enumerate(_RECORDS)]


def _layout(device: Device, fields: str, size: int) -> tuple[str | None, str | None]:
    at: dict[str, object] = {"record": size, "n": LARGEST, "cache": "cold"}
    return device.row(f"aos_{fields}", **at), device.row(f"soa_{fields}", **at)


def _aos_soa_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    one = gpu.ratio(*_layout(gpu, "one_field", 16))
    every = gpu.ratio(*_layout(gpu, "all_fields", 16))
    if one is None or every is None:
        return ""
    used = gpu.value(gpu.row("aos_one_field", record=16, n=2**20, cache="cold"), "load_efficiency")
    fetched = f"uses {used:.0f} % of what it fetches and " if used else ""
    return (
        f"One field of a 16-byte record: an array of structures {fetched}takes "
        f"{x_times(one)} the time on the {gpu.name}; read whole{_of_bytes(gpu)} it is {slower(every)}"
    )


def _of_bytes(gpu: Device) -> str:
    """Names fields of single bytes, where one of them is as fast as whole records are."""
    ratio = gpu.ratio(*_layout(gpu, "one_field", 4))
    return ", or with fields of 1 byte," if ratio and slower(ratio) == "as fast" else ""


_UNROLLS = (2, 4, 8)
_LIMIT: list[tuple[str, dict[str, object], str]] = [
    ("read_offset", {"offset": 0}, "plain, blocks of 1024"),
    ("read_offset_loads_first", {"offset": 0, "unroll": 4}, "4 loads first"),
    ("read_offset_wide", {"offset": 0}, "16-byte loads"),
    ("read_offset_wide_evict_last", {"offset": 0}, "16-byte loads, L2 evict_last"),
    ("read_offset_bulk", {"offset": 0, "block": 512}, "bulk copies, L2 evict_last"),
    (
        "read_offset_bulk",
        {"offset": 0, "block": 512, SET_ASIDE: 30},
        "bulk copies, part of L2 set aside",
    ),
    ("read_offset", {"offset": 11}, "plain, offset 11"),
    ("read_offset_loads_first", {"offset": 11, "unroll": 4}, "4 loads first, offset 11"),
    ("read_offset_shuffled", {"offset": 11}, "16-byte, shuffled, offset 11"),
    ("read_offset_overlapping_evict_last", {"offset": 11}, "16-byte, L2 evict_last, offset 11"),
]
_AT: dict[str, object] = {"offset": 0, "block": 512, "cache": "cold", "n": 2**26}
_COUNTED_AT: dict[str, object] = _AT | {"n": 2**20}


_THIRD = "unrolling_by_4_is_3_times_as_fast_at_offset_0"


def unroll4(facts: Facts) -> Chart:
    """Time against unrolling; the bandwidth of the steps to the limit."""
    heading = "time at offset 0, one element a thread = 1 (2^26 floats; predicted: 2^20)"
    time = Panel((0.6, 4.6), (0, 1.2), heading=heading, height=320)
    ticks = ["1 element a thread", "2", "4", "8"]
    time.ticks_x((place + 1.0, name) for place, name in enumerate(ticks))
    shown = times(time, facts, lambda device: _unrolled(device, "read_offset_unrolled"))
    for gpu in facts.measured:
        first = _unrolled(gpu, "read_offset_loads_first")
        shown |= ratios(time, gpu, first, style=BLUE, label=f"{gpu.name}, loads first")
        quarter: Place = (3.0, gpu.row("read_offset_quarter", **_AT), gpu.row("read_offset", **_AT))
        shown |= ratios(time, gpu, [quarter], style=ORANGE, label="a quarter of the work")
    printed(time, facts, _THIRD, "book: {}")
    return Chart(_unroll4_title(facts), [time, _limit_panel(facts.gpu)], key(shown))


def _unrolled(device: Device, kernel: str) -> list[Place]:
    at = _COUNTED_AT if device.result.is_emulated else _AT
    plain = device.row("read_offset", **at)
    rows = [device.row(kernel, unroll=unroll, **at) for unroll in _UNROLLS]
    return [(1.0, plain, plain), *((x + 2.0, row, plain) for x, row in enumerate(rows))]


def _limit_panel(gpu: Device | None) -> Panel:
    steps = [
        (label, _memcpy_ratio(gpu, kernel, case), GREY if kernel == "read_offset" else BLUE)
        for kernel, case, label in _LIMIT
    ]
    panel = ladder(
        steps, f"{_on(gpu)}bandwidth of c = a + b{_of(gpu)}, cudaMemcpy beside it = 1", 1.15, 190, 1
    )
    if gpu:
        panel.line([(1, end) for end in panel.y], CLAIMED, THIN)
    return panel


def _on(gpu: Device | None) -> str:
    return f"{gpu.name}: " if gpu else ""


def _of(gpu: Device | None) -> str:
    """The size of the largest arrays in words."""
    row = gpu.row("read_offset", offset=0, n=LARGEST) if gpu else None
    return f", 2^{math.log2(number(row, 'n')):.0f} floats" if row else ""


def _memcpy_ratio(gpu: Device | None, kernel: str, case: dict[str, object]) -> float | None:
    if gpu is None:
        return None
    return gpu.value(gpu.row(kernel, n=LARGEST, **({"block": 1024} | case)), "memcpy_ratio")


def _unroll4_title(facts: Facts) -> str:
    gpu, third = facts.gpu, facts.claimed.get(_THIRD)
    if gpu is None or third is None:
        return ""
    plain = gpu.row("read_offset", **_AT)
    unrolled = gpu.row("read_offset_unrolled", unroll=4, **_AT)
    loads_first = gpu.row("read_offset_loads_first", unroll=4, **_AT)
    less_work = gpu.row("read_offset_quarter", **_AT)
    slowdowns = complete(gpu.ratio(row, plain) for row in (unrolled, loads_first, less_work))
    steps = complete(_memcpy_ratio(gpu, kernel, case) for kernel, case, _ in _LIMIT)
    if slowdowns is None or steps is None:
        return ""
    as_printed, first, quarter = slowdowns
    return (
        f"Unrolling by 4 takes {as_printed:.2f}x the time on the {gpu.name} (book: {third:g}x), "
        f"{first:.2f}x with the loads first, a quarter of the work {quarter:.2f}x; "
        f"the best reaches {max(steps):.2f}x of cudaMemcpy"
    )


_SERIES = [
    ("read_offset", "1 element a thread", PLAIN),
    ("read_offset_unrolled", "4 elements a thread", BLUE),
]
_BLOCKS = [(float(threads), str(threads)) for threads in (32, 64, 128, 256, 512, 768, 1024)]


def block_size(facts: Facts) -> Chart:
    """Bandwidth against the size of a block and against the occupancy that it achieves."""
    heading = f"{_on(facts.gpu)}bandwidth{_of(facts.gpu)}, against the {{}}, % of memcpy"
    size = Panel((26, 1250), (0, 105), log_x=True, heading=heading.format("block"), height=170)
    rank = _correlation(facts.gpu, "achieved_occupancy") if facts.gpu else None
    heading_of_warps = f"{_on(facts.gpu)}bandwidth against the achieved occupancy, % of memcpy" + (
        f" (rank correlation {rank:.3f})" if rank else ""
    )
    warps = Panel((0, 104), (0, 115), heading=heading_of_warps, height=210)
    limit = Panel((26, 1250), (0, 108), log_x=True, heading="theoretical occupancy, %", height=150)
    size.ticks_x(_BLOCKS)
    limit.ticks_x(_BLOCKS)
    shown: set[Evidence] = set()
    if gpu := facts.gpu:
        shown.add(Evidence.MEASURED)
        for kernel, label, look in _SERIES:
            _draw_series(size, warps, _speeds(gpu, kernel), label, look)
    else:
        size.nothing()
        warps.nothing()

    def theoretical(device: Device) -> Points:
        rows = device.rows("read_offset", offset=0, n=2**20)
        rows = [row for row in rows if not _is_padded(row)]
        return [(number(row, "block"), device.value(row, "theoretical_occupancy")) for row in rows]

    shown |= counts(limit, "08", facts.counted, theoretical)
    return Chart(_block_size_title(gpu), [size, warps, limit], key(shown))


def _is_padded(row: str) -> bool:
    """Whether its blocks take shared memory that they do not use."""
    return bool(parameter(row, "shared_kb"))


def _speeds(gpu: Device, kernel: str) -> list[tuple[str, float, float | None]]:
    """Rows with their share of memcpy and their achieved occupancy."""
    rows = [row for row in gpu.rows(kernel, offset=0, n=LARGEST) if not _is_padded(row)]
    shares = zip(rows, gpu.of_memcpy(rows), strict=True)
    return [(row, share[0], gpu.value(row, "achieved_occupancy")) for row, share in shares if share]


def _draw_series(
    size: Panel,
    warps: Panel,
    speeds: list[tuple[str, float, float | None]],
    label: str,
    look: Style,
) -> None:
    by_block = [(number(row, "block"), 100 * share) for row, share, _ in speeds]
    achieved = [(x, 100 * share, row) for row, share, x in speeds if x is not None]
    size.line(by_block, look)
    size.points(by_block, look)
    warps.points([(x, y) for x, y, _ in achieved], look)
    for (x, y, row), line in _in_two_lines(achieved):
        # What has no room on its own side of the marks stands on the other.
        away = 9 if (look is BLUE) == (line == 0) else -10
        warps.text(x, y + away, parameter(row, "block"), CENTER, look)
    if by_block:
        size.label(by_block[-1][1], label, look)
    if achieved:
        warps.label(max(achieved)[1], label, look)


def _in_two_lines(
    places: list[tuple[float, float, str]],
) -> Iterator[tuple[tuple[float, float, str], int]]:
    """Each place, and whether its text stands in the first line or, where that has no room, in the second."""
    last = -math.inf
    for place in sorted(places):
        is_free = place[0] - last >= 4.5
        last = place[0] if is_free else last
        yield place, 0 if is_free else 1


def _correlation(gpu: Device, occupancy: str) -> float | None:
    """The rank correlation of bandwidth and an occupancy; None where a row lacks either."""
    speeds = [speed for kernel, _, _ in _SERIES for speed in _speeds(gpu, kernel)]
    values = complete(gpu.value(row, occupancy) for row, _, _ in speeds)
    if values is None or len(speeds) < 3:
        return None
    from scipy import stats  # type: ignore[import-untyped]  # takes half a second

    return float(stats.spearmanr([share for _, share, _ in speeds], values).statistic)


def _block_size_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    achieved, theoretical = (
        _correlation(gpu, f"{kind}_occupancy") for kind in ("achieved", "theoretical")
    )
    if achieved is None or achieved < 0.8:
        return ""
    is_other = theoretical is not None and theoretical < 0.8
    speeds = [speed for kernel, _, _ in _SERIES for speed in _speeds(gpu, kernel)]
    best, row = max((share, row) for row, share, _ in speeds)
    work = "four elements" if "unrolled" in row else "one element"
    return (
        f"On the {gpu.name} bandwidth follows the achieved occupancy (rank correlation above "
        f"{math.floor(100 * achieved) / 100:.2f}){', not the theoretical one' if is_other else ''}; best are "
        f"{parameter(row, 'block')} threads of {work}: {percent(best)} of memcpy"
    )
