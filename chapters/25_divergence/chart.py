"""What branches cost by what decides them, and a switch by the number of its paths."""

from notebook.charts.curves import Place, times
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import CLAIMED, Evidence, key
from notebook.charts.marks import THIN, Chart, Panel
from notebook.charts.words import slower_or_by

_DECIDED: list[tuple[str, str, dict[str, object]]] = [
    ("whole warps", "two_paths", {"by": "warp"}),
    ("every other lane", "two_paths", {"by": "lane"}),
    ("random data", "two_paths", {"by": "data"}),
    ("sorted data", "two_paths", {"by": "sorted_data"}),
    ("both, then select", "two_paths_selected", {}),
]
_WAYS = (1, 2, 4, 8, 16, 32)


def chart(facts: Facts) -> Chart:
    branches = Panel(
        (-0.5, len(_DECIDED) - 0.5),
        (0.9, 2.1),
        heading="time of two paths, one path = 1 (2^20 elements)",
        height=230,
    )
    branches.ticks_x((float(place), label) for place, (label, _, _) in enumerate(_DECIDED))
    switch = Panel(
        (0.9, 36),
        (0.9, 36),
        log_x=True,
        log_y=True,
        heading="time of a switch, one path = 1, against the paths in a warp",
        height=250,
    )
    ticks = [(float(ways), str(ways)) for ways in _WAYS]
    switch.ticks_x(ticks)
    switch.ticks_y(ticks)
    switch.line([(0.9, 0.9), (36, 36)], CLAIMED, THIN)
    switch.label(36, "sum of the paths", CLAIMED)
    shown = times(
        branches, facts, _decided, claim="divergence_by_lane_halves_the_speed", joined=False
    )
    shown |= times(switch, facts, _ways, claim="a_switch_of_32_is_32_times_slower")
    drawn = Chart(_title(facts.gpu), [branches, switch], key(shown))
    return drawn.noted("predicted at 2^17 elements" if Evidence.PREDICTED in shown else "")


def _size(device: Device) -> dict[str, object]:
    return {"n": 2**17 if device.result.is_emulated else 2**20}


def _decided(device: Device) -> list[Place]:
    base = device.row("two_paths", by="none", **_size(device))
    return [
        (float(place), device.row(kernel, **(case | _size(device))), base)
        for place, (_, kernel, case) in enumerate(_DECIDED)
    ]


def _ways(device: Device) -> list[Place]:
    rows = {ways: device.row("switch_paths", ways=ways, **_size(device)) for ways in _WAYS}
    return [(float(ways), row, rows[1]) for ways, row in rows.items()]


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    lane = next(gpu.ratio(row, base) for place, row, base in _decided(gpu) if place == 1.0)
    return f"{gpu.name}: branches by lane make long paths {slower_or_by(lane)}" if lane else ""
