"""No predicted verdict contradicts what was printed of its generation without saying so."""

from dataclasses import replace

import pytest
import synthetic
from test_verdicts import claim, result

from notebook.base.project import Project
from notebook.data import published, results
from notebook.data.chapters import Chapter, all_chapters
from notebook.decide import contradictions, tables, verdicts
from notebook.decide.judging import (
    DOES_NOT_HOLD,
    HOLDS,
    INCONCLUSIVE,
    NO_EFFECT,
    OPPOSITE,
    REPRODUCED,
    STRONGER,
    WEAKER,
)
from notebook.decide.verdicts import PREDICTED, PUBLISHED, Finding, Verdict

AMPERE = "emulated-ampere"
RTX = "published:geforce-rtx-3080"
ANY = result([synthetic.row("a/n:1", 1.0)])
RESULTS = [
    replace(ANY, device=AMPERE, is_emulated=True, generation="ampere"),
    replace(ANY, device=RTX, generation="ampere"),
]


def verdict(device: str, word: str, evidence: str, ratio: float, **changes: str) -> Verdict:
    finding = Finding(word, changes.pop("reason", ""), evidence, ratio)
    return Verdict("10_transpose_naive", claim(**changes), device, "", 2020, "data", finding)


def note_of(predicted: Verdict, printed: Verdict) -> str:
    (noted_verdict,) = contradictions.noted([predicted], [printed], RESULTS)
    return noted_verdict.finding.reason


@pytest.mark.parametrize(
    ("predicted", "printed"),
    [
        (REPRODUCED, NO_EFFECT),
        (WEAKER, OPPOSITE),
        (NO_EFFECT, STRONGER),
        (DOES_NOT_HOLD, HOLDS),
    ],
)
def test_the_other_side_is_named(predicted: str, printed: str) -> None:
    note = note_of(
        verdict(AMPERE, predicted, PREDICTED, 2.0), verdict(RTX, printed, PUBLISHED, 0.5)
    )
    assert note == f"printed otherwise: geforce-rtx-3080 {printed} (0.50)"


@pytest.mark.parametrize(
    ("predicted", "printed"),
    [
        (REPRODUCED, WEAKER),
        (STRONGER, REPRODUCED),
        (NO_EFFECT, OPPOSITE),
        (REPRODUCED, INCONCLUSIVE),
    ],
)
def test_the_same_side_is_not(predicted: str, printed: str) -> None:
    both = verdict(AMPERE, predicted, PREDICTED, 2.0), verdict(RTX, printed, PUBLISHED, 0.5)
    assert note_of(*both) == ""


def test_a_reason_is_kept() -> None:
    predicted = verdict(AMPERE, REPRODUCED, PREDICTED, 2.0, reason="first")
    note = note_of(predicted, verdict(RTX, OPPOSITE, PUBLISHED, 0.5))
    assert note.startswith("first; printed otherwise: ")


def test_what_is_counted_or_of_another_claim_has_no_note() -> None:
    printed = verdict(RTX, OPPOSITE, PUBLISHED, 0.5)
    assert note_of(verdict(AMPERE, REPRODUCED, "counted", 2.0), printed) == ""
    other = verdict(AMPERE, REPRODUCED, PREDICTED, 2.0, id="other")
    assert note_of(other, printed) == ""


def test_a_gpu_of_another_generation_says_nothing() -> None:
    results_ = [RESULTS[0], replace(RESULTS[1], generation="fermi")]
    (noted_verdict,) = contradictions.noted(
        [verdict(AMPERE, REPRODUCED, PREDICTED, 2.0)],
        [verdict(RTX, OPPOSITE, PUBLISHED, 0.5)],
        results_,
    )
    assert noted_verdict.finding.reason == ""


REAL = Project.here()
AGREE = {REPRODUCED, STRONGER, WEAKER, HOLDS}
CONTRADICT = {NO_EFFECT, OPPOSITE, DOES_NOT_HOLD}


@pytest.mark.parametrize("chapter", all_chapters(REAL), ids=lambda chapter: chapter.name)
def test_no_predicted_verdict_contradicts_a_printed_one_without_a_note(chapter: Chapter) -> None:
    every = [*results.load_chapter(REAL, chapter), *published.load_chapter(REAL, chapter)]
    generations = {entry.device: entry.generation for entry in every}
    decided = tables.decide_chapter(REAL, chapter).verdicts
    for entry in decided:
        if entry.finding.evidence != verdicts.PREDICTED:
            continue
        for other in decided:
            words = {entry.finding.verdict, other.finding.verdict}
            if (
                other.kind == "published"
                and other.claim.id == entry.claim.id
                and generations[other.device] == generations[entry.device]
                and words & AGREE
                and words & CONTRADICT
            ):
                assert other.device.removeprefix("published:") in entry.finding.reason
