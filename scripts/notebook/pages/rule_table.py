"""Tables of rules: the front page's, with what the newest GPUs and the others say, and that of chapters/README.md, by
generation.

`decide/rules.py` says how a page lists its rules.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from notebook.base.text import markdown_cell
from notebook.charts.look import GENERATIONS
from notebook.data import device_names
from notebook.data.results import Result
from notebook.decide import answers, judging, outcomes, rules
from notebook.decide.judging import DOES_NOT_APPLY
from notebook.decide.outcomes import Outcome
from notebook.decide.rules import Group, Part, Rule
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import MEASURED, PREDICTED, PUBLISHED

_NOTHING = "–"
_RARELY = 0.25
# GPUs of the newest generation that share the first column of the front page; names in a cell; cells of others.
MAX_NEWEST = 2
_MAX_NAMES, _MAX_OTHERS = 2, 2


@dataclass(frozen=True)
class Words:
    """The words of the tables in one language."""

    rule: str
    both: str  # between the names of two GPUs
    others: str
    see: str
    code: str
    short: dict[str, str]
    at_sizes: str
    at: str
    gpus: str
    kinds: dict[str, str]
    counted: str
    needs_gpu: str
    brackets: str
    separators: tuple[str, str]  # between parts, between groups

    @property
    def open(self) -> str:
        return self.short[judging.INCONCLUSIVE]


_SHORT_IN_CHINESE = {
    judging.REPRODUCED: "成立",
    judging.STRONGER: "成立且更强",
    judging.WEAKER: "部分成立",
    judging.NO_EFFECT: "不成立",
    judging.OPPOSITE: "恰恰相反",
    judging.HOLDS: "成立",
    judging.DOES_NOT_HOLD: "不成立",
    judging.INCONCLUSIVE: "未定",
}
ENGLISH = Words(
    *("rule", " and ", "other GPUs", "see", "code"),
    rules.SHORT,
    *("at {} of {} sizes", "at {}", "{} GPUs of {}"),
    {PUBLISHED: "published: ", PREDICTED: "predicted: "},
    *("counted: ", "needs a GPU", " ({})"),
    (", ", "; "),
)
CHINESE = Words(
    *("经验之谈", " 和 ", "其他 GPU", "章", "代码"),
    _SHORT_IN_CHINESE,
    *("：{}/{} 个规模", "：{} 个", "{} 块 GPU（{}）"),
    {PUBLISHED: "已发表：", PREDICTED: "预测："},
    *("统计：", "需要 GPU", "（{}）"),
    ("，", "；"),
)


def newest(decided: Iterable[ChapterVerdicts]) -> list[str]:
    """The GPUs of the newest measured generation with results of the most chapters, at most two."""
    measured = [one for chapter in decided for one in chapter.results if one.kind == "gpu"]
    if not measured:
        return []
    generation = max(measured, key=lambda one: one.age).generation
    here = [one.device for one in measured if one.generation == generation]
    return sorted(dict.fromkeys(here), key=lambda device: (-here.count(device), device))[
        :MAX_NEWEST
    ]


def header(gpus: Sequence[str], words: Words) -> list[str]:
    named = words.both.join(map(device_names.short, gpus)) or "GPU"
    return [words.rule, named, words.others, words.see]


def row(
    decided: ChapterVerdicts, rule: Rule, gpus: Sequence[str], link: str, words: Words
) -> list[str]:
    """Of the front page; raises ValueError."""
    every = rules.groups(decided, rule)
    cells = (
        rule.label,
        _of_newest(rule, every, gpus, words),
        _of_others(decided, rule, every, gpus, words),
    )
    return [*map(markdown_cell, cells), link]


def _of_newest(rule: Rule, every: list[Group], gpus: Sequence[str], words: Words) -> str:
    own = [group for group in every if group.evidence == MEASURED and _has(group, gpus)]
    if not own:
        return words.needs_gpu
    if len(own) == 1 and len(own[0].devices) >= len(gpus):
        return _said(rule, own[0], words, bold=True)
    own.sort(key=lambda group: min(gpus.index(device) for device in gpus if _has(group, [device])))
    texts = (f"{_names(group)} {_said(rule, group, words, bold=True)}" for group in own)
    return words.separators[1].join(texts)


def _has(group: Group, gpus: Sequence[str]) -> bool:
    """Whether one of these is in it; groups are of one generation, those of many GPUs are all of it."""
    return any(result.device in gpus for result in group.devices)


def _of_others(
    decided: ChapterVerdicts, rule: Rule, every: list[Group], gpus: Sequence[str], words: Words
) -> str:
    """Measured and published, then generations that are known by prediction alone; without any, what is counted."""
    known = {_generation(group.devices[0]) for group in every if group.evidence != PREDICTED}
    others = rules.alike(
        group
        for group in every
        if not (group.evidence == MEASURED and _has(group, gpus))
        if group.evidence != PREDICTED or _generation(group.devices[0]) not in known
    )
    texts = []
    for evidence, of_evidence in groupby(others[:_MAX_OTHERS], key=lambda group: group.evidence):
        said = (f"{_names(group, words)} {_said(rule, group, words)}" for group in of_evidence)
        texts.append(words.kinds.get(evidence, "") + words.separators[0].join(said))
    return words.separators[1].join(texts or _counted(decided, rule, words)) or words.open


def _counted(decided: ChapterVerdicts, rule: Rule, words: Words) -> list[str]:
    """`counted: load efficiency 50 % (Fermi), 80 % (Kepler–Blackwell)`; of all alike the value alone."""
    by_value = _facts(decided, rule)
    if not by_value:
        return []
    if len(by_value) == 1:
        return [f"{words.counted}{rule.fact} {next(iter(by_value))}"]
    every = [device for devices in by_value.values() for device in devices]
    every.sort(key=lambda device: GENERATIONS.index(device.removeprefix(device_names.EMULATED)))
    found = [
        value + words.brackets.format(device_names.together(devices, every))
        for value, devices in by_value.items()
    ]
    return [f"{words.counted}{rule.fact} {words.separators[0].join(found)}"]


def _facts(decided: ChapterVerdicts, rule: Rule) -> dict[str, list[str]]:
    """By value, the emulated GPUs that have counted it."""
    by_value: dict[str, list[str]] = {}
    for result in decided.results:
        if result.is_emulated and (value := _fact(decided, rule, result)):
            by_value.setdefault(value, []).append(result.device)
    return by_value


def _fact(decided: ChapterVerdicts, rule: Rule, result: Result) -> str:
    """The value of the first of the fact's claims that an emulated GPU has counted."""
    for identifier in rule.fact_claims:
        claim = rules.claim_of(decided, identifier)
        own = [one for one in decided.by_claim.get(identifier, []) if one.device == result.device]
        if claim.is_counted and (value := outcomes.value_of(claim, own)):
            return value
    return ""


