"""Verdicts on data whose truth is planted. Ends of intervals follow from the planted difference of
two processes: ratios that differ by 0.2 % have a standard error of 0.1 %, and 3.18 times that are
0.32 % to either side."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic

from notebook.data import records
from notebook.data.results import Result
from notebook.decide import judging, verdicts
from notebook.decide.claims import Claim
from notebook.decide.verdicts import Finding

VARIANT = "read_offset/block:512/offset:11"
BASELINE = "read_offset/block:512/offset:0"


def claim(**changes: Any) -> Claim:
    settings = {
        "id": "offset_11",
        "statement": "Offset 11 is slower.",
        "sources": ("source",),
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
        "by_name": records.grouped(synthetic.parse_rows(rows)),
        "measured_counters": {},
    } | changes
    return Result(**settings)


def others(regime: str = "n:1024", **settings: Any) -> list[Any]:
    """Benchmarks that no claim names: they tell how much processes differ, ±0.05 %."""
    return [
        row
        for number in range(12)
        for row in synthetic.timed(
            f"other/by:{number}/{regime}", 20.0, **({"apart": 0.001 * (-1) ** number} | settings)
        )
    ]


def rows_of_ratio(ratio: float, regime: str = "n:1024", **settings: Any) -> list[Any]:
    """Repetitions of variant and baseline whose medians have a planted ratio, 0.2 % larger in one
    process than in the other."""
    return [
        *synthetic.timed(f"{VARIANT}/{regime}", 50.0 * ratio, **({"apart": 0.001} | settings)),
        *synthetic.timed(f"{BASELINE}/{regime}", 50.0, **({"apart": -0.001} | settings)),
        *others(regime, **settings),
    ]


def only(decided: list[verdicts.Verdict]) -> Finding:
    assert len(decided) == 1
    return decided[0].finding


def decide(rows: list[Any], the_claim: Claim | None = None, **changes: Any) -> Finding:
    return only(verdicts.decide(the_claim or claim(), result(rows, **changes), "data"))


@pytest.mark.parametrize(
    ("ratio", "claimed", "direction", "expected"),
    [
        (1.25, None, "slower", judging.REPRODUCED),
        # On a log scale: half of x1.4 is x1.18, of x1.9 x1.38; twice x1.1 is x1.21.
        (1.25, 1.4, "slower", judging.REPRODUCED),
        (1.25, 1.5625, "slower", judging.INCONCLUSIVE),  # half of it is x1.25
        (1.25, 1.9, "slower", judging.WEAKER),
        (1.25, 1.1, "slower", judging.STRONGER),
        (1.00, 1.4, "slower", judging.NO_EFFECT),
        (1.02, 1.4, "slower", judging.NO_EFFECT),  # below the smallest effect of interest
        (0.80, 1.4, "slower", judging.OPPOSITE),
        (1.03, 1.4, "slower", judging.INCONCLUSIVE),  # on the edge: the interval includes 3 %
        (0.97, None, "slower", judging.INCONCLUSIVE),
        (0.80, 0.7, "faster", judging.REPRODUCED),
        (0.80, 0.5, "faster", judging.WEAKER),
        (1.25, 0.5, "faster", judging.OPPOSITE),
        (1.01, None, "equal", judging.HOLDS),
        (1.25, None, "equal", judging.DOES_NOT_HOLD),
        (0.80, None, "equal", judging.DOES_NOT_HOLD),
        (1.03, None, "equal", judging.INCONCLUSIVE),
    ],
)
def test_planted_ratios_of_time(
    ratio: float, claimed: float | None, direction: str, expected: str
) -> None:
    finding = decide(rows_of_ratio(ratio), claim(claimed=claimed, direction=direction))
    assert finding.verdict == expected
    assert finding.ratio == pytest.approx(ratio, rel=0.004)
    assert finding.interval is not None
    assert ratio * 0.996 <= finding.interval[0] <= finding.interval[1] <= ratio * 1.004
    assert finding.n == (20, 20)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(0.015, judging.HOLDS), (0.02, judging.INCONCLUSIVE), (0.06, judging.DOES_NOT_HOLD)],
)
def test_a_range_with_a_baseline_is_one_of_the_ratio(ratio: float, expected: str) -> None:
    in_range = claim(expected=(0.0, 0.02), direction="equal")
    finding = decide(rows_of_ratio(ratio), in_range)
    assert finding.verdict == expected
    assert finding.ratio == pytest.approx(ratio, rel=0.004)


def test_a_rate_is_lower_where_a_time_is_slower() -> None:
    rows = [
        *synthetic.timed(f"{VARIANT}/n:1024", 50.0, bytes_per_second=8e11),
        *synthetic.timed(f"{BASELINE}/n:1024", 50.0, bytes_per_second=1e12),
    ]
    slower = claim(metric="bytes_per_second", claimed=0.75)
    assert decide(rows, slower).verdict == judging.REPRODUCED
    assert decide(rows, slower).ratio == pytest.approx(0.8)
    faster = claim(metric="bytes_per_second", direction="faster")
    assert decide(rows, faster).verdict == judging.OPPOSITE


@pytest.mark.parametrize(
    ("settings", "changes", "reason"),
    [
        ({"throttled": 1}, {}, "throttled"),
        ({}, {"quick": True}, "quick"),
        ({"processes": 1}, {}, "1 process"),
        ({"repetitions": 4}, {}, "4 repetitions in a process"),
    ],
)
def test_doubtful_times_decide_nothing(
    settings: dict[str, Any], changes: dict[str, Any], reason: str
) -> None:
    finding = decide(rows_of_ratio(1.5, **settings), **changes)
    assert finding.verdict == judging.INCONCLUSIVE
    assert reason in finding.reason


@pytest.mark.parametrize("index", [3, 23])
def test_one_throttled_repetition_of_either_is_enough(index: int) -> None:
    """The first 20 rows are the variant's, the others the baseline's."""
    rows = rows_of_ratio(1.5)
    rows[index]["throttled"] = 1
    assert decide(rows).verdict == judging.INCONCLUSIVE


@pytest.mark.parametrize("index", [3, 33])
def test_a_process_that_throttled_is_left_out_where_two_others_remain(index: int) -> None:
    """Of three processes, the first; the first 30 rows are the variant's. The ratio rises by 0.2 % a process."""
    rows = rows_of_ratio(1.5, processes=3)
    assert decide(rows).ratio == pytest.approx(1.5, rel=1e-4)
    rows[index]["throttled"] = 1
    finding = decide(rows)
    assert finding.verdict == judging.REPRODUCED and finding.n == (20, 20)
    assert finding.ratio == pytest.approx(1.5 * 1.001, rel=1e-4)


