"""What a launch costs by how it is made; how far copies overlap."""

from notebook.charts.bars import Step, ladder
from notebook.charts.evidence import Device, Facts
from notebook.charts.look import BLUE, GREY, ORANGE, Evidence, key
from notebook.charts.marks import Chart, Panel
from notebook.charts.reads import on

_LAUNCHES: list[tuple[str, str, dict[str, object]]] = [
    ("into the queue alone", "empty", {"by": "queue_alone"}),
    ("back to back", "empty", {"by": "stream"}),
    ("on four streams", "empty", {"by": "four_streams"}),
    ("in one graph", "empty", {"by": "graph"}),
    ("a graph each", "empty", {"by": "graph_each"}),
    ("waited for, each", "empty", {"by": "stream_sync_each"}),
    ("step of a persistent kernel", "iteration", {"by": "persistent"}),
    ("step of an iteration in a graph", "iteration", {"by": "graph"}),
]
_STREAMS = (1, 2, 4, 8)


def chart(facts: Facts) -> Chart:
    gpu = facts.gpu
    launches = [(label, _time(gpu, kernel, case), BLUE) for label, kernel, case in _LAUNCHES]
    overlap: list[Step] = [
        (
            f"{memory}, {streams} stream{'s' if streams > 1 else ''}",
            _of_one_stream(gpu, memory, streams),
            ORANGE if memory == "pinned" else GREY,
        )
        for memory in ("pinned", "pageable")
        for streams in _STREAMS
    ]
    panels = [
        _ladder(launches, f"{on(gpu)}time of an empty kernel's launch, or of a step, µs"),
        _ladder(overlap, "time of 64 MiB there, worked on and back; pinned, one stream = 1"),
    ]
    return Chart(_title(gpu), panels, key({Evidence.MEASURED} if gpu else set(), bars=True))


def _ladder(steps: list[Step], heading: str) -> Panel:
    widest = max((value for _, value, _ in steps if value is not None), default=1.0)
    return ladder(steps, heading, 1.15 * widest, 230, 1)


def _time(gpu: Device | None, kernel: str, case: dict[str, object]) -> float | None:
    return gpu.value(gpu.row(kernel, **case), "time") if gpu else None


def _of_one_stream(gpu: Device | None, memory: str, streams: int) -> float | None:
    if gpu is None:
        return None
    return gpu.ratio(
        gpu.row("pipeline", memory=memory, streams=streams),
        gpu.row("pipeline", memory="pinned", streams=1),
    )


def _title(gpu: Device | None) -> str:
    launch, graph = (_time(gpu, "empty", {"by": by}) for by in ("stream", "graph"))
    if gpu is None or launch is None or graph is None:
        return ""
    return f"{gpu.name}: launches take {launch:.1f} µs, in a graph {graph:.1f} µs"
