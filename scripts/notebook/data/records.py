"""Rows of a data file: each benchmark's repetitions, as they stand in the file until they are asked for.

Commands that read a hundred devices use a few numbers of each row, so nothing is copied before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import overload

from notebook.data import fields
from notebook.data.fields import Json
from notebook.data.metrics import COUNTERS, MOVED, PEAK_PERCENT, RATES

_VALUES = {*RATES, *COUNTERS}
_FLOATS = frozenset({float})
_COUNTERS, _MOVED = frozenset(COUNTERS), frozenset(MOVED)


@dataclass(frozen=True)
class Row:
    """One repetition of one variant. `values` holds rates (per second) and counters by name.

    `time_us` is 0 where nothing was timed, `predicted_seconds` where nothing was predicted.
    """

    name: str
    level: str
    process: int
    time_us: float
    throttled: bool
    values: dict[str, float]
    evidence: str = fields.MEASURED
    predicted_seconds: float = 0
    predicted_bound: str = ""

    def metric(self, name: str) -> float:
        """Its time in microseconds, one of its rates, or its share of the peak bandwidth."""
        return self.time_us if name == "time" else self.values[name]

    @property
    def counters(self) -> dict[str, float]:
        return {key: value for key, value in self.values.items() if key in _COUNTERS}

    @property
    def moved(self) -> dict[str, float]:
        return {key: value for key, value in self.values.items() if key in _MOVED}


class Repetitions(Sequence[Row]):
    """All repetitions of one benchmark."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._by_process: dict[str, dict[int, list[float]]] = {}
        self._positive: dict[str, dict[int, list[float]]] = {}

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return self.all[index]

    def __len__(self) -> int:
        return len(self.all)

    @property
    def all(self) -> Sequence[Row]:
        return self._rows

    @property
    def level(self) -> str:
        return self.all[0].level

    @property
    def throttled(self) -> frozenset[int]:
        """The processes in which clocks were held down in some repetition."""
        return frozenset(row.process for row in self.all if row.throttled)

    @property
    def predicted_seconds(self) -> float:
        return self.all[0].predicted_seconds

    @property
    def predicted_bound(self) -> str:
        return self.all[0].predicted_bound

    def by_process(self, metric: str) -> dict[int, list[float]]:
        """The values of a metric by process; {} where no repetition has it."""
        if metric not in self._by_process:
            self._by_process[metric] = self._found(metric)
        return self._by_process[metric]

    def positive(self, metric: str) -> dict[int, list[float]]:
        """The same where every value is above zero; else {}."""
        if metric not in self._positive:
            values = self.by_process(metric)
            is_positive = values and min(map(min, values.values())) > 0
            self._positive[metric] = values if is_positive else {}
        return self._positive[metric]

    def _found(self, metric: str) -> dict[int, list[float]]:
        values: dict[int, list[float]] = {}
        for row in self.all:
            if metric == "time" or metric in row.values:
                values.setdefault(row.process, []).append(row.metric(metric))
        return values

    def has_counts(self, moved_only: bool) -> bool:
        """Whether every repetition has some."""
        counted = self.counts(moved_only)
        return bool(counted) and all(counted)

    def counts(self, moved_only: bool) -> list[dict[str, float]]:
        """The counters of each repetition; of those only what moved around a launch."""
        return [row.moved if moved_only else row.counters for row in self.all]


class Stored(Repetitions):
    """The same, of a row of a checked document. `peak` is 0 where it is unknown."""

    def __init__(self, row: Json, peak: float) -> None:
        super().__init__(())
        self._row = row
        self._peak = peak

    @property
    def all(self) -> Sequence[Row]:
        return self._made

    @cached_property
    def _made(self) -> list[Row]:
        return list(_repetitions(self._row, self._peak))

    @property
    def level(self) -> str:
        return str(self._row.get("level", ""))

    @property
    def throttled(self) -> frozenset[int]:
        flags = self._row.get("throttled", 0)
        if not isinstance(flags, list):
            flags = [[flags] for _ in self._row.get("time_us", [[0.0]])]
        return frozenset(process for process, of_one in enumerate(flags) if any(of_one))

    def _found(self, metric: str) -> dict[int, list[float]]:
        stored = self._row.get("time_us" if metric == "time" else metric)
        if stored is None and metric in _VALUES:
            return {}
        if not isinstance(stored, list):
            return super()._found(metric)  # computed from others, or one number for all
        if not _FLOATS.issuperset(map(type, chain.from_iterable(stored))):
            stored = [list(map(float, values)) for values in stored]
        return {process: values for process, values in enumerate(stored) if values}

    def has_counts(self, moved_only: bool) -> bool:
        return not (_MOVED if moved_only else _COUNTERS).isdisjoint(self._row)

    def counts(self, moved_only: bool) -> list[dict[str, float]]:
        if not self.has_counts(moved_only):
            return []
        row = self._row
        metrics = row.keys() & (_MOVED if moved_only else _COUNTERS)
        return [
            {key: _at(row[key], process, index) for key in metrics}
            for process, times in enumerate(row.get("time_us", [[0.0]]))
            for index in range(len(times))
        ]

    @property
    def predicted_seconds(self) -> float:
        return float(self._row.get("predicted_seconds", 0))

    @property
    def predicted_bound(self) -> str:
        return str(self._row.get("predicted_bound", ""))


