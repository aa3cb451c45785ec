"""Verdicts on data whose truth is planted. Ends of intervals follow from the planted noise: the
repetitions lie evenly within ±0.2 % of the median, so an interval of a ratio lies within 0.4 %."""

import math
from pathlib import Path
from typing import Any

import pytest
import synthetic

from notebook import verdicts
from notebook.claims import Claim
from notebook.results import Result, parse_rows
from notebook.verdicts import Finding

VARIANT = "read_offset/block:512/offset:11"
BASELINE = "read_offset/block:512/offset:0"


def claim(**changes: Any) -> Claim:
    settings = {
        "id": "offset_11",
        "statement": "Offset 11 is slower.",
        "source": "source",
        "source_device": "GPU",
        "metric": "time",
        "variant": VARIANT,
        "baseline": BASELINE,
        "direction": "slower",
        "why": "why",
    } | changes
    return Claim(**settings)


def result(rows: list[Any], **changes: Any) -> Result:
    settings = {
        "path": Path("data/nvidia-h200/02_misaligned_reads.json"),
        "chapter": synthetic.CHAPTER,
        "device": "nvidia-h200",
        "is_emulated": False,
        "year": 2024,
        "fetch_unit_bytes": 32,
        "quick": False,
        "rows": parse_rows(rows),
        "measured_counters": {},
    } | changes
    return Result(**settings)


def rows_of_ratio(ratio: float, **settings: Any) -> list[Any]:
    """Repetitions of variant and baseline whose medians have a planted ratio."""
    return [
        *synthetic.timed(f"{VARIANT}/n:1024", 50.0 * ratio, **settings),
        *synthetic.timed(f"{BASELINE}/n:1024", 50.0, **settings),
    ]


def only(found: list[verdicts.Verdict]) -> Finding:
    assert len(found) == 1
    return found[0].finding


def decide(rows: list[Any], the_claim: Claim | None = None, **changes: Any) -> Finding:
    return only(verdicts.decide(the_claim or claim(), result(rows, **changes), "data"))


@pytest.mark.parametrize(
    ("ratio", "claimed", "direction", "expected"),
    [
        (1.25, None, "slower", verdicts.REPRODUCED),
        (1.25, 1.4, "slower", verdicts.REPRODUCED),  # 25 % is more than half of 40 %
        (1.25, 1.6, "slower", verdicts.WEAKER),  # and less than half of 60 %
        (1.00, 1.4, "slower", verdicts.ABSENT),
        (1.02, 1.4, "slower", verdicts.ABSENT),  # below the smallest effect of interest
        (0.80, 1.4, "slower", verdicts.REVERSED),
        (1.03, 1.4, "slower", verdicts.INCONCLUSIVE),  # on the edge: the interval includes 3 %
        (0.97, None, "slower", verdicts.INCONCLUSIVE),
        (0.80, 0.7, "faster", verdicts.REPRODUCED),
        (0.80, 0.5, "faster", verdicts.WEAKER),
        (1.25, 0.5, "faster", verdicts.REVERSED),
        (1.01, None, "equal", verdicts.REPRODUCED),
        (1.25, None, "equal", verdicts.ABSENT),
        (0.80, None, "equal", verdicts.ABSENT),
        (1.03, None, "equal", verdicts.INCONCLUSIVE),
    ],
)
def test_planted_ratios_of_time(
    ratio: float, claimed: float | None, direction: str, expected: str
) -> None:
    found = decide(rows_of_ratio(ratio), claim(claimed=claimed, direction=direction))
    assert found.verdict == expected
    assert found.ratio == pytest.approx(ratio, rel=0.004)
    assert found.interval is not None
    assert ratio * 0.996 <= found.interval[0] <= found.interval[1] <= ratio * 1.004
    assert found.n == (20, 20)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(0.015, verdicts.REPRODUCED), (0.02, verdicts.INCONCLUSIVE), (0.06, verdicts.ABSENT)],
)
def test_a_range_with_a_baseline_is_one_of_the_ratio(ratio: float, expected: str) -> None:
    in_range = claim(expected=(0.0, 0.02), direction="equal")
    found = decide(rows_of_ratio(ratio), in_range)
    assert found.verdict == expected
    assert found.ratio == pytest.approx(ratio, rel=0.004)


