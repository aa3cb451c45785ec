"""What is known of a launch: metrics.csv is the table of every metric; a new one is a line there.

Counters have the same names from the emulator and from Nsight Compute. data/schema.json, the columns
of exported tables and the metrics that a claim may name follow from the table.
"""

from dataclasses import dataclass, fields
from pathlib import Path

from notebook.base import csv_table
from notebook.base.errors import Malformed, Problem


@dataclass(frozen=True)
class Metric:
    """One line of the table.

    kind: `counter`: what a launch did. `moved`: between host and device, around a launch, where and when
    its blocks ran, or how exact its result is; rows of a GPU carry these themselves, all other counters of
    a GPU come from a profiler. `rate`: work over time, or the ratio of two rates. `basis`: what efficiencies
    come from, shown nowhere.
    unit: a key of fields.UNITS. nsight: Nsight Compute's name (compute capability 7.0 and later).
    """

    name: str
    kind: str
    unit: str
    meaning: str
    nsight: str


_KINDS = ("counter", "moved", "rate", "basis")


def load(path: Path) -> tuple[Metric, ...]:
    """The table; raises Problem for a line that is none, a metric of no known kind or one that is there twice."""
    columns = [column.name for column in fields(Metric)]
    try:
        lines = csv_table.parse(csv_table.read_content(path), columns)
        table = tuple(Metric(*(line[column] for column in columns)) for line in lines)
        known: set[str] = set()
        for metric in table:
            if metric.kind not in _KINDS:
                kinds = ", ".join(_KINDS)
                raise Malformed(f"{metric.name}: kind '{metric.kind}' is none of {kinds}")
            if metric.name in known:
                raise Malformed(f"{metric.name} is there twice")
            known.add(metric.name)
    except Malformed as error:
        raise Problem(f"{path.name}: {error}") from error
    return table


TABLE = load(Path(__file__).with_suffix(".csv"))
# For messages about a metric that it lacks.
METRICS_FILE = "scripts/notebook/data/metrics.csv"


def _names(*kinds: str) -> tuple[str, ...]:
    return tuple(metric.name for metric in TABLE if metric.kind in kinds)


RATES = _names("rate")
# A ratio within each repetition: what moves a process as a whole is not in it.
SHARES = tuple(metric.name for metric in TABLE if (metric.kind, metric.unit) == ("rate", "ratio"))
MOVED = _names("moved")
COUNTERS = _names("counter", "moved")
# Our name of a counter: Nsight Compute's.
NSIGHT = {metric.name: metric.nsight for metric in TABLE if metric.nsight}
# The effective bandwidth in percent of the device's theoretical one: computed, never stored.
PEAK_PERCENT = "peak_percent"
# The bytes that all requests of a kernel's loads move, over the time, in percent of the same: profilers' load
# throughput. Computed from time, measured or predicted, and counter: only where there are both.
LOAD_THROUGHPUT_PERCENT = "load_throughput_percent"
PERCENTAGES = frozenset(
    {
        PEAK_PERCENT,
        LOAD_THROUGHPUT_PERCENT,
        *(metric.name for metric in TABLE if metric.unit == "percent"),
    }
)


def unit_of(metric: str) -> str:
    """The key of fields.UNITS."""
    units = {each.name: each.unit for each in TABLE} | {"time": "us"}
    return units.get(metric, "percent")


METRICS = ("time", *RATES, PEAK_PERCENT, LOAD_THROUGHPUT_PERCENT, *COUNTERS)
