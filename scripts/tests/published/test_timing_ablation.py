"""What leaving mechanisms of the time model out is worth: which are left out, and of which rows."""

import re

import pytest

import timing_ablation
from notebook.base.project import Project
from notebook.timing.errors import errors_of
from timing_ablation import NOTHING, Mechanism

ROOT = Project.here().root
KNOWN = timing_ablation.mechanisms(ROOT)


def test_the_mechanisms_are_those_of_the_sources() -> None:
    """At most 20, as the model's page says, and each is described there."""
    source = (ROOT / timing_ablation.SOURCE).read_text(encoding="utf-8")
    assert len(KNOWN) == source.count("[](Machine& m)") <= 20
    page = (ROOT / timing_ablation.PAGE).read_text(encoding="utf-8")
    page = page.partition("\n## Errors without each")[0]
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == [each.name for each in KNOWN]


def test_each_mechanism_and_each_group_is_left_out() -> None:
    known = [Mechanism("rows", "dram"), Mechanism("turns", "dram"), Mechanism("ends", "launch")]
    assert timing_ablation.variants(known) == {
        NOTHING: "",
        "**all of dram**": "rows,turns",
        "rows": "rows",
        "turns": "turns",
        "ends": "ends",
    }


def test_the_same_rows_are_taken_whatever_the_others_are() -> None:
    names = [f"row/n:{n}" for n in range(100)]
    few = timing_ablation.chosen(names, 10)
    assert len(set(few)) == 10 and few == timing_ablation.chosen(reversed(names), 10)
    # From a part of the names, those that were taken before are taken again.
    assert [name for name in few if name in names[:50]] == [
        name for name in timing_ablation.chosen(names[:50], 10) if name in few
    ]


def test_a_line_has_the_statistics_of_each_set() -> None:
    found = {"H200": errors_of([[(1.1, 1.0), (2.0, 2.0)]]), "printed": errors_of([[(1.5, 1.0)]])}
    lines = timing_ablation.tables({NOTHING: found})
    assert lines[0].count("|") == lines[1].count("|") == lines[2].count("|") == 12
    assert lines[2].startswith("| nothing | 5.0 | 5.0 | 9.0 | 100.0 | 1.000 | 50.0 | ")


@pytest.mark.parametrize("name", ["no_such", "dram_rows,no_such"])
def test_another_mechanism_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["timing_ablation.py", name])
    with pytest.raises(SystemExit):
        timing_ablation.main()
    assert "no mechanism no_such; valid: block_launch_rate, " in capsys.readouterr().err
