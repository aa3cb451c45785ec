"""Charts of chapters 06 to 08: how data are laid out and how many threads read them."""

from notebook.charts.curves import collect, draw, ratios
from notebook.charts.evidence import LARGEST, Device, Facts, number, parameter
from notebook.charts.look import BLUE, CLAIMED, GREY, ORANGE, PLAIN, Evidence, key
from notebook.charts.marks import CENTER, Chart, Panel
from notebook.charts.reads import NO_COUNTS
from notebook.charts.words import percent, slower, times

_RECORDS = (2, 3, 4, 8, 12, 16)


def aos_soa(facts: Facts) -> Chart:
    """Time of an array of structures over that of a structure of arrays, by the size of a record."""
    ticks = [(float(place), f"{size} bytes") for place, size in enumerate(_RECORDS)]
    heading = "time with an array of structures, structure of arrays = 1: {}"
    one = Panel((-0.4, 5.4), (0, 8.5), heading=heading.format("one field read"), height=180)
    every = Panel((-0.4, 5.4), (0, 2.6), heading=heading.format("all fields read"), height=120)
    fetched = Panel(
        (-0.4, 5.4), (0, 108), heading="one field read: bytes used of those fetched, %", height=150
    )
    shown: set[Evidence] = set()
    for panel, fields in ((one, "one_field"), (every, "all_fields")):
        panel.ticks_x(ticks)
        for device in (*facts.measured, *facts.published):
            at = {"n": LARGEST, "cache": "cold"}
            pairs = [
                (
                    float(place),
                    *(
                        device.row(f"{order}_{fields}", record=size, **at)
                        for order in ("aos", "soa")
                    ),
                )
                for place, size in enumerate(_RECORDS)
            ]
            shown |= ratios(panel, device, pairs)
        predicted = collect(
            facts.emulated,
            lambda each, fields=fields: [
                (
                    float(place),
                    each.ratio(
                        *(each.row(f"{order}_{fields}", record=size) for order in ("aos", "soa"))
                    ),
                )
                for place, size in enumerate(_RECORDS)
            ],
        )
        shown |= draw(panel, predicted, predicted=True)
        panel.reference(1, "the same time")
    if not shown:
        one.nothing()
        every.nothing()
    one.reference(2, "the book: 2x", CLAIMED)
    fetched.ticks_x(ticks)
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (
                float(place),
                each.value(
                    each.row("aos_one_field", record=size, n=2**20, cache="cold"), "load_efficiency"
                ),
            )
            for place, size in enumerate(_RECORDS)
        ],
    )
    shown |= draw(fetched, counted)
    if not counted:
        fetched.nothing(NO_COUNTS.format("06"))
    return Chart(_aos_soa_title(facts), [one, every, fetched], key(shown))


def _aos_soa_title(facts: Facts) -> str:
    gpu = facts.gpu
    if gpu is None:
        return ""
    at = {"record": 16, "n": LARGEST, "cache": "cold"}
    one, every = (
        gpu.ratio(gpu.row(f"aos_{fields}", **at), gpu.row(f"soa_{fields}", **at))
        for fields in ("one_field", "all_fields")
    )
    if one is None or every is None:
        return ""
    return (
        f"One field of a 16-byte record: an array of structures takes {times(one)} the time on the {gpu.name}; "
        f"with all fields it is {slower(every)}"
    )


_UNROLLS = (2, 4, 8)
_LIMIT = [
    ("read_offset", {"offset": 0}, "plain"),
    ("read_offset_loads_first", {"offset": 0, "unroll": 4}, "4 loads first"),
    ("read_offset_wide", {"offset": 0}, "16-byte loads"),
    ("read_offset", {"offset": 11}, "plain, offset 11"),
    ("read_offset_loads_first", {"offset": 11, "unroll": 4}, "4 loads first, offset 11"),
    ("read_offset_shuffled", {"offset": 11}, "16-byte loads, shuffled, offset 11"),
]


