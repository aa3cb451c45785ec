"""The chart of how much of the L2 a copy needs, and for which of its lines."""

from notebook.charts.evidence import LARGEST, SET_ASIDE, Device
from notebook.charts.look import BLUE, ORANGE, PLAIN, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.sources import Sources
from notebook.charts.words import times

_SERIES = (
    ("copy_wide", "for other data", PLAIN),
    ("copy_keep_reads", "for the copy's reads", ORANGE),
    ("copy_keep_writes", "for the copy's writes", BLUE),
)
# Megabytes of the L2 that CUDA sets aside at most, and all of it, which results do not state.
_MOST_ASIDE = {"nvidia-h200": (39.3216, 62.91456)}
_PERCENTS = (30, 40, 50, 60, 80, 100)
_COPY: dict[str, object] = {"block": 512, "n": LARGEST}


def l2_room(sources: Sources) -> Chart | None:
    """Time of a copy against the part of the L2 that is set aside; None where no GPU has timed it."""
    gpu = sources.facts("07").gpu
    if gpu is None:
        return None
    heading = f"{gpu.name}: time of a copy of 2 GiB, nothing of the L2 set aside = 1"
    panel = Panel((-3, 103), (0, 3.6), heading=heading, height=400)
    panel.ticks_x((float(percent), f"{percent} %") for percent in range(0, 101, 20))
    panel.reference(1, "nothing set aside")
    slowest: dict[str, float] = {}
    for kernel, label, look in _SERIES:
        points = _slowdowns(gpu, kernel)
        if len(points) < 2:
            return None
        panel.line(points, look)
        panel.points(points, look)
        panel.label(points[-1][1], f"{label}: {times(points[-1][1])}", look)
        slowest[kernel] = points[-1][1]
    most = _MOST_ASIDE.get(gpu.result.device)
    note = f"100 %: {most[0]:.0f} of the {most[1]:.0f} MB of L2" if most else ""
    return Chart(_title(gpu, slowest), [panel], key({Evidence.MEASURED})).noted(note)


def _title(gpu: Device, slowest: dict[str, float]) -> str:
    return f"{gpu.name}: without most of the L2 copies take {times(slowest['copy_wide'])}"


def _slowdowns(gpu: Device, kernel: str) -> list[tuple[float, float]]:
    """Percent set aside, and the time over that of the plain copy with all of the L2."""
    with_all = gpu.row("copy_wide", **_COPY)
    aside = [(percent, gpu.row(kernel, **_COPY, **{SET_ASIDE: percent})) for percent in _PERCENTS]
    rows = [(0, gpu.row(kernel, **_COPY)), *aside]
    every = [(float(percent), gpu.ratio(row, with_all)) for percent, row in rows]
    return [(percent, ratio) for percent, ratio in every if ratio is not None]
