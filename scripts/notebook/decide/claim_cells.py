"""What one device says of one claim, its sizes and cache states together: the cell of a table of devices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from notebook.data.intervals import Interval
from notebook.data.results import Result
from notebook.decide import judging, outcomes
from notebook.decide.claims import Claim
from notebook.decide.prediction import band, predicted_numbers
from notebook.decide.verdicts import COUNTED, PREDICTED, Verdict

OPEN, NOTHING = "open", "–"
_NO_EVIDENCE = {judging.DOES_NOT_APPLY: "does not apply", judging.NO_DATA: "no data"}


@dataclass(frozen=True)
class Cell:
    """`word`: the verdict, those of several sizes with their numbers, "open", or why nothing is known.

    `value`: the ratio or the value with its unit, smallest to largest of all sizes, "" where there is none;
    `band`: of a prediction, from end to end where the sizes would be measured in 90 % of cases.
    """

    word: str
    value: str = ""
    evidence: str = ""
    band: str = ""

    @property
    def is_decided(self) -> bool:
        return self.word not in (OPEN, *_NO_EVIDENCE.values())

    @property
    def number(self) -> str:
        """`predicted 0.55–0.76× [0.43–0.95×]`, `0.48–0.58×`."""
        kind = self.evidence if self.evidence in (COUNTED, PREDICTED) else ""
        in_band = f"[{self.band}]" if self.band else ""
        return " ".join(filter(None, (kind, self.value, in_band))) if self.value else ""


NO_DATA = Cell(_NO_EVIDENCE[judging.NO_DATA])


def of(claim: Claim, verdicts: Sequence[Verdict], result: Result) -> Cell:
    """The cell of a device by its verdicts of a claim."""
    decided = [verdict for verdict in verdicts if verdict.finding.ratio is not None]
    words = {verdict.finding.verdict for verdict in verdicts}
    if decided and decided[0].finding.evidence != PREDICTED:
        value = outcomes.value_of(claim, decided)
        return Cell(_word(verdicts), value, decided[0].finding.evidence)
    numbers = predicted_numbers(claim, result) if result.is_emulated else {}
    if numbers and not words <= _NO_EVIDENCE.keys() and not claim.unmodelled:
        bands = [band(claim, number, regime, result) for regime, number in numbers.items()]
        value = outcomes.range_of(claim, numbers.values())
        return Cell(_word(verdicts), value, PREDICTED, _band(claim, bands))
    return Cell(_NO_EVIDENCE.get(next(iter(words), judging.NO_DATA), OPEN))


def _word(verdicts: Iterable[Verdict]) -> str:
    """The verdict; of several how many sizes have which: `3 no effect, 1 open`."""
    words = [
        OPEN
        if verdict.finding.verdict in (judging.TOO_CLOSE, judging.NEEDS_GPU, judging.INCONCLUSIVE)
        else verdict.finding.verdict
        for verdict in verdicts
    ]
    different = sorted(set(words), key=lambda word: (word == OPEN, -words.count(word)))
    if len(different) == 1:
        return different[0]
    return ", ".join(f"{words.count(word)} {word}" for word in different)


def _band(claim: Claim, bands: Sequence[Interval | None]) -> str:
    """From the lowest end to the highest; "" where one is not known."""
    ends = [end for one in bands if one for end in one]
    return outcomes.range_of(claim, ends) if ends and None not in bands else ""
