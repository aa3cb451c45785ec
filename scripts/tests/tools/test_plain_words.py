"""The wording check finds what it looks for, and the repository has none of it."""

import subprocess
from pathlib import Path

import pytest

from notebook.tools import plain_words

ROOT = Path(__file__).parents[3]
SUFFIXES = (".md", ".py", ".cpp", ".hpp", ".cu", ".cuh", ".toml", ".gp", ".j2", ".js")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("the row is no number", "'is no number'"),
        ("Nobody waits", "'Nobody'"),
        ("printed anew", "'anew'; write: again"),
        ("the message is told", "'told'"),
        ("int most_registers = 1;", "'most_registers'; write: max_…, min_…"),
        ("Counter(words).most_common()", ""),
        ("amend and amended, renewed", ""),
        ("toldo, loosen", ""),
        ("read from from memory", "'from from'"),
        ("there there, in inner", ""),
    ],
)
def test_phrases_are_found_as_whole_words(tmp_path: Path, line: str, expected: str) -> None:
    (tmp_path / "a.md").write_text(f"first\n{line}\n")
    findings = plain_words.findings(tmp_path, ["a.md"])
    assert len(findings) == bool(expected)
    assert all(entry.startswith("a.md:2: ") and expected in entry for entry in findings)


@pytest.mark.parametrize(
    ("name", "line", "count"),
    [
        ("a.cpp", "    // Of a launch: its threads.", 1),
        ("a.py", "# What a launch finds.", 1),
        ("a.hpp", "// That it waits for.", 1),
        ("a.hpp", "// Offsets of a launch. What follows is text.", 0),
        ("a.md", "# What a launch finds", 0),
        ("a.hpp", "// Loads, two of which are on their way.", 1),
        ("common/timing/a.hpp", "// Loads, two of which wait.", 0),
    ],
)
def test_comments_are_sentences(tmp_path: Path, name: str, line: str, count: int) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(f"{line}\n")
    assert len(plain_words.findings(tmp_path, [name])) == count


def test_other_languages_and_data_are_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "README.zh.md").write_text("nobody")
    assert plain_words.findings(tmp_path, ["README.zh.md", "data/none.csv"]) == []


def test_the_repository_is_worded_plainly() -> None:
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.splitlines() if name.endswith(SUFFIXES)]
    assert plain_words.findings(ROOT, [name for name in names if (ROOT / name).is_file()]) == []
