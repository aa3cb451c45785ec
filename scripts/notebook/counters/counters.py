"""Measuring counters with Nsight Compute: one launch a variant, a row each.

An executable started with --launch-once launches each of its variants once and prints their names
in that order; the profiler writes a row a launch. Together they become
data/<device>/counters/<chapter>.csv.
"""

import csv
import io
import json
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from notebook.archives import counter_rules
from notebook.archives.counter_rules import Counters
from notebook.base import files
from notebook.base.errors import CHECK_FAILED, MISSING, Malformed, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.base.text import plain, quoted, terminal_table
from notebook.data import devices, documents, names, results, schema
from notebook.data.chapters import find_chapters
from notebook.data.fields import Json
from notebook.data.metrics import NSIGHT
from notebook.data.names import is_name
from notebook.decide import claims
from notebook.run import collect
from notebook.tools import build, toolbox

VALIDATION_SET = "validation"
_VALIDATION_SET_NAME = "emulator_validation"
# Counters that not every GPU or version of the profiler has; without them the rest is measured.
OPTIONAL = (
    "shared_excessive_wavefronts",
    "shared_instruction_load_wavefronts",
    "shared_instruction_store_wavefronts",
)
_UNKNOWN_METRIC = "Failed to find metric"


@dataclass(frozen=True)
class Subject:
    """What is profiled: a chapter, or the emulator's validation set."""

    name: str
    target: str


def subject(project: Project, word: str) -> Subject:
    """The chapter that `word` names, or the validation set."""
    if word == VALIDATION_SET:
        return Subject(_VALIDATION_SET_NAME, "common/tests/validation_set/emulator_validation")
    chapter = find_chapters(project, [word])[0]
    return Subject(chapter.name, chapter.target)


def counters(project: Project, word: str) -> int:
    """Measures where a GPU and ncu are; then prints emulated beside measured for what is stored."""
    what = subject(project, word)
    stored = sorted(project.data.glob(f"*/counters/{what.name}.csv"))
    if devices.count_gpus() > 0 and toolbox.find_program("ncu"):
        files.require_writable(project.data)
        build.configure(project, what.target)
        build.build(project, what.name, what.target)
        stored = [_measure(project, what)]
    elif not stored:
        need = "a GPU" if devices.count_gpus() == 0 else "ncu (Nsight Compute)"
        raise Problem(
            f"no counters of {what.name} are stored, and to measure them needs {need}", MISSING
        )
    build.configure(project, what.target, build.emulated_runtime())
    build.build(project, what.name, what.target, build.emulated_runtime())
    lines = [line for path in stored for line in _beside_emulated(project, what, path)]
    print("\n".join([*lines, counter_rules.RULES]))
    return 0


def profile(project: Project, word: str) -> int:
    """Prints the counters of each variant, measured now; those that are zero everywhere are omitted."""
    what = subject(project, word)
    if devices.count_gpus() == 0:
        raise Problem("profile needs a GPU; scripts/lab emulate counts without one", MISSING)
    if not toolbox.find_program("ncu"):
        raise Problem("profile needs ncu (Nsight Compute); install it and add it to PATH", MISSING)
    build.configure(project, what.target)
    build.build(project, what.name, what.target)
    rows, _ = _profiled(project, what)
    shown = [key for key in NSIGHT if any(row.get(key) for row in rows.values())]
    cells = [[name, *(f"{row.get(key, 0):.12g}" for key in shown)] for name, row in rows.items()]
    print("\n".join(terminal_table(["name", *shown], cells)))
    return 0


def _measure(project: Project, what: Subject) -> Path:
    rows, context = _profiled(project, what)
    path = project.data / str(context["device"]) / "counters" / f"{what.name}.csv"
    files.write(path, as_csv(rows))
    revision, dirty = collect.git_revision(project)
    kept = ("gpu_name", "generation", "compute_capability", "driver", "compiler", "compile_flags")
    meta = {key: context[key] for key in kept if key in context}
    meta |= {"date": context["date"], "git_revision": revision, "git_dirty": dirty}
    meta |= {"ncu": _version(toolbox.find_program("ncu"))}
    files.write(path.with_suffix(".meta.json"), json.dumps(meta, indent=2) + "\n")
    say(f"{what.name}: {len(rows)} rows in {project.quoted(path)}")
    return path


