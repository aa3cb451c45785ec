import dataclasses
import math
from pathlib import Path

import pytest
from conftest import CLAIMS

from notebook.base.errors import Problem
from notebook.data.chapters import Chapter
from notebook.decide import claims, tables


def load(folder: Path, text: str) -> list[claims.Claim]:
    (folder / "claims.toml").write_text(text)
    return claims.load(Chapter(folder))


def test_a_sound_file(tmp_path: Path) -> None:
    slower, efficiency = load(tmp_path, CLAIMS)
    assert slower.sign == 1 and not slower.is_counted
    # Slower is a longer time and a lower rate.
    rate = dataclasses.replace(slower, metric="bytes_per_second")
    assert rate.sign == -1 and dataclasses.replace(rate, direction="faster").sign == 1
    assert dataclasses.replace(slower, direction="faster").sign == -1
    assert [
        dataclasses.replace(rate, direction=name).sign for name in ("higher", "equal", "lower")
    ] == [1, 0, -1]
    # Keys in any order name the same variant.
    assert slower.variant == "read_offset/block:512/offset:11"
    assert efficiency.expected == (79.9, 80.1) and efficiency.is_counted


def test_a_range_may_be_open(tmp_path: Path) -> None:
    _, efficiency = load(tmp_path, CLAIMS.replace("[79.9, 80.1]", "[79.9, inf]"))
    assert efficiency.expected == (79.9, math.inf)


def test_regimes_may_be_named(tmp_path: Path) -> None:
    _, efficiency = load(tmp_path, CLAIMS.replace("= 32", '= 32\nregimes = ["cache:cold/n:1024"]'))
    assert efficiency.regimes == ("n:1024/cache:cold",)  # in the order of every regime


def test_what_a_claim_is_not_about_may_be_named(tmp_path: Path) -> None:
    keys = 'compute_capability = "10.0"\nunmodelled = "the banks of registers"'
    slower, efficiency = load(tmp_path, CLAIMS.replace("fetch_unit_bytes = 32", keys))
    assert (efficiency.compute_capability, efficiency.unmodelled) == (
        "10.0",
        "the banks of registers",
    )
    assert (slower.compute_capability, slower.unmodelled) == ("", "")


