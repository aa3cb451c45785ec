"""Charts of what stands: the verdicts as a heat map, and predicted against measured time."""

import math
from collections import Counter
from statistics import median

from notebook.charts.look import GENERATIONS, GREY, VARIANTS, Style
from notebook.charts.marks import CENTER, LEFT, TILES, Chart, Panel
from notebook.charts.sources import Prediction, Sources
from notebook.data import device_names
from notebook.decide import judging
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import PREDICTED

_YES = "holds"
_WEAKER = "weaker or stronger"
_NO = "does not hold"
_MIXED = "depends on the size"
_UNKNOWN = "inconclusive"
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
    _YES: Style(0x0B3C6F, 5),
    _WEAKER: Style(0x2A66A8, 5),
    _NO: Style(0xE57F3A, 5),
    _MIXED: Style(0xBEBEBE, 5),
    _UNKNOWN: Style(0xF0E08C, 5),
    _NONE: Style(0xF8F8F8, 5),
}
_ACROSS = 7
# A device's column with the space beside it, and a line of text, in squares.
_COLUMN = _ACROSS + 1.0
_LINE = 1.9


def verdict_matrix(sources: Sources) -> Chart | None:
    """A row for each chapter, a column for each device, a square for each claim; above it the counts."""
    decided = [
        chapter_verdicts for chapter_verdicts in sources.decided if chapter_verdicts.verdicts
    ]
    devices = _devices(decided)
    if not devices:
        return None
    heights = [max(1, math.ceil(len(_claims(entry)) / _ACROSS)) + 0.7 for entry in decided]
    total = sum(heights)
    top = total + 4.0 + _LINE * (len(CELLS) + 2)
    # Left of the columns the colours of the words have their place.
    panel = Panel((-2.2, len(devices) * _COLUMN), (-2.4, top), height=9 * total)
    for y in (-0.5, top - 1.5):
        _name_columns(panel, devices, y)
    ticks = _count(panel, decided, devices, top - 4.5)
    bottom = total
    squares: dict[str, list[tuple[float, float, float, float]]] = {}
    for chapter, height in zip(decided, heights, strict=True):
        ticks.append((bottom - (height - 0.7) / 2, chapter.chapter.name.replace("_", " ")))
        for column, device in enumerate(devices):
            for index, claim in enumerate(_claims(chapter)):
                left = column * _COLUMN + index % _ACROSS
                upper = bottom - index // _ACROSS
                word, is_predicted = _cell(chapter, claim, device)
                edge = 0.3 if is_predicted else 0.11
                corners = (left + edge, left + 1 - edge, upper - 1 + edge, upper - edge)
                squares.setdefault(word, []).append(corners)
        bottom -= height
    for word, corners_of_word in squares.items():
        panel.boxes(corners_of_word, CELLS[word], TILES)
    panel.ticks_y(ticks)
    return Chart(_matrix_title(decided, devices), [panel, _reading()], sources.note)


def _name_columns(panel: Panel, devices: list[str], y: float) -> None:
    """The devices, in two rows, for which there is room."""
    for place, device in enumerate(devices):
        middle = (place + 0.5) * _COLUMN - 0.5
        panel.text(middle, y - 1.3 * (place % 2), device_names.short(device), CENTER)


def _count(
    panel: Panel, decided: list[ChapterVerdicts], devices: list[str], top: float
) -> list[tuple[float, str]]:
    """Of each device a bar of its words, and below it how many claims each has; the ticks of the words."""
    counts = [_words(decided, device) for device in devices]
    ticks = [(top - _LINE * (index + 1.6), word) for index, word in enumerate(CELLS)]
    for (y, word), look in zip(ticks, CELLS.values(), strict=True):
        panel.boxes([(-1.9, -0.6, y - 0.65, y + 0.65)], look, TILES)
        for column, words in enumerate(counts):
            panel.text((column + 0.5) * _COLUMN - 0.5, y, str(words[word]), CENTER)
    for column, words in enumerate(counts):
        left = column * _COLUMN
        for word, look in CELLS.items():
            right = left + _ACROSS * words[word] / words.total()
            panel.boxes([(left, right, top - 1.5, top)], look, TILES)
            left = right
    return ticks


def _words(decided: list[ChapterVerdicts], device: str) -> Counter[str]:
    """How many claims have each word on a device."""
    return Counter(
        _cell(chapter, claim, device)[0] for chapter in decided for claim in _claims(chapter)
    )


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
    # A ratio too close to predict has no other evidence.
    is_predicted = any(
        entry.evidence == PREDICTED or (word == _UNKNOWN and entry.verdict == judging.TOO_CLOSE)
        for entry in decided
    )
    return word, is_predicted


def _reading() -> Panel:
    """How to read the squares and the words."""
    panel = Panel((0, 100), (0, 3))
    lines = (
        "A square is a claim, in the order of the chapter's claims.toml; small: predicted, full: measured or counted.",
        "No effect and the opposite count as does not hold, too close to predict as inconclusive. Depends on the size:",
        "sizes or cache states differ. No evidence: needs a GPU, no data, or about GPUs of another kind.",
    )
    for index, line in enumerate(lines):
        panel.text(0, 2.5 - index, line)
    return panel


def _matrix_title(decided: list[ChapterVerdicts], devices: list[str]) -> str:
    measured = [
        result.device for chapter in decided for result in chapter.results if result.kind == "gpu"
    ]
    device = measured[-1] if measured else devices[-1]
    words = _words(decided, device)
    known = words.total() - words[_NONE]
    if not known:
        return ""
    return (
        f"Of {known} claims with evidence on the {device_names.short(device)}, {words[_YES]} hold, "
        f"{words[_WEAKER]} are weaker or stronger, {words[_NO]} do not hold, {words[_MIXED]} depend on the size, "
        f"{words[_UNKNOWN]} are inconclusive{_of_emulated(decided, devices)}"
    )


def _of_emulated(decided: list[ChapterVerdicts], devices: list[str]) -> str:
    """How many claims hold on the emulated generations, at least and at most."""
    emulated = [device for device in devices if device.startswith(device_names.EMULATED)]
    if not emulated:
        return ""
    holding = [_words(decided, device)[_YES] for device in emulated]
    return f"; on emulated generations {min(holding)} to {max(holding)} hold"


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
    heading = (
        f"predicted time against that of an H200, µs: {_within(known)} within 1.5x, "
        f"half within {_factor(known):.2f}x"
    )
    panels = [_times(heading, 1e6, known, _PARTS)]
    against = "measured time"
    if printed:
        heading = (
            f"predicted time against that printed of other GPUs, ms: {_within(printed)} within 1.5x, "
            f"half within {_factor(printed):.2f}x"
        )
        panels.append(_times(heading, 1e3, printed, _AGES))
        against = "measured (above) or printed time (below)"
    note = f"open: predicted by the time model, against the {against}"
    return Chart(_validation_title(known, printed), panels, note)


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
    theirs = f", {_within(printed)} of the printed ones" if printed else ""
    return f"{_within(known)} predicted times lie within 1.5x of the measured ones{theirs}"


def _within(known: list[Prediction]) -> str:
    """How many are predicted within a factor of 1.5: a share would round up to all."""
    within = sum(error <= math.log(1.5) for error in _errors(known))
    return f"{within} of {len(known)}"


def _factor(known: list[Prediction]) -> float:
    return math.exp(median(_errors(known)))


def _errors(known: list[Prediction]) -> list[float]:
    return [abs(math.log(row.predicted_seconds / row.measured_seconds)) for row in known]
