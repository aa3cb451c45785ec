"""What tiles save, from the requests to the time."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import CLAIMED, QUIET, Evidence, key
from notebook.charts.marks import OUTLINED, RIGHT, Chart, Panel
from notebook.charts.words import times as x_times

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


def chart(facts: Facts) -> Chart:
    panels = []
    shown: set[Evidence] = set()
    for width, claim in ((16, "sixteen_times_faster"), (32, "thirty_two_times_faster")):
        predicted = facts.predicted(facts.measured, claim)
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
                if ratio and label == "time":
                    group.append(Bar(device.name, ratio, f"{ratio:.1f}x", QUIET, OUTLINED))
                    shown.add(Evidence.PREDICTED)
            groups.append((label, group))
        bars(panel, groups)
        panel.line([(width, 0), (width, panel.y[1])], CLAIMED, "thin")
        # Below the longest bars, where nothing else is that far right.
        panel.text(width - 0.3, 0.6 * panel.y[1], f"book: loads and time, {width}x", RIGHT, CLAIMED)
        panels.append(panel)
    sizes = "measured at 4096 cubed, predicted at 256 cubed" if Evidence.PREDICTED in shown else ""
    return Chart(_title(facts.gpu), panels, key(shown, bars=True)).noted(sizes)


def _ends(predicted: list[Device], width: int) -> list[Device]:
    """The generations that tiles speed up most and least."""
    known = [
        (ratio, place)
        for place, device in enumerate(predicted)
        if (ratio := dict(_stairs(device, 256, width)).get("time"))
    ]
    return [predicted[place] for _, place in (max(known), min(known))] if known else []


def _title(gpu: Device | None) -> str:
    time = dict(_stairs(gpu, 4096, 16)).get("time") if gpu else None
    return f"{gpu.name}: tiles of 16 are {x_times(time)} as fast, not 16x" if gpu and time else ""
