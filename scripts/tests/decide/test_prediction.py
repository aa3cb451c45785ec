"""Predicted verdicts: given only where the model's own errors leave no doubt, and marked."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic
from test_verdicts import BASELINE, VARIANT, claim, result

from notebook.base.errors import take_refused
from notebook.base.project import Project
from notebook.data import records
from notebook.data.fields import BOUNDS
from notebook.data.results import Result
from notebook.decide import judging, prediction, tables, transfer, verdicts
from notebook.decide.prediction import MIN_ERRORS, band, predicted_interval, predicted_numbers
from notebook.decide.verdicts import Verdict


@pytest.fixture
def errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of errors in place of the repository's."""
    monkeypatch.setattr(
        Project, "here", staticmethod(lambda *_: Project(tmp_path, tmp_path / "data"))
    )
    prediction._log_errors.cache_clear()
    prediction._log_time_errors.cache_clear()
    table = tmp_path / prediction.TABLE
    table.parent.mkdir(parents=True)
    return table


def write(
    table: Path,
    measured: list[float],
    architecture: str = "hopper",
    levels: tuple[str, ...] = ("",),
) -> None:
    """Ratios that were predicted as 1, as many of each level."""
    lines = [",".join(prediction.COLUMNS)]
    lines += [
        f"{architecture},01,a,b,{level},1.0,{ratio}" for level in levels for ratio in measured
    ]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_times(table: Path, measured: list[float], chapter: str = "01_access_patterns") -> None:
    """Times that were predicted as a second."""
    lines = [",".join(prediction.TIMES_COLUMNS)]
    lines += [f"{chapter},a,1.0,dram,{seconds}" for seconds in measured]
    (table.parent / prediction.TIMES.name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def decide(
    ratio: float, work: float = 8192.0, chapter: str = synthetic.CHAPTER, **changes: Any
) -> list[Verdict]:
    """Of an emulated Hopper that predicts 10 µs times the ratio, and 10 µs; `work`: bytes of the variant."""
    seconds = {f"{VARIANT}/n:1024": 1e-5 * ratio, f"{BASELINE}/n:1024": 1e-5}
    works = dict(zip(seconds, (work, 8192.0), strict=True))
    rows = [
        synthetic.row(name, 0.0, bytes_per_second=works[name] / time, load_sectors=1)
        for name, time in seconds.items()
    ]
    emulated = replace(result(rows, is_emulated=True, device="emulated-hopper"), chapter=chapter)
    for row in synthetic.rows_in(emulated):
        object.__setattr__(row, "predicted_seconds", seconds[row.name])
    return verdicts.decide(claim(**changes), emulated, "data")


def test_without_known_errors_a_prediction_decides_nothing(errors: Path) -> None:
    assert predicted_interval(2.0, "hopper") is None
    write(errors, [1.1] * (MIN_ERRORS - 1))
    prediction._log_errors.cache_clear()
    assert predicted_interval(2.0, "hopper") is None
    (finding,) = decide(2.0)
    assert (finding.finding.verdict, finding.finding.evidence) == (judging.TOO_CLOSE, "")
    assert (
        finding.finding.reason
        == "the error band of the prediction includes a boundary or is not known"
    )


def test_the_band_is_that_of_9_in_10_errors_to_both_sides(errors: Path) -> None:
    """Of 40 errors the fifth largest bounds 90 %: here 1.2."""
    write(errors, [1.0] * 34 + [1.1, 1.2, 1.3, 0.7, 1.5, 3.0])
    assert predicted_interval(2.0, "hopper") == pytest.approx((2 / 1.2, 2 * 1.2))
    assert predicted_interval(2.0, "fermi") is None


def test_a_prediction_beyond_doubt_is_a_marked_verdict(errors: Path) -> None:
    write(errors, [1.2] * MIN_ERRORS)
    (predicted_finding,) = decide(2.0)
    finding = predicted_finding.finding
    assert (finding.verdict, finding.evidence) == (judging.REPRODUCED, verdicts.PREDICTED)
    assert finding.interval == pytest.approx((2 / 1.2, 2 * 1.2))
    assert predicted_finding.regime == "n:1024"
    assert tables.found(predicted_finding) == "predicted reproduced 2.000 [1.667, 2.400]"
    assert tables.as_json(predicted_finding)["evidence"] == "predicted"


@pytest.mark.parametrize(
    ("ratio", "changes"),
    [
        (1.1, {}),  # 1.1 / 1.2 is below 1.03
        (2.0, {"claimed": 4.2}),  # half of it is 2.05
    ],
)
def test_a_prediction_in_doubt_is_too_uncertain(
    errors: Path, ratio: float, changes: dict[str, Any]
) -> None:
    write(errors, [1.2] * MIN_ERRORS)
    (finding,) = decide(ratio, **changes)
    assert finding.finding.verdict == judging.TOO_CLOSE
    assert finding.finding.evidence == ""


@pytest.mark.parametrize("changes", [{"regimes": ("n:2048",)}, {"metric": "flops_per_second"}])
def test_what_is_not_predicted_needs_a_gpu(errors: Path, changes: dict[str, Any]) -> None:
    write(errors, [1.2] * MIN_ERRORS)
    (finding,) = decide(2.0, **changes)
    assert finding.finding.verdict == judging.NEEDS_GPU
    assert finding.finding.evidence == ""


def test_a_ratio_of_rates_is_that_of_the_times_the_other_way_round(errors: Path) -> None:
    write(errors, [1.2] * MIN_ERRORS)
    of_rates = {"metric": "bytes_per_second", "direction": "lower"}
    (verdict,) = decide(2.0, **of_rates)
    assert verdict.finding.verdict == judging.REPRODUCED
    assert verdict.finding.ratio == pytest.approx(0.5)
    assert verdict.finding.interval == pytest.approx((0.5 / 1.2, 0.5 * 1.2))
    # A tenth more work in twice the time is 0.55 times the rate.
    (of_more_work,) = decide(2.0, work=1.1 * 8192, **of_rates)
    assert of_more_work.finding.ratio == pytest.approx(0.55)
    # Rows of chapter 00 do the work on an emulated GPU that they do on a GPU: their rates compare, too.
    (of_parameters,) = decide(2.0, chapter="00_memory_hierarchy", **of_rates)
    assert of_parameters.finding.ratio == pytest.approx(0.5)


def test_a_wrong_table_is_one_line(errors: Path) -> None:
    write(errors, [math.nan])
    take_refused()
    assert predicted_interval(2.0, "hopper") is None
    (message,) = take_refused()
    assert "measured_ratio" in message


def test_the_errors_of_the_chapter_itself_are_left_out(errors: Path) -> None:
    write(errors, [1.2] * MIN_ERRORS)
    assert predicted_interval(2.0, "hopper", "03") == pytest.approx((2 / 1.2, 2 * 1.2))
    assert predicted_interval(2.0, "hopper", "01") is None


def test_a_generation_without_errors_of_its_own_has_the_band_of_the_others(errors: Path) -> None:
    """Nine GPUs that err by 1.1, and a tenth of the weight for the GPU in question."""
    write(errors, [1.3] * MIN_ERRORS)
    gpus = [",".join(transfer.ERRORS_COLUMNS), *(f"fermi,{gpu},2.0,2.2" for gpu in range(9))]
    (errors.parent / "gpu_errors.csv").write_text("\n".join(gpus) + "\n", encoding="utf-8")
    trials = errors.parent / "transfer.csv"
    counted = [",".join(transfer.TRIALS_COLUMNS)]
    counted += [f"{name},claim,20,20,10,10" for name in ("fermi", "kepler", "maxwell", "hopper")]
    trials.write_text("\n".join(counted) + "\n", encoding="utf-8")
    assert predicted_interval(2.0, "kepler") == pytest.approx((2 / 1.1, 2 * 1.1))
    assert predicted_interval(2.0, "hopper") == pytest.approx((2 / 1.3, 2 * 1.3))
    assert predicted_interval(2.0, "volta") is None  # never left out
    trials.write_text(
        "\n".join(counted).replace("kepler,claim,20,20,10,10", "kepler,claim,20,20,10,9")
    )
    transfer.read_trials.cache_clear()
    assert predicted_interval(2.0, "kepler") is None
    assert predicted_interval(2.0, "maxwell") is not None


# ---- what is predicted of a claim


def emulated(rows: list[dict[str, Any]], device: str = "emulated-hopper", **changes: Any) -> Result:
    return result(rows, is_emulated=True, device=device, **changes)


def predicted_row(
    name: str, seconds: float, level: str = "dram", bound: str = "dram", **values: float
) -> dict[str, Any]:
    label = f"{level} predicted_bound:{bound}"
    return synthetic.row(
        name, 0.0, label=label, predicted_seconds=seconds, load_sectors=64, **values
    )


RATE_AT_1024 = {"variant": VARIANT, "baseline": None, "expected": (1.0, 2.0)}


@pytest.mark.parametrize("metric", ["bytes_per_second", "memcpy_ratio", "l1_ratio"])
def test_a_rate_without_a_baseline_is_predicted_as_its_row_has_it(metric: str) -> None:
    """In each regime that has a time; one without a prediction has no rate that could be meant."""
    rows = emulated(
        [
            predicted_row(f"{VARIANT}/n:2048", 1e-5, **{metric: 1.5}),
            predicted_row(f"{VARIANT}/n:1024", 1e-5, **{metric: 1.25}),
            synthetic.row(
                f"{VARIANT}/n:4096", 0.0, label="dram", load_sectors=64, **{metric: 1.75}
            ),
        ]
    )
    of_one = claim(metric=metric, **RATE_AT_1024)
    assert predicted_numbers(of_one, rows) == {"n:1024": 1.25, "n:2048": 1.5}
    of_one_size = claim(metric=metric, regimes=("n:2048",), **RATE_AT_1024)
    assert predicted_numbers(of_one_size, rows) == {"n:2048": 1.5}


def test_a_time_alone_and_a_counter_are_not_predicted() -> None:
    """No claim names a time in seconds, and counts are exact."""
    rows = emulated([predicted_row(f"{VARIANT}/n:1024", 1e-5)])
    for metric in ("time", "load_sectors"):
        assert predicted_numbers(claim(metric=metric, **RATE_AT_1024), rows) == {}


def test_a_ratio_is_of_the_regimes_that_both_have() -> None:
    rows = emulated(
        [
            predicted_row(f"{VARIANT}/n:1024", 1e-5, memcpy_ratio=0.9),
            predicted_row(f"{VARIANT}/n:2048", 1e-5, memcpy_ratio=0.9),
            predicted_row(f"{BASELINE}/n:1024", 2e-5, memcpy_ratio=0.6),
        ]
    )
    of_ratios = claim(metric="memcpy_ratio", direction="higher")
    assert predicted_numbers(of_ratios, rows) == {"n:1024": pytest.approx(1.5)}
    assert predicted_numbers(claim(), rows) == {"n:1024": pytest.approx(0.5)}


def test_the_share_of_the_peak_is_predicted() -> None:
    """The emulated GPU of these tests has a peak of 4.8 TB/s: 1.2 TB/s are a quarter."""
    rows = emulated([predicted_row(f"{VARIANT}/n:1024", 1e-5, bytes_per_second=1.2e12)])
    of_peak = claim(metric="peak_percent", **RATE_AT_1024)
    assert predicted_numbers(of_peak, rows) == {"n:1024": pytest.approx(25)}
    # 64 sectors are 2,048 bytes, of 12,000,000 that the launch has to move in 10 us.
    of_loads = claim(metric="load_throughput_percent", **RATE_AT_1024)
    assert predicted_numbers(of_loads, rows) == {"n:1024": pytest.approx(25 * 2048 / 12e6)}


# ---- within which errors


def test_errors_are_those_of_the_same_level(errors: Path) -> None:
    """Of data that the L2 holds other ones than of those in DRAM; one whose level is not known counts for each."""
    write(errors, [1.2] * MIN_ERRORS, levels=("dram",))
    assert predicted_interval(2.0, "hopper", level="dram") == pytest.approx((2 / 1.2, 2 * 1.2))
    assert predicted_interval(2.0, "hopper", level="l2") is None
    write(errors, [1.2] * MIN_ERRORS)
    prediction._log_errors.cache_clear()
    for level in ("l2", "l2+dram", "dram"):
        assert predicted_interval(2.0, "hopper", level=level) == pytest.approx((2 / 1.2, 2.4))


def test_the_level_is_that_of_the_variant_in_its_regime(errors: Path) -> None:
    write(errors, [1.2] * MIN_ERRORS, levels=("dram",))
    rows = emulated(
        [
            predicted_row(f"{VARIANT}/n:1024", 2e-5, "l2"),
            predicted_row(f"{VARIANT}/n:2048", 2e-5, "dram"),
            predicted_row(f"{BASELINE}/n:1024", 1e-5, "dram"),
            predicted_row(f"{BASELINE}/n:2048", 1e-5, "l2"),
        ]
    )
    assert band(claim(), 2.0, "n:1024", rows) is None
    assert band(claim(), 2.0, "n:2048", rows) == pytest.approx((2 / 1.2, 2 * 1.2))
    words = {one.regime: one.finding.verdict for one in verdicts.decide(claim(), rows, "data")}
    assert words == {"n:1024": judging.TOO_CLOSE, "n:2048": judging.REPRODUCED}


# Units of an SM, and what lies behind its L1 or is no unit.
UNITS_OF_SM = ("issue", "fp32", "fp64", "int", "sfu", "tensor", "lsu", "shared", "l1")
OTHER_BOUNDS = ("launch", "l2", "dram", "latency", "atomics")


def test_every_bound_is_of_an_sm_or_not() -> None:
    """A word that the emulator does not write would never be found."""
    assert sorted(UNITS_OF_SM + OTHER_BOUNDS) == sorted(BOUNDS)


def stored_rows(*rows: Any) -> dict[str, records.Repetitions]:
    """As they are read from a data file."""
    return records.stored(synthetic.stored(synthetic.document(rows, "emulated-hopper")))


@pytest.mark.parametrize("bound", BOUNDS)
def test_what_an_sm_bounds_errs_alike_wherever_its_data_lie(bound: str) -> None:
    name = f"{VARIANT}/n:1024"
    for level in ("l2", "l2+dram", "dram"):
        row = predicted_row(name, 1e-5, level, bound)
        expected = "sm" if bound in UNITS_OF_SM else level
        assert prediction.level_of(emulated([row]), VARIANT, "n:1024") == expected
        assert prediction.level_of_launch(stored_rows(row)[name]) == expected


def test_what_has_no_bound_is_of_its_level() -> None:
    name = f"{VARIANT}/n:1024"
    row = synthetic.row(name, 0.0, label="l2", load_sectors=64)
    rows = emulated([row])
    assert rows.by_name[name].predicted_bound == stored_rows(row)[name].predicted_bound == ""
    assert prediction.level_of(rows, VARIANT, "n:1024") == "l2"
    assert prediction.level_of(rows, VARIANT, "n:2048") == ""


def test_the_bound_of_the_variant_chooses_the_errors(errors: Path) -> None:
    """Where units of an SM bound it, the errors of such launches; else those of its level."""
    write(errors, [1.2] * MIN_ERRORS, levels=("sm",))
    rows = emulated(
        [
            predicted_row(f"{VARIANT}/n:1024", 2e-5, "dram", "fp32"),
            predicted_row(f"{VARIANT}/n:2048", 2e-5, "dram", "dram"),
            predicted_row(f"{BASELINE}/n:1024", 1e-5, "dram", "dram"),
            predicted_row(f"{BASELINE}/n:2048", 1e-5, "dram", "fp32"),
        ]
    )
    assert band(claim(), 2.0, "n:1024", rows) == pytest.approx((2 / 1.2, 2 * 1.2))
    assert band(claim(), 2.0, "n:2048", rows) is None
    write(errors, [1.3] * MIN_ERRORS, levels=("dram",))
    prediction._log_errors.cache_clear()
    assert band(claim(), 2.0, "n:1024", rows) is None
    assert band(claim(), 2.0, "n:2048", rows) == pytest.approx((2 / 1.3, 2 * 1.3))


def test_a_ratio_of_two_ratios_errs_twice(errors: Path) -> None:
    """The rate past the L1 over the one through it has the error of a ratio; of two of them, each has one."""
    write(errors, [1.2] * MIN_ERRORS, levels=("dram",))
    rows = emulated(
        [predicted_row(f"{name}/n:1024", 1e-5, l1_ratio=1.0) for name in (VARIANT, BASELINE)]
    )
    of_two = claim(metric="l1_ratio", direction="higher")
    assert band(of_two, 2.0, "n:1024", rows) == pytest.approx((2 / 1.44, 2 * 1.44))
    of_one = claim(metric="l1_ratio", **RATE_AT_1024)
    assert band(of_one, 2.0, "n:1024", rows) == pytest.approx((2 / 1.2, 2 * 1.2))
    # A copy is the same for both rows: it cancels. Of one row alone it decides nothing.
    of_copies = claim(metric="memcpy_ratio", direction="higher")
    assert band(of_copies, 2.0, "n:1024", rows) == pytest.approx((2 / 1.2, 2 * 1.2))
    of_a_copy = claim(metric="memcpy_ratio", **RATE_AT_1024)
    assert band(of_a_copy, 2.0, "n:1024", rows) is None


def test_a_rate_alone_has_the_errors_of_times(errors: Path) -> None:
    """Of 40 errors the fifth largest bounds 90 %, to both sides alike: here 1.25, as 0.8 is too long by that."""
    write(errors, [1.01] * MIN_ERRORS)
    write_times(errors, [1.0] * 34 + [1.1, 0.8, 1.3, 0.7, 1.5, 3.0])
    rows = emulated([predicted_row(f"{VARIANT}/n:1024", 1e-5, "l2", bytes_per_second=2e9)])
    rate = claim(metric="bytes_per_second", **RATE_AT_1024)
    assert band(rate, 2.0, "n:1024", rows) == pytest.approx((2 / 1.25, 2 * 1.25))
    # Times of one GPU alone were measured.
    for device in ("emulated-ampere", "emulated-hopper_10"):
        assert band(rate, 2.0, "n:1024", replace(rows, device=device)) is None


def test_a_chapter_does_not_judge_its_own_times(errors: Path) -> None:
    write_times(errors, [1.2] * MIN_ERRORS)
    assert prediction.time_interval(2.0, "hopper", "02") == pytest.approx((2 / 1.2, 2 * 1.2))
    assert prediction.time_interval(2.0, "hopper", "01") is None
    write_times(errors, [1.2] * (MIN_ERRORS - 1))
    prediction._log_time_errors.cache_clear()
    assert prediction.time_interval(2.0, "hopper", "02") is None


def test_a_predicted_rate_is_a_verdict(errors: Path) -> None:
    write_times(errors, [1.1] * MIN_ERRORS)
    rows = emulated([predicted_row(f"{VARIANT}/n:1024", 1e-5, bytes_per_second=1.5)])
    of_rate = claim(metric="bytes_per_second", **RATE_AT_1024)
    (verdict,) = verdicts.decide(of_rate, rows, "data")
    assert (verdict.finding.verdict, verdict.finding.evidence) == (
        judging.HOLDS,
        verdicts.PREDICTED,
    )
    assert verdict.finding.ratio == 1.5
    assert verdict.finding.interval == pytest.approx((1.5 / 1.1, 1.5 * 1.1))
