"""Printed times beside predicted ones: tables, errors, and what the tracked comparison has to hold."""

import math
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.data.devices import emulable
from notebook.published import table as published_table
from notebook.published import times as published_times
from notebook.published.times import Compared, Errors, Table

REAL = Project.here()


def compared(run: str, printed: float, predicted: float) -> Compared:
    return Compared("table", "gpu", run, printed, predicted, "dram")


def test_a_time_that_is_half_or_double_is_wrong_by_50_or_100_percent() -> None:
    assert compared("a", 2.0, 1.0).error == 0.5
    assert compared("a", 1.0, 2.0).error == 1.0


def test_ratios_err_alike_to_both_sides() -> None:
    """Predicted 1 : 2 where 1 : 3 was printed errs by a half, and so does 1 : 3 for 1 : 2."""
    one, other = compared("a", 1.0, 1.0), compared("b", 3.0, 2.0)
    assert Errors([one, other]).ratios() == pytest.approx([0.5])
    one, other = compared("a", 1.0, 1.0), compared("b", 2.0, 3.0)
    assert Errors([one, other]).ratios() == pytest.approx([0.5])


def test_a_common_factor_is_no_error_of_ratios() -> None:
    rows = [compared(str(time), time, 1.7 * time) for time in (1.0, 2.0, 5.0)]
    assert Errors(rows).ratios() == pytest.approx([0, 0, 0], abs=1e-12)
    assert Errors(rows).absolute == pytest.approx(0.7)


def test_two_runs_of_one_variant_are_no_ratio() -> None:
    rows = [compared("a", 1.0, 1.0), compared("a", 1.1, 1.0), compared("b", 2.0, 2.0)]
    assert len(Errors(rows).ratios()) == 2


def test_order_is_of_five_or_more_variants() -> None:
    """One exchange of neighbours among five: Spearman's 1 - 6 * 2 / (5 * 24) = 0.9."""
    times = ((1, 1), (2, 2), (3, 4), (4, 3), (5, 5))
    rows = [compared(str(printed), printed, predicted) for printed, predicted in times]
    assert Errors(rows).rank == pytest.approx(0.9)
    assert Errors(rows[:4]).rank is None
    assert Errors([rows[0]] * 5).rank is None


@pytest.mark.parametrize(
    ("run", "metric", "amount"),
    [
        # A transpose of 2048 x 2048 floats reads and writes 33.55 MB.
        ("copy_rows/block:16x16/rows:2048/columns:2048/cache:warm", "bytes_per_second", 33554432),
        # The product of the CUDA samples: 131.072 million operations.
        ("matmul/tile:32/m:320/n:640/k:320/cache:warm", "flops_per_second", 131072000),
        ("saxpy/block:128/n:1000/cache:warm", "bytes_per_second", 12000),
        ("scale_double/block:64/n:1000/cache:warm", "bytes_per_second", 16000),
    ],
)
def test_what_a_rate_is_of(run: str, metric: str, amount: float) -> None:
    assert published_times.work(run, metric) == amount


def write(tmp_path: Path, name: str, *rows: str) -> Project:
    folder = tmp_path / "data" / "published"
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(["device,name,metric,value", *rows]) + "\n"
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return Project(tmp_path, tmp_path / "data")


def table(**changes: object) -> Table:
    settings: dict[str, object] = {
        "name": "table",
        "device": "gpu",
        "gpu": "ampere",
        "files": ("09_a",),
        "cache": "warm",
        "timed": "events",
    }
    return Table(**(settings | changes))  # type: ignore[arg-type]


def test_rows_of_the_device_become_times(tmp_path: Path) -> None:
    project = write(
        tmp_path,
        "09_a",
        "gpu,copy/rows:1000/columns:1000,bytes_per_second,8e9",
        "gpu,copy/rows:1000/columns:1000,load_efficiency,100",
        "other,copy/rows:1000/columns:1000,bytes_per_second,9e9",
        "gpu,read/n:5,time_us,25",
    )
    printed_times = published_times.printed(project, table())
    # 8 MB at 8 GB/s are a millisecond.
    assert [(entry.run, entry.seconds) for entry in printed_times] == [
        ("copy/rows:1000/columns:1000/cache:warm", pytest.approx(1e-3)),
        ("read/n:5/cache:warm", pytest.approx(25e-6)),
    ]


def test_what_chapters_share_counts_once(tmp_path: Path) -> None:
    write(tmp_path, "09_a", "gpu,copy/block:16x16,time_us,25")
    project = write(tmp_path, "10_b", "gpu,copy/block:16x16/l1:on,time_us,25")
    both = published_times.printed(project, table(files=("09_a", "10_b")))
    assert [value.run for value in both] == ["copy/block:16x16/cache:warm"]


