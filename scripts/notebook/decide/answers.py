"""Numbers of claims in sentences: the words are in a page, the numbers in the data.

    Measured on {gpu}, offset 11 takes {offset_11_is_slower:percent} longer in DRAM.

A placeholder names a claim, whose number it becomes, from the smallest to the largest over all
sizes of one GPU, the newest that measured it, which titles of figures are about, too:

    {claim}          the ratio, or the value with its unit: 0.98–1.02×, 80 %
    {claim:percent}  how far the ratio is from 1: 2–3 %
    {claim:times}    the ratio or its inverse, whichever is above 1: 3.2×
    {claim:share}    the ratio in percent: 9–13 %
    {claim@dram}     only where the data lie in DRAM (or l2); a part of a regime does as well, as in
                     {claim@n:16777216/cache:cold}
    {claim@fermi}    counted by that emulated GPU
    {claim@nvidia-…} measured by that GPU
    {claim@predicted:fermi}  predicted for that generation, whether or not its error band decides the claim
    {claim@band:fermi}  from end to end of the error bands of that prediction, where it decides the claim
    {gpu}            the newest GPU that measured the chapter
"""

import math
import re
from dataclasses import dataclass
from functools import partial

from notebook.base import ratio_text
from notebook.base.text import close_matches
from notebook.data import device_names
from notebook.data.metrics import PERCENTAGES
from notebook.decide.claims import Claim
from notebook.decide.prediction import predicted_numbers
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import PREDICTED, Verdict

GPU = "gpu"
_PREDICTED_FOR, _BAND_OF = "predicted:", "band:"
_PLACEHOLDER = re.compile(
    r"\{([a-z0-9_]+)(?:@([^:{}@]+(?::[^{}@]*?)??))?(?::(percent|times|share))?\}"
)
_UNITS = {
    "time": (1.0, " µs"),
    "bytes_per_second": (1e-9, " GB/s"),
    "flops_per_second": (1e-9, " GFLOP/s"),
    "memcpy_ratio": (1.0, "×"),
    "cublas_ratio": (1.0, "×"),
}
# Below this a ratio has three significant digits: 0.125, 0.0625.
_SMALL = 0.2995


class Unanswered(Exception):
    """What the data lack for a number, or what is wrong with its placeholder."""


@dataclass(frozen=True)
class Placeholder:
    """`{claim@where:form}` of a text."""

    text: str
    claim: str
    where: str
    form: str


def placeholders(text: str) -> list[Placeholder]:
    """Those of a text; raises ValueError where braces hold anything else."""
    if stray := re.search(r"[{}]", _PLACEHOLDER.sub("", text)):
        raise ValueError(f"a stray {stray[0]} (a placeholder is {{claim@where:percent}})")
    return [
        Placeholder(match[0], match[1], match[2] or "", match[3] or "")
        for match in _PLACEHOLDER.finditer(text)
    ]


def filled(decided: ChapterVerdicts, text: str, doubt: str = "") -> str:
    """A text with the numbers of its placeholders, `doubt` behind each predicted one that decides nothing;
    raises Unanswered where data are missing, and ValueError for a wrong placeholder."""
    for placeholder in placeholders(text):
        number = _number(decided, placeholder)
        if placeholder.where.startswith(_PREDICTED_FOR):
            generation = placeholder.where.removeprefix(_PREDICTED_FOR)
            number += "" if _band_of(decided, placeholder.claim, generation) else doubt
        text = text.replace(placeholder.text, number, 1)
    return text


def gpus(decided: ChapterVerdicts) -> list[str]:
    """The GPUs that measured the chapter, by short name."""
    return [device_names.short(result.device) for result in decided.results if result.kind == "gpu"]


def _number(decided: ChapterVerdicts, placeholder: Placeholder) -> str:
    if placeholder.claim == GPU:
        if not (names := gpus(decided)):
            raise Unanswered("needs a GPU")
        return names[-1]
    known = {verdict.claim.id: verdict.claim for verdict in decided.verdicts}
    if placeholder.claim not in known:
        if not decided.verdicts:
            raise Unanswered("no data")
        raise ValueError(f"claim {close_matches(placeholder.claim, known)}")
    claim = known[placeholder.claim]
    where = placeholder.where
    generation = where.removeprefix(_PREDICTED_FOR) if where.startswith(_PREDICTED_FOR) else ""
    if generation:
        values = _predicted_for(decided, claim, generation)
    elif where.startswith(_BAND_OF):
        values = _band_of(decided, claim.id, where.removeprefix(_BAND_OF))
    else:
        values = _of_newest(decided, claim, placeholder)
    if not values:
        needs = "no data" if generation or gpus(decided) else "needs a GPU"
        raise Unanswered(f"{needs} ({placeholder.text[1:-1]}){_counted(decided, placeholder)}")
    return _in_form(claim, placeholder.form, min(values), max(values))


