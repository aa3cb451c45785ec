"""Charts of chapters 01, 02 and 05: what the addresses of reads and writes cost."""

from collections.abc import Callable

from notebook.charts.curves import Place, counts, printed, ratios, times
from notebook.charts.evidence import LARGEST, Device, Facts, complete, number
from notebook.charts.look import BLUE, Evidence, Style, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import percent, slower, slower_or_by
from notebook.charts.words import times as x_times

Points = list[tuple[float, float | None]]

# Offsets 64 and 128 stand apart, at the end of the axis.
_OFFSETS = [
    *((float(offset), str(offset)) for offset in range(0, 33, 4)),
    (36.0, "64"),
    (40.0, "128"),
]
_FAR = {64.0: 36.0, 128.0: 40.0}
_SMALL = 2**20
_COLD: dict[str, object] = {"block": 512, "cache": "cold"}


def _offset(name: str) -> float:
    offset = number(name, "offset")
    return _FAR.get(offset, offset)


def access_patterns(facts: Facts) -> Chart:
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
        rows = device.rows("copy_strided", l1="on", n=_SMALL)
        return [(number(row, "stride"), _times_fetched(device, row)) for row in rows]

    def by_lines(device: Device) -> Points:
        rows = device.rows("copy_scattered", l1="on", n=_SMALL)
        return [(number(row, "lines"), _times_fetched(device, row)) for row in rows]

    shown = times(time, facts, strides, named=("fermi",))
    shown |= counts(fetched, "01", facts.counted, by_stride)
    shown |= counts(scattered, "01", facts.counted, by_lines)
    return Chart(_access_patterns_title(facts), [time, fetched, scattered], key(shown))


def _times_fetched(device: Device, row: str | None) -> float | None:
    efficiency = device.value(row, "load_efficiency")
    return 100 / efficiency if efficiency else None


def _in_sectors_and_lines(
    facts: Facts, value: Callable[[Device], float | None]
) -> list[float] | None:
    """A count of the newest emulated GPU, which fetches sectors, and of a Fermi, which fetches lines."""
    fermi = facts.of("fermi")
    return complete(value(device) for device in (facts.emulated[-1], fermi)) if fermi else None


def _access_patterns_title(facts: Facts) -> str:
    gpu = facts.gpu
    fetched = _in_sectors_and_lines(
        facts, lambda device: _times_fetched(device, device.row("copy_strided", stride=32, l1="on"))
    )
    if gpu is None or fetched is None:
        return ""
    sectors, lines = fetched
    at: dict[str, object] = {"l1": "on", "cache": "cold", "n": LARGEST}
    first = gpu.row("copy_strided", stride=1, **at)
    time = gpu.ratio(gpu.row("copy_strided", stride=32, **at), first)
    if time is None:
        return ""
    return (
        f"Stride 32, or a word in each of 32 lines, fetches {x_times(sectors)} the bytes in sectors, "
        f"{x_times(lines)} in the lines of a Fermi or Kepler; the {gpu.name} takes {x_times(time)} the time"
    )


def _panel_of_offsets(y: tuple[float, float], heading: str) -> Panel:
    panel = Panel((-1, 41), y, heading=heading, height=180)
    panel.ticks_x(_OFFSETS)
    return panel


def misaligned_reads(facts: Facts) -> Chart:
    """Time and used share of the fetched bytes against the offset."""
    time = _panel_of_offsets((0.95, 1.1), "time of a read, aligned = 1")
    fetched = _panel_of_offsets((0, 108), "load efficiency: bytes used of those fetched, %")

    def efficiency(device: Device) -> Points:
        rows = device.rows("read_offset", n=_SMALL, **_COLD)
        return [(_offset(row), device.value(row, "load_efficiency")) for row in rows]

    shown = times(time, facts, lambda device: _by_offset(device, "read_offset"))
    shown |= counts(fetched, "02", facts.counted, efficiency)
    printed(fetched, facts, "efficiency_halves_at_offset_11", "book: {} %", scale=100)
    return Chart(_misaligned_reads_title(facts), [time, fetched], key(shown))


def _by_offset(device: Device, kernel: str) -> list[Place]:
    # Emulated GPUs execute few offsets of the large arrays.
    n = _SMALL if device.result.is_emulated else LARGEST
    first = device.row(kernel, offset=0, n=n, **_COLD)
    rows = device.rows(kernel, n=n, **_COLD)
    return [(_offset(row), row, first) for row in rows]


def _misaligned_reads_title(facts: Facts) -> str:
    offset_11: dict[str, object] = {"offset": 11, "n": _SMALL, **_COLD}
    used = _in_sectors_and_lines(
        facts,
        lambda device: device.value(device.row("read_offset", **offset_11), "load_efficiency"),
    )
    time = at_11(facts.gpu, "read_offset", LARGEST) if facts.gpu else None
    if facts.gpu is None or time is None or used is None:
        return ""
    sectors, lines = used
    return (
        f"Against an aligned read, one at offset 11 is {slower_or_by(time)} on the {facts.gpu.name}; it uses "
        f"{percent(sectors / 100)} of the bytes in its sectors, {percent(lines / 100)} of a "
        "Fermi's lines"
    )


def at_11(device: Device, kernel: str, n: object, cache: str = "cold") -> float | None:
    """The time at offset 11 over that of aligned accesses."""
    at: dict[str, object] = {"block": 512, "n": n, "cache": cache}
    return device.ratio(device.row(kernel, offset=11, **at), device.row(kernel, offset=0, **at))


def misaligned_writes(facts: Facts) -> Chart:
    """Time against the offset, cold and warm; the sectors that a write touches."""
    time = _panel_of_offsets((0.95, 1.1), "time of a write, aligned = 1")
    sectors = _panel_of_offsets((0.9, 1.35), "sectors touched by a write, aligned = 1")

    def touched(device: Device) -> Points:
        first = device.row("write_offset", offset=0, n=_SMALL, **_COLD)
        rows = device.rows("write_offset", n=_SMALL, **_COLD)
        return [(_offset(row), device.ratio(row, first, "store_sectors")) for row in rows]

    shown = times(time, facts, lambda device: _by_offset(device, "write_offset"))
    for gpu in facts.measured:
        at: dict[str, object] = {"block": 512, "n": _SMALL, "cache": "warm"}
        first = gpu.row("write_offset", offset=0, **at)
        warm: list[Place] = [(_offset(row), row, first) for row in gpu.rows("write_offset", **at)]
        label = f"{gpu.name}, in the L2"
        look = Style(BLUE.colour, gpu.style.shape)
        shown |= ratios(time, gpu, warm, style=look, label=label, joined=False)
    printed(sectors, facts, "a_warp_moves_160_bytes_for_128", "book: {}x the bytes")
    shown |= counts(sectors, "05", facts.counted, touched)
    return Chart(_misaligned_writes_title(facts), [time, sectors], key(shown))


def _misaligned_writes_title(facts: Facts) -> str:
    gpu = facts.gpu
    if gpu is None or not facts.emulated:
        return ""
    cold, warm = at_11(gpu, "write_offset", LARGEST), at_11(gpu, "write_offset", _SMALL, "warm")
    newest = facts.emulated[-1]
    shifted, aligned = (newest.row("write_offset", offset=offset, **_COLD) for offset in (11, 0))
    sectors = newest.ratio(shifted, aligned, "store_sectors")
    if cold is None or warm is None or sectors is None:
        return ""
    return (
        f"A write at offset 11 touches {sectors:.2f}x the sectors of an aligned one; on the "
        f"{gpu.name} it is {slower_or_by(cold)} to DRAM, {slower(warm)} to the L2"
    )
