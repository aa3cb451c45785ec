"""Data files that are damaged or hostile are refused in one line; nothing of them is used."""

import json
from typing import Any

import pytest
import synthetic
from conftest import Tree

from notebook.base import errors
from notebook.data import results


def one_row(context: dict[str, Any] | None = None, **values: Any) -> dict[str, Any]:
    content = synthetic.stored(synthetic.document([synthetic.row("read/n:1024", 1.0)]))
    content["rows"][0] |= values
    content["context"] |= context or {}
    return content


def refused(tree: Tree, content: object, device: str = "nvidia-h200") -> str:
    path = tree.data / device / f"{synthetic.CHAPTER}.json"
    path.parent.mkdir()
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    errors.take_refused()
    assert results.load_chapter(tree.project, tree.chapter) == []
    (message,) = errors.take_refused()
    assert str(path) in message and "\n" not in message
    return message


def test_a_truncated_file_names_itself_and_the_mend(tree: Tree) -> None:
    message = refused(tree, json.dumps(one_row())[:-20], device="emulated-fermi")
    assert "scripts/lab run 02 --device emulated:fermi" in message


@pytest.mark.parametrize(
    "name",
    [
        "read`touch x`/n:1024",
        "read|x/n:1024",
        "read/n:10\t24",
        "read/n:1024\n\n\nplot",
        "<cat x",
        "read/../../n:1",
        "",
        7,
    ],
)
def test_hostile_benchmark_names(tree: Tree, name: Any) -> None:
    assert "rows[0].name" in refused(tree, one_row(name=name))


def test_a_file_of_another_chapter(tree: Tree) -> None:
    message = refused(tree, one_row({"chapter": "03_other"}))
    assert "holds chapter 03_other of nvidia-h200; move it there" in message


def test_a_gpu_counts_nothing_by_emulation(tree: Tree) -> None:
    content = one_row(evidence="counted", load_sectors=1)
    for time in ("time_us", "cpu_time_us"):
        del content["rows"][0][time]
    assert "counted on a device of kind gpu" in refused(tree, content)


@pytest.mark.parametrize("device", ["../nvidia", "a`b`", "a|b", "A", "a b", "-x", ""])
def test_hostile_device_names(tree: Tree, device: str) -> None:
    content = one_row()
    content["context"]["device"] = device
    assert "context.device" in refused(tree, content)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ([], "no JSON object"),
        ({}, "not of format 2"),
        (one_row() | {"format": 1}, "not of format 2"),
        (one_row() | {"rows": one_row()["rows"] * 2}, "the same name"),
        (one_row() | {"more": 1}, "more"),
        ('{"format": 2, "format": 2}', "a key stands twice"),
        ("[" * 100_000, "nested too deeply"),
        (one_row(time_us=[[float("nan")]]), "NaN is not a number"),
        (one_row(bytes_per_second=float("inf")), "Infinity is not a number"),
        ('{"format": 1e999}', "1e999 is too large"),
        (one_row(time_us=[[5e-324]]), "rows[0].time_us[0][0]: 5e-324 is less than the minimum"),
        (one_row(time_us=[[0]]), "rows[0].time_us[0][0]"),
        (one_row(time_us=[]), "0 processes with 0 repetitions"),
        (one_row(time_us=[[1.0], [1.0]]), "2 processes with 2 repetitions"),
        (one_row(time_us=[[1.0] * 201]), "rows[0].time_us[0]"),
        (one_row({"processes": 33}), "context.processes"),
        (one_row(load_sectors=-1), "rows[0].load_sectors"),
        (one_row(load_sectors=1e-310), "rows[0].load_sectors"),
        (one_row(load_sectors=True), "rows[0].load_sectors"),
        (one_row(throttled=[[0, 0]]), "other repetitions than those of time_us"),
        (one_row(level="a|b"), "rows[0].level"),
        (one_row(evidence="counted"), "rows[0]."),
        (one_row(unheard_of=1), "unheard_of"),
        (one_row(predicted_seconds=1.0), "predicted_bound"),
        (one_row(predicted_seconds=1.0, predicted_bound="luck"), "rows[0].predicted_bound"),
        (one_row({"year": "soon"}), "context.year"),
        (one_row({"dram_bytes_per_second": -1}), "context.dram_bytes_per_second"),
        (one_row({"gpu_name": "a`b`"}), "context.gpu_name"),
        (one_row({"device_kind": "emulated"}), "of the kind emulated"),
    ],
)
def test_damaged_content(tree: Tree, content: object, complaint: str) -> None:
    assert complaint in refused(tree, content)


def test_a_file_in_the_wrong_folder(tree: Tree) -> None:
    assert "holds chapter" in refused(tree, one_row(), device="nvidia-a100")


def test_folders_that_are_no_device_are_left_alone(tree: Tree) -> None:
    (tree.data / ".hidden`x`").mkdir()
    synthetic.save_stored(tree.data / ".hidden`x`" / f"{synthetic.CHAPTER}.json", one_row())
    assert results.load_chapter(tree.project, tree.chapter) == []


def test_devices_come_oldest_first(tree_with_data: Tree) -> None:
    loaded = results.load_chapter(tree_with_data.project, tree_with_data.chapter)
    assert [entry.device for entry in loaded] == [
        "emulated-fermi",
        "emulated-hopper",
        "nvidia-h200",
    ]


def test_chapters_of_a_device_are_merged(tree_with_data: Tree) -> None:
    loaded = results.load_chapter(tree_with_data.project, tree_with_data.chapter)
    merged = results.merged_by_device([*reversed(loaded), *loaded])
    assert [entry.device for entry in merged] == [entry.device for entry in loaded]
    assert [len(synthetic.rows_in(entry)) for entry in merged] == [
        2 * len(synthetic.rows_in(entry)) for entry in loaded
    ]


def test_bandwidth_is_also_given_as_a_share_of_the_peak(tree: Tree) -> None:
    # The Tesla M2090's copy by rows, as published: 125.67 GB/s of 177.6 GB/s are 70.76 %.
    rows = [synthetic.row("copy", 1.0, bytes_per_second=125.67e9), synthetic.row("empty", 1.0)]
    for peak, expected in (("177600000000", pytest.approx(70.76, abs=0.005)), ("0", None)):
        synthetic.save(tree.data, synthetic.document(rows, dram_bytes_per_second=peak))
        [result] = results.load_chapter(tree.project, tree.chapter)
        assert synthetic.rows_in(result)[0].values.get("peak_percent") == expected
        assert "peak_percent" not in synthetic.rows_in(result)[1].values


def test_measured_counters_are_read_and_checked(tree_with_data: Tree) -> None:
    folder = tree_with_data.data / "nvidia-h200" / "counters"
    folder.mkdir()
    table = folder / f"{synthetic.CHAPTER}.csv"
    table.write_text("name,load_sectors,anything\nread/n:1024,5,x\n")
    *_, gpu = results.load_chapter(tree_with_data.project, tree_with_data.chapter)
    assert gpu.counts == {"read/n:1024": [{"load_sectors": 5.0}]}
    table.write_text("name,load_sectors\nread/n:1024,many\n")
    *_, gpu = results.load_chapter(tree_with_data.project, tree_with_data.chapter)
    assert gpu.by_name and gpu.counts == {}
    (message,) = errors.take_refused()
    assert "line 2: load_sectors is 'many'" in message
