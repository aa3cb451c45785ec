"""Bandwidth by the shape of a block, 16x16 = 1, and what each shape fetches."""

from notebook.charts.curves import counts, ratios
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.transposes import COLUMNS, LARGE

_SHAPES = (
    "32x32",
    "32x16",
    "32x8",
    "16x32",
    "16x16",
    "16x8",
    "8x32",
    "8x16",
    "8x8",
    "4x64",
    "4x32",
)


def chart(facts: Facts) -> Chart:
    ticks = [(float(place), shape) for place, shape in enumerate(_SHAPES)]
    time = Panel(
        (-0.5, 10.5),
        (0, 1.35),
        heading="reading columns: bandwidth, blocks of 16x16 = 1",
        height=220,
    )
    fetched = Panel(
        (-0.5, 10.5),
        (0, 108),
        heading="reading columns: bytes used of those fetched, %",
        height=180,
    )
    time.ticks_x(ticks)
    fetched.ticks_x(ticks)
    shown: set[Evidence] = set()
    for device in (*facts.measured, *facts.published):
        base = device.row(COLUMNS, block="16x16", **LARGE)
        pairs = [
            (float(place), device.row(COLUMNS, block=shape, **LARGE), base)
            for place, shape in enumerate(_SHAPES)
        ]
        shown |= ratios(time, device, pairs, metric="bytes_per_second", joined=False)
    time.reference(1, "dotted: as 16x16")
    if not shown:
        time.nothing()
    shown |= counts(
        fetched,
        "13",
        facts.counted,
        lambda device: [
            (
                float(place),
                device.value(device.row(COLUMNS, block=shape, rows=2048), "load_efficiency"),
            )
            for place, shape in enumerate(_SHAPES)
        ],
        joined=False,
    )
    return Chart(_title(facts.gpu), [time, fetched], key(shown))


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    thin, base = (gpu.row(COLUMNS, block=shape, **LARGE) for shape in ("8x32", "16x16"))
    ratio = gpu.ratio(thin, base, "bytes_per_second")
    return f"{gpu.name}: blocks of 8x32 have {ratio:.2f}x the bandwidth of 16x16" if ratio else ""
