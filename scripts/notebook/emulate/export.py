"""A program's report for machines: JSON, and CSV with a row a number and Nsight Compute's name in it."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from notebook.emulate.launches.findings import findings
from notebook.emulate.launches.metrics import OF_A_LAUNCH, OF_A_LINE, of_a_site
from notebook.emulate.launches.records import SITE_COUNTS, Launch, Place, Site
from notebook.emulate.launches.runs import Emulated

_COLUMNS = (
    "architecture", "kernel", "launch", "grid", "block", "file", "line", "inlined_at", "header", "space", "kind",
    "bytes_per_lane", "spill", "metric", "value", "nsight_compute_metric",
)  # fmt: skip


def as_json(runs: Sequence[Emulated]) -> str:
    described = [
        {
            "architecture": run.architecture,
            "gpu": run.gpu,
            "launches": [_launch(launch, run) for launch in run.launches],
            "failures": run.failures,
            "failed_calls": run.failed_calls,
            "notes": run.notes,
        }
        for run in runs
    ]
    return json.dumps(
        {"emulated": described, "nsight_compute": OF_A_LAUNCH}, indent=2, allow_nan=False
    )


def as_csv(runs: Sequence[Emulated]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for run in runs:
        for launch in run.launches:
            head = [
                run.architecture,
                launch.kernel,
                launch.numbers[0],
                _text(launch.grid),
                _text(launch.block),
            ]
            for row in _rows(launch):
                table.writerow([_cell(cell) for cell in [*head, *row]])
    return text.getvalue()


def _rows(launch: Launch) -> Iterator[list[Any]]:
    for name, value in launch.counters.items():
        yield [*[""] * 8, name, value, OF_A_LAUNCH.get(name, "")]
    for site in launch.sites:
        where = [*_where(site.place), site.space, site.kind, site.bytes_per_lane, site.spill]
        for name, metric in of_a_site(site.space, site.kind).items():
            if name != "l1_hit_sectors" or site.is_cached:
                yield [*where, name, getattr(site, name), metric]
    for line in launch.code:
        for name, metric in OF_A_LINE.items():
            yield [*_where(line.place), *[""] * 4, name, getattr(line, name), metric]


def _where(place: Place) -> list[Any]:
    return [place.file, place.line, place.inlined_at, place.header]


def _cell(value: Any) -> Any:
    """No cell becomes a formula: names come from the program, a spreadsheet may open the file."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def _text(shape: tuple[int, int, int]) -> str:
    return "x".join(str(size) for size in shape)


def _launch(launch: Launch, run: Emulated) -> dict[str, Any]:
    return {
        "kernel": launch.kernel,
        "launch": launch.numbers[0],
        "grid": launch.grid,
        "block": launch.block,
        "shared_bytes": launch.shared_bytes,
        "registers_per_thread": launch.registers,
        "registers_from": launch.registers_from or None,
        "registers_unknown": launch.registers_unknown or None,
        "spill_bytes": launch.spill_bytes,
        "occupancy_percent": launch.occupancy_percent,
        "occupancy_limit": launch.occupancy_limit,
        "blocks": launch.blocks,
        "blocks_executed": launch.blocks_executed,
        "sampling_error": launch.sampling_error,
        "host_seconds": launch.host_seconds,
        "predicted": _predicted(launch, run),
        "counters": launch.counters,
        "findings": [asdict(finding) for finding in findings(launch, run.sm_count)],
        "notes": launch.notes,
        "hazards": launch.hazards,
        "sites": [_site(site) for site in launch.sites],
        "source": [
            _located(line.place) | {name: getattr(line, name) for name in OF_A_LINE}
            for line in launch.code
        ],
    }


def _predicted(launch: Launch, run: Emulated) -> dict[str, Any] | None:
    """Of all its launches together; never a time without its error."""
    if launch.predicted is None:
        return None
    return {
        "seconds": launch.predicted.seconds,
        "mean_error": run.error.mean,
        "error": str(run.error),
        "bound": launch.predicted.bound,
    }


def _site(site: Site) -> dict[str, Any]:
    return (
        _located(site.place)
        | {
            "space": site.space,
            "kind": site.kind,
            "bytes_per_lane": site.bytes_per_lane,
            "spill": site.spill,
            "efficiency": site.efficiency,
            **{name: getattr(site, name) for name in SITE_COUNTS},
        }
        | ({} if site.is_cached else {"l1_hit_sectors": None})
    )


def _located(place: Place) -> dict[str, Any]:
    return asdict(place)
