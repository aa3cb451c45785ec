"""One process that measures the peers of a chapter: a JSON object a line, the libraries first.

Runs under any Python that has PyTorch, which allocates and checks for all peers; needs nothing else
but this package: `python3 -m notebook.peers.process CHAPTER LIBRARY`.
"""

import ctypes
import importlib
import json
import statistics
import sys
from types import ModuleType

from notebook.peers import clock, subjects

_CUBLAS = "libcublas.so.13", "libcublas.so.12"


def main(chapter: str, path: str) -> None:
    """Checks each peer's result, then times it."""
    torch = importlib.import_module("torch")
    functions = ctypes.CDLL(path)
    _say(gpu_name=torch.cuda.get_device_name(), libraries=_libraries(torch))
    for subject in subjects.of(chapter)(torch, functions):
        subject.work()
        torch.cuda.synchronize()
        if not subject.check():
            # Others' mistake: it costs their row, not those of everybody else.
            print(f"{subject.name}: wrong results, left out", file=sys.stderr)
            continue
        times = _timed(torch, subject)
        _say(
            name=subject.name,
            time_us=times.work_us,
            copy_us=times.copy_us,
            bytes=subject.bytes,
            flops=subject.flops,
            copied_bytes=2.0 * subject.copy_from.numel() * subject.copy_from.element_size(),
        )
        print(f"{subject.name}: {statistics.median(times.work_us):.1f} us", file=sys.stderr)


def _timed(torch: ModuleType, subject: subjects.Subject) -> clock.Times:
    source, target = subject.copy_from, subject.copy_to
    return clock.measure(torch, subject.work, lambda: target.copy_(source))


def _say(**values: object) -> None:
    print(json.dumps(values), flush=True)


def _libraries(torch: ModuleType) -> str:
    known = [f"PyTorch {torch.__version__}", f"CUDA {torch.version.cuda}"]
    for name in _CUBLAS:
        try:
            cublas = ctypes.CDLL(name)
        except OSError:
            continue
        numbers = []
        for which in range(3):
            value = ctypes.c_int()
            cublas.cublasGetProperty(which, ctypes.byref(value))
            numbers.append(str(value.value))
        return ", ".join([*known, f"cuBLAS {'.'.join(numbers)}"])
    return ", ".join(known)


if __name__ == "__main__":
    main(*sys.argv[1:])
