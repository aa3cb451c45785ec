"""Clocks of a step against its lines; lines of a step by generation."""

from notebook.charts.curves import counts
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import CLAIMED, Evidence, key
from notebook.charts.marks import CENTER, RIGHT, Chart, Panel

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


def chart(facts: Facts) -> Chart:
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
    return Chart(_title(facts), [clocks, sectors], note)


def _twice(value: float | None) -> float | None:
    return None if value is None else 2 * value


def _title(facts: Facts) -> str:
    points, gpu = _steps(facts), facts.gpu
    if gpu is None or len(points) < 3:
        return ""
    row, column = points[0], points[-1]
    times = f"{column[2] / row[2]:.3g}x"
    return f"{gpu.name}: {column[1]:.0f} lines take {times} the time of {row[1]:.0f}"


def _sectors(device: Device | None) -> list[float | None]:
    """Of each naive product, the sectors of a step."""
    if device is None:
        return [None]
    rows = [device.row(kernel, m=256, **case) for kernel, case, _ in _NAIVE]
    return [_twice(device.over(row, "load_sectors", "load_requests")) for row in rows]