def _said(rule: Rule, group: Group, words: Words, *, bold: bool = False) -> str:
    """`no (1.01–1.02×)`, `DRAM no (1.01×), L2 yes (1.07×)`, `no (1.00×) at 3 of 4 sizes, yes (1.05×) at 1`."""
    decided = [part for part in group.parts if part.word != judging.INCONCLUSIVE]
    return words.separators[0].join(
        _part(rule, part, words, bold, is_first=part == decided[0]) for part in decided
    )


def _part(rule: Rule, part: Part, words: Words, bold: bool, is_first: bool) -> str:
    word = words.short[part.word]
    said = f"**{word}**" if bold else word
    said += words.brackets.format(rules.printed(rule, [part]))
    at_sizes = words.at_sizes if is_first else words.at
    sizes = at_sizes.format(part.sizes, part.of) if part.sizes else ""
    return " ".join(filter(None, (part.level.upper(), said, sizes)))


def _names(group: Group, words: Words = ENGLISH) -> str:
    """`H200`, `RTX 3080, GTX 1650`, `5 GPUs of 2019–2023`, `Fermi–Volta`."""
    devices = [result.device for result in group.devices]
    if group.evidence == PREDICTED:
        every = [f"{device_names.EMULATED}{name}" for name in GENERATIONS]
        return device_names.together([one for one in every if one in devices], every)
    if len(devices) > _MAX_NAMES:
        years = [result.year for result in group.devices]
        return words.gpus.format(
            len(devices), "–".join(dict.fromkeys(map(str, (min(years), max(years)))))
        )
    return ", ".join(device_names.short(device).removeprefix("GeForce ") for device in devices)


