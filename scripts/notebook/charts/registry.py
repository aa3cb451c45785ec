"""Which chart belongs to which figure."""

from collections.abc import Callable
from dataclasses import dataclass

from notebook.base.errors import Problem
from notebook.charts import (
    effects,
    flow,
    l2_room,
    overview,
    peers,
    plain,
    validation,
)
from notebook.charts.evidence import Facts
from notebook.charts.marks import Chart
from notebook.charts.sources import Sources
from notebook.data import chapter_code
from notebook.data.chapters import Chapter


@dataclass(frozen=True)
class Spanning:
    """A figure of several chapters (all for ()), drawn by plots/<name>.gp; no chart, no figure."""

    question: str
    chapters: tuple[str, ...]
    chart: Callable[[Sources], Chart | None]


_TRANSPOSES = ("09", "10", "11", "12", "13", "14")
_PRODUCTS = ("16", "17", "18", "19")

SPANNING = {
    "09_to_14_transposes": Spanning(
        "How near does each transpose come to a copy?", _TRANSPOSES, overview.transposes
    ),
    "roofline": Spanning("Which ceiling limits each product?", _PRODUCTS, overview.roofline),
    "l2_room": Spanning("How much of the L2 does a copy need?", ("07",), l2_room.l2_room),
    "peers": Spanning(
        "How near do textbooks, libraries and the notebook come to the limit?",
        ("07", "14", "19"),
        peers.peers,
    ),
    "effects": Spanning("Which rules from books hold on which GPU?", (), effects.effects),
    "validation": Spanning(
        "How near is predicted time to measured time?", (), validation.validation
    ),
    "memory": Spanning("Where do the bytes of a transpose go?", ("10", "14"), flow.memory),
}


def of_chapter(chapter: Chapter, facts: Facts) -> Chart:
    """What `chart` in the chapter's chart.py makes of the facts, or a bar for each variant."""
    chart = chapter_code.attribute(chapter, "chart.py", "chart") or plain.variants
    made = chart(facts)
    if not isinstance(made, Chart):
        raise Problem(f"{chapter.name}/chart.py: chart() returns no Chart")
    return made
