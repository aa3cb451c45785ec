"""A program's report on the terminal: for every kernel what stands out, then its lines of code.

Made to be read in thirty seconds, on a terminal of 100 columns.
"""

from collections.abc import Sequence

from notebook.emulate import several
from notebook.emulate.launches import occupancy as emulate_occupancy
from notebook.emulate.launches import time as emulate_time
from notebook.emulate.launches.cells import WIDTH, number, scaled, table, title, wrapped
from notebook.emulate.launches.code import text_of
from notebook.emulate.launches.findings import home_of, where
from notebook.emulate.launches.metrics import LEGEND, OF_A_LAUNCH
from notebook.emulate.launches.records import CodeLine, Launch, Place, Site, merge_alike
from notebook.emulate.launches.runs import Emulated

MAX_LINES = 16  # of a kernel; CSV and JSON have all
MIN_SHARE = 0.01  # of a launch's traffic and of its instructions: lines with less are left out


def line_report(runs: Sequence[Emulated], names: bool = False) -> list[str]:
    """Per kernel: what stands out, and every line of code with its accesses; `names`: Nsight Compute's, too."""
    if len(runs) == 1:
        body = [line for launch in runs[0].launches for line in _one(launch, runs[0])]
    else:
        body = [line for together in several.by_kernel(runs) for line in several.table_of(together)]
    legend = (
        ["Nsight Compute's names:", *(f"  {line}" for line in LEGEND)] if names and body else []
    )
    return [*body, *legend, *_of_all_launches(runs), *_failures(runs)]


def launch_report(runs: Sequence[Emulated], names: bool = False) -> list[str]:
    """Per kernel: every counter of all its launches, a column an architecture."""
    lines, shown = [], dict[str, None]()
    for together in several.by_kernel(runs):
        counted = dict.fromkeys(
            name for _, launch in together if launch for name in launch.counters
        )
        rows = [["", *(run.name for run, _ in together)], *several.facts(together)]
        for name in counted:
            values = [launch.counters.get(name) if launch else None for _, launch in together]
            if any(values):
                shown[name] = None
                rows.append([name, *map(number, values)])
        lines += [*several.heading(together), "", *table(rows), ""]
    known = [[name, OF_A_LAUNCH[name]] for name in shown if name in OF_A_LAUNCH]
    legend = (
        ["Nsight Compute's names:", *(f"  {name:28}{metric}" for name, metric in known)]
        if names and known
        else []
    )
    return [*lines, *legend, *_of_all_launches(runs), *_failures(runs)]


def _of_all_launches(runs: Sequence[Emulated]) -> list[str]:
    """What is said once: the remark that holds for all launches, and why registers are unknown."""
    remarks = [f"! {_on(run, runs)}{run.remark}" for run in runs if run.remark]
    unknown = [
        f"note: {_on(run, runs)}{reason}"
        for run in runs
        for reason in emulate_occupancy.why_unknown(run.launches)
    ]
    return wrapped([*remarks, *unknown])


def _on(run: Emulated, runs: Sequence[Emulated]) -> str:
    return f"{run.name}: " if len(runs) > 1 else ""


def _failures(runs: Sequence[Emulated]) -> list[str]:
    return wrapped(
        f"! {_on(run, runs)}failed launch: {failure}" for run in runs for failure in run.failures
    )


def _summary(launch: Launch) -> list[str]:
    warp = sum(line.warp_instructions for line in launch.code)
    lanes = sum(line.thread_instructions for line in launch.code)
    in_all = " in all" if launch.launches > 1 else ""
    executed, which = launch.instructions
    facts = [
        emulate_occupancy.registers(launch),
        f"{launch.shared_bytes:,} B shared" if launch.shared_bytes else "",
        f"occupancy {emulate_occupancy.percent(launch)} %",
        f"{scaled(executed)} {which} instructions{in_all}, {lanes / warp:.1f} lanes each"
        if warp
        else "",
    ]
    if launch.blocks_executed < launch.blocks:
        error = (
            f"error up to {100 * launch.sampling_error:.2g} %"
            if launch.sampling_error
            else "exact: blocks are alike"
        )
        facts.append(f"{launch.blocks_executed:,} of {launch.blocks:,} blocks executed ({error})")
    return wrapped(["  " + ", ".join(fact for fact in facts if fact)])


# ---- one architecture ----------------------------------------------------------------------------


