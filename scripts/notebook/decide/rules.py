"""Rules that books state, and what GPUs say of them: rows of the front page, of chapters/README.md and its figure.

The front pages list them in a comment, by topic:

    # Alignment
    02 offset_11_is_slower: Reading at offset 11 is slow | load efficiency: with_lines, with_sectors
    16 under_2_percent_of_peak:share: A naive product reaches less than 2 % of the peak
    23 shared_histogram_is_faster:inverse: A histogram in global memory is slow

A row has a chapter, a claim and the rule in the page's words; behind the bar a fact that emulated GPUs count, with
the claims that have it. Numbers are times as long (above 1: slower), of rates their inverse, with :share percent;
with :inverse they are baseline ÷ variant, where the rule warns of the baseline.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from notebook.base.text import close_matches
from notebook.data.results import Result
from notebook.decide import judging, outcomes
from notebook.decide.claims import Claim, load_right
from notebook.decide.judging import INCONCLUSIVE
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import COUNTED, MEASURED, PREDICTED, PUBLISHED, Verdict

SHARE, INVERSE = "share", "inverse"
_ROW = re.compile(
    r"(?P<chapter>\d\d) (?P<claim>\w+)(:(?P<form>share|inverse))?: (?P<label>[^|]+?)"
    r"(\s*\|\s*(?P<fact>[^|:]+): (?P<claims>[\w, ]+))?"
)
# A higher one of these is a shorter time.
_RATES = ("bytes_per_second", "flops_per_second", "memcpy_ratio", "cublas_ratio")
_ORDER = (MEASURED, PUBLISHED, PREDICTED, COUNTED)
# Verdicts in the words of the front page.
SHORT = {
    judging.REPRODUCED: "yes",
    judging.STRONGER: "yes, and more",
    judging.WEAKER: "partly",
    judging.NO_EFFECT: "no",
    judging.OPPOSITE: "opposite",
    judging.HOLDS: "yes",
    judging.DOES_NOT_HOLD: "no",
    judging.INCONCLUSIVE: "open",
}
# How levels of the memory are named, in this order.
LEVELS = ("dram", "l2", "l1")


@dataclass(frozen=True)
class Rule:
    """One row. `fact` is what `fact_claims` count, "" without one."""

    topic: str
    chapter: str
    claim: str
    label: str
    form: str = ""
    fact: str = ""
    fact_claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """What holds in some of the regimes that are decided: where the data lie (`level`), or else at how many
    (`sizes`) of how many (`of`); 0 of 0 is everywhere. `word` is a verdict."""

    word: str
    numbers: tuple[float, ...]
    level: str = ""
    sizes: int = 0
    of: int = 0

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.word, self.level, self.sizes, self.of


@dataclass(frozen=True)
class Group:
    """Devices with the same kind of evidence that say the same of a rule."""

    evidence: str
    devices: tuple[Result, ...]
    parts: tuple[Part, ...]


def parse(rows: Iterable[str]) -> list[Rule]:
    """Raises ValueError."""
    topic = ""
    rules = []
    for row in rows:
        if row.startswith("# "):
            topic = row.removeprefix("# ").strip()
            continue
        found = _ROW.fullmatch(row)
        if not found:
            raise ValueError(f"expected '02 claim_id: rule | fact: claim_id', found {row!r}")
        claims = (word.strip() for word in (found["claims"] or "").split(","))
        rules.append(
            Rule(
                topic,
                found["chapter"],
                found["claim"],
                found["label"],
                found["form"] or "",
                found["fact"] or "",
                tuple(filter(None, claims)),
            )
        )
    return rules


def claim_of(decided: ChapterVerdicts, identifier: str) -> Claim:
    """The claim of this id, if it is right; raises ValueError."""
    known = {claim.id: claim for claim in load_right(decided.chapter).right}
    if identifier not in known:
        raise ValueError(f"unknown claim {identifier}; {close_matches(identifier, known)}")
    return known[identifier]


def printed(rule: Rule, parts: Sequence[Part]) -> str:
    """The numbers of some parts, smallest to largest: `1.01–1.02×`."""
    numbers = [number for part in parts for number in part.numbers]
    return outcomes.shares(numbers) if rule.form == SHARE else outcomes.ratios(numbers)


def groups(decided: ChapterVerdicts, rule: Rule) -> list[Group]:
    """What the devices say that decide the rule, oldest first; the claim is known."""
    claim = claim_of(decided, rule.claim)
    by_key: dict[object, Group] = {}
    for result in decided.results:
        own = [
            verdict
            for verdict in decided.by_claim.get(claim.id, [])
            if verdict.device == result.device and verdict.finding.ratio is not None
        ]
        parts = _parts(claim, rule, own)
        if not parts or {part.word for part in parts} == {INCONCLUSIVE}:
            continue
        evidence = own[0].finding.evidence
        key = (evidence, result.generation, *(part.key for part in parts))
        by_key[key] = _joined(by_key.get(key), Group(evidence, (result,), parts))
    return list(by_key.values())


def alike(some: Iterable[Group]) -> list[Group]:
    """Groups of several generations that say the same together; what was measured first, predictions last."""
    by_key: dict[object, Group] = {}
    for group in some:
        key = (group.evidence, *(part.key for part in group.parts))
        by_key[key] = _joined(by_key.get(key), group)
    return sorted(by_key.values(), key=lambda group: _ORDER.index(group.evidence))


def _joined(one: Group | None, other: Group) -> Group:
    if one is None:
        return other
    pairs = zip(one.parts, other.parts, strict=True)
    parts = tuple(Part(a.word, (*a.numbers, *b.numbers), a.level, a.sizes, a.of) for a, b in pairs)
    return Group(one.evidence, (*one.devices, *other.devices), parts)


def _parts(claim: Claim, rule: Rule, verdicts: Sequence[Verdict]) -> tuple[Part, ...]:
    """One part where all agree; one for each level where levels do; else one for each word, the most frequent first."""
    words = [verdict.finding.verdict for verdict in verdicts]

    def numbers(some: Iterable[Verdict]) -> tuple[float, ...]:
        return tuple(_as_long(claim, rule, verdict.finding.ratio or 0.0) for verdict in some)

    if len(set(words)) <= 1:
        return tuple(Part(word, numbers(verdicts)) for word in dict.fromkeys(words))
    by_level: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_level.setdefault(level_of(verdict), []).append(verdict)
    alike = all(len({one.finding.verdict for one in some}) == 1 for some in by_level.values())
    if alike and "" not in by_level:
        return tuple(
            Part(by_level[level][0].finding.verdict, numbers(by_level[level]), level)
            for level in LEVELS
            if level in by_level
        )
    return tuple(
        Part(word, numbers(some), "", len(some), len(words))
        for word in sorted(set(words), key=lambda word: (-words.count(word), words.index(word)))
        for some in [[verdict for verdict in verdicts if verdict.finding.verdict == word]]
    )


def level_of(verdict: Verdict) -> str:
    """Where the data of a launch lie: dram, l2, l1, or "" where that is not known."""
    level = verdict.label.partition(" ")[0]
    return level if level in LEVELS else ""


def _as_long(claim: Claim, rule: Rule, value: float) -> float:
    if rule.form == SHARE or not value:
        return value
    is_turned = (claim.metric in _RATES) != (rule.form == INVERSE)
    return 1 / value if is_turned else value
