"""Charts of chapters 09 to 14: how near a transpose comes to a copy, and what moves it."""

from notebook import names
from notebook.charts.bars import bar, bars
from notebook.charts.curves import collect, draw, ratios
from notebook.charts.evidence import Device, Facts, parameter
from notebook.charts.look import BLUE, CLAIMED, GREY, ORANGE, Evidence, key
from notebook.charts.marks import LEFT, PALE, Chart, Panel
from notebook.charts.reads import NO_COUNTS
from notebook.charts.words import percent, slower, times

_LARGE = {"rows": 16384, "columns": 16384, "cache": "cold"}
_COLUMNS, _ROWS = "transpose_read_columns", "transpose_read_rows"


def transpose_bounds(facts: Facts) -> Chart:
    """Copies by rows and by columns as shares of the theoretical bandwidth; the book's bounds."""
    wanted = [
        ("copy_wide", {"block": 256}, "copy, 16 bytes a thread"),
        ("transpose_tile_padded", {"block": "32x8"}, "transpose, padded tile"),
        ("copy_rows", {"block": "16x16"}, "copy by rows"),
        ("copy_columns", {"block": "16x16"}, "copy by columns"),
    ]
    panel = Panel(
        (0, 100),
        (0, 1),
        heading="bandwidth, % of the theoretical bandwidth of the device",
        height=330,
    )
    groups = []
    for kernel, case, label in wanted:
        group = []
        for device in (*facts.measured, *facts.published):
            value = device.value(device.row(kernel, **case, **_LARGE), "peak_percent")
            if value is not None:
                group.append(bar(device, value, f"{value:.0f} %"))
        groups.append((label, group))
    shown = {each.evidence for each in (*facts.measured, *facts.published)}
    bars(panel, groups)
    panel.line([(70.76, panel.y[0]), (70.76, panel.y[1])], CLAIMED, "thin")
    panel.line([(33.09, panel.y[0]), (33.09, panel.y[1])], CLAIMED, "thin")
    for x, text in ((70.76, "book: by rows 70.8 %"), (33.09, "book: by columns 33.1 %")):
        panel.text(x + 0.6, 0.55, text, LEFT, CLAIMED)
    return Chart(_transpose_bounds_title(facts.gpu), [panel], key(shown, bars=True))


