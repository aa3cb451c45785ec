"""Counts that are saved and compared: a build fails when a kernel's memory traffic grows."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_emulate import described, launches, site

from notebook.base.errors import MISSING, WRONG_USAGE, Problem
from notebook.emulate import counts as emulate_counts
from notebook.emulate.launches.runs import Emulated
from notebook.tools import toolbox

ROOT = Path(__file__).resolve().parents[3]
COPY = "void copy<float>(float*, float const*)"


def runs(folder: Path, *described_launches: dict[str, Any]) -> list[Emulated]:
    return [Emulated("hopper", "H200", 132, launches(folder, *described_launches), [])]


def launch(kernel: str = COPY, spill: int | None = 0, **counters: float) -> dict[str, Any]:
    return described(
        site(4, "global", "load"), kernel=kernel, spill_bytes=spill, counters=dict(counters)
    )


def changes(
    folder: Path, before: list[dict[str, Any]], now: list[dict[str, Any]], tolerance: float = 0.0
) -> tuple[list[str], list[str]]:
    path = folder / "counts.json"
    emulate_counts.save(path, runs(folder, *before))
    return emulate_counts.check(
        emulate_counts.read(path, ["hopper"]), runs(folder, *now), tolerance
    )


def test_the_same_counts_change_nothing(tmp_path: Path) -> None:
    same = [launch(load_sectors=4096.0, shared_load_bank_conflicts=31.0)]
    assert changes(tmp_path, same, same) == ([], [])


@pytest.mark.parametrize(
    "name",
    ["load_sectors", "store_sectors", "shared_load_bank_conflicts", "local_load_requests"],
)
def test_a_count_that_grows_fails(tmp_path: Path, name: str) -> None:
    failures, remarks = changes(tmp_path, [launch(**{name: 4096.0})], [launch(**{name: 8192.0})])
    assert failures == [f"hopper: copy<float>: {name} 8,192 instead of 4,096 (+100.0 %)"]
    assert remarks == []


def test_from_nothing_to_something_is_growth(tmp_path: Path) -> None:
    failures, _ = changes(tmp_path, [launch()], [launch(local_load_requests=1.0)], tolerance=0.5)
    assert failures == ["hopper: copy<float>: local_load_requests 1 instead of 0"]


def test_spills_grow(tmp_path: Path) -> None:
    failures, _ = changes(tmp_path, [launch(spill=0)], [launch(spill=64)])
    assert failures == ["hopper: copy<float>: spill_bytes 64 instead of 0"]
    # Without ptxas they are not known.
    assert changes(tmp_path, [launch(spill=0)], [launch(spill=None)]) == ([], [])


def test_within_the_tolerance_nothing_fails(tmp_path: Path) -> None:
    before, now = [launch(load_sectors=1000.0)], [launch(load_sectors=1050.0)]
    assert changes(tmp_path, before, now, tolerance=0.05)[0] == []
    assert len(changes(tmp_path, before, now, tolerance=0.049)[0]) == 1


def test_what_falls_or_does_not_matter_is_no_failure(tmp_path: Path) -> None:
    before = [launch(load_sectors=8192.0, warp_instructions=1.0)]
    now = [launch(load_sectors=4096.0, warp_instructions=1e6)]
    assert changes(tmp_path, before, now) == (
        [],
        ["hopper: copy<float>: load_sectors 4,096 instead of 8,192 (-50.0 %)"],
    )


def test_kernels_are_summed_over_launches(tmp_path: Path) -> None:
    failures, _ = changes(tmp_path, [launch(load_sectors=100.0)], [launch(load_sectors=100.0)] * 2)
    (failure,) = failures
    assert failure.endswith(
        "load_sectors 200 instead of 100 (+100.0 %), in 2 launches instead of 1"
    )


def test_kernels_that_come_and_go(tmp_path: Path) -> None:
    failures, remarks = changes(tmp_path, [launch("old(int)")], [launch("new(int)")])
    assert failures == ["hopper: old was not launched; its counts were saved"]
    assert remarks == ["hopper: new is new; no counts of it were saved"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"emulated_counts": 2, "gpus": {}}',
        '{"emulated_counts": 1}',
        '{"emulated_counts": 1, "gpus": {"hopper": 3}}',
        '{"emulated_counts": 1, "gpus": {"hopper": {"k": {"load_sectors": "many"}}}}',
        '{"emulated_counts": 1, "gpus": {"hopper": {"k": {"load_sectors": -1}}}}',
        '{"emulated_counts": 1, "gpus": {"hopper": {"k": {"load_sectors": NaN}}}}',
        "\x00",
    ],
)
def test_a_file_that_is_none_of_counts_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(content)
    with pytest.raises(Problem, match=r"counts\.json.*--save-counts"):
        emulate_counts.read(path, ["hopper"])


def test_a_missing_file_and_a_missing_gpu(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no file") as raised:
        emulate_counts.read(tmp_path / "none.json", ["hopper"])
    assert raised.value.status == MISSING
    path = tmp_path / "counts.json"
    emulate_counts.save(path, runs(tmp_path, launch()))
    with pytest.raises(Problem, match="has counts of hopper, not of turing") as raised:
        emulate_counts.read(path, ["hopper", "turing"])
    assert raised.value.status == WRONG_USAGE


def test_the_file_is_the_same_again(tmp_path: Path) -> None:
    for name in ("a", "b"):
        emulate_counts.save(tmp_path / name, runs(tmp_path, launch(load_sectors=4096.0)))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert json.loads((tmp_path / "a").read_text())["gpus"]["hopper"][COPY] == {
        "launches": 1,
        "load_sectors": 4096,
        "spill_bytes": 0,
    }


# ---- the example of the emulator's page ----------------------------------------------------------

PAGE = ROOT / "common" / "emulator" / "README.md"


def example() -> list[str]:
    """The workflow's lines."""
    (workflow,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return str(workflow).splitlines()


def test_the_first_screen_says_what_is_not_needed() -> None:
    first = " ".join(PAGE.read_text("utf-8").split("##")[0].split())
    assert "no GPU, no driver and no permission for counters" in first


@pytest.mark.skipif(not toolbox.find_nvcc(), reason="no nvcc")
def test_the_example_for_hosted_ci(tmp_path: Path) -> None:
    lines = example()
    assert len(lines) <= 10
    commands = [line.partition("run: ")[2] for line in lines if "run: " in line]
    assert commands[0] == "notebook/scripts/lab setup"
    (check,) = commands[1:]
    assert f"`{check.replace('--check-counts', '--save-counts')}`" in PAGE.read_text("utf-8")
    (tmp_path / "notebook").symlink_to(ROOT)
    source = tmp_path / "transpose.cu"
    shutil.copy(ROOT / "common" / "tests" / "cases" / "counts" / "columns.cu", source)

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    saved = run(check.replace("--check-counts", "--save-counts"))
    assert saved.returncode == 0, saved.stderr
    assert run(check).returncode == 0
    worse = source.read_text().replace("out[row * n + column]", "out[column * n + row]")
    source.write_text(worse)
    failed = run(check)
    assert failed.returncode == 1
    # Stores of 32 lanes in 32 rows: a sector each, instead of four of 8 words.
    assert "transpose: store_sectors 65,536 instead of 8,192 (+700.0 %)" in failed.stderr
