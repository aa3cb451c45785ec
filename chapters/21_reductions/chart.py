"""How fast each step of the ladder adds up, and what a warp's sum costs."""

from notebook.charts.bars import Case, share_bars
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import Evidence, key
from notebook.charts.marks import Chart, Panel

_N = 1 << 26
_FIRST, _BEST = "reduce_neighboured", "sum_last_block"
_STEPS: list[tuple[str, str, dict[str, object]]] = [
    ("neighbours", _FIRST, {}),
    ("without divergence", "reduce_neighboured_first_threads", {}),
    ("interleaved", "reduce_interleaved", {}),
    ("2 elements a thread", "reduce_unrolled", {"loads": 2}),
    ("4 elements a thread", "reduce_unrolled", {"loads": 4}),
    ("8 elements a thread", "reduce_unrolled", {"loads": 8}),
    ("last warp unrolled", "reduce_unrolled_last_warp", {}),
    ("template", "reduce_for_block", {}),
    ("in shared memory", "reduce_shared", {}),
    ("by shuffles", "reduce_shuffle", {}),
    ("whole sum, one launch", _BEST, {"loads": 4, "per_sm": 4}),
    ("whole sum, CUB", "cub_sum", {}),
]
_WARP_SUMS: list[tuple[str, str, dict[str, object]]] = [
    ("shared, __syncthreads", "repeat_shared_sums", {"barrier": "block"}),
    ("shared, __syncwarp", "repeat_shared_sums", {"barrier": "warp"}),
    ("five shuffles", "repeat_shuffle_sums", {}),
    ("__reduce_add_sync", "repeat_redux_sums", {}),
]


def chart(facts: Facts) -> Chart:
    """Bandwidths of the steps as a share of reading alone; times of a warp's sum, shuffles = 100 %."""
    devices = facts.measured or [
        device for name in ("hopper", "fermi") if (device := facts.of(name))
    ]
    steps = Panel(
        (0, 128), (0, 1), heading="sum of 2^26 floats: bandwidth, % of reading alone", height=430
    )
    share_bars(steps, devices, [_step(*step) for step in _STEPS])
    sums = Panel((0, 560), (0, 1), heading="time of a warp's sum alone, % of shuffles", height=170)
    share_bars(sums, devices, [_sum(*case) for case in _WARP_SUMS], fits=True)
    shown = {device.evidence for device in devices}
    predicted = {Evidence.PREDICTED} if Evidence.COUNTED in shown else set()
    return Chart(
        _title(facts.gpu), [steps, sums], key((shown - {Evidence.COUNTED}) | predicted, bars=True)
    )


def _step(label: str, kernel: str, parameters: dict[str, object]) -> Case:
    def share(device: Device) -> float | None:
        row = device.row(kernel, n=_N, **parameters)
        return device.ratio(row, device.row("read_words", n=_N), "bytes_per_second")

    return label, share


def _sum(label: str, kernel: str, parameters: dict[str, object]) -> Case:
    def share(device: Device) -> float | None:
        row = device.row(kernel, warps=1, **parameters)
        return device.ratio(row, device.row("repeat_shuffle_sums", warps=1))

    return label, share


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    shuffles = gpu.ratio(gpu.row("reduce_shared", n=_N), gpu.row("reduce_shuffle", n=_N))
    return f"{gpu.name}: shuffles are {shuffles:.2f}x as fast as shared memory" if shuffles else ""
