"""`scripts/lab emulate`: what it makes of a program's report. Counts are derived by hand."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from notebook.base.errors import Problem
from notebook.charts.look import GENERATIONS
from notebook.emulate import export
from notebook.emulate import report as emulate_report
from notebook.emulate.launches import runs as emulate_runs
from notebook.emulate.launches.code import short_kernel, text_of
from notebook.emulate.launches.findings import Finding, findings
from notebook.emulate.launches.joining import join
from notebook.emulate.launches.reading import read
from notebook.emulate.launches.records import Launch, Place, merge_alike

REQUESTS = 1024


def site(line: int, space: str, kind: str, **changed: Any) -> dict[str, Any]:
    """A coalesced access of 32 lanes, 4 bytes each: 4 sectors, 1 line, all bytes used."""
    described = {
        "file": "/nowhere/kernels.cu", "line": line, "inlined_at": None, "space": space, "kind": kind,
        "bytes": 4, "requests": REQUESTS, "sectors": 4 * REQUESTS, "lines": REQUESTS, "efficiency": 100.0,
        "lane_bytes": 128 * REQUESTS, "distinct_bytes": 128 * REQUESTS, "moved_bytes": 128 * REQUESTS,
        "l1_hit_sectors": 0, "wavefronts": 0, "bank_conflicts": 0,
    }  # fmt: skip
    return described | {
        name: value * REQUESTS if name != "bytes" else value for name, value in changed.items()
    }


def shared(line: int, kind: str, wavefronts: int) -> dict[str, Any]:
    none = dict.fromkeys(("sectors", "moved_bytes"), 0)
    return site(line, "shared", kind, wavefronts=wavefronts, bank_conflicts=wavefronts - 1, **none)


def code(line: int, warp_instructions: int, lanes: int = 32, divergent: int = 0) -> dict[str, Any]:
    return {
        "file": "/nowhere/kernels.cu", "line": line, "warp_instructions": warp_instructions,
        "thread_instructions": warp_instructions * lanes, "divergent_branches": divergent,
    }  # fmt: skip


def described(*sites: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "launch": 1, "kernel": "void copy<float>(float*, float const*)", "grid": [128, 1, 1], "block": [256, 1, 1],
        "static_shared_bytes": 0, "dynamic_shared_bytes": 0, "parameter_bytes": 16, "registers_per_thread": 16,
        "spill_bytes": 0, "occupancy": {"percent": 100.0, "blocks_per_sm": 8, "limit": "warps"},
        "counters": {"load_requests": 1024.0, "load_efficiency": 100.0, "warp_instructions": 4096.0},
        "blocks": 128, "blocks_executed": 128, "sampling_error": 0.0, "notes": [], "hazards": [],
        "host_seconds": 0.5, "sites": list(sites), "source": [code(4, 4096)],
    } | changed  # fmt: skip


def launches(folder: Path, *lines: dict[str, Any]) -> list[Launch]:
    path = folder / "report.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read(path).launches


def only(folder: Path, *sites: dict[str, Any], **changed: Any) -> Launch:
    return launches(folder, described(*sites, **changed))[0]


# ---- reading -------------------------------------------------------------------------------------


def test_a_killed_program_leaves_what_it_had_finished(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text(json.dumps(described()) + '\n{"launch": 2, "ker')
    report = read(path)
    assert len(report.launches) == 1
    assert not report.finished


def test_an_invalid_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text('{"launch": 1}\n' + json.dumps({"finished": True, "launches": 1}) + "\n")
    with pytest.raises(Problem, match="line 1"):
        read(path)


def test_a_program_that_never_loaded_the_runtime(tmp_path: Path) -> None:
    assert not read(tmp_path / "missing").loaded


def test_names_from_the_program_cannot_reach_the_terminal(tmp_path: Path) -> None:
    launch = only(tmp_path, kernel="evil\x1b]0;title\x07\n(int)", notes=["a\rb"])
    run = emulate_runs.Emulated("hopper", "H200", 132, [launch], [])
    text = "".join(emulate_report.line_report([run]))
    assert "evil" in text
    assert not any(letter in text for letter in "\x1b\x07\r")


def test_repeated_launches_of_one_shape_are_summed(tmp_path: Path) -> None:
    load, store = (
        site(4, "global", "load"),
        site(4, "global", "store", sectors=32, moved_bytes=1024),
    )
    other = described(load, store, grid=[64, 1, 1])
    ((launches_of_shape, _),) = join(
        [launches(tmp_path, described(load, store), other, described(load, store))]
    )
    assert [launch.launches for launch in launches_of_shape] == [2, 1]
    assert launches_of_shape[0].sites[0].requests == 2 * REQUESTS
    assert launches_of_shape[0].sites[1].efficiency == 12.5  # 128 of 1,024 bytes, however often
    assert launches_of_shape[0].code[0].warp_instructions == 2 * 4096
    assert launches_of_shape[0].counters == {
        "load_requests": 2048.0,
        "load_efficiency": 100.0,
        "warp_instructions": 8192.0,
    }


# ---- what stands out -----------------------------------------------------------------------------


def test_a_coalesced_copy_has_nothing_that_stands_out(tmp_path: Path) -> None:
    assert (
        findings(
            only(tmp_path, site(4, "global", "load"), site(4, "global", "store")), sm_count=128
        )
        == []
    )


def test_a_stride_of_32_bytes_takes_a_sector_a_lane(tmp_path: Path) -> None:
    strided = site(14, "global", "store", sectors=32, moved_bytes=1024)
    (found,) = findings(only(tmp_path, site(4, "global", "load"), strided))
    assert (
        found.text
        == "line 14: 32.0 sectors a request, each 12.5 % used: the store is not coalesced"
    )
    assert "consecutive threads" in found.advice
    assert found.chapter == "01_access_patterns"


def test_an_unaligned_warp_reads_one_sector_more(tmp_path: Path) -> None:
    unaligned = site(7, "global", "load", sectors=5, moved_bytes=160)
    (found,) = findings(only(tmp_path, unaligned))
    assert found.text.startswith("line 7: load of 5.0 sectors a request where 4.0 would do")
    assert found.chapter == "02_misaligned_reads"
    (found,) = findings(only(tmp_path, unaligned | {"kind": "store"}))
    assert found.chapter == "05_misaligned_writes"


def test_rows_that_are_not_aligned_are_not_called_uncoalesced(tmp_path: Path) -> None:
    # Two rows of 16 words, each of which begins 4 bytes behind a sector: 3 sectors instead of 2.
    (found,) = findings(only(tmp_path, site(7, "global", "load", sectors=6, moved_bytes=192)))
    assert (
        found.text
        == "line 7: load of 6.0 sectors a request where 4.0 would do: rows are not aligned"
    )


def test_whole_sectors_are_the_least_of_a_request(tmp_path: Path) -> None:
    # All lanes load one word; one word in each of two rows; and a byte each, which is one sector.
    one = site(6, "global", "load", sectors=1, distinct_bytes=4, moved_bytes=32)
    two = site(7, "global", "load", sectors=2, distinct_bytes=8, moved_bytes=64)
    of_bytes = site(
        8, "global", "load", sectors=1, lane_bytes=32, distinct_bytes=32, moved_bytes=32
    )
    assert findings(only(tmp_path, one, two, of_bytes | {"bytes": 1})) == []
    # On Fermi a cached load moves a line of 128 bytes.
    assert findings(only(tmp_path, one | {"moved_bytes": 128 * REQUESTS})) == []
    # Eight rows are more sectors than a warp needs for as many words.
    eight = site(7, "global", "load", sectors=8, distinct_bytes=32, moved_bytes=256)
    (found,) = findings(only(tmp_path, eight))
    assert found.text.endswith("the load is not coalesced")


def test_gaps_between_active_lanes_are_no_misalignment(tmp_path: Path) -> None:
    # Every fourth lane is off: 24 words of 4 sectors.
    gaps = site(7, "global", "load", lane_bytes=96, distinct_bytes=96)
    (found,) = findings(only(tmp_path, gaps))
    assert found.text == (
        "line 7: 4.0 sectors a request, each 75.0 % used: in the load 24.0 of 32 lanes take part"
    )


def test_the_result_of_a_warp_wastes_nothing(tmp_path: Path) -> None:
    # 128 blocks of 8 warps: 1,024 stores of one lane are one of each warp.
    one = dict.fromkeys(("lane_bytes", "distinct_bytes"), 4)
    result = site(9, "global", "store", sectors=1, moved_bytes=32, **one)
    assert findings(only(tmp_path, result)) == []
    (found,) = findings(only(tmp_path, *[result] * 2))
    assert found.text.startswith("line 9: store of 1.0 lanes a warp")


def test_accesses_of_a_line_that_waste_alike_are_one_remark(tmp_path: Path) -> None:
    strided = [
        site(14, "global", "load", sectors=sectors, moved_bytes=32 * sectors)
        for sectors in (32, 30)
    ]
    coalesced = site(14, "global", "load")
    (found,) = findings(only(tmp_path, *strided, coalesced))
    # 2 x 128 of 62 x 32 bytes.
    assert (
        found.text == "line 14: 31.0 sectors a request, each 12.9 % used: the load is not coalesced"
    )


def test_chapters_of_the_advice_are_there() -> None:
    """Or were: the results of a removed chapter stay in data/."""
    root = Path(__file__).resolve().parents[3]
    folder = root / "scripts" / "notebook" / "emulate" / "launches"
    named = {
        name
        for module in ("findings", "accesses")
        for name in re.findall(r'"([0-9]{2}_[a-z0-9_]+)"', (folder / f"{module}.py").read_text())
    }
    assert len(named) >= 5
    for name in named:
        places = ("chapters", name, "experiment.cu"), ("data", "emulated-hopper", f"{name}.json")
        assert any(root.joinpath(*place).is_file() for place in places), name


def test_advice_names_no_chapter_that_was_removed() -> None:
    assert str(Finding("a", "b", "02_misaligned_reads")) == "a. b (chapter 02_misaligned_reads)"
    assert str(Finding("a", "b", "02_removed")) == "a. b"


def test_lines_of_a_librarys_kernel_have_its_files_name(tmp_path: Path) -> None:
    strided = site(113, "global", "store", sectors=32, moved_bytes=1024)
    strided |= {"file": "/usr/include/cub/transform.cuh", "header": "cub/transform.cuh:113"}
    (found,) = findings(only(tmp_path, strided, source=[]))
    assert found.text.startswith("transform.cuh:113: 32.0 sectors a request")
    # The calls of a line of the program are that line's.
    called = strided | {"file": "/home/me/kernels.cu", "line": 8}
    (found,) = findings(only(tmp_path, called, source=[]))
    assert found.text.startswith("line 8: 32.0 sectors a request")


def test_lines_of_other_files_have_their_names(tmp_path: Path) -> None:
    strided = site(14, "global", "store", sectors=32, moved_bytes=1024) | {"file": "/a/tile.cuh"}
    (found,) = findings(only(tmp_path, site(4, "global", "load"), strided))
    assert found.text.startswith("tile.cuh:14: 32.0 sectors a request")


def test_copies_of_an_unrolled_loop_are_one_finding(tmp_path: Path) -> None:
    copies = [site(14, "global", "store", sectors=32, moved_bytes=1024) for _ in range(4)]
    launch = only(tmp_path, *copies, site(14, "global", "store"))
    assert [found.text.partition(":")[0] for found in findings(launch)] == ["line 14"]
    merged = merge_alike(launch.sites)
    assert [(entry.instructions, entry.requests) for entry in merged] == [(4, 4096), (1, 1024)]
    assert launch.sites[0].requests == 1024


def test_a_single_lane_is_not_called_uncoalesced(tmp_path: Path) -> None:
    one = dict.fromkeys(("lane_bytes", "distinct_bytes"), 4)
    load = site(9, "global", "load", sectors=1, moved_bytes=32, **one)
    (found,) = findings(only(tmp_path, *[load] * 4))  # in a loop
    assert found.text.startswith("line 9: load of 1.0 lanes a warp: each sector is 12.5 % used")


def test_a_column_of_a_32_wide_tile_conflicts_32_ways(tmp_path: Path) -> None:
    (found,) = findings(only(tmp_path, shared(12, "load", 32), shared(9, "store", 1)))
    assert (
        found.text
        == "line 12: bank conflicts, 32.0 wavefronts a request where 1.0 would do (shared load)"
    )


def test_a_counter_that_all_lanes_update(tmp_path: Path) -> None:
    # 32 lanes, one 4-byte word.
    contended = site(5, "global", "atomic", sectors=1, distinct_bytes=4, moved_bytes=32)
    (found,) = findings(only(tmp_path, contended))
    assert found.text.startswith("line 5: 32.0 lanes update 1.0 addresses a request")


def test_half_idle_warps_name_their_line(tmp_path: Path) -> None:
    source = [code(4, 100), code(6, 900, lanes=8, divergent=30)]
    (found,) = findings(only(tmp_path, source=source))
    # (100 x 32 + 900 x 8) / 1,000
    assert (
        found.text
        == "10.4 of 32 lanes active in an instruction (30 divergent branches); most idle in line 6"
    )


def test_a_block_of_33_threads_wastes_most_of_its_second_warp(tmp_path: Path) -> None:
    source = [code(4, 2, lanes=16)]
    found = findings(only(tmp_path, block=[33, 1, 1], source=source))
    assert [each.text for each in found] == [
        "a block of 33 threads leaves 48 % of its warps' lanes empty"
    ]


def shown(*launches: Launch) -> str:
    run = emulate_report.Emulated("pascal", "Tesla P100", 56, list(launches), [])
    return "\n".join(emulate_report.line_report([run]))


def test_registers_are_shown_with_the_ptxas_that_says_so(tmp_path: Path) -> None:
    text = shown(only(tmp_path, registers_per_thread=112, registers_from="ptxas 12.9 for sm_60"))
    assert "112 registers (ptxas 12.9 for sm_60), occupancy 100 %" in text


def test_occupancy_is_a_bound_where_registers_are_unknown(tmp_path: Path) -> None:
    launch = only(tmp_path, registers_per_thread=None, registers_from=None)
    text = shown(launch)
    assert "registers unknown, occupancy at most 100 %" in text
    assert text.count("note: registers unknown: no ptxas compiles it for this GPU") == 1
    runs = [emulate_report.Emulated(name, "", 56, [launch], []) for name in ("fermi", "pascal")]
    table = emulate_report.line_report(runs)
    assert [line.split() for line in table if "occupancy" in line] == [
        ["occupancy", "%", *["at", "most", "100"] * 2]
    ]
    assert ["registers", "unknown", "unknown"] in [line.split() for line in table]


def test_what_an_older_ptxas_lacks_is_said_once(tmp_path: Path) -> None:
    lacks = "ptxas 12.9: Feature 'redux.sync' requires .target sm_80 or higher"
    unknown = {"registers_per_thread": None, "registers_unknown": lacks}
    (each,) = launches(tmp_path, described(**unknown))
    text = " ".join(shown(each, each).split())
    assert text.count(f"note: registers unknown: {lacks}") == 1
    assert "setup --all-ptxas" not in text


def test_no_hits_are_shown_of_local_loads(tmp_path: Path) -> None:
    rows = shown(only(tmp_path, site(3, "global", "load"), site(4, "local", "load"))).splitlines()
    of_global, of_local = (row for row in rows if " load 4 B" in row)
    assert of_global.split()[-4:] == ["100.0", "%", "0.0", "%"]  # used, and L1 hits
    assert of_local.split()[-3:] == ["4.0", "100.0", "%"]


def test_nothing_is_exported_of_hits_that_are_not_known(tmp_path: Path) -> None:
    launch = only(tmp_path, site(3, "global", "load"), site(4, "local", "load"))
    runs = [emulate_runs.Emulated("pascal", "Tesla P100", 56, [launch], [])]
    exported = json.loads(export.as_json(runs))["emulated"][0]["launches"][0]["sites"]
    assert [each["l1_hit_sectors"] for each in exported] == [0, None]
    rows = csv.DictReader(io.StringIO(export.as_csv(runs)))
    assert [row["space"] for row in rows if row["metric"] == "l1_hit_sectors"] == ["global"]


def test_bytes_of_other_spaces_are_no_use_of_sectors(tmp_path: Path) -> None:
    # A generic access: lanes read 992 bytes of local memory beside the 32 of one sector.
    generic = site(3, "global", "load", sectors=1, moved_bytes=32, distinct_bytes=1024)
    (row,) = (row for row in shown(only(tmp_path, generic)).splitlines() if " load 4 B" in row)
    assert row.split()[-3:] == ["1.0", "0.0", "%"]


def test_neighbours_that_are_found_in_the_l1_are_not_misaligned(tmp_path: Path) -> None:
    def said(hits: float) -> list[Finding]:
        load = site(3, "global", "load", sectors=5, moved_bytes=160)
        return findings(only(tmp_path, load | {"l1_hit_sectors": int(5 * REQUESTS * hits)}))

    assert said(0.95) == []
    assert "the warp's first address is not aligned" in said(0.2)[0].text


def test_constants_that_lanes_look_up_are_named(tmp_path: Path) -> None:
    none = dict.fromkeys(("sectors", "moved_bytes"), 0)
    scattered = site(3, "constant", "load", wavefronts=32, **none)
    broadcast = site(4, "constant", "load", wavefronts=1, **none)
    (found,) = findings(only(tmp_path, scattered, broadcast))
    assert found.text.startswith("line 3: lanes read 32.0 different constants a request")


def test_few_blocks_are_said_once_where_all_launches_have_few(tmp_path: Path) -> None:
    small, large = launches(
        tmp_path, described(blocks=55, kernel="a()"), described(blocks=56, kernel="b()")
    )
    assert "no launch has a block for each of the 56 SMs: 55 at most" in " ".join(
        shown(small, small).split()
    )
    assert "SMs without work" not in shown(small, small)
    assert shown(small, large).count("55 blocks leave 1 of 56 SMs without work") == 1


def test_low_occupancy_names_its_limit(tmp_path: Path) -> None:
    occupancy = {"percent": 25.0, "blocks_per_sm": 2, "limit": "registers"}
    (found,) = findings(only(tmp_path, occupancy=occupancy, registers_per_thread=128))
    assert found.text == "occupancy 25 %, limited by registers (128 a thread)"


def test_few_blocks_spills_local_memory_and_hazards(tmp_path: Path) -> None:
    spilled = site(5, "local", "store") | {"spill": True}
    found = findings(
        only(
            tmp_path,
            site(3, "local", "load"),
            *[spilled] * 3,
            spill_bytes=64,
            hazards=["race on tile"],
        ),
        sm_count=132,
    )
    assert [each.text for each in found] == [
        "64 bytes a thread are spilled from registers to local memory (ptxas), 75 % of all sectors",
        "line 3: local memory, 25 % of all sectors: an array indexed at run time, or a variable whose address is taken "
        "(printf takes those of its arguments)",
        "128 blocks leave 4 of 132 SMs without work",
        "hazard: race on tile",
    ]


def test_registers_that_functions_preserve_are_no_spills(tmp_path: Path) -> None:
    # ptxas says that it spills none.
    preserved = site(5, "local", "store") | {"spill": True}
    (found,) = findings(only(tmp_path, preserved, spill_bytes=0))
    assert (
        found.text == "local memory, 100 % of all sectors: registers that called functions preserve"
    )
    # None says what it spills.
    (found,) = findings(only(tmp_path, preserved, spill_bytes=None))
    assert found.text.startswith(
        "local memory, 100 % of all sectors: registers that are spilled, or that called functions preserve"
    )


def test_a_finding_is_told_with_what_to_do(tmp_path: Path) -> None:
    assert str(Finding("line 3: slow", "Do less", "07_unroll4")) == (
        "line 3: slow. Do less (chapter 07_unroll4)"
    )
    assert str(Finding("hazard: race")) == "hazard: race"


# ---- reports -------------------------------------------------------------------------------------


@pytest.mark.parametrize("report", [emulate_report.line_report, emulate_report.launch_report])
def test_notes_are_said_once_where_they_hold_everywhere(tmp_path: Path, report: Any) -> None:
    together = [only(tmp_path, notes=["results vary", *more]) for more in ([], ["of one"])]
    runs = [
        emulate_runs.Emulated(name, "GPU", 0, [launch], [])
        for name, launch in zip(("ada", "hopper"), together, strict=True)
    ]
    text = "\n".join(report(runs))
    assert text.count("results vary") == 1 and "  note: results vary" in text
    assert "  note: hopper: of one" in text
    assert "  note: results vary" in "\n".join(report(runs[:1]))


def test_the_report_fits_into_100_columns(tmp_path: Path) -> None:
    source = tmp_path / "kernels.cu"
    source.write_text("//\n" * 3 + "    out[i] = in[i];" + " // a very long comment" * 20 + "\n")
    load = site(4, "global", "load") | {"file": str(source)}
    line = code(4, 10**9, 32, 10**6) | {"file": str(source)}
    launch = only(tmp_path, load, shared(4, "load", 32) | {"file": str(source)}, source=[line])
    run = emulate_runs.Emulated("hopper", "H200", 132, [launch], [])
    lines = emulate_report.line_report([run])
    assert any("out[i] = in[i];" in line for line in lines)
    assert any("global load 4 B" in line and "100.0 %" in line for line in lines)
    assert max(map(len, lines)) <= 100


def test_all_architectures_side_by_side_fit_into_100_columns(tmp_path: Path) -> None:
    strided = site(14, "global", "store", sectors=32, moved_bytes=1024)
    launch = only(tmp_path, strided, shared(12, "load", 32))
    names = list(GENERATIONS)
    runs = [emulate_runs.Emulated(name, "GPU", 0, [launch], []) for name in names]
    lines = emulate_report.line_report(runs)
    assert max(map(len, lines)) <= 100
    # A finding that holds everywhere is said once.
    assert sum("not coalesced" in line for line in lines) == 1
    assert all(any(name in line.split() for line in lines) for name in names)


def test_launches_show_nsight_computes_names(tmp_path: Path) -> None:
    run = emulate_runs.Emulated("hopper", "H200", 132, [only(tmp_path)], ["copy: refused"])
    text = "\n".join(emulate_report.launch_report([run], names=True))
    assert "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" in text
    assert not any("l1tex" in line for line in emulate_report.launch_report([run]))
    for names in (False, True):
        lines = emulate_report.line_report([run], names)
        assert any("l1tex" in line for line in lines) == names
    assert "! failed launch: copy: refused" in text


def test_sums_over_launches_are_said_to_be_sums(tmp_path: Path) -> None:
    once, twice = (join([launches(tmp_path, *[described()] * n)])[0][0] for n in (1, 2))
    for together in (once, twice):
        runs = [emulate_runs.Emulated(name, "GPU", 0, together, []) for name in ("ada", "hopper")]
        of_several = "  counts: of all launches together"
        for report in (emulate_report.line_report, emulate_report.launch_report):
            assert (of_several in report(runs)) == (together is twice)
        alone = "\n".join(emulate_report.line_report(runs[:1]))
        assert (" warp instructions in all, " in alone) == (together is twice)


def test_csv_has_both_names_and_no_formulas(tmp_path: Path) -> None:
    launch = only(tmp_path, site(4, "global", "load"), kernel="=1+1")
    run = emulate_runs.Emulated("hopper", "H200", 132, [launch], [])
    rows = list(csv.DictReader(io.StringIO(export.as_csv([run]))))
    sectors = [row for row in rows if row["metric"] == "sectors"]
    assert [row["value"] for row in sectors] == ["4096"]
    assert sectors[0]["nsight_compute_metric"] == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    assert all(row["kernel"] == "'=1+1" for row in rows)
    document = json.loads(export.as_json([run]))
    assert document["emulated"][0]["launches"][0]["sites"][0]["efficiency"] == 100.0


def test_kernels_are_shown_without_their_parameters() -> None:
    assert short_kernel("void copy<float>(float*, float const*)") == "copy<float>"
    assert short_kernel("(anonymous namespace)::add(int)") == "(anonymous namespace)::add"
    assert short_kernel("void run<void (*)(int)>(int)") == "run<void (*)(int)>"
    assert len(short_kernel("k" * 500)) == 60


def test_only_ordinary_files_are_opened_for_their_text(tmp_path: Path) -> None:
    assert text_of(Place("/dev/zero", 1)) == ""
    assert text_of(Place(str(tmp_path), 1)) == ""
    (tmp_path / "a.cu").write_text("first\n\x1b[31msecond\n")
    assert text_of(Place(str(tmp_path / "a.cu"), 2)) == " [31msecond"
    assert text_of(Place(str(tmp_path / "a.cu"), 3)) == ""
