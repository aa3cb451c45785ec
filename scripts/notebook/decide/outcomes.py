"""What the data say about one claim in a few words: a line for all devices that agree."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from notebook.base import ratio_text
from notebook.data import device_names
from notebook.data.metrics import PERCENTAGES, TABLE
from notebook.decide.claims import Claim
from notebook.decide.judging import CONFIRMED, STRONGER
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import PREDICTED, Verdict

_UNITS = {
    "time": "µs",
    "bytes_per_second": "GB/s",
    "flops_per_second": "GFLOP/s",
    "memcpy_ratio": "× memcpy",
    "cublas_ratio": "× cuBLAS",
    "flops_per_loaded_byte": "flop/B",
}
_PREDICTED = "any predicted value"
# A ratio to a baseline that counted nothing.
_INFINITE, _FROM_NONE = "∞", "from 0"
_GIGA = ("bytes_per_second", "flops_per_second")
# Predicted values with a wider gap between them, as a ratio, have lines of their own.
_APART = 1.5
# The widest range, as a share of its middle, that stands for one value.
_TOLERANCE = 0.35
_DIRECTIONS = {"equal": "the same"}


@dataclass(frozen=True)
class Outcome:
    """Devices that agree about a claim. `value` is the ratio variant ÷ baseline or the metric with
    its unit, smallest to largest over the regimes; "" where nothing decides the claim."""

    devices: str
    slugs: tuple[str, ...]  # theirs
    is_measured: bool
    value: str
    verdict: str
    words: tuple[str, ...]  # the different verdicts, the most frequent first
    confirmed: float = 0.0  # the share of the regimes with a verdict that confirm the claim

    @property
    def found(self) -> str:
        return f"{self.devices} {self.value}".strip()


def printed(claim: Claim) -> str:
    """What the source prints, in the unit of what was found; in parentheses what follows from it;
    else the direction that it claims."""
    if claim.claimed is not None:
        return _with_unit(claim, _range(claim.claimed, claim.claimed, claim))
    if claim.expected is None:
        return _DIRECTIONS.get(claim.direction, claim.direction)
    low, high = claim.expected
    if math.isinf(high):
        return f"(≥ {_with_unit(claim, _range(low, low, claim))})"
    if low == 0 < high:
        return f"(≤ {_with_unit(claim, _range(high, high, claim))})"
    # A narrow range is a value with its tolerance; of 99.5 to 100 % the value is 100 %.
    value = high if claim.metric in PERCENTAGES and high == 100 else (low + high) / 2
    if high - low > _TOLERANCE * value:
        return f"({_with_unit(claim, _range(low, high, claim))})"
    return f"({_with_unit(claim, _range(value, value, claim))})"


def of_devices(decided: ChapterVerdicts, claim: Claim) -> list[Outcome]:
    """A line for each GPU, then one for each group of emulated GPUs that agree; a device that can
    say nothing is left out, unless that is true of all."""
    by_device: dict[str, list[Verdict]] = {}
    for verdict in decided.by_claim.get(claim.id, []):
        if verdict.kind != "published":
            by_device.setdefault(verdict.device, []).append(verdict)
    values = {device: value_of(claim, verdicts) for device, verdicts in by_device.items()}
    if not any(values.values()):
        undecided = dict.fromkeys(
            verdict.finding.verdict for group in by_device.values() for verdict in group
        )
        return [Outcome("", (), False, "", ", ".join(undecided) or "no data", tuple(undecided))]
    gpus, groups = [], dict[tuple[str, ...], list[str]]()
    for device, value in values.items():
        if not value:
            continue
        word, words = words_of(by_device[device])
        if not device.startswith(device_names.EMULATED):
            name, share = device_names.short(device), _confirmed(by_device[device])
            gpus.append(Outcome(name, (device,), True, value, word, words, share))
        elif by_device[device][0].finding.evidence == PREDICTED:  # no two predict the same number
            groups.setdefault((_PREDICTED, *words), []).append(device)
        else:
            groups.setdefault((value, *words), []).append(device)
    every = [
        result.device
        for result in decided.results
        if result.device.startswith(device_names.EMULATED)
    ]
    parts = [
        part
        for key, group in groups.items()
        for part in (_apart(group, by_device) if key[0] == _PREDICTED else [group])
    ]
    return gpus + [_together(claim, part, every, by_device) for part in parts]


def _apart(devices: list[str], by_device: dict[str, list[Verdict]]) -> list[list[str]]:
    """Predicted devices in groups between whose values there is a wide gap; the group of the oldest first."""
    ratios = {device: _ratios(by_device[device]) for device in devices}
    groups: list[list[str]] = []
    highest = 0.0
    for device in sorted(devices, key=lambda device: min(ratios[device])):
        if not groups or min(ratios[device]) > _APART * highest:
            groups.append([])
        groups[-1].append(device)
        highest = max(highest, *ratios[device])
    in_order = [sorted(group, key=devices.index) for group in groups]
    return sorted(in_order, key=lambda group: devices.index(group[0]))


def _together(
    claim: Claim, devices: list[str], every: list[str], by_device: dict[str, list[Verdict]]
) -> Outcome:
    """The line of emulated GPUs that agree."""
    value = value_of(claim, [verdict for device in devices for verdict in by_device[device]])
    word, words = words_of(by_device[devices[0]])
    if len(devices) > 1 and len(words) > 1:
        word = ", ".join(words)  # how many regimes have which differs between them
    return Outcome(device_names.together(devices, every), tuple(devices), False, value, word, words)


def _confirmed(verdicts: Iterable[Verdict]) -> float:
    words = [verdict.finding.verdict for verdict in verdicts if verdict.finding.ratio is not None]
    return sum(word in (*CONFIRMED, STRONGER) for word in words) / len(words)


def words_of(verdicts: Iterable[Verdict]) -> tuple[str, tuple[str, ...]]:
    """The verdict; where the regimes differ, how many have which: `3 no effect, 1 reproduced`."""
    counted = Counter(
        verdict.finding.words for verdict in verdicts if verdict.finding.ratio is not None
    )
    words = tuple(word for word, _ in counted.most_common())
    if len(words) == 1:
        return words[0], words
    return ", ".join(f"{counted[word]} {word}" for word in words), words


def value_of(claim: Claim, verdicts: Iterable[Verdict]) -> str:
    return range_of(claim, _ratios(verdicts))


def range_of(claim: Claim, numbers: Iterable[float]) -> str:
    """What a claim is about, with its unit, smallest to largest; "" of nothing."""
    values = list(numbers)
    return _with_unit(claim, _range(min(values), max(values), claim)) if values else ""


def ratios(numbers: Iterable[float]) -> str:
    """`1.01–1.02×`, smallest to largest."""
    values = list(numbers)
    return "–".join(dict.fromkeys(ratio_text.ends((min(values), max(values)), _number))) + "×"


def shares(numbers: Iterable[float]) -> str:
    """`8.8–9.6 %`."""
    values = [100 * number for number in numbers]
    return "–".join(dict.fromkeys(f"{end:.2g}" for end in (min(values), max(values)))) + " %"


def _ratios(verdicts: Iterable[Verdict]) -> list[float]:
    return [verdict.finding.ratio for verdict in verdicts if verdict.finding.ratio is not None]


def _with_unit(claim: Claim, text: str) -> str:
    if claim.baseline is not None:
        return _FROM_NONE if text == _INFINITE else f"{text}×"
    if claim.metric in PERCENTAGES:
        return f"{text} %"
    return f"{text} {_UNITS.get(claim.metric) or _unit_of_table(claim.metric)}".rstrip()


def _unit_of_table(metric: str) -> str:
    """What metrics.csv says; a count is of what its name ends with: 32 sectors."""
    unit = next((known.unit for known in TABLE if known.name == metric), "")
    return {"count": metric.rsplit("_", 1)[-1], "ratio": ""}.get(unit, unit)


def _range(low: float, high: float, claim: Claim) -> str:
    if claim.baseline is not None:
        return "–".join(dict.fromkeys(ratio_text.ends((float(low), float(high)), _number)))
    scale = 1e9 if claim.metric in _GIGA else 1.0
    ends = [_number(end / scale) for end in (low, high)]
    if claim.metric in PERCENTAGES:
        ends = [end.rstrip("0").rstrip(".") if "." in end else end for end in ends]
    return "–".join(dict.fromkeys(ends))


def _number(value: float) -> str:
    """Three significant digits below 0.3, two decimals up to 10; large whole numbers in full."""
    if math.isinf(value):
        return _INFINITE
    if value.is_integer() and (abs(value) >= 10 or value == 0):
        return f"{value:,.0f}"
    if abs(value) < 0.2995:
        return f"{value:.3g}"
    return f"{value:.2f}" if abs(value) < 9.995 else f"{value:,.{1 if abs(value) < 99.95 else 0}f}"
