"""The matrix of verdicts: every claim down, every device across, oldest GPU first."""

from dataclasses import dataclass

from notebook.base.text import plain, superscript, terminal_table
from notebook.decide import judging, verdicts
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import Verdict

_LETTERS = {
    judging.REPRODUCED: "R",
    judging.STRONGER: "S",
    judging.WEAKER: "W",
    judging.NO_EFFECT: "N",
    judging.OPPOSITE: "O",
    judging.HOLDS: "H",
    judging.DOES_NOT_HOLD: "X",
    judging.INCONCLUSIVE: "?",
    judging.TOO_CLOSE: "~",
    judging.NEEDS_GPU: "g",
    judging.DOES_NOT_APPLY: "-",
    judging.NO_DATA: "·",
}


@dataclass(frozen=True, order=True)
class Device:
    """A column, in the order of the columns."""

    year: int
    compute_capability: float
    name: str


def devices(decided: list[ChapterVerdicts]) -> list[Device]:
    """Every device that has data of some chapter."""
    return sorted({Device(*result.age) for chapter in decided for result in chapter.results})


def lines(decided: list[ChapterVerdicts]) -> list[str]:
    """The matrix for a terminal, with the devices, the letters and the chapters' reasons."""
    columns = devices(decided)
    notes: list[str] = []
    rows = []
    for chapter in decided:
        for claim in dict.fromkeys(verdict.claim.id for verdict in chapter.verdicts):
            of_claim = [verdict for verdict in chapter.verdicts if verdict.claim.id == claim]
            cells = [_cell(of_claim, column.name, notes) for column in columns]
            rows.append([chapter.chapter.number, claim, *cells, plain(of_claim[0].claim.statement)])
    numbers = [str(number) for number in range(1, len(columns) + 1)]
    meaning = ", ".join(f"{letter} {verdict}" for verdict, letter in _LETTERS.items())
    return [
        *terminal_table(
            ["", "year", "device"],
            [
                [number, str(device.year), device.name]
                for number, device in zip(numbers, columns, strict=True)
            ],
        ),
        "",
        *terminal_table(["", "claim", *numbers, "statement"], rows),
        "",
        meaning,
        "2R 1N: reproduced in two regimes (sizes, states of the caches), no effect in one; pR: predicted",
        *(f"{superscript(number)} {note}" for number, note in enumerate(notes, start=1)),
    ]


def _cell(of_claim: list[Verdict], device: str, notes: list[str]) -> str:
    verdicts_here = [verdict for verdict in of_claim if verdict.device == device]
    kinds = [verdict.finding.verdict for verdict in verdicts_here]
    counted = {kind: kinds.count(kind) for kind in _LETTERS if kind in kinds}
    if len(counted) == 1:
        text = _LETTERS[kinds[0]]
    else:
        text = " ".join(f"{count}{_LETTERS[kind]}" for kind, count in counted.items())
    if any(verdict.finding.evidence == verdicts.PREDICTED for verdict in verdicts_here):
        text = f"p{text}"
    for because in dict.fromkeys(
        plain(verdict.because) for verdict in verdicts_here if verdict.because
    ):
        if because not in notes:
            notes.append(because)
        text += superscript(notes.index(because) + 1)
    return text
