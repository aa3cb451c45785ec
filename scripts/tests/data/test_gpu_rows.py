"""GPUs by their own names: two tables merged, and what the build refuses."""

import csv
from pathlib import Path

import pytest
from conftest import Tree

import architecture_table
import timing_table
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.data.devices import architectures, emulable
from notebook.data.gpu_rows import GpuError, merged, slug
from notebook.emulate import command

REAL = Project.here()


@pytest.mark.parametrize(
    ("gpu", "name"),
    [
        ("GeForce RTX 3080", "geforce-rtx-3080"),
        ("Tesla K40m/K40c", "tesla-k40m"),
        ("Tegra X1 (Jetson Nano)", "tegra-x1"),
        ("H100 SXM5 80GB HBM3", "h100-sxm5-80gb-hbm3"),
    ],
)
def test_a_gpu_is_named_for_itself(gpu: str, name: str) -> None:
    assert slug(gpu) == name


def row(gpu: str, capability: str, architecture: str = "", **values: str) -> dict[str, str]:
    return {"architecture": architecture, "gpu": gpu, "compute_capability": capability} | values


def test_a_gpu_has_its_own_facts_and_those_of_its_capability() -> None:
    own = row("A100", "8.0", "ampere", sm_count="108", banks="32")
    other = row("RTX 3080", "8.6", sm_count="68", banks="32", l1="128")
    gpu = {"gpu": "RTX 3090", "compute_capability": "8.6", "sm_count": "82"}
    rows_by_name = {entry["architecture"]: entry for entry in merged([other, own], [gpu])}
    assert list(rows_by_name) == ["ampere", "rtx-3080", "rtx-3090"]
    assert (rows_by_name["rtx-3090"]["sm_count"], rows_by_name["rtx-3090"]["l1"]) == ("82", "128")
    assert rows_by_name["rtx-3080"]["sm_count"] == "68"


def test_the_generation_s_own_row_is_the_model_of_others() -> None:
    rows = [row("K20X", "3.5", l1=""), row("K40", "3.5", "kepler", l1="16")]
    with_gpus = merged(rows, [{"gpu": "K20m", "compute_capability": "3.5"}])
    assert with_gpus[-1]["l1"] == "16"


def test_a_gpu_of_an_unknown_capability_is_refused() -> None:
    with pytest.raises(GpuError, match=r"RTX 6090.*compute capability '13\.0'"):
        merged([row("A100", "8.0", "ampere")], [{"gpu": "RTX 6090", "compute_capability": "13.0"}])


@pytest.mark.parametrize("table", ["architectures", "gpus"])
def test_a_table_without_a_column_that_a_report_reads_is_refused(table: str, tree: Tree) -> None:
    path = tree.data / f"{table}.csv"
    path.write_text("architecture,gpu,compute_capability,sm_count\nampere,A100,8.0,108\n")
    with pytest.raises(Problem, match=rf"{table}\.csv.*generation"):
        emulable(Project(tree.root, tree.data))


def test_a_name_stands_once() -> None:
    gpu = {"gpu": "RTX 3090", "compute_capability": "8.0"}
    with pytest.raises(GpuError, match="rtx-3090: given twice"):
        merged([row("A100", "8.0", "ampere")], [gpu, gpu])


def test_every_gpu_of_the_tables_can_be_emulated(tmp_path: Path) -> None:
    tables = [str(REAL.root / "data" / f"{name}.csv") for name in ("architectures", "gpus")]
    assert architecture_table.main([*tables, str(tmp_path / "table.inc")]) == 0
    lines = (tmp_path / "table.inc").read_text().splitlines()
    assert lines[0] == f"constexpr std::size_t generations = {len(architectures(REAL))};"
    assert sum(line.startswith("{.name") for line in lines) == len(emulable(REAL))
    # GA102 in the RTX 3090: 82 SMs of 128 lanes, 936 GB/s on 384 bits, 6 MB of L2.
    (row_of_gpu,) = (line for line in lines if '"geforce-rtx-3090"' in line)
    for fact in (
        ".sm_count = 82",
        ".fp32_lanes_per_sm = 128",
        ".dram_bytes_per_second = 936200000000",
        f".l2_bytes = {6 << 20}",
        '.compute_capability = "8.6"',
    ):
        assert fact in row_of_gpu


def test_an_l1_of_unknown_size_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (REAL.root / "data" / "architectures.csv").read_text()
    table = tmp_path / "architectures.csv"
    # The Fermi's 64 KB, and the 16 of them that are its L1 by default.
    table.write_text(text.replace(",64,16;48,16,", ",,16;48,,", 1))
    gpus = str(REAL.root / "data" / "gpus.csv")
    assert architecture_table.main([str(table), gpus, str(tmp_path / "out")]) == 1
    assert "'Tesla M2090': the size of the L1 is not known" in capsys.readouterr().err


