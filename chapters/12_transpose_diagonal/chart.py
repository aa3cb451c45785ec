"""Time in diagonal order over that in plain order, against the size."""

from functools import partial

from notebook.charts.curves import collect, draw, mark_no_effect, ratios
from notebook.charts.evidence import LARGEST, Device, Facts, parameter
from notebook.charts.look import Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.transposes import COLUMNS, ROWS
from notebook.charts.words import NO_EFFECT, NO_EFFECT_LINES


def chart(facts: Facts) -> Chart:
    sizes = sorted(
        {
            int(parameter(row, "rows"))
            for device in facts.measured
            for row in device.rows(f"{COLUMNS}_diagonal")
        }
    )
    places = {size: float(place) for place, size in enumerate(sizes)}
    end = len(sizes) + 1.6
    panels = []
    shown: set[Evidence] = set()
    for kernel, name, claim in (
        (COLUMNS, "reads columns", "diagonal_does_not_help_read_columns"),
        (ROWS, "reads rows", "diagonal_helps_read_rows"),
    ):
        heading = f"a transpose that {name}: time in diagonal order, plain order = 1"
        panel = Panel((-0.6, end), (0.8, 1.4), heading=heading, height=190)
        ticks = [(place, str(size)) for size, place in places.items()]
        panel.ticks_x([*ticks, (len(sizes) + 0.6, "published")])
        mark_no_effect(panel)
        known = []
        for gpu in facts.measured:
            pairs = [(place, *_orders(gpu, kernel, size)) for size, place in places.items()]
            if evidence := ratios(panel, gpu, pairs):
                shown |= evidence
                known.append(gpu)
        for index, device in enumerate(facts.published):
            place = len(sizes) + 0.15 + 0.3 * index
            if evidence := ratios(panel, device, [(place, *_orders(device, kernel, LARGEST))]):
                shown |= evidence
                known.append(device)
        others = facts.predicted(known, claim)
        predicted = collect(others, partial(_predicted_orders, kernel, places))
        shown |= draw(panel, predicted, predicted=True, form="")
        panels.append(panel)
    note = f"{key(shown)}   {NO_EFFECT_LINES}"
    return Chart(_title(facts.gpu), panels, note)


def _orders(device: Device, kernel: str, size: object) -> tuple[str | None, str | None]:
    """The diagonal and the plain transpose of a square matrix."""
    at: dict[str, object] = {"rows": size, "columns": size, "block": "16x16"}
    return device.row(f"{kernel}_diagonal", **at), device.row(kernel, **at)


def _predicted_orders(
    kernel: str, places: dict[int, float], device: Device
) -> list[tuple[float, float | None]]:
    ratio = device.ratio(*_orders(device, kernel, 2048))
    return [(places.get(2048, 0.0), ratio)]


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    ratios_by_size = [
        ratio
        for row in gpu.rows(f"{ROWS}_diagonal")
        for plain in [{key: parameter(row, key) for key in ("rows", "columns", "block")}]
        if (ratio := gpu.ratio(row, gpu.row(ROWS, **plain)))
    ]
    if not ratios_by_size:
        return ""
    helped = sum(ratio < NO_EFFECT[0] for ratio in ratios_by_size)
    return f"{gpu.name}: diagonals help reading rows at {helped} of {len(ratios_by_size)} sizes"
