"""The validation sets of ordinary CUDA programs: each launch on the emulated GPU beside what a GPU's
profiler counted for it, and what it wrote beside what it wrote on that GPU.

Each executable prints a line a launch: its name, a hash of its output, and whether the output is exact
or rounded. The k-th line belongs to the k-th launch of the profiler and of the emulated GPU's report.
"""

import csv
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from notebook.archives import counter_rules
from notebook.base.errors import CHECK_FAILED, Problem
from notebook.base.project import Project
from notebook.base.text import plain
from notebook.counters import counters

# By name: what is built, from the top of the build folder. No launch is in two.
TARGETS = {
    "ordinary_cuda": "common/tests/validation_set/ordinary/ordinary_cuda",
    "everyday_cuda": "common/tests/validation_set/everyday/everyday_cuda",
    "unseen_cuda": "common/tests/validation_set/unseen/unseen_cuda",
    "further_cuda": "common/tests/validation_set/further/further_cuda",
}
FAILED = "failed"


@dataclass(frozen=True)
class Output:
    """What a launch wrote: equal hashes are equal bytes. Rounded results may differ in their last bits."""

    hash: str
    kind: str  # exact, rounded or failed


@dataclass
class Launched:
    """All launches of one run, by name."""

    outputs: dict[str, Output]
    counted: dict[str, counter_rules.Counters] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)


def measured(project: Project, device: str, name: str) -> Launched:
    """What is stored of a GPU for the set of this name."""
    path = project.data / device / "counters" / f"{name}.csv"
    with path.with_suffix(".outputs.csv").open(encoding="utf-8", newline="") as file:
        outputs = {row["name"]: Output(row["hash"], row["kind"]) for row in csv.DictReader(file)}
    return Launched(outputs, counters.read_csv(path))


def emulate(executable: Path, runtime_folder: Path, architecture: str, *names: str) -> Launched:
    """Runs the launches (those with one of `names` in theirs) on an emulated GPU."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        paths = [str(runtime_folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        settings = {
            "EMULATED_GPU": architecture,
            "EMULATED_GPU_REPORT": str(report),
            "LD_LIBRARY_PATH": os.pathsep.join(paths),
        }
        run = subprocess.run(
            [str(executable), *names],
            env=os.environ | settings,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode not in (0, 1):
            raise Problem(
                f"{executable.name} ended with status {run.returncode}: {plain(run.stderr[-300:])}",
                CHECK_FAILED,
            )
        lines = report.read_text(encoding="utf-8").splitlines() if report.is_file() else []
    outputs = read_outputs(run.stdout)
    launched = Launched(outputs, messages=run.stderr.splitlines())
    launches = [row for row in map(json.loads, lines) if "launch" in row]
    if len(launches) != len(outputs):
        raise Problem(
            f"{len(launches)} launches are reported, but {len(outputs)} were run: {plain(run.stderr[-300:])}",
            CHECK_FAILED,
        )
    for name, launch in zip(outputs, launches, strict=True):
        if "counters" in launch:
            launched.counted[name] = launch["counters"]
    return launched


def read_outputs(text: str) -> dict[str, Output]:
    """The lines that the executable prints: name, hash, kind."""
    rows = [line.split() for line in text.splitlines()]
    return {row[0]: Output(row[1], row[2]) for row in rows if len(row) == 3}


def differences(name: str, emulated: Launched, gpu: Launched) -> list[counter_rules.Compared]:
    """Counters of a launch that are not as measured. Hits and traffic beyond the L1 depend on which blocks
    share an SM, and when they run: they are no promise here."""
    differing = counter_rules.differences(name, emulated.counted[name], gpu.counted[name])
    return [difference for difference in differing if difference.counter in PROMISED]


def instruction_ratios(emulated: Launched, gpu: Launched, counter: str) -> dict[str, float]:
    """By launch: warp instructions under this name of the emulated GPU's, over the GPU's own."""
    return {
        name: counted[counter] / gpu.counted[name]["warp_instructions"]
        for name, counted in emulated.counted.items()
        if counter in counted
    }


PROMISED = (*counter_rules.EXACT, *counter_rules.EFFICIENCIES)


def wrong_outputs(emulated: Launched, gpu: Launched) -> list[str]:
    """Launches whose output failed its check, or is exact and not the GPU's to the bit."""
    return [
        name
        for name, output in emulated.outputs.items()
        if output.kind == FAILED or (output.kind == "exact" and output != gpu.outputs[name])
    ]
