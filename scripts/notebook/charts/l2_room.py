"""The chart of how much of the L2 a copy needs, and for which of its lines."""

from notebook.charts.evidence import LARGEST, SET_ASIDE, Device
from notebook.charts.look import BLUE, ORANGE, PLAIN, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.sources import Sources
from notebook.charts.words import times

_SERIES = (
    ("copy_wide", "not for the copy", PLAIN),
    ("copy_keep_reads", "for what it reads", ORANGE),
    ("copy_keep_writes", "for what it writes", BLUE),
)
_PERCENTS = (30, 40, 50, 60, 80, 100)
_COPY: dict[str, object] = {"block": 512, "n": LARGEST}


def l2_room(sources: Sources) -> Chart | None:
    """Time of a copy against the part of the L2 that is set aside; None where no GPU has timed it."""
    gpu = sources.facts("07").gpu
    if gpu is None:
        return None
    heading = "time of a copy of 2 GiB, with all of the L2 = 1"
    panel = Panel((-3, 103), (0, 3.6), heading=heading, height=400)
    panel.ticks_x((float(percent), f"{percent} %") for percent in range(0, 101, 20))
    panel.reference(1, "all of the L2")
    longest = 0.0
    for kernel, label, look in _SERIES:
        points = _slowdowns(gpu, kernel)
        if len(points) < 2:
            return None
        panel.line(points, look)
        panel.points(points, look)
        panel.label(points[-1][1], f"{label}: {times(points[-1][1])}", look)
        longest = max(longest, points[-1][1])
    title = (
        f"Without most of the L2 a copy on the {gpu.name} takes {times(longest)} the time for the same bytes of DRAM: "
        "what it has written needs room"
    )
    return Chart(title, [panel], key({Evidence.MEASURED}))


def _slowdowns(gpu: Device, kernel: str) -> list[tuple[float, float]]:
    """Percent set aside, and the time over that of the plain copy with all of the L2."""
    with_all = gpu.row("copy_wide", **_COPY)
    aside = [(percent, gpu.row(kernel, **_COPY, **{SET_ASIDE: percent})) for percent in _PERCENTS]
    rows = [(0, gpu.row(kernel, **_COPY)), *aside]
    every = [(float(percent), gpu.ratio(row, with_all)) for percent, row in rows]
    return [(percent, ratio) for percent, ratio in every if ratio is not None]
