"""Charts of what stands: the verdicts as a heat map, and predicted against measured time."""

import math
from collections import Counter
from statistics import median

from notebook import device_names, judging
from notebook.charts.look import GENERATIONS, GREY, VARIANTS, Style
from notebook.charts.marks import BOXES, CENTER, LEFT, TILES, Chart, Panel
from notebook.charts.sources import Prediction, Sources
from notebook.charts.words import percent
from notebook.tables import ChapterVerdicts
from notebook.verdicts import PREDICTED

_YES = "holds"
_WEAKER = "weaker or stronger"
_NO = "no effect, opposite, does not hold"
_MIXED = "depends on the size"
_UNKNOWN = f"inconclusive, {judging.TOO_CLOSE}"
_NONE = "no evidence"
_WORDS = {
    judging.REPRODUCED: _YES,
    judging.HOLDS: _YES,
    judging.STRONGER: _WEAKER,
    judging.WEAKER: _WEAKER,
    judging.NO_EFFECT: _NO,
    judging.OPPOSITE: _NO,
    judging.DOES_NOT_HOLD: _NO,
    judging.INCONCLUSIVE: _UNKNOWN,
    judging.TOO_CLOSE: _UNKNOWN,
}
# From dark to light, so that the order survives in grey.
CELLS = {
    _YES: Style(0x0B4F8A, 5),
    _WEAKER: Style(0x2F7FBF, 5),
    _MIXED: Style(0x8F8F8F, 5),
    _NO: Style(0xF2A15A, 5),
    _UNKNOWN: Style(0xEFCB4A, 5),
    _NONE: Style(0xF4F4F4, 5),
}
_ACROSS = 7


def verdict_matrix(sources: Sources) -> Chart | None:
    """A row for each chapter, a column for each device, a square for each claim."""
    decided = [
        chapter_verdicts for chapter_verdicts in sources.decided if chapter_verdicts.verdicts
    ]
    devices = _devices(decided)
    if not devices:
        return None
    heights = [max(1, math.ceil(len(_claims(entry)) / _ACROSS)) + 0.7 for entry in decided]
    total = sum(heights)
    panel = Panel((0, len(devices) * (_ACROSS + 1.0)), (-2.2, total), height=20 * total)
    for place, device in enumerate(devices):
        # In two rows, for which there is room.
        middle = (place + 0.5) * (_ACROSS + 1.0) - 0.5
        panel.text(middle, -0.5 - 1.1 * (place % 2), device_names.short(device), CENTER)
    ticks = []
    bottom = total
    squares: dict[str, list[tuple[float, float, float, float]]] = {}
    for chapter, height in zip(decided, heights, strict=True):
        ticks.append((bottom - (height - 0.7) / 2, chapter.chapter.name.replace("_", " ")))
        for column, device in enumerate(devices):
            for index, claim in enumerate(_claims(chapter)):
                left = column * (_ACROSS + 1.0) + index % _ACROSS
                top = bottom - index // _ACROSS
                word, is_predicted = _cell(chapter, claim, device)
                edge = 0.28 if is_predicted else 0.06
                corners = (left + edge, left + 1 - edge, top - 1 + edge, top - edge)
                squares.setdefault(word, []).append(corners)
        bottom -= height
    for word, corners_of_word in squares.items():
        panel.boxes(corners_of_word, CELLS[word], TILES)
    panel.ticks_y(ticks)
    return Chart(_matrix_title(decided, devices), [panel, _legend()], sources.note)


def _devices(decided: list[ChapterVerdicts]) -> list[str]:
    """Emulated generations, oldest first, and then the GPUs that were measured."""
    devices = {
        (not result.is_emulated, _order(result.device), result.year, result.device)
        for chapter in decided
        for result in chapter.results
    }
    return [device for *_, device in sorted(devices)]


def _order(device: str) -> int:
    generation = device.removeprefix(device_names.EMULATED)
    return GENERATIONS.index(generation) if generation in GENERATIONS else len(GENERATIONS)


def _claims(chapter: ChapterVerdicts) -> list[str]:
    return list(dict.fromkeys(verdict.claim.id for verdict in chapter.verdicts))


def _cell(chapter: ChapterVerdicts, claim: str, device: str) -> tuple[str, bool]:
    """One word for the regimes of a claim on a device, and whether it is predicted."""
    of_claim = [
        verdict
        for verdict in chapter.verdicts
        if verdict.claim.id == claim and verdict.device == device
    ]
    decided = [verdict.finding for verdict in of_claim if verdict.finding.verdict in _WORDS]
    words = {_WORDS[entry.verdict] for entry in decided}
    certain = words - {_UNKNOWN} or words
    word = _NONE if not certain else certain.pop() if len(certain) == 1 else _MIXED
    return word, any(entry.evidence == PREDICTED for entry in decided)


