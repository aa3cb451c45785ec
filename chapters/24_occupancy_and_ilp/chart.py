"""Times against what an SM has in flight: loads of a copy, multiply-adds of chains."""

from notebook.charts.evidence import Device, Facts, number
from notebook.charts.look import BLUE, GREEN, ORANGE, PURPLE, Evidence, Style, key
from notebook.charts.marks import Chart, Panel

_WARPS: list[tuple[int, Style]] = [(4, BLUE), (8, ORANGE), (16, GREEN), (32, PURPLE)]
_BYTES_OF_A_LOAD = 512  # of a warp


def chart(facts: Facts) -> Chart:
    device = facts.gpu or facts.of("hopper")
    where = f"{device.name}: " if device else ""
    copies = Panel(
        (1.5, 80),
        (0.9, 8),
        log_x=True,
        log_y=True,
        heading=f"{where}time of a copy, fastest = 1",
        height=250,
    )
    copies.ticks_x((float(kb), str(kb)) for kb in (2, 4, 8, 16, 32, 64))
    chains = Panel(
        (3.3, 300),
        (0.9, 5),
        log_x=True,
        log_y=True,
        heading=f"{where}time of equal arithmetic, fastest = 1",
        height=250,
    )
    chains.ticks_x((float(count), str(count)) for count in (4, 8, 16, 32, 64, 128, 256))
    for panel in (copies, chains):
        panel.ticks_y((float(ratio), str(ratio)) for ratio in (1, 2, 4, 8))
    if device:
        _draw(copies, device, _copies(device), "loads", _BYTES_OF_A_LOAD / 1024)
        _draw(chains, device, device.rows("multiply_add"), "chains", 1)
    for panel in (copies, chains):
        if not panel.marks[2:]:
            panel.nothing()
    kinds = {Evidence.MEASURED if facts.gpu else Evidence.PREDICTED}
    return Chart(_title(facts.gpu), [copies, chains], key(kinds))


def _copies(device: Device) -> list[str]:
    size = 2**22 if device.result.is_emulated else 2**26
    return device.rows("copy_in_flight", n=size, cache="cold")


def _draw(panel: Panel, device: Device, rows: list[str], each: str, scale: float) -> None:
    """A line for each number of warps: time over the fastest, against warps times `each`."""
    timed = [(row, time) for row in rows if (time := device.value(row, "time"))]
    if not timed:
        return
    fastest = min(time for _, time in timed)
    for warps, style in _WARPS:
        line = sorted(
            (scale * warps * number(row, each), time / fastest)
            for row, time in timed
            if number(row, "warps") == warps
        )
        if line:
            panel.line(line, style)
            panel.points(line, style)
            panel.label(line[0][1], f"{warps} warps", style)


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    at: dict[str, object] = {"n": 2**26, "cache": "cold"}
    copy = gpu.ratio(
        gpu.row("copy_in_flight", warps=4, loads=16, **at),
        gpu.row("copy_in_flight", warps=32, loads=1, **at),
    )
    return f"{gpu.name}: four warps copy in {copy:.2f}x the time of 32" if copy else ""
