"""A program's report on the terminal: for every kernel what stands out, then its lines of code.

Made to be read in thirty seconds, on a terminal of 100 columns.
"""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from notebook import emulate_occupancy, emulate_time
from notebook.emulate_cells import WIDTH, number, scaled, table
from notebook.emulate_code import short_kernel, shown_place, text_of
from notebook.emulate_findings import findings
from notebook.emulate_metrics import LEGEND, OF_A_LAUNCH
from notebook.emulate_records import CodeLine, Launch, Place, Site, merge_alike

MAX_LINES = 16  # of a kernel; CSV and JSON have all
MIN_SHARE = 0.01  # of a launch's traffic and of its instructions: lines with less are left out


@dataclass(frozen=True)
class Emulated:
    """What one architecture has to say: its launches, aggregated."""

    architecture: str
    gpu: str
    sm_count: int
    launches: list[Launch]
    failures: list[str]


def line_report(runs: Sequence[Emulated]) -> list[str]:
    """Per kernel: what stands out, and every line of code with its accesses."""
    if len(runs) == 1:
        body = [line for launch in runs[0].launches for line in _one(launch, runs[0])]
    else:
        body = [line for together in _by_kernel(runs) for line in _several(together)]
    legend = ["Nsight Compute's names:", *(f"  {line}" for line in LEGEND)] if body else []
    return [*body, *legend, *_failures(runs)]


def launch_report(runs: Sequence[Emulated]) -> list[str]:
    """Per kernel: every counter of all its launches, a column an architecture."""
    lines, names = [], dict[str, None]()
    for together in _by_kernel(runs):
        counted = dict.fromkeys(
            name for _, launch in together if launch for name in launch.counters
        )
        rows = [["", *(run.architecture for run, _ in together)], *_facts(together)]
        for name in counted:
            values = [launch.counters.get(name) if launch else None for _, launch in together]
            if any(values):
                names[name] = None
                rows.append([name, *map(number, values)])
        lines += [*_heading(together), "", *table(rows), ""]
    known = [[name, OF_A_LAUNCH[name]] for name in names if name in OF_A_LAUNCH]
    legend = (
        ["Nsight Compute's names:", *(f"  {name:28}{metric}" for name, metric in known)]
        if known
        else []
    )
    return [*lines, *legend, *_failures(runs)]


def _failures(runs: Sequence[Emulated]) -> list[str]:
    several = len(runs) > 1
    return [
        f"! failed launch{f' ({run.architecture})' if several else ''}: {failure}"
        for run in runs
        for failure in run.failures
    ]


def _title(launch: Launch) -> str:
    times = f"{launch.launches:,} launches of " if launch.launches > 1 else ""
    return (
        f"{short_kernel(launch.kernel)}: {times}grid {_dimensions(launch.grid)}, "
        f"block {_dimensions(launch.block)}"
    )


def _dimensions(shape: tuple[int, int, int]) -> str:
    sizes = list(shape)
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return " x ".join(f"{size:,}" for size in sizes)


def _summary(launch: Launch) -> str:
    warp = sum(line.warp_instructions for line in launch.code)
    lanes = sum(line.thread_instructions for line in launch.code)
    in_all = " in all" if launch.launches > 1 else ""
    facts = [
        emulate_occupancy.registers(launch),
        f"{launch.shared_bytes:,} B shared" if launch.shared_bytes else "",
        f"occupancy {emulate_occupancy.percent(launch)} %",
        f"{scaled(warp)} warp instructions{in_all}, {lanes / warp:.1f} lanes each" if warp else "",
    ]
    if launch.blocks_executed < launch.blocks:
        error = (
            f"error up to {100 * launch.sampling_error:.2g} %"
            if launch.sampling_error
            else "exact: blocks are alike"
        )
        facts.append(f"{launch.blocks_executed:,} of {launch.blocks:,} blocks executed ({error})")
    return "  " + ", ".join(fact for fact in facts if fact)


# ---- one architecture ----------------------------------------------------------------------------