STEADY = [1.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("wide", "point", "interval", "expected"),
    [
        # Quartiles 0.8 and 1.2: 40 % apart. 1.5 / 1.4 is still beyond 3 %, 1.4 / 1.4 is not.
        ([0.5, 0.8, 1.0, 1.2, 9.0], 1.6, (1.5, 1.7), judging.REPRODUCED),
        ([0.5, 0.8, 1.0, 1.2, 9.0], 1.5, (1.4, 1.6), judging.INCONCLUSIVE),
        # A 50-fold effect stays one, however wide.
        ([0.5, 0.8, 1.0, 1.2, 9.0], 50.0, (40.0, 60.0), judging.REPRODUCED),
        # 10 % is not too wide, 10.4 % is; both quartiles count.
        ([50, 95, 100, 105, 900], 1.05, (1.04, 1.06), judging.REPRODUCED),
        ([0.5, 0.948, 1.0, 1.052, 9.0], 1.05, (1.04, 1.06), judging.INCONCLUSIVE),
        ([0.5, 0.9, 1.0, 1.03, 9.0], 1.05, (1.04, 1.06), judging.INCONCLUSIVE),
        ([0.5, 0.97, 1.0, 1.02, 9.0], 1.05, (1.04, 1.06), judging.REPRODUCED),
        # The upper end counts as the lower one.
        ([0.5, 0.8, 1.0, 1.2, 9.0], 0.70, (0.65, 0.75), judging.INCONCLUSIVE),
    ],
)
def test_a_wide_spread_withholds_only_what_it_could_change(
    wide: list[float], point: float, interval: tuple[float, float], expected: str
) -> None:
    for samples in ([[STEADY, wide], [STEADY, STEADY]], [[STEADY, STEADY], [wide, STEADY]]):
        direction = "slower" if point > 1 else "faster"
        the_claim = claim(direction=direction)
        finding = verdicts.judge_timed(the_claim, point, interval, samples)
        assert finding[0] == expected
        if expected == judging.INCONCLUSIVE:
            assert "spread is too large" in finding[1]


