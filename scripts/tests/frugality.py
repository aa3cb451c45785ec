"""A bound on what reading takes, whatever the same process did before."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 10  # of CPU
MEGABYTES = 400

_PROCESS = Path("/proc/self")


@contextmanager
def frugal(place: str = "") -> Iterator[None]:
    """Fails with `place` where what is done inside takes much CPU time or memory."""
    (_PROCESS / "clear_refs").write_text("5")  # the peak begins again at what is used now
    before, start = _megabytes("VmRSS"), time.process_time()
    yield
    assert time.process_time() - start < SECONDS, place
    assert _megabytes("VmHWM") - before < MEGABYTES, place


def _megabytes(name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB$", (_PROCESS / "status").read_text(), re.MULTILINE)
    assert found, name
    return int(found[1]) / 1024
