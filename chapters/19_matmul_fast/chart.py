"""The steps to cuBLAS, and the passes through shared memory that each needs."""

from notebook.charts.bars import ladder, step_counts
from notebook.charts.curves import counts
from notebook.charts.evidence import Device, Facts, parameter
from notebook.charts.look import BLUE, CLAIMED, ORANGE, Evidence, key
from notebook.charts.marks import Chart
from notebook.charts.products import FAST
from notebook.charts.words import percent


def _speed(gpu: Device, kernel: str, case: dict[str, str]) -> float | None:
    return gpu.ratio(
        gpu.row(kernel, m=4096, **case), gpu.row("cublas_sgemm", m=4096), "flops_per_second"
    )


def chart(facts: Facts) -> Chart:
    gpu = facts.gpu
    steps = [
        (
            label,
            _speed(gpu, kernel, case) if gpu else None,
            ORANGE if kernel == "cublas_sgemm" else BLUE,
        )
        for kernel, case, label in FAST
    ]
    on = f"{gpu.name}, " if gpu else ""
    heading = f"{on}4096 cubed, FP32 without tensor cores: FLOP/s, % of cuBLAS"
    speed = ladder(steps, heading, 118, 262, 100)
    shown = {Evidence.MEASURED for _, share, _ in steps if share is not None}
    if gpu:
        peak = gpu.ratio(
            gpu.row("fma_chains", m=4096), gpu.row("cublas_sgemm", m=4096), "flops_per_second"
        )
        if peak:
            speed.x = (0, max(118.0, 100 * peak + 30))
            speed.line([(100 * peak, end) for end in speed.y], CLAIMED, "thin")
            speed.text(100 * peak + 1, len(FAST), f"FMAs alone {percent(peak)}", style=CLAIMED)
    passes = step_counts(
        [label for _, _, label in FAST[:6]],
        (0.2, 12),
        "passes through shared memory for each 128 multiply-adds",
        150,
    )
    shown |= counts(
        passes,
        "19",
        facts.emulated,
        lambda device: [
            (float(place), _passes(device, kernel)) for place, (kernel, _, _) in enumerate(FAST[:6])
        ],
        joined=False,
    )
    passes.reference(1, "as the arithmetic")
    return Chart(_title(gpu), [speed, passes], key(shown)).noted(
        "counted at 256 cubed, where no last wave is divided; bulk copies: from Hopper on"
    )


def _passes(device: Device, kernel: str) -> float | None:
    row = next(
        (row for row in device.rows(kernel, m=256) if parameter(row, "tile") in ("32", "128x128")),
        None,
    )
    wavefronts = device.value(row, "shared_load_wavefronts")
    return None if wavefronts is None else wavefronts / (256**3 / 128)


def _title(gpu: Device | None) -> str:
    shares = [_speed(gpu, kernel, case) for kernel, case, _ in FAST] if gpu else []
    known = [share for share in shares if share is not None]
    if gpu is None or len(known) < len(FAST):
        return ""
    tiled, *_, best, _ = known
    return f"{gpu.name}: from {percent(tiled)} of cuBLAS to {percent(best)}"
