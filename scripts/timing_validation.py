#!/usr/bin/env python3
"""Predicted times against measured ones: the tables in data/timing and of the pages of common/timing.

    scripts/timing_validation.py [--data DIR]

Writes data/timing/validation.csv (times), data/timing/ratio_errors.csv (the ratios that claims are
about, from which verdicts take the error of a prediction), and for generations without such ratios
data/timing/gpu_errors.csv (ratios of each GPU) and data/timing/transfer.csv (whether errors carry
over). Reads the times that the emulated H200 predicts (data/emulated-hopper) and those that an H200 took
(data/nvidia-h200); --data names another folder that has the predictions. The times that other people
printed are compared, too: those that scripts/timing_published.py predicted.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import timing_programs
from notebook.base import csv_table
from notebook.base.project import Project
from notebook.data import names
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.devices import emulable
from notebook.data.results import Result, read
from notebook.decide import claims, prediction, tables, transfer, verdicts
from notebook.decide.judging import INCONCLUSIVE, NEEDS_GPU, NO_DATA, TOO_CLOSE, WITHOUT_EVIDENCE
from notebook.published import table as published_table
from notebook.published import times as published_times
from notebook.published import transfer_table
from notebook.published.times import ClaimedRatio
from notebook.timing import errors, parameters, sets

H200 = prediction.VALIDATED  # as it is emulated
PREDICTED, MEASURED = f"emulated-{H200}", "nvidia-h200"
# Parameters come from its times, which therefore judge nothing.
HIERARCHY = "00_memory_hierarchy"
# Ratios of fewer GPUs say nothing of the others of their generation.
MIN_GPUS = 3
WORST = 0.15  # mean error of a kernel that the page names
LAST_COUNTED = "20"  # chapter
UNDECIDED = (INCONCLUSIVE, TOO_CLOSE, NEEDS_GPU)
PAGE, VALIDATION_PAGE = Path("common/timing/README.md"), Path("common/timing/validation.md")
FAILURES, PROGRAMS = "<!-- timing:failures -->", "<!-- timing:programs -->"
SETS, PARAMETERS = "<!-- timing:sets -->", "<!-- timing:parameters -->"
VALIDATION, PUBLISHED = "<!-- timing:validation -->", "<!-- timing:published -->"
TRANSFER = "<!-- timing:transfer -->"
END = "<!-- timing:end -->"


@dataclass(frozen=True)
class Timed:
    """A benchmark's time, as predicted and as measured."""

    chapter: str
    name: str
    predicted: float
    bound: str
    measured: float


def pairs_of(predicted: Result, measured: Result) -> list[Timed]:
    """The benchmarks of a chapter that have both times."""
    pairs = []
    for name, rows in predicted.by_name.items():
        times = [row.time_us for row in measured.by_name.get(name, [])]
        if not times or rows[0].predicted_seconds <= 0:
            continue
        seconds = statistics.median(times) * 1e-6
        row = rows[0]
        pairs.append(
            Timed(predicted.chapter, name, row.predicted_seconds, row.predicted_bound, seconds)
        )
    return pairs


def write(pairs: Iterable[Timed], path: Path) -> None:
    cells = (
        (*(pair.chapter, pair.name), f"{pair.predicted:.4g}", pair.bound, f"{pair.measured:.4g}")
        for pair in pairs
    )
    csv_table.write(path, prediction.TIMES_COLUMNS, cells)


def write_ratios(ratios: Iterable[ClaimedRatio], generations: dict[str, str], path: Path) -> None:
    """A ratio once, however many claims are about it."""
    once = {
        (*(each.gpu, each.chapter, each.name, each.baseline), each.predicted, each.found): each
        for each in ratios
    }
    csv_table.write(
        path,
        prediction.COLUMNS,
        (
            [
                *(generations[ratio.gpu], ratio.chapter, ratio.name, ratio.baseline, ratio.level),
                *(f"{value:.4g}" for value in (ratio.predicted, ratio.found)),
            ]
            for ratio in once.values()
        ),
    )


def measured_ratios(
    chapters: Iterable[tuple[Chapter, Result, Result]],
) -> Iterator[ClaimedRatio]:
    """The ratios of two times that claims are about, predicted and measured."""
    for chapter, predicted, measured in chapters:
        pairs = pairs_of(predicted, measured)
        by_place = {(names.variant(pair.name), names.regime(pair.name)): pair for pair in pairs}
        for claim in claims.load(chapter):
            if claim.is_counted or claim.baseline is None:
                continue
            for (variant, regime), times in by_place.items():
                baseline = by_place.get((claim.baseline, regime))
                if variant != claim.variant or baseline is None:
                    continue
                ratios = (times.predicted / baseline.predicted, times.measured / baseline.measured)
                place = (H200, chapter.number, claim, times.name, baseline.name)
                yield ClaimedRatio(
                    *place, *ratios, prediction.level_of_launch(predicted.by_name[times.name])
                )


