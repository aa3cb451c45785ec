"""Ordinary CUDA programs on the emulated GPU, launch by launch, beside what an H200's profiler counted.

One set is built and compared each time, with two of the nine scattered reductions and ten of the launches that differ
by timing; all sets in a nightly run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

import pytest
from conftest import as_nvcc_13_compiles

import instruction_table
from notebook.base.project import Project
from notebook.counters import ordinary_cuda
from notebook.counters.ordinary_cuda import Launched, Output
from notebook.data.metrics import NSIGHT
from notebook.data.names import is_name
from notebook.tools import build, testing

GPU = "nvidia-h200"
NIGHTLY = bool(os.environ.get(testing.NIGHTLY))
# The largest comes each time; a minute of nvcc and more goes into each of the others.
SETS = tuple(ordinary_cuda.TARGETS) if NIGHTLY else ("ordinary_cuda",)

# ---- launches whose counts differ, by cause ---------------------------------------------------------

# The order of blocks and warps decides: an H200 counts otherwise from one run to the next, too. For recursion that is
# not known. Its function saves the barriers (BMOV.32.CLEAR) and meets at one BSYNC in every activation. Of two launches
# that machine code was simulated with thousands of variants of what BMOV, BSSY and BSYNC do and of which lanes run
# first, and neither was reproduced: the variants next to "recursion" (2,168 calls, 2,173 returns, 114 stores; simulated
# 2,168, 2,170 and 104) make 7,700 to 9,400 calls and returns in "partitions_by_recursion", an H200 5,884 and 6,032.
BY_TIMING = {
    "weighted_histogram": "atom.shared.add.f32 is a loop of LDS and ATOMS.CAST.SPIN, retried as lanes collide",
    "shared_with_result": "places from an atomic: warps' order decides which sectors a warp's stores meet",
    "compact_by_ballot": "places from an atomic: warps' order decides which sectors a warp's stores meet",
    "compact_aggregated": "places from an atomic: warps' order decides which sectors a warp's stores meet",
    "coalesced_filter": "places from an atomic: warps' order decides which sectors a warp's stores meet",
    "bfs_level": "which of the warps that reach a vertex stores depends on their order",
    "bfs_queue": "which of the warps that reach a vertex stores depends on their order",
    "grid_barrier": "each poll of the grid's barrier is a load: LD.E.STRONG.GPU in a loop",
    "narrow_exchange": "atom.cas.b16 is a loop of LDG and ATOMG.CAS of the word around, retried as lanes collide",
    "scoped_64bit": "atom.shared.add.u64 is a loop of LDS and ATOMS.CAST.SPIN.64, retried as lanes collide",
    "recursion": "lanes that return at different depths run on apart: CALL.REL in BSSY regions",
    "sum_trees": "lanes that return at different depths run on apart: CALL.REL in BSSY regions",
    "ackermann_numbers": "lanes that return at different depths run on apart: CALL.REL in BSSY regions",
    "integrate_adaptively": "lanes that return at different depths run on apart: CALL.REL in BSSY regions",
    "parse_expressions": "lanes that return at different depths run on apart: CALL.REL in BSSY regions",
    "sandpile": "each poll of the grid's barrier is a load",
    "bfs_in_grid": "each poll of the grid's barrier is a load",
    "adler32": "an atomic of shared memory in a loop, retried as lanes collide",
    "saturate_shorts": "atom.cas.b16 is a loop of LDG and ATOMG.CAS of the word around, retried as lanes collide",
    "moments_in_doubles": "atom.shared.add.f64 is a loop of LDS and ATOMS.CAST.SPIN.64, retried as lanes collide",
    "partitions_by_recursion": "lanes that return at different depths run on apart: CALL.REL in BSSY regions",
    "raise_shorts": "atom.cas.b16 is a loop of LDG and ATOMG.CAS of the word around, retried as lanes collide",
}
# A unit that waits counts conflicts where no two lanes share a bank: a few passes in a hundred.
BY_WAITS = {
    *("batcher", "cosine_transform", "page_ranks", "radix_sort_tile", "shortest_paths"),
    *("split_barrier", "halves_with_barriers", "variance_of_rows", "best_player_of_block"),
}
# Loops and branches that the machine code arranges otherwise.
BY_CONTROL_FLOW = {
    "spmv_transposed": "unrolled as four loads, then four RED: lanes' last rounds go apart from the others'",
    "skip_and_stop": "lanes that break out in two rounds load together behind the loop: 12 of 2,853 requests",
}
# Atomics whose lanes touch more than four lines take up to 2 % more sectors than the rule says. Tried, with the
# lanes' addresses of these launches and of those that are exact. Of the right size: lanes wait for the next pass where
# an earlier one has another address that is the same modulo 1,024 (712 more sectors in best_offers, where an H200
# counts 684; 61, an H200 56, in spmv_transposed; but 50, an H200 91, in scatter_by_keys). No better: other moduli and
# folded bits, half warps, 8 or 16 bytes in place of an address, passes of 4 to 16 lines with one lane of the next.
SCATTERED_REDUCTIONS = {
    *("scatter_by_keys", "spmv_transposed", "relax_edges", "bloom_insert"),
    *("histogram_in_global", "count_min_sketch", "toggle_lamps", "best_offers", "insert_by_cas"),
}
# Loops whose rounds the machine code merges otherwise, and what is not found in it yet.
NOT_EXPLAINED = {
    "kahan_rows": "24 rounds are unrolled with the first half in front: LDS.128 and LDS.64 over several rounds",
    "copy_by_duff": "lanes that enter a loop in its middle meet at its end alone: BSYNC B0 in front of EXIT",
}
# Warps that leave a barrier pause before stores that may overtake loads, so that racing kernels do as on a GPU. In this
# kernel, which has no race, one warp then runs its last rows in two parts: 851 loads and 177 stores, an H200 850 and
# 176. Why is not known; with neither the pauses of parted warps nor their shorter turns left out does it go.
BY_PAUSES = {"components"}
# Built where there is a toolkit: the compiler of PyPI comes without cuRAND's headers.
OF_A_TOOLKIT = {"philox_uniform"}

EXCEPTIONS = (
    BY_TIMING.keys()
    | BY_WAITS
    | BY_CONTROL_FLOW.keys()
    | SCATTERED_REDUCTIONS
    | NOT_EXPLAINED.keys()
    | BY_PAUSES
)
# This share of the launches that an H200 counts alike in every run has to be equal; in one set less, some of whose
# differences are still to be explained.
MIN_EQUAL, MIN_EQUAL_UNSEEN = 0.975, 0.945

# ---- instructions, of the machine code and of the PTX -----------------------------------------------

# Counts of all launches of all programs.
MIN_WITHIN_5_PERCENT = 0.9
# For each program: the PTX alone is there for between a seventh and a fourth of the launches.
MIN_WITHIN_5_PERCENT_OF_A_PROGRAM = 0.85


def joined(parts: Iterable[Launched]) -> Launched:
    """The launches of all sets."""
    whole = Launched({})
    for part in parts:
        assert not whole.outputs.keys() & part.outputs.keys()
        whole.outputs.update(part.outputs)
        whole.counted.update(part.counted)
    return whole


def measured_of(name: str) -> Launched:
    return ordinary_cuda.measured(Project.here(), GPU, name)


@cache
def measured() -> Launched:
    return joined(measured_of(name) for name in ordinary_cuda.TARGETS)


@cache
def emulated_of(name: str) -> Launched:
    project = Project.here()
    runtime = project.build / build.emulated_runtime()
    executable = project.build / ordinary_cuda.TARGETS[name]
    if not runtime.is_file() or not executable.is_file():
        assert not NIGHTLY, f"{name} is not built"
        pytest.skip("the programs or the emulated GPU are not built here")
    return ordinary_cuda.emulate(executable, runtime.parent, "hopper")


@cache
def emulated() -> Launched:
    return joined(emulated_of(name) for name in SETS)


@cache
def compared() -> Launched:
    """What is measured of the launches that are built here."""
    gpu = joined(measured_of(name) for name in SETS)
    lacking = OF_A_TOOLKIT - emulated().outputs.keys()
    return Launched(
        {name: output for name, output in gpu.outputs.items() if name not in lacking},
        {name: counted for name, counted in gpu.counted.items() if name not in lacking},
    )


def different(names: Iterable[str]) -> dict[str, set[str]]:
    differing = {
        name: {
            difference.counter
            for difference in ordinary_cuda.differences(name, emulated(), compared())
        }
        for name in names
    }
    return {name: which for name, which in differing.items() if which}


def test_what_is_stored_is_complete() -> None:
    gpu = measured()
    assert len(gpu.counted) >= 248 + 123 + 218 + 124
    assert gpu.counted.keys() == gpu.outputs.keys()
    assert all(is_name(name) for name in gpu.counted)
    assert all(output.kind in ("exact", "rounded") for output in gpu.outputs.values())
    assert gpu.counted.keys() >= EXCEPTIONS
    # Every kind of access is among them, in many launches.
    for counter in (
        "load",
        "store",
        "shared_load",
        "shared_store",
        "shared_atomic",
        "atomic",
        "reduction",
    ):
        assert sum(row[f"{counter}_requests"] > 0 for row in gpu.counted.values()) >= 5, counter
    assert sum(row["local_load_requests"] > 0 for row in gpu.counted.values()) >= 5


def test_outputs_are_the_gpus_to_the_bit() -> None:
    assert emulated().outputs.keys() == compared().outputs.keys()
    assert ordinary_cuda.wrong_outputs(emulated(), compared()) == []


@as_nvcc_13_compiles
def test_counts_are_the_gpus() -> None:
    assert emulated().counted.keys() == compared().counted.keys()
    assert different(compared().counted.keys() - EXCEPTIONS) == {}
    reproducible = compared().counted.keys() - BY_TIMING.keys() - BY_PAUSES
    unseen = reproducible & measured_of("unseen_cuda").counted.keys()
    for names, least in ((reproducible - unseen, MIN_EQUAL), (unseen, MIN_EQUAL_UNSEEN)):
        wrong = different(names)
        assert len(wrong) <= (1 - least) * len(names), sorted(wrong)


def test_scattered_reductions_are_near() -> None:
    scattered = SCATTERED_REDUCTIONS & compared().counted.keys()
    assert len(scattered) >= 2
    for name in scattered:
        for counter in ("reduction_sectors", "atomic_sectors"):
            counted = emulated().counted[name].get(counter, 0.0)
            assert counted <= compared().counted[name][counter] <= 1.02 * counted


def test_a_difference_is_seen() -> None:
    row = {"load_requests": 4.0, "load_sectors": 16.0, "load_efficiency": 100.0}
    gpu = Launched({"a": Output("1", "exact")}, {"a": row})
    assert ordinary_cuda.differences("a", Launched({}, {"a": dict(row)}), gpu) == []
    for counter in row:
        wrong = Launched({}, {"a": row | {counter: row[counter] + 1}})
        assert [
            difference.counter for difference in ordinary_cuda.differences("a", wrong, gpu)
        ] == [counter]


def test_a_wrong_output_is_seen() -> None:
    gpu = Launched({"a": Output("1", "exact"), "b": Output("2", "rounded")})
    assert ordinary_cuda.wrong_outputs(Launched(dict(gpu.outputs)), gpu) == []
    assert ordinary_cuda.wrong_outputs(
        Launched(gpu.outputs | {"a": Output("3", "exact")}), gpu
    ) == ["a"]
    assert (
        ordinary_cuda.wrong_outputs(Launched(gpu.outputs | {"b": Output("3", "rounded")}), gpu)
        == []
    )
    assert ordinary_cuda.wrong_outputs(
        Launched(gpu.outputs | {"b": Output("-", "failed")}), gpu
    ) == ["b"]


def test_metrics_of_every_promise() -> None:
    assert set(ordinary_cuda.PROMISED) <= set(NSIGHT)


@cache
def instruction_ratios() -> dict[str, dict[str, dict[str, float]]]:
    """By program, counter and launch."""
    return {
        name: instruction_table.ratios_of(emulated_of(name), measured_of(name)) for name in SETS
    }


@as_nvcc_13_compiles
def test_instructions_are_near_the_gpus() -> None:
    everything: list[float] = []
    for name, by_counter in instruction_ratios().items():
        counted = by_counter["warp_instructions"]
        assert counted.keys() == by_counter["ptx_instructions"].keys(), name
        share = instruction_table.share_within(counted.values(), 0.05)
        assert share >= MIN_WITHIN_5_PERCENT_OF_A_PROGRAM, name
        everything += counted.values()
    assert instruction_table.share_within(everything, 0.05) >= MIN_WITHIN_5_PERCENT


@as_nvcc_13_compiles
def test_the_page_has_these_shares() -> None:
    page = instruction_table.PAGE.read_text(encoding="utf-8")
    table = page.split(instruction_table.ENDS[0])[1].split(instruction_table.ENDS[1])[0]
    head, dashes, *all_stated = table.strip().splitlines()
    counted_head, counted_dashes, *counted = instruction_table.lines(instruction_ratios())
    assert (head, dashes) == (counted_head, counted_dashes)
    assert len(all_stated) == len(instruction_table.COUNTERS) * len(ordinary_cuda.TARGETS)
    # The sets in their order: those that are executed here are the first of the table.
    for line, stated_line in zip(counted, all_stated, strict=False):
        cells, stated = line.split(" | "), stated_line.split(" | ")
        # One launch of 713 was once equal on one machine and not on another: which one is not known.
        equal = instruction_table.HEADER.index("equal")
        assert abs(int(cells.pop(equal)) - int(stated.pop(equal))) <= 1, line
        assert cells == stated


def test_shares_of_ratios() -> None:
    assert instruction_table.share_within([0.951, 1.0, 1.049, 1.06], 0.05) == 0.75
    assert instruction_table.row("a", "b", [1.0, 1.04, 0.5, 0.92]) == [
        *("a", "4", "b", "1", "50 %", "75 %", "6.0 %"),
    ]


def test_a_launch_whose_machine_code_is_not_known_is_left_out() -> None:
    gpu = Launched({}, {"a": {"warp_instructions": 100.0}, "b": {"warp_instructions": 50.0}})
    both = {"warp_instructions": 90.0, "ptx_instructions": 80.0}
    emulated = Launched({"a": Output("1", "exact")}, {"a": both, "b": {"ptx_instructions": 60.0}})
    assert ordinary_cuda.instruction_ratios(emulated, gpu, "warp_instructions") == {"a": 0.9}
    assert ordinary_cuda.instruction_ratios(emulated, gpu, "ptx_instructions") == {
        "a": 0.8,
        "b": 1.2,
    }
