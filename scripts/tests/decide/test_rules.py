"""Rules of books on GPUs: what a row of the front page and of chapters/README.md says, from verdicts made by hand."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from notebook.decide import rules
from notebook.decide.tables import ChapterVerdicts
from notebook.pages import rule_table

RULE = rules.Rule("", "02", "claim", "Offset 11 is slow")
# Device, kind, generation, evidence of its verdicts.
H200 = ("nvidia-h200", "gpu", "hopper", "measured")
H100 = ("nvidia-h100", "gpu", "hopper", "measured")
ORIN = ("published:jetson-orin", "published", "ampere", "published")
FERMI = ("emulated-fermi", "emulated", "fermi", "predicted")
HOPPER = ("emulated-hopper", "emulated", "hopper", "predicted")
Found = tuple[str, float | None, str]  # verdict, ratio, level


def decided(
    monkeypatch: pytest.MonkeyPatch,
    devices: dict[tuple[str, str, str, str], list[Found]],
    metric: str = "time",
) -> ChapterVerdicts:
    claim = SimpleNamespace(id="claim", metric=metric, is_counted=False)
    monkeypatch.setattr(rules, "load_right", lambda _: SimpleNamespace(right=[claim]))
    results, verdicts = [], []
    for (device, kind, generation, evidence), found in devices.items():
        is_emulated = kind == "emulated"
        results.append(
            SimpleNamespace(
                device=device, kind=kind, generation=generation, is_emulated=is_emulated, year=2022,
                age=(2022, 9.0, device),
            )
        )  # fmt: skip
        for word, ratio, level in found:
            finding = SimpleNamespace(verdict=word, ratio=ratio, evidence=evidence if ratio else "")
            verdicts.append(SimpleNamespace(device=device, kind=kind, finding=finding, label=level))
    made: Any = SimpleNamespace(results=results, by_claim={"claim": verdicts}, chapter=None)
    return cast(ChapterVerdicts, made)


@pytest.mark.parametrize(
    ("devices", "newest", "others"),
    [
        # Both say the same: one range.
        (
            {H200: [("no effect", 1.01, "dram")], H100: [("no effect", 1.02, "dram")]},
            "**no** (1.01–1.02×)",
            "open",
        ),
        # One is missing, or differs: each has its name.
        ({H200: [("reproduced", 1.5, "dram")], H100: []}, "H200 **yes** (1.50×)", "open"),
        (
            {H200: [("weaker", 1.1, "dram")], H100: [("reproduced", 1.5, "dram")]},
            "H200 **partly** (1.10×); H100 **yes** (1.50×)",
            "open",
        ),
        # The condition is in the cell: the level of the memory, else at how many sizes.
        (
            {H200: [("no effect", 1.01, "dram"), ("reproduced", 1.07, "l2")], H100: []},
            "H200 DRAM **no** (1.01×), L2 **yes** (1.07×)",
            "open",
        ),
        (
            {
                H200: [
                    ("opposite", 0.9, "dram"),
                    ("no effect", 0.99, "dram"),
                    ("no effect", 1.01, "dram"),
                    ("inconclusive", 1.03, "dram"),
                ],
                H100: [],
            },
            "H200 **no** (0.99–1.01×) at 2 of 4 sizes, **opposite** (0.90×) at 1",
            "open",
        ),
        # Published before predicted; no prediction of a generation that was measured, or that decides nothing.
        (
            {
                FERMI: [("reproduced", 13.5, "")],
                HOPPER: [("reproduced", 7.0, "")],
                ORIN: [("no effect", 1.01, "")],
                H200: [("reproduced", 1.2, "dram")],
                H100: [("reproduced", 1.2, "dram")],
            },
            "**yes** (1.20×)",
            "published: Jetson Orin no (1.01×); predicted: Fermi yes (13.5×)",
        ),
        (
            {FERMI: [("too close to predict", None, "")], H200: [], H100: []},
            "needs a GPU",
            "open",
        ),
    ],
)
def test_a_row_of_the_front_page(
    monkeypatch: pytest.MonkeyPatch,
    devices: dict[tuple[str, str, str, str], list[Found]],
    newest: str,
    others: str,
) -> None:
    made = decided(monkeypatch, devices)
    gpus = ["nvidia-h200", "nvidia-h100"]
    row = rule_table.row(made, RULE, gpus, "[02](x)", rule_table.ENGLISH)
    assert row == ["Offset 11 is slow", newest, others, "[02](x)"]


def test_of_a_rate_the_time_is_the_inverse(monkeypatch: pytest.MonkeyPatch) -> None:
    """1.25 times the rate is 0.8 times as long; with :share a value stays what it is."""
    devices = {H200: [("reproduced", 1.25, "dram")]}
    made = decided(monkeypatch, devices, "bytes_per_second")
    (group,) = rules.groups(made, RULE)
    assert rules.printed(RULE, group.parts) == "0.80×"
    share = rules.Rule("", "16", "claim", "x", form=rules.SHARE)
    made = decided(monkeypatch, {H200: [("does not hold", 0.09, "dram")]}, "flops_per_second")
    (group,) = rules.groups(made, share)
    assert rules.printed(share, group.parts) == "9 %"


def test_a_rule_that_warns_of_the_baseline_has_the_inverse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the time without what the rule warns of: 4 times as long with it."""
    warning = rules.Rule("", "02", "claim", "x", form=rules.INVERSE)
    for metric, ratio in (("time", 0.25), ("bytes_per_second", 4.0)):
        made = decided(monkeypatch, {H200: [("reproduced", ratio, "dram")]}, metric)
        (group,) = rules.groups(made, warning)
        assert rules.printed(warning, group.parts) == "4.00×", metric


def test_a_row_by_generation_tells_evidence_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured in bold, published with its GPU, predicted in italics, open, and a dash."""
    volta = ("emulated-volta", "emulated", "volta", "predicted")
    kepler = ("emulated-kepler", "emulated", "kepler", "predicted")
    devices = {
        FERMI: [("reproduced", 13.5, "")],
        kepler: [("does not apply", None, "")],
        volta: [("too close to predict", None, "")],
        ORIN: [("no effect", 1.01, "")],
        HOPPER: [("reproduced", 7.0, "")],
        H200: [("reproduced", 1.2, "dram")],
    }
    made = decided(monkeypatch, devices)
    header = rule_table.effects_header([made])
    row = dict(zip(header, rule_table.effects_row(made, RULE, "[02](x)"), strict=True))
    assert row["rule"] == "Offset 11 is slow [02](x)"
    assert row["Fermi 2022"] == "*yes (13.5×)*"
    assert row["Kepler 2022"] == "–"
    assert row["Volta 2022"] == "open"
    assert row["Ampere"] == "no (1.01×) Jetson Orin"
    assert row["Hopper 2022"] == "**yes (1.20×)** H200"


def test_rows_are_parsed_by_topic_and_wrong_ones_refused() -> None:
    rows = ["# Alignment", "02 slow: It is slow | efficiency: one, two", "16 low:share: It is low"]
    first, second = rules.parse(rows)
    assert first == rules.Rule(
        "Alignment", "02", "slow", "It is slow", "", "efficiency", ("one", "two")
    )
    assert (second.topic, second.form, second.fact) == ("Alignment", rules.SHARE, "")
    for wrong in ("02 slow", "2 slow: x", "02 slow: ", "02 slow: x | y", "02: x"):
        with pytest.raises(ValueError, match="expected '02 claim_id"):
            rules.parse([wrong])