def _transpose_bounds_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    wide, tile, rows, columns = (
        gpu.value(gpu.row(kernel, **case, **_LARGE), "peak_percent")
        for kernel, case in (
            ("copy_wide", {"block": 256}),
            ("transpose_tile_padded", {"block": "32x8"}),
            ("copy_rows", {"block": "16x16"}),
            ("copy_columns", {"block": "16x16"}),
        )
    )
    if wide is None or tile is None or rows is None or columns is None:
        return ""
    bounds = "do not bound" if tile > rows or tile < columns else "bound"
    return (
        f"The copies {bounds} a transpose on the {gpu.name}: through a tile it has {tile:.0f} % of the "
        f"theoretical bandwidth, copies by rows {rows:.0f} % and by columns {columns:.0f} %"
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
            if regime == {key: own[key] for key in names.REGIME_KEYS if key in own}:
                if (found := device.ratio(row, base, "bytes_per_second")) is not None:
                    return found
    return None


def transpose_naive(facts: Facts) -> Chart:
    """Naive transposes over a copy by rows of the same device."""
    wanted = [
        (kernel, l1, f"{label}, L1 {l1}")
        for kernel, label in (
            (_COLUMNS, "read columns"),
            (_ROWS, "read rows"),
            ("copy_columns", "copy by columns"),
        )
        for l1 in ("on", "off")
    ]
    panel = Panel(
        (0, 118), (0, 1), heading="bandwidth, % of a copy by rows on the same device", height=500
    )
    groups = []
    for kernel, l1, label in wanted:
        group = []
        for device in (*facts.measured, *facts.published):
            value = of_copy_rows(device, device.row(kernel, block="16x16", l1=l1, **_LARGE))
            if value is not None:
                group.append(bar(device, 100 * value, percent(value)))
        groups.append((label, group))
    bars(panel, groups)
    if not any(group for _, group in groups):
        panel.nothing()
    shown = {each.evidence for each in (*facts.measured, *facts.published)}
    return Chart(_transpose_naive_title(facts.gpu), [panel], key(shown, bars=True))


def _transpose_naive_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    columns, rows = (
        of_copy_rows(gpu, gpu.row(kernel, block="16x16", l1="on", **_LARGE))
        for kernel in (_COLUMNS, _ROWS)
    )
    if columns is None or rows is None:
        return ""
    better, worse = ("columns", "rows") if columns > rows else ("rows", "columns")
    return (
        f"Read {better}, not {worse}: on the {gpu.name} that is {percent(max(columns, rows))} of a copy by rows, "
        f"the other {percent(min(columns, rows))}"
    )


_UNROLLED = [
    (_COLUMNS, "_unroll4", "on", "columns, as printed, L1 on"),
    (_COLUMNS, "_unroll4", "off", "columns, as printed, L1 off"),
    (_COLUMNS, "_unroll4_loads_first", "on", "columns, loads first, L1 on"),
    (_COLUMNS, "_unroll4_loads_first", "off", "columns, loads first, L1 off"),
    (_ROWS, "_unroll4", "on", "rows, as printed, L1 on"),
    (_ROWS, "_unroll4", "off", "rows, as printed, L1 off"),
    (_ROWS, "_unroll4_loads_first", "on", "rows, loads first, L1 on"),
    (_ROWS, "_unroll4_loads_first", "off", "rows, loads first, L1 off"),
]


def transpose_unroll4(facts: Facts) -> Chart:
    """Time of four elements a thread over that of one."""
    panel = Panel(
        (0.45, 1.3),
        (0.4, 8.6),
        heading="time with four elements a thread, one element = 1",
        height=400,
    )
    panel.ticks_y((8.0 - place, label) for place, (_, _, _, label) in enumerate(_UNROLLED))
    panel.boxes([(0.97, 1.03, 0.4, 8.6)], GREY, PALE)
    panel.line([(1, 0.4), (1, 8.6)], GREY, "thin")
    shown: set[Evidence] = set()
    for index, device in enumerate((*facts.measured, *facts.published)):
        pairs = []
        for place, (kernel, suffix, l1, _) in enumerate(_UNROLLED):
            at = {"block": "16x16", "l1": l1, **_LARGE}
            pairs.append((8.0 - place, device.row(kernel + suffix, **at), device.row(kernel, **at)))
        shown |= across(panel, device, pairs, shift=0.13 * (2 - index))
    return Chart(_transpose_unroll4_title(facts.gpu), [panel], key(shown))


def across(
    panel: Panel,
    device: Device,
    places: list[tuple[float, str | None, str | None]],
    *,
    shift: float = 0.0,
    label: str = "",
) -> set[Evidence]:
    """Ratios along the x axis, a line for each; names at the first."""
    known = [(y, name, base) for y, name, base in places if name and base]
    found = device.ratios([(name, base) for _, name, base in known])
    points = [(ratio, y + shift) for (y, _, _), ratio in zip(known, found, strict=True) if ratio]
    if not points:
        return set()
    panel.points([(ratio[0], y) for ratio, y in points], device.style)
    if device.evidence is Evidence.MEASURED:
        panel.error_bars_across([(y, ratio[1], ratio[2]) for ratio, y in points], device.style)
    panel.label(points[0][1], label or device.name, device.style)
    return {device.evidence}


def _transpose_unroll4_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    at = {"block": "16x16", "l1": "on", **_LARGE}
    plain = gpu.row(_COLUMNS, **at)
    printed = gpu.ratio(gpu.row(f"{_COLUMNS}_unroll4", **at), plain)
    first = gpu.ratio(gpu.row(f"{_COLUMNS}_unroll4_loads_first", **at), plain)
    if printed is None or first is None:
        return ""
    return (
        f"Four elements a thread make a transpose that reads columns {slower(printed)} on the {gpu.name}, "
        f"{slower(first)} when all loads come first"
    )


def transpose_diagonal(facts: Facts) -> Chart:
    """Time in diagonal order over that in plain order, against the size; the 3 % band."""
    sizes = sorted(
        {
            int(parameter(row, "rows"))
            for device in facts.measured
            for row in device.rows(f"{_COLUMNS}_diagonal")
        }
    )
    places = {str(size): float(place) for place, size in enumerate(sizes)}
    end = len(sizes) + 1.6
    panels = []
    shown: set[Evidence] = set()
    for kernel, name in ((_COLUMNS, "reads columns"), (_ROWS, "reads rows")):
        panel = Panel(
            (-0.6, end),
            (0.8, 1.3),
            heading=f"a transpose that {name}: time in diagonal order, plain order = 1",
            height=190,
        )
        panel.ticks_x(
            [*((place, size) for size, place in places.items()), (len(sizes) + 0.6, "published")]
        )
        panel.boxes([(-0.6, end, 0.97, 1.03)], GREY, PALE)
        for gpu in facts.measured:
            pairs = []
            for size, place in places.items():
                at = {"rows": size, "columns": size, "block": "16x16"}
                pairs.append((place, gpu.row(f"{kernel}_diagonal", **at), gpu.row(kernel, **at)))
            shown |= ratios(panel, gpu, pairs)
        for index, device in enumerate(facts.published):
            at = {"block": "16x16"}
            place = len(sizes) + 0.15 + 0.3 * index
            shown |= ratios(
                panel,
                device,
                [(place, device.row(f"{kernel}_diagonal", **at), device.row(kernel, **at))],
            )
        predicted = collect(
            facts.emulated,
            lambda each, kernel=kernel: [
                (
                    places.get("2048", 0.0),
                    each.ratio(
                        each.row(f"{kernel}_diagonal", rows=2048), each.row(kernel, rows=2048)
                    ),
                )
            ],
        )
        shown |= draw(panel, predicted, predicted=True, form="")
        panel.label(0.965, "grey: within 3 %", GREY)
        panels.append(panel)
    return Chart(_transpose_diagonal_title(facts.gpu), panels, key(shown))


def _transpose_diagonal_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    found = {}
    for kernel in (_COLUMNS, _ROWS):
        pairs = [
            gpu.ratio(
                row,
                gpu.row(
                    kernel, **{key: parameter(row, key) for key in ("rows", "columns", "block")}
                ),
            )
            for row in gpu.rows(f"{kernel}_diagonal")
        ]
        found[kernel] = [ratio for ratio in pairs if ratio is not None]
    if not all(found.values()):
        return ""
    every = [ratio for each in found.values() for ratio in each]
    helped = sum(ratio < 0.97 for ratio in every)
    none = "never helps" if helped == 0 else f"helps in {helped} of {len(every)} cases"
    low, high = min(every), max(every)
    return (
        f"Diagonal order takes {low:.2f} to {high:.2f} times the time of plain order on the {gpu.name}; "
        f"it {none}"
    )


_SHAPES = (
    "32x32",
    "32x16",
    "32x8",
    "16x32",
    "16x16",
    "16x8",
    "8x32",
    "8x16",
    "8x8",
    "4x64",
    "4x32",
)


def transpose_thin_blocks(facts: Facts) -> Chart:
    """Bandwidth by the shape of a block, 16x16 = 1, and what each shape fetches."""
    ticks = [(float(place), shape) for place, shape in enumerate(_SHAPES)]
    time = Panel(
        (-0.5, 10.5),
        (0, 1.35),
        heading="reading columns: bandwidth, blocks of 16x16 = 1",
        height=220,
    )
    fetched = Panel(
        (-0.5, 10.5),
        (0, 108),
        heading="reading columns: bytes used of those fetched, %",
        height=180,
    )
    time.ticks_x(ticks)
    fetched.ticks_x(ticks)
    shown: set[Evidence] = set()
    for device in (*facts.measured, *facts.published):
        base = device.row(_COLUMNS, block="16x16", **_LARGE)
        pairs = [
            (float(place), device.row(_COLUMNS, block=shape, **_LARGE), base)
            for place, shape in enumerate(_SHAPES)
        ]
        shown |= ratios(time, device, pairs, metric="bytes_per_second")
    time.reference(1, "as 16x16")
    if not shown:
        time.nothing()
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (
                float(place),
                each.value(each.row(_COLUMNS, block=shape, rows=2048), "load_efficiency"),
            )
            for place, shape in enumerate(_SHAPES)
        ],
    )
    shown |= draw(fetched, counted)
    if not counted:
        fetched.nothing(NO_COUNTS.format("13"))
    return Chart(_transpose_thin_blocks_title(facts.gpu), [time, fetched], key(shown))


