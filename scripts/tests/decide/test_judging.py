"""The words of verdicts: the page's worked examples, every boundary, and laws for any number."""

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_verdicts import claim

from notebook.decide import judging
from notebook.decide.judging import judge

PAGE = Path(__file__).parents[2] / "README.md"
# Numbers that a GPU may give: from a billionth to a billion.
RATIOS = st.floats(1e-9, 1e9)
EFFECTS = st.one_of(st.none(), st.floats(1.0001, 1e6))


def word(point: float, low: float | None = None, high: float | None = None, **settings: Any) -> str:
    ends = (point if low is None else low, point if high is None else high)
    return judge(claim(**settings), point, ends)[0]


def worked_examples() -> list[tuple[str, list[float], str]]:
    _, _, table = PAGE.read_text(encoding="utf-8").partition("### Worked examples")
    rows = re.findall(r"^\| (.+) \| (.+) \| (.+) \|$", table.split("\n#")[0], re.M)[2:]
    number = r"[0-9.]+"
    return [
        (what, [float(text) for text in re.findall(number, numbers)], verdict)
        for what, numbers, verdict in rows
    ]


@pytest.mark.parametrize(("what", "numbers", "verdict"), worked_examples())
def test_the_worked_examples_of_the_page(what: str, numbers: list[float], verdict: str) -> None:
    kind, *given_numbers = re.findall(r"[a-z]+|[0-9.]+", what)
    claimed = [float(number) for number in given_numbers if number[0].isdigit()]
    if kind == "from":
        settings: dict[str, Any] = {
            "expected": tuple(claimed),
            "baseline": None,
            "direction": "equal",
        }
    else:
        settings = {"direction": kind, "claimed": claimed[0] if claimed else None}
    assert word(*numbers, **settings) == verdict


def test_the_page_has_an_example_of_every_word() -> None:
    shown = {verdict for _, _, verdict in worked_examples()}
    assert shown == {*judging.ALL} - {*judging.WITHOUT_EVIDENCE}


@pytest.mark.parametrize(
    ("claimed", "counted", "expected"),
    [
        (32.0, 32.0, judging.REPRODUCED),
        (32.0, 29.0, judging.REPRODUCED),
        (32.0, 16.0, judging.WEAKER),
        (2.0, 3.9, judging.STRONGER),
        (2.0, 2.0, judging.REPRODUCED),
        (0.5, 0.66, judging.WEAKER),
        # Half of an effect of x1.25 is nearer to it than a quarter is.
        (1.25, 1.05, judging.WEAKER),
        (1.25, 1.0, judging.NO_EFFECT),
    ],
)
def test_a_claimed_count_is_reproduced_within_a_quarter(
    claimed: float, counted: float, expected: str
) -> None:
    direction = "higher" if claimed > 1 else "lower"
    settings = {"metric": "load_sectors", "direction": direction, "claimed": claimed}
    assert word(counted, **settings) == expected


# An ulp beside the boundaries is the same; a millionth is not.
JUST = 1e-6


@pytest.mark.parametrize(
    ("claimed", "boundary", "below", "at", "above"),
    [
        # The smallest effect: exactly 3 % is none.
        (None, 1.03, judging.NO_EFFECT, judging.NO_EFFECT, judging.REPRODUCED),
        (None, 1 / 1.03, judging.OPPOSITE, judging.NO_EFFECT, judging.NO_EFFECT),
        (None, 100 / 103, judging.OPPOSITE, judging.NO_EFFECT, judging.NO_EFFECT),
        # Half of x4 is x2, and twice is x16.
        (4.0, 1.03, judging.NO_EFFECT, judging.NO_EFFECT, judging.WEAKER),
        (4.0, 2.0, judging.WEAKER, judging.REPRODUCED, judging.REPRODUCED),
        (4.0, 16.0, judging.REPRODUCED, judging.REPRODUCED, judging.STRONGER),
        # Half of x1.0404 is x1.02, which is no effect: from 3 % on it is reproduced.
        (1.0404, 1.03, judging.NO_EFFECT, judging.NO_EFFECT, judging.REPRODUCED),
        (1.0404, 1.0404**2, judging.REPRODUCED, judging.REPRODUCED, judging.STRONGER),
        # Twice x1.01 is still no effect: beyond 3 % everything is stronger.
        (1.01, 1.03, judging.NO_EFFECT, judging.NO_EFFECT, judging.STRONGER),
    ],
)
def test_boundaries_of_effects(
    claimed: float | None, boundary: float, below: str, at: str, above: str
) -> None:
    for number, expected in (
        (boundary * (1 - JUST), below),
        (boundary, at),
        (boundary * (1 + JUST), above),
    ):
        assert word(number, direction="slower", claimed=claimed) == expected
        # The mirror image of a slower variant is a faster one.
        mirrored = None if claimed is None else 1 / claimed
        assert word(1 / number, direction="faster", claimed=mirrored) == expected


