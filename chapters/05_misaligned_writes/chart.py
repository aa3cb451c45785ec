"""The chart of misaligned writes: their time in DRAM and in the L2, and the sectors that they touch."""

from notebook.charts.curves import Place, Points, counts, printed, ratios, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import BLUE, Style, key
from notebook.charts.marks import Chart
from notebook.charts.offsets import COLD, SMALL, at_11, by_offset, offset_of, panel_of_offsets
from notebook.charts.words import slower, slower_or_by


def chart(facts: Facts) -> Chart:
    """Time against the offset, cold and warm; the sectors that a write touches."""
    time = panel_of_offsets((0.95, 1.1), "time of a write, aligned = 1")
    sectors = panel_of_offsets((0.9, 1.35), "sectors touched by a write, aligned = 1")

    def touched(device: Device) -> Points:
        first = device.row("write_offset", offset=0, n=SMALL, **COLD)
        rows = device.rows("write_offset", n=SMALL, **COLD)
        return [(offset_of(row), device.ratio(row, first, "store_sectors")) for row in rows]

    shown = times(time, facts, lambda device: by_offset(device, "write_offset"))
    for gpu in facts.measured:
        at: dict[str, object] = {"block": 512, "n": SMALL, "cache": "warm"}
        first = gpu.row("write_offset", offset=0, **at)
        warm: list[Place] = [(offset_of(row), row, first) for row in gpu.rows("write_offset", **at)]
        label = f"{gpu.name}, in the L2"
        look = Style(BLUE.colour, gpu.style.shape)
        shown |= ratios(time, gpu, warm, style=look, label=label, joined=False)
    printed(sectors, facts, "a_warp_moves_160_bytes_for_128", "book: {}x the bytes")
    shown |= counts(sectors, "05", facts.counted, touched)
    return Chart(_title(facts), [time, sectors], key(shown))


def _title(facts: Facts) -> str:
    gpu = facts.gpu
    if gpu is None or not facts.emulated:
        return ""
    cold, warm = at_11(gpu, "write_offset", LARGEST), at_11(gpu, "write_offset", SMALL, "warm")
    newest = facts.emulated[-1]
    shifted, aligned = (newest.row("write_offset", offset=offset, **COLD) for offset in (11, 0))
    sectors = newest.ratio(shifted, aligned, "store_sectors")
    if cold is None or warm is None or sectors is None:
        return ""
    return (
        f"A write at offset 11 touches {sectors:.2f}x the sectors of an aligned one; on the "
        f"{gpu.name} it is {slower_or_by(cold)} to DRAM, {slower(warm)} to the L2"
    )
