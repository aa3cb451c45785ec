"""Charts of chapters 16 to 18: matrix products, naive and tiled."""

from itertools import pairwise

from notebook import device_names
from notebook.charts.bars import Bar, bar, bars
from notebook.charts.curves import counts, ratios
from notebook.charts.evidence import Device, Facts, complete
from notebook.charts.look import CLAIMED, Evidence, key
from notebook.charts.marks import CENTER, RIGHT, Chart, Panel
from notebook.charts.words import times as x_times

_NAIVE = [
    ("matmul_naive", {"block": "32x32"}, "32x32"),
    ("matmul_naive", {"block": "16x16"}, "16x16"),
    ("matmul_naive", {"block": "8x8"}, "8x8"),
    ("matmul_naive_down_columns", {"block": "16x16"}, "16x16 columns"),
    ("matmul_naive_down_columns", {"block": "32x32"}, "32x32 columns"),
]


def _steps(facts: Facts) -> list[tuple[str, float, float]]:
    """For each naive product its lines and its clocks for a step of a warp: two loads, one multiply-add."""
    gpu = facts.gpu
    counted = facts.of(gpu.generation) if gpu else None
    steps = []
    for kernel, case, label in _NAIVE if gpu and counted else ():
        assert gpu and counted
        lines = counted.over(counted.row(kernel, m=256, **case), "load_lines", "load_requests")
        row = gpu.row(kernel, m=1024, **case)
        time, requests = gpu.value(row, "time"), gpu.value(row, "load_requests")
        if lines and time and requests and gpu.result.sm_clock_mhz:
            clocks = time * gpu.result.sm_clock_mhz * gpu.result.sm_count / (requests / 2)
            steps.append((label, 2 * lines, clocks))
    return steps


def matmul_naive(facts: Facts) -> Chart:
    """Clocks of a step against its lines; lines of a step by generation."""
    clocks = Panel(
        (1.5, 45),
        (1.5, 45),
        log_x=True,
        log_y=True,
        heading="clocks of an SM for a step of a warp: two loads, one multiply-add",
        height=320,
    )
    ticks = [(float(value), str(value)) for value in (2, 4, 8, 16, 32)]
    clocks.ticks_x(ticks)
    clocks.ticks_y(ticks)
    clocks.line([(1.5, 1.5), (45, 45)], CLAIMED, "thin")
    clocks.label(45, "a clock a line", CLAIMED)
    points = _steps(facts)
    if facts.gpu and points:
        clocks.points([(x, y) for _, x, y in points], facts.gpu.style)
        clocks.label(points[-1][2], facts.gpu.name, facts.gpu.style)
        for label, x, y in points:
            # Away from the line, which passes just below the points.
            if "columns" in label:
                clocks.text(0.93 * x, y, label, RIGHT)
            else:
                clocks.text(x, 1.12 * y, label, CENTER)
    else:
        clocks.nothing()
    sectors = Panel((-0.5, 4.5), (0, 36), heading="sectors of a step", height=150)
    sectors.ticks_x((float(place), label) for place, (_, _, label) in enumerate(_NAIVE))
    shown = counts(
        sectors,
        "16",
        facts.counted,
        lambda device: [(float(place), y) for place, y in enumerate(_sectors(device))],
        joined=False,
    ) | ({Evidence.MEASURED} if points else set())
    note = (
        f"{key(shown)}   32x32: the threads of a block; columns: those of a warp go down a column"
    )
    return Chart(_matmul_naive_title(facts), [clocks, sectors], note)


def _twice(value: float | None) -> float | None:
    return None if value is None else 2 * value


def _matmul_naive_title(facts: Facts) -> str:
    points, gpu = _steps(facts), facts.gpu
    if gpu is None or len(points) < 3:
        return ""
    by_line = [clocks / lines for _, lines, clocks in points]
    row, column = points[0], points[-1]
    other = ""
    sectors = complete(_sectors(facts.of(gpu.generation)))
    if sectors and len(sectors) == len(points):
        by_sector = [clocks / count for (_, _, clocks), count in zip(points, sectors, strict=True)]
        if max(by_line) / min(by_line) < max(by_sector) / min(by_sector):
            other = ", not the sectors"
    return (
        f"A naive product's time follows the lines that a warp touches{other}: on the {gpu.name} "
        f"{column[1]:.0f} lines take {column[2] / row[2]:.3g}x the time of {row[1]:.0f}"
    )