@pytest.mark.parametrize("boundary", [1.03, 1 / 1.03])
def test_boundaries_of_equality(boundary: float) -> None:
    outside = boundary ** (1 + JUST)
    assert word(boundary, direction="equal") == judging.HOLDS
    assert word(outside, direction="equal") == judging.DOES_NOT_HOLD
    assert word(boundary, min(boundary, outside), max(boundary, outside), direction="equal") == (
        judging.INCONCLUSIVE
    )


@pytest.mark.parametrize(
    ("settings", "numbers", "reason"),
    [
        ({}, (1.04, 1.02, 1.06), "the interval includes 3 %"),
        ({}, (0.96, 0.90, 0.98), "the interval includes 3 %"),
        ({"claimed": 4.0}, (2.1, 1.9, 2.3), "the interval includes half the claimed effect (2)"),
        ({"claimed": 4.0}, (1.9, 1.8, 2.1), "the interval includes half the claimed effect (2)"),
        ({"claimed": 4.0}, (15, 14, 17), "the interval includes twice the claimed effect (16)"),
        ({"claimed": 4.0}, (17, 15, 18), "the interval includes twice the claimed effect (16)"),
        ({"claimed": 4.0}, (1.5, 1.0, 1.8), "the interval includes 3 %"),
        (
            {"claimed": 0.25, "direction": "faster"},
            (0.5, 0.4, 0.6),
            "the interval includes half the claimed effect (0.5)",
        ),
        ({"direction": "equal"}, (1.0, 0.9, 1.0), "the interval includes 3 %"),
        ({"expected": (2, 4)}, (3.0, 3.0, 5.0), "the interval includes an end of the range"),
    ],
)
def test_the_reason_names_the_boundary(
    settings: dict[str, Any], numbers: tuple[float, float, float], reason: str
) -> None:
    point, *ends = numbers
    assert judge(claim(**settings), point, (ends[0], ends[1])) == (judging.INCONCLUSIVE, reason)


def test_half_of_the_effect_by_no_end_of_the_interval_alone() -> None:
    """Half of x1.44 is x1.2. An interval with one end beyond decides nothing, whichever end."""
    assert word(1.19, 1.18, 1.21, claimed=1.44) == judging.INCONCLUSIVE
    assert word(1.21, 1.19, 1.22, claimed=1.44) == judging.INCONCLUSIVE
    assert word(1.19, 1.18, 1.199, claimed=1.44) == judging.WEAKER
    assert word(1.21, 1.201, 1.22, claimed=1.44) == judging.REPRODUCED


def test_nothing_and_infinity() -> None:
    """A counter may go from or to zero."""
    assert word(math.inf, metric="load_sectors", direction="higher") == judging.REPRODUCED
    assert (
        word(math.inf, metric="load_sectors", direction="higher", claimed=2.0) == judging.STRONGER
    )
    assert word(0.0, metric="load_sectors", direction="lower", claimed=0.5) == judging.STRONGER
    assert word(0.0, metric="load_sectors", direction="lower", claimed=0.0) == judging.REPRODUCED
    assert word(0.0, metric="load_sectors", direction="higher") == judging.OPPOSITE


@given(RATIOS, EFFECTS)
def test_a_number_alone_always_gets_a_word_of_its_kind(point: float, claimed: float | None) -> None:
    assert word(point, claimed=claimed) in judging.OF_EFFECTS
    assert word(point, direction="equal") in judging.OF_EQUALITY
    assert word(point, expected=(0.5, 2.0)) in judging.OF_EQUALITY


@given(RATIOS, EFFECTS)
def test_turning_ratio_and_claim_over_changes_nothing(point: float, claimed: float | None) -> None:
    turned = None if claimed is None else 1 / claimed
    slower = word(point, direction="slower", claimed=claimed)
    assert slower == word(1 / point, direction="faster", claimed=turned)


@given(st.lists(RATIOS, min_size=3, max_size=3).map(sorted), EFFECTS)
def test_an_interval_is_decided_only_as_all_its_numbers_are(
    numbers: list[float], claimed: float | None
) -> None:
    low, point, high = numbers
    for settings in ({"claimed": claimed}, {"direction": "equal"}, {"expected": (0.5, 2.0)}):
        decided_word = word(point, low, high, **settings)
        if decided_word != judging.INCONCLUSIVE:
            assert {word(number, **settings) for number in numbers} == {decided_word}


@given(st.lists(RATIOS, min_size=5, max_size=5).map(sorted), EFFECTS)
def test_a_wider_interval_never_decides_more_or_otherwise(
    numbers: list[float], claimed: float | None
) -> None:
    lowest, low, point, high, highest = numbers
    wide = word(point, lowest, highest, claimed=claimed)
    assert wide in (judging.INCONCLUSIVE, word(point, low, high, claimed=claimed))


@given(st.lists(RATIOS, min_size=2, max_size=2).map(sorted), EFFECTS)
def test_a_larger_ratio_is_never_a_lesser_word(numbers: list[float], claimed: float | None) -> None:
    order = (
        judging.OPPOSITE,
        judging.NO_EFFECT,
        judging.WEAKER,
        judging.REPRODUCED,
        judging.STRONGER,
    )
    less, more = (order.index(word(number, claimed=claimed)) for number in numbers)
    assert less <= more
