"""Time against unrolling; the bandwidth of the steps to the limit."""

from notebook.charts.bars import ladder
from notebook.charts.curves import Place, printed, ratios, times
from notebook.charts.evidence import LARGEST, SET_ASIDE, Device, Facts, complete
from notebook.charts.look import BLUE, CLAIMED, GREY, ORANGE, key, second
from notebook.charts.marks import THIN, Chart, Panel
from notebook.charts.reads import of_largest, on

_UNROLLS = (2, 4, 8)
_LIMIT: list[tuple[str, dict[str, object], str]] = [
    ("read_offset", {"offset": 0}, "plain, blocks of 1024"),
    ("read_offset_loads_first", {"offset": 0, "unroll": 4}, "4 loads first"),
    ("read_offset_wide", {"offset": 0}, "16-byte loads"),
    ("read_offset_wide_evict_last", {"offset": 0}, "16-byte loads, L2 evict_last"),
    ("read_offset_bulk", {"offset": 0, "block": 512}, "bulk copies, L2 evict_last"),
    (
        "read_offset_bulk",
        {"offset": 0, "block": 512, SET_ASIDE: 30},
        "bulk copies, part of L2 set aside",
    ),
    ("read_offset", {"offset": 11}, "plain, offset 11"),
    ("read_offset_loads_first", {"offset": 11, "unroll": 4}, "4 loads first, offset 11"),
    ("read_offset_shuffled", {"offset": 11}, "16-byte, shuffled, offset 11"),
    ("read_offset_overlapping_evict_last", {"offset": 11}, "16-byte, L2 evict_last, offset 11"),
]
_AT: dict[str, object] = {"offset": 0, "block": 512, "cache": "cold", "n": 2**26}
_COUNTED_AT: dict[str, object] = _AT | {"n": 2**20}
_THIRD = "unrolling_by_4_is_3_times_as_fast_at_offset_0"


def chart(facts: Facts) -> Chart:
    heading = "time at offset 0, one element a thread = 1 (2^26 floats)"
    time = Panel((0.6, 4.6), (0, 1.2), heading=heading, height=320)
    ticks = ["1 element a thread", "2", "4", "8"]
    time.ticks_x((place + 1.0, name) for place, name in enumerate(ticks))
    shown = times(
        time, facts, lambda device: _unrolled(device, "read_offset_unrolled"), claim=_THIRD
    )
    for gpu in facts.measured:
        first = _unrolled(gpu, "read_offset_loads_first")
        shown |= ratios(time, gpu, first, style=second(gpu.style), label=f"{gpu.name}, loads first")
        quarter: Place = (3.0, gpu.row("read_offset_quarter", **_AT), gpu.row("read_offset", **_AT))
        shown |= ratios(time, gpu, [quarter], style=ORANGE, label="a quarter of the work")
    printed(time, facts, _THIRD, "book: {}")
    return Chart(_title(facts.gpu), [time, _limit_panel(facts.gpu)], key(shown))


def _unrolled(device: Device, kernel: str) -> list[Place]:
    at = _COUNTED_AT if device.result.is_emulated else _AT
    plain = device.row("read_offset", **at)
    rows = [device.row(kernel, unroll=unroll, **at) for unroll in _UNROLLS]
    return [(1.0, plain, plain), *((x + 2.0, row, plain) for x, row in enumerate(rows))]


def _limit_panel(gpu: Device | None) -> Panel:
    steps = [
        (label, _memcpy_ratio(gpu, kernel, case), GREY if kernel == "read_offset" else BLUE)
        for kernel, case, label in _LIMIT
    ]
    panel = ladder(
        steps,
        f"{on(gpu)}bandwidth of c = a + b{of_largest(gpu)}, cudaMemcpy beside it = 1",
        1.15,
        190,
        1,
    )
    if gpu:
        panel.line([(1, end) for end in panel.y], CLAIMED, THIN)
    return panel


def _memcpy_ratio(gpu: Device | None, kernel: str, case: dict[str, object]) -> float | None:
    if gpu is None:
        return None
    return gpu.value(gpu.row(kernel, n=LARGEST, **({"block": 1024} | case)), "memcpy_ratio")


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    plain = gpu.row("read_offset", **_AT)
    kernels = ("read_offset_unrolled", "read_offset_loads_first")
    times = complete(gpu.ratio(gpu.row(name, unroll=4, **_AT), plain) for name in kernels)
    if times is None:
        return ""
    return f"{gpu.name}: unrolling by 4 takes {times[0]:.2f}x, loads first {times[1]:.2f}x"
