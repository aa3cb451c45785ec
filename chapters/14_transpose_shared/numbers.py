"""Numbers of page.md that no claim has: names, and queries of the tracked data.

The trials are those of data/residency_trials.csv: each board's best run of a kernel.
"""

from collections.abc import Callable

from notebook.pages.queries import H100, Data, Numbers

_RATIO = "memcpy_ratio"
_FLOATS = "transpose_vectors type:float tile:64x64"
_DOUBLES = "transpose_vectors type:double tile:32x32"
_UNROLLED, _FASTEST = "transpose_tile_unrolled", "transpose type:float"
_SMALL, _LARGE = "rows:2048 columns:2048", "rows:16384 columns:16384 cache:cold"
_SHARED_LINES, _RAGGED = "rows:10000 columns:10000", "rows:9999 columns:10007"
_SIX = (
    *(_SMALL, _LARGE, _SHARED_LINES, _RAGGED),
    *("rows:16384 columns:8192", "rows:16384 columns:32768"),
)
_TILE, _PADDED = "transpose_tile block:32x8", "transpose_tile_padded block:32x8"

_SECTORS = "transpose_sectors, loads of L2::256B"
_NARROW = {"tile_rows": "128", "tile_columns": "64"}
_PAIRS = {"cluster": "2", "columns_in_turns": "2", "tile_rows": "160", "carveout": "default"}
_ODD = "9999x10007"


