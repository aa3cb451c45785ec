"""Times work on a GPU between events, each repetition beside a copy by the driver."""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

REPETITIONS = 21


@dataclass
class Times:
    """Microseconds of each repetition, and of the copy that followed it."""

    work_us: list[float] = field(default_factory=list)
    copy_us: list[float] = field(default_factory=list)


def measure(torch: ModuleType, work: Callable[[], object], copy: Callable[[], object]) -> Times:
    """Times `work` and `copy` in turns, after one untimed launch of each."""
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(4)] for _ in range(REPETITIONS)]
    work()
    copy()
    for begin, end, copy_begin, copy_end in events:
        begin.record()
        work()
        end.record()
        copy_begin.record()
        copy()
        copy_end.record()
    torch.cuda.synchronize()
    times = Times()
    for begin, end, copy_begin, copy_end in events:
        times.work_us.append(round(begin.elapsed_time(end) * 1e3, 3))
        times.copy_us.append(round(copy_begin.elapsed_time(copy_end) * 1e3, 3))
    return times
