"""Time and instructions of a copy against the bytes of an access."""

from notebook.charts.curves import Place, counts, mark_no_effect, printed, times
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import NO_EFFECT_LINES

_KINDS: list[tuple[str, str, dict[str, object]]] = [
    ("4 bytes", "copy", {"access": 4, "block": 256}),
    ("8 bytes", "copy", {"access": 8, "block": 256}),
    ("16 bytes", "copy", {"access": 16, "block": 256}),
    ("4 floats|apart", "copy_unrolled", {"unroll": 4}),
    ("4 floats|adjacent", "copy_neighbours", {}),
]
_LARGE: dict[str, object] = {"n": 2**26, "cache": "cold"}
_COUNTED: dict[str, object] = {"n": 2**20, "cache": "cold"}


def chart(facts: Facts) -> Chart:
    last = len(_KINDS) - 0.5
    time = Panel(
        (-0.5, last), (0, 1.15), heading="time of a copy, 4 bytes an access = 1", height=230
    )
    counted = Panel(
        (-0.5, last), (0, 1.15), heading="executed instructions, 4 bytes an access = 1", height=230
    )
    for panel in (time, counted):
        panel.ticks_x((float(place), label) for place, (label, _, _) in enumerate(_KINDS))
    shown = times(
        time,
        facts,
        lambda device: _places(device, _LARGE),
        claim="float4_doubles_a_copy",
        joined=False,
    )
    mark_no_effect(time)
    printed(time, facts, "float4_doubles_a_copy", "printed: {}")
    shown |= counts(counted, "22", facts.counted, _instructions, joined=False)
    return Chart(_title(facts.gpu), [time, counted], f"{key(shown)}   {NO_EFFECT_LINES}")


def _places(device: Device, at: dict[str, object]) -> list[Place]:
    base = device.row("copy", access=4, block=256, **at)
    rows = (device.row(kernel, **(case | at)) for _, kernel, case in _KINDS)
    return [(float(place), row, base) for place, row in enumerate(rows)]


def _instructions(device: Device) -> list[tuple[float, float | None]]:
    return [
        (place, device.ratio(row, base, "warp_instructions"))
        for place, row, base in _places(device, _COUNTED)
    ]


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    places = {place: (row, base) for place, row, base in _places(gpu, _LARGE)}
    ratio = gpu.ratio(*places[2.0]) if 2.0 in places else None
    return f"{gpu.name}: a copy by 16 bytes takes {ratio:.2f}x the time" if ratio else ""
