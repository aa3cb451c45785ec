"""The rules of the front page in one panel: how many times as long each takes, on every GPU that decides it."""

from collections.abc import Iterator
from math import log
from statistics import median

from notebook.base import markers
from notebook.charts.evidence import Device
from notebook.charts.look import (
    COLOURS,
    GENERATIONS,
    GREY,
    QUIET,
    STARS,
    Evidence,
    Style,
    key,
    style,
)
from notebook.charts.marks import CENTER, LINE, THIN, Chart, Panel
from notebook.charts.sources import Sources
from notebook.charts.words import NO_EFFECT, NO_EFFECT_LINES
from notebook.data import device_names
from notebook.data.results import Result
from notebook.decide import judging, rules
from notebook.decide.rules import Group, Rule
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import MEASURED, PREDICTED

Row = tuple[Rule, ChapterVerdicts, list[Group]]

_LEFT, _RIGHT = 1 / 512, 512
_HEIGHT_OF_A_ROW = 20
# Words have a look that no mark has.
_WORD = Style(GREY.colour, 0)
_HOLDS = (*judging.CONFIRMED, judging.STRONGER)


def effects(sources: Sources) -> Chart | None:
    """A line for each rule whose numbers are times, and a mark for each range of a generation's GPUs."""
    known = [(rule, decided, groups) for rule, decided, groups in _rules(sources) if groups]
    rows = sorted(known, key=lambda row: -_size(row[2]))
    if not rows:
        return None
    panel = Panel((_LEFT, _RIGHT), (0, len(rows) + 2.2), log_x=True)
    panel.height = _HEIGHT_OF_A_ROW * (len(rows) + 2.2)
    panel.ticks_y(
        (len(rows) - place, rule.label.replace("`", "")) for place, (rule, *_) in enumerate(rows)
    )
    powers = range(-8, 10, 2)
    panel.ticks_x(
        (2.0**power, f"{2.0**power:g}" if power >= 0 else f"1/{2**-power}") for power in powers
    )
    for edge in NO_EFFECT:
        panel.line([(edge, 0.2), (edge, len(rows) + 0.8)], GREY, THIN)
    shown: set[Evidence] = set()
    generations: set[str] = set()
    newest = _newest(rows)
    for place, row in enumerate(rows):
        if newest and (said := _said(row, newest)):
            panel.label(len(rows) - place, said, _WORD)
        for group in row[2]:
            look, evidence = _look(group)
            shown.add(evidence)
            generations |= {_generation(group)} if evidence is not Evidence.PREDICTED else set()
            _mark(panel, group, len(rows) - place, look)
    _name_generations(panel, generations, len(rows) + 1.6, with_stars=Evidence.PUBLISHED in shown)
    note = f"{key(shown)}   line: range of all sizes   {NO_EFFECT_LINES}"
    return Chart(_title(rows, newest), [panel], note)


def _rules(sources: Sources) -> Iterator[tuple[Rule, ChapterVerdicts, list[Group]]]:
    """Those of the front page, with what decides them; of a predicted generation that was measured, that alone."""
    front = sources.project.root / "README.md"
    by_number = {chapter.chapter.number: chapter for chapter in sources.decided}
    for rule in rules.parse(markers.rows_of(front, "rules")):
        decided = by_number.get(rule.chapter)
        if decided and rule.form != rules.SHARE:
            every = rules.groups(decided, rule)
            known = {_generation(group) for group in every if group.evidence != PREDICTED}
            yield (
                rule,
                decided,
                [
                    group
                    for group in every
                    if group.evidence != PREDICTED or _generation(group) not in known
                ],
            )


def _generation(group: Group) -> str:
    return Device(group.devices[0]).generation


def _look(group: Group) -> tuple[Style, Evidence]:
    """In the colour of the generation; predictions in one quiet form."""
    if group.evidence == PREDICTED:
        return QUIET, Evidence.PREDICTED
    if group.evidence == MEASURED:
        return style(_generation(group), Evidence.MEASURED), Evidence.MEASURED
    return _star(_generation(group)), Evidence.PUBLISHED


def _star(generation: str) -> Style:
    """All published GPUs of a generation look alike here; neighbouring generations do not."""
    place = GENERATIONS.index(generation) if generation in GENERATIONS else 0
    return Style(COLOURS.get(generation, GREY.colour), list(STARS)[place % len(STARS)])


def _size(groups: list[Group]) -> float:
    """How many times as long on the middle one of the GPUs that were measured or, without any, of the others."""
    measured = [group for group in groups if group.evidence == MEASURED]
    return median(
        sum(map(log, part.numbers)) / len(part.numbers)
        for group in measured or groups
        for part in group.parts
    )


def _mark(panel: Panel, group: Group, y: float, look: Style) -> None:
    """A point, or a line with a point at each end."""
    numbers = [number for part in group.parts for number in part.numbers]
    ends = [min(numbers), max(numbers)]
    panel.line([(end, y) for end in ends], look, LINE)
    panel.points([(end, y) for end in dict.fromkeys(ends)], look)


def _name_generations(panel: Panel, generations: set[str], y: float, *, with_stars: bool) -> None:
    """What the colours and the published GPUs' marks stand for."""
    here = [name for name in GENERATIONS if name in generations]
    for place, name in enumerate(here):
        x = 2 ** (3.6 * (place - (len(here) - 1) / 2))
        if with_stars:
            panel.points([(x / 2**1.5, y)], _star(name))
        panel.text(x, y, name.capitalize(), CENTER, Style(COLOURS[name], 5))


def _newest(rows: list[Row]) -> Result | None:
    """Of the measured GPUs."""
    measured = [
        result for _, decided, _ in rows for result in decided.results if result.kind == "gpu"
    ]
    return max(measured, key=lambda result: result.age, default=None)


def _title(rows: list[Row], newest: Result | None) -> str:
    """How many rules hold on the newest measured GPU."""
    if not newest:
        return ""
    words = [word for row in rows if (word := _words(row, newest))]
    holding = sum(word <= {*_HOLDS} for word in words)
    return f"{device_names.short(newest.device)}: {holding} of {len(words)} rules hold (its verdicts: right)"


def _said(row: Row, gpu: Result) -> str:
    """The verdict of a GPU in the words of the front page; where sizes differ, all of them."""
    words = _words(row, gpu)
    return "/".join(dict.fromkeys(rules.SHORT[word] for word in judging.ALL if word in words))


def _words(row: Row, gpu: Result) -> set[str]:
    """The verdicts of a GPU about a rule."""
    return {
        part.word
        for group in row[2]
        if any(result.device == gpu.device for result in group.devices)
        for part in group.parts
        if part.word != judging.INCONCLUSIVE
    }
