"""Devices side by side: each by its own measure, and never different sizes without saying so."""

import json
import math
import random
import re
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import Tree

from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.compare import compare, comparison_output
from notebook.compare.compare import DeviceComparison, Difference, Row
from notebook.data.intervals import Estimate
from notebook.decide import prediction
from notebook.decide.device_answers import Question, Value

SMALL, LARGE = 2**20, 2**24
Json = dict[str, Any]


def rows_of(
    offsets: dict[int, float],
    seed: int = 1,
    n: int = LARGE,
    whole: float = 1.0,
    apart: float = 0.0005,
) -> list[Json]:
    """A copy at 4 TB/s and reads whose time over that of the copy is planted; noise of
    0.05 %, and processes that are `apart` as a whole."""
    source = random.Random(seed)
    printed_rows = []
    for process in range(2):
        slower = whole * (1 + apart * process)
        for repetition in range(5):
            planted = {f"other/by:{number}/n:{n}/cache:cold": 1.0 for number in range(12)}
            planted[f"memcpy/bytes:{6 * n}/cache:cold"] = 1.0
            for offset, factor in offsets.items():
                planted[f"read_offset/offset:{offset}/block:512/n:{n}/cache:cold"] = factor
            for name, factor in planted.items():
                noisy = 12 * n / 4e6 * factor * slower * source.gauss(1, 0.0005)
                rate = 12 * n / noisy * 1e6
                row = synthetic.row(name, noisy, repetition, process, bytes_per_second=rate)
                printed_rows.append(row | {"label": "dram"})
    return printed_rows


def save(tree: Tree, rows: list[Json], device: str = "nvidia-h200", **context: str) -> None:
    synthetic.save(tree.data, synthetic.document(rows, device, **context))


def run(tree: Tree, *words: str) -> DeviceComparison:
    operands = [compare.operand(tree.project, [tree.chapter], word) for word in words]
    return compare.compare_devices(tree.project, [tree.chapter], operands)


def row(comparison: DeviceComparison, metric: str, offset: int) -> Row:
    name = f"read_offset/block:512/offset:{offset}"
    """A ratio of times before a time."""
    asked = [row for row in comparison.rows if row.question.metric == metric]
    named = [entry for entry in asked if entry.question.variant == name]
    return min(named, key=lambda entry: entry.question.baseline is None)


def test_each_device_is_compared_by_its_own_measure(tree: Tree) -> None:
    """The second GPU is twice as slow in all, and reads at offset 11 cost it 20 % more."""
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    save(tree, rows_of({0: 1.0, 11: 1.2}, seed=2, whole=2.0), "nvidia-a100")
    comparison = run(tree, "nvidia-h200", "nvidia-a100")
    slower = row(comparison, "time", 11)
    assert slower.question.in_claim
    first, second = slower.values
    assert first and second
    assert first.center == pytest.approx(1.0, rel=0.005)
    assert second.center == pytest.approx(1.2, rel=0.005)
    assert slower.differences[0] is None
    assert slower.differences[1] and slower.differences[1].mark == compare.DIFFERENT
    share = row(comparison, compare.COPY_SHARE, 11)
    assert share.differences[1] and share.differences[1].ratio == pytest.approx(1 / 1.2, rel=0.01)
    aligned = row(comparison, compare.COPY_SHARE, 0)
    assert aligned.differences[1] and aligned.differences[1].mark == compare.SAME


def test_two_runs_of_one_device_are_the_same(tree: Tree, tmp_path: Path) -> None:
    """With other noise, and 1.5 % slower as a whole, which processes are, too."""
    offsets = dict.fromkeys(range(40), 1.05)
    save(tree, rows_of(offsets))
    again = synthetic.document(rows_of(offsets, seed=2, whole=1.015))
    synthetic.save(tmp_path / "again", again)
    comparison = run(tree, "nvidia-h200", str(tmp_path / "again" / "nvidia-h200"))
    marks = [
        difference.mark
        for every in comparison.rows
        for difference in every.differences
        if difference
    ]
    asked = {"time", compare.COPY_SHARE, "peak_percent"}
    assert {every.question.metric for every in comparison.rows} == asked
    assert len(marks) >= 80
    assert marks.count(compare.SAME) >= 0.95 * len(marks)
    assert compare.DIFFERENT not in marks


