"""The source of a kernel with counts beside each line, for a page: cells, shaded by their share of the launch."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from notebook.emulate.launches import time
from notebook.emulate.launches.code import line_of
from notebook.emulate.launches.findings import home_of
from notebook.emulate.launches.records import CodeLine, Launch, Place, Site, merge_alike

# A cell's shade: the first limit that its share does not exceed. White, and five that a grey print keeps apart.
_SHADES = (0.01, 0.05, 0.15, 0.35, 0.6)
# Lines without counts are shown where they join others.
_LONGEST_GAP = 6
# A share of all waiting: a smaller one is not worth a word.
_MIN_WAIT = 0.01


@dataclass(frozen=True)
class Cell:
    """A number, and how dark it is: 0 to 5."""

    text: str = ""
    shade: int = 0


def share(part: float, whole: float) -> Cell:
    value = part / whole if whole else 0.0
    return Cell(f"{100 * value:.1f} %" if value >= 0.0005 else "", shade(value))


def shade(value: float) -> int:
    return sum(value > limit for limit in _SHADES)


@dataclass(frozen=True)
class Access:
    """Memory instructions of a line that do the same."""

    name: str
    requests: str
    sectors: Cell
    per_request: str = ""
    used: str = ""
    l1_hits: str = ""
    wavefronts: str = ""
    conflicts: Cell = field(default_factory=Cell)


@dataclass(frozen=True)
class Line:
    """A line of code; `number` is 0 where some are left out."""

    number: int
    text: str = ""
    instructions: Cell = field(default_factory=Cell)
    lanes: str = ""
    waits: Cell = field(default_factory=Cell)
    reason: str = ""
    accesses: tuple[Access, ...] = ()


@dataclass(frozen=True)
class File:
    """What a launch executed of a file."""

    name: str
    lines: list[Line]


def files_of(launch: Launch) -> list[File]:
    """The kernel's own file first."""
    code, sites = _by_place(launch)
    home = home_of(launch)
    names = {place.file for place in (*code, *sites)}
    files = [
        File(Place(name, 0).name or "no line known", list(_lines(launch, name, code, sites)))
        for name in sorted(names, key=lambda name: (name != home, name))
    ]
    return [file for file in files if file.lines]


def _by_place(launch: Launch) -> tuple[dict[Place, CodeLine], dict[Place, list[Site]]]:
    code: dict[Place, CodeLine] = {}
    sites: dict[Place, list[Site]] = {}
    for line in launch.code:
        place = line.place.in_source
        code.setdefault(place, CodeLine(place, 0, 0, 0)).add(line)
    for site in merge_alike(launch.sites):
        sites.setdefault(site.place.in_source, []).append(site)
    return code, sites


def _lines(
    launch: Launch, file: str, code: dict[Place, CodeLine], sites: dict[Place, list[Site]]
) -> Iterator[Line]:
    counted = sorted({place.line for place in (*code, *sites) if place.file == file})
    last = 0
    for number in _shown(counted):
        if last and number > last + 1:
            yield Line(0)
        place = Place(file, number)
        line = _line(launch, place, code.get(place), sites.get(place, []))
        if number or line.instructions.text or line.accesses:
            yield line
        last = number


def _shown(counted: list[int]) -> list[int]:
    """Those with counts, and what lies between near ones."""
    numbers: set[int] = set()
    for before, number in zip([0, *counted], counted, strict=False):
        is_near = before and number - before <= _LONGEST_GAP
        numbers.update(range(before + 1 if is_near else number, number + 1))
    return sorted(numbers)


def _line(launch: Launch, place: Place, code: CodeLine | None, sites: list[Site]) -> Line:
    executed = code.warp_instructions if code else 0
    every = sum(line.warp_instructions for line in launch.code)
    waits, reason = time.waits_at(launch.predicted, f"{place.name}:{place.line}")
    return Line(
        place.line,
        line_of(place),
        share(executed, every),
        f"{code.thread_instructions / executed:.1f}" if code and executed else "",
        share(waits, 1.0),
        reason if waits >= _MIN_WAIT else "",
        tuple(_access(launch, site) for site in sites),
    )


def _access(launch: Launch, site: Site) -> Access:
    name = f"{'spill' if site.spill else site.space} {site.kind} {site.bytes_per_lane} B"
    if site.instructions > 1:
        name += f", {site.instructions} instructions"
    if site.space == "constant":
        passes = f"{site.wavefronts / site.requests:.1f}"
        return Access(name, f"{site.requests:,}", Cell(), wavefronts=passes)
    if site.space == "shared":
        wavefronts = sum(other.wavefronts for other in launch.sites if other.space == "shared")
        return Access(
            name,
            f"{site.requests:,}",
            Cell(),
            wavefronts=f"{site.wavefronts / site.requests:.1f}",
            conflicts=_of_all(site.bank_conflicts, wavefronts),
        )
    hits = site.l1_hit_sectors / site.sectors if site.sectors and site.is_cached else None
    return Access(
        name,
        f"{site.requests:,}",
        _of_all(site.sectors, sum(other.sectors for other in launch.sites)),
        f"{site.sectors / site.requests:.1f}",
        f"{site.used_percent:.1f} %" if site.used_percent is not None else "",
        f"{100 * hits:.1f} %" if hits is not None else "",
    )


def _of_all(part: int, whole: int) -> Cell:
    return Cell(f"{part:,}", shade(part / whole if whole else 0.0))
