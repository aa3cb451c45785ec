"""Charts of chapters 11, 13 and 14: what makes a transpose faster."""

from notebook.charts.bars import ladder, step_counts
from notebook.charts.curves import counts, ratios
from notebook.charts.evidence import Device, Facts, Ratio, complete
from notebook.charts.look import BLUE, GREY, ORANGE, Evidence, key
from notebook.charts.marks import LEFT, RIGHT, THIN, Chart, Panel
from notebook.charts.transposes import COLUMNS, LARGE, ROWS
from notebook.charts.words import NO_EFFECT, NO_EFFECT_LINES, percent

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
# Between the marks of one row, of which the next is 1 away: room for a name.
_APART = 0.21


def transpose_unroll4(facts: Facts) -> Chart:
    """Time of four elements a thread over that of one."""
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
    return Chart(_transpose_unroll4_title(facts.gpu), [panel], f"{key(shown)}   {NO_EFFECT_LINES}")


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


def _transpose_unroll4_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    estimates = []
    for kernel, suffix, l1, _ in _UNROLLED:
        at = {"block": "16x16", "l1": l1, **LARGE}
        estimates.append(_ratio(gpu, gpu.row(kernel + suffix, **at), gpu.row(kernel, **at)))
    known = complete(estimate[0] if estimate else None for estimate in estimates)
    if known is None:
        return ""
    on, off, first_on, first_off, *by_rows = known
    return (
        f"Reading columns on the {gpu.name}, four elements a thread take {on:.2f}x the time of one (L1 off: "
        f"{off:.2f}x), with all loads first {first_on:.2f}x ({first_off:.2f}x); reading rows "
        f"{min(by_rows):.2f}x to {max(by_rows):.2f}x"
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
        base = device.row(COLUMNS, block="16x16", **LARGE)
        pairs = [
            (float(place), device.row(COLUMNS, block=shape, **LARGE), base)
            for place, shape in enumerate(_SHAPES)
        ]
        shown |= ratios(time, device, pairs, metric="bytes_per_second", joined=False)
    time.reference(1, "dotted: as 16x16")
    if not shown:
        time.nothing()
    shown |= counts(
        fetched,
        "13",
        facts.counted,
        lambda device: [
            (
                float(place),
                device.value(device.row(COLUMNS, block=shape, rows=2048), "load_efficiency"),
            )
            for place, shape in enumerate(_SHAPES)
        ],
        joined=False,
    )
    return Chart(_transpose_thin_blocks_title(facts.gpu), [time, fetched], key(shown))


def _transpose_thin_blocks_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    base = gpu.row(COLUMNS, block="16x16", **LARGE)
    by_shape = {
        shape: gpu.ratio(gpu.row(COLUMNS, block=shape, **LARGE), base, "bytes_per_second")
        for shape in _SHAPES
    }
    known = {shape: ratio for shape, ratio in by_shape.items() if ratio is not None}
    thin = known.get("8x32")
    if not known or thin is None:
        return ""
    best = max(known, key=lambda shape: known[shape])
    ending = "no shape is better" if best == "8x32" else f"{best} is the best: {known[best]:.2f}x"
    used = complete(
        gpu.value(gpu.row(COLUMNS, block=shape, rows=2048), "load_efficiency")
        for shape in ("8x32", "4x64")
    )
    fetched = (
        f", though 4x64 uses {used[1]:.0f} % of what it fetches, 8x32 {used[0]:.0f} %"
        if used
        else ""
    )
    return (
        f"Reading columns, blocks of 8x32 have {thin:.2f}x the bandwidth of 16x16 on the {gpu.name}; "
        f"{ending}{fetched}"
    )


_LADDER = [
    (COLUMNS, {"block": "8x32"}, "no shared memory, 8x32"),
    ("transpose_tile", {"block": "32x8"}, "tile"),
    ("transpose_tile_padded", {"block": "32x8"}, "padded tile"),
    ("transpose_tile_swizzled", {"block": "32x8"}, "swizzled tile"),
    ("transpose_tile_unrolled", {"order": "across"}, "unrolled, across"),
    ("transpose_tile_unrolled", {"order": "down"}, "unrolled, down"),
    ("transpose_vectors", {"type": "float", "tile": "64x64", "order": "down"}, "16-byte vectors"),
    ("transpose_vectors_prefetch", {"type": "float"}, "vectors, prefetched"),
    ("transpose_vectors_evict_last", {"type": "float"}, "vectors, evicted last"),
    ("transpose_tensor", {"type": "float"}, "tensor copies (TMA)"),
    ("cublas_sgeam", {}, "cuBLAS"),
]


def transpose_shared(facts: Facts) -> Chart:
    """Bandwidth of the steps to a copy; passes through the banks."""
    gpu = facts.gpu
    steps = [
        (
            label,
            _share(gpu, kernel, case) if gpu else None,
            ORANGE if kernel == "cublas_sgeam" else GREY if kernel == COLUMNS else BLUE,
        )
        for kernel, case, label in _LADDER
    ]
    on = f"{gpu.name}, " if gpu else ""
    speed = ladder(steps, f"{on}16384 x 16384 floats: bandwidth, % of memcpy", 118, 330, 100)
    shown = {Evidence.MEASURED for _, share, _ in steps if share is not None}
    heading = (
        "passes through the banks for each 32 elements, one store and one load: 2 without conflicts"
    )
    passes = step_counts([label for _, _, label in _LADDER[1:4]], (0.8, 80), heading, 170)
    shown |= counts(
        passes,
        "14",
        facts.counted,
        lambda device: [
            (
                float(place),
                _passes(device, device.row(kernel, rows=2048, columns=2048, cache="cold", **case)),
            )
            for place, (kernel, case, _) in enumerate(_LADDER[1:4])
        ],
        joined=False,
    )
    return Chart(_transpose_shared_title(gpu), [speed, passes], key(shown))


def _passes(device: Device, row: str | None) -> float | None:
    load, store = (device.value(row, f"shared_{kind}_wavefronts") for kind in ("load", "store"))
    return None if load is None or store is None else (load + store) / (2048 * 2048 / 32)


def _share(gpu: Device, kernel: str, case: dict[str, str]) -> float | None:
    row = gpu.row(kernel, **case, **LARGE)
    ratio = gpu.of_memcpy([row])[0] if row else None
    return ratio[0] if ratio else None


def _transpose_shared_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    share = {label: _share(gpu, kernel, case) for kernel, case, label in _LADDER}
    library = share.pop("cuBLAS")
    tile, padded = share["tile"], share["padded tile"]
    if tile is None or padded is None or library is None:
        return ""
    best = max(value for value in share.values() if value is not None)
    counted = complete(
        _passes(gpu, gpu.row(kernel, rows=2048, columns=2048, cache="cold", **case))
        for kernel, case, _ in _LADDER[1:3]
    )
    why = f" ({counted[0]:.0f} passes through the banks, then {counted[1]:.0f})" if counted else ""
    return (
        f"Padding the tile lifts a transpose from {percent(tile)} to {percent(padded)} of memcpy on the "
        f"{gpu.name}{why}; the fastest has {percent(best)}, cuBLAS {percent(library)}"
    )
