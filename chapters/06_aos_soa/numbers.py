"""Numbers of page.md that no claim has: queries of the tracked data."""

from notebook.pages.queries import H100, Data, Numbers

_ONE, _ARRAY = "aos_one_field", "soa_one_field"
_RECORDS = 2**24
_BLOCKS = _RECORDS // 128
_LARGE = f"n:{_RECORDS} cache:cold"
_PLAIN = f"{_ARRAY} record:8 {_LARGE}"


def _late(d: Data, record: int, at: str = "") -> list[float]:
    """Time of one field of structures over that of an array."""
    return d.ratio(f"{_ONE} record:{record}", f"{_ARRAY} record:{record}", at=at)


def _moved(d: Data) -> list[float]:
    """Megabytes that DRAM reads and writes for one field of structures."""
    (moved,) = (
        sum(d.of(f"{_ONE} record:8 {_LARGE}", f"dram_{way}_bytes")[0] for way in ("read", "write")),
    )
    return [moved / 1e6]


def _partial(d: Data) -> list[float]:
    """Megabytes of sectors that would have been completed, had they left the L2."""
    return [
        (16 * records - read) / 1e6
        for records in (2**22, _RECORDS)
        for kernel in (_ONE, "sum_into_one_field")
        for read in d.of(f"{kernel} record:8 n:{records} cache:cold", "dram_read_bytes")
    ]


def _complete(d: Data) -> list[float]:
    written = d.of(f"*_all_fields record:8 {_LARGE}", "dram_write_bytes")
    return [(8 * _RECORDS - value) / 1e6 for value in written]


def _separate(d: Data, record: int, fields: int) -> list[float]:
    """Stores to a sector behind the first that reach the L2 on their own, in percent of all such stores."""
    stored, arrived = (
        d.of(f"aos_all_fields record:{record}", f"{at}_sectors") for at in ("store", "l2_write")
    )
    return [
        100 * (there - all_ / fields) / (all_ - all_ / fields)
        for all_, there in zip(stored, arrived, strict=True)
    ]


def _more_dram(d: Data) -> list[float]:
    return [
        value
        for kernel in ("*_all_fields", "*_whole_record", _ARRAY)
        for value in d.beyond("emulated-hopper", kernel, "dram_read_bytes", 1e-3)
    ]


NUMBERS: Numbers = {
    "example_loads": lambda d: d.of("sum_into_one_field record:8", "load_efficiency"),
    "example_stores": lambda d: d.of("sum_into_one_field record:8", "store_efficiency"),
    "dram_reads": lambda d: d.ratio(
        f"{_ONE} record:8", f"{_ARRAY} record:8", "dram_read_bytes", "n:4194304|16777216"
    ),
    "late_8": lambda d: _late(d, 8),
    "late_12": lambda d: _late(d, 12),
    "late_16": lambda d: _late(d, 16),
    "late_8_h100": lambda d: _late(d.on(H100), 8),
    "late_12_h100": lambda d: _late(d.on(H100), 12),
    "late_16_h100": lambda d: _late(d.on(H100), 16),
    "plain": lambda d: d.of(_PLAIN),
    "plain_h100": lambda d: d.on(H100).of(_PLAIN),
    "late_at_24": lambda d: _late(d, 8, _LARGE),
    "late_at_24_h100": lambda d: _late(d.on(H100), 8, _LARGE),
    "whole": lambda d: d.of("aos_whole_record", "load_efficiency"),
    "same_time": lambda d: [value for value in d.of(f"* {_LARGE} block:128") if value < 90],
    "occupancy": lambda d: d.of(f"{_ARRAY} record:2|3|4 {_LARGE}", "achieved_occupancy"),
    "block_start": lambda d: [1e3 * value / _BLOCKS for value in d.of(_PLAIN)],
    "aos_bytes": _moved,
    "aos_late": lambda d: [100 * (value - 1) for value in _late(d, 8, _LARGE)],
    "partial": _partial,
    "complete": _complete,
    "all_fields": lambda d: [
        abs(value) for value in d.more("aos_all_fields", "soa_all_fields", at="record:2|3|4|8|12")
    ],
    "four_floats": lambda d: d.less("aos_all_fields", "soa_all_fields", at="record:16 cache:cold"),
    "separate_8": lambda d: _separate(d, 8, 2),
    "separate_16": lambda d: _separate(d, 16, 4),
    "fermi_bytes": lambda d: d.on("emulated-fermi").of(
        f"{_ARRAY} record:4 n:1048576 cache:cold", "nvprof_gld_efficiency"
    ),
    "more_dram": _more_dram,
}
