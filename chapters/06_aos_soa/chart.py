"""Time of an array of structures over that of a structure of arrays, by the size of a record."""

from notebook.charts.curves import Place, Points, counts, printed, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import slower
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
    heading = "time with an array of structures, structure of arrays = 1: {}"
    one = Panel((-0.4, 5.4), (0, 2.6), heading=heading.format("one field read"), height=180)
    every = Panel((-0.4, 5.4), (0, 2), heading=heading.format("all fields read"), height=120)
    heading = "one field read: bytes used of those fetched, %"
    fetched = Panel((-0.4, 5.4), (0, 108), heading=heading, height=150)
    for panel in (one, every, fetched):
        panel.ticks_x(ticks)
        panel.breaks = (_OTHER_FIELDS,)

    def efficiency(device: Device) -> Points:
        at = {"n": 2**20, "cache": "cold"}
        rows = [device.row("aos_one_field", record=size, **at) for size in _RECORDS]
        return [(float(x), device.value(row, "load_efficiency")) for x, row in enumerate(rows)]

    shown = times(one, facts, lambda device: _layouts(device, "one_field"))
    shown |= times(every, facts, lambda device: _layouts(device, "all_fields"))
    one.reference(1)
    every.reference(1)
    printed(one, facts, "one_field_costs_half_the_bandwidth", "book: {}x")
    shown |= counts(fetched, "06", facts.counted, efficiency)
    return Chart(_title(facts.gpu), [one, every, fetched], key(shown))


def _layouts(device: Device, fields: str) -> list[Place]:
    return [(float(place), *_layout(device, fields, size)) for place, size in enumerate(_RECORDS)]


def _layout(device: Device, fields: str, size: int) -> tuple[str | None, str | None]:
    at: dict[str, object] = {"record": size, "n": LARGEST, "cache": "cold"}
    return device.row(f"aos_{fields}", **at), device.row(f"soa_{fields}", **at)


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    one = gpu.ratio(*_layout(gpu, "one_field", 16))
    every = gpu.ratio(*_layout(gpu, "all_fields", 16))
    if one is None or every is None:
        return ""
    used = gpu.value(gpu.row("aos_one_field", record=16, n=2**20, cache="cold"), "load_efficiency")
    fetched = f"uses {used:.0f} % of what it fetches and " if used else ""
    return (
        f"One field of a 16-byte record: an array of structures {fetched}takes "
        f"{x_times(one)} the time on the {gpu.name}; read whole{_of_bytes(gpu)} it is {slower(every)}"
    )


def _of_bytes(gpu: Device) -> str:
    """Names fields of single bytes, where one of them is as fast as whole records are."""
    ratio = gpu.ratio(*_layout(gpu, "one_field", 4))
    return ", or with fields of 1 byte," if ratio and slower(ratio) == "as fast" else ""
