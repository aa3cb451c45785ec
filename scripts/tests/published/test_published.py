"""What other people printed: read as devices, checked, and without what is known to be wrong."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import SCRIPTS, Tree
from test_verdicts import claim, only

from notebook.base.errors import take_refused
from notebook.base.project import Project
from notebook.data import published
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.names import parameters
from notebook.data.results import Result
from notebook.decide import judging, tables, verdicts
from notebook.decide.claims import Claim

REAL = Project(SCRIPTS.parent, SCRIPTS.parent / "data")
CHAPTERS = [Chapter(path.with_suffix("")) for path in (REAL.data / "published").glob("[0-9]*.csv")]
HEADER = "device,name,metric,value,level,source,caveat\n"
DEVICES = (
    "device,gpu,generation,year,fetch_unit_bytes,dram_bytes_per_second,source\n"
    "old,Old,Fermi,2011,128,177600000000,a table\nnew,New,Ada,2023,32,,\n"
)


def printed(tree: Tree, rows: str) -> list[Result]:
    folder = tree.data / "published"
    folder.mkdir(exist_ok=True)
    (folder / "devices.csv").write_text(DEVICES)
    (folder / f"{tree.chapter.name}.csv").write_text(HEADER + rows)
    return published.load_chapter(tree.project, tree.chapter)


def decide(tree: Tree, rows: str, **changes: Any) -> verdicts.Finding:
    settings = {"variant": "copy/by:columns", "baseline": "copy/by:rows", "direction": "slower"}
    the_claim: Claim = claim(**settings | changes)
    return only(verdicts.decide(the_claim, printed(tree, rows)[0], "data"))


def test_a_printed_number_decides_and_the_verdict_says_how(tree: Tree) -> None:
    times = "old,copy/by:columns/n:64,time_us,2,,x,by hand\nold,copy/by:rows/n:64,time_us,1,,x,\n"
    finding = decide(tree, times)
    assert (finding.verdict, finding.ratio, finding.interval) == (judging.REPRODUCED, 2, None)
    assert finding.reason == "one printed number, no interval; by hand"
    assert finding.n == (1, 1)


def test_the_ratio_of_times_follows_from_printed_rates(tree: Tree) -> None:
    # The Tesla M2090's copies as published: 125.67 and 58.76 GB/s, 70.76 % and 33.09 % of the peak.
    rates = (
        "old,copy/by:columns,bytes_per_second,58.76e9,,x,\n"
        "old,copy/by:rows,bytes_per_second,125.67e9,,x,\n"
    )
    assert decide(tree, rates).ratio == pytest.approx(125.67 / 58.76)
    (result,) = printed(tree, rates)
    shares = [row.values["peak_percent"] for row in synthetic.rows_in(result)]
    assert shares == pytest.approx([33.09, 70.76], abs=0.005)


def test_a_printed_counter_needs_no_excuse(tree: Tree) -> None:
    rows = "new,copy/by:columns,load_efficiency,25,,x,\n"
    changes = {"metric": "load_efficiency", "baseline": None, "expected": (24.5, 25.5)}
    finding = decide(tree, rows, **changes, direction="equal")
    assert (finding.verdict, finding.ratio, finding.reason) == (judging.HOLDS, 25, "")


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ("other,copy,time_us,1,,x,\n", "device 'other' is not in devices.csv"),
        ("old,co py,time_us,1,,x,\n", "line 2: name is"),
        ("old,copy,time_us,1,a|b,x,\n", "line 2: level is"),
        ("old,copy,speed,1,,x,\n", "line 2: metric is"),
        ("old,copy,time_us,3.04-3.17,,x,\n", "'3.04-3.17'"),
        ("old,copy,time_us,nan,,x,\n", "'nan'"),
        ("old,copy,time_us,-1,,x,\n", "'-1'"),
        ("old,copy,time_us,1,,x,\n" * 2, "line 3: two values of time_us"),
        ("old,a,time_us,1,,x,\nold,b,bytes_per_second,1,,x,\n", "where others have time_us"),
    ],
)
def test_damaged_tables_are_refused(tree: Tree, rows: str, complaint: str) -> None:
    take_refused()
    assert printed(tree, rows) == []
    (message,) = take_refused()
    assert complaint in message


def tracked() -> Iterator[tuple[Path, dict[str, str]]]:
    for chapter in CHAPTERS:
        path = REAL.data / "published" / f"{chapter.name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            yield from ((path, row) for row in csv.DictReader(file))


def test_every_tracked_number_is_sound_and_has_a_source() -> None:
    loaded = [result for chapter in CHAPTERS for result in published.load_chapter(REAL, chapter)]
    assert len({result.device for result in loaded}) >= 12
    assert all(row["source"].strip() for _, row in tracked())


def test_invalid_results_are_kept_out() -> None:
    for path, row in tracked():
        described = f"{path.name}: {row}"
        keys = parameters(row["name"])
        if row["device"] in ("fermi-book", "tesla-m2090"):
            # Cheng et al. print 0.599 ms unrolled by 4 for 2^24 elements: 12 x 2^24 / 0.599 ms are
            # 336 GB/s, above the 177.6 GB/s that the GPU can do.
            assert "unroll" not in row["name"], described
        if "diagonal" in row["name"]:
            # Diagonal block order as they write it covers the matrix only in a square grid.
            width, height = map(int, keys["block"].split("x"))
            assert width == height and keys.get("rows") == keys.get("columns"), described
        if "uint32" in row["caveat"]:
            assert row["metric"] == "time_us", described  # no claim to floating-point rates
        if row["device"] == "nvidia-h800":
            assert "launch included" in row["caveat"], described


def test_no_printed_rate_from_dram_is_above_the_peak() -> None:
    rows = [
        row
        for chapter in CHAPTERS
        for result in published.load_chapter(REAL, chapter)
        for row in synthetic.rows_in(result)
        if row.level == "dram" and "peak_percent" in row.values
    ]
    assert rows and max(row.values["peak_percent"] for row in rows) < 100


def test_names_are_those_of_the_chapters() -> None:
    for chapter in all_chapters(REAL):
        decided = tables.decide_chapter(REAL, chapter)
        printed_ones = {entry.device for entry in decided.results if entry.is_published}
        can_say = {
            verdict.device
            for verdict in decided.verdicts
            if verdict.kind == "published"
            and verdict.finding.verdict not in judging.WITHOUT_EVIDENCE
        }
        if printed_ones and decided.verdicts:
            assert can_say, f"no claim of {chapter.name} is decided by data/published"
