"""Limits that data/README.md, scripts/README.md and common/lab/README.md name are those of the code."""

import re
from pathlib import Path

import pytest

from notebook import fields, judging, verdicts
from notebook.charts import crowd

ROOT = Path(__file__).parents[2]
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
    ("scripts/README.md", f"where that makes more than {_WORDS[crowd._MOST]}"),
    (f"{LAB}/README.md", f"at most {constant('measurement.hpp', 'max_launches'):.0f} launches"),
    (f"{LAB}/README.md", f"after {constant('batch_timer.cu', 'max_hold_ns') / 1e9:.0f} s the kernel gives up"),
    (f"{LAB}/README.md", f"is more than {constant('steady_batches.hpp', 'max_drift') * 100:.0f} % from"),
    (f"{LAB}/README.md", f"at most {_WORDS[int(constant('steady_batches.hpp', 'max_discarded'))]} times"),
    (f"{LAB}/README.md", f"{_WORDS[int(constant('experiment.cpp', 'repetitions'))].title()} repetitions in random"),
]  # fmt: skip


@pytest.mark.parametrize(("page", "words"), NUMBERS)
def test_a_limit_is_that_of_the_code(page: str, words: str) -> None:
    assert words in " ".join((ROOT / page).read_text(encoding="utf-8").split())
