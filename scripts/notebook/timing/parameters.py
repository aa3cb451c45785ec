"""The parameters of the time model that matter most, by generation: the table of common/timing/README.md."""

from pathlib import Path

from notebook.base import csv_table
from notebook.base.project import Project

TABLE = Path("data/timing/parameters.csv")
DEFAULT, INFERRED = "default", "inferred"
GENERATIONS = (
    *("fermi", "kepler", "maxwell", "pascal", "volta", "turing", "ampere", "ada", "hopper"),
    "blackwell",
)
# The parameters' descriptions, by their names in the table.
SHOWN = {
    "l1_cycles": "L1 latency, cycles",
    "shared_cycles": "shared memory latency, cycles",
    "l2_cycles": "L2 latency, cycles",
    "dram_cycles": "DRAM latency, cycles",
    "dram_spread_ns": "spread of DRAM latencies, ns",
    "l1_bytes_per_cycle": "L1 throughput, bytes/cycle/SM",
    "l1_tags_per_cycle": "L1 tags, lines/cycle/SM",
    "l2_bytes_per_cycle_per_sm": "L2 throughput, bytes/cycle/SM",
    "l2_store_sectors_per_cycle_per_sm": "stores to the L2, sectors/cycle/SM",
    "dram_achieved_share": "achieved share of the DRAM peak",
    "dram_bank_ns": "row activation, ns",
    "dram_turnaround_ns": "channel turnaround, ns",
    "l2_writeback_cycles": "write-back at the end, cycles",
    "launch_us": "empty launch, µs",
    "blocks_per_cycle": "block launches/cycle, GPU",
    "barrier_arrival_cycles": "barrier arrival, cycles",
}


def lines(project: Project) -> list[str]:
    """Markdown; what no source gives of a generation is in italics. Raises Problem."""
    cells = {
        (row["architecture"], row["quantity"]): _cell(row)
        for row in csv_table.read(
            project.root / TABLE, ("architecture", "quantity", "value", "confidence")
        )
    }
    headings = " | ".join(each.title() for each in GENERATIONS)
    return [
        f"| parameter | {headings} |",
        "|---" * (len(GENERATIONS) + 1) + "|",
        *(
            f"| {text} | {' | '.join(_of(cells, each, name) for each in GENERATIONS)} |"
            for name, text in SHOWN.items()
        ),
    ]


def _cell(row: csv_table.Line) -> str:
    return f"*{row['value']}*" if row["confidence"] == INFERRED else row["value"]


def _of(cells: dict[tuple[str, str], str], generation: str, quantity: str) -> str:
    return cells.get((generation, quantity)) or cells[DEFAULT, quantity]
