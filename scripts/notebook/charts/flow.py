"""The memory chart of a variant: kernel, L1, L2 and DRAM, with the bytes that move between them."""

from notebook.charts.evidence import Device
from notebook.charts.look import BLUE, ORANGE, PLAIN, Style
from notebook.charts.marks import BOXES, CENTER, PALE, Chart, Panel
from notebook.charts.sources import Sources
from notebook.charts.words import times

_SECTOR = 32.0
# The bytes that the lanes of a warp read or write together, a float each.
_WARP = 32 * 4.0
_PLACES = ("kernel", "L1", "L2", "DRAM")
# Between neighbours: the counter of what is read and of what is written, and the bytes of one.
_MOVED = (
    ("load_sectors", "store_sectors", _SECTOR),
    ("l2_read_sectors", "l2_write_sectors", _SECTOR),
    ("dram_read_bytes", "dram_write_bytes", 1.0),
)
_VARIANTS: list[tuple[str, dict[str, str], str]] = [
    ("transpose_read_columns", {"block": "16x16", "l1": "on"}, "reads columns, blocks of 16x16"),
    ("transpose_tile_padded", {"block": "32x8"}, "through a padded tile in shared memory"),
]
_LARGE = {"rows": 16384, "columns": 16384, "cache": "cold"}
_MATRIX = 4.0 * 16384 * 16384


def memory(sources: Sources) -> Chart | None:
    """Two transposes of 16384 x 16384 floats on the newest GPU with counters."""
    gpu = sources.facts("10", "14").gpu
    if gpu is None:
        return None
    rows = {label: gpu.row(kernel, **case, **_LARGE) for kernel, case, label in _VARIANTS}
    flows = [(label, _flow(gpu, row)) for label, row in rows.items()]
    shared = {label: _through_shared(gpu, row) for label, row in rows.items()}
    known = [(label, flow) for label, flow in flows if flow]
    if not known:
        return None
    widest = max(size for _, flow in known for pair in flow for size in pair)
    panels = []
    for label, flow in known:
        panel = Panel(
            (-1.35, 3.35),
            (-0.62, 0.68),
            heading=f"{gpu.name}: a transpose of a matrix of {_MATRIX / 1e9:.1f} GB "
            + (f"that {label}" if "reads" in label else label),
            height=220,
        )
        for place, (read, written) in enumerate(flow):
            _band(panel, place, 0.30, read / widest, read, BLUE, "read")
            _band(panel, place, -0.26, written / widest, written, ORANGE, "written")
        for place, name in enumerate(_PLACES):
            _place(panel, place, name)
        read, written = shared[label]
        if read and written:
            _place(panel, -1, "shared memory")
            _band(panel, -1, 0.30, read / widest, read, BLUE, "read")
            _band(panel, -1, -0.26, written / widest, written, ORANGE, "written")
        panels.append(panel)
    return Chart(
        _memory_title(gpu, dict(known)),
        panels,
        "counted on the GPU by Nsight Compute; a band is as high as its bytes",
    )


def _flow(gpu: Device, row: str | None) -> list[tuple[float, float]]:
    steps = []
    for read, written, size in _MOVED:
        values = gpu.value(row, read), gpu.value(row, written)
        if values[0] is None or values[1] is None:
            return []
        steps.append((values[0] * size, values[1] * size))
    return steps


def _through_shared(gpu: Device, row: str | None) -> tuple[float, float]:
    """What is read from shared memory and written to it; each request is of a whole warp."""
    read, written = (gpu.value(row, f"shared_{kind}_requests") for kind in ("load", "store"))
    return _WARP * (read or 0), _WARP * (written or 0)


def _place(panel: Panel, place: int, name: str) -> None:
    panel.boxes([(place - 0.13, place + 0.13, -0.55, 0.55)], PLAIN, BOXES)
    panel.text(place, 0.62, name, CENTER)


def _band(
    panel: Panel, place: int, middle: float, share: float, size: float, look: Style, what: str
) -> None:
    half = 0.22 * share
    panel.boxes([(place + 0.13, place + 0.87, middle - half, middle + half)], look, PALE)
    panel.text(place + 0.5, middle, f"{size / 1e9:.1f} GB {what}", CENTER, look)


def _memory_title(gpu: Device, flows: dict[str, list[tuple[float, float]]]) -> str:
    if len(flows) < 2:
        return ""
    naive, _ = ([read / _MATRIX for read, _ in flow] for flow in flows.values())
    return f"{gpu.name}: reading columns moves {times(naive[0])} the bytes through the L1"
