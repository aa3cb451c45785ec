"""Limits that data/README.md, scripts/README.md and common/lab/README.md name are those of the code."""

import csv
import json
import re
from pathlib import Path
from statistics import mean, median

import pytest

import timing_unseen
import timing_validation
from notebook.charts import device_selection
from notebook.data import fields
from notebook.decide import judging, verdicts
from notebook.pages.queries import Data

ROOT = Path(__file__).parents[3]
LAB = "common/lab"
_WORDS = ("zero", "one", "two", "three", "four", "five", "six")


def constant(file: str, name: str) -> float:
    """`constexpr … name = 2'000;` of a C++ file."""
    match = re.search(rf"\b{name} = ([\d'.]+);", (ROOT / LAB / file).read_text(encoding="utf-8"))
    assert match, name
    return float(match[1].replace("'", ""))


NUMBERS = [
    ("data/README.md", f"{fields.LONGEST_FILE // 2**20} MiB, {fields.MAX_ROWS:,} rows"),
    ("data/README.md", f"{fields.MAX_PROCESSES} processes, {fields.MAX_REPETITIONS} repetitions in each"),
    ("data/README.md", f"{fields.MAX_REPETITIONS_OF_FILE:,} in all"),
    ("scripts/README.md", f"The smallest effect of interest is {judging.SMALLEST_EFFECT:.0%}".replace("%", " %")),
    ("scripts/README.md", f"range above {verdicts.LARGEST_SPREAD:.0%} of the median".replace("%", " %")),
    ("scripts/README.md", f"where that makes more than {_WORDS[device_selection._MOST]}"),
    (f"{LAB}/README.md", f"at most {constant('measure/measurement.hpp', 'max_launches'):.0f} launches"),
    (f"{LAB}/README.md", f"after {constant('measure/batch_timer.cu', 'max_hold_ns') / 1e9:.0f} s the kernel gives up"),
    (f"{LAB}/README.md", f"is more than {constant('measure/steady_batches.hpp', 'max_drift') * 100:.0f} % from"),
    (f"{LAB}/README.md", f"at most {_WORDS[int(constant('measure/steady_batches.hpp', 'max_discarded'))]} times"),
    (f"{LAB}/README.md",
     f"{_WORDS[int(constant('experiment/experiment.cpp', 'repetitions'))].title()} repetitions in random"),
]  # fmt: skip


