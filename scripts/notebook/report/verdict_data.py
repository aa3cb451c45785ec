"""The verdicts as the report's tables take them: a row for each claim on each device."""

from collections.abc import Iterable
from typing import Any

from notebook import device_names, outcomes, tables
from notebook.devices import PUBLISHED
from notebook.tables import ChapterVerdicts
from notebook.verdicts import Verdict

FIELDS = (
    *("chapter", "claim", "source", "printed", "device", "generation"),
    *("evidence", "verdict", "value", "why"),
)


def compact(found: list[dict[str, str]]) -> dict[str, Any]:
    """Rows as numbers of texts, each of which is written once: reasons and claims repeat."""
    numbers: dict[str, int] = {}
    lines = [[numbers.setdefault(row[field], len(numbers)) for field in FIELDS] for row in found]
    return {"fields": FIELDS, "texts": list(numbers), "rows": lines}


def rows(decided: Iterable[ChapterVerdicts]) -> list[dict[str, str]]:
    """Every claim on every device, its regimes together."""
    found = []
    for chapter in decided:
        generations = {each.device: each.generation.capitalize() for each in chapter.results}
        by_pair: dict[tuple[str, str], list[Verdict]] = {}
        for verdict in chapter.verdicts:
            by_pair.setdefault((verdict.claim.id, verdict.device), []).append(verdict)
        for (_, device), of in by_pair.items():
            if of[0].kind == "published" and of[0].finding.ratio is None:
                continue  # others printed a few numbers each; what they lack is no news
            found.append(_row(of, device, generations[device]))
    return found


def _row(of: list[Verdict], device: str, generation: str) -> dict[str, str]:
    claim = of[0].claim
    decided = [each for each in of if each.finding.ratio is not None]
    words = outcomes.words_of(of)[0] if decided else of[0].finding.verdict
    reasons = (text for each in of for text in (each.finding.reason, each.because) if text)
    return {
        "chapter": of[0].chapter,
        "claim": claim.statement,
        "source": tables.said_by(claim),
        "printed": outcomes.printed(claim),
        "device": device,
        "generation": generation or device_names.short(device.removeprefix(PUBLISHED)),
        "evidence": decided[0].finding.evidence if decided else "none",
        "verdict": words,
        "value": outcomes.value_of(claim, of),
        "why": "; ".join(dict.fromkeys(reasons)) or claim.why,
    }
