"""What stands out in a launch: what costs it time or traffic, what to do, and the chapter that shows it.

Every threshold is a share of the launch's own traffic, so that a rare slow line stays unmentioned.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from notebook.base.project import Project
from notebook.emulate.launches import accesses
from notebook.emulate.launches.records import Launch, Place, Site, merge_alike

WARP = 32
# A line is worth a word if it wastes or adds this share of what the whole launch moves.
WORTH_MENTIONING = 0.05
LOW_OCCUPANCY_PERCENT = 50
LOW_LANES = 0.75  # of a warp, on average over all instructions
MAX_OF_A_KIND = 4


@dataclass(frozen=True)
class Finding:
    """What stands out, what to do about it, and the chapter (a folder of chapters/) that shows it."""

    text: str
    advice: str = ""
    chapter: str = ""

    def __str__(self) -> str:
        is_there = self.chapter and (Project.here().chapters / self.chapter).is_dir()
        shown = f" (chapter {self.chapter})" if is_there else ""
        return f"{self.text}. {self.advice}{shown}" if self.advice else f"{self.text}{shown}"


def findings(launch: Launch, sm_count: int = 0) -> list[Finding]:
    """The costliest first within each kind."""
    sites, home = merge_alike(launch.sites), home_of(launch)
    return [
        *_coalescing(launch, sites, home),
        *_atomics(sites, home),
        *_bank_conflicts(sites, home),
        *_constants(launch, sites, home),
        *_local_memory(launch, sites, home),
        *_divergence(launch, home),
        *_occupancy(launch, sm_count),
        *(Finding(f"hazard: {hazard}") for hazard in launch.hazards),
    ]


def home_of(launch: Launch) -> str:
    """The file that most lines of the kernel are in: its lines are named by their number alone."""
    places = [*(site.place for site in launch.sites), *(line.place for line in launch.code)]
    files = Counter(place.file for place in places if place.file)
    return max(files, key=files.__getitem__, default="")


def where(place: Place, home: str) -> str:
    if not place.line:
        return "a line that is not known (build with -lineinfo)"
    is_own = place.file == home and not place.is_of_library
    return f"line {place.line}" if is_own else f"{place.name}:{place.line}"


def _lines(places: Iterable[Place], home: str) -> str:
    """Those that are known, as `lines 3, 7, tile.cuh:12`; "" of none."""
    known = list(dict.fromkeys(place.in_source for place in places if place.line))
    names = [where(place, home) for place in known[:MAX_OF_A_KIND]]
    own = [name.removeprefix("line ") for name in names if name.startswith("line ")]
    return ", ".join(
        [f"line{'s' * (len(own) > 1)} {', '.join(own)}"] * bool(own)
        + [name for name in names if not name.startswith("line ")]
    )


def _coalescing(launch: Launch, sites: list[Site], home: str) -> list[Finding]:
    moves = [s for s in sites if s.space == "global" and s.kind in ("load", "store")]
    total = sum(site.moved_bytes for site in moves)

    def wasted(site: Site) -> int:
        return accesses.wasted_bytes(site, _warps(launch))

    # Lanes that no block has are a remark on its size.
    if _threads(launch) < accesses.FEW_LANES:
        return []
    # Accesses of one line that waste alike are one remark; others may waste nothing, and are kept apart.
    wasteful = _summed(filter(wasted, moves), lambda site: accesses.waste(site).kind)
    found = []
    for site in sorted(wasteful, key=wasted, reverse=True):
        if wasted(site) < WORTH_MENTIONING * total:
            break
        waste = accesses.waste(site)
        if waste.kind is accesses.Kind.MISALIGNED and _is_found_in_l1(site):
            continue
        found.append(
            Finding(f"{where(site.place, home)}: {waste.text}", waste.kind.advice, waste.chapter)
        )
    return found[:MAX_OF_A_KIND]


def _is_found_in_l1(site: Site) -> bool:
    """Neighbours of what was read before, as of a stencil. Rows that are not aligned find one sector in five there."""
    return site.is_cached and 2 * site.l1_hit_sectors >= site.sectors


def _warps(launch: Launch) -> int:
    return launch.blocks * -(-_threads(launch) // WARP)


def _threads(launch: Launch) -> int:
    return launch.block[0] * launch.block[1] * launch.block[2]


def _summed(sites: Iterable[Site], like: Callable[[Site], object]) -> list[Site]:
    """Those of one line, of one kind and `like` each other as one."""
    merged: dict[object, Site] = {}
    for site in sites:
        key = (site.place.in_source, site.space, site.kind, site.bytes_per_lane, like(site))
        if key in merged:
            merged[key].add(site)
        else:
            merged[key] = replace(site)
    return list(merged.values())


def _atomics(sites: list[Site], home: str) -> list[Finding]:
    total = sum(site.sectors for site in sites if site.space == "global")
    # atom and red, whatever the report calls them.
    atomics = [s for s in sites if s.space == "global" and s.kind not in ("load", "store")]
    found = []
    for site in sorted(_summed(atomics, lambda _: None), key=lambda s: s.sectors, reverse=True):
        if site.sectors < WORTH_MENTIONING * total:
            break
        per_request = site.sectors / site.requests
        distinct = site.distinct_bytes / site.requests / (site.bytes_per_lane or 4)
        line = where(site.place, home)
        if site.lanes_per_request >= 2 * distinct:
            found.append(
                Finding(
                    f"{line}: {site.lanes_per_request:.1f} lanes update {distinct:.1f} addresses a request",
                    "Combine them in the warp or in shared memory first",
                )
            )
        elif per_request > 8:
            found.append(
                Finding(
                    f"{line}: uncoalesced atomic, {per_request:.1f} sectors a request",
                    "Collect the updates in shared memory, and add them up in order of address",
                )
            )
    return found[:MAX_OF_A_KIND]


def _bank_conflicts(sites: list[Site], home: str) -> list[Finding]:
    shared = [site for site in sites if site.space == "shared"]
    total = sum(site.wavefronts for site in shared)
    conflicting = _summed(filter(lambda site: site.bank_conflicts, shared), lambda _: None)
    found = []
    for site in sorted(conflicting, key=lambda access: access.bank_conflicts, reverse=True):
        if site.bank_conflicts < WORTH_MENTIONING * total:
            break
        text = (
            f"{where(site.place, home)}: bank conflicts, {site.wavefronts / site.requests:.1f} wavefronts a request "
            f"where {(site.wavefronts - site.bank_conflicts) / site.requests:.1f} would do (shared {site.kind})"
        )
        advice = (
            "Pad the rows by one element, so that the lanes' words lie in different banks"
            if site.kind in ("load", "store")
            else "Give each warp an array of its own, or combine equal addresses in the warp first"
        )
        found.append(Finding(text, advice, "15_bank_conflicts"))
    return found[:MAX_OF_A_KIND]


def _constants(launch: Launch, sites: list[Site], home: str) -> list[Finding]:
    """A read of constants serves one address at a time."""
    instructions = sum(line.warp_instructions for line in launch.code)
    scattered = _summed((site for site in sites if site.space == "constant"), lambda _: None)
    return [
        Finding(
            f"{where(site.place, home)}: lanes read {site.wavefronts / site.requests:.1f} different constants a "
            "request, one after another",
            "Let all lanes of a warp read the same constant, or keep the table in shared memory",
            "04_read_only_cache",
        )
        for site in scattered
        if site.wavefronts - site.requests > WORTH_MENTIONING * instructions
    ]


def _local_memory(launch: Launch, sites: list[Site], home: str) -> list[Finding]:
    local = [site for site in sites if site.space == "local"]
    total = sum(site.sectors for site in (*local, *(s for s in sites if s.space == "global")))

    def share(of: list[Site]) -> float:
        sectors = sum(site.sectors for site in of)
        return sectors / total if sectors and sectors >= WORTH_MENTIONING * total else 0.0

    found = []
    without_source = [site for site in local if site.spill]
    if launch.spill_bytes:
        of_traffic = share(without_source)
        found.append(
            Finding(
                f"{launch.spill_bytes} bytes a thread are spilled from registers to local memory (ptxas)"
                + (f", {100 * of_traffic:.0f} % of all sectors" if of_traffic else ""),
                "Allow a thread more registers (smaller blocks, __launch_bounds__, -maxrregcount), or let fewer "
                "values live at a time",
                "19_matmul_fast",
            )
        )
    elif of_traffic := share(without_source):
        found.append(
            _without_source(launch, f"local memory, {100 * of_traffic:.0f} % of all sectors")
        )
    variables = [site for site in local if not site.spill]
    if of_traffic := share(variables):
        at = _lines(sorted(site.place for site in variables), home)
        found.append(
            Finding(
                (f"{at}: " if at else "")
                + f"local memory, {100 * of_traffic:.0f} % of all sectors: an array indexed at run time, or a "
                "variable whose address is taken (printf takes those of its arguments)",
                "Index it by constants, in unrolled loops, or keep it in shared memory",
            )
        )
    return found


def _without_source(launch: Launch, traffic: str) -> Finding:
    """Of local memory that the program's text does not have, where no spilled bytes are known."""
    if launch.spill_bytes is None:
        return Finding(
            f"{traffic}: registers that are spilled, or that called functions preserve (no ptxas compiles the "
            "kernel for this GPU: as on compute capability 7.5)",
            "Let fewer values live at a time, or let the functions be inlined (__forceinline__)",
            "19_matmul_fast",
        )
    return Finding(
        f"{traffic}: registers that called functions preserve",
        "Let the functions be inlined (__forceinline__)",
    )


