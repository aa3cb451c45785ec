"""Data that damage themselves or attack: no traceback, one line each, nothing executed or written.

Hypothesis changes sound documents, tables and archives, and writes its own. What once went wrong, or
nearly did, stays in hostile/ and is tried every time. A nightly run tries fifty times as many.
"""

import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import Tree, make_tree
from frugality import frugal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notebook.archives import contribute
from notebook.base import archive, csv_table
from notebook.base.errors import Malformed, Problem, take_refused
from notebook.data import published, results, schema
from notebook.decide import tables
from notebook.decide.claims import load_right
from notebook.tools import testing

CORPUS = Path(__file__).with_name("hostile")
CASES = 50 if os.environ.get(testing.NIGHTLY) else 1
Json = dict[str, Any]

# Texts that shells, gnuplot, HTML, Markdown, terminals and paths take for more than text.
NASTY = [
    "`touch pwned`", "$(touch pwned)", "<touch pwned", "|touch pwned", "'; system 'touch pwned'; '",
    '"; set output "pwned"', "<script>alert(1)</script>", "](javascript:alert(1))", "| a | b |",
    "../../pwned", "/etc/passwd", "\x1b[2J", "a\x00b", "a\nb", "\u202egnp.exe", "\ud800"[:0] + "ä",
    "%s%n", "{{7*7}}", "a" * 100_000, "", "-rf", "CON", "\N{ZERO WIDTH SPACE}",
]  # fmt: skip
NUMBERS = [
    0, -1, 1, True, None, 5e-324, 1e-310, 1e308, -1e308, 2**63, 10**30, 10**400, 0.1,
    float("inf"), float("-inf"), float("nan"),
]  # fmt: skip
VALUES = st.one_of(
    st.sampled_from([*NASTY, *NUMBERS]),
    st.floats(),
    st.integers(),
    st.text(max_size=20),
    st.lists(st.lists(st.floats(), max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
)
BYTES = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200).map(lambda text: text.encode("utf-16")),
    st.sampled_from([b"\xff", b"\xef\xbb\xbf{}", b"[" * 20_000, b'{"a":' * 20_000, b"\x00" * 100]),
)
PATHS = ["format", "context", "rows"]

many = settings(
    max_examples=350 * CASES,
    deadline=None,
    derandomize=not os.environ.get(testing.NIGHTLY),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    database=None,
)


@pytest.fixture(scope="module")
def hostile_tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    tree = make_tree(tmp_path_factory.mktemp("hostile") / "lab notebook")
    columns = (
        "architecture,gpu,generation,sm_count,dram_bw_gbs,fp32_lanes_per_sm,compute_capability\n"
    )
    (tree.data / "architectures.csv").write_text(f"{columns}hopper,H200,Hopper,132,4800,128,9.0\n")
    return tree


@contextmanager
def bounded(tree: Tree) -> Iterator[None]:
    """Little time and memory, no new file, nothing but refusals."""
    before = {path.name for path in tree.root.rglob("*")}
    with frugal():
        yield
    new = {path.name for path in tree.root.rglob("*")} - before
    assert not {name for name in new if "pwned" in name}
    assert all(message.isprintable() and len(message) < 2000 for message in take_refused())
    testing.count("cases", 1)