def _one(launch: Launch, run: Emulated) -> list[str]:
    marked = [f"  ! {finding}" for finding in findings(launch, run.sm_count)]
    remarks = _wrapped([*marked, *(f"  note: {note}" for note in launch.notes)])
    time = emulate_time.summary(launch.predicted, launch.launches) if launch.predicted else []
    return [
        _title(launch),
        _summary(launch),
        *_wrapped(time),
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
    home = _home(chosen)
    for place in chosen:
        rows.append(_code_row(place, home, code.get(place), all_warp))
        rows += [_site_row(site) for site in sites.get(place, [])]
    if omitted:
        rows.append(
            f"  ({omitted} lines with less than {100 * MIN_SHARE:.0f} % each: --report csv has them)"
        )
    return rows


def _code_row(place: Place, home: str, line: CodeLine | None, all_warp: int) -> str:
    name = (
        str(place.line) if place.file == home else f"{place.file.rsplit('/', 1)[-1]}:{place.line}"
    )
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
    access = f"{site.space} {site.kind} {site.bytes_per_lane} B"
    if site.instructions > 1:
        access += f", {site.instructions} instr."
    row = f"      {access:26}{site.requests:>12,}"
    if site.space == "shared":
        per_request = site.wavefronts / (site.requests or 1)
        return f"{row}  {'':27}  {per_request:>11.1f}{site.bank_conflicts:>12,}"
    used = "" if site.efficiency is None else f"{site.efficiency:.1f} %"
    # Local memory does not go through the modelled L1: nothing is known of its hits.
    is_cached = site.sectors and site.kind == "load" and site.space != "local"
    hits = f"{100 * site.l1_hit_sectors / site.sectors:.1f} %" if is_cached else ""
    return f"{row}  {site.sectors / (site.requests or 1):>9.1f}{used:>9}{hits:>9}".rstrip()


def _by_place(launch: Launch) -> tuple[dict[Place, list[Site]], dict[Place, CodeLine]]:
    """Sites and instructions by the line of the program that they belong to."""
    sites: dict[Place, list[Site]] = {}
    code: dict[Place, CodeLine] = {}
    files = _files(launch)
    for site in merge_alike(launch.sites):
        sites.setdefault(_line(site.place, files), []).append(site)
    for line in launch.code:
        place = _line(line.place, files)
        total = code.setdefault(place, CodeLine(place, 0, 0, 0))
        total.add(line)
    return sites, code


def _files(launch: Launch) -> set[str]:
    return {site.place.file for site in launch.sites} | {line.place.file for line in launch.code}


def _line(place: Place, files: set[str]) -> Place:
    shown = shown_place(place, files)
    return Place(shown.file, shown.line)


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


def _home(places: Sequence[Place]) -> str:
    files = [place.file for place in places]
    return max(files, key=files.count)


# ---- several architectures -----------------------------------------------------------------------

Together = list[tuple[Emulated, Launch | None]]


def _by_kernel(runs: Sequence[Emulated]) -> list[Together]:
    """The launches of one kernel on all architectures; the n-th shape of each belongs together."""
    by_launch: dict[tuple[str, int], dict[str, Launch]] = {}
    for run in runs:
        shapes: dict[str, int] = {}
        for launch in run.launches:
            nth = shapes[launch.kernel] = shapes.get(launch.kernel, 0) + 1
            by_launch.setdefault((launch.kernel, nth), {})[run.architecture] = launch
    return [
        [(run, launches.get(run.architecture)) for run in runs] for launches in by_launch.values()
    ]


def _several(together: Together) -> list[str]:
    rows = [["", *(run.architecture for run, _ in together)], *_facts(together)]
    rows.append(
        _facts_row(
            "warp instructions",
            together,
            lambda launch: number(sum(line.warp_instructions for line in launch.code)),
        )
    )
    cells: dict[tuple[Place, str, int], dict[str, str]] = {}
    for run, launch in together:
        counts: dict[tuple[Place, str], int] = {}
        files = _files(launch) if launch else set[str]()
        for site in merge_alike(launch.sites) if launch else []:
            what = f"{site.space} {site.kind} {site.bytes_per_lane} B"
            nth = counts[_line(site.place, files), what] = (
                counts.get((_line(site.place, files), what), 0) + 1
            )
            if site.requests:
                cells.setdefault((_line(site.place, files), what, nth), {})[run.architecture] = (
                    _cell(site)
                )
    for (place, what, _), by_architecture in sorted(cells.items()):
        rows.append(
            [
                f"line {place.line} {what}",
                *(by_architecture.get(run.architecture, "-") for run, _ in together),
            ]
        )
    legend = (
        "  (sectors a request and the share of their bytes that is used; w: wavefronts a request)"
    )
    return [*_heading(together), "", *table(rows), legend, ""]


def _heading(together: Together) -> list[str]:
    several = any(launch and launch.launches > 1 for _, launch in together)
    sums = ["  counts: of all launches together"] if several else []
    return [_title(_first(together)), *sums, *_marked(together)]


def _first(together: Together) -> Launch:
    return next(launch for _, launch in together if launch)


def _facts(together: Together) -> list[list[str]]:
    return [
        _facts_row("registers", together, lambda launch: number(launch.registers)),
        _facts_row("occupancy %", together, emulate_occupancy.percent),
        *_times(together),
    ]


def _times(together: Together) -> list[list[str]]:
    """What is predicted of each GPU; nothing where no time was asked for."""
    if not any(launch and launch.predicted for _, launch in together):
        return []
    columns = [
        emulate_time.cells(launch.predicted, launch.launches) if launch else ("-", "-")
        for _, launch in together
    ]
    return [
        ["predicted time of a launch", *(time for time, _ in columns)],
        ["bound by", *(bound for _, bound in columns)],
    ]


def _cell(site: Site) -> str:
    if site.space == "shared":
        return f"{site.wavefronts / site.requests:.1f} w"
    used = "" if site.efficiency is None else f" {site.efficiency:.0f} %"
    return f"{site.sectors / site.requests:.1f}{used}"


def _facts_row(name: str, together: Together, fact: Callable[[Launch], str]) -> list[str]:
    return [name, *(fact(launch) if launch else "-" for _, launch in together)]


def _marked(together: Together) -> list[str]:
    """What stands out; said once where it holds on every architecture."""
    by_text: dict[str, list[str]] = {}
    for run, launch in together:
        for finding in findings(launch, run.sm_count) if launch else []:
            by_text.setdefault(finding, []).append(run.architecture)
    everywhere = len(together)
    return _wrapped(
        f"  ! {finding}" if len(names) == everywhere else f"  ! {', '.join(names)}: {finding}"
        for finding, names in by_text.items()
    )


def _wrapped(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="    ")]