def _legend() -> Panel:
    panel = Panel((0, 100), (0, 2))
    for index, (word, look) in enumerate(CELLS.items()):
        x, y = 34.0 * (index % 3), 1.5 - index // 3
        panel.boxes([(x, x + 1.5, y - 0.3, y + 0.3)], look, BOXES)
        panel.text(x + 2.3, y, word)
    panel.text(68 + 18, 0.5, "small: predicted")
    return panel


def _matrix_title(decided: list[ChapterVerdicts], devices: list[str]) -> str:
    measured = [
        result.device for chapter in decided for result in chapter.results if result.kind == "gpu"
    ]
    device = measured[-1] if measured else devices[-1]
    cells = Counter(
        _cell(chapter, claim, device)[0] for chapter in decided for claim in _claims(chapter)
    )
    known = sum(count for word, count in cells.items() if word != _NONE)
    if not known:
        return ""
    return (
        f"Of {known} claims decided on the {device_names.short(device)}, {cells[_YES]} hold, "
        f"{cells[_WEAKER]} are weaker or stronger, {cells[_NO]} do not hold, {cells[_MIXED]} depend on the size"
    )


# gnuplot's open shapes.
_OPEN = (8, 6, 4, 12, 10)
_PARTS = {
    "global memory": tuple(f"{number:02}" for number in range(9)),
    "transposes": tuple(f"{number:02}" for number in range(9, 15)),
    "shared memory": ("15",),
    "products": ("16", "17", "18", "19"),
}
_AGES = {
    "Fermi to Maxwell": ("fermi", "kepler", "maxwell"),
    "Pascal to Turing": ("pascal", "volta", "turing"),
    "Ampere": ("ampere",),
    "Ada": ("ada",),
    "Hopper, Blackwell": ("hopper", "blackwell"),
}


def validation(sources: Sources) -> Chart | None:
    """Predicted against measured and against printed time; nothing without data/timing/validation.csv."""
    known, printed = sources.predictions, sources.printed
    if not known:
        return None
    panels = [_times("predicted time against that of an H200, µs", 1e6, known, _PARTS)]
    if printed:
        heading = "predicted time against that printed of other GPUs, ms"
        panels.append(_times(heading, 1e3, printed, _AGES))
    return Chart(
        _validation_title(known, printed),
        panels,
        "open: predicted by the time model, against the measured time",
    )


def _times(
    heading: str, scale: float, known: list[Prediction], groups: dict[str, tuple[str, ...]]
) -> Panel:
    """Both times in units of 1 / scale, each group of chapters or generations in its colour."""
    times = [time for row in known for time in (row.predicted_seconds, row.measured_seconds)]
    ends = (
        10.0 ** math.floor(math.log10(min(times) * scale)),
        10.0 ** math.ceil(math.log10(max(times) * scale)),
    )
    panel = Panel(ends, ends, log_x=True, log_y=True, heading=heading, height=520)
    for factor, form in ((1.0, "line"), (1.5, "thin"), (1 / 1.5, "thin")):
        panel.line(
            [
                (ends[0] * max(1, 1 / factor), ends[0] * max(1, factor)),
                (ends[1] * min(1, 1 / factor), ends[1] * min(1, factor)),
            ],
            GREY,
            form,
        )
    for index, (group, members) in enumerate(groups.items()):
        points = [
            (row.measured_seconds * scale, row.predicted_seconds * scale)
            for row in known
            if row.group in members
        ]
        if points:
            look = Style(VARIANTS[index].colour, _OPEN[index])
            panel.points(points, look)
            panel.label(max(points)[1], group, look)
    panel.text(ends[0] * 1.3, ends[1] / 1.6, "solid: equal   dotted: 1.5x", LEFT)
    return panel


def _validation_title(known: list[Prediction], printed: list[Prediction]) -> str:
    return f"Predicted times of {len(known)} benchmarks: {_within(known)}" + (
        f"; half of {len(printed)} printed ones within {_factor(printed):.2f}" if printed else ""
    )


def _within(known: list[Prediction]) -> str:
    within = sum(error <= math.log(1.5) for error in _errors(known)) / len(known)
    return (
        f"half lie within a factor of {_factor(known):.2f} of the measured ones, "
        f"{percent(within)} within 1.5"
    )


def _factor(known: list[Prediction]) -> float:
    return math.exp(median(_errors(known)))


def _errors(known: list[Prediction]) -> list[float]:
    return [abs(math.log(row.predicted_seconds / row.measured_seconds)) for row in known]