def _profiled(project: Project, what: Subject) -> tuple[dict[str, dict[str, float]], Json]:
    """The counters of each variant, and the context of the run."""
    executable = project.build / what.target
    with tempfile.TemporaryDirectory() as folder:
        log, report = Path(folder) / "ncu.csv", Path(folder) / "context.json"
        say(f"{what.name}: profiling each variant once (ncu)")
        # Clocks stay as they are: nothing here is timed.
        profiler = [
            toolbox.find_program("ncu"),
            "--clock-control",
            "none",
            "--csv",
            "--page",
            "raw",
        ]
        metrics = dict(NSIGHT)
        run, text = _run([*profiler, *_asked(metrics)], log, executable)
        if _UNKNOWN_METRIC in text + run.stderr + run.stdout:
            complaints = text + run.stderr + run.stdout
            unknown = [name for name in OPTIONAL if NSIGHT[name] in complaints] or OPTIONAL
            say(f"{what.name}: without {' and '.join(unknown)}, which ncu does not have here")
            metrics = {name: metric for name, metric in NSIGHT.items() if name not in unknown}
            run, text = _run([*profiler, *_asked(metrics)], log, executable)
        if "ERR_NVGPUCTRPERM" in text + run.stderr:
            raise Problem(
                "the driver lets only root read hardware counters (ERR_NVGPUCTRPERM); run as root, or "
                "set the module option NVreg_RestrictProfilingToAdminUsers=0",
                MISSING,
            )
        if run.returncode != 0:
            raise Problem(f"ncu failed: {plain((run.stderr or text).strip()[-300:])}", CHECK_FAILED)
        rows = parse_report(run.stdout.split(), text)
        return rows, _context(executable, next(iter(rows)), report)


def _asked(metrics: dict[str, str]) -> list[str]:
    return ["--print-units", "base", "--metrics", ",".join(metrics.values())]


def _run(
    command: list[str], log: Path, executable: Path
) -> tuple[subprocess.CompletedProcess[str], str]:
    """One run of the profiler, and what it has logged."""
    log.unlink(missing_ok=True)
    run = subprocess.run(
        [*command, "--log-file", str(log), str(executable), "--launch-once"],
        env=toolbox.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return run, log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""


def _version(profiler: str) -> str:
    """ "2025.3.1.0": ncu prints it on its last line, "Version 2025.3.1.0 (build ...)"."""
    run = subprocess.run([profiler, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"Version (\S+)", run.stdout)
    return match[1] if match else "unknown"


def _context(executable: Path, variant: str, report: Path) -> Json:
    """The context of the executable's own JSON, from a run of one variant."""
    only = f"--benchmark_filter=^{re.escape(variant)}$"
    subprocess.run(
        [executable, "--quick", only, f"--benchmark_out={report}"],
        capture_output=True,
        check=True,
    )
    context = documents.context_of(json.loads(report.read_text(encoding="utf-8"))["context"])
    if not devices.is_slug(context.get("device")):
        raise Problem(f"{plain(executable)}: its result names no device", CHECK_FAILED)
    return context


def parse_report(variants: list[str], text: str) -> dict[str, dict[str, float]]:
    """The counters of each variant, from ncu's CSV page: chatter, a header, units, a row a launch."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    table = list(csv.reader(lines))
    if len(table) < 3 or len(table) - 2 != len(variants):
        raise Problem(
            f"ncu profiled {max(len(table) - 2, 0)} launches, but {len(variants)} variants were "
            "launched: each variant must launch one kernel",
            CHECK_FAILED,
        )
    header, _, *rows = table
    lacking = [name for name, metric in NSIGHT.items() if metric not in header]
    if missing := [name for name in lacking if name not in OPTIONAL]:
        raise Problem(f"this GPU has no metric {NSIGHT[missing[0]]}", CHECK_FAILED)
    counters_by_row = {}
    for variant, row in zip(variants, rows, strict=True):
        if not is_name(variant):
            raise Problem(f"'{plain(variant)}' is not a variant's name", CHECK_FAILED)
        values = {
            name: row[header.index(metric)]
            for name, metric in NSIGHT.items()
            if name not in lacking
        }
        counters_by_row[variant] = {name: _number(value) for name, value in values.items() if value}
    return counters_by_row


def _number(text: str) -> float:
    """A number as ncu prints it: with thousands separators."""
    return float(text.replace(",", ""))


def as_csv(rows: dict[str, dict[str, float]]) -> str:
    """The stored form. Efficiencies of kernels without such accesses stay empty; asynchronous copies to
    shared memory are loads that the efficiency leaves out, which would be 0 without others."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", *NSIGHT])
    for name, values in rows.items():
        for kind in ("load", "store"):
            if not (values.get(f"{kind}_requests") and values.get(f"{kind}_efficiency")):
                values.pop(f"{kind}_efficiency", None)
        writer.writerow([name, *(f"{values[key]:.12g}" if key in values else "" for key in NSIGHT)])
    return text.getvalue()


