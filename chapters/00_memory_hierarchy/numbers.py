"""Numbers of page.md that no claim has: queries of the tracked data."""

from functools import partial

from notebook.pages.queries import H200, Data, Numbers

_LOADS, _RATE = "items_per_second", "bytes_per_second"
# The chases of each level, and its reads by all SMs.
_RINGS = {
    "l1": "path:l1 footprint:8192",
    "l2": "path:l2 footprint:524288",
    "dram": "path:l2 footprint:67108864",
}
_READS = {**_RINGS, "l2": "path:l2 footprint:4194304"}
_NEAR = {path: f"path:{path} footprint:1024" for path in ("shared", "constant", "texture")} | {
    "local": "path:local footprint:256"
}
_DEVICES = {
    "latency": H200,
    "b200": "published:b200",
    "h100": "published:h100-pcie",
    "l40": "published:l40",
    "a100": "published:a100-80gb",
    "v100": "published:tesla-v100",
}
_IN_FLIGHT, _FULL = "read_in_flight", "read_in_flight warps:32 loads:1"
# Bytes in flight of an SM with 32 warps, one word a lane.
_HELD = 32 * 32 * 4


def _latency(d: Data, ring: str, device: str) -> list[float]:
    """Nanoseconds of a load: dependent loads a second are its inverse."""
    return [1e9 / rate for rate in d.on(device).of(f"chase {ring}", _LOADS)]


def _read(d: Data, level: str) -> list[float]:
    return d.of(f"read {_READS[level]}", _RATE, 1e-12)


def _fermi(d: Data, level: str, unit: str) -> list[float]:
    """The latency that the time model assumes."""
    parameters, gpus = d.table("timing/parameters.csv"), d.table("architectures.csv")
    (clocks,) = (
        float(row["value"])
        for row in parameters
        if (row["architecture"], row["quantity"]) == ("fermi", f"{level}_cycles")
    )
    (mhz,) = (float(row["max_clock_mhz"]) for row in gpus if row["architecture"] == "fermi")
    return [clocks if unit == "clocks" else 1000 * clocks / mhz]


def _copied(d: Data) -> float:
    """The rate of long reads and writes, bytes a second."""
    return d.of("memcpy", _RATE)[0]


def _asked(d: Data) -> list[float]:
    """Bytes in flight by Little's law: the rate of DRAM times its latency."""
    return [_copied(d) * 1e-9 * wait for wait in _latency(d, _RINGS["dram"], H200)]


def _longer(rates: list[float]) -> list[float]:
    """How many percent longer the slowest takes than the fastest."""
    return [100 * (max(rates) / min(rates) - 1)]


def _merged(d: Data) -> list[float]:
    """Sectors stored to a single line for each that the L2 counts."""
    stored, reached = (
        d.of("store_over_lines lines:1", f"{at}_sectors") for at in ("store", "l2_write")
    )
    return [stored[0] / reached[0]]


NUMBERS: Numbers = {
    **{
        f"{name}_{level}": partial(_latency, ring=ring, device=device)
        for name, device in _DEVICES.items()
        for level, ring in _RINGS.items()
    },
    **{
        f"latency_{path}": partial(_latency, ring=ring, device=H200) for path, ring in _NEAR.items()
    },
    **{f"rate_{level}": partial(_read, level=level) for level in _READS},
    **{f"fermi_{level}": partial(_fermi, level=level, unit="ns") for level in _RINGS},
    **{f"fermi_{level}_clocks": partial(_fermi, level=level, unit="clocks") for level in _RINGS},
    "clocks_dram": lambda d: [
        wait * d.result.sm_clock_mhz / 1000 for wait in _latency(d, _RINGS["dram"], H200)
    ],
    "asked": lambda d: [value / 1e6 for value in _asked(d)],
    "asked_per_sm": lambda d: [value / d.result.sm_count / 1e3 for value in _asked(d)],
    "held": lambda d: [d.result.sm_count * _HELD / 1e6],
    "alone_of_memory": lambda d: [100 * rate / _copied(d) for rate in d.of(_FULL, _RATE)],
    "long_reads": lambda d: d.of_chapter("07").of("read_wide", _RATE, 1e-12),
    "peak": lambda d: [d.peak / 1e12],
    "warps_32": lambda d: d.ratio(
        f"{_IN_FLIGHT} warps:32", f"{_IN_FLIGHT} warps:1", _RATE, "loads:1"
    ),
    "four_loads_of_one_warp": lambda d: d.ratio(
        f"{_IN_FLIGHT} loads:4", f"{_IN_FLIGHT} loads:1", _RATE, "warps:1"
    ),
    "four_loads_less": lambda d: d.less(
        f"{_IN_FLIGHT} warps:1 loads:4", f"{_IN_FLIGHT} warps:4 loads:1", _RATE
    ),
    "stores_32": lambda d: d.ratio("store_over_lines lines:1", "store_over_lines lines:32", _LOADS),
    "merged": _merged,
    "pages": lambda d: _longer(d.of("chase_pages pages:16|4096", _LOADS)),
    "lines": lambda d: _longer(d.of("chase_line", _LOADS)),
}
