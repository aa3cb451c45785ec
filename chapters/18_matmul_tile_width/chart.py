"""Speed against the width of a tile; occupancy against its shared memory."""

from notebook.charts.curves import counts, ratios
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import CLAIMED, Evidence, Style, key
from notebook.charts.marks import Chart, Panel

_WIDTHS = (4, 8, 16, 32)


def chart(facts: Facts) -> Chart:
    ticks = [(float(place), f"{width}x{width}") for place, width in enumerate(_WIDTHS)]
    speed = Panel((-0.3, 3.3), (0, 2.4), heading="speed at 2048 cubed, tiles of 16 = 1", height=220)
    speed.ticks_x(ticks)
    shown: set[Evidence] = set()
    names = _names(facts)
    looks: dict[str, Style] = {}
    for device in (*facts.measured, *facts.published):
        at = {"type": "float", "m": 2048}
        base = device.row("matmul_tiled_bounded", tile=16, **at)
        pairs = [
            (float(place), base, device.row("matmul_tiled_bounded", tile=width, **at))
            for place, width in enumerate(_WIDTHS)
        ]
        is_published = device.evidence is Evidence.PUBLISHED
        look = looks.setdefault(device.generation, device.style) if is_published else device.style
        shown |= ratios(speed, device, pairs, style=look, label=names.get(device.name, ""))
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
    return Chart(_title(facts.gpu), [speed, occupancy], key(shown))


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
    rows = [gpu.row("matmul_tiled_bounded", tile=width, type="float", m=2048) for width in (32, 16)]
    gain = gpu.ratio(rows[0], rows[1], "flops_per_second")
    return f"{gpu.name}: tiles of 32 are {gain:.1f}x as fast as 16" if gain else ""
