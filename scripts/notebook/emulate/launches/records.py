"""Launches, failed calls and hazards of a program, as the emulated GPU reports them."""

from dataclasses import dataclass, field, replace

from notebook.emulate.launches.time import Predicted

Shape = tuple[int, int, int]

# The counters of each memory instruction in a report.
SITE_COUNTS = (
    "requests", "sectors", "lane_bytes", "distinct_bytes", "moved_bytes", "l1_hit_sectors", "wavefronts",
    "bank_conflicts",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class Place:
    """A line of the program's code; `file` is "" where the program has no line information.

    `header` is the place in a library's header of what that line calls; in a kernel of a library it is the line itself.
    """

    file: str
    line: int
    inlined_at: str = ""
    header: str = ""

    @property
    def name(self) -> str:
        """The file without its folders."""
        return self.file.rsplit("/", 1)[-1]

    @property
    def is_of_library(self) -> bool:
        """Whether it is no line of the program: its kernel is a library's."""
        return bool(self.header) and f"/{self.file}:{self.line}".endswith(f"/{self.header}")

    @property
    def in_source(self) -> "Place":
        """The line alone, wherever it was inlined and whatever it calls."""
        return Place(self.file, self.line, header=self.header if self.is_of_library else "")


@dataclass
class Site:
    """One memory instruction: what it asked for and what that cost, summed over its launches."""

    place: Place
    space: str
    kind: str
    bytes_per_lane: int
    requests: int
    sectors: int
    lane_bytes: int
    distinct_bytes: int
    moved_bytes: int
    l1_hit_sectors: int
    wavefronts: int
    bank_conflicts: int
    spill: bool = False  # of a register: the program has no such access
    instructions: int = 1  # alike and summed: copies of an unrolled loop

    @property
    def efficiency(self) -> float | None:
        """Percent of the moved bytes that some lane asked for."""
        return 100 * self.distinct_bytes / self.moved_bytes if self.moved_bytes else None

    @property
    def used_percent(self) -> float | None:
        """The efficiency; None where it counts bytes of lanes that were in other spaces (a generic address)."""
        return self.efficiency if self.distinct_bytes <= self.moved_bytes else None

    @property
    def is_cached(self) -> bool:
        """Whether its hits are known: local memory does not go through the modelled L1."""
        return self.kind == "load" and self.space != "local"

    @property
    def lanes_per_request(self) -> float:
        return self.lane_bytes / (self.bytes_per_lane or 1) / (self.requests or 1)

    def add(self, other: "Site") -> None:
        for name in SITE_COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def merge_alike(sites: list[Site]) -> list[Site]:
    """The sites of a launch; those of one line that do the same at the same cost become one."""
    merged: dict[tuple[object, ...], Site] = {}
    for site in sites:
        if site.requests:
            costs = (site.sectors, site.lane_bytes, site.distinct_bytes, site.wavefronts)
            per_request = tuple(round(cost / site.requests, 1) for cost in costs)
            what = (site.space, site.kind, site.bytes_per_lane, site.spill)
            key = (site.place.in_source, *what, per_request)
            if key in merged:
                merged[key].add(site)
                merged[key].instructions += 1
            else:
                merged[key] = replace(site)
    return list(merged.values())


@dataclass
class CodeLine:
    """Instructions executed by one line of code."""

    place: Place
    warp_instructions: int
    thread_instructions: int
    divergent_branches: int

    def add(self, other: "CodeLine") -> None:
        self.warp_instructions += other.warp_instructions
        self.thread_instructions += other.thread_instructions
        self.divergent_branches += other.divergent_branches


@dataclass
class Launch:
    """One launch, or several of one kernel that count alike (`launches` says how many)."""

    kernel: str
    grid: Shape
    block: Shape
    shared_bytes: int
    registers: int | None
    registers_from: str  # which ptxas says so; "": none
    registers_unknown: str  # what an older ptxas lacks for it; "": there is none
    spill_bytes: int | None
    occupancy_percent: float | None
    occupancy_limit: str
    blocks: int
    blocks_executed: int
    sampling_error: float
    host_seconds: float
    counters: dict[str, float]
    sites: list[Site]
    code: list[CodeLine]
    notes: list[str]
    hazards: list[str]
    predicted: Predicted | None = None
    managed_bytes: int = 0  # that page faults bring to the GPU, not in the predicted time
    host_bytes: int = 0  # of page-locked host memory, that it accesses; likewise
    launches: int = 1
    # The numbers of the launches, as the report counts them from 1.
    numbers: list[int] = field(default_factory=list)
    which: str = ""  # " (launch 3)", where others of the kernel and shape count differently

    @property
    def instructions(self) -> tuple[float, str]:
        """How many warps execute, and which: of the machine code ("warp") if that is known, else of the PTX."""
        if (counted := self.counters.get("warp_instructions")) is not None:
            return counted, "warp"
        return float(sum(line.warp_instructions for line in self.code)), "PTX"

    def key(self) -> tuple[object, ...]:
        """Launches with one key count alike."""
        shape = (self.kernel, self.grid, self.block, self.shared_bytes, self.blocks_executed)
        sites = tuple(tuple(vars(site).values()) for site in self.sites)
        code = tuple(tuple(vars(line).values()) for line in self.code)
        return (*shape, self.host_bytes, tuple(self.counters.items()), sites, code)

    def add(self, other: "Launch") -> None:
        self.launches += other.launches
        self.numbers += other.numbers
        self.blocks += other.blocks
        self.blocks_executed += other.blocks_executed
        self.host_seconds += other.host_seconds
        if self.predicted and other.predicted:
            self.predicted.add(other.predicted)
        self.sampling_error = max(self.sampling_error, other.sampling_error)
        for name, value in other.counters.items():
            if name not in RATIOS:
                self.counters[name] = self.counters.get(name, 0.0) + value
        for mine, its in zip(self.sites, other.sites, strict=True):
            mine.add(its)
        lines = {line.place: line for line in self.code}
        for line in other.code:
            if line.place in lines:
                lines[line.place].add(line)
            else:
                self.code.append(line)
        self.notes += [note for note in other.notes if note not in self.notes]
        self.hazards += [hazard for hazard in other.hazards if hazard not in self.hazards]


# Counters that launches do not sum.
RATIOS = {
    "load_efficiency", "store_efficiency", "nvprof_gld_efficiency", "nvprof_gst_efficiency",
    "theoretical_occupancy", "achieved_occupancy", "flops_per_loaded_byte",
}  # fmt: skip


@dataclass(frozen=True)
class FailedCall:
    """A call of the API that failed; `callers` are addresses in the program, innermost first."""

    function: str
    number: int
    error: str
    detail: str
    callers: tuple[int, ...]


@dataclass(frozen=True)
class Hazard:
    """What the program did wrong outside of launches, by a call of `function` ("": none)."""

    text: str
    function: str
    callers: tuple[int, ...]


@dataclass
class Report:
    """All that a program did on one emulated GPU."""

    launches: list[Launch] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    failed_calls: list[FailedCall] = field(default_factory=list)
    hazards: list[Hazard] = field(default_factory=list)  # outside of launches
    notes: list[str] = field(default_factory=list)  # on the program as a whole
    finished: bool = False
    # Numbers of the failed calls whose error the program has not seen; nothing where it was killed.
    noticed_all_but: set[int] | None = None

    @property
    def loaded(self) -> bool:
        """Whether the program used the emulated GPU's runtime at all."""
        found = self.launches or self.failures or self.failed_calls or self.hazards
        return self.finished or bool(found)

    @property
    def has_hazards(self) -> bool:
        return bool(self.hazards) or any(launch.hazards for launch in self.launches)

    @property
    def unnoticed(self) -> set[int]:
        """Numbers of the failed calls that the program has not noticed, as far as is known."""
        if self.noticed_all_but is None:
            return {call.number for call in self.failed_calls}
        return self.noticed_all_but
