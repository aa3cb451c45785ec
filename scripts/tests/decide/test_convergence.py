"""The stopping rule: what is not known well enough is measured again, with all beside it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import RUN_BY_PYTHON, Tree

from notebook.data.devices import Target
from notebook.decide import convergence
from notebook.run import collect
from notebook.run.collect import Manner

CONVERGED, UNCONVERGED = "read/offset:0/n:1024/cache:cold", "read/offset:0/n:2048/cache:cold"


def others(regime: str, apart: float = 0.0) -> list[dict[str, Any]]:
    """Benchmarks that tell how much processes differ: half of them rise, half fall."""
    return [
        row
        for number in range(12)
        for row in synthetic.timed(
            f"copy/by:{number}/{regime}", 50.0, repetitions=5, apart=apart * (-1) ** number
        )
    ]


def unsettled(rows: list[dict[str, Any]]) -> list[str]:
    return convergence.unsettled(synthetic.parse_rows(rows))


def test_the_variance_between_processes_decides_and_not_that_of_repetitions() -> None:
    """Two processes 0.1 % apart are settled, however their repetitions scatter; 2 % apart not:
    their standard error is 1 %."""
    rows = [
        *synthetic.timed(CONVERGED, 50.0, noise=0.02, repetitions=5, apart=0.001),
        *others("n:1024/cache:cold"),
        *synthetic.timed(UNCONVERGED, 50.0, noise=0.0, repetitions=5, apart=0.02),
        *others("n:2048/cache:cold"),
    ]
    assert unsettled(rows) == [UNCONVERGED]


def test_benchmarks_that_vary_are_measured_again_though_two_processes_agree() -> None:
    """All others of the regime differ by 3 %: that one of them does not is chance."""
    steady = synthetic.timed(CONVERGED, 50.0, noise=0.0, repetitions=5)
    assert CONVERGED in unsettled([*steady, *others("n:1024/cache:cold", apart=0.03)])
    assert unsettled([*steady, *others("n:1024/cache:cold", apart=0.003)]) == []


def test_a_process_that_throttled_does_not_count() -> None:
    """Two processes agree, but one of them throttled; of three, two are enough."""
    for processes, expected in ((2, [CONVERGED]), (3, [])):
        rows = synthetic.timed(
            CONVERGED, 50.0, noise=0.0, repetitions=5, processes=processes, apart=0.0
        )
        rows[2]["throttled"] = 1
        assert unsettled([*rows, *others("n:1024/cache:cold")]) == expected


def test_few_benchmarks_need_a_third_process() -> None:
    few = {processes: synthetic.timed(CONVERGED, 50.0, processes=processes) for processes in (2, 3)}
    assert unsettled(few[2]) == [CONVERGED]
    assert unsettled(few[3]) == []


def test_processes_that_differ_as_a_whole_are_settled() -> None:
    rows = synthetic.timed(CONVERGED, 50.0, repetitions=5) + others("n:1024/cache:cold")
    slower = [row | {"real_time": row["real_time"] * 1.05 ** row.get("process", 0)} for row in rows]
    assert unsettled(slower) == []


def test_the_filter_takes_the_regime_whole_and_nothing_else() -> None:
    beside = "copy/by:1.5/n:2048/cache:cold"
    others = [CONVERGED, "read/offset:0/n:20480/cache:cold", "copy/by:125/n:2048/cache:cold/x:1"]
    pattern = convergence.filter_for([UNCONVERGED], [UNCONVERGED, beside, *others[:2]])
    assert pattern is not None
    matched = [name for name in (UNCONVERGED, beside, *others) if re.search(pattern, name)]
    assert matched == [UNCONVERGED, beside]


def test_too_many_for_a_command_line_are_all() -> None:
    many = [f"read/offset:{number}/n:1024/cache:cold" for number in range(5000)]
    assert convergence.filter_for([CONVERGED], many) is None


FAKE_GPU = f"""{RUN_BY_PYTHON}import json, re, sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
import synthetic
flags = dict(argument.lstrip("-").partition("=")[::2] for argument in sys.argv[1:])
log = Path(__file__).with_suffix(".log")
runs = log.read_text().count("run") if log.exists() else 0
log.open("a").write("run " + flags.get("benchmark_filter", "all") + "\\n")
rows = []
every = [f"copy/by:{{number}}/n:{{n}}/cache:cold" for number in range(12) for n in (1024, 2048)]
for name in ({CONVERGED!r}, {UNCONVERGED!r}, *every):
    if re.search(flags.get("benchmark_filter", ""), name):
        slower = 1 + (SLOWER if name == {UNCONVERGED!r} else 0)
        rows += synthetic.timed(name, 50.0 * slower, repetitions=5, processes=1)
given = dict(pair.split("=") for pair in flags["benchmark_context"].split(","))
content = synthetic.document(rows, **given, quick=str("quick" in flags).lower())
Path(flags["benchmark_out"]).write_text(json.dumps(content))
"""


@pytest.mark.parametrize(
    ("slower", "quick", "processes", "unsettled"),
    [
        ("0", False, 2, 0),
        # Two processes 0.8 % apart; the third lies between them, which settles the mean.
        ("(0, 0.008, 0.004)[runs]", False, 3, 0),
        ("0.02 * runs", False, convergence.MAX_PROCESSES, 1),
        ("0.02 * runs", True, 1, None),
    ],
)
def test_processes_are_added_until_all_is_settled(
    tree: Tree, slower: str, quick: bool, processes: int, unsettled: int | None
) -> None:
    executable = tree.root / "build" / tree.chapter.target
    executable.parent.mkdir(parents=True)
    executable.write_text(FAKE_GPU.replace("SLOWER", slower))
    executable.chmod(0o755)
    path = collect.collect(tree.project, tree.chapter, Target(None), Manner(quick)).path
    content = json.loads(path.read_text())
    assert content["context"]["processes"] == processes
    assert content["context"].get("unsettled") == unsettled
    assert ("stopping_rule" in content["context"]) is not quick
    of_process = {
        row["name"]: [process for process, times in enumerate(row["time_us"]) if times]
        for row in content["rows"]
    }
    assert of_process[CONVERGED] == list(range(min(processes, 2)))
    assert of_process[UNCONVERGED] == list(range(processes))
