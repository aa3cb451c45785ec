"""Predicted verdicts: given only where the model's own errors leave no doubt, and marked."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import synthetic
from test_verdicts import BASELINE, VARIANT, claim, result

from notebook import prediction, tables, transfer, verdicts
from notebook.errors import take_refused
from notebook.prediction import MIN_ERRORS, predicted_interval
from notebook.project import Project
from notebook.verdicts import Verdict


@pytest.fixture
def errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of errors in place of the repository's."""
    monkeypatch.setattr(
        Project, "here", staticmethod(lambda *_: Project(tmp_path, tmp_path / "data"))
    )
    prediction._log_errors.cache_clear()
    table = tmp_path / prediction.TABLE
    table.parent.mkdir(parents=True)
    return table


def write(table: Path, measured: list[float], architecture: str = "hopper") -> None:
    lines = [",".join(prediction.COLUMNS)]
    lines += [f"{architecture},01,a,b,1.0,{ratio}" for ratio in measured]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")


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
    assert (finding.finding.verdict, finding.finding.evidence) == (verdicts.TOO_CLOSE, "")
    assert (
        finding.finding.reason
        == "the error band of the predicted ratio includes a boundary or is not known"
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
    assert (finding.verdict, finding.evidence) == (verdicts.REPRODUCED, verdicts.PREDICTED)
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
    assert finding.finding.verdict == verdicts.TOO_CLOSE
    assert finding.finding.evidence == ""


@pytest.mark.parametrize("changes", [{"regimes": ("n:2048",)}, {"metric": "flops_per_second"}])
def test_what_is_not_predicted_needs_a_gpu(errors: Path, changes: dict[str, Any]) -> None:
    write(errors, [1.2] * MIN_ERRORS)
    (finding,) = decide(2.0, **changes)
    assert finding.finding.verdict == verdicts.NEEDS_GPU
    assert finding.finding.evidence == ""


def test_a_ratio_of_rates_is_that_of_the_times_the_other_way_round(errors: Path) -> None:
    write(errors, [1.2] * MIN_ERRORS)
    of_rates = {"metric": "bytes_per_second", "direction": "lower"}
    (verdict,) = decide(2.0, **of_rates)
    assert verdict.finding.verdict == verdicts.REPRODUCED
    assert verdict.finding.ratio == pytest.approx(0.5)
    assert verdict.finding.interval == pytest.approx((0.5 / 1.2, 0.5 * 1.2))
    (of_more_work,) = decide(2.0, work=9000.0, **of_rates)
    assert of_more_work.finding.verdict == verdicts.NEEDS_GPU
    (of_parameters,) = decide(2.0, chapter=prediction.HIERARCHY, **of_rates)
    assert of_parameters.finding.verdict == verdicts.NEEDS_GPU


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
