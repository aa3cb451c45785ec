"""Time of four elements a thread over that of one."""

from notebook.charts.evidence import Device, Facts, Ratio, complete
from notebook.charts.look import GREY, Evidence, key
from notebook.charts.marks import LEFT, RIGHT, THIN, Chart, Panel
from notebook.charts.transposes import COLUMNS, LARGE, ROWS
from notebook.charts.words import NO_EFFECT, NO_EFFECT_LINES

_UNROLLED = [
    (COLUMNS, "_unroll4", "on", "columns, as printed, L1 on"),
    (COLUMNS, "_unroll4", "off", "columns, as printed, L1 off"),
    (COLUMNS, "_unroll4_loads_first", "on", "columns, loads first, L1 on"),
    (COLUMNS, "_unroll4_loads_first", "off", "columns, loads first, L1 off"),
    (ROWS, "_unroll4", "on", "rows, as printed, L1 on"),
    (ROWS, "_unroll4", "off", "rows, as printed, L1 off"),
    (ROWS, "_unroll4_loads_first", "on", "rows, loads first, L1 on"),
    (ROWS, "_unroll4_loads_first", "off", "rows, loads first, L1 off"),
]
# The distance between the marks of one row, with room for a name. The next row is 1 away.
_APART = 0.21


def chart(facts: Facts) -> Chart:
    panel = Panel(
        (0.35, 1.3),
        (0.4, 8.6),
        heading="time with four elements a thread, one element = 1",
        height=480,
    )
    panel.ticks_y((8.0 - place, label) for place, (_, _, _, label) in enumerate(_UNROLLED))
    for edge in NO_EFFECT:
        panel.line([(edge, y) for y in panel.y], GREY, THIN)
    shown: set[Evidence] = set()
    highest = panel.x[1]
    for place, (kernel, suffix, l1, _) in enumerate(_UNROLLED):
        at = {"block": "16x16", "l1": l1, **LARGE}
        row = [
            (device, ratio)
            for device in (*facts.measured, *facts.published)
            if (
                ratio := _ratio(device, device.row(kernel + suffix, **at), device.row(kernel, **at))
            )
        ]
        _across(panel, 8.0 - place, row)
        shown |= {device.evidence for device, _ in row}
        highest = max([highest, *(ratio[0] for _, ratio in row)])
    # Names stand right of the marks.
    panel.x = (panel.x[0], 1.2 * highest)
    return Chart(_title(facts.gpu), [panel], f"{key(shown)}   {NO_EFFECT_LINES}")


def _ratio(device: Device, name: str | None, base: str | None) -> Ratio | None:
    return device.ratios([(name, base)])[0] if name and base else None


def _across(panel: Panel, middle: float, row: list[tuple[Device, Ratio]]) -> None:
    """The ratios of one row, one below the other, each beside the name of its device."""
    for index, (device, (ratio, low, high)) in enumerate(row):
        y = middle + _APART * ((len(row) - 1) / 2 - index)
        panel.points([(ratio, y)], device.style)
        if device.evidence is Evidence.MEASURED:
            panel.error_bars_across([(y, low, high)], device.style)
        # Away from the line at 1.
        if ratio < 1:
            panel.text(min(ratio, low) - 0.035, y, device.name, RIGHT, device.style)
        else:
            panel.text(max(ratio, high) + 0.035, y, device.name, LEFT, device.style)


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    estimates = []
    for kernel, suffix, l1, _ in _UNROLLED:
        at = {"block": "16x16", "l1": l1, **LARGE}
        estimates.append(_ratio(gpu, gpu.row(kernel + suffix, **at), gpu.row(kernel, **at)))
    known = complete(estimate[0] if estimate else None for estimate in estimates)
    if known is None:
        return ""
    columns, rows = known[0], known[4]
    return (
        f"{gpu.name}: four elements take {columns:.2f}x reading columns, {rows:.2f}x reading rows"
    )
