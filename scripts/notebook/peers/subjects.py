"""What is measured: for each chapter its problems, the peers that solve them, and how they are checked."""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from notebook.base.errors import Problem
from notebook.peers import library

Tensor = Any  # torch.Tensor; torch is no package that the notebook needs


@dataclass(frozen=True)
class Subject:
    """One peer at one size."""

    name: str
    work: Callable[[], object]
    check: Callable[[], bool]
    bytes: float
    flops: float
    copy_from: Tensor  # what the driver copies behind each repetition ...
    copy_to: Tensor


Make = Callable[[ModuleType, ctypes.CDLL], Iterator[Subject]]


def additions(torch: ModuleType, functions: ctypes.CDLL) -> Iterator[Subject]:
    """c = a + b of arrays of 2 GiB, as the limit of chapter 07, and of 1 GiB."""
    for n in (2**28, 2**29):
        yield from _additions(torch, functions, n)


def _additions(torch: ModuleType, functions: ctypes.CDLL, n: int) -> Iterator[Subject]:
    generator = torch.Generator("cuda").manual_seed(7)
    a = torch.rand(n, device="cuda", generator=generator)
    b = torch.rand(n, device="cuda", generator=generator)
    c = torch.full_like(a, float("nan"))

    def check() -> bool:
        # A sum of two floats is exact in a double, so this rounds once, as the addition does.
        parts = zip(a.split(2**26), b.split(2**26), c.split(2**26), strict=True)
        return all(bool(((x.double() + y.double()).float() == z).all()) for x, y, z in parts)

    works: dict[str, Callable[[], object]] = {
        "torch_add": lambda: torch.add(a, b, out=c),
        "cub_transform": _bound(functions, "cub_transform", a, b, c, n),
        "thrust_transform": _bound(functions, "thrust_transform", a, b, c, n),
    }
    for peer, work in works.items():
        c.fill_(float("nan"))
        yield Subject(f"{peer}/offset:0/n:{n}/cache:cold", work, check, 12.0 * n, float(n), a, c)


_TRANSPOSES = (
    ("float", 16384, 16384),
    ("float", 16384, 8192),
    ("float", 10000, 10000),
    ("float", 9999, 10007),
    ("float", 16384, 32768),
    ("uint16", 16384, 8192),
    ("double", 16384, 8192),
    ("double", 16384, 16384),
)


def transposes(torch: ModuleType, functions: ctypes.CDLL) -> Iterator[Subject]:
    """Matrices of chapter 14, and rows of 128 KiB."""
    for name, rows, columns in _TRANSPOSES:
        yield from _transposes(torch, functions, name, rows, columns)


def _transposes(
    torch: ModuleType, functions: ctypes.CDLL, name: str, rows: int, columns: int
) -> Iterator[Subject]:
    dtype = {"uint16": torch.int16, "float": torch.float32, "double": torch.float64}[name]
    bits = torch.randint(0, 2**15, (rows, columns), device="cuda", dtype=torch.int16)
    matrix = bits.to(dtype)
    result = torch.full((columns, rows), -1, device="cuda", dtype=dtype)

    def check() -> bool:
        parts = zip(result.split(1024, dim=1), matrix.split(1024), strict=True)
        return all(bool((columns == rows.t()).all()) for columns, rows in parts)

    works: dict[str, Callable[[], object]] = {
        # t().contiguous() without its allocation.
        "torch_t_contiguous": lambda: result.copy_(matrix.t()),
    }
    if name == "float":
        arguments = (matrix, result, rows, columns)
        works["cublas_sgeam"] = _bound(functions, "cublas_sgeam", *arguments)
        if rows % 32 == columns % 32 == 0:
            works |= _compiled(functions, ("samples_padded", "samples_diagonal"), *arguments)
    moved = 2.0 * matrix.numel() * matrix.element_size()
    for peer, work in works.items():
        result.fill_(-1)
        case = f"{peer}/type:{name}/rows:{rows}/columns:{columns}/cache:cold"
        yield Subject(case, work, check, moved, 0, matrix, result.view(rows, columns))


_PRODUCTS = (
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (4000, 4100, 4200),
)


def products(torch: ModuleType, functions: ctypes.CDLL) -> Iterator[Subject]:
    """FP32 products of chapter 19, without tensor cores."""
    torch.backends.cuda.matmul.allow_tf32 = False
    for m, n, k in _PRODUCTS:
        yield from _products(torch, functions, m, n, k)


def _products(
    torch: ModuleType, functions: ctypes.CDLL, m: int, n: int, k: int
) -> Iterator[Subject]:
    a = torch.rand(m, k, device="cuda") - 0.5
    b = torch.rand(k, n, device="cuda") - 0.5
    c = torch.full((m, n), float("nan"), device="cuda")
    # Copied behind each product: more than an L2 holds, so that each one begins cold.
    evicting = torch.zeros(2, 2**26, device="cuda")

    def check() -> bool:
        # The error of a sum of k products, each below 1/4: their number times a rounding.
        error = (c.double() - a.double() @ b.double()).abs()
        return bool((error <= k * 2.0**-24).all())

    works: dict[str, Callable[[], object]] = {
        "torch_matmul": lambda: torch.matmul(a, b, out=c),
        "cublas_sgemm": _bound(functions, "cublas_sgemm", a, b, c, m, n, k),
    }
    if m % 32 == n % 32 == k % 32 == 0:
        works |= _compiled(functions, ("samples_matrix_mul",), a, b, c, m, n, k)
    if library.has(functions, "sgemm_cuda") and m % 128 == n % 128 == k % 16 == 0:
        # All steps of its page at one size; the last at all.
        for step in range(1, 13) if m == 2048 else (10,):
            name = f"sgemm_cuda_{step}"
            works[name] = _bound(functions, "sgemm_cuda", a, b, c, m, n, k, step)
    moved, flops = 4.0 * (m * k + k * n + m * n), 2.0 * m * n * k
    for peer, work in works.items():
        # Not NaN: some kernels add c, times 0.
        c.fill_(1e30)
        case = f"{peer}/m:{m}/n:{n}/k:{k}/cache:cold"
        yield Subject(case, work, check, moved, flops, evicting[0], evicting[1])


def _compiled(
    functions: ctypes.CDLL, names: tuple[str, ...], *arguments: Any
) -> dict[str, Callable[[], object]]:
    """Those of the functions that the library was compiled with, called with the arguments."""
    present = [name for name in names if library.has(functions, name)]
    return {name: _bound(functions, name, *arguments) for name in present}


def _bound(functions: ctypes.CDLL, name: str, *arguments: Any) -> Callable[[], None]:
    call = library.function(functions, name)
    return lambda: call(*arguments)


CHAPTERS: dict[str, Make] = {
    "07_unroll4": additions,
    "14_transpose_shared": transposes,
    "19_matmul_fast": products,
}


def of(chapter: str) -> Make:
    """The subjects of a chapter; those without peers are refused."""
    if chapter not in CHAPTERS:
        raise Problem(f"{chapter} has no peers; these have: {', '.join(CHAPTERS)}")
    return CHAPTERS[chapter]
