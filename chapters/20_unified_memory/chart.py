"""Where the time goes: phases that add up to the total."""

from notebook.charts.evidence import Device, Facts, complete
from notebook.charts.look import Evidence, Style, key
from notebook.charts.marks import BOXES, Chart, Panel

_MEMORIES = [
    ("pinned", "page-locked copies"),
    ("explicit", "pageable copies"),
    ("managed", "managed"),
    ("prefetched", "managed, prefetched"),
    ("kept_on_host", "managed, kept on the host"),
]
# Neighbours differ in grey.
_PHASES: list[tuple[str, str, Style]] = [
    ("allocate", "allocate", Style(0x999999, 5)),
    ("initialise", "initialise", Style(0x333333, 5)),
    ("to_device", "to the device", Style(0x0072B2, 5)),
    ("first_touch", "first kernel", Style(0xF2A15A, 5)),
    ("read_back", "read back", Style(0xBFE3D3, 5)),
]


def chart(facts: Facts) -> Chart:
    panel = Panel(
        (0, 1),
        (0.3, 5.9),
        heading=f"{facts.gpu.name if facts.gpu else 'GPU'}, 6144 x 6144 floats: allocation to result, ms",
        height=320,
    )
    panel.ticks_y((5.0 - place, label) for place, (_, label) in enumerate(_MEMORIES))
    gpu, shown = facts.gpu, set()
    widest = 1.0
    for place, (memory, _) in enumerate(_MEMORIES if gpu else ()):
        end, parts = 0.0, []
        y = 5.0 - place
        for phase, _, look in _PHASES:
            time = _phase(gpu, memory, phase)
            if time is None:
                continue
            shown.add(Evidence.MEASURED)
            panel.boxes([(end, end + time, y - 0.33, y + 0.33)], look, BOXES)
            end += time
            parts += [f"{time:.0f}"] if time >= 1 else []
        total = _phase(gpu, memory, "total")
        if total is not None:
            panel.text(end + 2, y, f"{' + '.join(parts)}: {total:.0f} ms")
            widest = max(widest, end)
    if not shown:
        panel.nothing()
    panel.x = (0, widest * 1.45)
    for index, (_, label, look) in enumerate(_PHASES if shown else ()):
        left = panel.x[1] * (0.01 + 0.2 * index)
        panel.boxes([(left, left + panel.x[1] * 0.02, 5.6, 5.84)], look, BOXES)
        panel.text(left + panel.x[1] * 0.03, 5.72, label)
    return Chart(_title(gpu), [panel], key(shown, bars=True)).noted(
        "medians of each part, then of the whole"
    )


def _phase(gpu: Device | None, memory: str, phase: str) -> float | None:
    time = (
        gpu.value(gpu.row("add_matrices", memory=memory, phase=phase, rows=6144), "time")
        if gpu
        else None
    )
    return None if time is None else time / 1000


def _title(gpu: Device | None) -> str:
    """Whole programs."""
    totals = complete(_phase(gpu, memory, "total") for memory in ("managed", "pinned", "explicit"))
    if gpu is None or totals is None:
        return ""
    managed, pinned, pageable = (f"{total:.0f} ms" for total in totals)
    return f"{gpu.name}: managed {managed}, page-locked {pinned}, pageable {pageable}"
