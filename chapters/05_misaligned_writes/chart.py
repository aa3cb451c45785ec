"""The chart of misaligned writes: their time in DRAM and in the L2, and the sectors that they touch."""

from notebook.charts.curves import Place, Points, counts, mark_no_effect, printed, ratios, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import key, second
from notebook.charts.marks import Chart
from notebook.charts.offsets import COLD, SMALL, at_11, by_offset, offset_of, panel_of_offsets
from notebook.charts.words import NO_EFFECT_LINES


def chart(facts: Facts) -> Chart:
    """Time against the offset, cold and warm; the sectors that a write touches."""
    time = panel_of_offsets((0.95, 1.1), "time of a write, aligned = 1")
    sectors = panel_of_offsets((0.9, 1.35), "sectors touched by a write, aligned = 1")

    def touched(device: Device) -> Points:
        first = device.row("write_offset", offset=0, n=SMALL, **COLD)
        rows = device.rows("write_offset", n=SMALL, **COLD)
        return [(offset_of(row), device.ratio(row, first, "store_sectors")) for row in rows]

    shown = times(
        time, facts, lambda device: by_offset(device, "write_offset"), claim="offset_11_is_slower"
    )
    mark_no_effect(time)
    for gpu in facts.measured:
        at: dict[str, object] = {"block": 512, "n": SMALL, "cache": "warm"}
        first = gpu.row("write_offset", offset=0, **at)
        warm: list[Place] = [(offset_of(row), row, first) for row in gpu.rows("write_offset", **at)]
        label = f"{gpu.name}, in the L2"
        look = second(gpu.style)
        shown |= ratios(time, gpu, warm, style=look, label=label, joined=False)
    printed(sectors, facts, "a_warp_moves_160_bytes_for_128", "book: {}x the bytes")
    shown |= counts(sectors, "05", facts.counted, touched)
    return Chart(_title(facts.gpu), [time, sectors], f"{key(shown)}   {NO_EFFECT_LINES}")


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    cold, warm = at_11(gpu, "write_offset", LARGEST), at_11(gpu, "write_offset", SMALL, "warm")
    if cold is None or warm is None:
        return ""
    return f"{gpu.name}: writing at offset 11 takes {cold:.2f}x (DRAM), {warm:.2f}x (L2)"
