"""What a chapter's claims.toml says, beside its claims, about the page's table of counters.

show = ["read_offset/offset:8/block:512"]      variants that no claim names, shown all the same
repeated_on_gpus = ["sum"]                     kernels that a GPU repeats more often than an emulated one: not compared

[[difference]]                                 why a GPU counts what the emulated one does not
device = "nvidia-h200"
counters = ["shared_load_requests"]
kernels = ["matmul_tiled"]                     only of these; left out: of all
why = "four loads along a row became one LDS.128"
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from notebook.archives.counter_rules import COMPARED
from notebook.base.text import close_matches, plain
from notebook.data import names
from notebook.data.devices import is_slug

KEYS = ("show", "repeated_on_gpus", "difference")


@dataclass(frozen=True)
class Reason:
    """Why some counters differ on a device; of all kernels where none is named."""

    device: str
    counters: tuple[str, ...]
    kernels: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class CounterNotes:
    """`show`: variants, without their regime, in addition to those of the claims.

    `repeated_on_gpus`: kernels that do more work on a GPU than on an emulated one, so counts differ.
    """

    show: tuple[str, ...]
    repeated_on_gpus: tuple[str, ...]
    reasons: tuple[Reason, ...]

    def why(self, device: str, counter: str, kernel: str) -> str:
        """The first reason that fits; "" without one."""
        fitting = (
            reason.why
            for reason in self.reasons
            if reason.device == device
            and counter in reason.counters
            and (not reason.kernels or kernel in reason.kernels)
        )
        return next(fitting, "")


def parse(document: dict[str, Any]) -> CounterNotes:
    """The notes of a claims.toml; raises ValueError."""
    show = document.get("show", [])
    if not isinstance(show, list) or not all(map(names.is_name, show)):
        raise ValueError("show is a list of benchmark names (kernel/key:value/…)")
    repeated = document.get("repeated_on_gpus", [])
    if not isinstance(repeated, list) or not all(map(names.is_name, repeated)):
        raise ValueError("repeated_on_gpus is a list of kernels")
    tables = document.get("difference", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError("differences are written as [[difference]]")
    return CounterNotes(
        tuple(map(names.variant, show)), tuple(repeated), tuple(map(_reason, tables))
    )


def _reason(table: dict[str, Any]) -> Reason:
    where = "a difference"
    refuse_unknown(where, table, ["device", "counters", "kernels", "why"])
    if not is_slug(table.get("device")):
        raise ValueError(f"{where}: device is a folder of data/")
    counters, kernels = table.get("counters"), table.get("kernels", [])
    if not isinstance(counters, list) or not counters:
        raise ValueError(f"{where}: counters is a list of counters, and not an empty one")
    for wrong in (str(counter) for counter in counters if counter not in COMPARED):
        raise ValueError(f"{where}: counters: {close_matches(wrong, COMPARED)}")
    if not isinstance(kernels, list) or not all(map(names.is_name, kernels)):
        raise ValueError(f"{where}: kernels is a list of kernels")
    why = table.get("why")
    if not isinstance(why, str) or not why.strip():
        raise ValueError(f"{where}: why is missing or empty")
    return Reason(table["device"], tuple(counters), tuple(kernels), why.strip())


def refuse_unknown(where: str, table: dict[str, Any], valid: Iterable[str]) -> None:
    for key in table:
        if key not in valid:
            raise ValueError(f"{where}: unknown key {plain(key)}; {close_matches(key, valid)}")
