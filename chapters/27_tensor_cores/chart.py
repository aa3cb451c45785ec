"""The ladder of kernels at one size: the rate of each, and the tensor cores' share of cuBLAS."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import BLUE, ORANGE, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import times as x_times

_LADDER: list[tuple[str, list[tuple[str, str, dict[str, object]]]]] = [
    ("FP32", [("cuBLAS", "cublas_sgemm", {"type": "fp32"})]),
    (
        "FP16",
        [
            ("wmma, a tile a warp", "matmul_wmma", {}),
            ("wmma, tiles of a block", "matmul_wmma_tiled", {}),
            ("mma.sync, plain rows", "matmul_mma", {"layout": "plain"}),
            ("mma.sync, padded rows", "matmul_mma", {"layout": "padded"}),
            ("mma.sync, swizzled rows", "matmul_mma", {"layout": "swizzled"}),
            ("swizzled, copies in stages", "matmul_mma_staged", {"type": "fp16"}),
            ("cuBLAS", "cublas_gemm_ex", {"type": "fp16"}),
        ],
    ),
    ("TF32", [("cuBLAS", "cublas_gemm_ex", {"type": "tf32"})]),
]


def chart(facts: Facts) -> Chart:
    device = facts.gpu or facts.of("hopper")
    size = 4096 if facts.gpu else 1024
    where = f"{device.name}, " if device else ""
    panel = Panel((0.0, 1.0), (0.0, 1.0), heading=f"{where}{size} cubed: TFLOP/s", height=360)
    if device:
        _draw(panel, device, size)
    if not panel.marks:
        panel.nothing()
    return Chart(
        _title(facts.gpu), [panel], key({Evidence.MEASURED if facts.gpu else Evidence.PREDICTED})
    )


def _draw(panel: Panel, device: Device, size: int) -> None:
    groups: list[tuple[str, list[Bar]]] = []
    fastest = 0.0
    for label, kernels in _LADDER:
        group = []
        for text, kernel, parameters in kernels:
            rate = device.value(device.row(kernel, m=size, **parameters), "flops_per_second")
            if rate:
                fastest = max(fastest, 1e-12 * rate)
                drawn = bar(device, 1e-12 * rate, f"{1e-12 * rate:,.0f}")
                look = ORANGE if text == "cuBLAS" else BLUE
                group.append(Bar(text, drawn.value, drawn.text, look, drawn.form))
        if group:
            groups.append((label, group))
    panel.x = (0.0, 1.25 * fastest or 1.0)
    if groups:
        bars(panel, groups)


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    faster = gpu.ratio(
        gpu.row("cublas_gemm_ex", type="fp16", m=4096),
        gpu.row("cublas_sgemm", type="fp32", m=4096),
        "flops_per_second",
    )
    return (
        f"{gpu.name}: tensor cores multiply FP16 {x_times(faster)} as fast as FP32"
        if faster
        else ""
    )
