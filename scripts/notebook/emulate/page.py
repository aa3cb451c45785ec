"""A program's report as one HTML file: launches, roofline, GPUs side by side, source with counts beside each line.

The file asks no other place for anything, has no script, and all text of the program in it is escaped.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from notebook.emulate import roofline as emulate_roofline
from notebook.emulate import several as emulate_several
from notebook.emulate import source as emulate_source
from notebook.emulate.launches import time as emulate_time
from notebook.emulate.launches.cells import dimensions
from notebook.emulate.launches.code import short_kernel
from notebook.emulate.launches.findings import Finding
from notebook.emulate.launches.metrics import LEGEND
from notebook.emulate.launches.records import Launch
from notebook.emulate.launches.runs import Emulated

# The number of launches shown, the longest first; the page says how many there are.
MAX_KERNELS = 40
_STYLE = Path(__file__).parents[1] / "report" / "assets" / "emulated.css"


@dataclass(frozen=True)
class Shown:
    """A kernel on one GPU. `number` is that of the roofline."""

    number: int
    name: str
    full_name: str
    launch: Launch
    grid: str
    block: str
    time: str
    bound: str
    waits: list[tuple[str, str, float]]
    findings: list[Finding]
    files: list[emulate_source.File]


@dataclass(frozen=True)
class Gpu:
    """What the page has of one GPU."""

    run: Emulated
    kernels: list[Shown]
    omitted: int
    roofline: str  # an image's address; "" where there is none


def as_html(
    program: str, runs: Sequence[Emulated], names: bool, omitted: Sequence[str] = ()
) -> str:
    """`omitted`: lines on launches that `runs` lack."""
    environment = Environment(
        loader=PackageLoader("notebook.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    several = [_table(together) for together in emulate_several.by_kernel(runs)]
    return environment.get_template("emulated.html.j2").render(
        program=program,
        gpus=[_gpu(run) for run in runs],
        tables=several if len(runs) > 1 else [],
        omitted=omitted,
        legend=[line.split(maxsplit=1) for line in LEGEND] if names else [],
        style=Markup(_STYLE.read_text("utf-8")),
    )


def _gpu(run: Emulated) -> Gpu:
    longest = sorted(
        run.launches,
        key=lambda launch: launch.predicted.seconds if launch.predicted else 0.0,
        reverse=True,
    )[:MAX_KERNELS]
    chosen = [launch for launch in run.launches if any(launch is each for each in longest)]
    kernels = [_shown(number, launch, run) for number, launch in enumerate(chosen, 1)]
    return Gpu(run, kernels, len(run.launches) - len(kernels), _roofline(run, kernels))


def _shown(number: int, launch: Launch, run: Emulated) -> Shown:
    time = emulate_time.cells(launch.predicted, launch.launches, run.error)
    return Shown(
        number,
        short_kernel(launch.kernel, 80) + launch.which,
        launch.kernel,
        launch,
        dimensions(launch.grid),
        dimensions(launch.block),
        time.time,
        time.bound,
        emulate_time.waits_of(launch.predicted) if launch.predicted else [],
        run.findings(launch),
        emulate_source.files_of(launch),
    )


def _roofline(run: Emulated, kernels: Sequence[Shown]) -> str:
    made = (emulate_roofline.point(each.number, each.launch) for each in kernels)
    points = [point for point in made if point]
    if run.roof is None or not points:
        return ""
    picture = emulate_roofline.svg(run.roof, points)
    return f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}"


@dataclass(frozen=True)
class Table:
    """One kernel on all GPUs: rows of cells, the first of each its name."""

    name: str
    heads: list[str]
    rows: list[list[str]]


def _table(together: emulate_several.Together) -> Table:
    first = next(launch for _, launch in together if launch)
    name = short_kernel(first.kernel, 80) + first.which
    return Table(
        f"{name}, grid {dimensions(first.grid)}, block {dimensions(first.block)}",
        [run.name for run, _ in together],
        [*emulate_several.facts(together), *emulate_several.traffic(together)],
    )