def read_csv(path: Path) -> dict[str, dict[str, float]]:
    """What `as_csv` has written."""
    try:
        return results.load_counters(path)
    except Malformed as error:
        raise Problem(f"{quoted(path)}: {plain(error)}; git checkout {quoted(path)}") from error


def emulate(executable: Path, architecture: str, *flags: str) -> dict[str, dict[str, float]]:
    """The counters of every variant of an executable that an emulated GPU counts."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        own = [f"--architecture={architecture}", "--counts-alone", f"--benchmark_out={report}"]
        subprocess.run([executable, *own, *flags], capture_output=True, check=True)
        rows = json.loads(report.read_text(encoding="utf-8"))["benchmarks"]
    return {
        row["name"]: {key: value for key, value in row.items() if isinstance(value, int | float)}
        for row in rows
    }


def _architecture(project: Project, meta: Path) -> str:
    """The emulated architecture of the generation that counters were measured on."""
    try:
        generation = str(schema.parse_json(meta.read_bytes())["generation"]).lower()
    except (OSError, Malformed, KeyError) as error:
        raise Problem(
            f"{project.quoted(meta)}: no generation of the GPU in it", CHECK_FAILED
        ) from error
    if generation not in devices.architectures(project):
        raise Problem(f"{project.quoted(meta)}: no emulated GPU of generation {plain(generation)}")
    return generation


def names_to_compare(project: Project, what: Subject, measured: dict[str, Counters]) -> list[str]:
    """The measured launches that do the work of the emulated ones of their names."""
    if what.name == _VALIDATION_SET_NAME:
        return list(measured)
    apart = claims.load_counter_notes(find_chapters(project, [what.name])[0]).repeated_on_gpus
    return [name for name in measured if names.kernel(name) not in apart]


def _beside_emulated(project: Project, what: Subject, path: Path) -> list[str]:
    device = path.parent.parent.name
    architecture = _architecture(project, path.with_suffix(".meta.json"))
    emulated = emulate(project.build / what.target, architecture)
    measured = read_csv(path)
    shared = [name for name in names_to_compare(project, what, measured) if name in emulated]
    lines = [f"{what.name}: {device} beside emulated-{architecture}, {len(shared)} variants"]
    different = 0
    for name in shared:
        promised = counter_rules.fits_l2(emulated[name])
        differences = counter_rules.differences(name, emulated[name], measured[name], promised)
        different += bool(differences)
        lines += [
            f"  {row.name}  {row.counter}: measured {row.measured:.12g}, emulated {row.emulated}"
            for row in differences
        ]
    lines.append(
        f"  {len(shared) - different} of {len(shared)} variants as emulated in every counter"
    )
    return lines