def test_times_of_processes_far_apart_cannot_be_told_but_shares_can(
    tree: Tree, tmp_path: Path
) -> None:
    """One process 2 % slower as a whole: two such numbers do not tell where their mean is."""
    save(tree, rows_of({0: 1.0, 11: 1.05}, apart=0.02))
    again = rows_of({0: 1.0, 11: 1.05}, seed=2, apart=0.02)
    synthetic.save(tmp_path, synthetic.document(again))
    comparison = run(tree, "nvidia-h200", str(tmp_path / "nvidia-h200"))
    for metric, mark in (("time", compare.UNDECIDED), (compare.COPY_SHARE, compare.SAME)):
        difference = row(comparison, metric, 0).differences[1]
        assert difference and difference.mark == mark


@pytest.mark.parametrize(
    ("low", "high", "mark"),
    [
        (1 / 1.03, 1.03, compare.SAME),
        (0.98, 1.03, compare.SAME),
        # One end beyond, or one end within, decides nothing.
        (0.98, 1.0301, compare.UNDECIDED),
        (0.9708, 1.0, compare.UNDECIDED),
        (1.03, 1.2, compare.UNDECIDED),
        (1.0301, 1.2, compare.DIFFERENT),
        (0.8, 1 / 1.03, compare.UNDECIDED),
        (0.8, 0.9708, compare.DIFFERENT),
        (0.5, 2.0, compare.UNDECIDED),
    ],
)
def test_the_mark_of_an_interval(low: float, high: float, mark: str) -> None:
    assert compare.mark_of((low, high)) == mark


def test_a_variant_that_has_become_slower_is_found(tree: Tree, tmp_path: Path) -> None:
    save(tree, rows_of({0: 1.0, 8: 1.0}))
    synthetic.save(tmp_path, synthetic.document(rows_of({0: 1.0, 8: 1.1}, seed=2)))
    comparison = run(tree, "nvidia-h200", str(tmp_path / "nvidia-h200"))
    differences = {offset: row(comparison, "time", offset).differences[1] for offset in (0, 8)}
    assert differences[0] and differences[0].mark == compare.SAME
    assert differences[8] and differences[8].mark == compare.DIFFERENT
    assert differences[8].ratio == pytest.approx(1.1, rel=0.01)


def test_different_sizes_are_not_compared_but_named(tree: Tree) -> None:
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    save(tree, rows_of({0: 1.0, 11: 1.0}, n=SMALL), "nvidia-a100")
    comparison = run(tree, "nvidia-h200", "nvidia-a100")
    assert comparison.rows == []
    others = {
        missing_row.only: missing_row.others
        for missing_row in comparison.missing
        if missing_row.question.in_claim
    }
    assert others["nvidia-h200"] == {"nvidia-a100": "other sizes: n = 2^20, cold"}
    assert any(
        "nvidia-a100: other sizes" in line for line in comparison_output.all_lines(comparison)
    )


def test_unstated_caches_stand_beside_stated_ones_with_a_mark(tree: Tree) -> None:
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    folder = tree.data / "published"
    folder.mkdir()
    (folder / "devices.csv").write_text(
        "device,gpu,generation,year,fetch_unit_bytes,dram_bytes_per_second,source\n"
        "old,Old,Fermi,2011,128,,\n"
    )
    (folder / f"{tree.chapter.name}.csv").write_text(
        "device,name,metric,value,level,source,caveat\n"
        f"old,read_offset/offset:0/block:512/n:{LARGE},time_us,100,,x,\n"
        f"old,read_offset/offset:11/block:512/n:{LARGE},time_us,150,,x,\n"
    )
    comparison = run(tree, "published:old", "nvidia-h200")
    ratio = row(comparison, "time", 11)
    assert not ratio.is_of_one_regime
    assert [value.regime for value in ratio.values if value] == [
        f"n:{LARGE}",
        f"n:{LARGE}/cache:cold",
    ]
    assert any(
        "† n = 2^24 / n = 2^24, cold dram" in line
        for line in comparison_output.all_lines(comparison)
    )


