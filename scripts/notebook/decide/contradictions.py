"""Predicted verdicts beside what was printed of GPUs of the same generation: where they differ, the
prediction says so."""

from collections.abc import Iterable
from dataclasses import replace

from notebook.data import device_names
from notebook.data.devices import PUBLISHED as PUBLISHED_DEVICE
from notebook.data.results import Result
from notebook.decide.judging import CONFIRMED, INCONCLUSIVE, STRONGER, WEAKER, WITHOUT_EVIDENCE
from notebook.decide.verdicts import PREDICTED, Verdict

_CLAIMED_SIDE = (*CONFIRMED, STRONGER, WEAKER)
# A claim's id and a generation.
_Place = tuple[str, str]


def noted(
    verdicts: Iterable[Verdict], printed: Iterable[Verdict], results: list[Result]
) -> list[Verdict]:
    """The verdicts; predicted ones name in their reason what `printed` has otherwise."""
    generations = {result.device: result.generation for result in results}
    known: dict[_Place, list[Verdict]] = {}
    for printed_verdict in printed:
        if printed_verdict.finding.verdict not in (INCONCLUSIVE, *WITHOUT_EVIDENCE):
            known.setdefault(
                (printed_verdict.claim.id, generations[printed_verdict.device]), []
            ).append(printed_verdict)
    return [
        _with_note(verdict, contradicting(verdict, known))
        if verdict.finding.evidence == PREDICTED
        else verdict
        for verdict in verdicts
    ]


def contradicting(predicted: Verdict, known: dict[_Place, list[Verdict]]) -> list[Verdict]:
    """The printed ones on the claimed side of what is predicted to be otherwise, or the other way round."""
    generation = predicted.device.removeprefix(device_names.EMULATED)
    confirms = predicted.finding.verdict in _CLAIMED_SIDE
    return [
        printed_verdict
        for printed_verdict in known.get((predicted.claim.id, generation), [])
        if (printed_verdict.finding.verdict in _CLAIMED_SIDE) != confirms
    ]


def _with_note(predicted: Verdict, printed: list[Verdict]) -> Verdict:
    if not printed:
        return predicted
    words = ", ".join(
        f"{other.device.removeprefix(PUBLISHED_DEVICE)} {other.finding.verdict} ({other.finding.ratio:.2f})"
        for other in printed
    )
    reason = "; ".join(filter(None, (predicted.finding.reason, f"printed otherwise: {words}")))
    return replace(predicted, finding=replace(predicted.finding, reason=reason))
