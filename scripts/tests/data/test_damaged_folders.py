"""A damaged folder: any file of it may be anything. One line says which file and where; the rest is used.

Each file that a command reads is replaced by pipes, folders, links, other encodings, other shapes; tables lose
columns and get wrong cells. A nightly run also damages files at random places.
"""

import csv
import io
import os
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, repeat
from pathlib import Path

import pytest
import synthetic
from conftest import SCRIPTS, Tree, make_tree
from frugality import frugal

from notebook.base.errors import Problem, take_refused
from notebook.charts import figures
from notebook.data import results
from notebook.data.chapters import all_chapters
from notebook.data.devices import architectures, emulable
from notebook.decide import prediction, tables, transfer
from notebook.pages import pages
from notebook.published import times
from notebook.tools import testing

NIGHTLY = bool(os.environ.get(testing.NIGHTLY))
RANDOM_CASES = 400 if NIGHTLY else 3  # of each file
# A sample of all damages of a file; each file begins at another one.
MAX_CASES = 100_000 if NIGHTLY else 9
RESULTS = f"data/nvidia-h200/{synthetic.CHAPTER}.json"
COUNTERS = f"data/nvidia-h200/counters/{synthetic.CHAPTER}.csv"
PEERS = f"data/nvidia-h200/peers/{synthetic.CHAPTER}.json"
CLAIMS = f"chapters/{synthetic.CHAPTER}/claims.toml"
TABLES = (
    *("data/architectures.csv", "data/gpus.csv", "data/published/devices.csv"),
    *(f"data/published/{synthetic.CHAPTER}.csv", "data/timing/published.csv"),
    *("data/timing/validation.csv", "data/timing/ratio_errors.csv"),
    *("data/timing/gpu_errors.csv", "data/timing/transfer.csv"),
)
TEXTS = (
    CLAIMS,
    "data/timing/published.toml",
    "README.md",
    f"chapters/{synthetic.CHAPTER}/README.md",
)
FILES = (RESULTS, COUNTERS, PEERS, *TABLES, *TEXTS)
CELLS = (
    *("", "nan", "-1", "1e999", "inf", "1e-320", "0", "9" * 5000, "\u0663", "a\nb", "../../x"),
    *("`touch pwned`", "<script>", "\ud800", "\x1b[2J", "\u202e", "1_000", "0x10", "-0", "x" * 200_000),
)  # fmt: skip
Damage = Callable[[Path], object]


@pytest.fixture(scope="module")
def damaged_tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """With results of two devices, and the tables of the notebook."""
    tree = make_tree(tmp_path_factory.mktemp("damaged") / "lab notebook")
    for name in (*TABLES, "data/timing/published.toml"):
        (tree.root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SCRIPTS.parent / name, tree.root / name)
    measured = synthetic.document(synthetic.misaligned_reads_gpu(sizes=[2**20]))
    synthetic.save(tree.data, measured)
    synthetic.save_stored(tree.root / PEERS, synthetic.stored(measured))
    counted = synthetic.misaligned_reads_emulated(32, [2**20])
    synthetic.save(tree.data, synthetic.document(counted, "emulated-hopper"))
    (tree.root / COUNTERS).parent.mkdir()
    (tree.root / COUNTERS).write_text("name,load_sectors\nread_offset/offset:11/block:512/n:8,5\n")
    return tree


def put(content: bytes, path: Path) -> None:
    path.write_bytes(content)


def instead(make: Damage, path: Path) -> None:
    path.unlink()
    make(path)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def damages(path: Path) -> Iterator[tuple[str, Damage]]:
    """What can become of any file."""
    content = path.read_bytes()
    half = len(content) // 2
    for name, made in {
        "empty": b"",
        "cut": content[:half],
        "no UTF-8": content[:half] + b"\xff" + content[half:],
        "NUL": content[:half] + b"\0" + content[half:],
        "UTF-16": content.decode("utf-8", "replace").encode("utf-16"),
        "byte order mark": b"\xef\xbb\xbf" + content,
        "CRLF": content.replace(b"\n", b"\r\n"),
        "a quote": content + b'"',
        "a long line": content + b"x" * 9_000_000,
        "arrays": b"[" * 200_000,
        "objects": b'{"a":' * 100_000,
        "keys": b".".join([b"a"] * 20_000) + b" = 1\n",
        "an array": b"[]",
        "an object": b"{}",
        "null": b"null",
        "a number": b"1e999",
        "noise": random.Random(1).randbytes(3000),
    }.items():
        yield name, partial(put, made)
    yield "gone", Path.unlink
    yield "a folder", partial(instead, Path.mkdir)
    yield "a pipe", partial(instead, os.mkfifo)
    yield "a link to nothing", partial(instead, lambda path: path.symlink_to("gone"))
    yield "a link to itself", partial(instead, lambda path: path.symlink_to(path.name))
    yield "zeros without end", partial(instead, lambda path: path.symlink_to("/dev/zero"))
    yield "a terabyte", sparse
    yield from damages_of_table(path) if path.suffix == ".csv" else ()
    for seed in range(RANDOM_CASES):
        yield (
            f"noise {seed}",
            partial(put, at_random(content, random.Random(f"{path.name} {seed}"))),
        )


