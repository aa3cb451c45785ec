"""Two SVGs show the same when the same lines, areas, points and texts stand at the same places."""

import pytest

from notebook.charts.pictures import same

HEAD = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'>"
PATH = "<path stroke='rgb(  0,   0,   0)' d='M1.00,2.00 L3.00,4.00 L5.00,4.00'/>"
POINT = "<use xlink:href='#gpPt6' transform='translate(3.00,4.00) scale(2.68)' color='black'/>"
TEXT = "<g transform='translate(9.00,9.00)'><text><tspan>fermi</tspan></text></g>"


def svg(*parts: str) -> str:
    return f"{HEAD}{''.join(parts)}</svg>"


FIGURE = svg("<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>", PATH, POINT, TEXT)


@pytest.mark.parametrize(
    "other",
    [
        svg(TEXT, POINT, PATH),
        svg("<g fill='none'>", PATH, "</g><g>", POINT, "</g>", TEXT),
        svg(
            "<path stroke='rgb(0,0,0)' d='M5.00,4.00 L3.00,4.00'/>",
            "<path stroke='rgb(0,0,0)' d='M1.00,2.00 L3.00,4.00 M7.00,7.00'/>",
            POINT,
            TEXT,
        ),
        svg(POINT.replace("black", "#FFFFFF"), PATH, POINT, TEXT),
        svg(PATH, POINT, TEXT.replace("<tspan>fermi</tspan>", "fermi")),
    ],
    ids=["order", "groups", "pieces of a path", "background of a point", "spans"],
)
def test_what_only_is_written_otherwise(other: str) -> None:
    assert same(FIGURE, other)


@pytest.mark.parametrize(
    "other",
    [
        FIGURE.replace("L3.00,4.00", "L3.00,4.01"),
        FIGURE.replace("L3.00", "M3.00"),
        FIGURE.replace("rgb(  0,", "rgb(  1,"),
        FIGURE.replace("translate(3.00", "translate(3.10"),
        FIGURE.replace("#gpPt6", "#gpPt7"),
        FIGURE.replace("fermi", "kepler"),
        FIGURE.replace("translate(9.00", "translate(9.50"),
        svg(PATH, TEXT),
        svg(PATH, POINT, POINT, TEXT),
        "",
        "<svg",
    ],
)
def test_what_shows_something_else(other: str) -> None:
    assert not same(FIGURE, other)