def _transpose_thin_blocks_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    base = gpu.row(_COLUMNS, block="16x16", **_LARGE)
    found = {
        shape: gpu.ratio(gpu.row(_COLUMNS, block=shape, **_LARGE), base, "bytes_per_second")
        for shape in _SHAPES
    }
    known = {shape: ratio for shape, ratio in found.items() if ratio is not None}
    thin = known.get("8x32")
    if not known or thin is None:
        return ""
    best = max(known, key=lambda shape: known[shape])
    ending = "no shape is better" if best == "8x32" else f"{best} is the best: {times(known[best])}"
    return f"Blocks of 8x32 have {times(thin)} the bandwidth of 16x16 on the {gpu.name}; {ending}"


_LADDER = [
    (_COLUMNS, {"block": "8x32"}, "no shared memory, 8x32"),
    ("transpose_tile", {"block": "32x8"}, "tile"),
    ("transpose_tile_padded", {"block": "32x8"}, "padded tile"),
    ("transpose_tile_swizzled", {"block": "32x8"}, "swizzled tile"),
    ("transpose_tile_unrolled", {"order": "across"}, "unrolled, across"),
    ("transpose_tile_unrolled", {"order": "down"}, "unrolled, down"),
    ("transpose_vectors", {"type": "float", "tile": "64x64", "order": "down"}, "16-byte vectors"),
    ("transpose_vectors_prefetch", {"type": "float"}, "vectors, prefetched"),
    ("transpose", {"type": "float"}, "the fastest of ours"),
    ("cublas_sgeam", {}, "cuBLAS"),
]