def _ratio(spec: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(spec, _RATIO)


def _points(d: Data, spec: str, baseline: str) -> list[float]:
    """By how many percent of a copy's rate a kernel exceeds another."""
    pairs = zip(d.of(spec, _RATIO), d.of(baseline, _RATIO), strict=True)
    return [100 * (one - other) for one, other in pairs]


def _by_order(d: Data) -> list[float]:
    return [
        value
        for kernel in (_FLOATS, _UNROLLED)
        for value in _points(d, f"{kernel} order:down {_LARGE}", f"{kernel} order:across {_LARGE}")
    ]


def _by_width(d: Data) -> list[float]:
    return [
        value
        for order in ("down", "across")
        for value in _points(
            d, f"{_FLOATS} order:{order} {_LARGE}", f"{_UNROLLED} order:{order} {_LARGE}"
        )
    ]


def _read_rows(d: Data) -> list[float]:
    """Of chapter 10, over the fastest."""
    return [
        time / d.of(f"{_FASTEST} rows:{side} columns:{side}")[0]
        for side in (2048, 16384)
        for time in d.of_chapter("10").of(
            f"transpose_read_rows block:16x16 l1:on rows:{side} cache:cold"
        )
    ]


def _tile_over_columns(side: int) -> Callable[[Data], list[float]]:
    """The rate of the tile over that of chapter 13's blocks of 32 x 16, which read columns."""
    return lambda d: [
        time / d.of(f"{_TILE} rows:{side}")[0]
        for time in d.of_chapter("13").of(f"transpose_read_columns block:32x16 rows:{side}")
    ]


def _banks_busy(d: Data) -> list[float]:
    """Milliseconds of the passes, at one a clock."""
    passes = [
        value
        for side in ("load", "store")
        for value in d.of(f"{_TILE} {_LARGE}", f"shared_{side}_wavefronts")
    ]
    return [1e-3 * sum(passes) / d.result.sm_count / d.result.sm_clock_mhz]


def _fermi_of_copy(d: Data) -> list[float]:
    fermi = d.on("emulated-fermi")
    return [fermi.predicted(_FASTEST)[0] / fermi.of_chapter("09").predicted("copy_wide")[0]]


def _hint_gains(d: Data) -> list[float]:
    return [
        value
        for kernel in (_FLOATS, _DOUBLES)
        for value in d.more(
            kernel.replace("vectors", "vectors_evict_last") + " order:down",
            f"{kernel} order:down",
            _RATIO,
            "rows:16384",
        )
    ]


def _aside_elsewhere(d: Data) -> list[float]:
    name = "transpose/l2_set_aside:30/type:float/rows:16384/columns:16384/"
    rows = d.table("limits_by_board.csv")
    return [max(float(row["median"]) for row in rows if row["name"].startswith(name))]


def _apart_saves(d: Data) -> list[float]:
    return [
        value
        for kernel, at in ((_DOUBLES, _LARGE), (_FLOATS, "rows:16384 columns:32768"))
        for value in d.less(f"{kernel} order:apart", f"{kernel} order:down", at=at)
    ]


def _tensor_more(type_: str, at: str = "") -> Callable[[Data], list[float]]:
    return lambda d: d.more(f"transpose_tensor type:{type_}", f"transpose type:{type_}", at=at)


def _waits(kind: str) -> Callable[[Data], list[float]]:
    """Conflicts that are counted without any, in percent of the passes."""
    return lambda d: [
        100 * (d.value(name, f"shared_{kind}_bank_conflicts") or 0) / passes
        for name in d.names("*")
        if (passes := d.value(name, f"shared_{kind}_wavefronts")) and "transpose_tile/" not in name
    ]


def _plain_passes(d: Data) -> list[float]:
    return [
        int(row["load_instruction_wavefronts"]) / int(row["load_instructions"])
        for row in d.table("shared_waits.csv")
        if row["name"].startswith("transpose_tile/")
    ]


def _trial(d: Data, board: str, shape: str, kernel: str, **columns: str) -> float:
    """The best that has these values; in order:down and no cluster where none is named."""
    rows, width = shape.split("x")
    wanted = {"board": board, "rows": rows, "columns": width, "l2_set_aside": "30"}
    wanted |= {"columns_in_turns": "1", "rows_in_turns": "1", "cluster": "1", **columns}
    return max(
        float(row[_RATIO])
        for row in d.table("residency_trials.csv")
        if row["kernel"].startswith(kernel) and all(row[key] == wanted[key] for key in wanted)
    )


def _trial_of(board: str, shape: str, kernel: str, **columns: str) -> Callable[[Data], list[float]]:
    return lambda d: [_trial(d, board, shape, kernel, **columns)]


def _pairs_gain(board: str, shape: str, kilobytes: int) -> Callable[[Data], list[float]]:
    pairs = {**_PAIRS, "block_bytes": str(kilobytes * 1024)}
    return lambda d: [
        100
        * (
            _trial(d, board, shape, _SECTORS, **pairs)
            / _trial(d, board, shape, _SECTORS, **_NARROW)
            - 1
        )
    ]


def _fewer_reads_gain(d: Data) -> list[float]:
    four, eight = {"block_bytes": "32768", "carveout": "60"}, {"block_bytes": "16384"}
    shape, kernel = "16384x16384", "transpose_vectors"
    return [
        100
        * (_trial(d, board, shape, kernel, **four) / _trial(d, board, shape, kernel, **eight) - 1)
        for board in ("445111e0", "086c9fdc", "84c5fe3b")
    ]


def _half_pairs(d: Data) -> list[float]:
    halves = {"element_bytes": "2", "block_bytes": "32768", "carveout": "default"}
    turns = {"cluster": "2", "columns_in_turns": "2", "tiles_apart": "2"}
    shape, kernel = "16384x8192", "transpose_vectors"
    return [
        100
        * (
            _trial(d, board, shape, kernel, **halves, **turns)
            / _trial(d, board, shape, kernel, **halves)
            - 1
        )
        for board in ("445111e0", "84c5fe3b")
    ]


def _bands_lose(d: Data) -> list[float]:
    """Pairs of columns without a part of the L2 set aside."""
    rows, width = _ODD.split("x")
    ratios = {
        (row["board"], row["kernel"]): float(row[_RATIO])
        for row in d.table("residency_trials.csv")
        if (row["rows"], row["columns"], row["l2_set_aside"]) == (rows, width, "0")
    }
    return [
        100 * (1 - ratios[board, f"{_SECTORS}, bands of 5120 rows"] / ratios[board, _SECTORS])
        for board in ("53b39b9a", "f77e9029")
    ]


def _fewer_crossings(d: Data) -> list[float]:
    sectors = [int(row["fabric_sectors"]) for row in d.table("l2_fabric.csv")]
    return [100 * (1 - sectors[4] / sectors[3])]


NUMBERS: Numbers = {
    "read_rows": _read_rows,
    "cublas_longer": lambda d: [
        value for at in _SIX for value in d.ratio(_FASTEST, "cublas_sgeam", _RATIO, at)
    ],
    "less_than_cublas": lambda d: [
        100 * (1 - 1 / value)
        for at in _SIX
        for value in d.ratio(_FASTEST, "cublas_sgeam", _RATIO, at)
    ],
    "banks_busy": _banks_busy,
    "unpadded_time": lambda d: d.of(f"{_TILE} {_LARGE}", scale=1e-3),
    "padded_time": lambda d: d.of(f"{_PADDED} {_LARGE}", scale=1e-3),
    "tile_small": _tile_over_columns(2048),
    "tile_large": _tile_over_columns(16384),
    "order_h200": _by_order,
    "order_h100": lambda d: _by_order(d.on(H100)),
    "width_h200": _by_width,
    "apart_saves": _apart_saves,
    "fermi_of_copy": _fermi_of_copy,
    "hint_gains": _hint_gains,
    "aside_gains": lambda d: d.more(f"{_FASTEST} l2_set_aside:30", _FASTEST, _RATIO),
    "aside": _ratio(f"{_FASTEST} l2_set_aside:30 rows:16384 columns:16384"),
    "aside_elsewhere": _aside_elsewhere,
    "tensor_instructions": lambda d: d.share(
        "transpose_tensor", "transpose", "warp_instructions", "rows:2048|16384"
    ),
    "tensor_ragged": _ratio(f"transpose_tensor type:float {_SHARED_LINES}"),
    "vectors_ragged": lambda d: [
        max(d.of(f"transpose_vectors* type:float {_SHARED_LINES}", _RATIO))
    ],
    "tensor_floats": _tensor_more("float", "rows:2048|16384"),
    "tensor_halves": _tensor_more("uint16"),
    "tensor_doubles": _tensor_more("double"),
    "fewer_reads_gain": _fewer_reads_gain,
    "book_sectors": lambda d: d.per(f"{_UNROLLED} {_RAGGED}", "store_sectors", "store_requests"),
    "book_writes": lambda d: [
        100 * (value / (4 * 9999 * 10007 / 32) - 1)
        for value in d.of(f"{_UNROLLED} {_RAGGED}", "l2_write_sectors")
    ],
    "sectors_ragged": _ratio(f"transpose_sectors_evict_last order:down {_RAGGED}"),
    "book_ragged": _ratio(f"{_UNROLLED} {_RAGGED}"),
    "cublas_ragged": _ratio(f"cublas_sgeam {_RAGGED}"),
    "vector_requests": lambda d: d.of(f"{_FLOATS} order:down {_SMALL}", "load_requests"),
    "padded_requests": lambda d: d.of(f"transpose_tile_padded {_SMALL}", "load_requests"),
    "slow_board": _trial_of("bf8e8883", _ODD, _SECTORS, **_NARROW),
    "slow_board_pairs": _trial_of("bf8e8883", _ODD, _SECTORS, **_PAIRS, block_bytes="77824"),
    "fast_board": _trial_of("84c5fe3b", _ODD, _SECTORS, **_NARROW),
    "fast_board_pairs": _trial_of("84c5fe3b", _ODD, _SECTORS, **_PAIRS, block_bytes="77824"),
    "third_board": _trial_of("73b1e10b", _ODD, _SECTORS, **_NARROW),
    "third_board_pairs": _trial_of("73b1e10b", _ODD, _SECTORS, **{**_PAIRS, "tile_rows": "128"}),
    "aligned_input": _trial_of("61c2d4c7", "9999x10000", _SECTORS, **_NARROW),
    "aligned_output": _trial_of("61c2d4c7", "10000x10007", _SECTORS, **_NARROW),
    "fewer_crossings": _fewer_crossings,
    "pairs_5003": _pairs_gain("bf8e8883", "5003x17001", 76),
    "pairs_14001": _pairs_gain("0750cc62", "14001x14003", 78),
    "pairs_20011": _pairs_gain("0750cc62", "20011x7503", 78),
    "bands_lose": _bands_lose,
    "little_l1": _trial_of(
        "7aa1be15",
        _ODD,
        "transpose_sectors",
        block_bytes="107008",
        tile_rows="128",
        tile_columns="128",
    ),
    "cp_async": _trial_of(
        "73b1e10b",
        _ODD,
        "transpose_sectors, aligned cp.async",
        tile_rows="128",
        tile_columns="128",
    ),
    "half_pairs": _half_pairs,
    "ragged_cost": lambda d: [
        100 * (1 - one / other)
        for one in d.of(f"{_FLOATS} order:down {_SHARED_LINES}", _RATIO)
        for other in d.of(f"{_FLOATS} order:down {_LARGE}", _RATIO)
    ],
    "halves_large": _ratio(f"transpose type:uint16 {_LARGE}"),
    "halves_small": _ratio(f"transpose type:uint16 {_SMALL}"),
    "floats_large": _ratio(f"transpose type:float {_LARGE}"),
    "floats_ragged": _ratio(f"transpose type:float {_SHARED_LINES}"),
    "doubles_large": _ratio(f"transpose type:double {_LARGE}"),
    "doubles_down": _ratio(f"{_DOUBLES} order:down {_LARGE}"),
    "floats_down": _ratio(f"{_FLOATS} order:down {_LARGE}"),
    "doubles_apart": _ratio(f"{_DOUBLES} order:apart {_LARGE}"),
    "load_waits": _waits("load"),
    "store_waits": _waits("store"),
    "plain_passes": _plain_passes,
}
