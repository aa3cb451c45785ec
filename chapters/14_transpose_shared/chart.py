"""Bandwidth of the steps to a copy; passes through the banks."""

from notebook.charts.bars import ladder, step_counts
from notebook.charts.curves import counts
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import BLUE, GREY, ORANGE, Evidence, key
from notebook.charts.marks import Chart
from notebook.charts.transposes import COLUMNS, LARGE
from notebook.charts.words import percent

_LADDER = [
    (COLUMNS, {"block": "8x32"}, "no shared memory, 8x32"),
    ("transpose_tile", {"block": "32x8"}, "tile"),
    ("transpose_tile_padded", {"block": "32x8"}, "padded tile"),
    ("transpose_tile_swizzled", {"block": "32x8"}, "swizzled tile"),
    ("transpose_tile_unrolled", {"order": "across"}, "unrolled, across"),
    ("transpose_tile_unrolled", {"order": "down"}, "unrolled, down"),
    ("transpose_vectors", {"type": "float", "tile": "64x64", "order": "down"}, "16-byte vectors"),
    ("transpose_vectors_prefetch", {"type": "float"}, "vectors, prefetched"),
    ("transpose_vectors_evict_last", {"type": "float"}, "vectors, evicted last"),
    ("transpose_tensor", {"type": "float"}, "tensor copies (TMA)"),
    ("cublas_sgeam", {}, "cuBLAS"),
]


def chart(facts: Facts) -> Chart:
    gpu = facts.gpu
    steps = [
        (
            label,
            _share(gpu, kernel, case) if gpu else None,
            ORANGE if kernel == "cublas_sgeam" else GREY if kernel == COLUMNS else BLUE,
        )
        for kernel, case, label in _LADDER
    ]
    on = f"{gpu.name}, " if gpu else ""
    speed = ladder(steps, f"{on}16384 x 16384 floats: bandwidth, % of memcpy", 118, 330, 100)
    shown = {Evidence.MEASURED for _, share, _ in steps if share is not None}
    heading = (
        "passes through the banks for each 32 elements, one store and one load: 2 without conflicts"
    )
    passes = step_counts([label for _, _, label in _LADDER[1:4]], (0.8, 80), heading, 170)
    shown |= counts(
        passes,
        "14",
        facts.counted,
        lambda device: [
            (
                float(place),
                _passes(device, device.row(kernel, rows=2048, columns=2048, cache="cold", **case)),
            )
            for place, (kernel, case, _) in enumerate(_LADDER[1:4])
        ],
        joined=False,
    )
    return Chart(_title(gpu), [speed, passes], key(shown))


def _passes(device: Device, row: str | None) -> float | None:
    load, store = (device.value(row, f"shared_{kind}_wavefronts") for kind in ("load", "store"))
    return None if load is None or store is None else (load + store) / (2048 * 2048 / 32)


def _share(gpu: Device, kernel: str, case: dict[str, str]) -> float | None:
    row = gpu.row(kernel, **case, **LARGE)
    ratio = gpu.of_memcpy([row])[0] if row else None
    return ratio[0] if ratio else None


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    share = {label: _share(gpu, kernel, case) for kernel, case, label in _LADDER}
    tile, padded = share["tile"], share["padded tile"]
    if tile is None or padded is None:
        return ""
    return f"{gpu.name}: padding lifts a transpose from {100 * tile:.0f} to {percent(padded)}"
