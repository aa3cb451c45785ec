"""Charts of chapters 01 to 05: what the addresses of reads and writes cost."""

from notebook.charts.curves import collect, draw, ratios
from notebook.charts.evidence import LARGEST, Device, Facts, number
from notebook.charts.look import BLUE, CLAIMED, GREY, ORANGE, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import percent, slower, times

# Offsets 64 and 128 stand apart, at the end of the axis.
_OFFSETS = [
    *((float(offset), str(offset)) for offset in range(0, 33, 4)),
    (36.0, "64"),
    (40.0, "128"),
]
_FAR = {64.0: 36.0, 128.0: 40.0}
_COLD = {"block": 512, "cache": "cold"}
NO_COUNTS = "Nothing was counted: scripts/lab run {} --device emulated:hopper does so."


def _offset(name: str) -> float:
    offset = number(name, "offset")
    return _FAR.get(offset, offset)


def access_patterns(facts: Facts) -> Chart:
    """Time and fetched bytes against the stride; fetched bytes of scattered words."""
    time = Panel((0.9, 72), (0, 8), log_x=True, heading="time of a copy, stride 1 = 1", height=180)
    fetched = Panel(
        (0.9, 72), (0, 34), log_x=True, heading="bytes fetched for each byte used", height=180
    )
    scattered = Panel((0.94, 34), (0, 34), log_x=True, heading=fetched.heading, height=180)
    for panel, most in ((time, 64), (fetched, 64), (scattered, 32)):
        panel.ticks_x((2.0**power, str(2**power)) for power in range(most.bit_length()))
    shown: set[Evidence] = set()
    strides = {"l1": "on", "cache": "cold", "n": LARGEST}
    for gpu in facts.measured:
        rows = gpu.rows("copy_strided", **strides)
        first = gpu.row("copy_strided", stride=1, **strides)
        shown |= ratios(time, gpu, [(number(row, "stride"), row, first) for row in rows])
    predicted = collect(
        facts.emulated,
        lambda each: [
            (number(row, "stride"), each.ratio(row, each.row("copy_strided", stride=1, l1="on")))
            for row in each.rows("copy_strided", l1="on")
        ],
    )
    shown |= draw(time, predicted, predicted=True)
    if not shown:
        time.nothing()
    time.y = (0, max([8.0, *(1.05 * y for curve in predicted for _, y in curve.points)]))
    for panel, kernel, name in (
        (fetched, "copy_strided", "stride"),
        (scattered, "copy_scattered", "lines"),
    ):
        counted = collect(
            facts.emulated,
            lambda each, kernel=kernel, name=name: [
                (number(row, name), _times_fetched(each, row))
                for row in each.rows(kernel, l1="on", n=2**20)
            ],
        )
        shown |= draw(panel, counted)
        if not counted:
            panel.nothing(NO_COUNTS.format("01"))
    return Chart(_access_patterns_title(facts), [time, fetched, scattered], key(shown))


def _times_fetched(device: Device, row: str | None) -> float | None:
    efficiency = device.value(row, "load_efficiency")
    return 100 / efficiency if efficiency else None


def _access_patterns_title(facts: Facts) -> str:
    gpu, old, new = facts.gpu, facts.of("fermi"), facts.of("hopper")
    if gpu is None or old is None or new is None:
        return ""
    at = {"l1": "on", "cache": "cold", "n": LARGEST}
    time = gpu.ratio(
        gpu.row("copy_strided", stride=32, **at), gpu.row("copy_strided", stride=1, **at)
    )
    fetched = [
        _times_fetched(each, each.row("copy_strided", stride=32, l1="on")) for each in (new, old)
    ]
    if time is None or None in fetched:
        return ""
    sectors, lines = (times(value) for value in fetched if value is not None)
    return (
        f"Stride 32 fetches {sectors} the bytes in sectors, {lines} in a Fermi's lines; "
        f"the {gpu.name} takes {times(time)} the time"
    )


def misaligned_reads(facts: Facts) -> Chart:
    """Time and used share of the fetched bytes against the offset."""
    time = Panel((-1, 41), (0.9, 2.15), heading="time of a read, aligned = 1", height=180)
    fetched = Panel(
        (-1, 41), (0, 108), heading="load efficiency: bytes used of those fetched, %", height=180
    )
    time.ticks_x(_OFFSETS)
    fetched.ticks_x(_OFFSETS)
    shown = _times_by_offset(time, facts, "read_offset", LARGEST)
    time.reference(2.0, "2 lines for 1 (book)", CLAIMED)
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (_offset(row), each.value(row, "load_efficiency"))
            for row in each.rows("read_offset", n=2**20, **_COLD)
        ],
    )
    shown |= draw(fetched, counted)
    if not counted:
        fetched.nothing(NO_COUNTS.format("02"))
    fetched.reference(49.8, "the book: 49.8 %", CLAIMED)
    return Chart(_misaligned_reads_title(facts), [time, fetched], key(shown))


