"""Colours and shapes: a generation has one of each in all figures; the fill says the kind of evidence.

The colours differ for people with protanopia and deuteranopia too, and are dark enough for lines on
white; test_charts.py checks both. In grey, shapes and labels tell what colours do not.
"""

from dataclasses import dataclass
from enum import Enum

GENERATIONS = (
    "fermi",
    "kepler",
    "maxwell",
    "pascal",
    "volta",
    "turing",
    "ampere",
    "ada",
    "hopper",
    "blackwell",
)
COLOURS = dict(
    zip(
        GENERATIONS,
        (
            0xC63419,
            0xE59C00,
            0x7D6C90,
            0x1C17FF,
            0x0AC0A0,
            0x620001,
            0xE685F7,
            0x2E4848,
            0x000003,
            0x3E006C,
        ),
        strict=True,
    )
)
# gnuplot's point types: the open shape of each; the filled one is the next number.
_SHAPES = (8, 4, 10, 6, 12)
# Published GPUs, neighbours in a generation have another one.
STARS = {3: "star", 1: "+", 2: "x", 14: "pentagon"}
# Which of them the first published GPU of a generation has, so that GPUs of one panel differ.
_FIRST_STAR = {"maxwell": 2, "volta": 1, "ampere": 3, "ada": 2, "hopper": 3, "blackwell": 1}
_LAST_LINE_MARK = 3


class Evidence(Enum):
    """Where a number comes from."""

    MEASURED = "measured"
    COUNTED = "counted"
    PREDICTED = "predicted"
    PUBLISHED = "published"


@dataclass(frozen=True)
class Style:
    """A colour (0xrrggbb) and one of gnuplot's point types."""

    colour: int
    shape: int

    @property
    def is_filled(self) -> bool:
        return self.shape > _LAST_LINE_MARK and self.shape % 2 == 1


# For what belongs to no device.
GREY = Style(0x555555, 1)
# For what is predicted, whatever it is of.
QUIET = Style(0x8A8A8A, 6)
CLAIMED = Style(0x8A1C1C, 2)
# For the variants of one device, next to each other in one panel.
PLAIN = Style(0x4D4D4D, 5)
BLUE = Style(0x0072B2, 7)
ORANGE = Style(0xD55E00, 9)
GREEN = Style(0x009E73, 13)
PURPLE = Style(0xAA4499, 11)
SKY = Style(0x3C9BD0, 15)
VARIANTS = (PLAIN, BLUE, ORANGE, GREEN, PURPLE, SKY)


def style(generation: str, evidence: Evidence, sibling: int = 0) -> Style:
    """A generation in its colour and shape: measured is filled, counted is open, published is a star; what is
    predicted is grey. `sibling` counts the GPUs of a generation: the others are paler, of another shape,
    or published with another star.
    """
    if evidence is Evidence.PUBLISHED:
        star = list(STARS)[(_FIRST_STAR.get(generation, 0) + sibling) % len(STARS)]
        return Style(COLOURS.get(generation, GREY.colour), star)
    if evidence is Evidence.PREDICTED:
        return QUIET
    if generation not in GENERATIONS:
        return Style(GREY.colour, 5)
    shape = _SHAPES[(GENERATIONS.index(generation) + sibling) % len(_SHAPES)]
    is_measured = evidence is Evidence.MEASURED
    return Style(_paler(COLOURS[generation], sibling), shape + 1 if is_measured else shape)


def second(of_device: Style) -> Style:
    """For a second series of a device, distinguished from its first by colour and shape."""
    place = _SHAPES.index(of_device.shape - 1) if of_device.is_filled else 0
    return Style(BLUE.colour, _SHAPES[(place + 3) % len(_SHAPES)] + 1)


def _paler(colour: int, steps: int) -> int:
    """Half of the way to white, once more for each step."""
    channels = [colour >> shift & 255 for shift in (16, 8, 0)]
    mixed = [round(255 - (255 - channel) * 0.5**steps) for channel in channels]
    return mixed[0] << 16 | mixed[1] << 8 | mixed[2]


# A figure without such lines leaves these out of the signs below.
INTERVALS, DASHED = ", bar: 95 % interval", ", dashed"
_GAP = "   "
_SIGNS = {
    Evidence.MEASURED: f"filled: measured{INTERVALS}",
    Evidence.COUNTED: "open: counted",
    Evidence.PREDICTED: f"grey ring{DASHED}: predicted",
    Evidence.PUBLISHED: "star: published",
}


_BARS = {
    Evidence.MEASURED: "full: measured",
    Evidence.COUNTED: "outlined: counted",
    Evidence.PREDICTED: "grey outline: predicted",
    Evidence.PUBLISHED: "pale: published",
}


def key(shown: set[Evidence], *, bars: bool = False) -> str:
    """What the shapes, or the bars, of a figure stand for; of a single kind its name."""
    signs = _SIGNS | (_BARS if bars else {})
    texts = [signs[kind] for kind in Evidence if kind in shown]
    return _GAP.join(texts if len(texts) > 1 else (text.partition(": ")[2] for text in texts))


@dataclass(frozen=True)
class Drawn:
    """What the legend of a figure has to be right about."""

    forms: set[str]
    points: set[Style]
    has_intervals: bool


def explained(note: str, drawn: Drawn) -> str:
    """A legend without forms that the figure lacks, and with each form once."""
    note = note if drawn.has_intervals else note.replace(INTERVALS, "")
    if "dashes" not in drawn.forms:
        note = note.replace(DASHED, "")
    if not any(style.is_filled for style in drawn.points):
        note = note.replace("filled: measured", "bars: measured")
    stars = {style.shape for style in drawn.points} & STARS.keys()
    names = ", ".join(name for shape, name in STARS.items() if shape in stars)
    return note.replace("star: published", f"{names}: published") if names else note


def ink(colour: int) -> int:
    """The colour, darkened until text in it has a contrast of 4.5 to white (WCAG)."""
    channels = [colour >> shift & 255 for shift in (16, 8, 0)]
    while (1.05 / (_luminance(channels) + 0.05)) < 4.5:
        channels = [int(channel * 0.97) for channel in channels]
    return channels[0] << 16 | channels[1] << 8 | channels[2]


def _luminance(channels: list[int]) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in channels)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