def unroll4(facts: Facts) -> Chart:
    """Time against unrolling; the bandwidth of the steps to the limit."""
    time = Panel(
        (0.6, 4.6), (0, 1.2), heading="time at offset 0, one element a thread = 1", height=210
    )
    names_of = ["1 element a thread", "2", "4", "8"]
    time.ticks_x((place + 1.0, name) for place, name in enumerate(names_of))
    shown: set[Evidence] = set()
    for gpu in facts.measured:
        at = {"offset": 0, "block": 512, "n": 2**26}
        plain = gpu.row("read_offset", **at)
        for kernel, label, look in (
            ("read_offset_unrolled", "unrolled as printed", gpu.style),
            ("read_offset_loads_first", "loads first", BLUE),
        ):
            pairs = [(1.0, plain, plain)]
            pairs += [
                (place, gpu.row(kernel, unroll=unroll, **at), plain)
                for place, unroll in enumerate(_UNROLLS, start=2)
            ]
            shown |= ratios(time, gpu, pairs, style=look, label=f"{gpu.name}, {label}")
        quarter = gpu.row("read_offset_quarter", **at)
        shown |= ratios(
            time, gpu, [(3.0, quarter, plain)], style=ORANGE, label="a quarter of the work"
        )
    for device in facts.published:
        plain = device.row("read_offset", offset=0, block=512)
        pairs = [
            (
                place + 0.08,
                device.row("read_offset_unrolled", unroll=unroll, offset=0, block=512),
                plain,
            )
            for place, unroll in enumerate(_UNROLLS, start=2)
        ]
        shown |= ratios(time, device, pairs, joined=False)
    predicted = collect(
        facts.emulated,
        lambda each: [
            (
                float(place),
                each.ratio(
                    each.row("read_offset_unrolled", unroll=unroll, offset=0, block=512),
                    each.row("read_offset", offset=0, block=512),
                ),
            )
            for place, unroll in enumerate(_UNROLLS, start=2)
        ],
    )
    shown |= draw(time, predicted, predicted=True)
    if not shown:
        time.nothing()
    time.reference(0.32, "printed: 0.32", CLAIMED)
    return Chart(_unroll4_title(facts), [time, _limit_panel(facts)], key(shown))


def _limit_panel(facts: Facts) -> Panel:
    panel = Panel(
        (0, 1.15),
        (0.4, 6.6),
        heading="bandwidth of c = a + b, cudaMemcpy beside it = 1",
        height=190,
    )
    panel.ticks_y((6.0 - place, label) for place, (_, _, label) in enumerate(_LIMIT))
    gpu = facts.gpu
    if gpu is None:
        panel.nothing()
        return panel
    for place, (kernel, case, _) in enumerate(_LIMIT):
        row = gpu.row(kernel, block=1024, n=2**29, **case)
        value = gpu.value(row, "memcpy_ratio")
        if value is not None:
            middle = 6.0 - place
            look = GREY if kernel == "read_offset" else BLUE
            panel.boxes([(0, value, middle - 0.36, middle + 0.36)], look)
            panel.text(value + 0.01, middle, f"{value:.2f}")
    panel.line([(1, 0.4), (1, 6.6)], CLAIMED, "thin")
    return panel


def _unroll4_title(facts: Facts) -> str:
    gpu = facts.gpu
    if gpu is None:
        return ""
    at = {"offset": 0, "block": 512, "n": 2**26}
    plain = gpu.row("read_offset", **at)
    printed = gpu.ratio(gpu.row("read_offset_unrolled", unroll=4, **at), plain)
    best = gpu.ratio(gpu.row("read_offset_loads_first", unroll=4, **at), plain)
    quarter = gpu.ratio(gpu.row("read_offset_quarter", **at), plain)
    if printed is None or best is None or quarter is None:
        return ""
    return (
        f"Unrolling by 4 is {slower(printed)} on the {gpu.name}, with the loads first {slower(best)}; "
        f"a quarter of the work takes {quarter:.2f} of the time (printed for all of it: 0.32)"
    )


