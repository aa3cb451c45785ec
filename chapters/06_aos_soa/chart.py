"""Time of an array of structures over that of a structure of arrays, by the size of a record."""

from notebook.charts.curves import Place, Points, counts, printed, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import times as x_times

# The bytes of a record by its fields, of 1 byte and of 4.
_RECORDS = {2: "2 x 1", 3: "3 x 1", 4: "4 x 1", 8: "2 x 4", 12: "3 x 4", 16: "4 x 4"}
# Between the records with fields of 1 byte and those with fields of 4.
_OTHER_FIELDS = 2.5


def chart(facts: Facts) -> Chart:
    ticks = [
        (float(place), f"{size} = {fields}")
        for place, (size, fields) in enumerate(_RECORDS.items())
    ]
    heading = "one field read: time with an array of structures, structure of arrays = 1"
    one = Panel((-0.4, 5.4), (0, 2.6), heading=heading, height=180)
    heading = "one field read: bytes used of those fetched, %"
    fetched = Panel((-0.4, 5.4), (0, 108), heading=heading, height=150)
    for panel in (one, fetched):
        panel.ticks_x(ticks)
        panel.breaks = (_OTHER_FIELDS,)

    def efficiency(device: Device) -> Points:
        at = {"n": 2**20, "cache": "cold"}
        rows = [device.row("aos_one_field", record=size, **at) for size in _RECORDS]
        return [(float(x), device.value(row, "load_efficiency")) for x, row in enumerate(rows)]

    shown = times(
        one,
        facts,
        _layouts,
        claim="one_field_costs_half_the_bandwidth",
    )
    one.reference(1)
    printed(one, facts, "one_field_costs_half_the_bandwidth", "book: {}x")
    shown |= counts(fetched, "06", facts.counted, efficiency)
    return Chart(_title(facts.gpu), [one, fetched], key(shown))


def _layouts(device: Device) -> list[Place]:
    return [(float(place), *_layout(device, size)) for place, size in enumerate(_RECORDS)]


def _layout(device: Device, size: int) -> tuple[str | None, str | None]:
    at: dict[str, object] = {"record": size, "n": LARGEST, "cache": "cold"}
    return device.row("aos_one_field", **at), device.row("soa_one_field", **at)


def _title(gpu: Device | None) -> str:
    of_two, of_four = (gpu.ratio(*_layout(gpu, size)) if gpu else None for size in (8, 16))
    if gpu is None or of_two is None or of_four is None:
        return ""
    return f"{gpu.name}: one of two fields takes {x_times(of_two)}, of four {x_times(of_four)}"
