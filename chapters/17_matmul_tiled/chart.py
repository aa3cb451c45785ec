"""What tiles save, from the requests to the time."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import CLAIMED, Evidence, key
from notebook.charts.marks import RIGHT, Chart, Panel
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