def test_a_rate_is_lower_where_a_time_is_slower() -> None:
    rows = [
        *synthetic.timed(f"{VARIANT}/n:1024", 50.0, bytes_per_second=8e11),
        *synthetic.timed(f"{BASELINE}/n:1024", 50.0, bytes_per_second=1e12),
    ]
    slower = claim(metric="bytes_per_second", claimed=0.75)
    assert decide(rows, slower).verdict == verdicts.REPRODUCED
    assert decide(rows, slower).ratio == pytest.approx(0.8)
    faster = claim(metric="bytes_per_second", direction="faster")
    assert decide(rows, faster).verdict == verdicts.REVERSED


@pytest.mark.parametrize(
    ("settings", "changes", "reason"),
    [
        ({"throttled": 1}, {}, "throttled"),
        ({}, {"quick": True}, "quick"),
        ({"processes": 1}, {}, "1 process"),
        ({"repetitions": 4}, {}, "4 repetitions in a process"),
        # Evenly spread within ±30 %: the quartiles are 30 % apart.
        ({"noise": 0.3}, {}, "spread"),
    ],
)
def test_doubtful_times_decide_nothing(
    settings: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    found = decide(rows_of_ratio(1.5, **settings), **changes)
    assert found.verdict == verdicts.INCONCLUSIVE
    assert reason in found.reason


def test_one_throttled_repetition_is_enough() -> None:
    rows = rows_of_ratio(1.5)
    rows[3]["throttled"] = 1
    assert decide(rows).verdict == verdicts.INCONCLUSIVE


def test_processes_that_disagree_decide_nothing() -> None:
    rows = [
        *synthetic.timed(f"{VARIANT}/n:1024", 50.0 * 1.05, processes=1),
        *synthetic.timed(f"{BASELINE}/n:1024", 50.0, processes=2),
    ]
    second = synthetic.timed(f"{VARIANT}/n:1024", 50.0 * 1.01, processes=1)
    rows += [row | {"process": 1} for row in second]
    found = decide(rows)
    assert (found.verdict, found.reason) == (
        verdicts.INCONCLUSIVE,
        "the processes disagree (1.050, 1.010)",
    )


def test_each_regime_is_decided_apart() -> None:
    rows = rows_of_ratio(1.25)
    for variant, time in ((VARIANT, 100.0), (BASELINE, 100.0)):
        rows += synthetic.timed(f"{variant}/n:16777216/cache:cold", time, label="dram")
    # No baseline in this regime: nothing to compare.
    rows += synthetic.timed(f"{VARIANT}/n:16777216/cache:warm", 1.0)
    found = verdicts.decide(claim(), result(rows), "data")
    assert [(each.regime, each.finding.verdict) for each in found] == [
        ("n:1024", verdicts.REPRODUCED),
        ("n:16777216/cache:cold", verdicts.ABSENT),
    ]


def counted(variant: float, baseline: float) -> list[Any]:
    return [
        synthetic.row(f"{VARIANT}/n:1024", 0, load_sectors=variant),
        synthetic.row(f"{BASELINE}/n:1024", 0, load_sectors=baseline),
    ]


@pytest.mark.parametrize(
    ("variant", "baseline", "claimed", "expected"),
    [
        (5, 4, 1.25, verdicts.REPRODUCED),
        (5, 4, 1.6, verdicts.WEAKER),
        (4, 4, 1.25, verdicts.ABSENT),
        (4, 5, 1.25, verdicts.REVERSED),
        (7, 0, None, verdicts.REPRODUCED),  # from nothing to something
        (0, 0, None, verdicts.ABSENT),
    ],
)
def test_counts_decide_exactly_and_on_an_emulated_gpu(
    variant: float, baseline: float, claimed: float | None, expected: str
) -> None:
    the_claim = claim(metric="load_sectors", direction="higher", claimed=claimed)
    rows = counted(variant, baseline)
    found = decide(rows, the_claim, is_emulated=True, device="emulated-hopper", quick=True)
    assert found.verdict == expected


def test_a_range() -> None:
    in_range = claim(metric="load_sectors", baseline=None, expected=(5, 5.5), direction="equal")
    for count, expected in ((5, verdicts.REPRODUCED), (5.6, verdicts.ABSENT)):
        assert decide(counted(count, 4), in_range, is_emulated=True).verdict == expected


@pytest.mark.parametrize(
    ("planted", "expected", "reason"),
    [
        (1.05, verdicts.REPRODUCED, ""),
        (1.01, verdicts.ABSENT, "below 1.03"),
        # Repetitions within ±0.2 % of the end: the interval includes it.
        (1.03, verdicts.INCONCLUSIVE, "the interval includes an end of the range"),
    ],
)
def test_at_least_so_much_of_a_reference(planted: float, expected: str, reason: str) -> None:
    at_least = claim(metric="memcpy_ratio", baseline=None, expected=(1.03, math.inf))
    rows = synthetic.timed(f"{VARIANT}/n:1024", 50.0)
    for row in rows:
        row["memcpy_ratio"] = planted * 50.0 / row["real_time"]
    found = decide(rows, at_least)
    assert (found.verdict, found.reason) == (expected, reason)
    assert found.ratio == pytest.approx(planted, rel=0.004)
    assert "needs a GPU" in decide(rows, at_least, is_emulated=True).reason


def test_counters_of_a_gpu_come_from_nsight_compute() -> None:
    the_claim = claim(metric="load_sectors", direction="higher")
    # What looks like a counter in a timed row was not counted by anybody.
    assert decide(counted(5, 4), the_claim).verdict == verdicts.NOT_MEASURED
    measured = {
        f"{VARIANT}/n:1024": {"load_sectors": 5.0},
        f"{BASELINE}/n:1024": {"load_sectors": 4.0},
    }
    found = decide(rows_of_ratio(1.0), the_claim, measured_counters=measured)
    assert (found.verdict, found.ratio) == (verdicts.REPRODUCED, 1.25)


def test_what_moved_around_a_launch_comes_with_the_rows_of_a_gpu() -> None:
    the_claim = claim(metric="bytes_to_device", claimed=1.0, direction="equal")
    rows = [
        synthetic.row(f"{VARIANT}/n:1024", 5.0, bytes_to_device=8192, load_sectors=1),
        synthetic.row(f"{BASELINE}/n:1024", 5.0, bytes_to_device=8192),
    ]
    measured = {f"{VARIANT}/n:1024": {"load_sectors": 5.0}}
    found = decide(rows, the_claim, measured_counters=measured)
    assert (found.verdict, found.ratio) == (verdicts.REPRODUCED, 1.0)
    counts = result(rows, measured_counters=measured).counts
    assert counts[f"{VARIANT}/n:1024"] == [{"bytes_to_device": 8192.0, "load_sectors": 5.0}]


def test_a_claim_is_decided_only_in_the_regimes_it_is_about() -> None:
    rows = [
        *rows_of_ratio(1.25),
        *synthetic.timed(f"{VARIANT}/n:2048", 50.0),
        *synthetic.timed(f"{BASELINE}/n:2048", 50.0),
    ]
    found = verdicts.decide(claim(regimes=("n:2048",)), result(rows), "data")
    assert [(each.regime, each.finding.verdict) for each in found] == [("n:2048", verdicts.ABSENT)]
    elsewhere = decide(rows_of_ratio(1.25), claim(regimes=("n:2048",)))
    assert elsewhere.verdict == verdicts.NOT_MEASURED
    assert "n:2048" in elsewhere.reason


def test_not_measured_says_why() -> None:
    assert "needs a GPU" in decide(rows_of_ratio(1.5), is_emulated=True).reason
    lines = claim(metric="load_sectors", direction="higher", fetch_unit_bytes=128)
    assert decide(counted(5, 4), lines, is_emulated=True).reason == (
        "the claim is about 128-byte lines; this device fetches 32-byte sectors"
    )
    missing = claim(variant="read_offset/block:512/offset:99")
    found = decide(rows_of_ratio(1.5), missing)
    assert found.verdict == verdicts.NOT_MEASURED
    assert "offset:99" in found.reason