def _sectors(device: Device | None) -> list[float | None]:
    """Of each naive product, the sectors of a step."""
    if device is None:
        return [None]
    rows = [device.row(kernel, m=256, **case) for kernel, case, _ in _NAIVE]
    return [_twice(device.over(row, "load_sectors", "load_requests")) for row in rows]


_STAIRS = [
    ("load_requests", "load requests"),
    ("load_sectors", "load sectors"),
    ("l2_read_sectors", "sectors read from L2"),
    ("time", "time"),
]


def _stairs(device: Device, size: int, width: int) -> list[tuple[str, float]]:
    naive = device.row("matmul_naive", block=f"{width}x{width}", m=size)
    tiled = device.row("matmul_tiled", tile=width, m=size)
    by_metric = [(label, device.ratio(naive, tiled, metric)) for metric, label in _STAIRS]
    return [(label, ratio) for label, ratio in by_metric if ratio is not None]


def matmul_tiled(facts: Facts) -> Chart:
    """What tiles save, from the requests to the time."""
    panels = []
    shown: set[Evidence] = set()
    predicted = facts.predicted(facts.measured)
    for width in (16, 32):
        panel = Panel(
            (0, 37),
            (0, 1),
            heading=f"naive over tiled, tiles of {width}: how many times less",
            height=200,
        )
        groups: list[tuple[str, list[Bar]]] = []
        for _, label in _STAIRS:
            group = []
            for device in facts.measured:
                if ratio := dict(_stairs(device, 4096, width)).get(label):
                    group.append(bar(device, ratio, f"{ratio:.1f}x"))
                    shown.add(Evidence.MEASURED)
            for device in _ends(predicted, width):
                ratio = dict(_stairs(device, 256, width)).get(label)
                if ratio and (label == "time" or not facts.measured):
                    group.append(bar(device, ratio, f"{ratio:.1f}x"))
                    shown.add(Evidence.PREDICTED if label == "time" else Evidence.COUNTED)
            groups.append((label, group))
        bars(panel, groups)
        panel.line([(width, 0), (width, panel.y[1])], CLAIMED, "thin")
        # Below the longest bars, where nothing else is that far right.
        panel.text(width - 0.3, 0.6 * panel.y[1], f"book: loads and time, {width}x", RIGHT, CLAIMED)
        panels.append(panel)
    sizes = "measured at 4096 cubed, predicted at 256 cubed" if Evidence.PREDICTED in shown else ""
    return Chart(_matmul_tiled_title(facts.gpu), panels, key(shown, bars=True)).noted(sizes)


def _ends(predicted: list[Device], width: int) -> list[Device]:
    """The generations that tiles speed up most and least."""
    known = [
        (ratio, place)
        for place, device in enumerate(predicted)
        if (ratio := dict(_stairs(device, 256, width)).get("time"))
    ]
    return [predicted[place] for _, place in (max(known), min(known))] if known else []


def _matmul_tiled_title(gpu: Device | None) -> str:
    stairs = dict(_stairs(gpu, 4096, 16)) if gpu else {}
    if gpu is None or len(stairs) < len(_STAIRS):
        return ""
    requests, sectors, l2, time = (stairs[label] for _, label in _STAIRS)
    l2_words = f"and L2 reads {x_times(l2)}" if l2 > 1.1 else f"but not L2 reads ({x_times(l2)})"
    return (
        f"Tiles of 16 cut requests {x_times(requests)} and sectors {x_times(sectors)}, {l2_words}: "
        f"the time falls {x_times(time)} on the {gpu.name}{_wider(gpu)}"
    )


def _wider(gpu: Device) -> str:
    """By what factor tiles of 32 lower the time."""
    time = dict(_stairs(gpu, 4096, 32)).get("time")
    return f", {x_times(time)} with tiles of 32" if time else ""


_WIDTHS = (4, 8, 16, 32)


def matmul_tile_width(facts: Facts) -> Chart:
    """Speed against the width of a tile; occupancy against its shared memory."""
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
    title = _matmul_tile_width_title(facts.gpu)
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


def _matmul_tile_width_title(gpu: Device | None) -> str:
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
