"""Three textbook effects by generation, for the front page."""

from collections.abc import Callable, Iterable, Mapping
from statistics import median

from notebook.charts.curves import mark_no_effect
from notebook.charts.evidence import LARGEST, Device, Facts
from notebook.charts.look import (
    CLAIMED,
    GENERATIONS,
    GREY,
    Evidence,
    Style,
    key,
)
from notebook.charts.marks import PALE, RIGHT, THIN, Chart, Panel
from notebook.charts.offsets import at_11
from notebook.charts.sources import Sources
from notebook.charts.words import NO_EFFECT, NO_EFFECT_LINES, percent, times

_COLUMNS = (-0.7, len(GENERATIONS) - 0.3)


def effects(sources: Sources) -> Chart | None:
    """Three textbook effects on every device, a column for each generation, oldest first."""
    panels, shown = [], set()
    for numbers, heading, ends, ratio, claimed in _EFFECTS:
        panel = Panel(_COLUMNS, ends, log_y=ends[1] > 8, heading=heading, height=170)
        if panel.log_y:
            panel.ticks_y((2.0**power, f"{2.0**power:g}") for power in range(-1, 6))
        else:
            panel.ticks_y(
                (tenth / 10, f"{tenth / 10:g}") for tenth in range(8, round(10 * ends[1]) + 1)
            )
        facts = sources.facts(*numbers)
        years = {device.generation: f" ’{device.result.year % 100}" for device in facts.emulated}
        names = (f"{name.capitalize()}{years.get(name, '')}" for name in GENERATIONS)
        panel.ticks_x(enumerate(names))
        mark_no_effect(panel)
        others = _draw_crowd(panel, sources.crowd(numbers[0]), ratio)
        shown |= _by_generation(panel, facts, ratio, others)
        claim, label, power = claimed
        if value := facts.claimed.get(claim):
            value **= power
            panel.line([(x, value) for x in _COLUMNS], CLAIMED, THIN)
            place = value * (0.8 if panel.log_y else 0.95)
            panel.text(8.6, place, label.format(f"{value:.4g}"), RIGHT, CLAIMED)
        panels.append(panel)
    if not shown:
        return None
    note = f"{key(shown)}{_published(sources)}   {NO_EFFECT_LINES}   middle: median of sizes"
    return Chart(_effects_title(sources), panels, note).noted(sources.note)


def _published(sources: Sources) -> str:
    """How many GPUs have stars, and where they are named."""
    gpus = {
        device.name
        for numbers, _, _, ratio, _ in _EFFECTS
        for device in sources.facts(*numbers).published
        if ratio(device) is not None and device.generation in GENERATIONS
    }
    return f" ({len(gpus)} GPUs)" if gpus else ""


def _by_generation(
    panel: Panel,
    facts: Facts,
    ratio: Callable[[Device], float | None],
    others: Mapping[str, int],
) -> set[Evidence]:
    """Draws the ratio of each device in the column of its generation; its measured GPUs are named, `others` counted."""
    shown: set[Evidence] = set()
    named: dict[str, list[Device]] = {}
    highest: dict[str, float] = {}
    known = [device for device in (*facts.published, *facts.measured) if ratio(device) is not None]
    for device in (*facts.predicted(known), *known):
        value = ratio(device)
        if value is None or device.generation not in GENERATIONS:
            continue
        look = device.predicted_style if device.result.is_emulated else device.style
        shown.add(Evidence.PREDICTED if device.result.is_emulated else device.evidence)
        panel.points([(float(GENERATIONS.index(device.generation)), value)], look)
        if device.evidence is Evidence.MEASURED:
            named.setdefault(device.generation, []).append(device)
        highest[device.generation] = max(value, highest.get(device.generation, value))
    for generation, devices in named.items():
        names = ", ".join(device.name for device in reversed(devices))
        if generation in others:
            names += f", {others[generation]} more"
        _name_above(panel, generation, names, highest, devices[-1].style)
    return shown


def _name_above(
    panel: Panel, generation: str, text: str, highest: Mapping[str, float], look: Style
) -> None:
    """Names above the marks of their generation and above those of its neighbours, which they would hide."""
    column = GENERATIONS.index(generation)
    beside = max(highest.get(name, 0.0) for name in GENERATIONS[max(0, column - 2) : column + 3])
    own = highest[generation]
    if panel.log_y:
        place, ends = beside * 1.8, (own * 1.25, beside * 1.4)
    else:
        height = panel.y[1] - panel.y[0]
        place, ends = beside + 0.17 * height, (own + 0.06 * height, beside + 0.09 * height)
    if ends[0] < ends[1]:
        panel.line([(column, end) for end in ends], look)
    panel.text(column + 1.6, place, text, RIGHT, look)


