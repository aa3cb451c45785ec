"""What was checked and decided before is not found out again, and never outlives what it is about."""

from pathlib import Path

import pytest
import synthetic
from conftest import Tree

from notebook import findings, kept, schema, tables
from notebook.verdicts import Verdict

CLAIM = """
[[claim]]
id = "eleven_is_slower"
statement = "Offset 11 is slower."
source = "ours"
source_device = "none"
metric = "time"
variant = "read_offset/offset:11/block:512"
baseline = "read_offset/offset:0/block:512"
direction = "slower"
why = "More sectors."
"""


def save(tree: Tree, ratio: float) -> None:
    rows = [
        row
        for offset in range(12)
        for row in synthetic.timed(
            f"read_offset/offset:{offset}/block:512/n:1024/cache:cold",
            10 * (ratio if offset == 11 else 1.0),
        )
    ]
    synthetic.save(tree.data, synthetic.document(rows))


def decide(tree: Tree) -> list[Verdict]:
    return tables.decide_chapter(tree.project, tree.chapter).verdicts


@pytest.fixture
def claimed(tree: Tree) -> Tree:
    (tree.chapter.directory / "claims.toml").write_text(CLAIM)
    save(tree, 1.5)
    return tree


def test_the_second_time_nothing_is_checked_or_decided(
    claimed: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = decide(claimed)
    assert [each.finding.verdict for each in first] == ["reproduced"]
    monkeypatch.setattr(schema, "parse", None)  # a call would fail
    assert decide(claimed) == first


def test_other_data_and_other_claims_are_decided_anew(claimed: Tree) -> None:
    decide(claimed)
    save(claimed, 1.0)
    assert decide(claimed)[0].finding.verdict == "no effect"
    path = claimed.chapter.directory / "claims.toml"
    path.write_text(CLAIM.replace('"slower"', '"faster"'))
    save(claimed, 1.5)
    assert decide(claimed)[0].finding.verdict == "opposite"


def test_what_was_kept_and_is_damaged_is_found_out_again(claimed: Tree) -> None:
    first = decide(claimed)
    written = list((claimed.project.build / "kept").glob("*/*.json"))
    assert len(written) == 2
    for path in written:
        path.write_bytes(b"{")
    assert decide(claimed) == first


def test_what_other_code_found_out_is_removed(claimed: Tree) -> None:
    decide(claimed)
    other = claimed.project.build / "kept" / ("0" * 16)
    other.mkdir()
    kept.tidy(claimed.project)
    assert not other.exists()
    assert len(list((claimed.project.build / "kept").glob("*/*.json"))) == 2


def test_many_files_are_decided_by_several_processes(
    claimed: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = decide(claimed)
    for path in (claimed.project.build / "kept").glob("*/*.json"):
        path.unlink()
    monkeypatch.setattr(findings, "_FEWEST_FILES", 1)
    findings.prepare(claimed.project, [claimed.chapter])
    assert len(list((claimed.project.build / "kept").glob("*/*.json"))) == 2
    assert decide(claimed) == first


def test_a_damaged_file_is_named_by_its_reader_alone(
    claimed: Tree, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = Path(claimed.data / "nvidia-h200" / f"{claimed.chapter.name}.json")
    path.write_text("{")
    monkeypatch.setattr(findings, "_FEWEST_FILES", 1)
    findings.prepare(claimed.project, [claimed.chapter])
    assert capfd.readouterr().err == ""
    assert decide(claimed) == []
    assert capfd.readouterr().err.count("lab: error:") == 1
