"""Numbers in the pages' prose: each stands in its page and is what the tracked data say."""

import csv
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from notebook import results
from notebook.chapters import Chapter
from notebook.project import Project

ROOT = Path(__file__).parents[2]
GPU = "nvidia-h200"


@cache
def page(chapter: str) -> str:
    return " ".join((directory(chapter) / "README.md").read_text(encoding="utf-8").split())


def directory(chapter: str) -> Path:
    (found,) = (ROOT / "chapters").glob(f"{chapter}_*")
    return found


@cache
def result(chapter: str) -> results.Result:
    every = results.load_chapter(Project(ROOT, ROOT / "data"), Chapter(directory(chapter)))
    (found,) = (each for each in every if each.device == GPU)
    return found


def measured(chapter: str, name: str, metric: str = "time") -> float:
    found = result(chapter)
    matching = [rows for key, rows in found.by_name.items() if key == _key(found, name)]
    return median(row.metric(metric) for row in matching[0])


def counted(chapter: str, name: str, counter: str) -> float:
    found = result(chapter)
    return found.counts[_key(found, name)][0][counter]


def _key(found: results.Result, name: str) -> str:
    """The benchmark whose parameters are those of `name`, in any order."""
    parts = sorted(name.split("/"))
    (key,) = (each for each in {*found.by_name, *found.counts} if sorted(each.split("/")) == parts)
    return key


def change(chapter: str, variant: str, baseline: str, regimes: Iterable[str]) -> list[float]:
    """Variant over baseline, less 1, in percent: of the times."""
    return [
        100 * (measured(chapter, f"{variant}/{end}") / measured(chapter, f"{baseline}/{end}") - 1)
        for end in regimes
    ]


def cubed(*sides: int) -> list[str]:
    return [f"m:{n}/n:{n}/k:{n}/cache:cold" for n in sides]


def more(
    chapter: str, variant: str, baseline: str, counter: str, regimes: list[str]
) -> list[float]:
    """The same of a counter."""
    return [
        100
        * (
            counted(chapter, f"{variant}/{end}", counter)
            / counted(chapter, f"{baseline}/{end}", counter)
            - 1
        )
        for end in regimes
    ]


def square(side: int) -> str:
    return f"rows:{side}/columns:{side}/cache:cold"


def share(chapter: str, *names: str, metric: str) -> list[float]:
    return [measured(chapter, name, metric) for name in names]


F = "matmul_tiled_bounded/type:float/tile:"
T = "matmul_rectangular_tiles/tile:"
FLOATS = "transpose_vectors/type:float/tile:64x64/order:down"
DOUBLES = "transpose_vectors/type:double/tile:32x32/order:"

# The blocks of 64 and of 128 threads, whose starts limit chapter 13's kernels.
START_SHAPES = ((8, 8), (8, 16), (16, 8), (4, 32))