@pytest.mark.parametrize(("of_variant", "of_baseline"), [(2, 3), (3, 2)])
def test_only_processes_that_have_both_are_paired(of_variant: int, of_baseline: int) -> None:
    """The third process, in which one of them is three times as slow, is left out."""
    rows = []
    for name, median, processes in (
        (VARIANT, 75.0, of_variant),
        (BASELINE, 50.0, of_baseline),
    ):
        for process in range(processes):
            time = median * (3 if process == 2 else 1)
            entry = synthetic.timed(f"{name}/n:1024", time, processes=1)
            rows += [row | {"process": process} for row in entry]
    finding = decide([*rows, *others()])
    assert (finding.verdict, finding.ratio) == (judging.REPRODUCED, pytest.approx(1.5))


def test_each_regime_is_decided_apart() -> None:
    rows = rows_of_ratio(1.25)
    rows += rows_of_ratio(1.0, "n:16777216/cache:cold")
    # No baseline in this regime: nothing to compare.
    rows += synthetic.timed(f"{VARIANT}/n:16777216/cache:warm", 1.0)
    decided = verdicts.decide(claim(), result(rows), "data")
    assert [(entry.regime, entry.finding.verdict) for entry in decided] == [
        ("n:1024", judging.REPRODUCED),
        ("n:16777216/cache:cold", judging.NO_EFFECT),
    ]


def counted(variant: float, baseline: float) -> list[Any]:
    return [
        synthetic.row(f"{VARIANT}/n:1024", 0, load_sectors=variant),
        synthetic.row(f"{BASELINE}/n:1024", 0, load_sectors=baseline),
    ]


@pytest.mark.parametrize(
    ("variant", "baseline", "claimed", "expected"),
    [
        (5, 4, 1.25, judging.REPRODUCED),
        (5, 4, 1.6, judging.WEAKER),
        (5, 4, 1.1, judging.STRONGER),
        (4, 4, 1.25, judging.NO_EFFECT),
        (4, 5, 1.25, judging.OPPOSITE),
        (7, 0, None, judging.REPRODUCED),  # from nothing to something
        (0, 0, None, judging.NO_EFFECT),
    ],
)
def test_counts_decide_exactly_and_on_an_emulated_gpu(
    variant: float, baseline: float, claimed: float | None, expected: str
) -> None:
    the_claim = claim(metric="load_sectors", direction="higher", claimed=claimed)
    rows = counted(variant, baseline)
    finding = decide(rows, the_claim, is_emulated=True, device="emulated-hopper", quick=True)
    assert finding.verdict == expected