# Where the model fails, as common/timing/README.md says: the chapters' kernels, and the errors in percent.
FAILURES = [
    ("are 10 % too slow where the L2 has the data (chapters 09 and 10)",
     "(09|10)_", "copy_columns/block:16x16.*warm", 10, 10),
    ("are 9 % too slow from the L2 (chapter 10)", "10_", "transpose_read_rows/.*rows:2048.*warm", 9, 9),
    ("unrolled reads of rows by 7 to 15 %", "(11|12)_", "transpose_read_rows_unroll4.*rows:16", -15, -7),
    ("in diagonal order by 9 to 21 %", "12_", "transpose_read_rows_diagonal.*rows:16", -21, -9),
    ("plain reads of columns by 13 to 17 %", "(10|11|12)_", "transpose_read_columns/.*rows:16", -17, -13),
    ("unrolled ones by 9 to 21 %", "(11|12)_", "transpose_read_columns_unroll4/.*rows:16", -21, -9),
    ("by columns past the L1 were 24 % too fast (now 13 %)",
     "10_", "transpose_read_columns/.*l1:off/rows:16384", -13, -13),
    ("of 2048 x 2048 are 13 to 14 % too slow", "14_", "transpose_sectors.*rows:2048", 13, 14),
    ("The unrolled tile of 9999 x 10007 is 28 % too fast", "14_", "transpose_tile_unrolled.*rows:9999", -28, -28),
    ("predicted to take 18 to 26 % less than they do; now -6 to 8 %", "14_", "transpose_tensor", -6, 8),
    ("1 to 7 % too fast at 2^20", "07_", "read_offset_loads_first/unroll:[48].*n:1048576", -7, -1),
    ("up to 7 % too slow beyond", "07_", "read_offset_loads_first/unroll:[48].*n:(16777216|67108864)", 4, 7),
    ("(chapter 01) are 15 to 29 % too fast", "01_", "copy_strided/l1:o.*stride:(56|64)/", -29, -15),
    ("rows read by blocks of 16 x 8 (chapter 13) at 16384 x 16384 25 % too fast",
     "13_", "transpose_read_rows/block:16x8/rows:16384", -25, -25),
    ("Tiles 8 deep are 1 to 13 % too fast", "18_", "matmul_rectangular_tiles/tile:(16x16|32x32)x8/", -13, -1),
    ("those with 4 or 8 in place of one 16 or 32 5 to 16 % too slow",
     "18_", r"matmul_rectangular_tiles/tile:([48]x\d+|\d+x[48])x32/", 5, 16),
    ("naive products by 8 x 8 threads (chapter 16) 20 % too slow", "16_", "matmul_naive/block:8x8/m:1024", 20, 20),
    ("few on an SM (chapter 08) 11 to 17 % too slow", "08_", "read_offset.*block:64/shared_kb:48", 11, 17),
    ("by 32 x 8 threads (chapter 14) at 16384 x 16384 12 to 14 % too fast",
     "14_", "transpose_tile_(padded|swizzled)/block:32x8/rows:16384/columns:16384", -14, -12),
    ("(chapter 06) at 2^24 13 to 14 % too slow", "06_", "aos_one_field/record:(8|12|16)/block:128/n:16777216", 13, 14),
    ("scattered copies of 7 lines 19 % too fast", "01_", "copy_scattered/l1:on/lines:7/n:1048576/.*warm", -19, -19),
    ("strides of 11 words 17 % too slow", "01_", "copy_strided/l1:on/stride:11/n:1048576/cache:warm", 17, 17),
    ("`sum_constant_by_lane` 2 to 4 %", "04_", "sum_constant_by_lane", -4, -2),
    ("`sum_constant_uniform` is 7 to 10 % too fast", "04_", "sum_constant_uniform", -10, -7),
    ("chapter 04) are 10 % too fast", "04_", "gather.*scatter:array.*n:16777216", -10, -10),
    ("at 2048 cubed is 26 % too fast by tiles of 128 x 64",
     "19_", "matmul_double_buffered/tile:128x64/m:2048", -26, -26),
    ("of longer records, they err by -26 to 20 %",
     "(16|17|18|19)_", r".*/m:(1024|2048|4096)/", -26, 20),
    ("`matmul_thread_tiles` at +84% (now -10 to -14%)", "19_", "matmul_thread_tiles", -14, -10),
]  # fmt: skip


@pytest.mark.parametrize(("words", "chapter", "kernel", "least", "most"), FAILURES)
def test_where_the_time_model_fails_is_as_validated(
    words: str, chapter: str, kernel: str, least: int, most: int
) -> None:
    pages = (ROOT / "common/timing" / name for name in ("README.md", "decisions.md"))
    assert words in " ".join(" ".join(page.read_text(encoding="utf-8").split()) for page in pages)
    with (ROOT / "data/timing/validation.csv").open(encoding="utf-8", newline="") as file:
        errors = [
            100 * (float(row["predicted_seconds"]) / float(row["measured_seconds"]) - 1)
            for row in csv.DictReader(file)
            if re.match(chapter, row["chapter"]) and re.match(kernel, row["name"])
        ]
    assert (round(min(errors)), round(max(errors))) == (least, most)


