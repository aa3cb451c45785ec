"""Charts of chapters 09, 10 and 12: transposes without shared memory, and the copies beside them."""

from functools import partial

from notebook import names
from notebook.charts.bars import line_between_groups, share_bars
from notebook.charts.curves import collect, draw, mark_no_effect, ratios
from notebook.charts.evidence import LARGEST, Device, Facts, complete, parameter
from notebook.charts.look import GREY, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import NO_EFFECT, NO_EFFECT_LINES, percent

LARGE: dict[str, object] = {"rows": 16384, "columns": 16384, "cache": "cold"}
COLUMNS, ROWS = "transpose_read_columns", "transpose_read_rows"


_BOUNDS = [
    ("copy_wide", "256", "copy, 64 bytes a thread"),
    ("transpose_tile_padded", "32x8", "transpose, padded tile"),
    ("copy_rows", "16x16", "copy by rows"),
    ("copy_columns", "16x16", "copy by columns"),
]
# Its bars are the bounds that the book gives.
_OF_THE_BOOK = "Tesla M2090"


def transpose_bounds(facts: Facts) -> Chart:
    """Copies by rows and by columns as shares of the theoretical bandwidth."""
    panel = Panel(
        (0, 108),
        (0, 1),
        heading="bandwidth, % of the device's theoretical bandwidth (measured: 16384 x 16384 floats)",
        height=330,
    )
    shown = {device.evidence for device in (*facts.measured, *facts.published)}
    cases = [
        (label, partial(_of_peak, kernel=kernel, block=block)) for kernel, block, label in _BOUNDS
    ]
    share_bars(panel, (*facts.measured, *facts.published), cases)
    has_book = any(device.name == _OF_THE_BOOK for device in facts.published)
    note = f"{_OF_THE_BOOK}: printed in the book" if has_book else ""
    return Chart(_transpose_bounds_title(facts.gpu), [panel], key(shown, bars=True)).noted(note)


def _of_peak(device: Device, kernel: str, block: str) -> float | None:
    value = device.value(device.row(kernel, block=block, **LARGE), "peak_percent")
    return None if value is None else value / 100


def _transpose_bounds_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    shares = complete(_of_peak(gpu, kernel, block) for kernel, block, _ in _BOUNDS)
    if shares is None:
        return ""
    wide, tile, rows, _ = shares
    by_rows = "bounds" if rows >= tile else "does not bound"
    by_64_bytes = "bounds" if wide >= tile else "does not bound"
    return (
        f"A copy by rows {by_rows} a transpose on the {gpu.name} ({100 * tile:.0f} against {percent(rows)} of the "
        f"peak); one with 64 bytes a thread {by_64_bytes} the padded tile ({percent(wide)})"
    )


def of_copy_rows(device: Device, row: str | None) -> float | None:
    """The bandwidth of a row over that of copying by rows, on the same device and in its regime."""
    if row is None:
        return None
    keys = names.parameters(row)
    regime = {key: keys[key] for key in names.REGIME_KEYS if key in keys}
    caching = {"l1": keys["l1"]} if "l1" in keys else {}
    for block in ("16x16", keys.get("block")):
        for base in device.rows("copy_rows", block=block, **caching):
            own = names.parameters(base)
            alike = regime == {key: own[key] for key in names.REGIME_KEYS if key in own}
            share = device.ratio(row, base, "bytes_per_second") if alike else None
            if share is not None:
                return share
    return None


def transpose_naive(facts: Facts) -> Chart:
    """Naive transposes over a copy by rows of the same device."""
    cases = [
        (f"{label}, L1 {l1}", partial(_naive_of_copy, kernel=kernel, l1=l1))
        for kernel, label in (
            (COLUMNS, "read columns"),
            (ROWS, "read rows"),
            ("copy_columns", "copy by columns"),
        )
        for l1 in ("on", "off")
    ]
    panel = Panel(
        (0, 118),
        (0, 1),
        heading="bandwidth, % of a copy by rows on the same device (measured: 16384 x 16384)",
        height=500,
    )
    share_bars(panel, (*facts.measured, *facts.published), cases)
    line_at_the_copy(panel)
    shown = {device.evidence for device in (*facts.measured, *facts.published)}
    note = f"{key(shown, bars=True)}   all in blocks of 16x16"
    return Chart(_transpose_naive_title(facts.gpu), [panel], note)


