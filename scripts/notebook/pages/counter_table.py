"""The table of counters in a chapter's page: counted by generation, and measured.

A row is one counter of one variant, or of all variants that have the same numbers. Each is shown at
one size, the one that most variants were counted at.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from notebook.archives import counter_rules
from notebook.archives.counter_notes import CounterNotes
from notebook.archives.counter_rules import Compared
from notebook.base.text import markdown_cell, markdown_code, markdown_table
from notebook.data import names
from notebook.data.chapters import Chapter
from notebook.data.metrics import COUNTERS
from notebook.data.results import Result
from notebook.data.variant_names import shortened
from notebook.decide.claims import load as load_claims
from notebook.decide.claims import load_counter_notes

MAX_ROWS = 40
# Counters within this share of each other are no news.
ALIKE_WITHIN = 0.01
# "all but …" names this many variants.
MAX_EXCEPTIONS = 2
_NOTHING = "–"
_LEGEND = (
    "**by generation**: counted by the emulated GPU of each generation; **counted**: by that of the measured "
    "GPU's generation. L2 sectors are a lower and an upper bound. `=` measured exactly as counted, `≈` within the "
    "bounds or the tolerance that `scripts/lab counters` states, **≠** neither, – not compared. Counters that are "
    "zero everywhere are omitted."
)

Interval = tuple[float, float]
Link = Callable[[Result], str]


@dataclass(frozen=True)
class Pair:
    """A measured GPU, and the emulated one of its generation, if that has data."""

    gpu: Result
    emulated: Result | None
    # Kernels that do more on the GPU.
    not_compared: tuple[str, ...]

    @property
    def shared(self) -> list[str]:
        counted = self.emulated.counts if self.emulated else {}
        return [name for name in counted if self._is_shared(name)]

    def _is_shared(self, name: str) -> bool:
        return name in self.gpu.counts and names.kernel(name) not in self.not_compared

    def compared(self, name: str) -> dict[str, Compared]:
        """What can be compared of a launch; {} of one that either of them lacks."""
        if self.emulated is None or not (name in self.emulated.counts and self._is_shared(name)):
            return {}
        counted, measured = self.emulated.counts[name][0], self.gpu.counts[name][0]
        comparisons = counter_rules.compare_counters(
            name, counted, measured, counter_rules.fits_l2(counted)
        )
        return {count.counter: count for count in comparisons}


@dataclass(frozen=True)
class Cells:
    """A row without its variant; equal cells share a row."""

    counter: str
    texts: tuple[str, ...]


def lines(chapter: Chapter, results: list[Result], link: Link) -> list[str]:
    """The table with its notes. `link` shows a result as a link to its data."""
    counted = [result for result in results if result.counts]
    emulated = [result for result in counted if result.is_emulated]
    claims, notes = load_claims(chapter), load_counter_notes(chapter)
    pairs = [
        Pair(
            gpu,
            next((result for result in emulated if _generation(result) == gpu.generation), None),
            notes.repeated_on_gpus,
        )
        for gpu in counted
        if not gpu.is_emulated
    ]
    named = (name for claim in claims for name in (claim.baseline, claim.variant) if name)
    chosen = _chosen_names([*named, *notes.show], emulated, pairs)
    claimed = [_base(claim.metric) for claim in claims]
    candidates = {
        counter: _rows(counter, chosen, emulated, pairs)
        for counter in dict.fromkeys(map(_base, COUNTERS))
        if counter in (*counter_rules.COMPARED, *claimed)
    }
    candidates = {counter: cells for counter, cells in candidates.items() if cells}
    if not candidates:
        return ["", "No counters yet.", ""]
    first = [*claimed, *(count.counter for pair in pairs for count in _wrong(pair, chosen))]
    alike = {
        counter: text
        for counter in candidates
        if counter not in first and (text := _one_text(counter, chosen, emulated, pairs))
    }
    rows = {counter: cells for counter, cells in candidates.items() if counter not in alike}
    shown = _within_budget(rows, first)
    table = [
        [_variants(variants, chosen), f"`{counter}`", *cells.texts]
        for counter in shown
        for cells, variants in rows[counter].items()
    ]
    header = ["variant", "counter", "by generation"]
    for pair in pairs:
        lacking = f"emulated-{pair.gpu.generation}" if pair.gpu.generation else _NOTHING
        own = link(pair.emulated) if pair.emulated else lacking
        header += [f"counted: {own}", f"measured: {link(pair.gpu)}", "agree"]
    return [
        "",
        *markdown_table(header, table),
        "",
        *_caption(chosen, alike, [counter for counter in rows if counter not in shown]),
        *_missing(chapter, pairs),
        *(line for pair in pairs for line in _summary(pair, notes)),
    ]


def _generation(emulated: Result) -> str:
    return emulated.device.removeprefix("emulated-")


def _base(counter: str) -> str:
    """`l2_read_sectors` for either end of what the emulator counts of it."""
    return counter.removesuffix("_least").removesuffix("_most")


def _chosen_names(asked: list[str], emulated: list[Result], pairs: list[Pair]) -> list[str]:
    """A benchmark for each variant, as many of one regime as there can be.

    What was both counted and measured goes before what was counted only; what was measured only has
    nothing to stand beside, and is shown where nothing was counted.
    """
    both = [name for pair in pairs for name in pair.shared]
    counted = emulated or [pair.gpu for pair in pairs]
    by_variant: dict[str, str] = {}
    for source in (both, [name for result in counted for name in result.counts]):
        missing = set(asked) - by_variant.keys()
        candidates = {name for name in source if names.variant(name) in missing}
        sizes = Counter(map(names.regime, candidates))
        for regime in sorted(sizes, key=lambda size: (-sizes[size], names.natural(size))):
            of_size = (name for name in candidates if names.regime(name) == regime)
            by_variant = {names.variant(name): name for name in of_size} | by_variant
    return names.naturally_sorted(by_variant.values())


def _rows(
    counter: str, chosen: list[str], emulated: list[Result], pairs: list[Pair]
) -> dict[Cells, list[str]]:
    """The rows of a counter, each with its benchmarks; what is nothing everywhere has none."""
    rows: dict[Cells, list[str]] = {}
    for name in chosen:
        predicted = {_generation(result): _interval(result, name, counter) for result in emulated}
        measured = [_interval(pair.gpu, name, counter) for pair in pairs]
        if not any(map(any, filter(None, [*predicted.values(), *measured]))):
            continue
        texts = [_by_generation({key: _text(counter, ends) for key, ends in predicted.items()})]
        for pair, value in zip(pairs, measured, strict=True):
            own = _interval(pair.emulated, name, counter) if pair.emulated else None
            mark, is_wrong = _mark(pair.compared(name).get(counter))
            shown = _text(counter, value)
            texts += [_text(counter, own), f"**{shown}**" if is_wrong else shown, mark]
        rows.setdefault(Cells(counter, tuple(texts)), []).append(name)
    return rows


def _one_text(counter: str, chosen: list[str], emulated: list[Result], pairs: list[Pair]) -> str:
    """The number of a counter that hardly differs between variants and devices; "" if it does."""
    results = [*emulated, *(pair.gpu for pair in pairs)]
    intervals = (_interval(result, name, counter) for result in results for name in chosen)
    ends = [end for interval in intervals if interval for end in interval]
    least, most = min(ends), max(ends)
    return _text(counter, (least, most)) if most <= least * (1 + ALIKE_WITHIN) else ""


def _interval(result: Result, name: str, counter: str) -> Interval | None:
    values = result.counts[name][0] if name in result.counts else {}
    if result.is_emulated:
        return counter_rules.interval(values, counter)
    return (values[counter], values[counter]) if counter in values else None


def _text(counter: str, value: Interval | None) -> str:
    if value is None:
        return _NOTHING
    return "–".join(dict.fromkeys(_number(counter, end) for end in value))


def _number(counter: str, value: float) -> str:
    if counter.endswith(("efficiency", "occupancy")):
        return f"{value:.2f}".rstrip("0").rstrip(".") + " %"
    return f"{value:,.0f}" if value.is_integer() else f"{value:.4g}"


def _by_generation(texts: dict[str, str]) -> str:
    """`Fermi 50 %; others 80 %`: what most of them have goes last, and needs no names."""
    groups: dict[str, list[str]] = {}
    for generation, text in texts.items():
        groups.setdefault(text, []).append(generation.capitalize())
    ordered = sorted(groups.items(), key=lambda group: len(group[1]))
    if len(ordered) < 2:
        return next(iter(groups), _NOTHING)
    of_few = [f"{', '.join(variants)} {text}" for text, variants in ordered[:-1]]
    text, variants = ordered[-1]
    return "; ".join([*of_few, f"{'others' if len(variants) > 1 else variants[0]} {text}"])


def _mark(compared: Compared | None) -> tuple[str, bool]:
    if compared is None:
        return _NOTHING, False
    if compared.is_right:
        return "=" if compared.is_exact else "≈", False
    return f"**≠ {_excess(compared)}**", True


def _excess(compared: Compared) -> str:
    """How much more was measured: in percent of the nearer end; in units where that is nothing."""
    nearer = compared.measured - compared.excess
    if nearer == 0:
        text = f"{compared.excess:+,.0f}"
    else:
        percent = 100 * compared.excess / nearer
        digits = 0 if abs(percent) >= 9.95 else 1 if abs(percent) >= 0.095 else 3
        text = f"{percent:+,.{digits}f} %"
    return text.replace("-", "−")


def _wrong(pair: Pair, benchmarks: Iterable[str]) -> list[Compared]:
    return [
        count for name in benchmarks for count in pair.compared(name).values() if not count.is_right
    ]


def _within_budget(rows: dict[str, dict[Cells, list[str]]], first: list[str]) -> list[str]:
    """The counters whose rows fit MAX_ROWS: those that claims are about, those that differ, others."""
    taken: list[str] = []
    left = MAX_ROWS
    for counter in sorted(
        rows, key=lambda counter: first.index(counter) if counter in first else len(first)
    ):
        if not taken or len(rows[counter]) <= left:
            taken.append(counter)
            left -= len(rows[counter])
    return [counter for counter in rows if counter in taken]


def _variants(variants: list[str], chosen: list[str]) -> str:
    """The variants of a row."""
    others = [name for name in chosen if name not in variants]
    if len(variants) == len(chosen) > 1:
        return f"all {len(variants)}"
    if len(variants) > MAX_EXCEPTIONS >= len(others):
        return f"all but {', '.join(shortened(others))}"
    return "<br>".join(shortened(variants))


def _caption(chosen: list[str], alike: dict[str, str], left_out: list[str]) -> list[str]:
    text = [_LEGEND]
    by_size: dict[str, list[str]] = {}
    for name in chosen:
        by_size.setdefault(names.regime(name), []).append(name)
    for size, variants in by_size.items():
        at = f" at {markdown_cell(names.regime_in_words(size))}" if size else ""
        text.append(
            f"{len(variants)} variant{'s' if len(variants) > 1 else ''}{at}: {'; '.join(shortened(variants))}."
        )
    if alike:
        counters = ", ".join(f"`{counter}` ({value})" for counter, value in alike.items())
        text.append(f"Omitted, about equal for all variants on every device: {counters}.")
    if left_out:
        text.append(f"Omitted for length: {', '.join(f'`{counter}`' for counter in left_out)}.")
    return ["<br>\n".join(text), ""]


def _missing(chapter: Chapter, pairs: list[Pair]) -> list[str]:
    """What a reader can do about columns that are not there."""
    if not pairs:
        command = f"`scripts/lab counters {chapter.number}`"
        return [f"Not measured yet: {command} does, on a GPU with Nsight Compute.", ""]
    parts = []
    for pair in (pair for pair in pairs if pair.emulated is None):
        generation = pair.gpu.generation
        fix = (
            f": `scripts/lab run {chapter.number} --device emulated:{generation}`"
            if generation
            else ""
        )
        parts += [
            f"Nothing to compare {pair.gpu.device} with: no emulated GPU of its generation{fix}.",
            "",
        ]
    return parts


def _summary(pair: Pair, notes: CounterNotes) -> list[str]:
    """How many counters of all launches agree, and which do not, by their reasons."""
    if pair.emulated is None or not pair.shared:
        return []
    every = [count for name in pair.shared for count in pair.compared(name).values()]
    every = [count for count in every if count.measured or count.most]
    wrong = [count for count in every if not count.is_right]
    exact = sum(count.is_exact for count in every)
    launches = len({count.name for count in every})
    text = (
        f"**In all, {launches:,} launches** of {pair.emulated.device} and {pair.gpu.device} were compared: "
        f"of {len(every):,} counters that are not zero, {exact:,} agree to the unit, "
        f"{len(every) - exact - len(wrong):,} inside their interval or tolerance, and {len(wrong):,} differ"
    )
    by_reason: dict[str, list[Compared]] = {}
    for count in wrong:
        why = notes.why(pair.gpu.device, count.counter, names.kernel(count.name))
        by_reason.setdefault(why, []).append(count)
    items = [f"- {_listed(compared)}: {_reason(why)}" for why, compared in by_reason.items()]
    return [f"{text}:", "", *items, ""] if items else [f"{text}.", ""]


def _reason(why: str) -> str:
    return markdown_cell(why.rstrip(".")) if why else "no reason is given yet"


def _listed(wrong: list[Compared]) -> str:
    """`l1_hit_sectors` of 3 launches (−2.8 % to −2.1 %), … in the kernels."""
    by_counter: dict[str, list[Compared]] = {}
    for count in wrong:
        by_counter.setdefault(count.counter, []).append(count)
    counters = [
        f"`{counter}` of {len(compared)} launch{'es' if len(compared) > 1 else ''} ({_range(compared)})"
        for counter, compared in by_counter.items()
    ]
    kernels = dict.fromkeys(markdown_code(names.kernel(count.name)) for count in wrong)
    return f"{', '.join(counters)} in {', '.join(kernels)}"


def _range(wrong: list[Compared]) -> str:
    def relative(compared: Compared) -> tuple[bool, float]:
        nearer = compared.measured - compared.excess
        return (nearer == 0, compared.excess / (nearer or 1))

    ordered = sorted(wrong, key=relative)
    return " to ".join(dict.fromkeys(map(_excess, (ordered[0], ordered[-1]))))
