"""Reads what the emulated GPU reports of a program: one JSON object a launch, checked and typed.

The format is that of common/emulator/runtime/report/report.md. All text in it comes from the program, so it
is made safe to print here, once.
"""

import json
from pathlib import Path
from typing import Any

from notebook.base.errors import Problem
from notebook.base.text import plain
from notebook.emulate.launches.records import (
    SITE_COUNTS,
    CodeLine,
    FailedCall,
    Hazard,
    Launch,
    Place,
    Report,
    Shape,
    Site,
)
from notebook.emulate.launches.time import predicted


def read(path: Path) -> Report:
    """The report in a file; an unfinished last line of a program that was killed is left out."""
    report = Report()
    lines = (
        path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    )
    for number, line in enumerate(lines, 1):
        try:
            _add(report, json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if number == len(lines) and not report.finished:
                break
            raise Problem(
                f"line {number} of the emulated GPU's report is not valid: {plain(error)}"
            ) from error
    return report


def _add(report: Report, described: dict[str, Any]) -> None:
    if described.get("finished"):
        report.finished = True
        report.noticed_all_but = {int(number) for number in described.get("unnoticed", [])}
    elif "note" in described:
        report.notes.append(plain(described["note"]))
    elif "hazard" in described:
        text, function = plain(described["hazard"]), plain(described["function"])
        callers = tuple(int(address) for address in described["callers"])
        report.hazards.append(Hazard(text, function, callers))
    elif "failed_call" in described:
        report.failed_calls.append(_failed_call(described))
    elif "error" in described:
        kernel, text = plain(described.get("kernel", "")), plain(described["error"])
        report.failures.append(text if kernel in text else f"{kernel}: {text}")
    else:
        report.launches.append(_launch(described))


def _launch(described: dict[str, Any]) -> Launch:
    occupancy = described.get("occupancy") or {}
    percent = occupancy.get("percent")
    return Launch(
        kernel=plain(described["kernel"]),
        grid=_shape(described["grid"]),
        block=_shape(described["block"]),
        shared_bytes=int(described.get("static_shared_bytes", 0))
        + int(described.get("dynamic_shared_bytes", 0)),
        registers=_optional(described.get("registers_per_thread")),
        registers_from=plain(described.get("registers_from") or ""),
        registers_unknown=plain(described.get("registers_unknown") or ""),
        spill_bytes=_optional(described.get("spill_bytes")),
        occupancy_percent=None if percent is None else float(percent),
        occupancy_limit=plain(occupancy.get("limit", "")),
        blocks=int(described["blocks"]),
        blocks_executed=int(described["blocks_executed"]),
        sampling_error=float(described.get("sampling_error", 0)),
        host_seconds=float(described.get("host_seconds", 0)),
        counters={plain(name): float(value) for name, value in described["counters"].items()},
        sites=[_site(site) for site in described["sites"]],
        code=[_code_line(line) for line in described["source"]],
        notes=[plain(note) for note in described.get("notes", [])],
        hazards=[plain(hazard) for hazard in described.get("hazards", [])],
        predicted=predicted(described.get("predicted")),
        managed_bytes=int(described.get("managed_bytes", 0)),
        host_bytes=int(described.get("host_bytes", 0)),
        numbers=[int(described.get("launch", 0))],
    )


def _failed_call(described: dict[str, Any]) -> FailedCall:
    return FailedCall(
        plain(described["failed_call"]),
        int(described["number"]),
        plain(described["error"]),
        plain(described["detail"]),
        tuple(int(address) for address in described["callers"]),
    )


def _place(described: dict[str, Any]) -> Place:
    file, line = described.get("file") or "", described.get("line") or 0
    inlined_at, header = (plain(described.get(key) or "") for key in ("inlined_at", "header"))
    return Place(plain(file), int(line), inlined_at, header)


def _site(described: dict[str, Any]) -> Site:
    return Site(
        _place(described), plain(described["space"]), plain(described["kind"]), int(described["bytes"]),
        **{name: int(described[name]) for name in SITE_COUNTS}, spill=bool(described.get("spill")),
    )  # fmt: skip


def _code_line(described: dict[str, Any]) -> CodeLine:
    counts = ("warp_instructions", "thread_instructions", "divergent_branches")
    return CodeLine(_place(described), *(int(described[name]) for name in counts))


def _shape(values: list[Any]) -> Shape:
    x, y, z = (int(value) for value in values)
    return (x, y, z)


def _optional(value: Any) -> int | None:
    return None if value is None else int(value)
