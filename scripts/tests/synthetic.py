"""Results of known content: rows as a chapter's executable prints them, files as `lab run` writes them."""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebook.data.records import Row
    from notebook.data.results import Result

CHAPTER = "02_misaligned_reads"

Json = dict[str, Any]


def context(device: str = "nvidia-h200", **changes: str) -> Json:
    emulated = device.startswith("emulated-")
    known = {} if emulated else {"generation": "Hopper"}
    return {
        "date": "2026-01-01T00:00:00+00:00",
        "host_name": "somebody-s-machine",
        "executable": "/somewhere/misaligned_reads",
        "num_cpus": 2,
        "load_avg": [0.5],
        "caches": [],
        "chapter": CHAPTER,
        "device": device,
        "device_kind": "emulated" if emulated else "gpu",
        "gpu_name": "NVIDIA H200",
        "year": "2010" if "fermi" in device else "2024",
        "dram_bytes_per_second": "4800000000000",
        "fetch_unit_bytes": "128" if "fermi" in device else "32",
        "validation": "passed",
        "quick": "false",
        **known,
    } | changes


def row(name: str, time_us: float, repetition: int = 0, process: int = 0, **values: Any) -> Json:
    return (
        {
            "name": name,
            "family_index": 0,
            "per_family_instance_index": 0,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": 10,
            "repetition_index": repetition,
            "threads": 1,
            "iterations": 5,
            "real_time": time_us,
            "cpu_time": time_us,
            "time_unit": "us",
        }
        | ({"process": process} if process else {})
        | values
    )


def timed(
    name: str,
    median_us: float,
    *,
    noise: float = 0.002,
    repetitions: int = 10,
    processes: int = 2,
    label: str = "dram",
    throttled: int = 0,
    apart: float = 0.0,
    **values: Any,
) -> list[Json]:
    """Repetitions spread evenly around a median, in a shuffled order: the truth is known. From one
    process to the next the median rises by `apart`, centered at the truth."""
    offsets = [2 * i / (repetitions - 1) - 1 for i in range(repetitions)]
    rows = []
    for process in range(processes):
        random.Random(f"{name}{process}").shuffle(offsets)
        rows += [
            row(
                name,
                median_us * (1 + noise * offset) * (1 + apart * (process - (processes - 1) / 2)),
                repetition,
                process,
                label=label,
                throttled=throttled,
                **values,
            )
            for repetition, offset in enumerate(offsets)
        ]
    return rows


def document(rows: Iterable[Json], device: str = "nvidia-h200", **changes: str) -> Json:
    """What one process prints."""
    return {"context": context(device, **changes), "benchmarks": list(rows)}


def stored(content: Json) -> Json:
    """The document that `lab run` makes of the repetitions of all processes in `content`."""
    # Fake executables import this module where the package is not.
    from notebook.data import documents

    rows = content["benchmarks"]
    processes = range(1 + max((row.get("process", 0) for row in rows), default=0))
    of_process = [
        [
            {key: value for key, value in row.items() if key != "process"}
            for row in rows
            if row.get("process", 0) == process
        ]
        for process in processes
    ]
    return documents.merge(
        [documents.from_benchmark(content | {"benchmarks": value}) for value in of_process]
    )


def parse_rows(rows: list[Json]) -> "list[Row]":
    """The repetitions of all processes, as they are read."""
    from notebook.data.records import rows_of

    device = "nvidia-h200" if all(row["real_time"] for row in rows) else "emulated-hopper"
    return rows_of(stored(document(rows, device)))


def rows_in(result: "Result") -> "list[Row]":
    """Every repetition of every benchmark of a result."""
    return [row for of_name in result.by_name.values() for row in of_name]


def save(data: Path, content: Json, device: str | None = None, chapter: str = CHAPTER) -> Path:
    """Writes what processes print to data/<device>/<chapter>.json."""
    path = data / (device or content["context"]["device"]) / f"{chapter}.json"
    return save_stored(path, stored(content))


def save_stored(path: Path, document: Json) -> Path:
    """Writes a data file as it is, right or wrong."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def misaligned_reads_gpu(sizes: Iterable[int] = (2**20, 2**24, 2**26)) -> list[Json]:
    """The whole chapter 02 on a GPU: unaligned offsets take a tenth longer, the largest n has less
    bandwidth."""
    rows = []
    for n in sizes:
        rows += timed(f"memcpy/bytes:{4 * n}/cache:cold", 8 * n / 4e6, bytes_per_second=4e12)
        for offset in [*range(33), 64, 128]:
            moved = 12 * (n - offset)
            time_us = moved / (3.8e6 if n < 2**26 else 3.6e6) * (1.1 if offset % 8 else 1.0)
            name = f"read_offset/offset:{offset}/block:512/n:{n}/cache:cold"
            rows += timed(name, time_us, bytes_per_second=moved / time_us * 1e6)
    return rows


def misaligned_reads_emulated(line: int, sizes: Iterable[int] = (2**20, 2**24)) -> list[Json]:
    """The whole chapter 02, counted in units of `line` bytes."""
    rows = []
    for n in sizes:
        requests = 2 * n // 32
        for offset in [*range(33), 64, 128]:
            sectors = requests * (4 if offset % 8 == 0 else 5)
            lines = requests * (1 if offset % 32 == 0 else 2)
            moved = 128 * lines if line == 128 else 32 * sectors
            rows.append(
                row(
                    f"read_offset/offset:{offset}/block:512/n:{n}/cache:cold",
                    123.0,
                    load_requests=requests,
                    load_sectors=sectors,
                    load_lines=lines,
                    load_efficiency=100.0 * 128 * requests / moved,
                    store_requests=n // 32,
                    store_sectors=4 * n // 32,
                    store_efficiency=100.0,
                )
            )
    return rows


ARCHITECTURES = (
    "architecture,gpu,generation,year,compute_capability,sm_count,max_clock_mhz,mem_clock_mhz,"
    "dram_bw_gbs,l2_bytes,fp32_lanes_per_sm\n"
    "fermi,Tesla M2090,Fermi,2011,2.0,16,1300,1848,177.6,786432,32\n"
    "ampere,A100,Ampere,2020,8.0,108,1410,1593,2039.0,41943040,64\n"
)


def of_an_a100(**changes: Any) -> Json:
    """What an A100 may have measured: 1,500 GB/s of its 2,039."""
    rows = timed(
        "read_offset/offset:0/block:512/n:16777216/cache:cold",
        134.2,
        sm_clock_mhz=1410,
    )
    for repetition in rows:
        repetition["bytes_per_second"] = 12 * 2**24 / repetition["real_time"] * 1e6
    content = stored(document(rows, "nvidia-a100"))
    content["context"] |= {
        "gpu_name": "NVIDIA A100",
        "generation": "Ampere",
        "year": 2020,
        "compute_capability": "8.0",
        "sm_count": 108,
        "l2_bytes": 41943040,
        "dram_bytes_per_second": 2039000000000,
        "driver_version": "13.0",
        "runtime_version": "13.0",
        "compiler": "nvcc 13.0.88",
        "compile_flags": "-O3",
        "throttle_reasons_before": 0,
        "git_revision": "0" * 40,
        "git_dirty": False,
    }
    content["context"] |= changes
    return content
