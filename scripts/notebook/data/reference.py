"""The memcpy that a benchmark's bandwidth is compared with."""

import math
from statistics import median

from notebook.data import names
from notebook.data.results import Result

_REFERENCE = "memcpy"


def by_reference(result: Result) -> dict[str, list[str]]:
    """For each memcpy row the benchmarks to compare with it, itself among them.

    A benchmark is compared with the copy in the same cache state that moves the most similar
    number of bytes, of two as similar the larger.
    """
    moved = {
        name: median(row.values["bytes_per_second"] * row.time_us for row in rows)
        for name, rows in result.by_name.items()
        if all(row.values.get("bytes_per_second", 0) > 0 for row in rows)
    }
    groups: dict[str, list[str]] = {}
    for name, size in moved.items():
        references = [
            other
            for other in moved
            if names.kernel(other) == _REFERENCE and _cache(other) == _cache(name)
        ]
        if references:
            # Rounded, so that half and twice the bytes are as similar whatever the rate's last digit.
            nearest = min(
                references,
                key=lambda other: (round(abs(math.log(moved[other] / size)), 3), -moved[other]),
            )
            groups.setdefault(nearest, []).append(name)
    return groups


def _cache(name: str) -> str:
    return names.parameters(name).get("cache", "")