@pytest.mark.parametrize(
    ("counts", "verdict", "ratio", "interval"),
    [
        ((5.0, 6.0), judging.REPRODUCED, 1.375, (1.25, 1.5)),
        ((5.0, 4.0), judging.INCONCLUSIVE, 1.125, (1.0, 1.25)),
    ],
)
def test_counts_that_differ_between_repetitions_decide_as_an_interval(
    counts: tuple[float, float], verdict: str, ratio: float, interval: tuple[float, float]
) -> None:
    """Of a baseline of 4: 5 and 6 are both higher, 5 and 4 are not."""
    rows = synthetic.parse_rows(counted(counts[0], 4))
    variant = next(row for row in rows if row.values["load_sectors"] == counts[0])
    again = replace(variant, values=variant.values | {"load_sectors": counts[1]})
    the_claim = claim(metric="load_sectors", direction="higher")
    emulated = replace(
        result(counted(counts[0], 4), is_emulated=True), by_name=records.grouped([*rows, again])
    )
    finding = only(verdicts.decide(the_claim, emulated, "data"))
    assert (finding.verdict, finding.ratio, finding.interval) == (verdict, ratio, interval)
    assert finding.reason.endswith("the counts differ between repetitions")


def test_five_repetitions_in_two_processes_are_enough() -> None:
    assert decide(rows_of_ratio(1.5, repetitions=5)).verdict == judging.REPRODUCED


def test_a_range() -> None:
    in_range = claim(metric="load_sectors", baseline=None, expected=(5, 5.5), direction="equal")
    for count, expected in ((5, judging.HOLDS), (5.6, judging.DOES_NOT_HOLD)):
        assert decide(counted(count, 4), in_range, is_emulated=True).verdict == expected


@pytest.mark.parametrize(
    ("planted", "expected", "reason"),
    [
        (1.05, judging.HOLDS, ""),
        (1.01, judging.DOES_NOT_HOLD, "below 1.03"),
        # The processes differ: the interval includes the end.
        (1.03, judging.INCONCLUSIVE, "the interval includes an end of the range"),
    ],
)
def test_at_least_so_much_of_a_reference(planted: float, expected: str, reason: str) -> None:
    at_least = claim(metric="memcpy_ratio", baseline=None, expected=(1.03, math.inf))
    rows = synthetic.timed(f"{VARIANT}/n:1024", 50.0, apart=0.001) + others()
    for row in rows:
        median_us = 50.0 if row["name"].startswith(VARIANT) else 20.0
        row["memcpy_ratio"] = planted * median_us / row["real_time"]
    finding = decide(rows, at_least)
    assert (finding.verdict, finding.reason) == (expected, reason)
    assert finding.ratio == pytest.approx(planted, rel=0.004)
    assert decide(rows, at_least, is_emulated=True).verdict == judging.NEEDS_GPU


def test_counters_of_a_gpu_come_from_nsight_compute() -> None:
    the_claim = claim(metric="load_sectors", direction="higher")
    # A field like a counter in a timed row was not counted.
    finding = decide(counted(5, 4), the_claim)
    assert finding.verdict == judging.NO_DATA
    assert finding.reason == "no counters were measured on this device"
    measured = {
        f"{VARIANT}/n:1024": {"load_sectors": 5.0},
        f"{BASELINE}/n:1024": {"load_sectors": 4.0},
    }
    finding = decide(rows_of_ratio(1.0), the_claim, measured_counters=measured)
    assert (finding.verdict, finding.ratio) == (judging.REPRODUCED, 1.25)


def test_what_moved_around_a_launch_comes_with_the_rows_of_a_gpu() -> None:
    the_claim = claim(metric="bytes_to_device", claimed=1.0, direction="equal")
    rows = [
        synthetic.row(f"{VARIANT}/n:1024", 5.0, bytes_to_device=8192, load_sectors=1),
        synthetic.row(f"{BASELINE}/n:1024", 5.0, bytes_to_device=8192),
    ]
    measured = {f"{VARIANT}/n:1024": {"load_sectors": 5.0}}
    finding = decide(rows, the_claim, measured_counters=measured)
    assert (finding.verdict, finding.ratio) == (judging.HOLDS, 1.0)
    counts = result(rows, measured_counters=measured).counts
    assert counts[f"{VARIANT}/n:1024"] == [{"bytes_to_device": 8192.0, "load_sectors": 5.0}]


