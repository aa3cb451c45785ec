"""What was checked and decided before is not found out again, and never outlives what it is about."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
import synthetic
from conftest import Tree

from notebook.data import cache as kept
from notebook.data import schema
from notebook.decide import findings, tables
from notebook.decide.verdicts import Verdict

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


def database(tree: Tree) -> Path:
    (path,) = (tree.project.build / "kept").glob("*.sqlite")
    return path


def kept_rows(tree: Tree) -> list[tuple[str, str, bytes]]:
    with closing(sqlite3.connect(database(tree))) as connection:
        return connection.execute("SELECT name, digest, content FROM findings").fetchall()


def replace_contents(tree: Tree, changed: Callable[[bytes], bytes]) -> None:
    rows = [(changed(content), name) for name, _, content in kept_rows(tree)]
    with closing(sqlite3.connect(database(tree))) as connection, connection:
        connection.executemany("UPDATE findings SET content = ? WHERE name = ?", rows)


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
    "nothing": lambda _: b"null",
    "nested deeply": lambda _: b"[" * 100_000,
    "another verdict": lambda content: content.replace(b"reproduced", b"opposite"),
    "another time": lambda content: content.replace(b'"chapter":"', b'"chapter":"9'),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_was_kept_and_is_damaged_is_found_out_again(
    claimed: Tree, damage: Callable[[bytes], bytes]
) -> None:
    first = decide(claimed)
    assert len(kept_rows(claimed)) == 2
    replace_contents(claimed, damage)
    assert decide(claimed) == first


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:5000],
        lambda _: b"",
        lambda _: b"no database",
        lambda content: content[:100] + b"\xff" * (len(content) - 100),
        lambda content: content.replace(b"findings", b"fundings"),
    ],
    ids=["cut", "emptied", "another file", "overwritten", "another table"],
)
def test_a_damaged_database_is_done_without(
    claimed: Tree, damage: Callable[[bytes], bytes]
) -> None:
    first = decide(claimed)
    kept.close()
    path = database(claimed)
    path.write_bytes(damage(path.read_bytes()))
    assert decide(claimed) == first
    kept.tidy(claimed.project)  # as each command that decides does first
    assert decide(claimed) == first
    assert len(kept_rows(claimed)) == 2


def test_a_folder_that_cannot_be_written_is_done_without(claimed: Tree) -> None:
    first = decide(claimed)
    kept.close()
    database(claimed).unlink()
    database_folder = claimed.project.build / "kept"
    shutil.rmtree(database_folder)
    database_folder.write_text("no folder")
    assert decide(claimed) == first


def test_a_killed_writer_leaves_nothing_halved(claimed: Tree) -> None:
    first = decide(claimed)
    kept.close()
    child = os.fork()
    if child == 0:
        with closing(sqlite3.connect(database(claimed), isolation_level=None)) as connection:
            connection.executescript("PRAGMA journal_mode=PERSIST; PRAGMA cache_spill=1; BEGIN;")
            connection.execute("UPDATE findings SET content = x'00'")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert decide(claimed) == first
    assert len(kept_rows(claimed)) == 2


def test_what_other_code_found_out_is_removed(claimed: Tree) -> None:
    decide(claimed)
    folder = claimed.project.build / "kept"
    other, older = folder / f"{'0' * 16}.sqlite", folder / ("0" * 16)
    other.write_bytes(b"")
    older.mkdir()
    kept.tidy(claimed.project)
    assert not other.exists() and not older.exists()
    assert len(kept_rows(claimed)) == 2


def test_many_files_are_decided_by_several_processes(
    claimed: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = decide(claimed)
    kept.close()
    database(claimed).unlink()
    monkeypatch.setattr(findings, "_FEWEST_FILES", 1)
    findings.prepare(claimed.project, [claimed.chapter])
    assert len(kept_rows(claimed)) == 2
    assert decide(claimed) == first


def test_several_threads_read_it(claimed: Tree) -> None:
    first = decide(claimed)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: decide(claimed), range(4))) == [first] * 4


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