def transpose_shared(facts: Facts) -> Chart:
    """Bandwidth of the steps to a copy; passes through the banks."""
    speed = Panel(
        (0, 118), (0.4, 10.6), heading="16384 x 16384 floats: bandwidth, % of memcpy", height=330
    )
    speed.ticks_y((10.0 - place, label) for place, (_, _, label) in enumerate(_LADDER))
    gpu = facts.gpu
    shown: set[Evidence] = set()
    for place, (kernel, case, _) in enumerate(_LADDER if gpu else ()):
        row = gpu.row(kernel, **case, **_LARGE) if gpu else None
        share = gpu.of_memcpy([row])[0] if gpu and row else None
        if share is None:
            continue
        shown.add(Evidence.MEASURED)
        y = 10.0 - place
        look = ORANGE if kernel == "cublas_sgeam" else GREY if place == 0 else BLUE
        speed.boxes([(0, 100 * share[0], y - 0.36, y + 0.36)], look)
        speed.text(100 * share[0] + 1, y, percent(share[0]))
    if not shown:
        speed.nothing()
    passes = Panel(
        (-0.5, 3.5),
        (0.8, 80),
        log_y=True,
        heading="passes through the banks for each 32 elements",
        height=170,
    )
    passes.ticks_x((float(place), label) for place, (_, _, label) in enumerate(_LADDER[1:4]))
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (
                float(place),
                _passes(each, each.row(kernel, rows=2048, columns=2048, cache="cold", **case)),
            )
            for place, (kernel, case, _) in enumerate(_LADDER[1:4])
        ],
    )
    shown |= draw(passes, counted, form="")
    passes.x = (-0.5, 2.5)
    if not counted:
        passes.nothing(NO_COUNTS.format("14"))
    return Chart(_transpose_shared_title(gpu), [speed, passes], key(shown))


def _passes(device: Device, row: str | None) -> float | None:
    load, store = (device.value(row, f"shared_{kind}_wavefronts") for kind in ("load", "store"))
    return None if load is None or store is None else (load + store) / (2048 * 2048 / 32)


def _transpose_shared_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    share = {}
    for kernel, case, label in _LADDER:
        row = gpu.row(kernel, **case, **_LARGE)
        found = gpu.of_memcpy([row])[0] if row else None
        if found:
            share[label] = found[0]
    wanted = ("tile", "padded tile", "the fastest of ours", "cuBLAS")
    if any(label not in share for label in wanted):
        return ""
    tile, padded, best, library = (share[label] for label in wanted)
    return (
        f"Padding the tile lifts a transpose from {percent(tile)} to {percent(padded)} of memcpy on the "
        f"{gpu.name}; the fastest has {percent(best)}, cuBLAS {percent(library)}"
    )
