"""What stands out in a launch: the few lines that say where its memory traffic is wasted and why.

Every threshold is a share of the launch's own traffic, so that a rare slow line stays unmentioned.
"""

from notebook.emulate_records import Launch, Place, Site, merge_alike

WARP = 32
SECTOR_BYTES = 32
# A line is worth a word if it wastes or adds this share of what the whole launch moves.
WORTH_MENTIONING = 0.05
LOW_OCCUPANCY_PERCENT = 50
LOW_LANES = 0.75  # of a warp, on average over all instructions
MAX_OF_A_KIND = 4


def findings(launch: Launch, sm_count: int = 0) -> list[str]:
    """One sentence each, the costliest first within each kind."""
    sites = merge_alike(launch.sites)
    return [
        *_coalescing(sites),
        *_atomics(sites),
        *_bank_conflicts(sites),
        *_local_memory(launch, sites),
        *_divergence(launch),
        *_occupancy(launch, sm_count),
        *(f"hazard: {hazard}" for hazard in launch.hazards),
    ]


def where(place: Place) -> str:
    return f"line {place.line}" if place.line else "a line that is not known (build with -lineinfo)"


def _coalescing(sites: list[Site]) -> list[str]:
    moves = [s for s in sites if s.space == "global" and s.kind in ("load", "store")]
    total = sum(site.moved_bytes for site in moves)
    sentences = []
    for site in sorted(moves, key=_wasted_bytes, reverse=True):
        if total == 0 or _wasted_bytes(site) < WORTH_MENTIONING * total:
            break
        sentences.append(f"{where(site.place)}: {_waste(site)}")
    return sentences[:MAX_OF_A_KIND]


def _waste(site: Site) -> str:
    """The pattern behind a low efficiency, as far as the counts tell it."""
    efficiency = site.efficiency or 0.0
    per_request = site.sectors / site.requests
    needed = site.distinct_bytes / site.requests / SECTOR_BYTES
    if site.lanes_per_request < WARP / 8:
        return (
            f"{site.kind} of {site.lanes_per_request:.1f} lanes a warp: each sector is {efficiency:.1f} % used; "
            "let more lanes of the warp take part"
        )
    if per_request <= needed + 1.01 and site.moved_bytes <= site.sectors * SECTOR_BYTES:
        return (
            f"{site.kind} of {per_request:.1f} sectors a request where {needed:.1f} would do: the warp's first "
            "address is not aligned"
        )
    return f"{per_request:.1f} sectors a request, each {efficiency:.1f} % used: the {site.kind} is not coalesced"


def _wasted_bytes(site: Site) -> int:
    return site.moved_bytes - site.distinct_bytes


def _atomics(sites: list[Site]) -> list[str]:
    moves = [s for s in sites if s.space == "global"]
    total = sum(site.sectors for site in moves)
    sentences = []
    for site in sorted(moves, key=lambda access: access.sectors, reverse=True):
        # atom and red, whatever the report calls them.
        if (
            site.kind in ("load", "store")
            or site.sectors < WORTH_MENTIONING * total
            or not site.requests
        ):
            continue
        per_request = site.sectors / site.requests
        distinct = site.distinct_bytes / site.requests / (site.bytes_per_lane or 4)
        if site.lanes_per_request >= 2 * distinct:
            sentences.append(
                f"{where(site.place)}: {site.lanes_per_request:.1f} lanes update {distinct:.1f} addresses a request; "
                "combine them in the warp or in shared memory first"
            )
        elif per_request > 8:
            sentences.append(
                f"{where(site.place)}: uncoalesced atomic, {per_request:.1f} sectors a request"
            )
    return sentences[:MAX_OF_A_KIND]


def _bank_conflicts(sites: list[Site]) -> list[str]:
    shared = [site for site in sites if site.space == "shared"]
    total = sum(site.wavefronts for site in shared)
    sentences = []
    for site in sorted(shared, key=lambda access: access.bank_conflicts, reverse=True):
        if total == 0 or site.bank_conflicts < WORTH_MENTIONING * total:
            break
        sentences.append(
            f"{where(site.place)}: bank conflicts, {site.wavefronts / site.requests:.1f} wavefronts a request "
            f"where {(site.wavefronts - site.bank_conflicts) / site.requests:.1f} would do (shared {site.kind})"
        )
    return sentences[:MAX_OF_A_KIND]


def _local_memory(launch: Launch, sites: list[Site]) -> list[str]:
    sentences = []
    if launch.spill_bytes:
        sentences.append(
            f"{launch.spill_bytes} bytes a thread are spilled from registers to local memory (ptxas)"
        )
    local = sum(site.sectors for site in sites if site.space == "local")
    total = local + sum(site.sectors for site in sites if site.space == "global")
    if local and local >= WORTH_MENTIONING * total:
        lines = sorted({site.place.line for site in sites if site.space == "local"})
        at = ", ".join(str(line) for line in lines[:MAX_OF_A_KIND])
        sentences.append(
            f"line {at}: local memory, {100 * local / total:.0f} % of all sectors: an array is indexed at run time"
        )
    return sentences


def _divergence(launch: Launch) -> list[str]:
    warp = sum(line.warp_instructions for line in launch.code)
    lanes = sum(line.thread_instructions for line in launch.code)
    threads = launch.block[0] * launch.block[1] * launch.block[2]
    full = threads / (-(-threads // WARP) * WARP)  # a block's last warp may have fewer threads
    sentences = []
    if full < LOW_LANES:
        sentences.append(
            f"a block of {threads} threads leaves {100 * (1 - full):.0f} % of its warps' lanes empty"
        )
    if not warp or lanes / warp >= LOW_LANES * WARP * full:
        return sentences
    idle = {
        line.place: WARP * full * line.warp_instructions - line.thread_instructions
        for line in launch.code
    }
    worst = sorted(idle, key=lambda place: idle[place], reverse=True)[:3]
    at = ", ".join(str(place.line) for place in worst if place.line and idle[place] > 0)
    branches = sum(line.divergent_branches for line in launch.code)
    cause = (
        f"{branches:,} divergent branches"
        if branches
        else "lanes that have returned or are predicated off"
    )
    sentences.append(
        f"{lanes / warp:.1f} of {WARP} lanes active in an instruction ({cause})"
        + (f"; most idle in lines {at}" if at else "")
    )
    return sentences


def _occupancy(launch: Launch, sm_count: int) -> list[str]:
    sentences = []
    percent = launch.occupancy_percent
    if percent is not None and percent < LOW_OCCUPANCY_PERCENT:
        limit = {
            "registers": f"registers ({launch.registers} a thread)",
            "shared memory": f"shared memory ({launch.shared_bytes:,} bytes a block)",
            "shared_memory": f"shared memory ({launch.shared_bytes:,} bytes a block)",
            "blocks": "the blocks an SM can hold (blocks are small)",
        }.get(launch.occupancy_limit, launch.occupancy_limit)
        sentences.append(f"occupancy {percent:.0f} %" + (f", limited by {limit}" if limit else ""))
    blocks = launch.blocks // launch.launches
    if blocks < sm_count:
        few = "1 block leaves" if blocks == 1 else f"{blocks:,} blocks leave"
        sentences.append(f"{few} {sm_count - blocks} of {sm_count} SMs without work")
    return sentences
