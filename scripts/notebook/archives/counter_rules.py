"""Emulated counters beside measured ones, row by row, under the rules of what is promised."""

from collections.abc import Iterator
from dataclasses import dataclass

from notebook.data.metrics import MOVED

Counters = dict[str, float]

# Equal to the unit, where the compiler issues the accesses that the source writes.
EXACT = (
    "load_requests",
    "load_sectors",
    "store_requests",
    "store_sectors",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_load_bank_conflicts",
    "shared_store_requests",
    "shared_store_wavefronts",
    "shared_store_bank_conflicts",
    "shared_atomic_requests",
    "matrix_load_requests",
    "matrix_store_requests",
    "atomic_requests",
    "atomic_sectors",
    "reduction_requests",
    "reduction_sectors",
    "local_load_requests",
    "local_load_sectors",
    "local_store_requests",
    "local_store_sectors",
)
# Percent; the profiler prints two decimals.
EFFICIENCIES = ("load_efficiency", "store_efficiency")
EFFICIENCY_TOLERANCE = 0.01
# Requests in flight to the L2 merge: the emulator gives the least and the most.
INTERVALS = ("l2_read_sectors", "l2_write_sectors")
# A share of the load sectors: blocks that share an SM share its L1, and which do is not known.
L1_HITS_TOLERANCE = 0.0001
DRAM_TOLERANCE_BYTES = 8192
# Rows that read more need not fit the L2: DRAM's bytes are then no promise.
DRAM_PROMISED_BELOW_BYTES = 2**25
# Compared where both have it, and no promise: the registers that limit it are those of one ptxas.
OCCUPANCY = "theoretical_occupancy"
COMPARED = (
    *EXACT,
    *EFFICIENCIES,
    *INTERVALS,
    "l1_hit_sectors",
    "dram_read_bytes",
    OCCUPANCY,
    *MOVED,
)

RULES = (
    "called equal: requests, sectors, wavefronts and bank conflicts to the unit; efficiencies to "
    f"{EFFICIENCY_TOLERANCE:g} percentage points; L1 hits to {100 * L1_HITS_TOLERANCE:g} % of the load sectors; "
    "L2 sectors from the emulator's least to its most; DRAM reads to "
    f"{DRAM_TOLERANCE_BYTES // 1024} KiB, and only where they are below "
    f"{DRAM_PROMISED_BELOW_BYTES // 2**20} MiB"
)


@dataclass(frozen=True)
class Compared:
    """A counter of a variant: emulated, from `least` to `most` (the same but for INTERVALS), and
    measured, which may lie `allowed` beyond."""

    name: str
    counter: str
    least: float
    most: float
    measured: float
    allowed: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Equal to the unit; to the two decimals that the profiler prints for an efficiency."""
        printed = EFFICIENCY_TOLERANCE if self.counter in (*EFFICIENCIES, OCCUPANCY) else 0.0
        return self.least == self.most and abs(self.measured - self.least) <= printed

    @property
    def is_right(self) -> bool:
        return self.least - self.allowed <= self.measured <= self.most + self.allowed

    @property
    def excess(self) -> float:
        """How far the measured value lies above (below: negative) what was emulated."""
        return self.measured - min(max(self.measured, self.least), self.most)

    @property
    def emulated(self) -> str:
        """The emulated number, or the interval."""
        digits = 3 if self.counter in EFFICIENCIES else 0
        ends = (f"{end:.{digits}f}" for end in (self.least, self.most))
        return " to ".join(ends) if self.counter in INTERVALS else next(ends)


def fits_l2(emulated: Counters) -> bool:
    """Whether a launch reads so little that its DRAM reads are promised."""
    return emulated.get("dram_read_bytes", 0.0) < DRAM_PROMISED_BELOW_BYTES


def compare_counters(
    name: str, emulated: Counters, measured: Counters, dram_is_promised: bool = True
) -> Iterator[Compared]:
    """Each counter that can be compared. What the emulator leaves out of EXACT and EFFICIENCIES has
    not happened. DRAM bytes are promised for footprints that fit the L2 alone."""

    def pair(counter: str, value: float, allowed: float = 0.0) -> Compared:
        return Compared(name, counter, value, value, measured[counter], allowed)

    for counter in (counter for counter in EXACT if counter in measured):
        yield pair(counter, emulated.get(counter, 0.0))
    for counter in (counter for counter in EFFICIENCIES if counter in measured):
        yield pair(counter, emulated.get(counter, 0.0), EFFICIENCY_TOLERANCE)
    for counter in (counter for counter in INTERVALS if counter in measured):
        if ends := interval(emulated, counter):
            yield Compared(name, counter, *ends, measured[counter])
    both = emulated.keys() & measured.keys()
    if "l1_hit_sectors" in both:
        allowed = L1_HITS_TOLERANCE * emulated.get("load_sectors", 0.0)
        yield pair("l1_hit_sectors", emulated["l1_hit_sectors"], allowed)
    if "dram_read_bytes" in both and dram_is_promised:
        yield pair("dram_read_bytes", emulated["dram_read_bytes"], DRAM_TOLERANCE_BYTES)
    if OCCUPANCY in both:
        yield pair(OCCUPANCY, emulated[OCCUPANCY], EFFICIENCY_TOLERANCE)
    for counter in (counter for counter in MOVED if counter in both):
        yield pair(counter, emulated[counter])


def interval(emulated: Counters, counter: str) -> tuple[float, float] | None:
    """The least and the most of an emulated counter, which are the same but for INTERVALS."""
    ends = (f"{counter}_least", f"{counter}_most") if counter in INTERVALS else (counter, counter)
    least, most = (emulated.get(end) for end in ends)
    return None if least is None or most is None else (least, most)


def differences(
    name: str, emulated: Counters, measured: Counters, dram_is_promised: bool = True
) -> list[Compared]:
    """What is not as promised."""
    return [
        comparison
        for comparison in compare_counters(name, emulated, measured, dram_is_promised)
        if not comparison.is_right and comparison.counter != OCCUPANCY
    ]