def _counted(decided: ChapterVerdicts, placeholder: Placeholder) -> str:
    """For the message: the placeholder that an emulated GPU fills, where no GPU fills this one."""
    devices = [
        verdict.device
        for verdict in decided.verdicts
        if verdict.claim.id == placeholder.claim
        and verdict.claim.is_counted
        and verdict.finding.ratio is not None
        and verdict.device.startswith(device_names.EMULATED)
    ]
    if placeholder.where or not devices:
        return ""
    where = devices[-1].removeprefix(device_names.EMULATED)
    return f"; counted: {{{placeholder.claim}@{where}}}"


def _predicted_for(decided: ChapterVerdicts, claim: Claim, generation: str) -> list[float]:
    device = device_names.EMULATED + generation
    return [
        ratio
        for result in decided.results
        if result.device == device
        for ratio in predicted_numbers(claim, result).values()
    ]


def _band_of(decided: ChapterVerdicts, claim: str, generation: str) -> list[float]:
    """The ends of the bands of what is predicted for a generation, where it decides the claim; else []."""
    device = device_names.EMULATED + generation
    return [
        end
        for verdict in decided.verdicts
        if (verdict.claim.id, verdict.device) == (claim, device)
        and verdict.finding.evidence == PREDICTED
        for end in verdict.finding.interval or ()
    ]


def _of_newest(decided: ChapterVerdicts, claim: Claim, placeholder: Placeholder) -> list[float]:
    """What was found on the newest of the devices that a placeholder asks for."""
    verdicts_in_order = [
        verdict
        for verdict in decided.verdicts
        if verdict.claim.id == claim.id
        and verdict.finding.ratio is not None
        and _is_at(verdict, placeholder)
    ]
    oldest_first = [result.device for result in decided.results]
    newest = max((oldest_first.index(verdict.device) for verdict in verdicts_in_order), default=0)
    return [
        verdict.finding.ratio or 0.0
        for verdict in verdicts_in_order
        if verdict.device == oldest_first[newest]
    ]


def _is_at(verdict: Verdict, placeholder: Placeholder) -> bool:
    """Whether a verdict is of the device and the regime that a placeholder asks for."""
    where = placeholder.where
    if verdict.device in (where, f"{device_names.EMULATED}{where}"):
        return True
    if verdict.kind != "gpu":
        return False
    return not where or where == verdict.label or f"/{where}/" in f"/{verdict.regime}/"


def _in_form(claim: Claim, form: str, low: float, high: float) -> str:
    if form and claim.baseline is None and not claim.metric.endswith("_ratio"):
        raise ValueError(f"{{{claim.id}:{form}}}: the claim has no baseline")
    if form == "percent":
        ends = [100 * abs(end - 1) for end in (low, high)]
        if low < 1 < high:
            return "up to " + _range([max(ends)], " %", digits=2)
        return _range(ends, " %", digits=2)
    if form == "share":
        return _range([100 * low, 100 * high], " %", digits=2)
    if form == "times":
        return _range([end if high > 1 else 1 / end for end in (low, high)], "×")
    if claim.baseline is not None:
        return _range([low, high], "×")
    if claim.metric in PERCENTAGES:
        return _range([low, high], " %")
    scale, unit = _UNITS.get(claim.metric, (1.0, ""))
    return _range([scale * low, scale * high], unit)


def _range(ends: list[float], unit: str, digits: int = 3) -> str:
    if unit == "×":
        shown = ratio_text.ends(sorted(ends), partial(_digits, digits=digits))
    else:
        shown = [_digits(end, digits) for end in sorted(ends)]
    if unit == " %":
        shown = [text.removesuffix(".0") for text in shown]
    return "–".join(dict.fromkeys(shown)) + unit


def _digits(value: float, digits: int) -> str:
    """Significant digits, without an exponent; two decimals at most, but for small values; whole
    numbers in full."""
    if 0 < value < _SMALL and digits == 3:
        return f"{value:.3g}"
    if value >= 10**digits or math.isclose(value, round(value), rel_tol=1e-9):
        return f"{value:,.0f}"
    places = digits - 1 if value < 1 else digits - len(str(int(value)))
    return f"{value:.{min(max(places, 0), 2)}f}"
