"""What `lab verdicts` prints: a chapter's answer, then for each GPU what held and what fell.

A claim counts once a GPU: it holds if it does at every size and state of the caches, it falls if it
does at none, and in between it is said to hold at some sizes.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from notebook.base.project import Project
from notebook.base.text import plain, wrapped
from notebook.data import device_names
from notebook.decide import judging, outcomes
from notebook.decide.claims import Claim
from notebook.decide.outcomes import Outcome
from notebook.decide.tables import ChapterVerdicts, said_by
from notebook.pages import chapter_page

HELD, PARTLY, FELL, OPEN = "holds", "holds at some sizes", "falls", "is open"
# Each with its plural.
STANDINGS = {HELD: "hold", PARTLY: "hold at some sizes", FELL: "fall", OPEN: "are open"}
MAX_NAMED = 3
# The claims that fall, the most surprising first.
_ORDER = (judging.OPPOSITE, judging.NO_EFFECT, judging.DOES_NOT_HOLD, judging.WEAKER)
_HOLDS = (*judging.CONFIRMED, judging.STRONGER)
_INDENT = "    "


@dataclass(frozen=True)
class Standing:
    """How a claim stands on a device, by all its regimes there."""

    claim: Claim
    outcome: Outcome
    word: str

    @property
    def line(self) -> str:
        """`Offset 11 is slower (Cheng 2014, ch. 4): no effect, 1.01–1.02×`."""
        text = f"{self.outcome.verdict}, {self.outcome.value}"
        return plain(f"{self.claim.statement.rstrip('.')} ({said_by(self.claim)}): {text}")


def standing(words: Iterable[str]) -> str:
    """How a claim stands whose regimes have these verdicts."""
    decided = {word in _HOLDS for word in words if word != judging.INCONCLUSIVE}
    if not decided:
        return OPEN
    return PARTLY if len(decided) == 2 else HELD if True in decided else FELL


def standings(decided: ChapterVerdicts) -> dict[str, list[Standing]]:
    """By device, each claim that it has data of; of emulated GPUs, too."""
    by_word: dict[str, list[Standing]] = {}
    for claim in _claims(decided):
        for outcome in outcomes.of_devices(decided, claim):
            for device in outcome.slugs:
                claim_standing = Standing(claim, outcome, standing(outcome.words))
                by_word.setdefault(device, []).append(claim_standing)
    return by_word


def lines(project: Project, decided: Iterable[ChapterVerdicts]) -> list[str]:
    """The page for a terminal."""
    text: list[str] = []
    totals: dict[str, Counter[str]] = {}
    for chapter_verdicts in decided:
        by_word = standings(chapter_verdicts)
        for device, of_device in by_word.items():
            totals.setdefault(device, Counter()).update(one.word for one in of_device)
        text += _chapter(project, chapter_verdicts, by_word)
    return [*text, *_totals(totals)]


def _claims(decided: ChapterVerdicts) -> list[Claim]:
    return list({verdict.claim.id: verdict.claim for verdict in decided.verdicts}.values())


def _chapter(
    project: Project, decided: ChapterVerdicts, standings: dict[str, list[Standing]]
) -> list[str]:
    text = [f"{decided.chapter.name}  {plain(decided.chapter.question)}".rstrip()]
    text += wrapped(plain(chapter_page.answer_or_reason(project, decided)), _INDENT)
    measured = [result.device for result in decided.results if result.kind == "gpu"]
    for device in measured:
        text += _device(device, standings.get(device, []))
    return [*text, ""]


def counts(standings: list[Standing]) -> str:
    """`of 30 claims 24 hold, 5 fall, 1 is open`."""
    return _counts(Counter(one.word for one in standings))


def _device(device: str, standings: list[Standing]) -> list[str]:
    text = [f"{_INDENT}{device_names.short(device)}: {counts(standings)}"]
    fallen = sorted(
        (claim_standing for claim_standing in standings if claim_standing.word == FELL),
        key=lambda claim_standing: (
            _ORDER.index(claim_standing.outcome.words[0])
            if claim_standing.outcome.words[0] in _ORDER
            else len(_ORDER)
        ),
    )
    for claim_standing in fallen[:MAX_NAMED]:
        first, *rest = wrapped(claim_standing.line, f"{_INDENT}    ")
        text += [f"{_INDENT}  ✗ {first.strip()}", *rest]
    if more := len(fallen) - MAX_NAMED:
        text += [f"{_INDENT}  ✗ and {more} more"] if more > 0 else []
    return text


def _counts(counted: Counter[str]) -> str:
    """`24 claims hold, 5 fall, 1 is open`."""
    every = sum(counted.values())
    if not every:
        return "no claim decided"
    parts = ", ".join(
        f"{counted[word]} {word if counted[word] == 1 else plural}"
        for word, plural in STANDINGS.items()
        if counted[word]
    )
    return f"of {every} claims {parts}"


def _totals(totals: dict[str, Counter[str]]) -> list[str]:
    gpus = [device for device in totals if not device.startswith(device_names.EMULATED)]
    emulated = [device for device in totals if device.startswith(device_names.EMULATED)]
    text = [f"{device}: {_counts(totals[device])}" for device in gpus]
    text += [f"{device} (counted): {_counts(totals[device])}" for device in emulated]
    if not gpus:
        text.append("no GPU has been measured; to measure one: scripts/lab run --keep")
    return [
        *text,
        "",
        "each claim with its numbers: scripts/lab verdicts --device "
        f"{(gpus or emulated or ['DEVICE'])[0]}; claims by devices: --all; rules: scripts/README.md",
    ]
