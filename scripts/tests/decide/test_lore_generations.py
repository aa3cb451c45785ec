"""The folded table of the front page: on which generations lore holds."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from notebook.decide import lore_generations
from notebook.decide.claims import Claim
from notebook.decide.tables import ChapterVerdicts

ROOT = Path(__file__).resolve().parents[3]
LORE = re.compile(r"^\| ([^|]+) \| \*\*([^*]+)\*\*[^|]*\|[^|]*\| \[\d\d\]", re.MULTILINE)
COLUMN = {
    "Yes.": "holds",
    "Yes, and more.": "holds",
    "Partly.": "partly",
    "It depends.": "partly",
    "Hardly ever.": "partly",
    "No.": "not",
    "No, the opposite.": "not",
}


def row(
    words: lore_generations.Words = lore_generations.ENGLISH, **verdicts: tuple[str, ...]
) -> list[str]:
    """Of an emulated GPU for each of these generations, and a GPU, `gpu`, of the last one."""
    emulated = [name for name in verdicts if name != "gpu"]
    devices = [f"emulated-{name}" for name in emulated] + ["nvidia-x"] * ("gpu" in verdicts)
    decided = SimpleNamespace(
        results=[
            SimpleNamespace(
                device=device,
                kind="gpu" if device == "nvidia-x" else "emulated",
                generation=device.removeprefix("emulated-")
                if device != "nvidia-x"
                else emulated[-1],
            )
            for device in devices
        ],
        by_claim={
            "claim": [
                SimpleNamespace(device=device, finding=SimpleNamespace(verdict=verdict))
                for device, of_device in zip(devices, verdicts.values(), strict=True)
                for verdict in of_device
            ]
        },
    )
    claim = cast(Claim, SimpleNamespace(id="claim"))
    return lore_generations.row(cast(ChapterVerdicts, decided), claim, "lore", words)


@pytest.mark.parametrize(
    ("verdicts", "cells"),
    [
        (("reproduced", "stronger"), ["Fermi", "–", "–", "–"]),
        (("weaker",), ["–", "Fermi", "–", "–"]),
        (("reproduced", "no effect"), ["–", "Fermi", "–", "–"]),
        (("weaker", "opposite"), ["–", "–", "Fermi", "–"]),
        (("no effect", "too close to predict"), ["–", "–", "Fermi", "–"]),
        (("too close to predict",), ["–", "–", "–", "Fermi"]),
        (("needs a GPU",), ["–", "–", "–", "Fermi"]),
        (("does not apply",), ["–", "–", "–", "–"]),
    ],
)
def test_a_generation_stands_where_its_verdicts_put_it(
    verdicts: tuple[str, ...], cells: list[str]
) -> None:
    assert row(fermi=verdicts) == ["lore", *cells]


def test_what_was_measured_counts_more_than_what_is_predicted() -> None:
    found = row(fermi=("reproduced",), hopper=("reproduced",), gpu=("no effect",))
    assert found == ["lore", "Fermi", "–", "Hopper", "–"]


def test_generations_that_agree_are_named_together() -> None:
    names = ("fermi", "kepler", "maxwell")
    found = row(**dict.fromkeys(names, ("holds",)))
    assert found[1] == "all 3 generations"


def test_without_emulated_gpus_no_generation_is_named() -> None:
    assert row(lore_generations.CHINESE) == ["lore", "–", "–", "–", "–"]


ALL_OF_THEM = ("fermi", "kepler", "maxwell")


@pytest.mark.parametrize("answer", ["holds", "weaker", "no effect", "needs a GPU"])
def test_all_generations_have_a_word_of_their_own_where_it_is_not_english(answer: str) -> None:
    """In whichever column they stand together; some of them, or one alone, are named."""
    found = row(lore_generations.CHINESE, **dict.fromkeys(ALL_OF_THEM, (answer,)))
    assert sorted(found[1:]) == sorted(["各代", "–", "–", "–"])
    other = "holds" if answer != "holds" else "opposite"
    two = row(lore_generations.CHINESE, fermi=(answer,), kepler=(answer,), maxwell=(other,))
    assert "各代" not in two
    assert row(lore_generations.CHINESE, fermi=(answer,))[1:].count("各代") == 1


def test_in_english_all_are_counted_and_one_is_named() -> None:
    assert "Fermi" in row(fermi=("holds",))[1]
    assert row(**dict.fromkeys(ALL_OF_THEM, ("opposite",)))[3] == "all 3 generations"


def _has_hopper(cell: str) -> bool:
    """Ranges go to Ada or Blackwell, the generation before Hopper and the one behind it."""
    return "Hopper" in cell or cell.endswith("generations") or "–Blackwell" in cell


def test_the_measured_generation_stands_where_the_measured_verdict_says() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    folded = text.partition("<!-- lab:generations -->")[2].partition("<!-- lab:end -->")[0]
    cells: dict[str, list[Any]] = {}
    for line in folded.split("\n"):
        if line.startswith("| ") and "---" not in line:
            lore, *rest = (cell.strip() for cell in line.strip("|").split(" | "))
            cells[lore] = rest
    table = LORE.findall(text)
    assert len(table) >= 20
    for lore, word in table:
        places = [
            name
            for name, cell in zip(
                ("holds", "partly", "not", "open"), cells[lore.strip()], strict=True
            )
            if _has_hopper(cell)
        ]
        assert places == [COLUMN[word]], lore
