"""Time without the L1 over that with it, and what each fetches."""

from notebook.charts.curves import Place, Points, counts, mark_no_effect, times
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import NO_EFFECT_LINES, slower

_OFFSETS = (0, 11, 128)
_SWITCHED = [(offset, l1) for offset in (0, 11) for l1 in ("on", "off")]


def chart(facts: Facts) -> Chart:
    time = Panel((-0.5, 2.5), (0.95, 1.05), heading="time with L1 off, L1 on = 1", height=180)
    time.ticks_x((float(place), f"offset {offset}") for place, offset in enumerate(_OFFSETS))
    heading = "load efficiency: bytes used of those fetched, %"
    fetched = Panel((-0.5, 3.5), (0, 108), heading=heading, height=180)
    fetched.ticks_x(
        (float(x), f"offset {offset}, L1 {l1}") for x, (offset, l1) in enumerate(_SWITCHED)
    )
    apart = [*facts.measured, *facts.published]

    def without(device: Device) -> list[Place]:
        shift = 0.06 * apart.index(device) if device in apart else -0.14
        return [
            (x + shift, _read(device, offset, "off"), _read(device, offset, "on"))
            for x, offset in enumerate(_OFFSETS)
        ]

    def efficiency(device: Device) -> Points:
        rows = [_counted(device, offset, l1) for offset, l1 in _SWITCHED]
        return [(float(x), device.value(row, "load_efficiency")) for x, row in enumerate(rows)]

    shown = times(time, facts, without, claim="misaligned_is_slower_without_l1", joined=False)
    mark_no_effect(time)
    shown |= counts(fetched, "03", facts.counted, efficiency, joined=False)
    return Chart(_title(facts.gpu), [time, fetched], f"{key(shown)}   {NO_EFFECT_LINES}")


def _read(device: Device, offset: int, l1: str) -> str | None:
    return device.row("read_offset", l1=l1, offset=offset, cache="cold", n=LARGEST)


def _counted(device: Device, offset: int, l1: str) -> str | None:
    """Emulated GPUs count at one size; counters do not depend on it."""
    return device.row("read_offset", l1=l1, offset=offset, cache="cold", n=2**20)


def _title(gpu: Device | None) -> str:
    time = gpu.ratio(_read(gpu, 11, "off"), _read(gpu, 11, "on")) if gpu else None
    return f"{gpu.name}: misaligned reads without the L1 are {slower(time)}" if gpu and time else ""