def test_the_whole_model_stands_beside_the_mechanisms_as_validated() -> None:
    """The row `nothing` of common/timing/README.md, and what chapters have `instead of`: of rows executed whole."""
    sampled = {
        (path.stem, row["name"])
        for path in (ROOT / "data/emulated-hopper").glob("*.json")
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]
        if row["evidence"] == "predicted"
    }
    errors: dict[str, list[float]] = {}
    with (ROOT / "data/timing/validation.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if (row["chapter"], row["name"]) in sampled:
                continue
            ratio = float(row["predicted_seconds"]) / float(row["measured_seconds"])
            errors.setdefault(row["chapter"][:2], []).append(100 * abs(ratio - 1))
    medians = {chapter: median(values) for chapter, values in errors.items()}
    early = mean(value for chapter, value in medians.items() if chapter <= "08")
    late = mean(value for chapter, value in medians.items() if chapter > "08")
    page = (ROOT / "common/timing/README.md").read_text(encoding="utf-8")
    assert f"| nothing | {early:.1f}% | {late:.1f}% | |" in page
    assert f"the {sum(map(len, errors.values()))} rows that are executed whole" in page
    stated = re.findall(r"chapter (\d\d): [\d.]+% instead of ([\d.]+)%", page)
    assert len(stated) >= 5
    # Times of this table have four digits.
    assert all(abs(medians[chapter] - float(error)) < 0.15 for chapter, error in stated)


def test_the_page_has_the_times_of_the_gpu_that_nothing_was_fitted_to() -> None:
    by_chapter = timing_unseen.written(ROOT / timing_unseen.TABLE)
    page = (ROOT / "common/timing/README.md").read_text(encoding="utf-8")
    assert "\n".join(timing_validation.table(by_chapter)) in page


def test_what_the_l2_counts_of_stores_by_columns_is_stated() -> None:
    """Of the sectors that transposes which read rows store, by the width of their blocks."""
    shares: dict[str, list[float]] = {}
    for chapter in ("10_transpose_naive", "12_transpose_diagonal", "13_transpose_thin_blocks"):
        path = ROOT / f"data/nvidia-h200/counters/{chapter}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                width = re.match(r"transpose_read_rows\w*/block:(\d+)x", row["name"])
                if width:
                    share = float(row["l2_write_sectors"]) / float(row["store_sectors"])
                    shares.setdefault(width[1], []).append(share)
    narrow = shares["8"] + shares["16"]
    page = (ROOT / "common/timing/README.md").read_text(encoding="utf-8")
    assert (
        f"8 or 16 wide the L2 counts {min(narrow):.2f} to {max(narrow):.2f} of the sectors" in page
    )
    assert {round(share, 3) for share in shares["4"] + shares["32"]} == {1}


def test_what_chapters_read_beyond_the_emulated_gpu_is_stated() -> None:
    """L2 and DRAM, in common/emulator/README.md; chapter 00 repeats some kernels more often on a GPU."""
    page = " ".join((ROOT / "common/emulator/README.md").read_text(encoding="utf-8").split())
    above, from_dram = [], []
    for chapter in (f"{number:02}" for number in range(20)):
        counted = Data(chapter).on("emulated-hopper").result.counts
        for name, (gpu, *_) in Data(chapter).result.counts.items():
            emulated = counted.get(name, [{}])[0]
            if "dram_read_bytes" in gpu and "dram_read_bytes" in emulated:
                from_dram.append((gpu["dram_read_bytes"] - emulated["dram_read_bytes"]) / 1e3)
            most = emulated.get("l2_read_sectors_most")
            if most and chapter != "00" and gpu.get("l2_read_sectors", 0) > most:
                above.append((chapter, gpu["l2_read_sectors"] - most))
    few = [more for _, more in above if more <= 35]
    hinted = [chapter for chapter, more in above if chapter == "14" and more > 35]
    assert (len(above), len(hinted), len(few), max(few)) == (13, 6, 6, 35)
    assert "launches 13 read more from the L2 than its upper bound: 6 fetch more by a hint" in page
    assert "6 read up to 35 sectors more, and chapter 18's tiles of 4 13 % more" in page
    small = [more for more in from_dram if more <= 8.2]
    assert (
        f"From DRAM {len(small)} of {len(from_dram)} read 2.6 to 8.2 KB more than counted" in page
    )
    assert (round(min(small), 1), round(max(from_dram) / 1e3)) == (2.6, 11)


@pytest.mark.parametrize(("page", "words"), NUMBERS)
def test_a_limit_is_that_of_the_code(page: str, words: str) -> None:
    assert words in " ".join((ROOT / page).read_text(encoding="utf-8").split())
