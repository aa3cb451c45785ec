"""What the charts of transposes share: two kernels, the largest matrix, shares of a copy by rows."""

from notebook.charts.bars import line_between_groups
from notebook.charts.evidence import Device
from notebook.charts.look import GREY
from notebook.charts.marks import Panel
from notebook.data import names

LARGE: dict[str, object] = {"rows": 16384, "columns": 16384, "cache": "cold"}
COLUMNS, ROWS = "transpose_read_columns", "transpose_read_rows"


def of_copy_rows(device: Device, row: str | None) -> float | None:
    """The bandwidth of a row over that of copying by rows, on the same device and in its regime."""
    if row is None:
        return None
    keys = names.parameters(row)
    regime = {key: keys[key] for key in names.REGIME_KEYS if key in keys}
    caching = {"l1": keys["l1"]} if "l1" in keys else {}
    for block in ("16x16", keys.get("block")):
        for base in device.rows("copy_rows", block=block, **caching):
            own = names.parameters(base)
            alike = regime == {key: own[key] for key in names.REGIME_KEYS if key in own}
            share = device.ratio(row, base, "bytes_per_second") if alike else None
            if share is not None:
                return share
    return None


def line_at_the_copy(panel: Panel) -> None:
    """Names the line at 100 % of a copy by rows: between groups, so that it crosses no name."""
    line_between_groups(panel, 100, GREY)
    panel.text(100 + 0.005 * panel.x[1], 0.55, "copy by rows")
