"""Time through the read-only cache over that of a plain load; what the caches hold."""

from notebook.charts.curves import Place, Points, counts, mark_no_effect, ratios
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import BLUE, ORANGE, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import NO_EFFECT_LINES, slower

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


def chart(facts: Facts) -> Chart:
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
    mark_no_effect(time)

    def plain_hits(device: Device) -> Points:
        return _hits(device, "")

    def ldg_hits(device: Device) -> Points:
        return _hits(device, "_ldg")

    shown |= counts(hits, "04", facts.emulated, plain_hits, joined=False)
    with_ldg = [device for device in facts.emulated if _has_ldg(device)]
    shown |= counts(through, "04", with_ldg, ldg_hits, joined=False)
    title = _title(facts.gpu)
    return Chart(
        title if facts.gpu else "", [time, hits, through], f"{key(shown)}   {NO_EFFECT_LINES}"
    )


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


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    places = [place for path, _, _ in _PATHS for place in _through(gpu, path)]
    known = [ratio for _, name, base in places if (ratio := gpu.ratio(name, base)) is not None]
    if not known:
        return ""
    most = max(known, key=lambda ratio: abs(ratio - 1))
    if slower(most) == "as fast":
        return f"{gpu.name}: the read-only cache changes no time"
    return f"{gpu.name}: one of five __ldg patterns is {slower(most)}"