@pytest.mark.parametrize("typo", ["11O8", "1e3", "1 60.3", "11,08", "0x10", "1.2.3", "-5", "12 MB"])
@pytest.mark.parametrize("column", ["sm_count", "max_clock_mhz", "dram_bw_gbs", "l2_bytes"])
def test_a_number_is_read_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str, typo: str
) -> None:
    with (REAL.root / "data" / "gpus.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0][column] = typo
    table = tmp_path / "gpus.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    architectures_table = str(REAL.root / "data" / "architectures.csv")
    assert architecture_table.main([architectures_table, str(table), str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert f"'Tesla K20m': {column} is {typo!r}, a number is needed" in said
    assert not (tmp_path / "out").exists()


def test_a_number_may_be_followed_by_its_source() -> None:
    row = {"gpu": "x", "granularity": "32 (forum) / 128 (guide)"}
    assert architecture_table.number(row, "granularity") == "32"


# The columns that differ among GPUs of one compute capability; all other columns are rules of the capability.
_OF_A_GPU = {
    *("architecture", "gpu", "year", "sm_count", "max_clock_mhz", "mem_clock_mhz", "bus_bits"),
    *("dram_bw_gbs", "l2_bytes", "unverified_fields", "source"),
}


def test_gpus_of_a_compute_capability_have_its_rules() -> None:
    """A rule is changed in all of its rows: NVIDIA states it for the compute capability."""
    first: dict[tuple[str, str], tuple[str, str]] = {}
    with (REAL.root / "data" / "architectures.csv").open(encoding="utf-8", newline="") as file:
        for gpu in csv.DictReader(file):
            for column in gpu.keys() - _OF_A_GPU:
                rule = gpu[column].split(" ")[0]  # without the remark: "no (opt-in ...)"
                if rule:  # else it is unknown
                    where = (gpu["compute_capability"], column)
                    other, same = first.setdefault(where, (gpu["gpu"], rule))
                    assert rule == same, f"{where}: {other} has {same}, {gpu['gpu']} has {rule}"


@pytest.mark.parametrize("word", ["geforce-rtx-3090", "rtx-3090", "RTX3090", "3090"])
def test_the_emulate_command_knows_gpus(word: str) -> None:
    (target,) = command._targets(REAL, word)
    facts = (target.name, target.gpu, target.compute_capability, target.sm_count)
    assert facts == ("geforce-rtx-3090", "GeForce RTX 3090", "8.6", 82)


@pytest.mark.parametrize("word", ["geforce-rtx3091", "0", "", "super-3090"])
def test_what_names_no_gpu_or_several_is_refused(word: str) -> None:
    with pytest.raises(Problem, match=f"unknown GPU '{word}'; .*rtx-3090"):
        command._targets(REAL, word)


def test_a_repository_without_the_table_of_gpus_has_its_generations(tree: Tree) -> None:
    assert set(architectures(tree.project)) <= set(emulable(tree.project))


PARAMETERS = """architecture,quantity,value,unit,confidence,source
default,l2_cycles,270,cycles,inferred,a
ampere,l1_cycles,36,cycles,high,a
ampere,fp64_lanes,32,lanes,high,a
ampere_8_6,fp64_lanes,2,lanes,high,b
"""


def test_a_compute_capability_has_the_parameters_that_differ(tmp_path: Path) -> None:
    table = tmp_path / "parameters.csv"
    table.write_text(PARAMETERS)
    found = timing_table.read(table)
    assert found["ampere_8_6"] == {"l1_cycles": 36, "fp64_lanes": 2, "l2_cycles": 270}
    assert "default" not in found


def test_a_generation_overrides_the_default(tmp_path: Path) -> None:
    table = tmp_path / "parameters.csv"
    table.write_text(PARAMETERS + "ampere,l2_cycles,280,cycles,high,a\n")
    assert timing_table.read(table)["ampere_8_6"]["l2_cycles"] == 280


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (PARAMETERS.replace(",36,", ",-1,"), "ampere, l1_cycles: -1 is not a positive number"),
        (PARAMETERS.replace(",36,", ",x,"), "ampere, l1_cycles: 'x' is not a number"),
        (PARAMETERS + "ampere,l1_cycles,36,cycles,high,a\n", "ampere, l1_cycles: given twice"),
        (PARAMETERS + "volta,l1_cycles,30,cycles,high,a\n", "volta, fp64_lanes: missing"),
        (PARAMETERS.replace("high,a", "high,", 1), "ampere, l1_cycles: the source is missing"),
    ],
)
def test_wrong_parameters_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str, message: str
) -> None:
    table = tmp_path / "parameters.csv"
    table.write_text(wrong)
    assert timing_table.main([str(table), str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == f"error: parameters.csv: {message}\n"
