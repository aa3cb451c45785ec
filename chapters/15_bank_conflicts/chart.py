"""Clocks of a request against its passes; passes against the stride."""

from notebook.charts.curves import counts
from notebook.charts.evidence import Device, Facts, number, parameter
from notebook.charts.look import CLAIMED, Evidence, key
from notebook.charts.marks import RIGHT, Chart, Panel


def chart(facts: Facts) -> Chart:
    clocks = Panel(
        (0.85, 40),
        (0.85, 40),
        log_x=True,
        log_y=True,
        heading="clocks of a request on one SM",
        height=300,
    )
    if facts.gpu and (extra := _beyond_the_line(facts.gpu)) is not None:
        known = len(_patterns(facts.gpu))
        clocks.heading += f": {known} patterns, {extra:.1f} clocks off the line at most"
    ticks = [(2.0**power, str(2**power)) for power in range(6)]
    clocks.ticks_x(ticks)
    clocks.ticks_y(ticks)
    clocks.line([(0.85, 0.85), (40, 40)], CLAIMED, "thin")
    clocks.label(40, "a clock a pass", CLAIMED)
    shown: set[Evidence] = set()
    for gpu in facts.measured:
        points = _clocks_and_passes(gpu)
        clocks.points(points, gpu.style)
        if gpu is facts.gpu:
            _name_patterns(clocks, gpu)
        if points:
            clocks.label(max(points)[1], gpu.name, gpu.style)
            shown.add(gpu.evidence)
    if not shown:
        clocks.nothing()
    passes = Panel(
        (0.5, 32.5), (0, 34), heading="passes of one request of 4-byte elements", height=180
    )
    passes.ticks_x((float(stride), str(stride)) for stride in (1, 2, 4, 8, 12, 16, 20, 24, 28, 32))
    shown |= counts(
        passes,
        "15",
        facts.counted,
        lambda device: [
            (
                number(row, "stride"),
                device.over(row, "shared_load_wavefronts", "shared_load_requests"),
            )
            for row in _words(device)
        ],
    )
    return Chart(_title(facts.gpu), [clocks, passes], key(shown))


def _name_patterns(panel: Panel, gpu: Device) -> None:
    """Says how many points lie on each other, and which one lies alone."""
    at: dict[float, list[tuple[str, float]]] = {}
    for row, passes, clocks in _patterns(gpu):
        at.setdefault(round(passes, 1), []).append((row, clocks))
    for passes, here in at.items():
        row, clocks = min(here, key=lambda pattern: pattern[1])
        text = f"{len(here)} patterns"
        if len(here) == 1:
            text = f"{parameter(row, 'element')}-byte elements at stride {parameter(row, 'stride')}"
        if passes < 16:
            panel.text(1.07 * passes, 0.87 * clocks, text)
        else:
            panel.text(0.93 * passes, 1.13 * clocks, text, RIGHT)


def _patterns(gpu: Device) -> list[tuple[str, float, float]]:
    """Loads by one block, so that the clocks are those of one SM: with their passes and clocks."""
    patterns = []
    for row in gpu.rows("load_strided"):
        passes = gpu.over(row, "shared_load_wavefronts", "shared_load_requests")
        time, requests = gpu.value(row, "time"), gpu.value(row, "shared_load_requests")
        if passes and time and requests and gpu.result.sm_clock_mhz:
            patterns.append((row, passes, time * gpu.result.sm_clock_mhz / requests))
    return patterns


def _clocks_and_passes(gpu: Device) -> list[tuple[float, float]]:
    return [(passes, clocks) for _, passes, clocks in _patterns(gpu)]


def _beyond_the_line(gpu: Device) -> float | None:
    """The clocks by which a pattern differs most from a clock a pass."""
    return max((abs(clocks - passes) for passes, clocks in _clocks_and_passes(gpu)), default=None)


def _title(gpu: Device | None) -> str:
    points = _clocks_and_passes(gpu) if gpu else []
    if gpu is None or not points:
        return ""
    most = max(abs(clocks / passes - 1) for passes, clocks in points)
    return "" if most > 0.25 else f"{gpu.name}: a bank conflict costs a clock a pass"


def _words(device: Device) -> list[str]:
    """The strided loads of words in banks as they are by default."""
    rows = device.rows("load_strided", element=4, sharers=1)
    return [row for row in rows if "/banks:" not in row]