def of_several_gpus(
    printed: Iterable[ClaimedRatio], generations: dict[str, str]
) -> Iterator[ClaimedRatio]:
    """Ratios of generations with printed times of several GPUs, and no GPU of ours."""
    printed = list(printed)
    gpus: dict[str, set[str]] = {}
    for ratio in printed:
        gpus.setdefault(generations[ratio.gpu], set()).add(ratio.gpu)
    for ratio in printed:
        generation = generations[ratio.gpu]
        if generation != generations[H200] and len(gpus[generation]) >= MIN_GPUS:
            yield ratio


def table(by_chapter: dict[str, list[Timed]]) -> list[str]:
    return errors.table("chapter", {name: pairs_by_time(of) for name, of in by_chapter.items()})


def failures(by_chapter: dict[str, list[Timed]]) -> list[str]:
    """Markdown: the kernels whose mean error is above WORST, worst first, with the least and the greatest ratio."""
    kernels: dict[tuple[str, str], list[errors.Pair]] = {}
    for chapter, timed in by_chapter.items():
        for each in timed:
            kernel = each.name.partition("/")[0]
            kernels.setdefault((chapter, kernel), []).append((each.predicted, each.measured))
    found = {place: errors.errors_of([pairs]) for place, pairs in kernels.items()}
    worst = sorted(
        (place for place in found if found[place].mean > WORST),
        key=lambda place: -found[place].mean,
    )
    lines = ["| chapter | kernel | times | MAPE | predicted ÷ measured |", "|---|---|---|---|---|"]
    for chapter, kernel in worst:
        ratios = [predicted / measured for predicted, measured in kernels[chapter, kernel]]
        cells = (
            *(
                chapter,
                f"`{kernel}`",
                str(len(ratios)),
                f"{100 * found[chapter, kernel].mean:.0f} %",
            ),
            f"{min(ratios):.2f} to {max(ratios):.2f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def pairs_by_time(timed: list[Timed]) -> list[errors.Pair]:
    return [(each.predicted, each.measured) for each in timed]


def agreement(pairs_of_chapters: list[tuple[Chapter, Result, Result]]) -> list[str]:
    """How predicted verdicts about time compare with the measured ones."""
    words = [
        (f"{chapter.name} {claim.id}", regime, word, real)
        for chapter, predicted, measured in pairs_of_chapters
        for claim in claims.load(chapter)
        if not claim.is_counted
        for regime, word, real in both_words(claim, predicted, measured)
    ]
    decided = [each for each in words if each[2] not in UNDECIDED]
    wrong = [each for each in decided if each[2] != each[3]]
    for place, regime, word, real in wrong:
        print(f"{place} {regime}: {word}, measured {real}", file=sys.stderr)
    equal = len(decided) - len(wrong)
    compared_claims, decided_claims = (
        len({place for place, *_ in some}) for some in (words, decided)
    )
    return [
        f"Verdicts about time: {compared_claims} claims can be compared, {decided_claims} are decided in a "
        f"regime or more ({share(decided_claims, compared_claims)}). Of {len(words)} verdicts, one for each "
        f"regime of a claim, {len(decided)} are decided ({share(len(decided), len(words))}), {equal} of "
        f"these agree ({share(equal, len(decided))})."
    ]


def undecided(project: Project) -> list[str]:
    """How many verdicts predictions leave open; only of older chapters, whose claims were counted before, too."""
    older = (each for each in all_chapters(project) if each.number <= LAST_COUNTED)
    decided = [tables.decide_chapter(project, chapter) for chapter in older]
    words = Counter(each.finding.verdict for of in decided for each in of.verdicts)
    count = sum(len(of.by_claim) for of in decided)
    return [
        f"Of the verdicts of {count} claims (chapters 00 to {LAST_COUNTED}) on ten emulated generations, "
        f"{words[TOO_CLOSE]:,} are {TOO_CLOSE} and {words[NEEDS_GPU]} say {NEEDS_GPU}."
    ]


def share(part: int, whole: int) -> str:
    return f"{part / max(1, whole):.0%}"


def both_words(
    claim: claims.Claim, predicted: Result, measured: Result
) -> Iterator[tuple[str, str, str]]:
    """The regimes that both have, with the predicted and the measured verdict."""
    truth = {
        verdict.regime: verdict.finding.verdict for verdict in verdicts.decide(claim, measured, "")
    }
    words = {
        verdict.regime: verdict.finding.verdict for verdict in verdicts.decide(claim, predicted, "")
    }
    for regime in prediction.predicted_numbers(claim, predicted):
        real = truth.get(regime, NO_DATA)
        if real not in (INCONCLUSIVE, *WITHOUT_EVIDENCE):
            yield regime, words.get(regime, TOO_CLOSE), real


def fill_in(page: Path, begin: str, lines: list[str]) -> None:
    """Replaces what stands between `begin` and the next END."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(END)[2]
    text = "\n".join([before + begin, "", *lines, "", END + after])
    page.write_text(text, encoding="utf-8")


def found_in(data: Path, project: Project) -> list[tuple[Chapter, Result, Result]]:
    """The chapters that are predicted and measured."""
    places = []
    for chapter in all_chapters(project):
        if chapter.name == HIERARCHY:
            continue
        predicted = data / PREDICTED / f"{chapter.name}.json"
        measured = project.data / MEASURED / f"{chapter.name}.json"
        if predicted.exists() and measured.exists():
            places.append((chapter, read(predicted, chapter), read(measured, chapter)))
    return places


def programs_summary(project: Project) -> list[str]:
    """Markdown: a line for each program, with the errors of all rows and the median of those that judge."""
    lines = [
        "| program | rows | MAPE | median | within 20 % | rows that judge | their median |",
        "|---|---|---|---|---|---|---|",
    ]
    for table in timing_programs.TABLES:
        pairs = table.pairs(project)
        found = errors.errors_of([[pair for pair, _ in pairs]])
        judging = [pair for pair, judges in pairs if judges]
        cells = [
            f"[{table.program}](../../{table.path})",
            str(found.times),
            *(f"{100 * share:.1f} %" for share in (found.mean, found.median)),
            f"{100 * found.times_right:.0f} %",
            str(len(judging)),
            f"{100 * errors.errors_of([judging]).median:.1f} %" if judging else "-",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def written(path: Path) -> dict[str, list[Timed]]:
    """The times in a table, as far as it has their digits, by chapter."""
    by_chapter: dict[str, list[Timed]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            times = float(row["predicted_seconds"]), float(row["measured_seconds"])
            pair = Timed(row["chapter"], row["name"], times[0], row["predicted_bound"], times[1])
            by_chapter.setdefault(row["chapter"], []).append(pair)
    return by_chapter


def main() -> int:
    project = Project.here()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=project.data, help="has the predictions")
    data = parser.parse_args().data
    by_chapter_found = found_in(data, project)
    by_chapter = {chapter.name: pairs_of(*both) for chapter, *both in by_chapter_found}
    by_chapter = {name: pairs for name, pairs in by_chapter.items() if pairs}
    if not by_chapter:
        again = "scripts/lab run --device emulated:hopper --keep"
        print(f"error: no predicted times in {data / PREDICTED}; run: {again}", file=sys.stderr)
        return 1
    write(
        (pair for pairs in by_chapter.values() for pair in pairs), project.root / prediction.TIMES
    )
    # The tables of the page have the digits of the file.
    by_chapter = written(project.root / prediction.TIMES)
    generations = {name: row["generation"] for name, row in emulable(project).items()}
    measured = list(measured_ratios(by_chapter_found))
    printed = list(published_times.claimed_ratios(project, all_chapters(project)))
    slugs = {name: generation.lower() for name, generation in generations.items()}
    ratios = [*measured, *of_several_gpus(printed, slugs)]
    write_ratios(ratios, slugs, project.root / prediction.TABLE)
    trials = tried(project, measured, printed, slugs)
    agreed = agreement(by_chapter_found)
    for page, begin, lines in (
        (PAGE, SETS, [*sets.lines(sets.all_sets(project)), "", *agreed, "", *undecided(project)]),
        (PAGE, PARAMETERS, parameters.lines(project)),
        (VALIDATION_PAGE, VALIDATION, table(by_chapter)),
        (VALIDATION_PAGE, FAILURES, failures(by_chapter)),
        (VALIDATION_PAGE, PROGRAMS, programs_summary(project)),
        (VALIDATION_PAGE, TRANSFER, transfer_table.lines(trials)),
        (VALIDATION_PAGE, PUBLISHED, published_table.lines(project, generations)),
    ):
        fill_in(project.root / page, begin, lines)
        print("\n".join(lines))
    return 0


def tried(
    project: Project,
    measured: list[ClaimedRatio],
    printed: list[ClaimedRatio],
    generations: dict[str, str],
) -> list[transfer.Trial]:
    """Whether errors carry over between generations, written with the errors that tell."""
    tables = published_times.read(project).values()
    error_rows = transfer_table.error_rows(tables, measured, generations)
    csv_table.write(project.root / transfer.ERRORS, transfer.ERRORS_COLUMNS, error_rows)
    errors = transfer.read_errors(project.root / transfer.ERRORS)
    judged = transfer_table.judged(tables, [*measured, *printed], generations)
    trials = list(transfer_table.trials(dict.fromkeys(generations.values()), errors, judged))
    rows = transfer_table.trial_rows(trials)
    csv_table.write(project.root / transfer.TRIALS, transfer.TRIALS_COLUMNS, rows)
    return trials


if __name__ == "__main__":
    sys.exit(main())
