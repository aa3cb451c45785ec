"""A chapter's claims.toml: what the source says, in a form that data can decide."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from notebook.archives import counter_notes
from notebook.archives.counter_notes import CounterNotes, refuse_unknown
from notebook.base import files
from notebook.base.errors import Malformed, Problem
from notebook.base.text import close_matches, plain, quoted, short
from notebook.data import cache as kept
from notebook.data import names
from notebook.data.chapters import Chapter
from notebook.data.devices import is_device
from notebook.data.metrics import COUNTERS, METRICS, METRICS_FILE
from notebook.decide.works import OURS

_TEXTS = ("id", "statement", "source_device", "metric", "variant", "why")
_OPTIONAL = (
    "baseline",
    "expected",
    "claimed",
    "derived",
    "direction",
    "fetch_unit_bytes",
    "compute_capability",
    "unmodelled",
    "regimes",
    "because",
)
T = TypeVar("T")

_CAPABILITY = re.compile(r"[1-9][0-9]?\.[0-9]a?")
_ID = re.compile(r"[a-z][a-z0-9_]{0,99}")
# No ratio that a source prints, and no value of a metric, is beyond these.
_LARGEST_RATIO, _LARGEST_VALUE = 1e6, 1e30


@dataclass(frozen=True)
class Claim:
    """One sentence of a source: `metric` of `variant` against that of `baseline`, or in `expected`.

    A source is a work and a place in it, or "ours"; several may say it. `derived`: the source does not say this; it
    follows from what the source says. `claimed` is the ratio variant / baseline that the source
    prints (with `expected`: the value), or that follows from it.
    An end of `expected` may be infinite: `[1.03, inf]` is "at least 1.03".
    With both, `expected` is the range of the ratio.
    `compute_capability`: the least of a GPU that the claim is about ("9.0"), for what older ones do not have; with an a
    ("9.0a"), as nvcc's targets have it, the only one.
    `unmodelled`: the mechanism that the time model lacks; an emulated GPU then predicts nothing.
    `regimes`: the only ones that the claim is about ("m:4096/n:4096/k:4096/cache:cold"); () is all.
    `because`: the mechanism behind another verdict, by device or pattern (`emulated-*`).
    """

    id: str
    statement: str
    sources: tuple[str, ...]
    source_device: str
    metric: str
    variant: str
    why: str
    baseline: str | None = None
    expected: tuple[float, float] | None = None
    claimed: float | None = None
    direction: str = "equal"
    fetch_unit_bytes: int | None = None
    compute_capability: str = ""
    unmodelled: str = ""
    regimes: tuple[str, ...] = ()
    derived: bool = False
    because: dict[str, str] = field(default_factory=dict)

    @cached_property
    def is_counted(self) -> bool:
        """Whether the claim is about a counter, which is exact, and not about time."""
        return self.metric in COUNTERS

    def because_of(self, device: str) -> str:
        """The mechanism given for `device`: its own key before the first pattern that fits; or ""."""
        fitting = (why for pattern, why in self.because.items() if fnmatchcase(device, pattern))
        return self.because.get(device) or next(fitting, "")

    @cached_property
    def sign(self) -> int:
        """The claimed side of the ratio of the metric: +1 above 1, -1 below, 0 equal."""
        slower = 1 if self.metric == "time" else -1
        signs = {"higher": 1, "lower": -1, "equal": 0, "slower": slower, "faster": -slower}
        return signs[self.direction]


@dataclass(frozen=True)
class Claims:
    """The claims of a chapter, and what is wrong with those that are left out."""

    right: list[Claim]
    wrong: list[str]

    @cached_property
    def key(self) -> str:
        """Names what is decided by them: it changes with any word of theirs."""
        return kept.key([repr(self.right).encode()])


def load(chapter: Chapter) -> list[Claim]:
    """The claims of a chapter; [] where it makes none. Raises Problem unless all are right."""
    claims = load_right(chapter)
    if claims.wrong:
        raise Problem("; ".join(claims.wrong))
    return claims.right


def load_right(chapter: Chapter) -> Claims:
    """The claims of a chapter that can be decided, and a line for each of the others."""
    where = quoted(_path(chapter))
    try:
        chapter_claims = _read(chapter, _parse)
    except Problem as problem:
        return Claims([], [str(problem)])
    return Claims(chapter_claims.right, [f"{where}: {wrong}" for wrong in chapter_claims.wrong])


def load_counter_notes(chapter: Chapter) -> CounterNotes:
    """What its claims.toml says about the page's table of counters."""
    return _read(chapter, counter_notes.parse)


def _read(chapter: Chapter, parse: Callable[[dict[str, Any]], T]) -> T:
    path = _path(chapter)
    try:
        return parse(files.read_toml(path) if files.is_there(path) else {})
    except (Malformed, ValueError) as error:
        raise Problem(f"{quoted(path)}: {short(error)}") from error


def _path(chapter: Chapter) -> Path:
    return chapter.directory / "claims.toml"


