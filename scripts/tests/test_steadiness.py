"""The stopping rule: what is not known well enough is measured again, with all beside it."""

import json
import re
from pathlib import Path

import pytest
import synthetic
from conftest import RUN_BY_PYTHON, Tree

from notebook import collect, steadiness
from notebook.devices import Target

STEADY, LOOSE = "read/offset:0/n:1024/cache:cold", "read/offset:0/n:2048/cache:cold"


def test_a_median_that_is_known_to_one_per_cent_is_settled() -> None:
    """Evenly spread repetitions: the interval of a median of five lies within their ends, and is
    not much narrower. ±0.2 % is well below 1 % in all, and ±2 % well above."""
    rows = [
        *synthetic.timed(STEADY, 50.0, noise=0.002, repetitions=5),
        *synthetic.timed(LOOSE, 50.0, noise=0.02, repetitions=5),
    ]
    assert steadiness.unsettled(synthetic.parse_rows(rows)) == [LOOSE]


def test_processes_that_differ_as_a_whole_are_settled() -> None:
    first = synthetic.timed(STEADY, 50.0, repetitions=5, processes=1)
    second = synthetic.timed(STEADY, 50.75, repetitions=5, processes=1)
    rows = first + [row | {"process": 1} for row in second]
    assert steadiness.unsettled(synthetic.parse_rows(rows)) == []


def test_the_filter_takes_the_regime_whole_and_nothing_else() -> None:
    beside = "copy/by:1.5/n:2048/cache:cold"
    others = [STEADY, "read/offset:0/n:20480/cache:cold", "copy/by:125/n:2048/cache:cold/x:1"]
    pattern = steadiness.filter_for([LOOSE], [LOOSE, beside, *others[:2]])
    assert pattern is not None
    matched = [name for name in (LOOSE, beside, *others) if re.search(pattern, name)]
    assert matched == [LOOSE, beside]


def test_too_many_for_a_command_line_are_all() -> None:
    many = [f"read/offset:{number}/n:1024/cache:cold" for number in range(5000)]
    assert steadiness.filter_for([STEADY], many) is None


FAKE_GPU = f"""{RUN_BY_PYTHON}import json, re, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
import synthetic
flags = dict(argument.lstrip("-").partition("=")[::2] for argument in sys.argv[1:])
log = Path(__file__).with_suffix(".log")
runs = log.read_text().count("run") if log.exists() else 0
log.open("a").write("run " + flags.get("benchmark_filter", "all") + "\\n")
rows = []
for name, noise in (({STEADY!r}, 0.001), ({LOOSE!r}, NOISE)):
    if re.search(flags.get("benchmark_filter", ""), name):
        rows += synthetic.timed(name, 50.0, noise=noise, repetitions=5, processes=1)
given = dict(pair.split("=") for pair in flags["benchmark_context"].split(","))
content = synthetic.document(rows, **given, quick=str("quick" in flags).lower())
Path(flags["benchmark_out"]).write_text(json.dumps(content))
"""


@pytest.mark.parametrize(
    ("noise", "quick", "processes", "unsettled"),
    [
        ("0.001", False, 2, 0),
        # Its third process is a steady one, which settles the mean of the three.
        ("0.009 if runs < 2 else 0.0001", False, 3, 0),
        ("0.1", False, steadiness.MOST_PROCESSES, 1),
        ("0.1", True, 1, None),
    ],
)
def test_processes_are_added_until_all_is_settled(
    tree: Tree, noise: str, quick: bool, processes: int, unsettled: int | None
) -> None:
    executable = tree.root / "build" / tree.chapter.target
    executable.parent.mkdir(parents=True)
    executable.write_text(FAKE_GPU.replace("NOISE", noise))
    executable.chmod(0o755)
    path = collect.collect(tree.project, tree.chapter, Target(None), quick).path
    content = json.loads(path.read_text())
    assert content["context"]["processes"] == processes
    assert content["context"].get("unsettled") == unsettled
    assert ("stopping_rule" in content["context"]) is not quick
    of_process = {
        row["name"]: [process for process, times in enumerate(row["time_us"]) if times]
        for row in content["rows"]
    }
    assert of_process[STEADY] == list(range(min(processes, 2)))
    assert of_process[LOOSE] == list(range(processes))
