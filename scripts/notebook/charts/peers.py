"""The chart of peers: textbook, other people's libraries, ours, and the limit of three problems."""

from collections.abc import Callable
from dataclasses import dataclass

from notebook.charts.bars import Bar, bars
from notebook.charts.evidence import Device, Facts, parameter
from notebook.charts.look import BLUE, GREY, ORANGE, PLAIN, Style
from notebook.charts.marks import Chart, Panel
from notebook.charts.sources import Sources
from notebook.data import results

_ADD: dict[str, object] = {"offset": 0, "n": 2**29}
_SQUARE: dict[str, object] = {"rows": 16384, "columns": 16384}
_PRODUCT: dict[str, object] = {"m": 4096, "n": 4096, "k": 4096}


@dataclass(frozen=True)
class _Problem:
    """One panel: kernels of the chapter and of peers, and what bounds them all."""

    chapter: str
    heading: str
    metric: str
    parameters: dict[str, object]
    textbook: tuple[str, str]
    peers: tuple[tuple[str, str], ...]
    ours: tuple[str, ...]
    limit: Callable[[Device], tuple[str, float] | None]
    unit: float  # of the metric


def _streams(*parts: tuple[str, float]) -> Callable[[Device], tuple[str, float] | None]:
    """The rate where each stream runs at the rate that it has alone, one after the other."""

    def limit(gpu: Device) -> tuple[str, float] | None:
        best = [_best(gpu, (kernel,), "memcpy_ratio", {}) for kernel, _ in parts]
        if None in best:
            return None
        arrays = sum(weight for _, weight in parts)
        time = sum(weight / (rate or 1) for rate, (_, weight) in zip(best, parts, strict=True))
        return "limit: reads, then writes", arrays / time

    return limit


def _multiply_adds(gpu: Device) -> tuple[str, float] | None:
    rate = _best(gpu, ("fma_chains",), "flops_per_second", {"m": 4096})
    return None if rate is None else ("limit: FMAs on registers", rate)


_PROBLEMS = (
    _Problem(
        "07",
        "c = a + b, 2^29 floats: bandwidth, % of the driver's copy",
        "memcpy_ratio",
        _ADD,
        ("read_offset", "textbook: a float a thread"),
        (("torch_add", "PyTorch"), ("cub_transform", "CUB"), ("thrust_transform", "Thrust")),
        ("read_offset_wide_evict_last", "read_offset_bulk"),
        _streams(("read_wide", 2.0), ("write_wide", 1.0)),
        0.01,
    ),
    _Problem(
        "14",
        "transpose, 16384 x 16384 floats: bandwidth, % of the driver's copy",
        "memcpy_ratio",
        _SQUARE,
        ("transpose_tile_padded", "textbook: padded tile"),
        (
            ("torch_t_contiguous", "PyTorch"),
            ("samples_padded", "cuda-samples"),
            ("cublas_sgeam", "cuBLAS"),
        ),
        ("transpose", "transpose_tensor"),
        lambda _: ("limit: the driver's copy", 1.0),
        0.01,
    ),
    _Problem(
        "19",
        "product, 4096 cubed, FP32 without tensor cores: TFLOP/s",
        "flops_per_second",
        _PRODUCT,
        ("matmul_tiled", "textbook: tiles of 32 x 32"),
        (
            ("samples_matrix_mul", "cuda-samples"),
            ("sgemm_cuda_10", "SGEMM_CUDA"),
            ("torch_matmul", "PyTorch"),
            ("cublas_sgemm", "cuBLAS"),
        ),
        ("matmul_reuse", "matmul_balanced"),
        _multiply_adds,
        1e12,
    ),
)


def peers(sources: Sources) -> Chart | None:
    """A panel for each problem; None without anybody's peers."""
    panels = []
    is_drawn = False
    for problem in _PROBLEMS:
        gpu, others = _devices(sources, problem.chapter)
        is_drawn |= others is not None
        panels.append(_panel(problem, gpu, others))
    if not is_drawn:
        return None
    note = (
        "Measured, the best of each; peers in their own run. "
        "First limit: the time of the reads alone plus that of the writes."
    )
    return Chart(_title(sources), panels, note)


def _devices(sources: Sources, number: str) -> tuple[Device | None, Device | None]:
    """The newest measured GPU of a chapter, and the peers measured on it."""
    chapter = next(candidate for candidate in sources.chapters if candidate.number == number)
    gpu = Facts([Device(result) for result in sources.own(chapter)]).gpu
    others = [Device(peer) for peer in results.load_peers(sources.project, chapter)]
    of_the_same = [other for other in others if gpu and other.result.device == gpu.result.device]
    return gpu, of_the_same[-1] if of_the_same else None


def _panel(problem: _Problem, gpu: Device | None, others: Device | None) -> Panel:
    on = f"{gpu.name}: " if gpu else ""
    panel = Panel((0, 1), (0, 1), heading=on + problem.heading, height=160)
    groups: list[tuple[str, list[Bar]]] = []

    def add(label: str, value: float | None, style: Style) -> None:
        if value is not None:
            value /= problem.unit
            groups.append((label, [Bar("", value, f"{value:.1f}", style)]))

    if gpu is not None:
        kernel, label = problem.textbook
        add(label, _best(gpu, (kernel,), problem.metric, problem.parameters), PLAIN)
    for kernel, label in problem.peers if others else ():
        assert others is not None
        add(label, _best(others, (kernel,), problem.metric, problem.parameters), ORANGE)
    if gpu is not None:
        add("ours", _best(gpu, problem.ours, problem.metric, problem.parameters), BLUE)
        if limit := problem.limit(gpu):
            add(*limit, GREY)
    if not groups:
        panel.nothing()
        return panel
    panel.x = (0, 1.12 * max(group[0].value for _, group in groups))
    bars(panel, groups)
    return panel


def _best(
    device: Device, kernels: tuple[str, ...], metric: str, parameters: dict[str, object]
) -> float | None:
    """The highest median of a metric among the rows of some kernels, of floats."""
    rows = [row for kernel in kernels for row in device.rows(kernel, **parameters)]
    floats = [row for row in rows if parameter(row, "type") in ("", "float")]
    values = [device.value(row, metric) for row in floats]
    return max((value for value in values if value is not None), default=None)


def _title(sources: Sources) -> str:
    said, on = [], set()
    for problem, verb in zip(_PROBLEMS, ("adds", "transposes", "multiplies"), strict=True):
        gpu, others = _devices(sources, problem.chapter)
        if gpu is None or others is None:
            return ""
        ours = _best(gpu, problem.ours, problem.metric, problem.parameters)
        theirs = [
            _best(others, (kernel,), problem.metric, problem.parameters)
            for kernel, _ in problem.peers
        ]
        best = max((value for value in theirs if value is not None), default=None)
        if ours is None or best is None:
            return ""
        said.append(f"{verb} at {ours / best:.2f}")
        on.add(gpu.name)
    return (
        f"On the {' and '.join(sorted(on))} the notebook {', '.join(said[:-1])} and {said[-1]} of the best "
        "peer's speed"
    )
