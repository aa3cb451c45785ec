"""Bandwidth against the size of a block and against the occupancy that it achieves."""

import math
from collections.abc import Iterator

from notebook.charts.curves import Points, counts
from notebook.charts.evidence import LARGEST, Device, Facts, complete, number, parameter
from notebook.charts.look import BLUE, PLAIN, Evidence, Style, key
from notebook.charts.marks import CENTER, Chart, Panel
from notebook.charts.reads import of_largest, on

_SERIES = [
    ("read_offset", "1 element a thread", PLAIN),
    ("read_offset_unrolled", "4 elements a thread", BLUE),
]
_BLOCKS = [(float(threads), str(threads)) for threads in (32, 64, 128, 256, 512, 768, 1024)]


def chart(facts: Facts) -> Chart:
    heading = f"{on(facts.gpu)}bandwidth{of_largest(facts.gpu)}, against the {{}}, % of memcpy"
    size = Panel((26, 1250), (0, 105), log_x=True, heading=heading.format("block"), height=170)
    rank = _correlation(facts.gpu, "achieved_occupancy") if facts.gpu else None
    heading_of_warps = f"{on(facts.gpu)}bandwidth against the achieved occupancy, % of memcpy" + (
        f" (rank correlation {rank:.3f})" if rank else ""
    )
    warps = Panel((0, 104), (0, 115), heading=heading_of_warps, height=210)
    limit = Panel((26, 1250), (0, 108), log_x=True, heading="theoretical occupancy, %", height=150)
    size.ticks_x(_BLOCKS)
    limit.ticks_x(_BLOCKS)
    shown: set[Evidence] = set()
    if gpu := facts.gpu:
        shown.add(Evidence.MEASURED)
        for kernel, label, look in _SERIES:
            _draw_series(size, warps, _speeds(gpu, kernel), label, look)
    else:
        size.nothing()
        warps.nothing()

    def theoretical(device: Device) -> Points:
        rows = device.rows("read_offset", offset=0, n=2**20)
        rows = [row for row in rows if not _is_padded(row)]
        return [(number(row, "block"), device.value(row, "theoretical_occupancy")) for row in rows]

    shown |= counts(limit, "08", facts.counted, theoretical)
    return Chart(_title(gpu), [size, warps, limit], key(shown))


def _is_padded(row: str) -> bool:
    """Whether its blocks take shared memory that they do not use."""
    return bool(parameter(row, "shared_kb"))


def _speeds(gpu: Device, kernel: str) -> list[tuple[str, float, float | None]]:
    """Rows with their share of memcpy and their achieved occupancy."""
    rows = [row for row in gpu.rows(kernel, offset=0, n=LARGEST) if not _is_padded(row)]
    shares = zip(rows, gpu.of_memcpy(rows), strict=True)
    return [(row, share[0], gpu.value(row, "achieved_occupancy")) for row, share in shares if share]


def _draw_series(
    size: Panel,
    warps: Panel,
    speeds: list[tuple[str, float, float | None]],
    label: str,
    look: Style,
) -> None:
    by_block = [(number(row, "block"), 100 * share) for row, share, _ in speeds]
    achieved = [(x, 100 * share, row) for row, share, x in speeds if x is not None]
    size.line(by_block, look)
    size.points(by_block, look)
    warps.points([(x, y) for x, y, _ in achieved], look)
    for (x, y, row), line in _in_two_lines(achieved):
        # A label without room on its own side of the marks stands on the other.
        away = 9 if (look is BLUE) == (line == 0) else -10
        warps.text(x, y + away, parameter(row, "block"), CENTER, look)
    if by_block:
        size.label(by_block[-1][1], label, look)
    if achieved:
        warps.label(max(achieved)[1], label, look)


def _in_two_lines(
    places: list[tuple[float, float, str]],
) -> Iterator[tuple[tuple[float, float, str], int]]:
    """Each place, and whether its text stands in the first line or, where that has no room, in the second."""
    last = -math.inf
    for place in sorted(places):
        is_free = place[0] - last >= 4.5
        last = place[0] if is_free else last
        yield place, 0 if is_free else 1


def _correlation(gpu: Device, occupancy: str) -> float | None:
    """The rank correlation of bandwidth and an occupancy; None where a row lacks either."""
    speeds = [speed for kernel, _, _ in _SERIES for speed in _speeds(gpu, kernel)]
    values = complete(gpu.value(row, occupancy) for row, _, _ in speeds)
    if values is None or len(speeds) < 3:
        return None
    from scipy import stats  # type: ignore[import-untyped]  # takes half a second

    return float(stats.spearmanr([share for _, share, _ in speeds], values).statistic)


def _title(gpu: Device | None) -> str:
    if gpu is None:
        return ""
    achieved, theoretical = (
        _correlation(gpu, f"{kind}_occupancy") for kind in ("achieved", "theoretical")
    )
    if achieved is None or achieved < 0.8:
        return ""
    is_other = theoretical is not None and theoretical < 0.8
    return f"{gpu.name}: bandwidth follows the achieved occupancy{', not the theoretical' if is_other else ''}"
