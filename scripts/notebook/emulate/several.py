"""One kernel on several emulated GPUs, side by side: what bounds it on each, and what its lines cost."""

from collections.abc import Callable, Sequence

from notebook.emulate.launches import occupancy as emulate_occupancy
from notebook.emulate.launches import time as emulate_time
from notebook.emulate.launches.cells import number, scaled, table, title, wrapped
from notebook.emulate.launches.findings import Finding, home_of, where
from notebook.emulate.launches.records import Launch, Place, Site, merge_alike
from notebook.emulate.launches.runs import Emulated

Together = list[tuple[Emulated, Launch | None]]


def by_kernel(runs: Sequence[Emulated]) -> list[Together]:
    """The launches of one kernel on all architectures; the n-th shape of each belongs together."""
    by_launch: dict[tuple[str, int], dict[str, Launch]] = {}
    for run in runs:
        shapes: dict[str, int] = {}
        for launch in run.launches:
            number = shapes[launch.kernel] = shapes.get(launch.kernel, 0) + 1
            by_launch.setdefault((launch.kernel, number), {})[run.architecture] = launch
    return [
        [(run, launches.get(run.architecture)) for run in runs] for launches in by_launch.values()
    ]


def table_of(together: Together) -> list[str]:
    rows = [["", *(run.name for run, _ in together)], *facts(together)]
    rows.append(
        _facts_row(
            "warp instructions",
            together,
            _instructions,
        )
    )
    rows += traffic(together)
    cells: dict[tuple[Place, str, int], dict[str, str]] = {}
    for run, launch in together:
        counts: dict[tuple[Place, str], int] = {}
        for site in merge_alike(launch.sites) if launch else []:
            what = f"{site.space} {site.kind} {site.bytes_per_lane} B"
            place = site.place.in_source
            nth = counts[place, what] = counts.get((place, what), 0) + 1
            if site.requests:
                cells.setdefault((place, what, nth), {})[run.architecture] = _cell(site)
    for (place, what, _), by_architecture in sorted(cells.items()):
        rows.append(
            [
                f"{where(place, home_of(_first(together)))} {what}",
                *(by_architecture.get(run.architecture, "-") for run, _ in together),
            ]
        )
    legend = (
        "  (sectors a request and the share of their bytes that is used; w: wavefronts a request)"
    )
    return [*heading(together), "", *table(rows), legend, ""]


def _instructions(launch: Launch) -> str:
    executed, which = launch.instructions
    return number(executed) + (" (PTX)" if which == "PTX" else "")


def heading(together: Together) -> list[str]:
    several = any(launch and launch.launches > 1 for _, launch in together)
    sums = ["  counts: of all launches together"] if several else []
    return [title(_first(together)), *sums, *_remarks(together)]


def _first(together: Together) -> Launch:
    return next(launch for _, launch in together if launch)


def facts(together: Together) -> list[list[str]]:
    return [
        _facts_row("registers", together, emulate_occupancy.register_cell),
        _facts_row("occupancy %", together, emulate_occupancy.percent),
        *_times(together),
    ]


def _times(together: Together) -> list[list[str]]:
    """What is predicted of each GPU; nothing where no time was asked for."""
    if not any(launch and launch.predicted for _, launch in together):
        return []
    columns = [
        emulate_time.cells(launch.predicted, launch.launches, run.error)
        if launch
        else emulate_time.Cells()
        for run, launch in together
    ]
    return [
        ["predicted time of a launch", *(cells.time for cells in columns)],
        ["error of such times", *(cells.error for cells in columns)],
        ["bound by", *(cells.bound for cells in columns)],
        ["warps wait most at line", *(cells.wait for cells in columns)],
    ]


# Between L1 and L2 a count has bounds where that depends on what runs at the same time.
_TRAFFIC = (
    ("L2 bytes read", ("l2_read_sectors_least", "l2_read_sectors_most"), 32),
    ("L2 bytes written", ("l2_write_sectors_least", "l2_write_sectors_most"), 32),
    ("DRAM bytes read", ("dram_read_bytes",), 1),
    ("DRAM bytes written", ("dram_write_bytes",), 1),
)


def traffic(together: Together) -> list[list[str]]:
    """Traffic below the L1; rows without a count are left out."""
    rows = []
    for name, counters, scale in _TRAFFIC:
        cells = []
        for _, launch in together:
            counted = launch.counters if launch else {}
            found = sorted(scale * counted[counter] for counter in counters if counter in counted)
            values = dict.fromkeys(map(scaled, found))
            cells.append(" to ".join(values) or "-")
        if any(cell != "-" for cell in cells):
            rows.append([name, *cells])
    return rows


def _cell(site: Site) -> str:
    if site.space in ("shared", "constant"):
        return f"{site.wavefronts / site.requests:.1f} w"
    used = "" if site.used_percent is None else f" {site.used_percent:.0f} %"
    return f"{site.sectors / site.requests:.1f}{used}"


def _facts_row(name: str, together: Together, fact: Callable[[Launch], str]) -> list[str]:
    return [name, *(fact(launch) if launch else "-" for _, launch in together)]


def _remarks(together: Together) -> list[str]:
    """Findings, then notes; said once where one holds on every architecture."""
    by_text: dict[tuple[str, Finding | str], list[str]] = {}
    for run, launch in together:
        if launch:
            remarks: list[tuple[str, Finding | str]] = [
                ("!", text) for text in run.findings(launch)
            ]
            remarks += [("note:", note) for note in launch.notes]
            for remark in remarks:
                by_text.setdefault(remark, []).append(run.name)
    return wrapped(
        f"  {mark} {text}"
        if len(names) == len(together)
        else f"  {mark} {', '.join(names)}: {text}"
        for (mark, text), names in sorted(by_text.items(), key=lambda item: item[0][0] == "note:")
    )
