"""Whether a row moves between host and device what its time and the link allow."""

from notebook.base.errors import Malformed
from notebook.data import names
from notebook.data.fields import Json
from notebook.data.records import numbers

# Bytes a second: NVLink between a Grace CPU and its GPU, both ways (NVIDIA GH200 data sheet); PCIe is slower.
_LINK = 9e11
# Kernels of chapter 26 whose rate is that of copies between host and device.
_OVER_THE_LINK = ("transfer", "pipeline", "both_ways")
# A fault takes the CPU or the GPU longer.
_SHORTEST_FAULT_US = 0.1
_FAULTS = ("cpu_page_faults", "gpu_page_fault_groups")
# Memory whose pages do not move by themselves.
_NOT_MANAGED = ("explicit", "pinned", "pageable")


def check_traffic(row: Json) -> None:
    """Raises Malformed with the first contradiction."""
    shortest = min(numbers(row["time_us"]))
    for key in ("bytes_to_device", "bytes_to_host"):
        moved = max(numbers(row.get(key, 0)))
        if moved > _LINK * shortest / 1e6:
            raise Malformed(f"{moved:.4g} {key} take longer than its {shortest:g} us")
    for key in _FAULTS:
        faults = max(numbers(row.get(key, 0)))
        if faults * _SHORTEST_FAULT_US > shortest:
            raise Malformed(f"{faults:.4g} {key} take longer than its {shortest:g} us")
        memory = names.parameters(row["name"]).get("memory", "")
        if faults and memory in _NOT_MANAGED:
            raise Malformed(f"{faults:.4g} {key} of {memory} memory, which has none")
    rate = max(numbers(row.get("bytes_per_second", 0)))
    if names.kernel(row["name"]) in _OVER_THE_LINK and rate > _LINK:
        raise Malformed(f"copies {rate / 1e9:g} GB/s between host and device, more than any link")
