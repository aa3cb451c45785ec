"""Whether measured counters can be true at the same time: beside each other, and beside their rows."""

from notebook.archives.row_consistency import Device
from notebook.base import files
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.data import fields, names, schema
from notebook.data.chapters import Chapter
from notebook.data.device_names import EMULATED
from notebook.data.fields import Json
from notebook.data.metrics import PERCENTAGES
from notebook.data.records import numbers

_WARP = 32
# Sectors of a request: one at least, and one of its own for each lane at most.
_OF_REQUESTS = (
    *("load", "store", "atomic", "reduction", "local_load", "local_store"),
    "texture_load",
)
# Waits for other units count as passes too: measured 32.5 at most.
_MAX_WAVEFRONTS = 40
# A request of 16 bytes a lane.
_REQUEST_BYTES = 512
_ROUNDING = 1.001
# Sectors that loads find in L1 or read from L2 are some of theirs.
_OF_LOADS = ("load", "local_load", "texture_load", "atomic")
_OF_STORES = ("store", "local_store")
# Stores of neighbouring words meet before the L2: measured 4.4 at most; a sector has 32 bytes.
_MERGED = 32
# Atomics and bulk copies write too.
_WRITTEN_BESIDES = 20
# ldmatrix and stmatrix: their wavefronts are among those of loads and stores.
_OF_MATRICES = {"load": "matrix_load_requests", "store": "matrix_store_requests"}
# The counted and the measured launch may differ in these: unrolled loops, merged accesses.
_OTHERWISE = 1.5
_UNITS_COUNTED_WHOLE = ("requests", "sectors", "wavefronts", "conflicts", "instructions")
# Instructions an SM issues a clock: one from each of its four schedulers.
_ISSUED = 4.2
# Traffic of DRAM over its peak, and what a launch moves besides its data.
_PEAK, _DRAM_BASE_BYTES = 1.25, 1e6
_FIXED = (
    *("load_requests", "store_requests", "reduction_requests", "atomic_requests"),
    *("matrix_load_requests", "matrix_store_requests", "tensor_instructions"),
)
_CONTEXT = ("gpu_name", "generation", "compute_capability")

Counters = dict[str, dict[str, float]]


def check_counters(counters: Counters, rows: list[Json], counted: Counters, device: Device) -> None:
    """Raises Malformed with the first contradiction; `counted`: what an emulated GPU counts."""
    timed = {row["name"]: max(numbers(row["time_us"])) for row in rows}
    for name, values in counters.items():
        if name not in timed:
            raise Malformed(f"has {name}, which was not timed")
        try:
            _check_ranges(values)
            _check_requests(values)
            _check_sums(values)
            _check_counted(name, values, counted.get(name, {}))
            _check_time(name, values, timed[name], device)
        except Malformed as error:
            raise Malformed(f"has {name}: {error}") from error


def check_meta(meta: Json, context: Json) -> None:
    """Raises Malformed unless counters are of the GPU whose times stand beside them."""
    for key in _CONTEXT:
        if key in meta and meta[key] != context[key]:
            raise Malformed(f"has the {key} {meta[key]!r}; the results have {context[key]!r}")
    if meta.get("git_dirty") in (True, "true"):
        raise Malformed("was measured with a changed working tree (git_dirty)")


def _check_ranges(values: dict[str, float]) -> None:
    for key, value in values.items():
        if key in PERCENTAGES and value > 100 * _ROUNDING:
            raise Malformed(f"{key} is {value:g} %")
        if key.rpartition("_")[2] in _UNITS_COUNTED_WHOLE and value % 1:
            raise Malformed(f"{key} is no whole number")
    if values.get("achieved_occupancy", 0) > _ROUNDING * values.get("theoretical_occupancy", 100):
        raise Malformed("achieved_occupancy is above theoretical_occupancy")


def _check_requests(values: dict[str, float]) -> None:
    for access in _OF_REQUESTS:
        requests, sectors = (values.get(f"{access}_{unit}") for unit in ("requests", "sectors"))
        if requests is None or sectors is None:
            continue
        if not requests <= sectors <= _WARP * requests:
            raise Malformed(f"{sectors:.0f} {access}_sectors of {requests:.0f} requests")
        distinct = values.get(f"{access}_efficiency", 0) / 100 * 32 * sectors
        if distinct > _ROUNDING * _REQUEST_BYTES * requests:
            raise Malformed(
                f"{access}_efficiency says more bytes than {requests:.0f} requests have"
            )
    for access in ("load", "store", "atomic"):
        requests, wavefronts, conflicts = (
            values.get(f"shared_{access}_{unit}")
            for unit in ("requests", "wavefronts", "bank_conflicts")
        )
        if wavefronts is not None and access in _OF_MATRICES:
            more = values.get(_OF_MATRICES[access], 0)
            requests = more + (requests or 0) if requests is not None or more else None
        if requests is not None and wavefronts is not None:
            most = wavefronts if access == "atomic" else _MAX_WAVEFRONTS * requests
            if not requests <= wavefronts <= most:
                raise Malformed(
                    f"{wavefronts:.0f} shared_{access}_wavefronts of {requests:.0f} requests"
                )
        if wavefronts is not None and conflicts is not None and conflicts > wavefronts:
            raise Malformed(f"shared_{access}_bank_conflicts are more than the wavefronts")


