"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable

from notebook.pages.queries import Data, Numbers

_AT = "m:4096 n:4096 k:4096"
_RATE = "flops_per_second"
_STAGED, _WGMMA = "matmul_mma_staged type:fp16", "matmul_wgmma type:fp16"
_TURNS = "matmul_wgmma_persistent cluster:1 type:fp16"
_PAIRS = "matmul_wgmma_persistent cluster:2 type:fp16"
_LADDER = {
    "wmma": "matmul_wmma",
    "tiles": "matmul_wmma_tiled",
    "plain": "matmul_mma layout:plain",
    "swizzled": "matmul_mma layout:swizzled",
    "staged": _STAGED,
    "wgmma": _WGMMA,
    "turns": _TURNS,
    "pairs": _PAIRS,
    "cublas": "cublas_gemm_ex type:fp16",
}
# The data sheet of the H100 and the H200, SXM: dense FP16 with FP32 sums.
_PEAK = 989.4e12


def _gain(step: str, before: str) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(step, before, _RATE, _AT)


NUMBERS: Numbers = {
    "sharing": _gain(_LADDER["tiles"], _LADDER["wmma"]),
    "swizzling": _gain(_LADDER["swizzled"], _LADDER["plain"]),
    "staging": _gain(_STAGED, _LADDER["swizzled"]),
    "warpgroups": _gain(_WGMMA, _STAGED),
    "pairing": _gain(_PAIRS, _WGMMA),
    "tf32_times": _gain("cublas_gemm_ex type:tf32", "cublas_sgemm type:fp32"),
    "share_of_peak": lambda d: d.of("cublas_gemm_ex type:fp16 m:8192", _RATE, 100 / _PEAK),
    "share_of_zeros": lambda d: d.of(
        "cublas_gemm_ex_of_zeros type:fp16 m:8192", _RATE, 100 / _PEAK
    ),
    "errors_fp32": lambda d: d.of(f"cublas_sgemm {_AT}", "result_error", 1e-3),
} | {
    f"rate_{step}": lambda d, spec=spec: d.of(f"{spec} {_AT}", _RATE, 1e-12)
    for step, spec in _LADDER.items()
}
