"""Emulated counters beside measured ones, row by row, under the rules of what is promised."""

from dataclasses import dataclass

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
)
# Percent; the profiler prints two decimals.
EFFICIENCIES = ("load_efficiency", "store_efficiency")
EFFICIENCY_TOLERANCE = 0.01
# Requests in flight merge on their way to L2: the emulator gives the least and the most.
INTERVALS = ("l2_read_sectors", "l2_write_sectors")
# Of the load sectors: blocks that share an SM share its L1, and which do is not known.
L1_HITS_TOLERANCE = 0.0001
DRAM_TOLERANCE_BYTES = 8192


@dataclass(frozen=True)
class Difference:
    """A counter of a variant that is not as promised; `emulated` is a number or an interval."""

    name: str
    counter: str
    measured: float
    emulated: str


def differences(
    name: str, emulated: Counters, measured: Counters, fits_l2: bool = True
) -> list[Difference]:
    """What is not as promised. Counters that were not measured are not compared; what the emulator
    leaves out has not happened. DRAM bytes are promised for footprints that fit the L2 alone."""
    found = []

    def compare(counter: str, is_right: bool, value: str) -> None:
        if not is_right:
            found.append(Difference(name, counter, measured[counter], value))

    for counter in (counter for counter in EXACT if counter in measured):
        value = emulated.get(counter, 0.0)
        compare(counter, value == measured[counter], f"{value:.0f}")
    for counter in (counter for counter in EFFICIENCIES if counter in measured):
        value = emulated.get(counter, 0.0)
        is_right = abs(value - measured[counter]) <= EFFICIENCY_TOLERANCE
        compare(counter, is_right, f"{value:.3f}")
    for counter in (counter for counter in INTERVALS if counter in measured):
        least, most = emulated[f"{counter}_least"], emulated[f"{counter}_most"]
        compare(counter, least <= measured[counter] <= most, f"{least:.0f} to {most:.0f}")
    if "l1_hit_sectors" in measured:
        value = emulated["l1_hit_sectors"]
        allowed = L1_HITS_TOLERANCE * emulated.get("load_sectors", 0.0)
        compare("l1_hit_sectors", abs(value - measured["l1_hit_sectors"]) <= allowed, f"{value:.0f}")
    if "dram_read_bytes" in measured and fits_l2:
        value = emulated["dram_read_bytes"]
        is_right = abs(value - measured["dram_read_bytes"]) <= DRAM_TOLERANCE_BYTES
        compare("dram_read_bytes", is_right, f"{value:.0f}")
    return found