def _times_by_offset(panel: Panel, facts: Facts, kernel: str, n: object) -> set[Evidence]:
    shown: set[Evidence] = set()
    for device in (*facts.measured, *facts.published):
        rows = device.rows(kernel, n=n, **_COLD)
        shown |= ratios(
            panel,
            device,
            [(_offset(row), row, device.row(kernel, offset=0, n=n, **_COLD)) for row in rows],
        )
    predicted = collect(
        facts.emulated,
        lambda each: [
            (_offset(row), each.ratio(row, each.row(kernel, offset=0, n=LARGEST, **_COLD)))
            for row in each.rows(kernel, n=LARGEST, **_COLD)
        ],
    )
    shown |= draw(panel, predicted, predicted=True)
    if not shown:
        panel.nothing()
    return shown


def _misaligned_reads_title(facts: Facts) -> str:
    gpu, fermi = facts.gpu, facts.of("fermi")
    if gpu is None or fermi is None:
        return ""
    time = _at_11(gpu, "read_offset", LARGEST)
    used = [
        each.value(each.row("read_offset", offset=11, n=2**20, **_COLD), "load_efficiency")
        for each in (facts.emulated[-1], fermi)
    ]
    if time is None or used[0] is None or used[1] is None:
        return ""
    return (
        f"Against an aligned read, one at offset 11 is {slower(time)} on the {gpu.name}; it uses "
        f"{percent(used[0] / 100)} of the bytes that sectors fetch, {percent(used[1] / 100)} of a Fermi's lines"
    )


def _at_11(device: Device, kernel: str, n: object, cache: str = "cold") -> float | None:
    at = {"block": 512, "n": n, "cache": cache}
    return device.ratio(device.row(kernel, offset=11, **at), device.row(kernel, offset=0, **at))


def l1_cache(facts: Facts) -> Chart:
    """Time without the L1 over that with it, and what each fetches."""
    offsets = (0, 11, 128)
    time = Panel((-0.5, 2.5), (0.85, 1.25), heading="time with L1 off, L1 on = 1", height=180)
    time.ticks_x((float(place), f"offset {offset}") for place, offset in enumerate(offsets))
    shown: set[Evidence] = set()
    at = {"cache": "cold", "n": LARGEST}
    for index, device in enumerate((*facts.measured, *facts.published)):
        pairs = [
            (
                place + 0.06 * index,
                device.row("read_offset", l1="off", offset=offset, **at),
                device.row("read_offset", l1="on", offset=offset, **at),
            )
            for place, offset in enumerate(offsets)
        ]
        shown |= ratios(time, device, pairs, joined=False)
    predicted = collect(
        facts.emulated,
        lambda each: [
            (
                place - 0.06,
                each.ratio(
                    *(
                        each.row("read_offset", l1=l1, offset=offset, cache="cold")
                        for l1 in ("off", "on")
                    )
                ),
            )
            for place, offset in enumerate(offsets)
        ],
    )
    shown |= draw(time, predicted, predicted=True, form="")
    time.reference(1.0, "the same time", GREY)
    if not shown:
        time.nothing()
    places = [(offset, l1) for offset in (0, 11) for l1 in ("on", "off")]
    fetched = Panel(
        (-0.5, 3.5), (0, 108), heading="load efficiency: bytes used of those fetched, %", height=180
    )
    fetched.ticks_x(
        (float(place), f"offset {offset}, L1 {l1}") for place, (offset, l1) in enumerate(places)
    )
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (
                float(place),
                each.value(
                    each.row("read_offset", l1=l1, offset=offset, n=2**20, cache="cold"),
                    "load_efficiency",
                ),
            )
            for place, (offset, l1) in enumerate(places)
        ],
    )
    shown |= draw(fetched, counted, form="")
    if not counted:
        fetched.nothing(NO_COUNTS.format("03"))
    return Chart(_l1_cache_title(facts), [time, fetched], key(shown))


def _l1_cache_title(facts: Facts) -> str:
    gpu, fermi = facts.gpu, facts.of("fermi")
    if gpu is None or fermi is None:
        return ""
    at = {"offset": 11, "cache": "cold"}
    time = gpu.ratio(
        gpu.row("read_offset", l1="off", n=LARGEST, **at),
        gpu.row("read_offset", l1="on", n=LARGEST, **at),
    )
    on, off = (
        fermi.value(fermi.row("read_offset", l1=l1, **at), "load_efficiency")
        for l1 in ("on", "off")
    )
    if time is None or on is None or off is None:
        return ""
    return (
        f"Without the L1 a misaligned read is {slower(time)} on the {gpu.name}; on a Fermi it uses "
        f"{percent(off / 100)} of what it fetches, with the L1 {percent(on / 100)}"
    )


_PATHS = [("_ldg", "__ldg", BLUE), ("_restrict", "const __restrict__", ORANGE)]
_CASES = [
    ("read_offset", {"offset": 0}, "offset 0"),
    ("read_offset", {"offset": 11}, "offset 11"),
    ("gather", {"scatter": "array"}, "over the array"),
    ("gather", {"scatter": "block"}, "in a block"),
    ("sum_table", {"entries": 1024}, "4 KB table"),
]


