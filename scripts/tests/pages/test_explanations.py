"""What pages say about causes is what the tracked tables say."""

import json
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from notebook.pages.queries import Data

ROOT = Path(__file__).parents[3]
DOUBLES = "transpose_vectors/type:double/tile:32x32/order:"


def measured(chapter: str, name: str, metric: str = "time") -> float:
    data = Data(chapter)
    medians = data.value(data.named(name), metric)
    assert medians is not None
    return medians


def square(side: int) -> str:
    return f"rows:{side}/columns:{side}/cache:cold"


def share(chapter: str, *names: str, metric: str) -> list[float]:
    return [measured(chapter, name, metric) for name in names]


@cache
def emulated_counts(chapter: str) -> dict[str, dict[str, float]]:
    path = ROOT / "data" / "emulated-hopper" / f"{chapter}.json"
    rows = json.loads(path.read_bytes())["rows"]
    return {row["name"]: row for row in rows if row["evidence"] == "counted"}


def test_a_load_costs_the_larger_of_data_wavefronts_and_tag_lookups() -> None:
    rows = [
        row
        for row in Data("").table("l1_strided_loads.csv")
        if row["cycles"] and row["tag_wavefronts"]
    ]
    assert {row["gpu"] for row in rows} == {"A100", "H200"} and len(rows) > 150
    for row in rows:
        stages = max(float(row["data_wavefronts"]), float(row["tag_wavefronts"]))
        assert float(row["cycles"]) == pytest.approx(stages, rel=0.025), row


def test_passes_without_waits_are_those_of_the_emulated_gpu() -> None:
    compared = 0
    for row in Data("").table("shared_waits.csv"):
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
    rows = Data("").table("machine_code.csv")
    assert len(rows) == 9
    for row in rows:
        read = measured("19", row["benchmark"], "dram_read_bytes")
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
        name = f"matmul_double_buffered/tile:{tile}x{tile}/m:{side}/n:{side}/k:{side}/cache:cold"
        excess = measured("19", name, "l2_write_sectors") - measured("19", name, "store_sectors")
        warps = (side // tile) ** 2 * threads // 32
        # 32 lanes x 4 bytes of a spilled word are 4 sectors; a phase is 16 steps of k.
        assert excess == warps * words * 4 * (side // 16 if every_phase else 1)


def test_lines_of_the_l2_differ_by_a_seventh_and_pages_hardly() -> None:
    def rates(*names: str) -> list[float]:
        return share("00", *names, metric="items_per_second")

    lines = rates(*(f"chase_line/line:{line}" for line in range(16)))
    assert 1.1 < max(lines) / min(lines) < 1.25
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
            row["name"]: median(value for process in row["time_us"] for value in process)
            for row in json.loads((ROOT / "data" / device / "06_aos_soa.json").read_bytes())["rows"]
        }
        assert round(times[plain]) == 82
        assert round(times[plain.replace("soa", "aos")] / times[plain], 2) == printed


def test_a_register_bank_delivers_one_operand_per_clock() -> None:
    rows = Data("").table("register_reads.csv")
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


def test_camping_belongs_to_the_memory_of_the_h200() -> None:
    def gain(device: str, chapter: str, better: str, plain: str) -> float:
        rows = json.loads((ROOT / "data" / device / f"{chapter}.json").read_bytes())["rows"]
        times = {row["name"]: row["time_us"] for row in rows}
        medians = [
            median(entry for process in times[name] for entry in process)
            for name in (better, plain)
        ]
        return 100 * float(1 - medians[0] / medians[1])

    turns = f"{DOUBLES}apart/{square(16384)}", f"{DOUBLES}down/{square(16384)}"
    diagonal = [
        f"transpose_read_rows{order}/block:16x16/{square(2048)}" for order in ("_diagonal", "")
    ]
    assert 3 <= gain("nvidia-h200", "14_transpose_shared", *turns) <= 4
    assert abs(gain("nvidia-h100-80gb-hbm3", "14_transpose_shared", *turns)) < 0.5
    assert round(gain("nvidia-h200", "12_transpose_diagonal", *diagonal)) in (9, 10)
    assert round(gain("nvidia-h100-80gb-hbm3", "12_transpose_diagonal", *diagonal)) == 2


# compute-sanitizer has run on the chapters before this one; new ones may have no rows yet.
FIRST_NOT_SANITIZED = "28"


def test_the_sanitizers_found_nothing_in_any_chapter() -> None:
    rows = Data("").table("sanitizers.csv")
    tools = {"memcheck", "racecheck", "synccheck", "initcheck"}
    for row in rows:
        assert ": 0 errors" in row["summary"] or "(0 errors, 0 warnings)" in row["summary"]
    for path in (ROOT / "chapters").glob("[0-9]*"):
        ran = {row["tool"] for row in rows if row["chapter"] == path.name}
        assert ran == tools or (not ran and path.name[:2] >= FIRST_NOT_SANITIZED)