def _one(launch: Launch, run: Emulated) -> list[str]:
    marked = [f"  ! {finding}" for finding in run.findings(launch)]
    remarks = wrapped([*marked, *(f"  note: {note}" for note in launch.notes)])
    time = (
        emulate_time.summary(launch.predicted, launch.launches, run.error)
        if launch.predicted
        else []
    )
    return [
        title(launch),
        *_summary(launch),
        *wrapped(time),
        *remarks,
        *_lines_of_code(launch),
        "",
    ]


def _lines_of_code(launch: Launch) -> list[str]:
    sites, code = _by_place(launch)
    chosen, omitted = _choose(launch, sites, code)
    if not chosen:
        return []
    header = f"  {'':30}{'requests':>12}  {'sectors/':>9}{'used':>9}{'L1 hits':>9}"
    header += f"  {'wavefronts/':>11}{'conflicts':>12}"
    rows = [header, f"  {'':30}{'':>12}  {'request':>9}{'':>9}{'':>9}  {'request':>11}"]
    all_warp = sum(line.warp_instructions for line in launch.code) or 1
    home = home_of(launch)
    for place in chosen:
        rows.append(_code_row(place, home, code.get(place), all_warp))
        rows += [_site_row(site) for site in sites.get(place, [])]
    if omitted:
        least = f"{100 * MIN_SHARE:.0f} %"
        some = f"{omitted} lines" if omitted > 1 else "1 line"
        rows.append(f"  ({some} with less than {least} each: --report csv has them)")
    return rows


def _code_row(place: Place, home: str, line: CodeLine | None, all_warp: int) -> str:
    name = where(place, home).removeprefix("line ") if place.line else "(no line known)"
    right = ""
    if line and line.warp_instructions:
        share = 100 * line.warp_instructions / all_warp
        right = (
            f"{share:.1f} % instr., {line.thread_instructions / line.warp_instructions:.1f} lanes"
        )
        if line.divergent_branches:
            right += f", {line.divergent_branches:,} divergent"
    left = f"  {name}  {text_of(place)}"
    room = WIDTH - len(right) - 2
    if len(left) > room:
        left = left[: room - 3] + "..."
    return f"{left:{room}}  {right}".rstrip()


def _site_row(site: Site) -> str:
    access = f"{'spill' if site.spill else site.space} {site.kind} {site.bytes_per_lane} B"
    if site.instructions > 1:
        access += f", {site.instructions} instr."
    row = f"      {access:26}{site.requests:>12,}"
    if site.space in ("shared", "constant"):
        per_request = site.wavefronts / (site.requests or 1)
        conflicts = f"{site.bank_conflicts:>12,}" if site.space == "shared" else ""
        return f"{row}  {'':27}  {per_request:>11.1f}{conflicts}"
    used = "" if site.used_percent is None else f"{site.used_percent:.1f} %"
    is_cached = site.sectors and site.is_cached
    hits = f"{100 * site.l1_hit_sectors / site.sectors:.1f} %" if is_cached else ""
    return f"{row}  {site.sectors / (site.requests or 1):>9.1f}{used:>9}{hits:>9}".rstrip()


def _by_place(launch: Launch) -> tuple[dict[Place, list[Site]], dict[Place, CodeLine]]:
    """Sites and instructions by the line of the program that they belong to."""
    sites: dict[Place, list[Site]] = {}
    code: dict[Place, CodeLine] = {}
    for site in merge_alike(launch.sites):
        sites.setdefault(site.place.in_source, []).append(site)
    for line in launch.code:
        place = line.place.in_source
        total = code.setdefault(place, CodeLine(place, 0, 0, 0))
        total.add(line)
    return sites, code


def _choose(
    launch: Launch, sites: dict[Place, list[Site]], code: dict[Place, CodeLine]
) -> tuple[list[Place], int]:
    """The lines worth showing, in the order of the code; and how many are left out."""
    traffic = sum(_traffic(site) for site in launch.sites) or 1
    instructions = sum(line.warp_instructions for line in launch.code) or 1
    weights: dict[Place, float] = {}
    for place in sites.keys() | code.keys():
        moved = sum(_traffic(site) for site in sites.get(place, [])) / traffic
        executed = code[place].warp_instructions / instructions if place in code else 0.0
        # A line without accesses has to execute much to be of interest.
        weights[place] = max(moved, executed if place in sites or executed > 0.1 else 0.0)
    worth = sorted(
        (place for place in weights if weights[place] >= MIN_SHARE), key=lambda p: -weights[p]
    )
    chosen = sorted(worth[:MAX_LINES])
    with_accesses = sum(place in sites for place in weights)
    return chosen, max(0, with_accesses - sum(place in sites for place in chosen))


def _traffic(site: Site) -> int:
    return site.sectors + site.wavefronts
