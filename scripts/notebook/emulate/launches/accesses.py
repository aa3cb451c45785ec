"""What a global access wastes, and the pattern behind it, as far as counts tell it."""

from dataclasses import dataclass
from enum import Enum
from math import ceil

from notebook.emulate.launches.records import Site

SECTOR_BYTES, LINE_BYTES, WARP = 32, 128, 32
# Fewer lanes than this, on average, are no warp's access.
FEW_LANES = WARP / 8
# A broadcast: so many lanes read each address. It takes no more sectors than a coalesced warp of words.
_LANES_OF_A_BROADCAST, _SECTORS_OF_A_WARP = 4, 4
# A stride of two elements uses half of each sector; what uses more lies in rows that are not aligned.
_USE_OF_A_STRIDE = 52
# Sectors are averages over all requests.
_ROUNDING = 0.01


class Kind(Enum):
    """Why an access moves more than it has to; the value is what to do."""

    FEW_LANES = "Let more lanes of the warp take part"
    LANES_LEFT_OUT = "Give all lanes of a warp work on neighbouring addresses"
    MISALIGNED = "Begin rows at multiples of 128 bytes (cudaMallocPitch)"
    UNCOALESCED = "Let consecutive threads access consecutive addresses; shared memory can turn columns into rows"

    @property
    def advice(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Waste:
    """An access that wastes, in words."""

    kind: Kind
    text: str
    chapter: str = "01_access_patterns"


def wasted_bytes(site: Site, warps: int) -> int:
    """What it moves beyond the least: whole sectors (on Fermi lines) of the bytes that each request asks for."""
    if site.lanes_per_request < FEW_LANES:
        # One lane stores the result of a warp or a block, or reads what they share.
        return 0 if site.requests <= warps else site.moved_bytes - site.distinct_bytes
    is_broadcast = site.lane_bytes >= _LANES_OF_A_BROADCAST * site.distinct_bytes
    if is_broadcast and site.sectors <= _SECTORS_OF_A_WARP * site.requests:
        return 0
    return max(0, site.moved_bytes - site.requests * _units(site) * _unit_bytes(site))


def waste(site: Site) -> Waste:
    efficiency = site.efficiency or 0.0
    per_request = site.sectors / site.requests
    needed = _units(site) * _unit_bytes(site) / SECTOR_BYTES
    used = f"each {efficiency:.1f} % used"
    sectors = f"{per_request:.1f} sectors a request"
    if site.lanes_per_request < FEW_LANES:
        lanes = f"{site.kind} of {site.lanes_per_request:.1f} lanes a warp"
        return Waste(Kind.FEW_LANES, f"{lanes}: each sector is {efficiency:.1f} % used")
    # A warp with all lanes active needs as many sectors as a lane has bytes.
    is_of_a_warp = per_request <= site.bytes_per_lane + _ROUNDING
    if is_of_a_warp and site.lanes_per_request < WARP - 1:
        lanes = f"{site.lanes_per_request:.1f} of {WARP} lanes take part"
        return Waste(Kind.LANES_LEFT_OUT, f"{sectors}, {used}: in the {site.kind} {lanes}")
    is_near = per_request <= needed + 1 + _ROUNDING
    if _unit_bytes(site) == SECTOR_BYTES and (is_near or efficiency > _USE_OF_A_STRIDE):
        cause = (
            "addresses are not aligned, or not consecutive"
            if efficiency <= _USE_OF_A_STRIDE
            else "the warp's first address is not aligned"
            if is_near
            else "rows are not aligned"
        )
        chapter = "02_misaligned_reads" if site.kind == "load" else "05_misaligned_writes"
        text = f"{site.kind} of {sectors} where {needed:.1f} would do: {cause}"
        return Waste(Kind.MISALIGNED, text, chapter)
    return Waste(Kind.UNCOALESCED, f"{sectors}, {used}: the {site.kind} is not coalesced")


def _unit_bytes(site: Site) -> int:
    """What it moves at least: lines where it moves more than its sectors."""
    return LINE_BYTES if site.moved_bytes > site.sectors * SECTOR_BYTES else SECTOR_BYTES


def _units(site: Site) -> int:
    return ceil(site.distinct_bytes / site.requests / _unit_bytes(site))
