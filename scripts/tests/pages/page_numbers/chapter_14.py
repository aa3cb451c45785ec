"""Chapter 14: transposes through shared memory."""

from collections.abc import Iterator

from page_numbers.check import Fact
from page_numbers.data import H100, Data, table

CITED = (
    "396.36 GB/s by columns",
    "508.89 with a tile, 555.54 padded",
    "Columns in blocks of 32 x 16, as on the RTX 3080",
    "copy by rows 672.16",
)
GIVEN = (
    "630.44 unrolled",
    "32 passes cost more",
    "as fast, not 32 times: the 32 passes of its loads",
    "instead of 4, and",
    "have exactly 4 sectors",
    "one of the unrolled tile 16, one of the vectorised tile 4 of 512",
    "bit 16",
    "16384 x 16384 rise",
    "`order:down` doubles",
    "doubles at 16384",
    "its 1,024 blocks",
    "14001 rows",
    "20011 rows",
    "a seventh of the L2",
)
FLOATS, DOUBLES = (
    "transpose_vectors type:float tile:64x64",
    "transpose_vectors type:double tile:32x32",
)
SQUARE = "rows:16384 columns:16384 cache:cold"
SECTORS = "transpose_sectors, loads of L2::256B"


def _trials(board: str, shape: str, kernel: str, **columns: str) -> float:
    """The best of data/residency_trials.csv that has these values; in order:down and no cluster where none is named."""
    rows, width = shape.split("x")
    wanted = {"board": board, "rows": rows, "columns": width, "l2_set_aside": "30"}
    wanted |= {"columns_in_turns": "1", "rows_in_turns": "1", "cluster": "1", **columns}
    return max(
        float(row["memcpy_ratio"])
        for row in table("residency_trials.csv")
        if row["kernel"].startswith(kernel) and all(row[key] == wanted[key] for key in wanted)
    )


def _pairs(board: str, shape: str, tile_rows: str = "160", **columns: str) -> float:
    return _trials(
        board,
        shape,
        SECTORS,
        cluster="2",
        columns_in_turns="2",
        tile_rows=tile_rows,
        carveout="default",
        **columns,
    )


def _banded(board: str, shape: str, kernel: str) -> float:
    """Pairs of columns without a part of the L2 set aside."""
    rows, width = shape.split("x")
    (ratio,) = (
        float(row["memcpy_ratio"])
        for row in table("residency_trials.csv")
        if (row["board"], row["rows"], row["columns"], row["kernel"])
        == (board, rows, width, kernel)
        and row["l2_set_aside"] == "0"
    )
    return ratio


def _residency() -> Iterator[Fact]:
    """How many blocks an SM holds, and pairs of columns."""
    yield (
        "leave alone, they gain [0.2 to 0.5] % in",
        [
            100
            * (
                _trials(
                    board, "16384x16384", "transpose_vectors", block_bytes="32768", carveout="60"
                )
                / _trials(board, "16384x16384", "transpose_vectors", block_bytes="16384")
                - 1
            )
            for board in ("445111e0", "086c9fdc", "84c5fe3b")
        ],
    )
    narrow = {"tile_rows": "128", "tile_columns": "64"}
    yield (
        "9999 x 10000 has [0.983] of the copy, 10000 x 10007 [0.967]",
        [_trials("61c2d4c7", "9999x10000", SECTORS, **narrow)],
        [_trials("61c2d4c7", "10000x10007", SECTORS, **narrow)],
    )
    sectors = [int(row["fabric_sectors"]) for row in table("l2_fabric.csv")]
    yield (
        "[6] % fewer sectors cross between the parts of the L2",
        [100 * (1 - sectors[4] / sectors[3])],
    )
    odd = "9999x10007"
    yield (
        "[0.962] of the copy becomes [0.973]",
        [_trials("73b1e10b", odd, SECTORS, **narrow)],
        [_pairs("73b1e10b", odd, "128")],
    )
    yield (
        "[0.960] of the copy becomes [0.979] on a slow board and [0.968] becomes [0.985]",
        *(
            [value]
            for board in ("bf8e8883", "84c5fe3b")
            for value in (
                _trials(board, odd, SECTORS, **narrow),
                _pairs(board, odd, block_bytes=str(76 * 1024)),
            )
        ),
    )
    pair = {"bf8e8883": str(76 * 1024), "0750cc62": str(78 * 1024)}
    gains = [
        100
        * (
            _pairs(board, shape, block_bytes=pair[board]) / _trials(board, shape, SECTORS, **narrow)
            - 1
        )
        for board, shape in (
            ("bf8e8883", "5003x17001"),
            ("0750cc62", "14001x14003"),
            ("0750cc62", "20011x7503"),
        )
    ]
    yield (
        "5003 rows gain [2.5] %, 14001 rows [0.9] %, and 20011 rows lose [1] %",
        gains[:1],
        gains[1:2],
        [-gains[2]],
    )
    yield (
        "keep columns short, lose [3 to 8] %",
        [
            100
            * (
                1
                - _banded(board, odd, f"{SECTORS}, bands of 5120 rows")
                / _banded(board, odd, SECTORS)
            )
            for board in ("53b39b9a", "f77e9029")
        ],
    )
    wide = {"tile_rows": "128", "tile_columns": "128"}
    yield (
        "fall to [0.80] of the copy",
        [_trials("7aa1be15", odd, "transpose_sectors", block_bytes="107008", **wide)],
    )
    yield (
        "stays at [0.956]",
        [_trials("73b1e10b", odd, "transpose_sectors, aligned cp.async", **wide)],
    )
    halves = {"element_bytes": "2", "block_bytes": "32768", "carveout": "default"}
    shape = "16384x8192"
    turns = {"cluster": "2", "columns_in_turns": "2", "tiles_apart": "2"}
    yield (
        "pairs of 2-byte elements ([0.1 to 0.2] %)",
        [
            100
            * (
                _trials(board, shape, "transpose_vectors", **halves, **turns)
                / _trials(board, shape, "transpose_vectors", **halves)
                - 1
            )
            for board in ("445111e0", "84c5fe3b")
        ],
    )


