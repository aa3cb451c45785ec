"""The tables of common/timing/validation.md about the times that other people printed."""

from collections.abc import Iterable
from statistics import median

from notebook.base.project import Project
from notebook.published.times import Errors, Table, read, tables
from notebook.timing import errors as time_errors

WORST_TIME, WORST_RATIO, WORST_RANK = 0.35, 0.20, 0.8
SMALLEST_SPREAD = 1.5  # of a table's times: below it their order says little

# Which generation an emulated GPU is of.
Generations = dict[str, str]


def is_worse(errors: Errors) -> list[str]:
    """In what a table is beside the limits, in words; [] where it is not."""
    ratios = errors.ratios()
    reasons = []
    if errors.absolute > WORST_TIME:
        reasons.append("times")
    if ratios and median(ratios) > WORST_RATIO:
        reasons.append("ratios")
    if errors.rank is not None and errors.rank < WORST_RANK:
        reasons.append("order")
    return reasons


def lines(project: Project, generations: Generations) -> list[str]:
    """Markdown: each table, each generation, all together, and what is worse and why."""
    described = {table.name: table for table in tables(project)}
    errors_by_table = read(project)
    everything = Errors([row for errors in errors_by_table.values() for row in errors.rows])
    return [
        _summary(everything, errors_by_table, generations),
        "",
        *_by_generation(errors_by_table, generations),
        "",
        "<details><summary>Each table</summary>",
        "",
        f"| table | times | timed by | {' | '.join(time_errors.HEADINGS)} | beyond |",
        "|---" * (len(time_errors.HEADINGS) + 4) + "|",
        *(_table_line(described[name], errors) for name, errors in errors_by_table.items()),
        "",
        "</details>",
        "",
        *_reasons(described, errors_by_table),
    ]


def _table_line(table: Table, errors: Errors) -> str:
    cells = time_errors.errors_of([_pairs(errors)]).cells()
    return f"| {' | '.join([table.name, str(len(errors.rows)), table.timed, *cells, ', '.join(is_worse(errors))])} |"


def _pairs(errors: Errors) -> list[time_errors.Pair]:
    return [(row.predicted, row.seconds) for row in errors.rows]


def _by_generation(errors_of: dict[str, Errors], generations: Generations) -> list[str]:
    order: dict[str, list[Errors]] = {}
    for errors in errors_of.values():
        order.setdefault(generations[errors.rows[0].gpu], []).append(errors)
    headings = ("generation", "GPUs", "times", *time_errors.HEADINGS)
    lines = [f"| {' | '.join(headings)} |", "|---" * len(headings) + "|"]
    for generation in dict.fromkeys(generations.values()):
        if generation in order:
            of_one = order[generation]
            gpus = {row.gpu for errors in of_one for row in errors.rows}
            found = time_errors.errors_of(map(_pairs, of_one))
            cells = (generation, str(len(gpus)), str(found.times), *found.cells())
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def _summary(everything: Errors, errors_of: dict[str, Errors], generations: Generations) -> str:
    gpus = {row.gpu for row in everything.rows}
    found = time_errors.errors_of(map(_pairs, errors_of.values()))
    eras = len({generations[gpu] for gpu in gpus})
    return (
        f"{len(everything.rows)} printed times of {len(gpus)} GPUs of {eras} generations: MAPE {found.mean:.1%}, "
        f"median {found.median:.1%}; {found.ratios_right:.0%} of ratios within a table are right within 20 %."
    )


def _reasons(described: dict[str, Table], errors_of: dict[str, Errors]) -> Iterable[str]:
    worse = {name: words for name, errors in errors_of.items() if (words := is_worse(errors))}
    yield (
        f"<details><summary>{len(worse)} of {len(errors_of)} tables lie beyond a limit ({WORST_TIME:.0%} of times, "
        f"{WORST_RATIO:.0%} of ratios, {WORST_RANK} of rank correlation), and why</summary>"
    )
    yield ""
    for name, words in worse.items():
        yield f"- {name} ({', '.join(words)}): {reason_of(described[name], errors_of[name])}."
    yield from ("", "</details>")


def reason_of(table: Table, errors: Errors) -> str:
    """Why a table is beyond the limits; "" where no reason is known."""
    if not table.reason and is_worse(errors) == ["order"] and errors.spread < SMALLEST_SPREAD:
        return f"its times differ by {errors.spread - 1:.0%} at most"
    return table.reason
