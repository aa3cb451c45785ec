"""Archives that contradict themselves: each is a real device's chapter with one thing changed.

A change knows nothing of the rules that refuse it. It gets the chapter's document, the counters beside it
by benchmark, and what is said of how they were measured.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Counters = dict[str, dict[str, float]]


@dataclass
class Sent:
    """One chapter of a device, to be changed."""

    context: Json
    rows: list[Json]
    counters: Counters
    meta: Json

    def row(self, start: str) -> Json:
        return next(row for row in self.rows if row["name"].startswith(start))


Change = Callable[[Sent], None]


@dataclass(frozen=True)
class Attack:
    name: str
    chapter: str
    change: Change


READS, UNROLL, TRANSPOSE = "02_misaligned_reads", "07_unroll4", "14_transpose_shared"
NAIVE, PRODUCT, BANKS = "16_matmul_naive", "19_matmul_fast", "15_bank_conflicts"
VECTORS, LAUNCHES, TENSOR = "22_vector_loads", "26_launches_and_streams", "27_tensor_cores"
WIDTH, AOS, UNIFIED, HIERARCHY = (
    *("18_matmul_tile_width", "06_aos_soa", "20_unified_memory"),
    "00_memory_hierarchy",
)


def scaled(value: Any, factor: float) -> Any:
    """A field, with every number multiplied."""
    if isinstance(value, list):
        return [scaled(item, factor) for item in value]
    return value * factor


def context(**changes: Any) -> Change:
    def change(sent: Sent) -> None:
        sent.context.update(changes)

    return change


def fields_of(start: str, **factors: float) -> Change:
    """Multiplies fields of the first row whose name starts so."""

    def change(sent: Sent) -> None:
        row = sent.row(start)
        for key, factor in factors.items():
            row[key] = scaled(row[key], factor)

    return change


def every(kernel: str, **factors: float) -> Change:
    """The same in all rows of a kernel."""

    def change(sent: Sent) -> None:
        for row in sent.rows:
            if row["name"].split("/")[0] == kernel:
                for key, factor in factors.items():
                    if key in row:
                        row[key] = scaled(row[key], factor)

    return change


def faster(factor: float) -> dict[str, float]:
    """A share of the time, and the rate that belongs to it."""
    return {"time_us": factor, "bytes_per_second": 1 / factor}


def put(start: str, **values: Any) -> Change:
    def change(sent: Sent) -> None:
        sent.row(start).update(values)

    return change


def renamed(start: str, old: str, new: str) -> Change:
    def change(sent: Sent) -> None:
        row = sent.row(start)
        row["name"] = row["name"].replace(old, new)

    return change


def one_process(start: str, factor: float, *keys: str) -> Change:
    """One process of a row takes `factor` times as long, by all of these fields."""

    def change(sent: Sent) -> None:
        row = sent.row(start)
        for key in keys:
            power = 1 if key == "time_us" else -1
            row[key] = [scaled(row[key][0], factor**power), *row[key][1:]]

    return change


def counter(key: str, value: float) -> Change:
    """Puts a counter into the first benchmark that counts it."""

    def change(sent: Sent) -> None:
        name = next(name for name, values in sent.counters.items() if values.get(key))
        sent.counters[name][key] = value

    return change


def counter_times(key: str, factor: float) -> Change:
    def change(sent: Sent) -> None:
        name = next(name for name, values in sent.counters.items() if values.get(key))
        sent.counters[name][key] *= factor

    return change


def said(**changes: Any) -> Change:
    def change(sent: Sent) -> None:
        sent.meta.update(changes)

    return change


def copied(start: str, old: str, new: str) -> Change:
    """Adds a row again under another name."""

    def change(sent: Sent) -> None:
        row = dict(sent.row(start))
        row["name"] = row["name"].replace(old, new)
        sent.rows.append(row)

    return change


def without(start: str, *keys: str) -> Change:
    def change(sent: Sent) -> None:
        for key in keys:
            del sent.row(start)[key]

    return change


def counter_under(name: str) -> Change:
    def change(sent: Sent) -> None:
        sent.counters[name] = dict(next(iter(sent.counters.values())))

    return change


def _without_noise(sent: Sent) -> None:
    for row in sent.rows:
        first = row["time_us"][0][0]
        for key in ("bytes_per_second", "flops_per_second"):
            if key in row:
                row[key] = row[key][0][0] if isinstance(row[key], list) else row[key]
        row["time_us"] = [[first] * len(process) for process in row["time_us"]]


def _fast_from_the_l2(sent: Sent) -> None:
    for row in sent.rows:
        if row["name"].endswith("cache:warm"):
            for key in row.keys() & {"time_us", "bytes_per_second", "flops_per_second"}:
                row[key] = scaled(row[key], 0.15 if key == "time_us" else 1 / 0.15)


def _instructions(sent: Sent) -> None:
    for values in sent.counters.values():
        for key in ("warp_instructions", "thread_instructions"):
            values[key] *= 40


def _from_nowhere(sent: Sent) -> None:
    for values in sent.counters.values():
        values["l1_hit_sectors"] = values["l2_read_sectors"] = 0


_CONTEXT: dict[str, Json] = {
    "older capability": {"compute_capability": "7.0"},
    "newer capability": {"compute_capability": "10.0"},
    "capability between": {"compute_capability": "8.9"},
    "generation of before": {"generation": "Ampere"},
    "generation of after": {"generation": "Blackwell"},
    "generation and capability of before": {"generation": "Ampere", "compute_capability": "8.0"},
    "everything of Ampere but the name": {
        "generation": "Ampere",
        "compute_capability": "8.0",
        "year": 2020,
    },
    "no generation at all": {"generation": "Tegra"},
    "year too early": {"year": 2017},
    "year too late": {"year": 2026},
    "half of the SMs": {"sm_count": 66},
    "an SM more": {"sm_count": 133},
    "all SMs of ten": {"sm_count": 1320},
    "a small L2": {"l2_bytes": 4 << 20},
    "a large L2": {"l2_bytes": 1 << 30},
    "twice the bandwidth": {"dram_bytes_per_second": 9628608000000},
    "a tenth more than twice": {"dram_bytes_per_second": 10591468800000},
    "128-byte lines": {"fetch_unit_bytes": 128},
    "64-byte lines": {"fetch_unit_bytes": 64},
    "a runtime ahead of the driver": {"runtime_version": "14.0"},
    "a driver of 2018": {"driver": "390.48"},
    "a driver of CUDA 11": {"driver_version": "11.4", "runtime_version": "11.4"},
    "another compiler": {"compiler": "nvcc 11.8.89"},
    "old CUDA altogether": {
        "driver_version": "11.4",
        "runtime_version": "11.4",
        "compiler": "nvcc 11.4.120",
        "driver": "470.82.01",
    },
    "driver and its CUDA": {"driver_version": "12.0", "runtime_version": "12.0"},
    "flags of a newer GPU": {"compile_flags": "-gencode=arch=compute_100,code=sm_100"},
    "flags of an older GPU": {"compile_flags": "-gencode=arch=compute_80,code=sm_80"},
    "flags of a variant ahead": {"compile_flags": "-gencode=arch=compute_120,code=compute_120"},
    "before the GPU": {"date": "2021-11-22T09:48:06+00:00"},
    "before the compiler": {"date": "2024-01-22T09:48:06+00:00"},
    "in the next century": {"date": "2096-11-22T09:48:06+00:00"},
    "process seconds of one": {"process_seconds": [4.4]},
    "process seconds of many": {"process_seconds": [4.4] * 9},
    "a thousandth of the seconds": {"process_seconds": [0.0044, 0.0048]},
    "a process without rows": {"processes": 3, "process_seconds": [4.4, 4.8, 4.4]},
    "a rule of one process": {"stopping_rule": "1 process, and up to 1 for the regimes"},
    "all unsettled and more": {"unsettled": 4999},
    "validated none": {"validated_variants": 0},
    "validated half": {"validated_variants": 100},
    "a clock before the run": {"sm_clock_mhz_before": 4200},
    "another GPU's name": {"gpu_name": "NVIDIA nvidia-h200"},
}

ATTACKS = [
    *(Attack(f"context: {name}", READS, context(**change)) for name, change in _CONTEXT.items()),
    # Time against rate.
    Attack(
        "rates of one row doubled", READS, fields_of("read_offset/offset:11", bytes_per_second=2)
    ),
    Attack("times of one row halved", READS, fields_of("read_offset/offset:11", time_us=0.5)),
    Attack("flops alone doubled", READS, fields_of("read_offset/offset:11", flops_per_second=2)),
    Attack("a rate of 1 % more", READS, fields_of("read_offset/offset:11", bytes_per_second=1.01)),
    Attack(
        "all rates doubled", NAIVE, every("matmul_naive", bytes_per_second=2, flops_per_second=2)
    ),
    Attack("all times halved", NAIVE, every("matmul_naive", time_us=0.5)),
    Attack("flops of a product", PRODUCT, every("matmul_bulk", flops_per_second=1.5)),
    Attack("bytes of a product", PRODUCT, every("matmul_bulk", bytes_per_second=1.5)),
    Attack("items", HIERARCHY, every("launch_empty", items_per_second=3)),
    Attack("rates of copies", TRANSPOSE, every("memcpy", bytes_per_second=0.5)),
    Attack("times of copies", TRANSPOSE, every("memcpy", time_us=2)),
    Attack("a slow copy", TRANSPOSE, every("memcpy", time_us=2, bytes_per_second=0.5)),
    Attack("a slow cuBLAS", PRODUCT, every("cublas_sgemm", time_us=2, flops_per_second=0.5)),
    Attack(
        "a slow cuBLAS, all of it",
        PRODUCT,
        every("cublas_sgemm", time_us=2, flops_per_second=0.5, bytes_per_second=0.5),
    ),
    Attack("shares of a copy", TRANSPOSE, every("transpose", memcpy_ratio=2)),
    Attack("shares of a copy, less", UNROLL, every("copy_keep_reads", memcpy_ratio=0.6)),
    Attack("shares of cuBLAS", PRODUCT, every("matmul_bulk", cublas_ratio=2)),
    Attack("shares of cuBLAS, less", PRODUCT, every("matmul_bulk", cublas_ratio=0.5)),
    Attack("faster than DRAM", READS, every("read_offset", time_us=0.2, bytes_per_second=5)),
    Attack(
        "a hundredth of the time",
        READS,
        every("read_offset", time_us=0.01, bytes_per_second=100, flops_per_second=100),
    ),
    Attack(
        "a thousand times the time",
        READS,
        every("read_offset", time_us=1e3, bytes_per_second=1e-3, flops_per_second=1e-3),
    ),
    Attack("launches for the whole day", READS, every("read_offset", launches=10_000)),
    Attack("half a launch", READS, put("read_offset", launches=20.5)),
    Attack("no launch", READS, put("read_offset", launches=0)),
    Attack("an overhead of nothing", READS, fields_of("launch_overhead", time_us=1e-3)),
    Attack("the host worked all day", READS, every("read_offset", cpu_time_us=1e4)),
    Attack(
        "one process ten times as slow",
        READS,
        one_process("read_offset/offset:11", 10, "time_us", "bytes_per_second", "flops_per_second"),
    ),
    Attack(
        "one process by time alone", READS, one_process("read_offset/offset:11", 1.1, "time_us")
    ),
    Attack("a clock of no GPU", READS, put("read_offset", sm_clock_mhz=4500)),
    Attack("a clock of another GPU", READS, put("read_offset", sm_clock_mhz=3100)),
    # Levels.
    Attack("DRAM in the L2", READS, put("read_offset/offset:0/block:512/n:67108864", level="l2")),
    Attack(
        "DRAM in part", READS, put("read_offset/offset:0/block:512/n:67108864", level="l2+dram")
    ),
    Attack("DRAM in the L1", READS, put("read_offset/offset:0/block:512/n:67108864", level="l1")),
    Attack(
        "warm from DRAM",
        READS,
        put("read_offset/offset:0/block:512/n:1048576/cache:warm", level="dram"),
    ),
    Attack("a product in the L2", NAIVE, put("matmul_naive/block:16x16/m:4096", level="l2")),
    # Kinds and names.
    Attack("a kernel of the kind memcpy", READS, put("read_offset", kind="memcpy")),
    Attack("a kernel of the kind cublas", NAIVE, put("matmul_naive", kind="cublas")),
    Attack("a peer among the rows", READS, put("read_offset", kind="peer")),
    Attack("a copy as a kernel", READS, put("memcpy", kind="kernel")),
    Attack("a copy as cuBLAS", READS, put("memcpy", kind="cublas")),
    Attack("cuBLAS as a copy", PRODUCT, put("cublas_sgemm", kind="memcpy")),
    Attack("a size in the name alone", READS, renamed("memcpy", "bytes:", "bytes:1")),
    Attack("a product's size", PRODUCT, renamed("matmul_bulk", "m:", "m:1")),
    Attack("half of a name's elements", READS, copied("read_offset/offset:0", "n:1048576", "n:33")),
    Attack("another kernel's name", NAIVE, renamed("matmul_naive", "matmul_naive", "matmul_magic")),
    Attack(
        "the same row twice",
        READS,
        copied(
            "read_offset/offset:0/block:512/n:1048576/cache:warm",
            "offset:0/block:512",
            "block:512/offset:0",
        ),
    ),
    Attack("counted while it was timed", READS, put("read_offset", load_sectors=5)),
    Attack("efficient while it was timed", READS, put("read_offset", load_efficiency=100)),
    Attack(
        "predicted while it was timed",
        READS,
        put("read_offset", predicted_seconds=1e-5, predicted_bound="dram"),
    ),
    Attack("no rate any more", READS, without("read_offset", "bytes_per_second")),
    Attack(
        "twenty times the time of a larger one",
        AOS,
        fields_of("soa_all_fields/record:2/block:128/n:1048576", time_us=20, bytes_per_second=0.05),
    ),
    Attack("half a page fault", UNIFIED, put("add_matrices/memory:managed", cpu_page_faults=0.5)),
    # Counters.
    Attack("counter: efficiency", READS, counter("load_efficiency", 250)),
    Attack("counter: stores", READS, counter("store_efficiency", 101)),
    Attack("counter: occupancy", READS, counter("theoretical_occupancy", 800)),
    Attack("counter: achieved", READS, counter("achieved_occupancy", 100.5)),
    Attack("counter: achieved and possible", NAIVE, counter("theoretical_occupancy", 1.0)),
    Attack("counter: few sectors", READS, counter("load_sectors", 12)),
    Attack("counter: many sectors", READS, counter("load_sectors", 1e9)),
    Attack("counter: few requests", READS, counter("load_requests", 3)),
    Attack("counter: many requests", READS, counter_times("load_requests", 3)),
    Attack("counter: requests and sectors", READS, counter_times("store_requests", 2)),
    Attack("counter: hits", READS, counter("l1_hit_sectors", 1e12)),
    Attack("counter: half a sector", READS, counter_times("load_sectors", 1.00001)),
    Attack("counter: threads", READS, counter_times("thread_instructions", 3)),
    Attack("counter: warps", READS, counter("warp_instructions", 10)),
    Attack("counter: wavefronts", BANKS, counter_times("shared_load_wavefronts", 100)),
    Attack("counter: fewer wavefronts", BANKS, counter("shared_load_wavefronts", 1)),
    Attack("counter: conflicts", BANKS, counter("shared_load_bank_conflicts", 1e15)),
    Attack("counter: stored wavefronts", BANKS, counter_times("shared_store_wavefronts", 0.01)),
    Attack(
        "counter: of no row",
        READS,
        counter_under("read_offset/offset:99/block:512/n:64/cache:warm"),
    ),
    Attack("meta: another GPU", READS, said(gpu_name="NVIDIA A100-SXM4-80GB")),
    Attack("meta: another generation", READS, said(generation="Ampere")),
    Attack("meta: another capability", READS, said(compute_capability="8.0")),
    Attack("meta: a changed tree", READS, said(git_dirty="true")),
    # Written when the rules were done.
    *(
        Attack(f"later: {name}", READS, context(**change))
        for name, change in {
            "an emulator's version": {"emulator_version": "5"},
            "an emulator's tables": {"tables_sha256": "0" * 64},
            "an SM clock of a faster GPU": {"sm_clock_mhz_before": 3000},
            "reasons of no driver": {"throttle_reasons_before": 1 << 40},
            "a GPU of another capability": {"compute_capability": "9.9", "generation": "Ada"},
            "a runtime of no version": {"runtime_version": "new"},
        }.items()
    ),
    Attack("later: a steady clock of a faster GPU", READS, every("read_offset", sm_clock_mhz=1.6)),
    Attack("later: no noise", READS, _without_noise),
    Attack("later: a cache of no state", READS, copied("memcpy", "cache:cold", "cache:hot")),
    Attack("later: a block of 2048", READS, copied("read_offset", "block:128", "block:2048")),
    Attack("later: a rate beyond the L2", READS, _fast_from_the_l2),
    Attack("later: instructions at once", NAIVE, _instructions),
    Attack("later: bytes of DRAM at once", READS, counter_times("dram_read_bytes", 1000)),
    Attack("later: sectors from nowhere", READS, _from_nowhere),
    Attack("later: efficient without sectors", READS, counter("store_efficiency", 0)),
    # Eighty were written without a look at the rules; these were accepted.
    Attack("unseen: tensor instructions", TENSOR, counter_times("tensor_instructions", 100)),
    Attack("unseen: no tensor instruction", TENSOR, counter("tensor_instructions", 0)),
    Attack("unseen: a link of no GPU", LAUNCHES, every("transfer", **faster(0.005))),
    Attack("unseen: copies of several streams", LAUNCHES, every("pipeline", **faster(0.01))),
    Attack("unseen: nothing is written", VECTORS, counter("l2_write_sectors", 0)),
    Attack("unseen: everything is written", VECTORS, counter_times("l2_write_sectors", 50)),
    Attack("unseen: a terabyte moves", UNIFIED, put("touch_managed", bytes_to_device=1 << 40)),
    Attack("unseen: faults all day", UNIFIED, put("read_managed", cpu_page_faults=10**9)),
    Attack(
        "unseen: faults of explicit copies",
        UNIFIED,
        put("add_matrices/memory:explicit", gpu_page_fault_groups=500),
    ),
    Attack("unseen: validated ten times", READS, context(validated_variants=5000)),
    Attack("unseen: a memory of 1 MHz", READS, context(memory_clock_mhz_before=1)),
    Attack("unseen: batches thrown away", READS, put("read_offset", discarded_batches=10**6)),
]