def line_at_the_copy(panel: Panel) -> None:
    """Names the line at 100 % of a copy by rows: between groups, so that it crosses no name."""
    line_between_groups(panel, 100, GREY)
    panel.text(100 + 0.005 * panel.x[1], 0.55, "copy by rows")


def _naive_of_copy(device: Device, kernel: str, l1: str) -> float | None:
    return of_copy_rows(device, device.row(kernel, block="16x16", l1=l1, **LARGE))


def _transpose_naive_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    columns, rows = (_naive_of_copy(gpu, kernel, "on") for kernel in (COLUMNS, ROWS))
    if columns is None or rows is None:
        return ""
    better, worse = ("columns", "rows") if columns > rows else ("rows", "columns")
    rates = complete(
        gpu.value(gpu.row(kernel, block="16x16", l1="on", **LARGE), "bytes_per_second")
        for kernel in (COLUMNS, ROWS)
    )
    if rates is None:
        return ""
    off = complete(_naive_of_copy(gpu, kernel, "off") for kernel in (COLUMNS, ROWS)) or []
    is_alike = [abs(one - other) < 0.03 for one, other in zip(off, (columns, rows), strict=False)]
    ending = ", with the L1 or without" if is_alike and all(is_alike) else ""
    return (
        f"Read {better}, not {worse}: {max(rates) / 1e12:.2f} against {min(rates) / 1e12:.2f} TB/s on the {gpu.name}, "
        f"{percent(max(columns, rows))} against {percent(min(columns, rows))} of a copy by rows{ending}"
    )


def transpose_diagonal(facts: Facts) -> Chart:
    """Time in diagonal order over that in plain order, against the size."""
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
    for kernel, name in ((COLUMNS, "reads columns"), (ROWS, "reads rows")):
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
        predicted = collect(facts.predicted(known), partial(_predicted_orders, kernel, places))
        shown |= draw(panel, predicted, predicted=True, form="")
        panels.append(panel)
    note = f"{key(shown)}   {NO_EFFECT_LINES}"
    return Chart(_transpose_diagonal_title(facts.gpu), panels, note)


def _orders(device: Device, kernel: str, size: object) -> tuple[str | None, str | None]:
    """The diagonal and the plain transpose of a square matrix."""
    at: dict[str, object] = {"rows": size, "columns": size, "block": "16x16"}
    return device.row(f"{kernel}_diagonal", **at), device.row(kernel, **at)


def _predicted_orders(
    kernel: str, places: dict[int, float], device: Device
) -> list[tuple[float, float | None]]:
    ratio = device.ratio(*_orders(device, kernel, 2048))
    return [(places.get(2048, 0.0), ratio)]


def _transpose_diagonal_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    by_direction = {}
    for kernel in (COLUMNS, ROWS):
        pairs = [
            gpu.ratio(
                row,
                gpu.row(
                    kernel, **{key: parameter(row, key) for key in ("rows", "columns", "block")}
                ),
            )
            for row in gpu.rows(f"{kernel}_diagonal")
        ]
        by_direction[kernel] = [ratio for ratio in pairs if ratio is not None]
    if not all(by_direction.values()):
        return ""
    return (
        f"On the {gpu.name} diagonal order {_cost(by_direction[COLUMNS])} when reading columns; "
        f"when reading rows it {_cost(by_direction[ROWS])}"
    )


def _cost(ratios_by_size: list[float]) -> str:
    """Diagonal over plain order, of one size after the other, in words."""
    low, high = min(ratios_by_size), max(ratios_by_size)
    if low > NO_EFFECT[1]:
        return f"always costs {100 * (low - 1):.0f} to {percent(high - 1)}"
    helped = sum(ratio < NO_EFFECT[0] for ratio in ratios_by_size)
    times = f"takes {low:.2f}x to {high:.2f}x the time"
    return f"{times} and helps at {helped} of {len(ratios_by_size)} sizes"