def _draw_crowd(
    panel: Panel, crowd: Iterable[Device], ratio: Callable[[Device], float | None]
) -> dict[str, int]:
    """Draws the range of the GPUs that have no point of their own; how many each generation has."""
    by_year: dict[str, list[float]] = {}
    for device in crowd:
        if device.generation in GENERATIONS and (value := ratio(device)) is not None:
            by_year.setdefault(device.generation, []).append(value)
    for generation, values in by_year.items():
        x = GENERATIONS.index(generation)
        panel.boxes([(x - 0.2, x + 0.2, min(values), max(values))], GREY, PALE)
    return {generation: len(values) for generation, values in by_year.items()}


def _offset_11(device: Device) -> float | None:
    # As chapter 02 draws it: emulated GPUs execute few offsets of the large arrays.
    return at_11(device, "read_offset", 2**20 if device.result.is_emulated else LARGEST)


def _diagonal(device: Device) -> float | None:
    """The median of all sizes: one of them is odd on some GPUs."""
    plain, diagonal = "transpose_read_rows", "transpose_read_rows_diagonal"
    ratios = [device.ratio(row, row.replace(diagonal, plain)) for row in device.rows(diagonal)]
    return median(filter(None, ratios)) if any(ratios) else None


def _tiled(device: Device) -> float | None:
    size = 256 if device.result.is_emulated else 4096
    for width in (16, 32):
        naive = device.row("matmul_naive", block=f"{width}x{width}", m=size)
        tiled = device.row("matmul_tiled", tile=width, m=size)
        if ratio := device.ratio(naive, tiled):
            return ratio
    return None


_EFFECTS: list[
    tuple[
        tuple[str, ...],
        str,
        tuple[float, float],
        Callable[[Device], float | None],
        tuple[str, str, int],
    ]
] = [
    (
        ("02",),
        "reads at offset 11: time, aligned = 1",
        (0.8, 1.2),
        _offset_11,
        ("", "", 1),
    ),
    (
        ("12",),
        "diagonal, reading rows: time, plain = 1",
        (0.8, 1.4),
        _diagonal,
        ("", "", 1),
    ),
    (
        ("17",),
        "tiles of 16: speed, naive = 1",
        (0.5, 32),
        _tiled,
        ("sixteen_times_faster", "book: {}x", -1),
    ),
]


def _effects_title(sources: Sources) -> str:
    """What each effect is where it was measured, and at most where it is predicted: its losses, too."""
    measured: list[list[float]] = []
    predicted: list[list[float]] = []
    names: list[str] = []
    for numbers, _, _, ratio, _ in _EFFECTS:
        facts = sources.facts(*numbers)
        own = {device.name: value for device in facts.measured if (value := ratio(device))}
        crowd = [value for device in sources.crowd(numbers[0]) if (value := ratio(device))]
        known = [device for device in (*facts.published, *facts.measured) if ratio(device)]
        others = [value for device in facts.predicted(known) if (value := ratio(device))]
        if not own or not others:
            return ""
        names += own
        measured.append([*own.values(), *crowd])
        predicted.append(others)
    on = ", ".join(dict.fromkeys(names))
    offset, diagonal, tiles = measured
    offset_elsewhere, diagonal_elsewhere, tiles_elsewhere = predicted
    return (
        f"{on}: offset 11 costs {_losses(offset)}, diagonals {_losses(diagonal)}, tiles bring {_times(tiles)}; "
        f"predicted elsewhere at most: {percent(max(offset_elsewhere) - 1)}, diagonals {_gains(diagonal_elsewhere)}"
        f"cost {percent(max(diagonal_elsewhere) - 1)}, tiles bring {times(max(tiles_elsewhere))}"
    )


def _losses(ratios: list[float]) -> str:
    ends = (f"{100 * (end - 1):.0f}" for end in (min(ratios), max(ratios)))
    return f"{' to '.join(dict.fromkeys(ends))} %"


def _gains(ratios: list[float]) -> str:
    """`save 13 or `, where that is an effect."""
    return f"save {100 * (1 - min(ratios)):.0f} or " if min(ratios) < NO_EFFECT[0] else ""


def _times(ratios: list[float]) -> str:
    low, high = (times(end) for end in (min(ratios), max(ratios)))
    return high if low == high else f"{low} to {high}"