def _generation(result: Result) -> str:
    return (
        result.device.removeprefix(device_names.EMULATED)
        if result.is_emulated
        else result.generation
    )


def effects_header(decided: Iterable[ChapterVerdicts]) -> list[str]:
    """The rule and the generations, each with the year of its emulated GPU."""
    years = {
        _generation(result): result.year
        for chapter in decided
        for result in chapter.results
        if result.is_emulated
    }
    return [
        "rule",
        *(f"{name.capitalize()} {years.get(name, '')}".rstrip() for name in GENERATIONS),
    ]


def effects_row(decided: ChapterVerdicts, rule: Rule, link: str) -> list[str]:
    """What each generation's GPUs say: measured in bold, published with its GPU, predicted in italics."""
    every = rules.groups(decided, rule)
    facts = _facts(decided, rule)
    of_all = f"<br>{rule.fact} {next(iter(facts))}" if len(facts) == 1 else ""
    cells = (_by_generation(decided, rule, every, name, bool(of_all)) for name in GENERATIONS)
    return [f"{markdown_cell(rule.label)} {link}{of_all}", *cells]


def _by_generation(
    decided: ChapterVerdicts, rule: Rule, every: list[Group], generation: str, is_fact_of_all: bool
) -> str:
    here = [group for group in every if _generation(group.devices[0]) == generation]
    if known := [group for group in here if group.evidence != PREDICTED]:
        here = known
    lines = []
    for group in here:
        text = markdown_cell(_said(rule, group, ENGLISH))
        if group.evidence == PREDICTED:
            lines.append(f"*{text}*")
        else:
            mark = "**" if group.evidence == MEASURED else ""
            lines.append(f"{mark}{text}{mark} {markdown_cell(_names(group))}")
    emulated = [
        one for one in decided.results if one.is_emulated and _generation(one) == generation
    ]
    values = [] if is_fact_of_all else [_fact(decided, rule, one) for one in emulated]
    facts = [f"{rule.fact} {value}" for value in values if value]
    if not lines and (not emulated or any(_applies(decided, rule, one) for one in emulated)):
        lines = [ENGLISH.open]
    return "<br>".join([*lines, *map(markdown_cell, facts)]) or _NOTHING


def _applies(decided: ChapterVerdicts, rule: Rule, result: Result) -> bool:
    own = (one for one in decided.by_claim.get(rule.claim, []) if one.device == result.device)
    return any(one.finding.verdict != DOES_NOT_APPLY for one in own)


def verdict_word(decided: ChapterVerdicts, claim: str) -> str:
    """The word of a chapter's page for a claim on the newest GPU, `No`; raises ValueError and answers.Unanswered."""
    measured = [
        one
        for one in outcomes.of_devices(decided, rules.claim_of(decided, claim))
        if one.is_measured
    ]
    if not measured:
        raise answers.Unanswered(f"needs a GPU ({claim})")
    return _of_sizes(measured[-1]).capitalize()


def _of_sizes(outcome: Outcome) -> str:
    """Where sizes differ, by the share of them that confirms the claim."""
    if len(outcome.words) == 1:
        word = ENGLISH.short[outcome.words[0]]
        return f"no, the {word}" if outcome.words[0] == judging.OPPOSITE else word
    if not outcome.confirmed:
        return ENGLISH.short[judging.NO_EFFECT]
    return "hardly ever" if outcome.confirmed < _RARELY else "it depends"
