"""What the driver moves is counted by a process of its own, which is not one of those that time."""

import json
from pathlib import Path

import pytest
from conftest import RUN_BY_PYTHON, Tree

from notebook.base.errors import Problem
from notebook.data import results
from notebook.data.devices import Target
from notebook.run import collect
from notebook.run.collect import Manner

MANAGED, COPIED = "add/memory:managed/n:1024", "add/memory:explicit/n:1024"

FAKE_GPU = f"""{RUN_BY_PYTHON}import json, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import synthetic
flags = dict(argument.lstrip("-").partition("=")[::2] for argument in sys.argv[1:])
counts = "count-migrations" in flags
with Path(__file__).with_suffix(".log").open("a") as log:
    log.write("counts\\n" if counts else "times\\n")
if counts and FAILS:
    sys.exit(1)
def rows(name, time_us, **values):
    return synthetic.timed(name, time_us, repetitions=5, processes=1, **values)
if counts:
    found = [synthetic.row({MANAGED!r}, 0, bytes_to_device=8192.0, cpu_page_faults=24.0)]
else:
    found = rows({MANAGED!r}, 50.0) + rows({COPIED!r}, 40.0, bytes_to_device=4096.0)
given = dict(pair.split("=") for pair in flags["benchmark_context"].split(","))
given |= MIGRATIONS
content = synthetic.document(found, **given, quick=str("quick" in flags).lower())
Path(flags["benchmark_out"]).write_text(json.dumps(content))
"""


def fake_gpu(tree: Tree, migrations: dict[str, str], fails: bool = False) -> Path:
    """Installs the executable; returns its log, a line a process: times, counts."""
    executable = tree.root / "build" / tree.chapter.target
    executable.parent.mkdir(parents=True, exist_ok=True)
    text = FAKE_GPU.replace("MIGRATIONS", repr(migrations)).replace("FAILS", repr(fails))
    executable.write_text(text)
    executable.chmod(0o755)
    return executable.with_suffix(".log")


# Two benchmarks are too few to know how much processes differ: a third process is added.
@pytest.mark.parametrize(("quick", "processes"), [(False, 3), (True, 1)])
def test_one_process_more_counts(tree: Tree, quick: bool, processes: int) -> None:
    log = fake_gpu(tree, {"migrations_counted_apart": "true"})
    path = collect.collect(tree.project, tree.chapter, Target(None), Manner(quick)).path
    assert log.read_text().split() == ["times"] * processes + ["counts"]
    content = json.loads(path.read_text())
    assert content["context"]["processes"] == processes
    rows = {row["name"]: row for row in content["rows"]}
    # The repetitions are those that were timed, around 50 us, and all of them have what moved.
    assert list(rows) == [COPIED, MANAGED]
    for row in rows.values():
        assert list(map(len, row["time_us"])) == [5] * processes
    assert all(49 < time < 51 for times in rows[MANAGED]["time_us"] for time in times)
    counts = results.read(path, tree.chapter).counts
    assert counts[MANAGED] == [{"bytes_to_device": 8192, "cpu_page_faults": 24}] * 5 * processes
    assert counts[COPIED] == [{"bytes_to_device": 4096}] * 5 * processes


@pytest.mark.parametrize("migrations", [{}, {"migrations_counted_apart": "false"}])
def test_no_process_more_where_nothing_is_left_to_count(
    tree: Tree, migrations: dict[str, str]
) -> None:
    log = fake_gpu(tree, migrations)
    collect.collect(tree.project, tree.chapter, Target(None), Manner())
    assert log.read_text().split() == ["times"] * 3


def test_a_count_that_fails_leaves_old_data(tree: Tree) -> None:
    fake_gpu(tree, {"migrations_counted_apart": "true"})
    path = collect.collect(tree.project, tree.chapter, Target(None), Manner(quick=True)).path
    before = path.read_bytes()
    fake_gpu(tree, {"migrations_counted_apart": "true"}, fails=True)
    with pytest.raises(Problem, match="exit status 1; existing data unchanged"):
        collect.collect(tree.project, tree.chapter, Target(None), Manner(quick=True))
    assert path.read_bytes() == before
