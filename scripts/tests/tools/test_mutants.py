"""The mutants of the nightly mode: each can be planted, and the tool tells a killed one from others."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "scripts/nightly/mutants.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


MUTANTS = tool()


def test_there_are_at_least_60_and_each_can_be_planted() -> None:
    every = MUTANTS.load()
    assert len(every) >= 60
    assert len({(entry.file, entry.old, entry.new) for entry in every}) == len(every)
    for entry in every:
        changed = MUTANTS.mutated((ROOT / entry.file).read_text(encoding="utf-8"), entry)
        assert entry.new in changed


def test_a_text_that_is_gone_or_twice_there_proves_nothing() -> None:
    mutant = MUTANTS.Mutant("a.py", "x", "y", "test_a.py")
    for text in ("z", "x x"):
        with pytest.raises(MUTANTS.Unusable):
            MUTANTS.mutated(text, mutant)


@pytest.mark.parametrize(
    ("test", "noticed"),
    [("assert number() == 1", True), ("assert number() > 0", False)],
)
def test_a_mutant_is_killed_by_a_test_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, test: str, noticed: bool
) -> None:
    monkeypatch.setattr(MUTANTS.Copy, "__init__", lambda self, root: setattr(self, "root", root))
    (tmp_path / "scripts/tests").mkdir(parents=True)
    (tmp_path / "scripts/number.py").write_text("def number():\n    return 1\n")
    (tmp_path / "scripts/tests/test_number.py").write_text(
        f"from number import number\n\ndef test_it():\n    {test}\n"
    )
    copy = MUTANTS.Copy(tmp_path)
    mutant = MUTANTS.Mutant("scripts/number.py", "return 1", "return 2", "test_number.py")
    assert copy.notices(mutant) is noticed
    assert (tmp_path / "scripts/number.py").read_text() == "def number():\n    return 1\n"
    wrong = MUTANTS.Mutant("scripts/number.py", "return 2", "return 3", "test_number.py")
    with pytest.raises(MUTANTS.Unusable):
        copy.notices(wrong)