def document() -> Json:
    name = "read_offset/offset:11/block:512/n:16777216/cache:cold"
    rows = synthetic.timed(name, 134.2, bytes_per_second=1.5e12, repetitions=2)
    return synthetic.stored(synthetic.document(rows))


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value within a document."""
    inner: list[tuple[Any, ...]] = [path] if path else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        inner += places(item, (*path, key))
    return inner


SOUND = document()
PLACES = places(SOUND)


def changed(path: tuple[Any, ...], value: object, action: str) -> Json:
    """The sound document with one value replaced, removed, repeated or renamed."""
    content = deepcopy(SOUND)
    parent: Any = content
    for key in path[:-1]:
        parent = parent[key]
    if action == "remove":
        del parent[path[-1]]
    elif action == "repeat" and isinstance(parent, list):
        parent.extend([parent[path[-1]]] * 300)
    elif action == "rename" and isinstance(parent, dict):
        parent[str(value)] = parent.pop(path[-1])
    else:
        parent[path[-1]] = value
    return content


def use(tree: Tree, content: bytes) -> None:
    """Everything that reads a data file, and decides by it."""
    path = tree.data / "nvidia-h200" / f"{synthetic.CHAPTER}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    with bounded(tree):
        decided = tables.decide_chapter(tree.project, tree.chapter)
        assert all(map(str.isprintable, tables.terminal_lines(decided)))


@many
@given(st.sampled_from(PLACES), VALUES, st.sampled_from(["replace", "remove", "repeat", "rename"]))
def test_changed_documents(
    hostile_tree: Tree, path: tuple[Any, ...], value: object, action: str
) -> None:
    use(hostile_tree, json.dumps(changed(path, value, action)).encode("utf-8", "replace"))


@many
@given(st.integers(0, len(json.dumps(SOUND))), BYTES)
def test_damaged_bytes(hostile_tree: Tree, place: int, inserted: bytes) -> None:
    text = json.dumps(SOUND).encode()
    use(hostile_tree, text[:place] + inserted)
    use(hostile_tree, text[:place] + inserted + text[place + len(inserted) :])


@many
@given(
    st.lists(st.lists(st.sampled_from(["read/n:1", "1", "", *NASTY[:20]]), max_size=4), max_size=4),
    BYTES,
)
def test_tables(hostile_tree: Tree, cells: list[list[str]], inserted: bytes) -> None:
    lines = [["name", "load_sectors"], *cells]
    text = "\n".join(",".join(line) for line in lines).encode() + inserted
    with bounded(hostile_tree):
        for read in (results.parse_counters, lambda content: csv_table.parse(content, ["name"])):
            try:
                read(text)
            except Malformed as error:
                assert len(str(error)) < 300


@many
@given(
    st.sampled_from(["devices", "table"]),
    st.integers(0, 6),
    st.one_of(st.sampled_from(NASTY), st.floats().map(str), st.text(max_size=10)),
)
def test_published_tables(hostile_tree: Tree, where: str, column: int, value: str) -> None:
    devices = ["device,gpu,generation,year,fetch_unit_bytes,dram_bytes_per_second,source"]
    table = ["device,name,metric,value,level,source,caveat"]
    rows = {
        "devices": ["old", "Old", "Fermi", "2010", "128", "1000", "x"],
        "table": ["old", "read_offset/offset:11/block:512", "time_us", "1", "", "x", ""],
    }
    rows[where][column] = value
    folder = hostile_tree.data / "published"
    folder.mkdir(exist_ok=True)
    for name, lines, key in (("devices", devices, "devices"), (synthetic.CHAPTER, table, "table")):
        text = "\n".join([*lines, ",".join(rows[key])])
        (folder / f"{name}.csv").write_bytes(text.encode("utf-8", "surrogatepass"))
    with bounded(hostile_tree):
        published.load_chapter(hostile_tree.project, hostile_tree.chapter)


@many
@given(BYTES, st.sampled_from(["", "[[claim]]\n", 'answer = "x"\n', "claim = 3\n", "[claim.x]\n"]))
def test_claims(hostile_tree: Tree, inserted: bytes, start: str) -> None:
    path = hostile_tree.root / "claims" / "claims.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(start.encode() + inserted)
    with bounded(hostile_tree):
        load_right(type(hostile_tree.chapter)(path.parent))


@many
@given(
    st.sampled_from(["nvidia-h200", "../x", "nvidia-h200/..", "/tmp", "A", "emulated-fermi"]),
    st.one_of(BYTES, st.just(json.dumps(SOUND).encode())),
    st.integers(0, 400),
)
def test_archives(hostile_tree: Tree, device: str, content: bytes, cut: int) -> None:
    path = hostile_tree.root / "sent.tar.gz"
    packed = archive.pack({f"{device}/{synthetic.CHAPTER}.json": content})
    path.write_bytes(packed if cut > 300 else packed[:cut] if cut > 100 else gzip.compress(content))
    with bounded(hostile_tree):
        try:
            contribute.add(hostile_tree.project, str(path))
        except Problem as problem:
            assert str(problem).isprintable()
        else:
            raise AssertionError("an archive without provenance was added")


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_the_corpus(hostile_tree: Tree, path: Path) -> None:
    content = path.read_bytes()
    use(hostile_tree, content)
    with pytest.raises(Malformed):
        schema.parse(content)


@pytest.mark.parametrize(
    ("processes", "repetitions"), [(5_000, 5), (2, 100_000), (32, 200), (25_000, 1)]
)
def test_a_file_that_claims_too_much_work(
    hostile_tree: Tree, processes: int, repetitions: int
) -> None:
    """225 KB that claimed 5,000 processes once took 80 s and 4.7 GB."""
    content = deepcopy(SOUND)
    content["context"]["processes"] = processes
    content["rows"] = [
        {"name": f"read_offset/offset:{offset}/block:512/n:16777216/cache:cold", "evidence": "measured",
         "time_us": [[1.0] * repetitions] * processes}
        for offset in (0, 11, 12, 13)
    ]  # fmt: skip
    text = json.dumps(content).encode()
    if processes > 32 or repetitions > 200:
        with pytest.raises(Malformed):
            schema.parse(text)
    use(hostile_tree, text)


def test_one_damaged_file_leaves_the_rest(hostile_tree: Tree) -> None:
    use(hostile_tree, b"{")
    rows = synthetic.misaligned_reads_emulated(32, [2**20])
    synthetic.save(hostile_tree.data, synthetic.document(rows, "emulated-hopper"))
    done = hostile_tree.lab("verdicts")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "nvidia-h200" in line]
    assert line.startswith("lab: error:") and "regenerate: scripts/lab run 02 --device gpu" in line
    assert "emulated-hopper" in done.stdout