# Chapter, words of its page, the range that they print, the digits to which each value is rounded
# before it is compared, and how the values follow from the data.
NUMBERS: list[tuple[str, str, tuple[float, float], int, Callable[[], list[float]]]] = [
    ("02", "also remains at offset 32", (55, 65), 0, lambda: [_left(32)]),
    (
        "07",
        "moves 1.033 of the copy",
        (1.033, 1.033),
        3,
        lambda: share(
            "07",
            "read_offset_wide_paced/offset:0/block:1024/n:536870912/cache:cold",
            metric="memcpy_ratio",
        ),
    ),
    (
        "07",
        "accesses move 1.028",
        (1.028, 1.028),
        3,
        lambda: share(
            "07",
            "read_offset_wide/offset:0/block:1024/n:536870912/cache:cold",
            metric="memcpy_ratio",
        ),
    ),
    (
        "07",
        "24 and 26 % at 2^24 and 2^26",
        (-26, -24),
        0,
        lambda: change(
            "07",
            "read_offset_loads_first/unroll:4/offset:0/block:512",
            "read_offset/offset:0/block:512",
            ["n:16777216/cache:cold", "n:67108864/cache:cold"],
        ),
    ),
    (
        "13",
        "1.65 in a nanosecond at 16384 x 16384",
        (1.65, 1.66),
        2,
        lambda: [_blocks_a_ns(16384, x, y) for x, y in START_SHAPES],
    ),
    (
        "13",
        "1.44 to 1.55",
        (1.44, 1.55),
        2,
        lambda: [_blocks_a_ns(2048, x, y) for x, y in START_SHAPES],
    ),
    (
        "14",
        "have 0.931 of the copy",
        (0.931, 0.931),
        3,
        lambda: share("14", f"{DOUBLES}down/{square(16384)}", metric="memcpy_ratio"),
    ),
    (
        "14",
        "rise from 0.931 to 0.966",
        (0.966, 0.966),
        3,
        lambda: share("14", f"{DOUBLES}apart/{square(16384)}", metric="memcpy_ratio"),
    ),
    (
        "14",
        "whose rows are 64 KiB, have 0.97",
        (0.97, 0.97),
        2,
        lambda: share("14", f"{FLOATS}/{square(16384)}", metric="memcpy_ratio"),
    ),
    ("16", "3 to 8 % more at 1024 cubed", (3, 8), 0, lambda: _columns(1024)),
    ("16", "21 to 50 % more at 256 cubed", (21, 50), 0, lambda: _columns(256)),
    (
        "16",
        "by 9 to 34 %",
        (9, 34),
        0,
        lambda: [
            *change(
                "16",
                "matmul_grid_stride/grid:16x16/block:16x16",
                "matmul_naive/block:16x16",
                cubed(256),
            ),
            *change(
                "16",
                "matmul_grid_stride/grid:32x32/block:16x16",
                "matmul_naive/block:16x16",
                cubed(1024, 4096),
            ),
        ],
    ),
    (
        "17",
        "gets by with 0.61 and 0.51 of that",
        (0.51, 0.61),
        2,
        lambda: [
            1
            + more(
                "17",
                f"matmul_naive/block:{w}x{w}",
                f"matmul_tiled/tile:{w}",
                "dram_read_bytes",
                cubed(4096),
            )[0]
            / 100
            for w in (16, 32)
        ],
    ),
    (
        "17",
        "2 % faster, 9 % at 256 cubed",
        (-9, -2),
        0,
        lambda: change(
            "17", "matmul_strip_mined/tile:32", "matmul_naive/block:32x32", cubed(256, 1024, 4096)
        ),
    ),
    (
        "17",
        "change by up to 12 %, to either side",
        (-12, 12),
        0,
        lambda: [
            each
            for w in (16, 32)
            for each in more(
                "17",
                f"matmul_strip_mined/tile:{w}",
                f"matmul_naive/block:{w}x{w}",
                "l2_read_sectors",
                cubed(256, 1024, 4096),
            )
        ],
    ),
    (
        "17",
        "0.1 to 0.6 % at 1024 cubed and above",
        (0.1, 0.6),
        1,
        lambda: [
            each
            for w in (16, 32)
            for each in change("17", f"{F}{w}", f"matmul_tiled/tile:{w}", cubed(1024, 4096))
        ],
    ),
    (
        "17",
        "save 0.7 to 2.8 % of the time with tiles of 32",
        (-2.8, -0.7),
        1,
        lambda: change(
            "17", "matmul_tiled_in_steps/tile:32", "matmul_tiled/tile:32", cubed(256, 1024, 4096)
        ),
    ),
    (
        "17",
        "cost 0.2 to 0.8 % with 16",
        (0.2, 0.8),
        1,
        lambda: change(
            "17", "matmul_tiled_in_steps/tile:16", "matmul_tiled/tile:16", cubed(256, 1024, 4096)
        ),
    ),
    (
        "18",
        "saves 36 and 37 % of the time at 1024 and 2048 cubed",
        (-37, -36),
        0,
        lambda: change("18", f"{F}16", f"{F}8", cubed(1024, 2048)),
    ),
    ("18", "(29 % at 192)", (-29, -29), 0, lambda: change("18", f"{F}16", f"{F}8", cubed(192))),
    (
        "18",
        "16 to 32 saves 11 and 12 %",
        (-12, -11),
        0,
        lambda: change("18", f"{F}32", f"{F}16", cubed(1024, 2048)),
    ),
    (
        "18",
        "the deep tile is 4 and 2 % slower",
        (2, 4),
        0,
        lambda: change("18", f"{T}16x16x192", f"{T}16x16x48", cubed(1024, 2048)),
    ),
    (
        "18",
        "the deep tile takes *half* the time",
        (-50, -45),
        0,
        lambda: change("18", f"{T}16x16x192", f"{T}16x16x48", cubed(192)),
    ),
    (
        "18",
        "10 and 7 % of the time at 1024 and 2048 cubed",
        (-10, -7),
        0,
        lambda: change("18", f"{T}16x16x96", f"{T}16x16x16", cubed(1024, 2048)),
    ),
    (
        "18",
        "36 % at 192 cubed",
        (-36, -36),
        0,
        lambda: change("18", f"{T}16x16x96", f"{T}16x16x16", cubed(192)),
    ),
    (
        "18",
        "takes 9 and 7 % *less* time",
        (-9, -7),
        0,
        lambda: change("18", f"{T}8x32x32", f"{T}16x16x32", cubed(1024, 2048)),
    ),
    (
        "18",
        "31 % less at 192",
        (-31, -31),
        0,
        lambda: change("18", f"{T}8x32x32", f"{T}16x16x32", cubed(192)),
    ),
    (
        "18",
        "6 and 8 % slower than the square",
        (6, 8),
        0,
        lambda: change("18", f"{T}4x64x32", f"{T}16x16x32", cubed(1024, 2048)),
    ),
    (
        "18",
        "(1.36 times at 192 cubed)",
        (36, 36),
        0,
        lambda: change("18", f"{T}64x4x32", f"{T}4x64x32", cubed(192)),
    ),
    (
        "18",
        "9 and 13 % slower than in chapter 17's",
        (9, 13),
        0,
        lambda: change("18", f"{T}16x16x16", f"{F}16", cubed(1024, 2048)),
    ),
    (
        "18",
        "(44 % at 192)",
        (44, 44),
        0,
        lambda: change("18", f"{T}16x16x16", f"{F}16", cubed(192)),
    ),
    (
        "20",
        "Initialising is 22 to 35 % shorter",
        (-35, -22),
        0,
        lambda: [
            100 * (_phase("managed", "initialise", n) / _phase("explicit", "initialise", n) - 1)
            for n in (1024, 6144)
        ],
    ),
    (
        "20",
        "reading back takes 2 to 4 % longer",
        (2, 4),
        0,
        lambda: [
            100 * (_phase("managed", "read_back", n) / _phase("explicit", "read_back", n) - 1)
            for n in (1024, 6144)
        ],
    ),
    (
        "20",
        "bring about 6 GB/s",
        (6, 6),
        0,
        lambda: [_gigabytes_a_second("managed", "first_touch", n) for n in (1024, 6144)],
    ),
    (
        "20",
        "copies of pageable memory 7.",
        (7, 7),
        0,
        lambda: [_gigabytes_a_second("explicit", "to_device", n) for n in (1024, 6144)],
    ),
    (
        "20",
        "Prefetching moves large matrices at 46 GB/s",
        (46, 46),
        0,
        lambda: [_gigabytes_a_second("prefetched", "to_device", 6144)],
    ),
    (
        "20",
        "page-locked memory reach 55",
        (55, 55),
        0,
        lambda: [_gigabytes_a_second("pinned", "to_device", 6144)],
    ),
    (
        "20",
        "takes 54 % longer than prefetching",
        (54, 54),
        0,
        lambda: [
            100
            * (_phase("kept_on_host", "to_device", 6144) / _phase("prefetched", "to_device", 6144))
            - 100
        ],
    ),
    (
        "20",
        "differ by 30 % at 2^10 rows and by 7 % at 6144",
        (7, 30),
        0,
        lambda: [
            100 * (_phase("managed", "kernel", n) / _phase("explicit", "kernel", n) - 1)
            for n in (1024, 6144)
        ],
    ),
    (
        "20",
        "about a fiftieth",
        (46, 55),
        0,
        lambda: [
            _phase("managed", "first_touch", 1024) / _phase("prefetched", "first_touch", 1024)
        ],
    ),
]


