"""Charts of chapters 15 to 20: shared memory, matrix products and unified memory."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.curves import collect, draw, ratios
from notebook.charts.evidence import Device, Facts, number, parameter
from notebook.charts.look import (
    BLUE,
    CLAIMED,
    GREEN,
    GREY,
    ORANGE,
    PLAIN,
    Evidence,
    Style,
    key,
)
from notebook.charts.marks import BOXES, CENTER, Chart, Panel
from notebook.charts.reads import NO_COUNTS
from notebook.charts.words import percent, times


def bank_conflicts(facts: Facts) -> Chart:
    """Clocks of a request against its passes; passes against the stride."""
    clocks = Panel(
        (0.85, 40),
        (0.85, 40),
        log_x=True,
        log_y=True,
        heading="clocks of a request on one SM",
        height=300,
    )
    ticks = [(2.0**power, str(2**power)) for power in range(6)]
    clocks.ticks_x(ticks)
    clocks.ticks_y(ticks)
    clocks.line([(0.85, 0.85), (40, 40)], CLAIMED, "thin")
    clocks.label(40, "a clock a pass", CLAIMED)
    shown: set[Evidence] = set()
    for gpu in facts.measured:
        points = _clocks_and_passes(gpu)
        clocks.points(points, gpu.style)
        if points:
            clocks.label(max(points)[1], gpu.name, gpu.style)
            shown.add(gpu.evidence)
    if not shown:
        clocks.nothing()
    passes = Panel(
        (0.5, 32.5), (0, 34), heading="passes of one request of 4-byte elements", height=180
    )
    passes.ticks_x((float(stride), str(stride)) for stride in (1, 2, 4, 8, 12, 16, 20, 24, 28, 32))
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (
                number(row, "stride"),
                each.over(row, "shared_load_wavefronts", "shared_load_requests"),
            )
            for row in each.rows("load_strided", element=4, sharers=1)
        ],
    )
    shown |= draw(passes, counted)
    if not counted:
        passes.nothing(NO_COUNTS.format("15"))
    return Chart(_bank_conflicts_title(facts.gpu), [clocks, passes], key(shown))


def _clocks_and_passes(gpu: Device) -> list[tuple[float, float]]:
    """Of loads by one block, so that the clocks are those of one SM."""
    found = []
    for row in gpu.rows("load_strided"):
        passes = gpu.over(row, "shared_load_wavefronts", "shared_load_requests")
        time, requests = gpu.value(row, "time"), gpu.value(row, "shared_load_requests")
        if passes and time and requests and gpu.result.sm_clock_mhz:
            found.append((passes, time * gpu.result.sm_clock_mhz / requests))
    return found


def _bank_conflicts_title(gpu: Device | None) -> str:
    points = _clocks_and_passes(gpu) if gpu else []
    if gpu is None or not points:
        return ""
    most = max(abs(clocks / passes - 1) for passes, clocks in points)
    extra = max(abs(clocks - passes) for passes, clocks in points)
    ways = max(passes for passes, _ in points)
    if most > 0.25:
        return ""
    return (
        f"A bank conflict costs a clock a pass on the {gpu.name}: {len(points)} patterns of 1 to {ways:.0f} "
        f"passes lie within {extra:.1f} clocks of that line"
    )


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
    found = []
    for kernel, case, label in _NAIVE if gpu and counted else ():
        assert gpu and counted
        lines = counted.over(counted.row(kernel, m=256, **case), "load_lines", "load_requests")
        row = gpu.row(kernel, m=1024, **case)
        time, requests = gpu.value(row, "time"), gpu.value(row, "load_requests")
        if lines and time and requests and gpu.result.sm_clock_mhz:
            clocks = time * gpu.result.sm_clock_mhz * gpu.result.sm_count / (requests / 2)
            found.append((label, 2 * lines, clocks))
    return found


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
            below = label in ("16x16 columns", "32x32 columns")
            clocks.text(
                x * (0.93 if below else 1.06),
                y * (1.0 if below else 0.93),
                label,
                "right" if below else "left",
            )
    else:
        clocks.nothing()
    sectors = Panel((-0.5, 4.5), (0, 36), heading="sectors of a step, counted", height=150)
    sectors.ticks_x((float(place), label) for place, (_, _, label) in enumerate(_NAIVE))
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (
                float(place),
                _twice(each.over(each.row(kernel, m=256, **case), "load_sectors", "load_requests")),
            )
            for place, (kernel, case, _) in enumerate(_NAIVE)
        ],
    )
    shown = draw(sectors, counted, form="") | ({Evidence.MEASURED} if points else set())
    if not counted:
        sectors.nothing(NO_COUNTS.format("16"))
    return Chart(_matmul_naive_title(facts), [clocks, sectors], key(shown))


def _twice(value: float | None) -> float | None:
    return None if value is None else 2 * value


def _matmul_naive_title(facts: Facts) -> str:
    points, gpu = _steps(facts), facts.gpu
    if gpu is None or len(points) < 3:
        return ""
    shares = [clocks / lines for _, lines, clocks in points]
    row, column = points[0], points[-1]
    return (
        f"A step of a naive product takes {min(shares):.1f} to {max(shares):.1f} clocks a line on the {gpu.name}: "
        f"{column[1]:.0f} lines down columns, {row[1]:.0f} along rows, {times(column[2] / row[2])} the time"
    )


_STAIRS = [
    ("load_requests", "load requests"),
    ("load_sectors", "load sectors"),
    ("l2_read_sectors", "sectors read from L2"),
    ("time", "time"),
]


def _stairs(device: Device, size: int, width: int) -> list[tuple[str, float]]:
    naive = device.row("matmul_naive", block=f"{width}x{width}", m=size)
    tiled = device.row("matmul_tiled", tile=width, m=size)
    found = [(label, device.ratio(naive, tiled, metric)) for metric, label in _STAIRS]
    return [(label, ratio) for label, ratio in found if ratio is not None]


def matmul_tiled(facts: Facts) -> Chart:
    """What tiles save, from the requests to the time."""
    panels = []
    shown: set[Evidence] = set()
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
            for device in (*facts.measured, *facts.emulated[-1:]):
                size = 4096 if device.evidence is Evidence.MEASURED else 256
                ratio = dict(_stairs(device, size, width)).get(label)
                is_new = (
                    device.evidence is Evidence.MEASURED
                    or (label == "time" and ratio is not None)
                    or not facts.measured
                )
                if ratio is not None and is_new:
                    group.append(bar(device, ratio, f"{ratio:.1f}x"))
                    shown.add(device.evidence)
            groups.append((label, group))
        bars(panel, groups)
        panel.line([(width, 0), (width, panel.y[1])], CLAIMED, "thin")
        panel.text(width + 0.3, 0.6, f"book: {width}x", style=CLAIMED)
        panels.append(panel)
    return Chart(_matmul_tiled_title(facts.gpu), panels, key(shown, bars=True))


def _matmul_tiled_title(gpu: Device | None) -> str:
    found = dict(_stairs(gpu, 4096, 16)) if gpu else {}
    if gpu is None or len(found) < len(_STAIRS):
        return ""
    requests, sectors, l2, time = (found[label] for _, label in _STAIRS)
    l2_words = f"and L2 reads {times(l2)}" if l2 > 1.1 else f"but not L2 reads ({times(l2)})"
    return (
        f"Tiles of 16 cut requests {times(requests)} and sectors {times(sectors)}, {l2_words}: "
        f"the time falls {times(time)} on the {gpu.name}"
    )


_WIDTHS = (4, 8, 16, 32)


def matmul_tile_width(facts: Facts) -> Chart:
    """Speed against the width of a tile; occupancy against its shared memory."""
    ticks = [(float(place), f"{width}x{width}") for place, width in enumerate(_WIDTHS)]
    speed = Panel((-0.3, 3.3), (0, 2.4), heading="speed, tiles of 16 = 1", height=220)
    speed.ticks_x(ticks)
    shown: set[Evidence] = set()
    for device in (*facts.measured, *facts.published):
        at = {"type": "float", "m": 2048}
        base = device.row("matmul_tiled_bounded", tile=16, **at)
        pairs = [
            (float(place), base, device.row("matmul_tiled_bounded", tile=width, **at))
            for place, width in enumerate(_WIDTHS)
        ]
        is_ours = device.evidence is Evidence.MEASURED
        shown |= ratios(speed, device, pairs, label=None if is_ours else "")
    if not shown:
        speed.nothing()
    if Evidence.PUBLISHED in shown:
        speed.label(0.9, f"{len(facts.published)} GPUs, published", GREY)
    speed.line([(place, width / 16) for place, width in enumerate(_WIDTHS)], CLAIMED, "thin")
    speed.label(2.0, "book: as the width", CLAIMED)
    occupancy = Panel((-0.3, 3.3), (0, 108), heading="theoretical occupancy, %", height=180)
    occupancy.ticks_x(ticks)
    counted = collect(
        (*facts.emulated, *facts.measured),
        lambda each: [
            (
                float(place),
                each.value(
                    each.row("matmul_tiled_bounded", type="float", tile=width, m=192),
                    "theoretical_occupancy",
                ),
            )
            for place, width in enumerate(_WIDTHS)
        ],
    )
    shown |= draw(occupancy, counted)
    if not counted:
        occupancy.nothing(NO_COUNTS.format("18"))
    return Chart(_matmul_tile_width_title(facts.gpu), [speed, occupancy], key(shown))


def _matmul_tile_width_title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    at = {"type": "float", "m": 2048}
    rows = [gpu.row("matmul_tiled_bounded", tile=width, **at) for width in _WIDTHS]
    found = [
        gpu.ratio(wide, narrow, "flops_per_second")
        for narrow, wide in zip(rows, rows[1:], strict=False)
    ]
    gains = [gain for gain in found if gain is not None]
    if len(gains) != 3:
        return ""
    return (
        f"Twice the width does not stay twice the speed: on the {gpu.name} 4 to 8 brings {gains[0]:.1f}x, "
        f"8 to 16 {gains[1]:.1f}x, 16 to 32 {gains[2]:.1f}x"
        if gains[2] < 1.9
        else f"Twice the width is {gains[0]:.1f}x, {gains[1]:.1f}x and {gains[2]:.1f}x the speed on the {gpu.name}"
    )


_FAST = [
    ("matmul_tiled", {"tile": "32"}, "tiles of 32"),
    ("matmul_thread_tiles", {"tile": "128x128"}, "thread tiles"),
    ("matmul_vectorised", {"tile": "128x128"}, "16-byte loads"),
    ("matmul_double_buffered", {"tile": "picked"}, "double buffers"),
    ("matmul_bulk", {"tile": "picked"}, "bulk copies"),
    ("cublas_sgemm", {}, "cuBLAS"),
]


def _speed(gpu: Device, kernel: str, case: dict[str, str]) -> float | None:
    return gpu.ratio(
        gpu.row(kernel, m=4096, **case), gpu.row("cublas_sgemm", m=4096), "flops_per_second"
    )


def matmul_fast(facts: Facts) -> Chart:
    """The steps to cuBLAS, and the passes through shared memory that each needs."""
    speed = Panel(
        (0, 118),
        (0.4, 6.6),
        heading="4096 cubed, FP32 without tensor cores: FLOP/s, % of cuBLAS",
        height=230,
    )
    speed.ticks_y((6.0 - place, label) for place, (_, _, label) in enumerate(_FAST))
    gpu = facts.gpu
    shown: set[Evidence] = set()
    for place, (kernel, case, _) in enumerate(_FAST if gpu else ()):
        share = _speed(gpu, kernel, case) if gpu else None
        if share is None:
            continue
        shown.add(Evidence.MEASURED)
        y = 6.0 - place
        speed.boxes(
            [(0, 100 * share, y - 0.36, y + 0.36)], ORANGE if kernel == "cublas_sgemm" else BLUE
        )
        speed.text(100 * share + 1, y, percent(share))
    if gpu:
        peak = gpu.ratio(
            gpu.row("fma_chains", m=4096), gpu.row("cublas_sgemm", m=4096), "flops_per_second"
        )
        if peak:
            speed.x = (0, max(118.0, 100 * peak + 22))
            speed.line([(100 * peak, 0.4), (100 * peak, 6.6)], CLAIMED, "thin")
            speed.text(100 * peak + 1, 6.0, "FMAs alone", style=CLAIMED)
    if not shown:
        speed.nothing()
    passes = Panel(
        (-0.5, 4.5),
        (0.2, 12),
        log_y=True,
        heading="passes through shared memory for each 128 multiply-adds",
        height=150,
    )
    passes.ticks_x((float(place), label) for place, (_, _, label) in enumerate(_FAST[:5]))
    counted = collect(
        facts.emulated,
        lambda each: [
            (float(place), _passes(each, kernel)) for place, (kernel, _, _) in enumerate(_FAST[:5])
        ],
    )
    shown |= draw(passes, counted, form="")
    passes.reference(1, "as the arithmetic")
    if not counted:
        passes.nothing(NO_COUNTS.format("19"))
    return Chart(_matmul_fast_title(gpu), [speed, passes], key(shown))


def _passes(device: Device, kernel: str) -> float | None:
    row = next(
        (row for row in device.rows(kernel, m=256) if parameter(row, "tile") in ("32", "128x128")),
        None,
    )
    wavefronts = device.value(row, "shared_load_wavefronts")
    return None if wavefronts is None else wavefronts / (256**3 / 128)


def _matmul_fast_title(gpu: Device | None) -> str:
    found = [_speed(gpu, kernel, case) for kernel, case, _ in _FAST] if gpu else []
    known = [share for share in found if share is not None]
    if gpu is None or len(known) < len(_FAST):
        return ""
    tiled, threads, *_, best, _ = known
    return (
        f"Tiles reach {percent(tiled)} of cuBLAS on the {gpu.name}, an 8x8 tile for each thread {percent(threads)}, "
        f"bulk copies {percent(best)}"
    )


_MEMORIES = [
    ("explicit", "explicit copies"),
    ("managed", "managed"),
    ("prefetched", "managed, prefetched"),
    ("kept_on_host", "managed, kept on the host"),
]
_PHASES: list[tuple[str, str, Style]] = [
    ("initialise", "initialise", PLAIN),
    ("to_device", "to the device", BLUE),
    ("first_touch", "first kernel", ORANGE),
    ("read_back", "read back", GREEN),
]


def unified_memory(facts: Facts) -> Chart:
    """Where the time goes: phases that add up to the total."""
    panel = Panel(
        (0, 1),
        (0.3, 4.9),
        heading="6144 x 6144 floats: time from allocation to the result on the host, ms",
        height=260,
    )
    panel.ticks_y((4.0 - place, label) for place, (_, label) in enumerate(_MEMORIES))
    gpu, shown = facts.gpu, set()
    widest = 1.0
    for place, (memory, _) in enumerate(_MEMORIES if gpu else ()):
        end = 0.0
        y = 4.0 - place
        for phase, label, look in _PHASES:
            time = _phase(gpu, memory, phase)
            if time is None:
                continue
            shown.add(Evidence.MEASURED)
            panel.boxes([(end, end + time, y - 0.33, y + 0.33)], look, BOXES)
            if place == 0:
                panel.text(end + time / 2, 4.62, label if time > 8 else "", CENTER, look)
            end += time
        total = _phase(gpu, memory, "total")
        if total is not None:
            panel.text(end + 2, y, f"{total:.0f} ms")
            widest = max(widest, end)
    if not shown:
        panel.nothing()
    panel.x = (0, widest * 1.12)
    if shown:
        panel.text(widest * 0.72, 1.0, "orange: first kernel", style=ORANGE)
    return Chart(_unified_memory_title(gpu), [panel], key(shown, bars=True))


def _phase(gpu: Device | None, memory: str, phase: str) -> float | None:
    time = (
        gpu.value(gpu.row("add_matrices", memory=memory, phase=phase, rows=6144), "time")
        if gpu
        else None
    )
    return None if time is None else time / 1000


def _unified_memory_title(gpu: Device | None) -> str:
    explicit, managed, prefetched, first = (
        _phase(gpu, memory, phase)
        for memory, phase in (
            ("explicit", "total"),
            ("managed", "total"),
            ("prefetched", "total"),
            ("managed", "first_touch"),
        )
    )
    if gpu is None or explicit is None or managed is None or prefetched is None or first is None:
        return ""
    return (
        f"Managed memory takes {percent(managed / explicit)} of the time of explicit copies on the {gpu.name}, "
        f"prefetched {percent(prefetched / explicit)}; the first kernel waits {first:.0f} ms for its pages"
    )