def grouped(rows: Iterable[Row]) -> dict[str, Repetitions]:
    """The repetitions of each benchmark, in the order of the rows."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.name, []).append(row)
    return {name: Repetitions(of_name) for name, of_name in groups.items()}


class Later(Mapping[str, Repetitions]):
    """The benchmarks of a file that is read once something of them is asked."""

    def __init__(self, read: Callable[[], Mapping[str, Repetitions]]) -> None:
        self._read = read

    @cached_property
    def _found(self) -> Mapping[str, Repetitions]:
        return self._read()

    def __getitem__(self, name: str) -> Repetitions:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class Counts(Mapping[str, list[dict[str, float]]]):
    """The counters of each benchmark, one dictionary a repetition; only what was counted.

    On a GPU those of a launch were measured, and its rows bring along what moved around it.
    """

    def __init__(
        self,
        by_name: Mapping[str, Repetitions],
        measured: Mapping[str, dict[str, float]],
        moved_only: bool,
    ) -> None:
        self._by_name = by_name
        self._measured = measured
        self._moved_only = moved_only
        self._found: dict[str, list[dict[str, float]]] = {}

    @cached_property
    def _own(self) -> dict[str, Repetitions]:
        """The benchmarks whose rows have counters."""
        return {
            name: repetitions
            for name, repetitions in self._by_name.items()
            if repetitions.has_counts(self._moved_only)
        }

    def __getitem__(self, name: str) -> list[dict[str, float]]:
        if name not in self._found:
            if name not in self:
                raise KeyError(name)
            own = self._own[name].counts(self._moved_only) if name in self._own else [{}]
            measured = self._measured.get(name, {})
            self._found[name] = [moved | measured for moved in own] if measured else own
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._measured

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._own, *self._measured]))

    def __len__(self) -> int:
        return len(self._own.keys() | self._measured.keys())


def stored(document: Json) -> dict[str, Repetitions]:
    """The same, of a checked document."""
    peak = document["context"]["dram_bytes_per_second"]
    return {row["name"]: Stored(row, peak) for row in document["rows"]}


def rows_of(document: Json) -> list[Row]:
    """Every repetition of every row of a checked document."""
    return [row for repetitions in stored(document).values() for row in repetitions]


def _repetitions(row: Json, peak: float) -> Iterator[Row]:
    """`peak` is 0 where it is unknown: then there is no share of it."""
    metrics = [key for key in row if key in _VALUES]
    for process, times in enumerate(row.get("time_us", [[0.0]])):
        for index, time_us in enumerate(times):
            values = {key: _at(row[key], process, index) for key in metrics}
            if peak and "bytes_per_second" in values:
                values[PEAK_PERCENT] = 100 * values["bytes_per_second"] / peak
            yield Row(
                name=row["name"],
                level=row.get("level", ""),
                process=process,
                time_us=float(time_us),
                throttled=_at(row.get("throttled", 0), process, index) != 0,
                values=values,
                evidence=row["evidence"],
                predicted_seconds=row.get("predicted_seconds", 0),
                predicted_bound=row.get("predicted_bound", ""),
            )


def _at(value: float | list[list[float]], process: int, index: int) -> float:
    return float(value[process][index] if isinstance(value, list) else value)


def numbers(value: float | list[list[float]]) -> Iterator[float]:
    """Every number of a field, whether it holds one or one a repetition."""
    for process in value if isinstance(value, list) else [[value]]:
        yield from map(float, process)