def test_no_file_is_no_claim(tmp_path: Path) -> None:
    assert claims.load(Chapter(tmp_path)) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("claimed =", "claimd =", "unknown key claimd; did you mean claimed?"),
        ('why = "They straddle a sector."', "", "why is missing"),
        ('source = "A source, section 2"', "", "source is missing or empty"),
        ('"A source, section 2"', "[]", "source is missing or empty"),
        ('"A source, section 2"', '["A source", " "]', "source is missing or empty"),
        ('"A source, section 2"', '["A source", "ours"]\nderived = true', "needs the source"),
        ('metric = "time"', 'metric = "tiem"', "did you mean time?"),
        (
            'metric = "time"',
            'metric = "load_pages"',
            "a new metric is a line in scripts/notebook/data/metrics.csv",
        ),
        ('direction = "slower"', 'direction = "slow"', "did you mean slower?"),
        ('direction = "slower"', 'direction = "faster"', "does not agree"),
        ('direction = "slower"', "", "direction is missing"),
        ("claimed = 1.1", 'claimed = "a lot"', "claimed is a number"),
        ('id = "efficiency_32"', 'id = "offset_11_slower"', "two of this id"),
        ('id = "efficiency_32"', 'id = "a`b"', "id 'a`b'"),
        ("expected = [79.9, 80.1]", "expected = [80.1, 79.9]", "above"),
        ("expected = [79.9, 80.1]", "expected = [nan, 80.1]", "above"),
        ("expected = [79.9, 80.1]", "", "give a baseline, an expected range, or both"),
        ("fetch_unit_bytes = 32", "fetch_unit_bytes = 64", "32 or 128"),
        ("fetch_unit_bytes = 32", "compute_capability = 9.0", 'is the least one, as in "9.0"'),
        ("fetch_unit_bytes = 32", 'compute_capability = "9"', 'is the least one, as in "9.0"'),
        ("fetch_unit_bytes = 32", 'compute_capability = "sm_90"', 'is the least one, as in "9.0"'),
        ("fetch_unit_bytes = 32", 'compute_capability = ""', 'is the least one, as in "9.0"'),
        ("fetch_unit_bytes = 32", 'unmodelled = " "', "unmodelled says what the time model lacks"),
        ("fetch_unit_bytes = 32", "unmodelled = true", "unmodelled says what the time model lacks"),
        ("fetch_unit_bytes = 32", "regimes = []", "not an empty one"),
        ("fetch_unit_bytes = 32", 'regimes = ["block:512"]', "'block:512' is no regime"),
        ("offset:11/block:512", "offset:11/n:1024", "names a regime"),
        ("read_offset/offset:11", "read offset", "not a benchmark name"),
        ("fetch_unit_bytes = 32", 'derived = "yes"', "derived is true or false"),
        ('"A source, section 2"', '"ours"\nderived = true', "needs the source"),
        ("[[claim]]", "[claim]", "claims.toml"),
        ("[[claim]]", "[[claims]]", "unknown key claims"),
        ('why = "They', "why = They", "claims.toml"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in CLAIMS
    with pytest.raises(Problem) as caught:
        load(tmp_path, CLAIMS.replace(old, new))
    assert complaint in str(caught.value)
    assert "claims.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_chapter_of_the_notebook_has_sound_claims() -> None:
    for path in (Path(__file__).parents[3] / "chapters").glob("*/claims.toml"):
        assert claims.load(Chapter(path.parent))


def test_a_reason_may_be_about_what_others_printed(tmp_path: Path) -> None:
    text = CLAIMS + '[claim.because]\n"published:tesla-m2090" = "It has lines."\n'
    assert load(tmp_path, text)[1].because == {"published:tesla-m2090": "It has lines."}
    with pytest.raises(Problem, match="because"):
        load(tmp_path, text.replace("published:", "printed:"))


def test_a_reason_may_be_about_many_devices(tmp_path: Path) -> None:
    text = CLAIMS + (
        "[claim.because]\n"
        '"emulated-*" = "It has sectors."\n'
        '"emulated-kepler" = "Its banks are wide."\n'
    )
    claim = load(tmp_path, text)[1]
    assert claim.because_of("emulated-hopper") == "It has sectors."
    assert claim.because_of("emulated-kepler") == "Its banks are wide."
    assert claim.because_of("nvidia-h200") == ""


def test_who_says_it_stands_with_the_number_that_is_printed(tmp_path: Path) -> None:
    work = "Kirk, Hwu: Programming Massively Parallel Processors, 3rd ed., section 4.5"
    slower, efficiency = load(tmp_path, CLAIMS)
    assert tables.said_by(slower) == "A source: 1.1"
    printed = dataclasses.replace(efficiency, sources=(f"{work}: strip-mining",), claimed=80.0)
    assert tables.said_by(printed) == "Kirk & Hwu, 4.5: 80 %"
    assert tables.said_by(dataclasses.replace(printed, derived=True, claimed=None)) == (
        "from Kirk & Hwu, 4.5"
    )
    assert tables.said_by(dataclasses.replace(slower, sources=("ours",), claimed=None)) == "ours"


def test_several_works_may_say_it(tmp_path: Path) -> None:
    both = '["A source, section 2", "Another (2025), part 3", "Another (2025), part 4"]'
    _, efficiency = load(tmp_path, CLAIMS.replace('"A source, section 2"', both))
    assert efficiency.sources[1:] == ("Another (2025), part 3", "Another (2025), part 4")
    assert (
        tables.said_by(dataclasses.replace(efficiency, claimed=None)) == "A source, Another (2025)"
    )