def _left(offset: int) -> float:
    """What remains at an offset of the extra time of offset 11, in percent, at the larger sizes."""
    ends = [f"block:512/n:{n}/cache:cold" for n in (2**24, 2**26)]
    extra = [
        change("02", f"read_offset/offset:{each}", "read_offset/offset:0", ends)
        for each in (offset, 11)
    ]
    return median(100 * some / all_of for some, all_of in zip(*extra, strict=True))


def _blocks_a_ns(side: int, x: int, y: int) -> float:
    name = f"transpose_read_columns/block:{x}x{y}/{square(side)}"
    return side * side / (x * y) / measured("13", name) / 1000


def _columns(side: int) -> list[float]:
    return [
        more(
            "16",
            f"matmul_naive_down_columns/block:{w}x{w}",
            f"matmul_naive/block:{w}x{w}",
            "l2_read_sectors",
            cubed(side),
        )[0]
        for w in (16, 32)
    ]


def _phase(memory: str, phase: str, side: int) -> float:
    return measured("20", f"add_matrices/memory:{memory}/phase:{phase}/rows:{side}/columns:{side}")


def _gigabytes_a_second(memory: str, phase: str, side: int) -> float:
    name = f"add_matrices/memory:{memory}/phase:{phase}/rows:{side}/columns:{side}"
    return measured("20", name, "bytes_to_device") / measured("20", name) / 1e3


