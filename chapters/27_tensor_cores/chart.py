"""The ladder of kernels at one size, and what each type of element costs in accuracy and brings in speed."""

from notebook.charts.bars import Bar, bar, bars
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import BLUE, GREEN, ORANGE, PLAIN, PURPLE, Evidence, Style, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.words import times as x_times

_PAIRS = {"cluster": 2}
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
            ("wgmma, a warp asks for copies", "matmul_wgmma", {"type": "fp16"}),
            ("wgmma, tiles in turn", "matmul_wgmma_persistent", {"type": "fp16", "cluster": 1}),
            ("wgmma, pairs of blocks", "matmul_wgmma_persistent", {"type": "fp16", **_PAIRS}),
            ("cuBLAS", "cublas_gemm_ex", {"type": "fp16"}),
        ],
    ),
    (
        "TF32",
        [
            ("mma.sync, copies in stages", "matmul_mma_staged", {"type": "tf32"}),
            ("wgmma, pairs of blocks", "matmul_wgmma_persistent", {"type": "tf32", **_PAIRS}),
            ("cuBLAS", "cublas_gemm_ex", {"type": "tf32"}),
        ],
    ),
]
# Error and rate of one kernel a type.
_TYPES: list[tuple[str, str, dict[str, object], Style]] = [
    ("FP32", "cublas_sgemm", {"type": "fp32"}, PLAIN),
    ("TF32, low bits dropped (ours)", "matmul_wgmma_persistent", {"type": "tf32", **_PAIRS}, GREEN),
    ("TF32, rounded (cuBLAS)", "cublas_gemm_ex", {"type": "tf32"}, BLUE),
    ("BF16 (cuBLAS)", "cublas_gemm_ex", {"type": "bf16"}, PURPLE),
    ("FP16 (cuBLAS)", "cublas_gemm_ex", {"type": "fp16"}, ORANGE),
]


def chart(facts: Facts) -> Chart:
    device = facts.gpu or facts.of("hopper")
    size = 4096 if facts.gpu else 1024
    where = f"{device.name}, " if device else ""
    ladder = Panel((0.0, 1.0), (0.0, 1.0), heading=f"{where}{size} cubed: TFLOP/s", height=480)
    errors = Panel(
        (30, 1200),
        (3e-7, 1e-2),
        log_x=True,
        log_y=True,
        heading="error of the result (rms, relative to the product) against TFLOP/s",
        height=200,
    )
    if device:
        _draw(ladder, device, size)
        _draw_errors(errors, device, size)
    for panel in (ladder, errors):
        if not panel.marks:
            panel.nothing()
    errors.ticks_x((float(rate), str(rate)) for rate in (50, 100, 200, 400, 800))
    errors.ticks_y((10.0**power, f"1e{power}") for power in (-6, -5, -4, -3))
    return Chart(
        _title(facts.gpu),
        [ladder, errors],
        key({Evidence.MEASURED if facts.gpu else Evidence.PREDICTED}),
    )


def _draw(panel: Panel, device: Device, size: int) -> None:
    groups: list[tuple[str, list[Bar]]] = []
    fastest = 0.0
    for label, kernels in _LADDER:
        group = []
        for text, kernel, parameters in kernels:
            rate = _teraflops(device, kernel, size, parameters)
            if rate:
                fastest = max(fastest, rate)
                drawn = bar(device, rate, f"{rate:,.0f}")
                look = ORANGE if text == "cuBLAS" else BLUE
                group.append(Bar(text, drawn.value, drawn.text, look, drawn.form))
        if group:
            groups.append((label, group))
    panel.x = (0.0, 1.35 * fastest or 1.0)
    if groups:
        bars(panel, groups)


def _draw_errors(panel: Panel, device: Device, size: int) -> None:
    for text, kernel, parameters, style in _TYPES:
        rate = _teraflops(device, kernel, size, parameters)
        billionths = device.value(device.row(kernel, m=size, **parameters), "result_error")
        if rate and billionths:
            panel.points([(rate, 1e-9 * billionths)], style)
            panel.label(1e-9 * billionths, text, style)


def _teraflops(
    device: Device, kernel: str, size: int, parameters: dict[str, object]
) -> float | None:
    rate = device.value(device.row(kernel, m=size, **parameters), "flops_per_second")
    return 1e-12 * rate if rate else None


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