def _divergence(launch: Launch, home: str) -> list[Finding]:
    warp = sum(line.warp_instructions for line in launch.code)
    lanes = sum(line.thread_instructions for line in launch.code)
    threads = _threads(launch)
    full = threads / (-(-threads // WARP) * WARP)  # a block's last warp may have fewer threads
    found = []
    if full < LOW_LANES:
        found.append(
            Finding(
                f"a block of {threads} thread{'s' * (threads > 1)} leaves {100 * (1 - full):.0f} % of its warps' lanes "
                "empty",
                "Make its size a multiple of 32",
                "08_block_size",
            )
        )
    if not warp or lanes / warp >= LOW_LANES * WARP * full:
        return found
    idle = {
        line.place: WARP * full * line.warp_instructions - line.thread_instructions
        for line in launch.code
    }
    worst = sorted(idle, key=lambda place: idle[place], reverse=True)[:3]
    at = _lines((place for place in worst if idle[place] > 0), home)
    branches = sum(line.divergent_branches for line in launch.code)
    cause = (
        f"{branches:,} divergent branches"
        if branches
        else "lanes that have returned or are predicated off"
    )
    found.append(
        Finding(
            f"{lanes / warp:.1f} of {WARP} lanes active in an instruction ({cause})"
            + (f"; most idle in {at}" if at else ""),
            "Let whole warps take one way: order the work by its condition, or by its length",
        )
    )
    return found


def _occupancy(launch: Launch, sm_count: int) -> list[Finding]:
    found = []
    percent = launch.occupancy_percent
    if percent is not None and percent < LOW_OCCUPANCY_PERCENT:
        limits = {
            "registers": (f"registers ({launch.registers} a thread)", "Use fewer registers"),
            "blocks": ("the blocks an SM can hold (blocks are small)", "Make the blocks larger"),
        } | dict.fromkeys(
            ("shared memory", "shared_memory"),
            (f"shared memory ({launch.shared_bytes:,} bytes a block)", "Use smaller tiles"),
        )
        limit, change = limits.get(
            launch.occupancy_limit, (launch.occupancy_limit, "Change what limits it")
        )
        found.append(
            Finding(
                f"occupancy {percent:.0f} %" + (f", limited by {limit}" if limit else ""),
                f"{change} if warps wait for memory; a kernel with independent work in each thread needs no more",
                "08_block_size",
            )
        )
    blocks = _blocks(launch)
    if blocks < sm_count:
        few = "1 block leaves" if blocks == 1 else f"{blocks:,} blocks leave"
        found.append(_idle_sms(f"{few} {sm_count - blocks} of {sm_count} SMs without work"))
    return found


def few_blocks(launches: Sequence[Launch], sm_count: int) -> Finding | None:
    """A remark on all launches of a program, where none of several kernels has a block for each SM."""
    most = max(map(_blocks, launches), default=0)
    if most >= sm_count or len(launches) < 2:
        return None
    return _idle_sms(f"no launch has a block for each of the {sm_count} SMs: {most:,} at most")


def _blocks(launch: Launch) -> int:
    return launch.blocks // launch.launches


def _idle_sms(text: str) -> Finding:
    return Finding(text, "Divide the work into more blocks", "08_block_size")
