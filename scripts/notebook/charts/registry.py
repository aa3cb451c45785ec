"""Which chart belongs to which figure."""

from collections.abc import Callable
from dataclasses import dataclass

from notebook import chapter_code
from notebook.chapters import Chapter
from notebook.charts import (
    banks,
    caches,
    effects,
    flow,
    hierarchy,
    l2_room,
    overview,
    peers,
    plain,
    products,
    standing,
    threads,
    transpose_steps,
    transposes,
    unified,
)
from notebook.charts.evidence import Facts
from notebook.charts.marks import Chart
from notebook.charts.sources import Sources
from notebook.errors import Problem

_CHARTS: dict[str, Callable[[Facts], Chart]] = {
    "00_memory_hierarchy": hierarchy.memory_hierarchy,
    "03_l1_cache": caches.l1_cache,
    "04_read_only_cache": caches.read_only_cache,
    "06_aos_soa": threads.aos_soa,
    "07_unroll4": threads.unroll4,
    "08_block_size": threads.block_size,
    "09_transpose_bounds": transposes.transpose_bounds,
    "10_transpose_naive": transposes.transpose_naive,
    "11_transpose_unroll4": transpose_steps.transpose_unroll4,
    "12_transpose_diagonal": transposes.transpose_diagonal,
    "13_transpose_thin_blocks": transpose_steps.transpose_thin_blocks,
    "14_transpose_shared": transpose_steps.transpose_shared,
    "15_bank_conflicts": banks.bank_conflicts,
    "16_matmul_naive": products.matmul_naive,
    "17_matmul_tiled": products.matmul_tiled,
    "18_matmul_tile_width": products.matmul_tile_width,
    "19_matmul_fast": banks.matmul_fast,
    "20_unified_memory": unified.unified_memory,
}


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
    "effects": Spanning(
        "How large are three textbook effects, generation by generation?",
        ("02", "12", "17"),
        effects.effects,
    ),
    "verdicts": Spanning("Which claims hold on which GPU?", (), standing.verdict_matrix),
    "validation": Spanning("How near is predicted time to measured time?", (), standing.validation),
    "memory": Spanning("Where do the bytes of a transpose go?", ("10", "14"), flow.memory),
}


def of_chapter(chapter: Chapter, facts: Facts) -> Chart:
    """What `chart` in the chapter's chart.py makes of the facts, or a bar for each variant."""
    chart = chapter_code.attribute(chapter, "chart.py", "chart") or _CHARTS.get(chapter.name)
    made = (chart or plain.variants)(facts)
    if not isinstance(made, Chart):
        raise Problem(f"{chapter.name}/chart.py: chart() returns no Chart")
    return made
