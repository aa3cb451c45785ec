"""On which generations lore holds: a folded table of the front page."""

from collections.abc import Sequence
from dataclasses import dataclass

from notebook.base.text import markdown_cell
from notebook.data import device_names
from notebook.decide import judging
from notebook.decide.claims import Claim
from notebook.decide.tables import ChapterVerdicts

_HOLDS, _PARTLY, _NOT, _OPEN = range(4)
_ANSWERS = {
    judging.REPRODUCED: _HOLDS,
    judging.STRONGER: _HOLDS,
    judging.HOLDS: _HOLDS,
    judging.WEAKER: _PARTLY,
    judging.NO_EFFECT: _NOT,
    judging.OPPOSITE: _NOT,
    judging.DOES_NOT_HOLD: _NOT,
}
_NONE = "–"


@dataclass(frozen=True)
class Words:
    """The words of the table in one language."""

    header: tuple[str, str, str, str, str]
    every: str | None = None  # all generations, where it is not English


ENGLISH = Words(("lore", "holds", "partly, or it depends", "does not", "open"))
CHINESE = Words(
    ("经验之谈", "成立", "部分成立或视情况而定", "不成立", "未定"),
    "各代",
)


def row(decided: ChapterVerdicts, claim: Claim, lore: str, words: Words) -> list[str]:
    """The generations by what was measured of them, or else by their emulated GPU."""
    every = [
        result.device
        for result in decided.results
        if result.device.startswith(device_names.EMULATED)
    ]
    groups: list[list[str]] = [[] for _ in range(4)]
    for device in every:
        measured = _of(decided, claim, _gpus(decided, device.removeprefix(device_names.EMULATED)))
        emulated = _of(decided, claim, [device])
        answers = _answers(measured) or _answers(emulated)
        if answers or emulated != {judging.DOES_NOT_APPLY}:
            groups[_together(answers)].append(device)
    return [markdown_cell(lore), *(_named(group, every, words) for group in groups)]


def _gpus(decided: ChapterVerdicts, generation: str) -> list[str]:
    return [
        result.device
        for result in decided.results
        if result.kind == "gpu" and result.generation == generation
    ]


def _of(decided: ChapterVerdicts, claim: Claim, devices: Sequence[str]) -> set[str]:
    """The verdicts of these devices."""
    return {
        verdict.finding.verdict
        for verdict in decided.by_claim.get(claim.id, [])
        if verdict.device in devices
    }


def _answers(verdicts: set[str]) -> set[int]:
    return {_ANSWERS[verdict] for verdict in verdicts if verdict in _ANSWERS}


def _together(answers: set[int]) -> int:
    """Of sizes and cache states that are decided: where it holds for some of them alone, it depends."""
    if len(answers) == 1:
        return next(iter(answers))
    return _PARTLY if _HOLDS in answers else _NOT if answers else _OPEN


def _named(devices: Sequence[str], every: Sequence[str], words: Words) -> str:
    if words.every and devices and len(devices) == len(every):
        return words.every
    return device_names.together(devices, every) or _NONE