@pytest.mark.parametrize(("chapter", "words", "printed", "digits", "values"), NUMBERS)
def test_a_number_of_a_page_is_in_its_data(
    chapter: str,
    words: str,
    printed: tuple[float, float],
    digits: int,
    values: Callable[[], list[float]],
) -> None:
    assert words in page(chapter)
    found = values()
    assert found
    for value in found:
        assert printed[0] <= round(value, digits) <= printed[1], (chapter, words, value)


@cache
def emulated_counts(chapter: str) -> dict[str, dict[str, float]]:
    path = ROOT / "data" / "emulated-hopper" / f"{chapter}.json"
    return {row["name"]: row for row in json.loads(path.read_bytes())["rows"]}


def rows_of(name: str) -> list[dict[str, str]]:
    with (ROOT / "data" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def test_a_load_costs_the_larger_of_data_wavefronts_and_tag_lookups() -> None:
    rows = [
        row for row in rows_of("l1_strided_loads.csv") if row["cycles"] and row["tag_wavefronts"]
    ]
    assert {row["gpu"] for row in rows} == {"A100", "H200"} and len(rows) > 150
    for row in rows:
        stages = max(float(row["data_wavefronts"]), float(row["tag_wavefronts"]))
        assert float(row["cycles"]) == pytest.approx(stages, rel=0.025), row


def test_passes_without_waits_are_those_of_the_emulated_gpu() -> None:
    compared = 0
    for row in rows_of("shared_waits.csv"):
        for kind in ("load", "store"):
            needed, taken = row[f"{kind}_instruction_wavefronts"], row[f"{kind}_wavefronts"]
            assert int(taken) >= int(needed), row
        if "transpose_tile_padded" in row["name"] or "transpose_tile_swizzled" in row["name"]:
            assert row["load_instruction_wavefronts"] == row["load_instructions"]
        emulated = emulated_counts(row["chapter"]).get(row["name"])
        if emulated is None:
            continue
        compared += 1
        for kind in ("load", "store"):
            expected = emulated.get(f"shared_{kind}_wavefronts", 0)
            assert int(row[f"{kind}_instruction_wavefronts"]) == expected, row
    assert compared == 180


def test_dram_reads_exceed_the_matrices_by_the_machine_code() -> None:
    rows = rows_of("machine_code.csv")
    assert len(rows) == 9
    for row in rows:
        read = counted("19", row["benchmark"], "dram_read_bytes")
        assert read == int(row["dram_read_bytes"])
        beside = read - int(row["matrices_read_bytes"]) - int(row["code_bytes"])
        if "matmul_bulk/tile:128x128" in row["benchmark"]:
            assert beside < 0  # its paths for edges are not run
        else:
            assert 2000 <= beside <= 3600, row


@pytest.mark.parametrize(
    ("tile", "threads", "words", "every_phase"), [(128, 256, 2, True), (64, 64, 6, False)]
)
def test_excess_writes_of_the_double_buffered_product_are_register_spills(
    tile: int, threads: int, words: int, every_phase: bool
) -> None:
    for side in (256, 1024, 2048):
        name = f"matmul_double_buffered/tile:{tile}x{tile}/{cubed(side)[0]}"
        excess = counted("19", name, "l2_write_sectors") - counted("19", name, "store_sectors")
        warps = (side // tile) ** 2 * threads // 32
        # 32 lanes x 4 bytes of a spilled word are 4 sectors; a phase is 16 steps of k.
        assert excess == warps * words * 4 * (side // 16 if every_phase else 1)


def test_lines_of_the_l2_differ_by_a_fifth_and_pages_hardly() -> None:
    def rates(*names: str) -> list[float]:
        return share("00", *names, metric="items_per_second")

    lines = rates(*(f"chase_line/line:{line}" for line in range(16)))
    assert 1.15 < max(lines) / min(lines) < 1.25
    pages = rates(*(f"chase_pages/pages:{2**power}" for power in range(4, 13)))
    assert max(pages) / min(pages) < 1.06


def test_one_load_a_thread_reads_a_third_and_four_of_one_warp_are_slower() -> None:
    def read(warps: int, loads: int) -> float:
        name = f"read_in_flight/warps:{warps}/loads:{loads}/n:16777216/cache:cold"
        return share("00", name, metric="bytes_per_second")[0]

    memory = share("00", "memcpy/bytes:67108864/cache:cold", metric="bytes_per_second")[0]
    assert 0.3 < read(32, 1) / memory < 0.36
    assert read(32, 4) > 2 * read(32, 1)
    assert 0.7 < read(1, 4) / read(4, 1) < 0.8


def test_the_plain_array_waits_for_its_blocks_on_both_gpus() -> None:
    plain = "soa_one_field/record:8/block:128/n:16777216/cache:cold"
    blocks = 2**24 / 128
    starts = measured("00", "start_blocks/block:128", "items_per_second")
    assert blocks / measured("06", plain) * 1e6 == pytest.approx(starts, rel=0.03)
    for device, printed in (("nvidia-h200", 1.13), ("nvidia-h100-80gb-hbm3", 1.62)):
        times = {
            row["name"]: median(each for process in row["time_us"] for each in process)
            for row in json.loads((ROOT / "data" / device / "06_aos_soa.json").read_bytes())["rows"]
        }
        assert round(times[plain]) == 82
        assert round(times[plain.replace("soa", "aos")] / times[plain], 2) == printed


def test_a_register_bank_delivers_one_operand_per_clock() -> None:
    rows = rows_of("register_reads.csv")
    small = {(row["pattern"], row["reads"]): row for row in rows if not row["other"]}
    clocks = {reads: float(row["clocks_2_warps"]) for (_, reads), row in small.items()}
    assert clocks["1+0"] == pytest.approx(clocks["2+0 and 0+2"], rel=0.02)
    for reads, expected in (("2+0", 2), ("2+1", 2), ("3+0", 3), ("2+1 and 1+2", 1.5)):
        assert clocks[reads] == pytest.approx(expected, rel=0.01)
    compiled = {int(row["code_kb"]): row for row in rows if row["pattern"] == "compiled"}
    assert all(float(compiled[size]["clocks_2_warps"]) < 1.05 for size in (4, 8, 16, 24, 32))
    assert all(float(compiled[size]["clocks_2_warps"]) > 1.25 for size in (48, 64, 128))
    load, nop = (
        next(float(row["clocks_2_warps"]) for row in rows if row["other"] == other)
        for other in ("21 LDS.128", "21 NOP")
    )
    assert 21 * (load - nop) == pytest.approx(1.3, abs=0.05)


def test_what_the_last_product_reaches_of_cublas() -> None:
    def ratio(shape: str) -> float:
        name = f"matmul_balanced/tile:picked/{shape}/cache:cold"
        return round(share("19", name, metric="cublas_ratio")[0], 2)

    printed = {
        **{f"m:{n}/n:{n}/k:{n}": r for n, r in ((4096, 1.06), (8192, 1.08), (2048, 1.05))},
        **{f"m:{n}/n:{n}/k:{n}": r for n, r in ((1024, 1.26), (1000, 1.25))},
        "m:4000/n:4100/k:4200": 1.10,
        "m:16384/n:256/k:4096": 1.07,
        "m:256/n:16384/k:4096": 1.03,
    }
    assert {shape: ratio(shape) for shape in printed} == printed


def test_camping_belongs_to_the_memory_of_the_h200() -> None:
    def gain(device: str, chapter: str, better: str, plain: str) -> float:
        rows = json.loads((ROOT / "data" / device / f"{chapter}.json").read_bytes())["rows"]
        times = {row["name"]: row["time_us"] for row in rows}
        medians = [median(each for of in times[name] for each in of) for name in (better, plain)]
        return 100 * (1 - medians[0] / medians[1])

    turns = f"{DOUBLES}apart/{square(16384)}", f"{DOUBLES}down/{square(16384)}"
    diagonal = [
        f"transpose_read_rows{order}/block:16x16/{square(2048)}" for order in ("_diagonal", "")
    ]
    assert 3 <= gain("nvidia-h200", "14_transpose_shared", *turns) <= 4
    assert abs(gain("nvidia-h100-80gb-hbm3", "14_transpose_shared", *turns)) < 0.5
    assert round(gain("nvidia-h200", "12_transpose_diagonal", *diagonal)) in (9, 10)
    assert round(gain("nvidia-h100-80gb-hbm3", "12_transpose_diagonal", *diagonal)) == 2


def test_the_sanitizers_found_nothing_in_what_they_were_shown() -> None:
    rows = rows_of("sanitizers.csv")
    tools = {"memcheck", "racecheck", "synccheck", "initcheck"}
    assert {row["tool"] for row in rows} == tools
    for row in rows:
        assert directory(row["chapter"][:2]).name == row["chapter"]
        assert ": 0 errors" in row["summary"] or "(0 errors, 0 warnings)" in row["summary"]
    for chapter in ("07_unroll4", "12_transpose_diagonal", "14_transpose_shared", "19_matmul_fast"):
        assert {row["tool"] for row in rows if row["chapter"] == chapter} == tools
