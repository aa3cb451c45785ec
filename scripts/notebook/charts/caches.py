"""Charts of chapters 03 and 04: what the L1 and the read-only cache change."""

from notebook import device_names
from notebook.charts.curves import Place, counts, ratios, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import BLUE, ORANGE, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import percent, slower

Points = list[tuple[float, float | None]]

_OFFSETS = (0, 11, 128)
_SWITCHED = [(offset, l1) for offset in (0, 11) for l1 in ("on", "off")]


def l1_cache(facts: Facts) -> Chart:
    """Time without the L1 over that with it, and what each fetches."""
    time = Panel((-0.5, 2.5), (0.95, 1.05), heading="time with L1 off, L1 on = 1", height=180)
    time.ticks_x((float(place), f"offset {offset}") for place, offset in enumerate(_OFFSETS))
    heading = "load efficiency: bytes used of those fetched, %"
    fetched = Panel((-0.5, 3.5), (0, 108), heading=heading, height=180)
    fetched.ticks_x(
        (float(x), f"offset {offset}, L1 {l1}") for x, (offset, l1) in enumerate(_SWITCHED)
    )
    apart = [*facts.measured, *facts.published]

    def without(device: Device) -> list[Place]:
        shift = 0.06 * apart.index(device) if device in apart else -0.14
        return [
            (x + shift, _read(device, offset, "off"), _read(device, offset, "on"))
            for x, offset in enumerate(_OFFSETS)
        ]

    def efficiency(device: Device) -> Points:
        rows = [
            device.row("read_offset", l1=l1, offset=offset, n=2**20, cache="cold")
            for offset, l1 in _SWITCHED
        ]
        return [(float(x), device.value(row, "load_efficiency")) for x, row in enumerate(rows)]

    shown = times(time, facts, without, joined=False)
    time.reference(1.0)
    shown |= counts(fetched, "03", facts.counted, efficiency, joined=False)
    return Chart(_l1_cache_title(facts), [time, fetched], key(shown))


def _read(device: Device, offset: int, l1: str) -> str | None:
    return device.row("read_offset", l1=l1, offset=offset, cache="cold", n=LARGEST)


def _l1_cache_title(facts: Facts) -> str:
    gpu, fermi = facts.gpu, facts.of("fermi")
    if gpu is None or fermi is None:
        return ""
    time = gpu.ratio(_read(gpu, 11, "off"), _read(gpu, 11, "on"))
    on, off = (fermi.value(_read(fermi, 11, l1), "load_efficiency") for l1 in ("on", "off"))
    if time is None or on is None or off is None:
        return ""
    return (
        f"Without the L1 a misaligned read is {slower(time)} on the {gpu.name}; on a Fermi it uses "
        f"{percent(off / 100)} of what it fetches, with the L1 {percent(on / 100)}"
    )


_PATHS = [("_ldg", "__ldg", BLUE), ("_restrict", "const __restrict__", ORANGE)]
_HEADING = "time, plain load = 1 (random: in the whole array, or in a block's 512 elements)"
# The first compute capability with loads through the read-only cache; below it nvcc refuses __ldg.
_CAPABILITY_OF_LDG = 3.5
_CASES: list[tuple[str, dict[str, object], str]] = [
    ("read_offset", {"offset": 0}, "offset 0"),
    ("read_offset", {"offset": 11}, "offset 11"),
    ("gather", {"scatter": "array"}, "random, array"),
    ("gather", {"scatter": "block"}, "random, block"),
    ("sum_table", {"entries": 1024}, "4 KB table"),
]


def read_only_cache(facts: Facts) -> Chart:
    """Time through the read-only cache over that of a plain load; what the caches hold."""
    heading = "sectors found in L1 or read-only cache, plain load, %"
    time = Panel((-0.5, 4.5), (0.9, 1.1), heading=_HEADING, height=150)
    hits = Panel((-0.5, 4.5), (-9, 108), heading=heading, height=130)
    through = Panel(
        (-0.5, 4.5), (-9, 108), heading="the same through __ldg, which Fermi lacks, %", height=130
    )
    for panel in (time, hits, through):
        panel.ticks_x((float(x), label) for x, (_, _, label) in enumerate(_CASES))
    shown: set[Evidence] = set()
    for gpu in facts.measured:
        for index, (path, label, look) in enumerate(_PATHS):
            places = _through(gpu, path, 0.1 * index - 0.05)
            name = f"{gpu.name}, {label}"
            shown |= ratios(time, gpu, places, style=look, label=name, joined=False)
    if not shown:
        time.nothing()
    time.reference(1.0)

    def plain_hits(device: Device) -> Points:
        return _hits(device, "")

    def ldg_hits(device: Device) -> Points:
        return _hits(device, "_ldg")

    shown |= counts(hits, "04", facts.emulated, plain_hits, joined=False)
    with_ldg = [device for device in facts.emulated if _has_ldg(device)]
    shown |= counts(through, "04", with_ldg, ldg_hits, joined=False)
    title = _read_only_cache_title(facts.gpu) + _hits_in_words(facts.emulated)
    return Chart(title if facts.gpu else "", [time, hits, through], key(shown))


def _has_ldg(device: Device) -> bool:
    return float(device.result.compute_capability or 0) >= _CAPABILITY_OF_LDG


def _through(device: Device, path: str, shift: float = 0.0) -> list[Place]:
    at: dict[str, object] = {"cache": "cold", "n": LARGEST}
    return [
        (x + shift, device.row(kernel + path, **case, **at), device.row(kernel, **case, **at))
        for x, (kernel, case, _) in enumerate(_CASES)
    ]


def _hits(device: Device, path: str) -> Points:
    rows = [device.row(kernel + path, **case) for kernel, case, _ in _CASES]
    shares = [device.over(row, "l1_hit_sectors", "load_sectors") for row in rows]
    return [(float(x), None if share is None else 100 * share) for x, share in enumerate(shares)]


def _hits_in_words(emulated: list[Device]) -> str:
    """Where plain loads find what loads through the read-only cache find, and where nothing."""
    both = [device for device in emulated if _has_ldg(device)]
    every = [device.result.device for device in both]
    alike = [device.result.device for device in both if _hits(device, "") == _hits(device, "_ldg")]
    none = [device.result.device for device in both if not any(y for _, y in _hits(device, ""))]
    if not alike or not none or len(alike) + len(none) != len(both):
        return ""
    return (
        f"; plain loads hit as often as __ldg in the L1 of {device_names.label(alike, every)}, "
        f"never on {device_names.label(none, every)}"
    )


def _read_only_cache_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    places = [place for path, _, _ in _PATHS for place in _through(gpu, path)]
    known = [ratio for _, name, base in places if (ratio := gpu.ratio(name, base)) is not None]
    if not known:
        return ""
    most = max(known, key=lambda ratio: abs(ratio - 1))
    if slower(most) == "as fast":
        return (
            f"The read-only cache changes no time on the {gpu.name}: each of five patterns is "
            f"within {percent(max(abs(most - 1), 0.01))} of plain loads"
        )
    return f"Through the read-only cache one of five patterns is {slower(most)} on the {gpu.name}"