def test_a_claim_is_decided_only_in_the_regimes_it_is_about() -> None:
    rows = [
        *rows_of_ratio(1.25),
        *rows_of_ratio(1.0, "n:2048"),
    ]
    decided = verdicts.decide(claim(regimes=("n:2048",)), result(rows), "data")
    assert [(entry.regime, entry.finding.verdict) for entry in decided] == [
        ("n:2048", judging.NO_EFFECT)
    ]
    elsewhere = decide(rows_of_ratio(1.25), claim(regimes=("n:2048",)))
    assert elsewhere.verdict == judging.NO_DATA
    assert "n:2048" in elsewhere.reason


def test_no_evidence_says_why() -> None:
    assert decide(rows_of_ratio(1.5), is_emulated=True).verdict == judging.NEEDS_GPU
    lines = claim(metric="load_sectors", direction="higher", fetch_unit_bytes=128)
    finding = decide(counted(5, 4), lines, is_emulated=True)
    assert (finding.verdict, finding.reason) == (
        judging.DOES_NOT_APPLY,
        "the claim is about 128-byte lines; this device fetches 32-byte sectors",
    )
    missing = claim(variant="read_offset/block:512/offset:99")
    finding = decide(rows_of_ratio(1.5), missing)
    assert finding.verdict == judging.NO_DATA
    assert "offset:99" in finding.reason


@pytest.mark.parametrize(
    ("capability", "is_older"),
    [("8.6", True), ("9.0", False), ("9.1", False), ("10.0", False), ("", False)],
)
def test_a_claim_about_later_gpus_does_not_apply_to_older_ones(
    capability: str, is_older: bool
) -> None:
    """10.0 is later than 9.0, and of a GPU that does not say what it is nothing is ruled out."""
    of_later = claim(compute_capability="9.0")
    finding = decide(rows_of_ratio(1.5), of_later, compute_capability=capability)
    if is_older:
        assert (finding.verdict, finding.reason) == (
            judging.DOES_NOT_APPLY,
            "the claim is about compute capability 9.0 and later",
        )
    else:
        assert finding.verdict == judging.REPRODUCED


@pytest.mark.parametrize(
    ("capability", "is_meant"),
    [("8.0", False), ("9.0", True), ("9.1", False), ("10.0", False), ("", True)],
)
def test_a_claim_about_one_capability_does_not_apply_to_later_gpus_either(
    capability: str, is_meant: bool
) -> None:
    """sm_90a's instructions are Hopper's alone: Blackwell lacks them."""
    finding = decide(
        rows_of_ratio(1.5), claim(compute_capability="9.0a"), compute_capability=capability
    )
    if is_meant:
        assert finding.verdict == judging.REPRODUCED
    else:
        assert (finding.verdict, finding.reason) == (
            judging.DOES_NOT_APPLY,
            "the claim is about compute capability 9.0 alone",
        )


def test_a_claim_without_a_capability_applies_to_all() -> None:
    assert decide(rows_of_ratio(1.5), compute_capability="2.0").verdict == judging.REPRODUCED


def test_what_the_time_model_lacks_needs_a_gpu() -> None:
    """Whatever it predicts. On a GPU the claim is decided as any other."""
    of_banks = claim(unmodelled="the banks of registers")
    rows = [
        synthetic.row(
            f"{name}/n:1024", 0.0, label="dram predicted_bound:dram", predicted_seconds=time
        )
        | {"load_sectors": 1}
        for name, time in ((VARIANT, 2e-5), (BASELINE, 1e-5))
    ]
    emulated = {"is_emulated": True, "device": "emulated-hopper"}
    finding = decide(rows, of_banks, **emulated)
    assert (finding.verdict, finding.reason) == (
        judging.NEEDS_GPU,
        "not modelled: the banks of registers",
    )
    assert decide(rows_of_ratio(1.5), of_banks).verdict == judging.REPRODUCED
    # A GPU that is too old never could.
    both = replace(of_banks, compute_capability="9.0")
    older = decide(rows, both, compute_capability="8.0", **emulated)
    assert older.verdict == judging.DOES_NOT_APPLY
