"""The chart of peers: textbook, other people's libraries, ours, in percent of the limit of three problems."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from notebook.charts.bars import Bar, bars, line_between_groups
from notebook.charts.evidence import Device, Facts, parameter
from notebook.charts.look import BLUE, GREY, ORANGE, PLAIN, Style
from notebook.charts.marks import Chart, Panel
from notebook.charts.sources import Sources
from notebook.charts.words import percent
from notebook.data import results

_OURS = "ours"
# Percent: of the axis.
_WIDEST = 112
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
    limit: Callable[[Device], float | None]
    what_limits: str


def _streams(*parts: tuple[str, float]) -> Callable[[Device], float | None]:
    """The rate where each stream runs at the rate that it has alone, one after the other."""

    def limit(gpu: Device) -> float | None:
        best = [_best(gpu, (kernel,), "memcpy_ratio", {}) for kernel, _ in parts]
        if None in best:
            return None
        arrays = sum(weight for _, weight in parts)
        time = sum(weight / (rate or 1) for rate, (_, weight) in zip(best, parts, strict=True))
        return arrays / time

    return limit


def _multiply_adds(gpu: Device) -> float | None:
    return _best(gpu, ("fma_chains",), "flops_per_second", {"m": 4096})


_PROBLEMS = (
    _Problem(
        "07",
        "add, 2^29 floats",
        "memcpy_ratio",
        _ADD,
        ("read_offset", "textbook: a float a thread"),
        (("torch_add", "PyTorch"), ("cub_transform", "CUB"), ("thrust_transform", "Thrust")),
        ("read_offset_wide_evict_last", "read_offset_bulk"),
        _streams(("read_wide", 2.0), ("write_wide", 1.0)),
        "the reads alone, then the writes",
    ),
    _Problem(
        "14",
        "transpose, 16384 x 16384 floats",
        "memcpy_ratio",
        _SQUARE,
        ("transpose_tile_padded", "textbook: padded tile"),
        (
            ("torch_t_contiguous", "PyTorch"),
            ("samples_padded", "cuda-samples"),
            ("cublas_sgeam", "cuBLAS"),
        ),
        ("transpose", "transpose_tensor"),
        lambda _: 1.0,
        "the driver's copy",
    ),
    _Problem(
        "19",
        "product, 4096 cubed, FP32 without tensor cores",
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
        "multiply-adds on registers",
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
    note = "Measured, the best of each, in percent of the limit (dashed), which the heading names."
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
    heading = f"{on}{problem.heading} (limit: {problem.what_limits})"
    panel = Panel((0, _WIDEST), (0, 1), heading=heading, height=110)
    groups = [
        (label, [Bar("", 100 * share, percent(share), style)])
        for label, share, style in _shares(problem, gpu, others)
    ]
    if not groups:
        panel.nothing()
        return panel
    bars(panel, groups, line_at=100)
    line_between_groups(panel, 100, GREY)
    return panel


def _shares(
    problem: _Problem, gpu: Device | None, others: Device | None
) -> Iterator[tuple[str, float, Style]]:
    """Of the limit: the textbook's, the peers' and ours."""
    limit = problem.limit(gpu) if gpu else None
    if gpu is None or not limit:
        return
    kernel, label = problem.textbook
    rows: list[tuple[Device, tuple[str, ...], str, Style]] = [(gpu, (kernel,), label, PLAIN)]
    rows += [(others, (name,), of_peer, ORANGE) for name, of_peer in problem.peers if others]
    rows += [(gpu, problem.ours, _OURS, BLUE)]
    for device, kernels, name, style in rows:
        if value := _best(device, kernels, problem.metric, problem.parameters):
            yield name, value / limit, style


def _best(
    device: Device, kernels: tuple[str, ...], metric: str, parameters: dict[str, object]
) -> float | None:
    """The highest median of a metric among the rows of some kernels, of floats."""
    rows = [row for kernel in kernels for row in device.rows(kernel, **parameters)]
    floats = [row for row in rows if parameter(row, "type") in ("", "float")]
    values = [device.value(row, metric) for row in floats]
    return max((value for value in values if value is not None), default=None)


def _title(sources: Sources) -> str:
    """Textbooks and ours over the three problems, on one GPU; "" where one lacks a number."""
    textbook, ours, on = [], [], set()
    for problem in _PROBLEMS:
        gpu, others = _devices(sources, problem.chapter)
        shares = list(_shares(problem, gpu, others))
        textbook += [share for name, share, _ in shares if name == problem.textbook[1]]
        ours += [share for name, share, _ in shares if name == _OURS]
        on |= {gpu.name} if gpu else set()
    if len(on) != 1 or min(len(textbook), len(ours)) < len(_PROBLEMS):
        return ""
    said = (f"{100 * min(some):.0f}–{100 * max(some):.0f} %" for some in (textbook, ours))
    return "{}: textbooks reach {} of limits, ours {}".format(*on, *said)
