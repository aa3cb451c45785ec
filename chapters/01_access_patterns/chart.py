"""The chart of access patterns: time and fetched bytes against the stride, fetched bytes of scattered words."""

from notebook.charts.curves import Place, Points, counts, times
from notebook.charts.evidence import LARGEST, Device, Facts, number
from notebook.charts.look import Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.offsets import SMALL
from notebook.charts.words import times as x_times


def chart(facts: Facts) -> Chart:
    """Time and fetched bytes against the stride; fetched bytes of scattered words."""
    fetched_words = "bytes fetched for each byte used by {} loads, through the L1"
    heading = "time of a copy, stride 1 = 1 (measured: 2^22 threads, cold; predicted: 2^20, warm)"
    time = Panel((0.9, 72), (0.7, 24), log_x=True, log_y=True, heading=heading, height=170)
    time.ticks_y((float(times), str(times)) for times in (1, 2, 5, 10, 20))
    words = fetched_words.format("strided")
    fetched = Panel((0.9, 72), (0, 34), log_x=True, heading=words, height=160)
    words = fetched_words.format("scattered")
    scattered = Panel((0.94, 34), (0, 34), log_x=True, heading=words, height=160)
    for panel, most in ((time, 64), (fetched, 64), (scattered, 32)):
        panel.ticks_x((2.0**power, str(2**power)) for power in range(most.bit_length()))

    def strides(device: Device) -> list[Place]:
        at: dict[str, object] = {"l1": "on", "n": LARGEST}
        cold = {"cache": "cold"} if device.evidence is Evidence.MEASURED else {}
        first = device.row("copy_strided", stride=1, **at, **cold)
        rows = device.rows("copy_strided", **at, **cold)
        return [(number(row, "stride"), row, first) for row in rows]

    def by_stride(device: Device) -> Points:
        rows = device.rows("copy_strided", l1="on", n=SMALL)
        return [(number(row, "stride"), _times_fetched(device, row)) for row in rows]

    def by_lines(device: Device) -> Points:
        rows = device.rows("copy_scattered", l1="on", n=SMALL)
        return [(number(row, "lines"), _times_fetched(device, row)) for row in rows]

    shown = times(time, facts, strides, claim="scattered_is_slower", named=("fermi",))
    shown |= counts(fetched, "01", facts.counted, by_stride)
    shown |= counts(scattered, "01", facts.counted, by_lines)
    return Chart(_title(facts.gpu), [time, fetched, scattered], key(shown))


def _times_fetched(device: Device, row: str | None) -> float | None:
    efficiency = device.value(row, "load_efficiency")
    return 100 / efficiency if efficiency else None


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    at: dict[str, object] = {"l1": "on", "cache": "cold", "n": LARGEST}
    first = gpu.row("copy_strided", stride=1, **at)
    time = gpu.ratio(gpu.row("copy_strided", stride=32, **at), first)
    return f"{gpu.name}: stride 32 takes {x_times(time)} the time of stride 1" if time else ""
