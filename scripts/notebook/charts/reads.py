"""What the charts of reads by more work a thread share: words about the GPU and the size."""

import math

from notebook.charts.evidence import LARGEST, Device, number


def on(gpu: Device | None) -> str:
    return f"{gpu.name}: " if gpu else ""


def of_largest(gpu: Device | None) -> str:
    """The size of the largest arrays in words."""
    row = gpu.row("read_offset", offset=0, n=LARGEST) if gpu else None
    return f", 2^{math.log2(number(row, 'n')):.0f} floats" if row else ""