def test_a_rate_made_of_a_printed_time_is_no_second_number(tmp_path: Path) -> None:
    rows = (
        "gpu,copy/rows:10/columns:10,time_us,25",
        "gpu,copy/rows:10/columns:10,bytes_per_second,3.2e7",
    )
    assert len(published_times.printed(write(tmp_path, "09_a", *rows), table())) == 1


def test_names_become_what_is_run(tmp_path: Path) -> None:
    project = write(
        tmp_path, "09_a", "gpu,tile/block:8x8,time_us,25", "gpu,copy/block:8x8,time_us,9"
    )
    expected = table(replace=(("^tile", "other_tile"),), add="/rows:64/columns:64", only="tile")
    (printed_time,) = published_times.printed(project, expected)
    assert printed_time.run == "other_tile/block:8x8/rows:64/columns:64/cache:warm"


# ---- the tracked comparison

TABLES = published_times.tables(REAL)
COMPARISON = published_times.read(REAL)


@pytest.mark.parametrize("printed", TABLES, ids=lambda printed: printed.name)
def test_every_printed_time_of_a_table_is_compared(printed: Table) -> None:
    expected = {
        (row.gpu, row.run, f"{row.seconds:.4g}") for row in published_times.printed(REAL, printed)
    }
    rows = COMPARISON[printed.name].rows
    assert {(row.gpu, row.run, f"{row.seconds:.4g}") for row in rows} == expected
    assert all(row.predicted > 0 and math.isfinite(row.predicted) for row in rows)


def test_there_are_as_many_gpus_and_times_as_a_judgement_needs() -> None:
    gpus = emulable(REAL)
    rows = [row for errors in COMPARISON.values() for row in errors.rows]
    assert len(rows) >= 250
    assert len({row.gpu for row in rows}) >= 15
    assert len({gpus[row.gpu]["generation"] for row in rows}) >= 6


@pytest.mark.parametrize("printed", TABLES, ids=lambda printed: printed.name)
def test_a_table_beyond_the_limits_is_named_with_the_reason(printed: Table) -> None:
    errors = COMPARISON[printed.name]
    assert published_table.reason_of(printed, errors) or not published_table.is_worse(errors)


def test_no_predicted_time_is_faster_than_all_of_dram() -> None:
    """Data that exceed the L2 four times cannot arrive faster than the vendor's bandwidth."""
    gpus = emulable(REAL)
    checked = 0
    for errors in COMPARISON.values():
        for row in errors.rows:
            if "rows:" not in row.run or "bank" in row.table:
                continue
            amount = published_times.work(row.run, "bytes_per_second")
            if amount > 4 * float(gpus[row.gpu]["l2_bytes"]):
                checked += 1
                assert amount / row.predicted <= 1e9 * float(gpus[row.gpu]["dram_bw_gbs"]), row
    assert checked > 50


# ---- the tables of the page


def test_limits_are_of_times_ratios_and_order() -> None:
    exact = [compared(str(time), time, time) for time in (1.0, 2.0, 3.0, 4.0, 5.0)]
    assert published_table.is_worse(Errors(exact)) == []
    doubled = [compared(str(time), time, 2 * time) for time in (1.0, 2.0, 3.0, 4.0, 5.0)]
    assert published_table.is_worse(Errors(doubled)) == ["times"]
    backwards = [compared(str(time), time, 6.0 - time) for time in (1.0, 2.0, 3.0, 4.0, 5.0)]
    assert published_table.is_worse(Errors(backwards)) == ["times", "ratios", "order"]
    same = [compared(str(time), time, 1.0) for time in (1.0, 1.01, 1.02, 1.03, 1.04)]
    assert published_table.is_worse(Errors(same)) == ["order"]


def test_the_order_of_times_that_hardly_differ_is_a_reason_of_its_own() -> None:
    same = Errors([compared(str(time), time, 1.0) for time in (1.0, 1.01, 1.02, 1.03, 1.04)])
    assert published_table.reason_of(table(), same) == "its times differ by 4% at most"
    far = Errors([compared(str(time), time, 1.0) for time in (1.0, 1.1, 1.2, 1.3, 3.0)])
    assert published_table.reason_of(table(), far) == ""
    assert published_table.reason_of(table(reason="a host timer"), far) == "a host timer"


def test_the_page_names_every_table_and_generation() -> None:
    generations = {name: row["generation"] for name, row in emulable(REAL).items()}
    text = "\n".join(published_table.lines(REAL, generations))
    assert all(f"| {table.name} |" in text for table in TABLES)
    assert all(f"| {generations[errors.rows[0].gpu]} |" in text for errors in COMPARISON.values())
    assert text.count("<details>") == text.count("</details>") == 2