def read_only_cache(facts: Facts) -> Chart:
    """Time through the read-only cache over that of a plain load; what the caches hold."""
    time = Panel((-0.5, 4.5), (0.9, 1.1), heading="time, plain load = 1", height=150)
    hits = Panel(
        (-0.5, 4.5),
        (-3, 108),
        heading="sectors found in L1 or read-only cache, plain load, %",
        height=150,
    )
    through = Panel((-0.5, 4.5), (-3, 108), heading="the same through __ldg, %", height=150)
    for panel in (time, hits, through):
        panel.ticks_x((float(place), label) for place, (_, _, label) in enumerate(_CASES))
    shown: set[Evidence] = set()
    at = {"cache": "cold", "n": LARGEST}
    for gpu in facts.measured:
        for index, (path, label, look) in enumerate(_PATHS):
            pairs = [
                (
                    place + 0.1 * index - 0.05,
                    gpu.row(kernel + path, **case, **at),
                    gpu.row(kernel, **case, **at),
                )
                for place, (kernel, case, _) in enumerate(_CASES)
            ]
            shown |= ratios(
                time, gpu, pairs, style=look, label=f"{gpu.name}, {label}", joined=False
            )
    time.reference(1.0, "the same time")
    if not facts.measured:
        time.nothing()
    for panel, path in ((hits, ""), (through, "_ldg")):
        counted = collect(
            facts.emulated,
            lambda each, path=path: [
                (float(place), _hit_percent(each, each.row(kernel + path, **case)))
                for place, (kernel, case, _) in enumerate(_CASES)
            ],
        )
        shown |= draw(panel, counted, form="")
        if not counted:
            panel.nothing(NO_COUNTS.format("04"))
    return Chart(_read_only_cache_title(facts), [time, hits, through], key(shown))


def _hit_percent(device: Device, row: str | None) -> float | None:
    share = device.over(row, "l1_hit_sectors", "load_sectors")
    return None if share is None else 100 * share


def _read_only_cache_title(facts: Facts) -> str:
    gpu = facts.gpu
    if gpu is None:
        return ""
    at = {"cache": "cold", "n": LARGEST}
    found = [
        gpu.ratio(gpu.row(kernel + path, **case, **at), gpu.row(kernel, **case, **at))
        for kernel, case, _ in _CASES
        for path, _, _ in _PATHS
    ]
    known = [ratio for ratio in found if ratio is not None]
    if not known:
        return ""
    most = max(known, key=lambda ratio: abs(ratio - 1))
    if abs(most - 1) <= 0.03:
        return f"The read-only cache changes no time on the {gpu.name}: all five patterns take the same, within {percent(max(abs(most - 1), 0.01))}"
    return f"Through the read-only cache the pattern it changes most is {slower(most)} on the {gpu.name}"


def misaligned_writes(facts: Facts) -> Chart:
    """Time against the offset, cold and warm; stored bytes over those of the sectors."""
    time = Panel((-1, 41), (0.9, 1.35), heading="time of a write, aligned = 1", height=180)
    share = Panel(
        (-1, 41), (0, 108), heading="bytes stored of those in the touched sectors, %", height=180
    )
    time.ticks_x(_OFFSETS)
    share.ticks_x(_OFFSETS)
    shown = _times_by_offset(time, facts, "write_offset", LARGEST)
    for gpu in facts.measured:
        at = {"block": 512, "n": 2**20, "cache": "warm"}
        rows = gpu.rows("write_offset", **at)
        first = gpu.row("write_offset", offset=0, **at)
        shown |= ratios(
            time,
            gpu,
            [(_offset(row), row, first) for row in rows],
            style=BLUE,
            label=f"{gpu.name}, in L2",
        )
    time.reference(1.25, "5 sectors for 4 (book)", CLAIMED)
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (_offset(row), _stored_percent(each, row))
            for row in each.rows("write_offset", n=2**20, **_COLD)
        ],
    )
    shown |= draw(share, counted)
    if not counted:
        share.nothing(NO_COUNTS.format("05"))
    share.reference(80, "the book: 80 %", CLAIMED)
    return Chart(_misaligned_writes_title(facts), [time, share], key(shown))


def _stored_percent(device: Device, row: str | None) -> float | None:
    sectors = device.over(row, "store_sectors", "store_requests")
    return 100 * 4 / sectors if sectors else None


def _misaligned_writes_title(facts: Facts) -> str:
    gpu, any_emulated = facts.gpu, facts.emulated[-1] if facts.emulated else None
    if gpu is None or any_emulated is None:
        return ""
    cold, warm = _at_11(gpu, "write_offset", LARGEST), _at_11(gpu, "write_offset", 2**20, "warm")
    rows = [any_emulated.row("write_offset", offset=offset, **_COLD) for offset in (11, 0)]
    sectors = any_emulated.ratio(rows[0], rows[1], "store_sectors")
    if cold is None or warm is None or sectors is None:
        return ""
    return (
        f"A write at offset 11 touches {sectors:.2f}x the sectors of an aligned one; on the {gpu.name} it is "
        f"{slower(cold)} to DRAM, {slower(warm)} to L2"
    )
