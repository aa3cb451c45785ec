"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable
from statistics import median

from notebook.pages.queries import Data, Numbers

_SMALL, _LARGE = 1024, 6144
_MEMORIES = {
    "pageable": "explicit",
    "locked": "pinned",
    "managed": "managed",
    "prefetched": "prefetched",
}
_WHOLE = {"allocating": "allocate", "initialising": "initialise", "total": "total"}


def _spec(memory: str, phase: str, side: int) -> str:
    return f"add_matrices memory:{memory} phase:{phase} rows:{side}"


def _ms(memory: str, phase: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(_spec(memory, phase, _LARGE), scale=1e-3)


def _counted(memory: str, phase: str, side: int, metric: str) -> Callable[[Data], list[float]]:
    return lambda d: d.of(_spec(memory, phase, side), metric)


def _rate(memory: str, phase: str, side: int) -> Callable[[Data], list[float]]:
    """Bytes to the device over the time of a phase, in GB/s."""
    return lambda d: d.per(_spec(memory, phase, side), "bytes_to_device", "time", 1e-3)


def _less(phase: str) -> Callable[[Data], list[float]]:
    """Of the managed program than of the one with pageable copies, in percent."""
    return lambda d: [
        100 * (1 - managed / explicit)
        for side in (_SMALL, _LARGE)
        for managed, explicit in zip(
            d.of(_spec("managed", phase, side)), d.of(_spec("explicit", phase, side)), strict=True
        )
    ]


def _spread(d: Data) -> list[float]:
    """The interquartile ranges of the host's phases, in percent of the lower quartile."""
    spreads = []
    for memory in ("managed", "explicit"):
        for phase in ("initialise", "read_back"):
            for name in d.names(_spec(memory, phase, _SMALL) + f"|{_LARGE}"):
                times = sorted(row.time_us for row in d.result.by_name[name])
                spreads.append(100 * (times[len(times) * 3 // 4] / times[len(times) // 4] - 1))
    return spreads


def _second_launch(side: int) -> Callable[[Data], list[float]]:
    return lambda d: [
        d.of(_spec("managed", "kernel", side))[0] / d.of(_spec("explicit", "kernel", side))[0]
    ]


def _mapping(d: Data) -> list[float]:
    """By how many percent mapping takes longer than prefetching, process by process."""
    mapped, prefetched = (
        d.result.by_name[d.names(_spec(memory, "to_device", _LARGE))[0]].by_process("time")
        for memory in ("kept_on_host", "prefetched")
    )
    return [
        100 * (median(mapped[at]) / median(prefetched[at]) - 1)
        for at in mapped.keys() & prefetched.keys()
    ]


def _published_less_initialising(d: Data) -> list[float]:
    rtx = d.on("published:geforce-rtx-3080")
    return rtx.less(
        "add_matrices memory:managed", "add_matrices memory:explicit", at="phase:initialise"
    )


NUMBERS: Numbers = {
    "fault_rate_small": _rate("managed", "first_touch", _SMALL),
    "fault_rate": _rate("managed", "first_touch", _LARGE),
    "pageable_rate_small": _rate("explicit", "to_device", _SMALL),
    "pageable_rate": _rate("explicit", "to_device", _LARGE),
    "prefetch_rate_small": _rate("prefetched", "to_device", _SMALL),
    "prefetch_rate": _rate("prefetched", "to_device", _LARGE),
    "locked_rate_small": _rate("pinned", "to_device", _SMALL),
    "locked_rate": _rate("pinned", "to_device", _LARGE),
    "less_initialising": _less("initialise"),
    "spread": _spread,
    **{
        f"{name}_{word}": _ms(memory, phase)
        for name, memory in _MEMORIES.items()
        for word, phase in _WHOLE.items()
    },
    "host_faults": _counted("managed", "initialise", _SMALL, "cpu_page_faults"),
    "published_less_initialising": _published_less_initialising,
    "read_faults_small": _counted("managed", "read_back", _SMALL, "cpu_page_faults"),
    "read_faults": _counted("managed", "read_back", _LARGE, "cpu_page_faults"),
    "gpu_groups_12": lambda d: d.of("touch_managed mib:12", "gpu_page_fault_groups"),
    "gpu_groups_48": lambda d: d.of("touch_managed mib:48", "gpu_page_fault_groups"),
    "kernel_small": _second_launch(_SMALL),
    "kernel_large": _second_launch(_LARGE),
    "link_rate": lambda d: [
        8 * _LARGE**2 / time / 1e3 for time in d.of(_spec("kept_on_host", "kernel", _LARGE))
    ],
    "price_on_host": lambda d: d.ratio(
        "add_matrices memory:kept_on_host",
        "add_matrices memory:explicit",
        at=f"phase:kernel rows:{_LARGE}",
    ),
    "mapping_longer": lambda d: [value for value in _mapping(d) if value > 10],
    "mapping_shorter": lambda d: [-value for value in _mapping(d) if value <= 10],
    "slow_processes": lambda d: [sum(value > 10 for value in _mapping(d)) / len(_mapping(d))],
    "large_bytes": lambda d: d.of(
        _spec("managed", "first_touch", _LARGE), "bytes_to_device", 1 / _LARGE**2
    ),
} | {
    metric: lambda d, metric=metric: d.on("emulated-hopper").of(
        _spec("explicit", "kernel", _SMALL), metric
    )
    for metric in (
        "load_requests",
        "load_sectors",
        "store_requests",
        "store_sectors",
        "load_efficiency",
    )
}
