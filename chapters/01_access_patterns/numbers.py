"""Numbers of page.md that no claim has: queries of the tracked data."""

from functools import partial

from notebook.pages.queries import Data, Numbers

_COPY = "copy_strided l1:on"
_PLAIN = f"{_COPY} stride:1"
_STATES = {"l2": "cache:warm", "dram": "cache:cold"}
_COLD = _STATES["dram"]


def _strided(d: Data, stride: int, level: str) -> list[float]:
    return d.ratio(f"{_COPY} stride:{stride}", _PLAIN, at=_STATES[level])


def _sectors_apart(d: Data) -> list[float]:
    """Sectors that strided loads touch over those of scattered ones in as many lines."""
    return [
        row / column
        for lines in (6, 9)
        for row in d.of(f"{_COPY} stride:{lines} {_COLD}", "load_sectors")
        for column in d.of(f"copy_scattered l1:on lines:{lines} {_COLD}", "load_sectors")
    ]


NUMBERS: Numbers = {
    **{
        f"stride_{stride}_{level}": partial(_strided, stride=stride, level=level)
        for stride in (2, 8, 16, 32, 64)
        for level in _STATES
    },
    "four_lines": lambda d: d.more(
        "copy_scattered l1:on lines:4", "copy_scattered l1:on lines:1", at=_COLD
    ),
    "plain_of_peak": lambda d: d.of(f"{_PLAIN} {_COLD}", "peak_percent"),
    "l1_switched": lambda d: [abs(value) for value in d.more("copy_* l1:off", "copy_* l1:on")],
    "gathers": lambda d: d.of_chapter("04").ratio("gather scatter:array", "read_offset offset:0"),
    "warm": lambda d: d.of("copy_strided stride:1|2|3|4|5 cache:warm"),
    "from_32_to_64": lambda d: d.more(f"{_COPY} stride:64", f"{_COPY} stride:32", at=_COLD),
    "sectors_apart": _sectors_apart,
    "more_dram": lambda d: d.beyond("emulated-hopper", "*", "dram_read_bytes", 1e-3),
}
