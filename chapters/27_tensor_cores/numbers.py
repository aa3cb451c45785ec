"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable
from itertools import pairwise

from notebook.pages.queries import Data, Numbers

_AT = "m:4096 n:4096 k:4096"
_RATE = "flops_per_second"
# The steps in their order, and cuBLAS.
_LADDER = {
    "wmma": "matmul_wmma",
    "tiles": "matmul_wmma_tiled",
    "plain": "matmul_mma layout:plain",
    "swizzled": "matmul_mma layout:swizzled",
    "staged": "matmul_mma_staged type:fp16",
    "wgmma": "matmul_wgmma type:fp16",
    "turns": "matmul_wgmma_persistent cluster:1 type:fp16",
    "pairs": "matmul_wgmma_persistent cluster:2 type:fp16",
    "cublas": "cublas_gemm_ex type:fp16",
}
# The data sheet of the H100 and the H200, SXM: dense FP16 with FP32 sums.
_PEAK = 989.4e12


def _gain(step: str, before: str) -> Callable[[Data], list[float]]:
    return lambda d: d.ratio(step, before, _RATE, _AT)


def _trial(what: str, size: str, of_type: str) -> Callable[[Data], list[float]]:
    return lambda d: [
        float(row["tflops"])
        for row in d.table("trials.csv")
        if (row["what"], row["size"], row["type"]) == (what, size, of_type)
    ]


NUMBERS: Numbers = (
    {
        "tf32_times": _gain("cublas_gemm_ex type:tf32", "cublas_sgemm type:fp32"),
        "share_of_peak": lambda d: d.of("cublas_gemm_ex type:fp16 m:8192", _RATE, 100 / _PEAK),
        "share_of_zeros": lambda d: d.of(
            "cublas_gemm_ex_of_zeros type:fp16 m:8192", _RATE, 100 / _PEAK
        ),
        "cluster_scope": _trial("cluster_scope", "8192", "fp16"),
        "cutlass_4096": _trial("cutlass_48", "4096", "tf32"),
        "cutlass_8192": _trial("cutlass_48", "8192", "tf32"),
    }
    | {
        f"rate_{step}": lambda d, spec=spec: d.of(f"{spec} {_AT}", _RATE, 1e-12)
        for step, spec in _LADDER.items()
    }
    | {f"gain_{step}": _gain(_LADDER[step], _LADDER[before]) for before, step in pairwise(_LADDER)}
)
