"""Limits that data/README.md, scripts/README.md and common/lab/README.md name are those of the code."""

import re
from pathlib import Path

import pytest

import timing_unseen
import timing_validation
from notebook.base.project import Project
from notebook.charts import device_selection
from notebook.data import fields
from notebook.data.chapters import all_chapters
from notebook.decide import judging, verdicts
from notebook.pages.queries import Data
from notebook.timing import parameters, sets

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


def test_the_pages_of_the_time_model_have_the_errors_of_the_data() -> None:
    project = Project.here()
    first = (ROOT / timing_validation.PAGE).read_text(encoding="utf-8")
    assert "\n".join(sets.lines(sets.all_sets(project))) in first
    assert "\n".join(parameters.lines(project)) in first
    assert len(first.splitlines()) <= 150
    page = (ROOT / timing_validation.VALIDATION_PAGE).read_text(encoding="utf-8")
    for path in (sets.CHAPTERS, timing_unseen.TABLE):
        by_chapter = timing_unseen.written(ROOT / path)
        assert "\n".join(timing_validation.table(by_chapter)) in page
    assert (
        "\n".join(timing_validation.failures(timing_unseen.written(ROOT / sets.CHAPTERS))) in page
    )


def test_what_chapters_read_beyond_the_emulated_gpu_is_stated() -> None:
    """L2 and DRAM, in common/emulator/README.md; chapter 00 repeats some kernels more often on a GPU."""
    page = " ".join((ROOT / "common/emulator/README.md").read_text(encoding="utf-8").split())
    chapters = [f"{number:02}" for number in range(20)]
    if not set(chapters) <= {chapter.number for chapter in all_chapters(Project.here())}:
        pytest.skip("a chapter was removed: the page counts the launches of all")
    above, from_dram = [], []
    for chapter in chapters:
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
    assert (len(above), len(hinted), len(few), max(few)) == (14, 6, 7, 35)
    assert "launches 14 read more from the L2 than its upper bound: 6 fetch more by a hint" in page
    assert "7 read up to 35 sectors more, and chapter 18's tiles of 4 13 % more" in page
    small = [more for more in from_dram if more <= 8.2]
    assert (
        f"From DRAM {len(small)} of {len(from_dram)} read 2.6 to 8.2 KB more than counted" in page
    )
    assert (round(min(small), 1), round(max(from_dram) / 1e3)) == (2.6, 11)


@pytest.mark.parametrize(("page", "words"), NUMBERS)
def test_a_limit_is_that_of_the_code(page: str, words: str) -> None:
    assert words in " ".join((ROOT / page).read_text(encoding="utf-8").split())
