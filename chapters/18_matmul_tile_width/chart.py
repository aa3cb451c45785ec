"""Speed against the width of a tile; occupancy against its shared memory."""

from itertools import pairwise

from notebook.charts.curves import counts, ratios
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import CLAIMED, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.data import device_names

_WIDTHS = (4, 8, 16, 32)


def chart(facts: Facts) -> Chart:
    ticks = [(float(place), f"{width}x{width}") for place, width in enumerate(_WIDTHS)]
    speed = Panel((-0.3, 3.3), (0, 2.4), heading="speed at 2048 cubed, tiles of 16 = 1", height=220)
    speed.ticks_x(ticks)
    shown: set[Evidence] = set()
    names = _names(facts)
    for device in (*facts.measured, *facts.published):
        at = {"type": "float", "m": 2048}
        base = device.row("matmul_tiled_bounded", tile=16, **at)
        pairs = [
            (float(place), base, device.row("matmul_tiled_bounded", tile=width, **at))
            for place, width in enumerate(_WIDTHS)
        ]
        shown |= ratios(speed, device, pairs, label=names.get(device.name, ""))
    if not shown:
        speed.nothing()
    speed.line([(place, width / 16) for place, width in enumerate(_WIDTHS)], CLAIMED, "thin")
    speed.label(2.0, "book: as the width", CLAIMED)
    occupancy = Panel((-0.3, 3.3), (0, 108), heading="theoretical occupancy, %", height=180)
    occupancy.ticks_x(ticks)
    shown |= counts(
        occupancy,
        "18",
        facts.counted,
        lambda device: [
            (float(place), _occupancy(device, width)) for place, width in enumerate(_WIDTHS)
        ],
    )
    title = _title(facts.gpu)
    return Chart(title and title + _not_full(facts), [speed, occupancy], key(shown))


def _not_full(facts: Facts) -> str:
    """The generations whose SMs tiles of 32 do not fill."""
    by_device = {device.result.device: _occupancy(device, 32) for device in facts.emulated}
    known = {slug: value for slug, value in by_device.items() if value}
    lacking = [slug for slug, value in known.items() if value < 100]
    if not lacking:
        return ""
    highest = max(known[slug] for slug in lacking)
    return (
        f"; tiles of 32 fill {highest:.0f} % of an SM on {device_names.label(lacking, list(known))}"
    )


def _occupancy(device: Device, width: int) -> float | None:
    row = device.row("matmul_tiled_bounded", type="float", tile=width, m=192)
    return device.value(row, "theoretical_occupancy")


def _names(facts: Facts) -> dict[str, str]:
    """The names beside the panel: the published GPUs of a generation, which look the same, have one."""
    names = {device.name: device.name for device in facts.measured}
    of_generation: dict[str, list[str]] = {}
    for device in facts.published:
        of_generation.setdefault(device.generation, []).append(device.name)
    for generation, known in of_generation.items():
        several = f"{generation.capitalize()}, {len(known)} GPUs"
        names[known[0]] = known[0] if len(known) == 1 else several
    return names


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    at = {"type": "float", "m": 2048}
    rows = [gpu.row("matmul_tiled_bounded", tile=width, **at) for width in _WIDTHS]
    steps = [gpu.ratio(wide, narrow, "flops_per_second") for narrow, wide in pairwise(rows)]
    gains = [gain for gain in steps if gain is not None]
    if len(gains) != 3:
        return ""
    return (
        f"Twice the width does not stay twice the speed: on the {gpu.name} 4 to 8 brings {gains[0]:.1f}x, "
        f"8 to 16 {gains[1]:.1f}x, 16 to 32 {gains[2]:.1f}x"
        if gains[2] < 1.9
        else f"Twice the width is {gains[0]:.1f}x, {gains[1]:.1f}x and {gains[2]:.1f}x the speed on the {gpu.name}"
    )
