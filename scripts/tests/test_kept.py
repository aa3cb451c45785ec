"""What was checked and decided before is not found out again, and never outlives what it is about."""

from collections.abc import Callable
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


def kept_files(tree: Tree) -> list[Path]:
    return list((tree.project.build / "kept").glob("*/*.*"))


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
    assert [entry.finding.verdict for entry in first] == ["reproduced"]
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


# Not JSON, nothing, JSON of another shape, and JSON of the right shape that says something else.
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "emptied": lambda _: b"",
    "not text": lambda _: b"\xff\n\xff",
    "not JSON": lambda _: b"{",
    "an object without fields": lambda _: b"{}",
    "a list": lambda _: b"[]",
    "another verdict": lambda content: content.replace(b"reproduced", b"opposite"),
    "another time": lambda content: content.replace(b'"chapter":"', b'"chapter":"9'),
    "another shape": lambda content: content.split(b"\n")[0] + b'\n{"context":[]}',
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_was_kept_and_is_damaged_is_found_out_again(
    claimed: Tree, damage: Callable[[bytes], bytes]
) -> None:
    first = decide(claimed)
    written = kept_files(claimed)
    assert len(written) == 2
    for path in written:
        path.write_bytes(damage(path.read_bytes()))
    assert decide(claimed) == first


def test_what_other_code_found_out_is_removed(claimed: Tree) -> None:
    decide(claimed)
    other = claimed.project.build / "kept" / ("0" * 16)
    other.mkdir()
    kept.tidy(claimed.project)
    assert not other.exists()
    assert len(kept_files(claimed)) == 2


def test_many_files_are_decided_by_several_processes(
    claimed: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = decide(claimed)
    for path in kept_files(claimed):
        path.unlink()
    monkeypatch.setattr(findings, "_FEWEST_FILES", 1)
    findings.prepare(claimed.project, [claimed.chapter])
    assert len(kept_files(claimed)) == 2
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
