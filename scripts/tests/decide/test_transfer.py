"""The band of a generation without errors of its own: worked out by hand."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from notebook.base.project import Project
from notebook.data.chapters import all_chapters
from notebook.data.devices import emulable
from notebook.decide import transfer
from notebook.decide.transfer import (
    ALIKE,
    RatioError,
    Trial,
    contradicts,
    half_width,
    is_accepted,
    nearest,
)
from notebook.published import times as published_times
from notebook.published import transfer_table
from notebook.published.times import Compared, Errors


def gpu(*errors: float, size: float = 1.0) -> list[RatioError]:
    return sorted(RatioError(size, error) for error in errors)


def test_the_gpu_in_question_weighs_as_much_as_each_other() -> None:
    """With nine others it has a tenth: the band holds all that they err. With eight, no band is wide enough."""
    gpus = [gpu(0.1 * (1 + i)) for i in range(9)]
    assert half_width(1.0, gpus, [], 0.9) == pytest.approx(0.9)
    assert half_width(1.0, gpus[:8], [], 0.9) is None
    assert half_width(1.0, [], [], 0.9) is None


def test_a_gpu_of_many_ratios_weighs_no_more_than_one_of_a_single_one() -> None:
    """19 GPUs: a twentieth each. Two may err more than the band of 90 %, minus the one in question: one."""
    wrong = [gpu(2.0), gpu(*[1.0] * ALIKE)]
    right = [gpu(0.1) for _ in range(17)]
    assert half_width(1.0, [*right, *wrong], [], 0.9) == 1.0
    assert half_width(1.0, [*right, gpu(0.1), wrong[0]], [], 0.9) == 0.1


def test_ratios_of_similar_size_count() -> None:
    near, far = gpu(*[0.1] * ALIKE, size=0.2), gpu(*[3.0] * ALIKE, size=5.0)
    errors = sorted(near + far)
    assert nearest(0.0, errors) == near
    assert nearest(9.0, errors) == far
    assert half_width(0.3, [errors] * 9, [], 0.9) == pytest.approx(0.1)
    assert half_width(4.0, [errors] * 9, [], 0.9) == pytest.approx(3.0)


def test_the_band_grows_with_the_share_and_with_any_error() -> None:
    gpus = [gpu(*(0.01 * i * j for j in range(1, 5))) for i in range(1, 31)]
    widths = [half_width(1.0, gpus, [], share) or 0.0 for share in (0.5, 0.8, 0.9, 0.95)]
    assert widths == sorted(widths)
    worse = [[RatioError(error.size, 2 * error.error) for error in one] for one in gpus]
    assert half_width(1.0, worse, [], 0.9) == pytest.approx(2 * widths[2])


def test_errors_of_the_generation_itself_only_widen_the_band() -> None:
    others = [gpu(*[0.2] * ALIKE) for _ in range(20)]
    assert half_width(1.0, others, [gpu(0.1, 0.1)], 0.9) == 0.2
    assert half_width(1.0, others, [gpu(*[0.1] * 8, 1.0, 1.0)], 0.9) == 1.0
    assert half_width(1.0, others, [gpu(*[0.1] * 9, 1.0)], 0.9) == 0.2
    assert half_width(1.0, [], [gpu(*[0.1] * ALIKE)], 0.9) is None


# ---- what is asked for before it decides


def trials(*counts: tuple[int, int, int, int]) -> list[Trial]:
    """Of generations a, b, …: judged, in the band, decided, right."""
    return [Trial(chr(ord("a") + i), "ratio", *of_one) for i, of_one in enumerate(counts)]


def test_19_of_20_verdicts_of_three_generations_must_be_right() -> None:
    assert is_accepted(trials((20, 20, 14, 14), (20, 20, 3, 3), (20, 20, 23, 21)))
    assert not is_accepted(trials((20, 20, 14, 14), (20, 20, 3, 3), (20, 20, 23, 20)))
    assert not is_accepted(trials((20, 20, 14, 14), (20, 20, 15, 15), (20, 20, 0, 0)))
    assert not is_accepted(trials((20, 20, 9, 9), (20, 20, 10, 10), (20, 20, 10, 10)))
    assert not is_accepted([])


def test_what_a_generation_itself_shows_can_take_the_band_away() -> None:
    shown = trials((9, 0, 9, 0), (10, 8, 0, 0), (10, 9, 9, 0), (20, 20, 10, 9), (20, 20, 20, 19))
    assert [contradicts(shown, trial.architecture, 0.9) for trial in shown] == [
        *(False, True, False, True, False)
    ]


# ---- a generation left out


def table(gpu: str, **times: tuple[float, float]) -> Errors:
    """A table of printed times: of each kernel the predicted and the printed one."""
    return Errors(
        [
            Compared("t", gpu, f"{run}/n:1", printed, predicted)
            for run, (predicted, printed) in times.items()
        ]
    )


def tried(tables: list[Errors]) -> dict[str, Trial]:
    """Of GPUs that are named for their generation: `a`, or `a2`."""
    generations = {gpu: gpu[0] for gpu in (errors.rows[0].gpu for errors in tables)}
    by_gpu: dict[tuple[str, str], list[RatioError]] = {}
    for generation, name, *ratios in transfer_table.error_rows(tables, [], generations):
        by_gpu.setdefault((generation, name), []).append(RatioError.of(*map(float, ratios)))
    judged = transfer_table.judged(tables, [], generations)
    every = transfer_table.trials("abc", by_gpu, judged)
    return {trial.architecture: trial for trial in every if trial.kind == transfer_table.RATIO}


def alike(names: str, printed: float) -> list[Errors]:
    """Ten GPUs a generation that predict 2."""
    return [
        table(f"{name}{i}", slow=(2.0, printed), fast=(1.0, 1.0))
        for name in names
        for i in range(10)
    ]


def test_a_generation_is_judged_by_the_others() -> None:
    """All others are off by a tenth: 2.0 is decided, and 2.2 lies in the band."""
    found = tried(alike("abc", 2.2))
    assert found["a"] == Trial("a", "ratio", judged=10, in_band=10, decided=10, right=10)
    assert found == {name: Trial(name, "ratio", 10, 10, 10, 10) for name in "abc"}


def test_a_band_that_does_not_carry_over_is_seen() -> None:
    """Generation c errs otherwise: slow is fast. Its own errors must not widen its band."""
    found = tried([*alike("ab", 2.2), *alike("c", 0.5)])
    assert found["c"] == Trial("c", "ratio", judged=10, in_band=0, decided=10, right=0)
    assert contradicts(list(found.values()), "c", 0.9)
    # In the band of a and b, half of the GPUs now err by 4: nothing is decided.
    assert found["a"] == Trial("a", "ratio", judged=10, in_band=10, decided=0, right=0)
    assert not is_accepted(list(found.values()))


def test_repeated_runs_and_other_sizes_are_no_ratios_to_judge() -> None:
    rows = [
        Compared("t", "a", run, printed, predicted)
        for run, predicted, printed in (
            *(("slow/n:1", 2.0, 2.0), ("slow/n:1", 2.0, 2.2), ("slow/n:1", 2.0, 9.0)),
            *(("fast/n:1", 1.0, 1.0), ("fast/n:2", 2.0, 2.0)),
        )
    ]
    (one,) = transfer_table.judged([Errors(rows)], [], {"a": "a"})
    assert (one.predicted, one.found) == (2.0, 2.2)


# ---- the tracked tables

ROOT = Path(__file__).parents[3]


def test_the_tracked_trials_are_those_of_the_printed_times() -> None:
    """Each ratio of printed times has its line, and the trials follow from them."""
    project = Project(ROOT, ROOT / "data")
    generations = {name: row["generation"].lower() for name, row in emulable(project).items()}
    tables = list(published_times.read(project).values())
    tracked = transfer.read_errors(ROOT / transfer.ERRORS)
    rows = transfer_table.error_rows(tables, [], generations)
    ours = Counter((row[0], row[1]) for row in rows)
    assert {gpu: len(errors) for gpu, errors in tracked.items() if gpu[1] != "hopper"} == {
        gpu: count for gpu, count in ours.items() if gpu[1] != "hopper"
    }
    chapters = all_chapters(project)
    published = {path.stem for path in (ROOT / "data" / "published").glob("[0-9][0-9]_*.csv")}
    if not published <= {chapter.name for chapter in chapters}:
        pytest.skip("a chapter was removed: its claims are among the tracked trials")
    claimed = published_times.claimed_ratios(project, chapters)
    judged = [
        one
        for one in transfer_table.judged(tables, claimed, generations)
        if one.architecture != "hopper"
    ]
    architectures = [trial.architecture for trial in transfer.read_trials(ROOT / transfer.TRIALS)]
    every = transfer_table.trials(dict.fromkeys(architectures), tracked, judged)
    assert [trial for trial in every if trial.architecture != "hopper"] == [
        trial
        for trial in transfer.read_trials(ROOT / transfer.TRIALS)
        if trial.architecture != "hopper"
    ]


def test_a_planted_error_takes_the_tracked_band_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule is accepted as the tables are; with verdicts of a generation wrong it decides nothing."""
    assert transfer.known_half_width(ROOT, 1.0, "fermi", 0.9) is not None
    assert transfer.known_half_width(ROOT, 1.0, "no generation", 0.9) is None
    for path in (transfer.ERRORS, transfer.TRIALS):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    lines = (ROOT / transfer.TRIALS).read_text(encoding="utf-8").splitlines()
    (at,) = (i for i, line in enumerate(lines) if line.startswith("ampere,ratio"))
    cells = lines[at].split(",")
    lines[at] = ",".join([*cells[:-1], str(int(cells[-1]) // 2)])
    (tmp_path / transfer.TRIALS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert transfer.known_half_width(tmp_path, 1.0, "fermi", 0.9) is None


@pytest.mark.parametrize("architecture", ["fermi", "maxwell", "pascal", "volta", "blackwell"])
def test_the_band_in_use_is_no_narrower_than_the_one_that_was_judged(architecture: str) -> None:
    errors = transfer.read_errors(ROOT / transfer.ERRORS)
    others = [of_gpu for (generation, _), of_gpu in errors.items() if generation != architecture]
    for size in (0.0, 0.1, 0.5, 1.0, 2.0, 4.0):
        width = transfer.known_half_width(ROOT, size, architecture, 0.9)
        assert width is not None
        assert width >= (half_width(size, others, [], 0.9) or 0.0)