_SERIES = [
    ("read_offset", {"offset": 0}, "1 element a thread", PLAIN),
    ("read_offset_unrolled", {"offset": 0}, "4 elements a thread", BLUE),
]


def block_size(facts: Facts) -> Chart:
    """Bandwidth against the occupancy that was achieved, and against the size of a block."""
    gpu = facts.gpu
    size = Panel(
        (26, 1250),
        (0, 105),
        log_x=True,
        heading="bandwidth against the block, % of memcpy",
        height=170,
    )
    size.ticks_x((float(threads), str(threads)) for threads in (32, 64, 128, 256, 512, 768, 1024))
    warps = Panel(
        (0, 104),
        (0, 115),
        heading="bandwidth against the achieved occupancy, % of memcpy",
        height=210,
    )
    limit = Panel((26, 1250), (0, 108), log_x=True, heading="theoretical occupancy, %", height=150)
    limit.ticks_x((float(threads), str(threads)) for threads in (32, 64, 128, 256, 512, 768, 1024))
    shown: set[Evidence] = set()
    for kernel, case, label, look in _SERIES if gpu else ():
        shown.add(Evidence.MEASURED)
        rows = [
            row for row in gpu.rows(kernel, n=LARGEST, **case) if not parameter(row, "shared_kb")
        ]
        shares = gpu.of_memcpy(rows)
        points = [(row, 100 * share[0]) for row, share in zip(rows, shares, strict=True) if share]
        for panel, at in ((size, "block"), (warps, "achieved_occupancy")):
            placed = [
                (number(row, "block") if at == "block" else gpu.value(row, at), y, row)
                for row, y in points
            ]
            known = [(x, y, row) for x, y, row in placed if x is not None]
            panel.points([(x, y) for x, y, _ in known], look)
            if at == "block":
                panel.line([(x, y) for x, y, _ in known], look)
            elif known:
                above = look is BLUE
                for x, y, row in _apart(known):
                    panel.text(x, y + (9 if above else -10), parameter(row, "block"), CENTER, look)
            if known:
                panel.label(known[-1][1] if at == "block" else known[0][1], label, look)
    if not shown:
        size.nothing()
        warps.nothing()
    counted = collect(
        facts.emulated,
        lambda each: [
            (number(row, "block"), each.value(row, "theoretical_occupancy"))
            for row in each.rows("read_offset", offset=0)
            if not parameter(row, "shared_kb")
        ],
    )
    shown |= draw(limit, counted)
    if not counted:
        limit.nothing(NO_COUNTS.format("08"))
    return Chart(_block_size_title(gpu), [size, warps, limit], key(shown))


def _apart(places: list[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Those that leave room for a text between them."""
    kept: list[tuple[float, float, str]] = []
    for place in sorted(places):
        if not kept or place[0] - kept[-1][0] >= 4.5:
            kept.append(place)
    return kept


def _block_size_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    rows = [row for row in gpu.rows("read_offset_unrolled", n=LARGEST, offset=0)]
    rows += gpu.rows("read_offset", n=LARGEST, offset=0)
    rows = [row for row in rows if not parameter(row, "shared_kb")]
    shares = [
        (share[0], row) for row, share in zip(rows, gpu.of_memcpy(rows), strict=True) if share
    ]
    warps = [gpu.value(row, "achieved_occupancy") for _, row in shares]
    if len(shares) < 3 or None in warps:
        return ""
    from scipy import stats  # type: ignore[import-untyped]  # takes half a second

    together = float(stats.spearmanr([share for share, _ in shares], warps).statistic)
    if together < 0.8:
        return ""
    best, row = max(shares)
    unrolled = "four elements" if "unrolled" in row else "one element"
    return (
        f"On the {gpu.name} bandwidth follows the achieved occupancy (rank correlation {together:.2f}); "
        f"best are {parameter(row, 'block')} threads of {unrolled}: {percent(best)} of memcpy"
    )