def _check_sums(values: dict[str, float]) -> None:
    threads, warps = (values.get(f"{unit}_instructions") for unit in ("thread", "warp"))
    if threads is not None and warps is not None and threads > _WARP * warps:
        raise Malformed("thread_instructions are more than 32 for each of warp_instructions")
    requests = sum(values.get(f"{access}_requests", 0) for access in _OF_REQUESTS)
    if warps is not None and requests > warps:
        raise Malformed(f"{requests:.0f} requests of {warps:.0f} warp_instructions")
    loaded = sum(values.get(f"{access}_sectors", 0) for access in _OF_LOADS)
    hits, from_l2 = (values.get(key) for key in ("l1_hit_sectors", "l2_read_sectors"))
    if "load_sectors" in values and hits is not None and hits > loaded:
        raise Malformed(f"l1_hit_sectors are more than the {loaded:.0f} that are loaded")
    # The L2 works on atomics itself: it counts no read.
    read = loaded - values.get("atomic_sectors", 0)
    if read and hits == 0 and from_l2 == 0:
        raise Malformed(f"{read:.0f} sectors are loaded, from neither the L1 nor the L2")
    _check_stored(values)
    for access in ("load", "store"):
        sectors, used = (values.get(f"{access}_{unit}") for unit in ("sectors", "efficiency"))
        if sectors is not None and used is not None and (used > 0) != (sectors > 0):
            raise Malformed(f"{access}_efficiency is {used:g} % of {sectors:.0f} sectors")


def _check_stored(values: dict[str, float]) -> None:
    """Stores reach the L2, where those of a sector meet; the L1 keeps none back. Bulk copies write without a store."""
    stored = sum(values.get(f"{access}_sectors", 0) for access in _OF_STORES)
    written = values.get("l2_write_sectors", stored)
    if stored and not stored / _MERGED <= written <= _WRITTEN_BESIDES * stored:
        raise Malformed(f"{written:.0f} l2_write_sectors of {stored:.0f} that are stored")


def _check_time(name: str, values: dict[str, float], time_us: float, device: Device) -> None:
    """No SM issues more than four instructions a clock, and DRAM has its peak."""
    cycles = time_us * device.sm_count * device.max_clock_mhz
    if (issued := values.get("warp_instructions", 0)) > _ISSUED * cycles:
        raise Malformed(f"{issued:.4g} warp_instructions take longer than its {time_us:g} us")
    moved = sum(values.get(f"dram_{way}_bytes", 0) for way in ("read", "write"))
    is_cold = names.parameters(name).get("cache") == "cold"
    if is_cold and moved > _PEAK * device.dram_bytes_per_second * time_us / 1e6 + _DRAM_BASE_BYTES:
        raise Malformed(f"{moved:.4g} bytes of DRAM take longer than its {time_us:g} us")


def _check_counted(name: str, values: dict[str, float], counted: dict[str, float]) -> None:
    """Sizes fix the requests of a launch, whatever GPU it runs on."""
    if not names.regime(name):
        return
    for key in _FIXED:
        if key in values and key in counted:
            low, high = counted[key] / _OTHERWISE, counted[key] * _OTHERWISE
            if not low <= values[key] <= high:
                raise Malformed(
                    f"{values[key]:.0f} {key}; an emulated GPU counts {counted[key]:.0f}"
                )


def counted_by(project: Project, chapter: Chapter) -> Counters:
    """The requests that emulated GPUs count, by benchmark; the first that has one."""
    counted: Counters = {}
    for path in sorted(project.data.glob(f"{EMULATED}*/{chapter.name}.json")):
        try:
            rows = schema.parse(files.read_bytes(path, fields.LONGEST_FILE))["rows"]
        except Malformed:
            continue
        for row in rows:
            counts = {key: float(row[key]) for key in _FIXED if key in row}
            counted.setdefault(row["name"], counts)
    return counted
