"""The verdicts as the report's tables take them: a row for each claim on each device."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from notebook.data import device_names
from notebook.decide import outcomes, tables
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import Verdict

FIELDS = (
    *("chapter", "claim", "source", "printed", "device", "generation"),
    *("evidence", "verdict", "value", "why"),
)


def compact(rows: list[dict[str, str]]) -> dict[str, Any]:
    """Rows as numbers of texts. Each text is written once: reasons and claims repeat."""
    numbers: dict[str, int] = {}
    lines = [[numbers.setdefault(row[field], len(numbers)) for field in FIELDS] for row in rows]
    return {"fields": FIELDS, "texts": list(numbers), "rows": lines}


def best_known(rows: list[dict[str, str]], devices: list[str]) -> list[str]:
    """Two devices to begin with: GPUs before emulated ones, those with most verdicts that rest on evidence first."""
    known = Counter(row["device"] for row in rows if row["evidence"] != "none")
    with_data = [device for device in devices if known[device]] or devices
    return sorted(with_data, key=lambda device: (device.startswith("emulated-"), -known[device]))[
        :2
    ]


def rows(decided: Iterable[ChapterVerdicts]) -> list[dict[str, str]]:
    """Every claim on every device, its regimes together."""
    table = []
    for chapter in decided:
        generations = {result.device: result.generation.capitalize() for result in chapter.results}
        by_pair: dict[tuple[str, str], list[Verdict]] = {}
        for verdict in chapter.verdicts:
            by_pair.setdefault((verdict.claim.id, verdict.device), []).append(verdict)
        for (_, device), verdicts in by_pair.items():
            if verdicts[0].kind == "published" and verdicts[0].finding.ratio is None:
                continue  # others printed a few numbers each; what they lack is no news
            table.append(_row(verdicts, device, generations[device]))
    return table


def _row(verdicts: list[Verdict], device: str, generation: str) -> dict[str, str]:
    claim = verdicts[0].claim
    decided = [verdict for verdict in verdicts if verdict.finding.ratio is not None]
    words = outcomes.words_of(verdicts)[0] if decided else verdicts[0].finding.verdict
    reasons = (
        text for verdict in verdicts for text in (verdict.finding.reason, verdict.because) if text
    )
    return {
        "chapter": verdicts[0].chapter,
        "claim": claim.statement,
        "source": tables.said_by(claim),
        "printed": outcomes.printed(claim),
        "device": device,
        "generation": generation or device_names.short(device),
        "evidence": decided[0].finding.evidence if decided else "none",
        "verdict": words,
        "value": outcomes.value_of(claim, verdicts),
        "why": "; ".join(dict.fromkeys(reasons)) or claim.why,
    }
