"""Every decimal and every large number of the pages' prose follows from the chapter's data.

A number follows if it is, as rounded there, a median, a counter or a parameter of the chapter's data, a
published value, or the ratio of two of the same kind in one regime; a percentage also as how far such
a ratio is from 1. Short numbers may agree by chance: test_prose.py says for the important ones which.
"""

import bisect
import csv
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from notebook import names, results
from notebook.chapters import Chapter
from notebook.project import Project

ROOT = Path(__file__).parents[2]
PROJECT = Project(ROOT, ROOT / "data")
_GENERATED = re.compile(r"<!-- lab:(?!end).*?<!-- lab:end -->", re.DOTALL)
_CODE = re.compile(r"`[^`]*`")
_DECIMAL = re.compile(r"(?<![\w.,/:^-])(\d+\.\d+)( ?%)?(?![\d.]*\d)")
_LARGE = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
# Units in which prose gives a median: as it is, and thousands of it; a share in percent.
_SCALES = (1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e2)

# What no data hold, and why it is right.
NOT_MEASURED = {
    "00": {"13.0": "a version", "1.5": "sizes between powers of two", "4,096": "steps of a chase"},
    "03": {
        "49.8": "printed by the book",
        "3.5": "DRAM reads beside the matrices: test_prose.py has them",
    },
    "04": {"1,152": "36 sectors of 32 bytes"},
    "07": {
        "0.599": "printed by the book",
        "177.6": "the M2090's peak, data/published/devices.csv",
        "1,056": "33 lines of 32 bytes",
    },
    "08": {"260,000": "rounded"},
    "09": {
        "125.67": "printed by the book",
        "70.76": "printed by the book",
        "58.76": "printed by the book",
        "33.09": "printed by the book",
        "117.6": "a slip of the source",
        "177.6": "the M2090's peak, data/published/devices.csv",
        "1.16": "TB/s read: half of the bytes that the copy moves",
    },
    "13": {"1,000": "rounded"},
    "14": {
        "5,000,000": "rounded",
        "630.44": "junstar92/nvidia-libraries-study, of a kernel that has no counterpart here",
    },
    "16": {"65,535": "a limit of CUDA", "1,048,561": "16 x 65,535 + 1"},
    "17": {"4.5": "a section", "37.5": "150 / 4"},
    "19": {
        "1.3": "clocks, register_reads.csv",
        "2.3": "clocks, register_reads.csv: its own and 1.3",
        "2.8": "clocks, register_reads.csv",
        "0.13": "clocks, product_variants.csv",
        "0.02": "clocks, product_variants.csv",
        "0.21": "clocks, product_variants.csv",
        "0.05": "clocks, product_variants.csv",
        "3.88": "1024 tiles in 264 blocks at a time",
    },
}


def chapters() -> list[Path]:
    return sorted((ROOT / "chapters").glob("[0-9][0-9]_*"))


def prose(directory: Path) -> str:
    text = (directory / "README.md").read_text(encoding="utf-8")
    return _CODE.sub("", _GENERATED.sub("", text))


def published(directory: Path) -> Iterator[float]:
    path = ROOT / "data" / "published" / f"{directory.name}.csv"
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as file:
        values = [float(row["value"]) for row in csv.DictReader(file)]
    yield from (scale * value for scale in _SCALES for value in (*values, *(1 / v for v in values)))
    yield from (a / b for a, b in itertools.permutations(values, 2) if b)


def known(directory: Path) -> list[float]:
    found = set(published(directory))
    for result in results.load_chapter(PROJECT, Chapter(directory)):
        by_name: dict[str, dict[str, float]] = {}
        for name, rows in result.by_name.items():
            metrics = ["time", *rows[0].values]
            rows_with = {
                key: [row for row in rows if key in (*row.values, "time")] for key in metrics
            }
            by_name[name] = {
                key: median(row.metric(key) for row in having) for key, having in rows_with.items()
            }
            found |= {scale * value for value in by_name[name].values() for scale in _SCALES}
        for name, counts in result.counts.items():
            by_name.setdefault(name, {}).update(counts[0])
            found |= set(counts[0].values())
        for name in by_name:
            found |= {float(number) for number in re.findall(r"\d+", name)}
        found |= set(ratios(by_name))
    return sorted(found)


def ratios(by_name: dict[str, dict[str, float]]) -> Iterator[float]:
    for (first, values), (second, others) in itertools.permutations(by_name.items(), 2):
        if names.regime(first) == names.regime(second):
            yield from (values[key] / others[key] for key in values.keys() & others if others[key])


def has(pool: list[float], value: float, digits: int) -> bool:
    half = 0.5000001 * 10**-digits
    at = bisect.bisect_left(pool, value - half)
    return at < len(pool) and pool[at] <= value + half


def unknown(directory: Path, text: str) -> list[str]:
    pool = known(directory)
    allowed = NOT_MEASURED.get(directory.name[:2], {})
    wrong = []
    for found in _DECIMAL.finditer(text):
        value, digits = float(found[1]), len(found[1].split(".")[1])
        share = value / 100
        as_share = found[2] and any(
            has(pool, each, digits + 2) for each in (share, 1 + share, 1 - share)
        )
        if not (has(pool, value, digits) or as_share or found[1] in allowed):
            wrong.append(found[1])
    for found in _LARGE.finditer(text):
        if not (has(pool, float(found[0].replace(",", "")), 0) or found[0] in allowed):
            wrong.append(found[0])
    return wrong


@pytest.mark.parametrize("directory", chapters(), ids=lambda path: path.name)
def test_every_number_of_the_prose_follows_from_the_data(directory: Path) -> None:
    assert unknown(directory, prose(directory)) == []


def test_a_number_without_data_is_found() -> None:
    directory = next(path for path in chapters() if path.name.startswith("19_"))
    assert unknown(directory, "1.23456 times, 98,765,431 sectors") == ["1.23456", "98,765,431"]


@pytest.mark.parametrize(("chapter", "allowed"), NOT_MEASURED.items())
def test_nothing_is_allowed_that_no_page_says(chapter: str, allowed: dict[str, str]) -> None:
    (directory,) = (path for path in chapters() if path.name.startswith(chapter))
    for number in allowed:
        assert number in prose(directory), number