def _parse(document: dict[str, Any]) -> Claims:
    refuse_unknown("the file", document, ["claim", *counter_notes.KEYS])
    counter_notes.parse(document)  # only to refuse what is wrong in it
    tables = document.get("claim", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError("claims are written as [[claim]]")
    claims = Claims([], [])
    for table in tables:
        try:
            claim = _parse_claim(table)
            if any(claim.id == other.id for other in claims.right):
                raise ValueError(f"claim {claim.id}: there are two of this id")
            claims.right.append(claim)
        except ValueError as error:
            claims.wrong.append(plain(error))
    return claims


def _parse_claim(table: dict[str, Any]) -> Claim:
    identifier = table.get("id")
    if not isinstance(identifier, str) or not _ID.fullmatch(identifier):
        raise ValueError(f"a claim's id {identifier!r} is missing or not of the form a_b_c")
    where = f"claim {identifier}"
    refuse_unknown(where, table, [*_TEXTS, "source", *_OPTIONAL])
    for key in _TEXTS:
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise ValueError(f"{where}: {key} is missing or empty")
    if "baseline" not in table and "expected" not in table:
        raise ValueError(f"{where}: give a baseline, an expected range, or both")
    if "expected" not in table and "direction" not in table:
        raise ValueError(f"{where}: direction is missing")
    if table["metric"] not in METRICS:
        raise ValueError(
            f"{where}: unknown metric {plain(table['metric'])}; "
            f"{close_matches(table['metric'], METRICS, most=5)}; a new metric is a line in {METRICS_FILE}"
        )
    for key in ("variant", "baseline"):
        if key in table:
            table[key] = _variant(where, key, table[key])
    sources = _sources(where, table.pop("source", None))
    if table.get("derived", False) and OURS in sources:
        raise ValueError(f"{where}: derived needs the source that it is derived from, not {OURS!r}")
    claim = Claim(sources=sources, **(table | _checked_options(where, table)))
    effect = 0.0 if claim.expected is not None or claim.claimed is None else claim.claimed - 1
    if claim.sign * effect < 0:
        raise ValueError(
            f"{where}: claimed = {claim.claimed} is variant / baseline, "
            f"and does not agree with '{claim.direction}'"
        )
    return claim


def _checked_options(where: str, table: dict[str, Any]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if "expected" in table:
        bounds = table["expected"]
        if not (isinstance(bounds, list) and len(bounds) == 2 and all(map(_is_number, bounds))):
            raise ValueError(f"{where}: expected is a range [low, high]")
        if not bounds[0] <= bounds[1]:  # nan is neither
            raise ValueError(f"{where}: expected: {bounds[0]} is above {bounds[1]}")
        if any(abs(end) > _LARGEST_VALUE and end not in (-inf, inf) for end in bounds):
            raise ValueError(f"{where}: expected: an end is beyond {_LARGEST_VALUE:g}")
        options["expected"] = (float(bounds[0]), float(bounds[1]))
    if "claimed" in table:
        _check_claimed(where, table)
    if "direction" in table:
        counted = table["metric"] in COUNTERS
        directions = ["higher", "lower", "equal", *([] if counted else ["slower", "faster"])]
        if table["direction"] not in directions:
            raise ValueError(
                f"{where}: direction of {table['metric']}: "
                f"{close_matches(str(table['direction']), directions)}"
            )
    if table.get("fetch_unit_bytes", 32) not in (32, 128):
        raise ValueError(f"{where}: fetch_unit_bytes is 32 or 128")
    capability = table.get("compute_capability", "1.0")
    if not isinstance(capability, str) or not _CAPABILITY.fullmatch(capability):
        raise ValueError(
            f'{where}: compute_capability is the least one, as in "9.0", or the only one: "9.0a"'
        )
    unmodelled = table.get("unmodelled", "-")
    if not isinstance(unmodelled, str) or not unmodelled.strip():
        raise ValueError(f"{where}: unmodelled says what the time model lacks")
    if "regimes" in table:
        options["regimes"] = _regimes(where, table["regimes"])
    if not isinstance(table.get("derived", False), bool):
        raise ValueError(f"{where}: derived is true or false")
    because = table.get("because", {})
    if not isinstance(because, dict) or not all(
        is_device(device.replace("*", "x")) and isinstance(reason, str)
        for device, reason in because.items()
    ):
        raise ValueError(
            f'{where}: because is a table of device = "reason" (emulated-* is a pattern)'
        )
    return options


def _sources(where: str, source: object) -> tuple[str, ...]:
    """The works that say it: one text, or a list of them."""
    sources = source if isinstance(source, list) else [source]
    if not sources or not all(isinstance(work, str) and work.strip() for work in sources):
        raise ValueError(f"{where}: source is missing or empty; give a text, or a list of texts")
    return tuple(sources)


def _check_claimed(where: str, table: dict[str, Any]) -> None:
    """The value that a source prints, or a ratio; only of what is counted can one be 0."""
    claimed = table["claimed"]
    if not _is_number(claimed):
        raise ValueError(f"{where}: claimed is a number")
    largest = _LARGEST_VALUE if "expected" in table else _LARGEST_RATIO
    least = 0 if table["metric"] in COUNTERS or "expected" in table else 1 / _LARGEST_RATIO
    if not least <= claimed <= largest:
        raise ValueError(f"{where}: claimed is a number from {least:g} to {largest:g}")


def _variant(where: str, key: str, name: object) -> str:
    if not names.is_name(name):
        raise ValueError(f"{where}: {key} {name!r} is not a benchmark name (kernel/key:value/…)")
    if regime := names.regime(name):
        raise ValueError(f"{where}: {key} names a regime ({regime}); claims hold in every regime")
    return names.variant(name)


def _regimes(where: str, texts: object) -> tuple[str, ...]:
    """The regimes of a claim, as `names.regime` writes them."""
    if not isinstance(texts, list) or not texts:
        raise ValueError(f"{where}: regimes is a list of regimes, and not an empty one")
    for text in texts:
        if not names.is_name(f"any/{text}") or names.variant(f"any/{text}") != "any":
            raise ValueError(f"{where}: {text!r} is no regime ({'/'.join(names.REGIME_KEYS)})")
    return tuple(names.regime(f"any/{text}") for text in texts)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