def printed(tree: Tree, *words: str, is_whole: bool = False) -> list[str]:
    return comparison_output.lines(tree.project, run(tree, *words), is_whole)


def cells(line: str) -> list[str]:
    return re.split(" {2,}", line)


def test_the_table_has_each_claim_on_which_devices_differ(tree: Tree) -> None:
    """Only the time at offset 11 differs, of which 1.1 is printed: none, and 20 % more on the second GPU."""
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    save(tree, rows_of({0: 1.0, 11: 1.2}, seed=2), "nvidia-a100")
    page = printed(tree, "nvidia-h200", "nvidia-a100")
    assert page[0].startswith(tree.chapter.name)
    assert [cells(line) for line in page[2:5]] == [
        ["claim", "printed", "H200, measured", "A100, measured"],
        ["Reads at offset 11 are slower than", "1.10×", "no effect", "reproduced"],
        ["aligned ones.", "1.00×", "1.20×"],
    ]
    assert page[5] == "(ratio of times)"
    assert "claims that two devices decide: 1; with different verdicts: 1" in page
    same = printed(tree, "nvidia-h200", "nvidia-h200")
    assert same[0] == "claims that two devices decide: 1; with different verdicts: 0"


def test_predicted_times_stand_beside_measured_ones_with_their_bands(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 40 ratios and times, all predicted as 1 and 1.2 times as long: nine in ten lie within 1.2."""
    monkeypatch.setattr(Project, "here", staticmethod(lambda *_: tree.project))
    prediction._log_errors.cache_clear()
    prediction._log_time_errors.cache_clear()
    table = tree.root / prediction.TABLE
    table.parent.mkdir()
    ratios, times = ([",".join(names)] for names in (prediction.COLUMNS, prediction.TIMES_COLUMNS))
    ratios += ["hopper,01,a,b,,1.0,1.2"] * 40
    times += ["01_x,a,1.0,dram,1.2"] * 40
    table.write_text("\n".join(ratios) + "\n")
    (tree.root / prediction.TIMES).write_text("\n".join(times) + "\n")
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    predicted = [
        synthetic.row(
            f"read_offset/offset:{offset}/block:512/n:{LARGE}/cache:cold",
            0.0,
            label="dram predicted_bound:dram",
            predicted_seconds=seconds,
            load_sectors=1,
        )
        for offset, seconds in ((0, 100e-6), (11, 200e-6))
    ]
    save(tree, predicted, "emulated-hopper")
    page = printed(tree, "emulated-hopper", "nvidia-h200", is_whole=True)
    assert ["aligned ones.", "predicted 2.00×", "1.00×"] in map(cells, page)
    assert any("[1.67–2.40×]" in line for line in page)
    timed = next(line for line in page if line.startswith("read_offset/block:512/offset:11"))
    assert cells(timed)[1:3] == ["n = 2^24, cold", "200 µs [167, 240]"]
    assert "Hopper, predicted" in next(line for line in page if "time of one launch" in line)
    # 2.00 within 1.67 to 2.40 is not 1.00.
    difference = row(run(tree, "nvidia-h200", "emulated-hopper"), "time", 11).differences[1]
    assert difference and difference.mark == compare.DIFFERENT
    assert difference.interval == pytest.approx((1.67, 2.4), rel=0.01)
    prediction._log_errors.cache_clear()
    prediction._log_time_errors.cache_clear()


def test_devices_with_hardly_a_benchmark_in_common_say_so_first(tree: Tree) -> None:
    """None of 14 at the small size, then one of 14."""
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    save(tree, rows_of({0: 1.0, 11: 1.0}, n=SMALL), "nvidia-a100")
    first, *_ = printed(tree, "nvidia-h200", "nvidia-a100")
    assert first == (
        "nvidia-h200 and nvidia-a100 have no benchmark in common: they can hardly be compared"
    )
    one = [entry for entry in rows_of({0: 1.0}) if entry["name"].startswith("read_offset")]
    save(tree, [*rows_of({0: 1.0, 11: 1.0}, n=SMALL), *one], "nvidia-a100")
    first, *_ = printed(tree, "nvidia-h200", "nvidia-a100")
    assert "have 1 benchmark in common" in first


def test_what_is_not_compared_has_its_reason(tree: Tree) -> None:
    """A GPU's rates and shares; an emulated GPU's counters; sizes."""
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    synthetic.save(
        tree.data, synthetic.document(synthetic.misaligned_reads_emulated(32), "emulated-hopper")
    )
    page = "\n".join(printed(tree, "nvidia-h200", "emulated-hopper"))
    assert "nvidia-h200; emulated-hopper: rates and shares are not predicted" in page
    assert "emulated-hopper; nvidia-h200: no counters were measured" in page


def test_chapters_are_words_after_the_devices(tree_with_data: Tree) -> None:
    devices = ("emulated-fermi", "nvidia-h200")
    for word in ("2", "02", "misaligned", "chapters/02_misaligned_reads/"):
        assert compare.split(tree_with_data.project, [*devices, word]) == ([*devices], [word])
    whole = tree_with_data.lab("compare", *devices, "02").stdout
    assert "time of one launch" not in whole  # these emulated GPUs predict none
    assert "1.10×" in whole and "open" in whole


def test_counts_are_compared_exactly(tree_with_data: Tree) -> None:
    comparison = run(tree_with_data, "emulated-fermi", "emulated-hopper")
    rows = [row for row in comparison.rows if row.question.metric == "load_efficiency"]
    # Half with lines of 128 bytes, 4/5 with sectors of 32: 1.6 times as much.
    assert [row.differences[1] and row.differences[1].ratio for row in rows] == [1.6, 1.6]


def test_a_share_of_the_peak_of_what_the_lanes_can_do(tree: Tree) -> None:
    """128 lanes of 100 SMs at 1,000 MHz: two flops each are 25.6 TFLOP/s, of which half is done."""
    (tree.data / "architectures.csv").write_text(
        "architecture,compute_capability,fp32_lanes_per_sm\nhopper,9.0,128\n"
    )
    for device in ("nvidia-h200", "nvidia-h100"):
        rows = synthetic.timed("matmul/n:64", 10.0, flops_per_second=12.8e12, sm_clock_mhz=1000)
        save(tree, rows, device, sm_count="100", compute_capability="9.0")
    comparison = run(tree, "nvidia-h200", "nvidia-h100")
    (share,) = [row for row in comparison.rows if row.question.metric == compare.PEAK_SHARE]
    assert share.values[0] and share.values[0].center == pytest.approx(0.5)


@pytest.mark.parametrize("doubtful", ["quick", "throttled"])
def test_doubtful_runs_show_no_difference(tree: Tree, doubtful: str) -> None:
    save(tree, rows_of({0: 1.0, 11: 1.0}))
    rows = rows_of({0: 1.0, 11: 2.0}, seed=2)
    context = {"quick": "true"} if doubtful == "quick" else {}
    if doubtful == "throttled":
        rows = [row | {"throttled": 1} for row in rows]
    save(tree, rows, "nvidia-a100", **context)
    difference = row(run(tree, "nvidia-h200", "nvidia-a100"), "time", 11).differences[1]
    assert difference and difference.mark == compare.UNDECIDED
    assert doubtful in difference.reason


def test_json_has_every_number(tree_with_data: Tree) -> None:
    done = tree_with_data.lab("compare", "emulated-fermi", "emulated-hopper", "--json")
    document = json.loads(done.stdout)
    assert document["devices"] == ["emulated-fermi", "emulated-hopper"]
    first = document["rows"][0]
    assert first["values"]["emulated-fermi"]["value"] == 50.0
    assert first["values"]["emulated-fermi"]["data"].startswith("data/emulated-fermi/")
    assert first["differences"]["emulated-hopper"]["mark"] == "different"
    assert sum(document["summary"].values()) == len(document["rows"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nvidia-h200"], "two devices"),
        (["nvidia-h200", "nvidia-h20"], "did you mean nvidia-h200?"),
        (["nvidia-h200", "published:x"], "no data of 'published:x'"),
        (["nvidia-h200", "nowhere/nvidia-h200"], "no folder"),
        (["nvidia-h200", "emulated-fermi", "--chapter", "99"], "there is no chapter"),
    ],
)
def test_wrong_use(tree_with_data: Tree, words: list[str], complaint: str) -> None:
    done = tree_with_data.lab("compare", *words)
    assert done.returncode == 2 and complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_without_results(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "nvidia-h200").mkdir()
    with pytest.raises(Problem, match="no data"):
        compare.operand(tree.project, [tree.chapter], str(tmp_path / "nvidia-h200"))


def test_json_has_every_field_of_a_row_and_none_where_there_is_nothing() -> None:
    """Two devices that have a value, of which one is in doubt, and a third without."""
    timed = Value(
        1.5, Estimate(math.log(1.5), 0.0, math.inf), 5, "", 0, "n:64", "dram", "a.json", "measured"
    )
    counted = Value(0.0, None, 1, "a quick run", 0, "", "", "b.json", "counted")
    once = Value(
        2.0, Estimate(math.log(2), 0.0, math.inf), 1, "", 0, "n:64", "l2", "c.json", "measured"
    )
    question = Question("02_x", "time", "read/by:2", "read/by:1", "Two is slower.")
    row_of_four = Row(
        question,
        [timed, counted, once, None],
        [
            None,
            Difference("differs", 2.0, (1.9, 2.1), ""),
            Difference("unknown", None, None, "why"),
            None,
        ],
    )
    missing = [compare.Missing(question, "", "a", {"b": "nothing"})]
    operands = [compare.Operand(name, {}) for name in "abcd"]
    content = comparison_output.as_json(DeviceComparison([], operands, [row_of_four], missing))
    assert content == {
        "devices": ["a", "b", "c", "d"],
        "rows": [
            {
                "chapter": "02_x",
                "metric": "time",
                "variant": "read/by:2",
                "baseline": "read/by:1",
                "in_claim": True,
                "one_regime": False,
                "values": {
                    "a": {
                        "value": 1.5,
                        "evidence": "measured",
                        "interval": pytest.approx([1.5, 1.5]),
                        "n": 5,
                        "regime": "n:64",
                        "label": "dram",
                        "doubt": None,
                        "data": "a.json",
                    },
                    "b": {
                        "value": 0.0,
                        "evidence": "counted",
                        "interval": None,
                        "n": 1,
                        "regime": None,
                        "label": None,
                        "doubt": "a quick run",
                        "data": "b.json",
                    },
                    "c": {
                        "value": 2.0,
                        "evidence": "measured",
                        "interval": None,
                        "n": 1,
                        "regime": "n:64",
                        "label": "l2",
                        "doubt": None,
                        "data": "c.json",
                    },
                },
                "differences": {
                    "b": {"mark": "differs", "ratio": 2.0, "interval": [1.9, 2.1], "reason": None},
                    "c": {"mark": "unknown", "ratio": None, "interval": None, "reason": "why"},
                },
            }
        ],
        "not_compared": [
            {
                "chapter": "02_x",
                "metric": "time",
                "variant": "read/by:2",
                "baseline": "read/by:1",
                "regime": None,
                "only": "a",
                "others": {"b": "nothing"},
            }
        ],
        "summary": {"differs": 1, "unknown": 1},
    }
