"""The tables of common/timing/README.md about the times that other people printed."""

from collections.abc import Iterable
from statistics import median

from notebook.base.project import Project
from notebook.published.times import Compared, Errors, Table, read, tables

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
        "| generation | GPUs | times | error of times | error of ratios |",
        "|---|---|---|---|---|",
        *_by_generation(errors_by_table, generations),
        "",
        "<details><summary>Each table</summary>",
        "",
        "| table | times | timed by | slowest / fastest | error of times | of ratios | rank correlation | beyond |",
        "|---|---|---|---|---|---|---|---|",
        *(_table_line(described[name], errors) for name, errors in errors_by_table.items()),
        "",
        "</details>",
        "",
        *_reasons(described, errors_by_table),
    ]


def _table_line(table: Table, errors: Errors) -> str:
    rank = "-" if errors.rank is None else f"{errors.rank:.2f}"
    cells = [
        table.name,
        str(len(errors.rows)),
        table.timed,
        f"{errors.spread:.1f}",
        f"{errors.absolute:.0%}",
        _median(errors.ratios()),
        rank,
        ", ".join(is_worse(errors)),
    ]
    return "| " + " | ".join(cells) + " |"


def _median(ratios: list[float]) -> str:
    return f"{median(ratios):.0%}" if ratios else "-"


def _by_generation(errors_of: dict[str, Errors], generations: Generations) -> Iterable[str]:
    order: dict[str, list[Errors]] = {}
    for errors in errors_of.values():
        order.setdefault(generations[errors.rows[0].gpu], []).append(errors)
    for generation in dict.fromkeys(generations.values()):
        if generation in order:
            of_one = order[generation]
            rows = [row for errors in of_one for row in errors.rows]
            ratios = [ratio for errors in of_one for ratio in errors.ratios()]
            cells = [
                generation,
                str(len(_gpus(rows))),
                str(len(rows)),
                f"{Errors(rows).absolute:.0%}",
                _median(ratios),
            ]
            yield "| " + " | ".join(cells) + " |"


def _gpus(rows: Iterable[Compared]) -> set[str]:
    return {row.gpu for row in rows}


def _summary(everything: Errors, errors_of: dict[str, Errors], generations: Generations) -> str:
    gpus = _gpus(everything.rows)
    ratios = [ratio for errors in errors_of.values() for ratio in errors.ratios()]
    medians = [median(of_one) for errors in errors_of.values() if (of_one := errors.ratios())]
    ranks = [errors.rank for errors in errors_of.values() if errors.rank is not None]
    good = sum(rank >= WORST_RANK for rank in ranks)
    eras = len({generations[gpu] for gpu in gpus})
    return (
        f"{len(everything.rows)} printed times of {len(gpus)} GPUs of {eras} generations. Median error of the "
        f"times: {everything.absolute:.0%}; of the {len(ratios):,} ratios of two times of a table: "
        f"{median(ratios):.0%}, mean of the tables' medians {sum(medians) / len(medians):.0%}. Rank correlation of "
        f"at least {WORST_RANK} in {good} of the {len(ranks)} tables of five or more variants."
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