def facts(d: Data) -> Iterator[Fact]:
    yield from _residency()
    ratio = "memcpy_ratio"
    for words, side in (
        ("has [1.05] times their rate at 2048", 2048),
        ("2048 and [1.17] times at 16384", 16384),
    ):
        columns = Data("13").of(f"transpose_read_columns block:32x16 rows:{side}")
        yield words, [time / d.of(f"transpose_tile block:32x8 rows:{side}")[0] for time in columns]
    fastest = "transpose type:float"
    yield (
        "without shared memory takes [3.2 to 4.1] times as long",
        [
            time / d.of(f"{fastest} rows:{side} columns:{side}")[0]
            for side in (2048, 16384)
            for time in Data("10").of(
                f"transpose_read_rows block:16x16 l1:on rows:{side} cache:cold"
            )
        ],
    )
    unpadded, padded = "transpose_tile block:32x8", "transpose_tile_padded block:32x8"
    passes = [
        d.of(f"{unpadded} {SQUARE}", f"shared_{side}_wavefronts")[0] for side in ("load", "store")
    ]
    yield (
        "keep the banks busy for [1.07] of [1.21] ms (16384 x 16384); without them memory sets the time, [0.61] ms",
        [1e3 * sum(passes) / 132 / 1.98e9],
        *([time / 1e3 for time in d.of(f"{each} {SQUARE}")] for each in (unpadded, padded)),
    )
    fermi = "emulated-fermi"
    ours, copy = d.on(fermi).predicted(fastest), Data("09", fermi).predicted("copy_wide")
    yield "takes [1.00] times the time of a copy", [ours[0] / copy[0]]
    down = f"{FLOATS} order:down {SQUARE}"
    yield (
        "gain [3 to 4] % of a copy's rate at 16384 x 16384 on the H200 and [less than 1] % on an H100; "
        "16-byte accesses gain [1 to 2] %",
        _by_order(d),
        _by_order(d.on(H100)),
        [
            100 * (one - other)
            for order in ("down", "across")
            for one, other in zip(
                d.of(f"{FLOATS} order:{order} {SQUARE}", ratio),
                d.of(f"transpose_tile_unrolled order:{order} {SQUARE}", ratio),
                strict=True,
            )
        ],
    )
    yield (
        "they are no faster (floats [0 to 6] % slower, 2-byte elements [2] %, in 8-byte elements [9 to 11] %)",
        d.more("transpose_tensor type:float", "transpose type:float", at="rows:2048|16384"),
        d.more("transpose_tensor type:uint16", "transpose type:uint16"),
        d.more("transpose_tensor type:double", "transpose type:double"),
    )
    yield (
        "evicted last) need [37 to 65] % of the instructions",
        d.share("transpose_tensor", "transpose", "warp_instructions", "rows:2048|16384"),
    )
    yield (
        "take [4 to 6] % less time there",
        d.less(f"{DOUBLES} order:apart", f"{DOUBLES} order:down", at=SQUARE)
        + d.less(f"{FLOATS} order:apart", f"{FLOATS} order:down", at="rows:16384 columns:32768"),
    )
    hinted = [
        100 * (one - 1)
        for kernel in (FLOATS, DOUBLES)
        for one in d.ratio(
            kernel.replace("vectors", "vectors_evict_last") + " order:down",
            f"{kernel} order:down",
            ratio,
            "rows:16384",
        )
    ]
    yield "bring [1] %, as in", hinted
    shared = "rows:10000 columns:10000"
    yield (
        "they are faster: [0.982] of the copy's rate, the best 16-byte accesses [0.973]",
        d.of(f"transpose_tensor type:float {shared}", ratio),
        [max(d.of(f"transpose_vectors* type:float {shared}", ratio))],
    )
    odd = "rows:9999 columns:10007"
    book = f"transpose_tile_unrolled {odd}"
    yield (
        "[4.9] sectors a store instead of 4, and the L2 is written [17] % more",
        d.per(book, "store_sectors", "store_requests"),
        [100 * (value / (4 * 9999 * 10007 / 32) - 1) for value in d.of(book, "l2_write_sectors")],
    )
    yield (
        "it has [0.96] of the copy at 9999 x 10007, the textbook's unrolled tile [0.69], cuBLAS [0.82]",
        d.of(f"transpose_sectors_evict_last order:down {odd}", ratio),
        d.of(book, ratio),
        d.of(f"cublas_sgeam {odd}", ratio),
    )
    small = "rows:2048 columns:2048"
    yield (
        "requests: [32,768] instead of [131,072] at",
        d.of(f"{FLOATS} order:down {small}", "load_requests"),
        d.of(f"transpose_tile_padded {small}", "load_requests"),
    )
    yield (
        "middle of a line cost [4] %",
        [
            100 * (1 - one / other)
            for one, other in zip(
                d.of(f"{FLOATS} order:down {shared}", ratio),
                d.of(f"{FLOATS} order:down {SQUARE}", ratio),
                strict=True,
            )
        ],
    )
    best = [
        d.of(f"transpose type:{name} {at}", ratio)
        for name in ("double", "float", "uint16")
        for at in (SQUARE,)
    ]
    yield (
        "come [within 2] % of a copy",
        [100 * (1 - value) for values in best for value in values],
    )
    yield (
        "floats [within 2] % at 10000 x 10000",
        [100 * (1 - value) for value in d.of(f"transpose type:float {shared}", ratio)],
    )
    yield (
        "2-byte elements [within 4] % at 2048",
        [100 * (1 - value) for value in d.of(f"transpose type:uint16 {small}", ratio)],
    )
    yield "128 KiB, have [0.932] of", d.of(f"{DOUBLES} order:down {SQUARE}", ratio)
    yield "64 KiB, have [0.97]", d.of(down, ratio)
    yield (
        "rise from [0.932] to [0.966] of",
        d.of(f"{DOUBLES} order:down {SQUARE}", ratio),
        d.of(f"{DOUBLES} order:apart {SQUARE}", ratio),
    )
    aside = f"{fastest} l2_set_aside:30 rows:16384 columns:16384"
    gains = d.more(f"{fastest} l2_set_aside:30", fastest, ratio)
    yield "they gain [up to 1] % more: [0.988] of the copy", gains, d.of(aside, ratio)
    boards = [
        float(row["median"])
        for row in table("limits_by_board.csv")
        if row["name"].startswith("transpose/l2_set_aside:30/type:float/rows:16384/columns:16384/")
    ]
    yield "another board had [0.992]", [max(boards)]
    loads, stores = (
        [
            100 * (d.value(name, f"shared_{kind}_bank_conflicts") or 0) / of_all
            for name in d.names("*")
            if (of_all := d.value(name, f"shared_{kind}_wavefronts"))
            and "transpose_tile/" not in name
        ]
        for kind in ("load", "store")
    )
    yield "[up to 19] % of the passes of a load and [19] % of those", loads, [max(stores)]
    plain = [row for row in table("shared_waits.csv") if row["name"].startswith("transpose_tile/")]
    yield (
        "plain tile [32] passes",
        [int(row["load_instruction_wavefronts"]) / int(row["load_instructions"]) for row in plain],
    )
    yield (
        "takes [5 to 16] % less time",
        [
            100 * (1 - 1 / value)
            for at in (
                small,
                SQUARE,
                shared,
                odd,
                "rows:16384 columns:8192",
                "rows:16384 columns:32768",
            )
            for value in d.ratio("transpose type:float", "cublas_sgeam", ratio, at)
        ],
    )

    def waits(kernel: str, kind: str) -> list[float]:
        conflicts, passes = (f"shared_{kind}_{name}" for name in ("bank_conflicts", "wavefronts"))
        return d.per(kernel, conflicts, passes, 100)

    yield "[9 to 12] % of the passes, other in every run", waits("transpose_tile_padded", "load")
    yield (
        "conflicts [5] % of the passes, other in every run",
        waits("transpose_tile_swizzled", "load"),
    )
    yield (
        "[2 to 3] % slower, the edge",
        d.more("transpose_tile_swizzled", "transpose_tile_padded", at="block:32x8"),
    )
    vectors = f"{FLOATS} order:down"
    yield "[6 to 11] % of the passes, other in every run", waits(vectors, "load")
    yield "[at most 5] % of the passes, other in every run", waits(vectors, "store")
    yield (
        "[about 3] % at 16384 x 16384, the edge",
        d.less(f"{FLOATS} order:down", f"{FLOATS} order:across", at=SQUARE),
    )
    yield "[1] %, less than what counts as an effect", hinted


def _by_order(d: Data) -> list[float]:
    """What the order of the output gains, in percent of a copy's rate."""
    return [
        100 * (one - other)
        for kernel in (FLOATS, "transpose_tile_unrolled")
        for one, other in zip(
            d.of(f"{kernel} order:down {SQUARE}", "memcpy_ratio"),
            d.of(f"{kernel} order:across {SQUARE}", "memcpy_ratio"),
            strict=True,
        )
    ]