def at_random(content: bytes, chance: random.Random) -> bytes:
    """Some bytes removed, repeated or replaced, and what numbers and texts can become."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        end = at + chance.choice((0, 1, 3, 40))
        piece = chance.choice(
            (b"", changed[at : at + 30], b"1e999", b"-1", b"\\ud800", b'"', b",", b"\n", b"{", b"]")
        )
        changed[at:end] = piece
    return bytes(changed)


def put_table(rows: Iterable[Iterable[str]], path: Path) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    path.write_bytes(text.getvalue().encode("utf-8", "surrogatepass"))


def damages_of_table(path: Path) -> Iterator[tuple[str, Damage]]:
    header, *lines = list(csv.reader(io.StringIO(path.read_text())))

    def table(rows: Iterable[list[str]]) -> Damage:
        return partial(put_table, rows)

    def without(column: int) -> Iterator[list[str]]:
        return (row[:column] + row[column + 1 :] for row in [header, *lines])

    for column, name in enumerate(header):
        yield f"no {name}", table(without(column))
        for cell in CELLS:
            first = [*lines[0][:column], cell, *lines[0][column + 1 :]]
            yield f"{name} {cell[:9]!r}", table([header, first, *lines[1:]])
    yield "a column twice", table([[*row, row[0]] for row in [header, *lines]])
    yield "short", table([header, lines[0][:-1], *lines[1:]])
    yield "long", table([header, [*lines[0], "x"], *lines[1:]])
    yield "a row twice", table([header, *lines, lines[0]])
    yield "no rows", table([header])
    yield "a million rows", table(chain([header], repeat(["x"] * len(header), 1_000_000)))
    yield "a million columns", lambda path: put_table([map(str, range(10**6)), *lines], path)


def read_everything(tree: Tree) -> list[str]:
    """What the readers of all commands refuse, each a line."""
    take_refused()
    for known in (prediction._log_errors, transfer.read_errors, transfer.read_trials):
        known.cache_clear()
    project, chapter, said = tree.project, tree.chapter, []
    readers: list[Callable[[], object]] = [
        lambda: tables.terminal_lines(tables.decide_chapter(project, chapter)),
        lambda: figures.all_figures(project, all_chapters(project)),
        lambda: list(pages.Pages(project).rendered()),
        lambda: results.load_peers(project, chapter),
        lambda: (architectures(project), emulable(project), times.tables(project)),
        lambda: times.read(project),
    ]
    for reader in readers:
        try:
            reader()
        except Problem as problem:
            said.append(str(problem))
    return [*said, *take_refused()]


def contents(root: Path, without: str) -> dict[str, bytes]:
    paths = [path for path in root.rglob("*") if path.is_file() and "build" not in path.parts]
    names = {str(path.relative_to(root)): path for path in paths}
    return {name: path.read_bytes() for name, path in names.items() if name != without}


# The notebook's own tables of the errors of its time model are read from where its code is.
MUST_BE_NAMED = {
    "cut",
    "no UTF-8",
    "UTF-16",
    "a folder",
    "a pipe",
    "zeros without end",
    "a terabyte",
}
READ_ELSEWHERE = "data/timing/ratio_errors.csv"
LINES_CAN_BE_CUT = {"README.md", f"chapters/{synthetic.CHAPTER}/README.md", CLAIMS}


@pytest.mark.parametrize("name", FILES)
def test_whatever_a_file_is(damaged_tree: Tree, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, path = damaged_tree, damaged_tree.root / name
    monkeypatch.setattr(prediction.Project, "here", lambda *_: tree.project)
    sound, others = path.read_bytes(), contents(tree.root, name)
    assert read_everything(tree) == [], "before anything is damaged"
    every = list(damages(path))
    step = -(-len(every) // MAX_CASES)
    for what, damage in every[FILES.index(name) % step :: step]:
        damage(path)
        try:
            with frugal(f"{name}: {what}"):
                said = read_everything(tree)
        except (Exception, RecursionError) as error:
            raise AssertionError(f"{name}: {what}: {error!r}") from error
        finally:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            path.write_bytes(sound)
        place = f"{name}: {what}: {said}"
        assert all(line.isprintable() and len(line) < 2000 for line in said), place
        if what in MUST_BE_NAMED and not (what == "cut" and name in LINES_CAN_BE_CUT):
            assert any(path.name in line for line in said), place
        testing.count("cases", 1)
    assert contents(tree.root, name) == others, "nothing else has changed"


def test_a_damaged_file_leaves_the_verdicts_of_others(damaged_tree: Tree) -> None:
    tree, path = damaged_tree, damaged_tree.root / RESULTS
    sound = path.read_bytes()
    path.write_bytes(sound[:100])
    take_refused()
    decided = tables.decide_chapter(tree.project, tree.chapter)
    path.write_bytes(sound)
    (line,) = take_refused()
    assert RESULTS in line
    assert [verdict for verdict in decided.verdicts if verdict.device == "emulated-hopper"]


@pytest.mark.parametrize("folder", ["NVIDIA H200", "nvidia_h200", "x\ny", "-x", "$(touch pwned)"])
def test_results_in_a_folder_of_no_device_are_named(damaged_tree: Tree, folder: str) -> None:
    tree = damaged_tree
    place = tree.data / folder / f"{synthetic.CHAPTER}.json"
    place.parent.mkdir()
    shutil.copy(tree.root / RESULTS, place)
    take_refused()
    loaded = results.load_chapter(tree.project, tree.chapter)
    shutil.rmtree(place.parent)
    (line,) = take_refused()
    assert "no name of a device" in line and line.isprintable()
    assert {entry.device for entry in loaded} == {"nvidia-h200", "emulated-hopper"}
