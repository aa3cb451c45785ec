"""The data format: every field of a data file, with its type, unit, limits and meaning.

The one place where the format is written down. data/schema.json is generated from these tables;
reading, collecting and receiving data validate against it.
"""

from dataclasses import dataclass
from typing import Any

from notebook.base.errors import Problem
from notebook.data import names
from notebook.data.metrics import TABLE, Metric

FORMAT = 2
FILE = "scripts/notebook/data/fields.py"  # for messages about a field that it lacks

# Limits of one file. What a reader has to do is bounded by these, whatever a file says of itself.
LONGEST_FILE = 8 * 2**20  # bytes
MAX_ROWS = 5_000
MAX_PROCESSES = 32
MAX_REPETITIONS = 200  # of one row in one process
MAX_REPETITIONS_OF_FILE = 20_000

MEASURED, COUNTED, PREDICTED = "measured", "counted", "predicted"
EVIDENCE = (MEASURED, COUNTED, PREDICTED)
GPU, EMULATED = "gpu", "emulated"
# The level that holds the data of a row while it runs; between l2 and dram neither holds all of it.
LEVELS = ("l1", "l2", "l2+dram", "dram")
KINDS = ("kernel", "memcpy", "cublas", "peer")
# The bounds of a predicted time.
BOUNDS = (
    *("launch", "issue", "fp32", "fp64", "int", "sfu", "tensor", "lsu", "shared", "l1", "l2"),
    *("dram", "latency", "atomics"),
)

Json = dict[str, Any]


def number(low: float, high: float, or_zero: bool = False) -> Json:
    """The schema of a number within limits. Denormals and the like have no place between them."""
    limits = {"type": "number", "minimum": low, "maximum": high}
    return {"anyOf": [{"const": 0}, limits]} if or_zero else limits


def whole(low: int, high: int) -> Json:
    return {"type": "integer", "minimum": low, "maximum": high}


def text(pattern: str, longest: int = 300) -> Json:
    return {"type": "string", "maxLength": longest, "pattern": f"^(?:{pattern})$"}


def one_of(*values: str) -> Json:
    return {"enum": list(values)}


def list_of(items: Json, longest: int) -> Json:
    return {"type": "array", "maxItems": longest, "items": items}


# The range of each unit. A time is at least a femtosecond of one launch.
UNITS = {
    "count": number(1e-6, 1e18, or_zero=True),
    "bytes": number(1e-6, 1e18, or_zero=True),
    "percent": number(1e-6, 1e5, or_zero=True),
    "flop/B": number(1e-6, 1e9, or_zero=True),
    "ratio": number(1e-6, 1e6),
    "bytes/s": number(1e-3, 1e18),
    "flop/s": number(1e-3, 1e21),
    "items/s": number(1e-3, 1e18),
    "us": number(1e-6, 1e10),
    "us or 0": number(1e-6, 1e10, or_zero=True),
    "s": number(1e-12, 1e6),
    "MHz": number(1, 20_000),
    "flag": whole(0, 1),
}


@dataclass(frozen=True)
class Field:
    name: str
    schema: Json
    meaning: str
    required: bool = False


_WORDS = r"[A-Za-z0-9][A-Za-z0-9 ()\[\]._+/@,-]{0,99}"
_VERSION = r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}"
SLUG = r"[a-z0-9][a-z0-9-]{0,63}"
CHAPTER = r"[0-9]{2}_[a-z][a-z0-9_]{0,63}"
NAME = r"[A-Za-z0-9_]+(?:/[A-Za-z0-9_]+:[A-Za-z0-9_.+-]+)*"

CONTEXT = (
    Field(
        "date",
        text(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{2}:[0-9]{2}"),
        "when the run started",
        required=True,
    ),
    Field("chapter", text(CHAPTER), "the chapter's folder", required=True),
    Field("device", text(SLUG), "the folder of its results", required=True),
    Field("device_kind", one_of(GPU, EMULATED), "what executed it", required=True),
    Field("gpu_name", text(_WORDS), "the GPU, as its driver calls it", required=True),
    Field("generation", text(r"[A-Za-z][A-Za-z0-9 -]{0,39}"), "its architecture: Hopper"),
    Field("compute_capability", text(r"[0-9]{1,2}\.[0-9]"), "its compute capability: 9.0"),
    Field(
        "year", whole(2006, 2100), "of the generation's first GPU; orders columns", required=True
    ),
    Field("sm_count", whole(1, 10_000), "streaming multiprocessors"),
    Field("l2_bytes", whole(1, 10**12), "size of the L2"),
    Field(
        "dram_bytes_per_second",
        whole(0, 10**15),
        "theoretical peak; 0 where unknown",
        required=True,
    ),
    Field(
        "fetch_unit_bytes",
        {"enum": [32, 64, 128]},
        "smallest piece that a load moves",
        required=True,
    ),
    Field("board", text(r"[0-9a-f]{8,64}"), "a hash of the board's UUID: tells two boards apart"),
    Field("ecc", {"type": "boolean"}, "error correction of device memory"),
    Field("mig", {"type": "boolean"}, "a slice of a GPU"),
    Field("driver", text(_VERSION), "version of the driver"),
    Field("driver_version", text(_VERSION), "CUDA version of the driver"),
    Field("runtime_version", text(_VERSION), "CUDA version of the runtime"),
    Field("emulator_version", text(_VERSION), "version of the emulated GPU"),
    Field(
        "tables_sha256",
        text("[0-9a-f]{64}"),
        "of the tables compiled into the emulated GPU: architectures.csv, gpus.csv and "
        "timing/parameters.csv, one after the other",
    ),
    Field(
        "inputs_sha256",
        text("[0-9a-f]{64}"),
        "of the sources and tables that counts depend on: the same ones are not counted again",
    ),
    Field("sm_clock_mhz_before", UNITS["MHz"], "SM clock before the run"),
    Field("memory_clock_mhz_before", UNITS["MHz"], "memory clock before the run"),
    Field("throttle_reasons_before", whole(0, 2**63 - 1), "NVML's bits before the run"),
    Field("compiler", text(_WORDS), "nvcc and its version"),
    Field("compile_flags", text(r"[ -;=?-_a-{}~]*", 2000), "flags of the kernels"),
    Field("libraries", text(_WORDS), "what the peers are of, with versions"),
    Field("git_revision", text("[0-9a-f]{40}"), "commit of the code"),
    Field("git_dirty", {"type": "boolean"}, "the code had changes that are not committed"),
    Field("quick", {"type": "boolean"}, "few repetitions, for a look", required=True),
    Field("validation", one_of("passed"), "results of every kernel were compared", required=True),
    Field("validated_variants", whole(0, 100_000), "variants that were compared"),
    Field("validated_shapes", whole(0, 100_000), "further shapes that were compared"),
    Field("migrations_counted_apart", {"type": "boolean"}, "in a process that does not time"),
    Field("processes", whole(1, MAX_PROCESSES), "processes that ran", required=True),
    Field("process_seconds", list_of(UNITS["s"], MAX_PROCESSES), "how long each of them took"),
    Field("stopping_rule", text(r"[A-Za-z0-9 %.,;:()-]{1,400}"), "when no process more was added"),
    Field("unsettled", whole(0, MAX_ROWS), "rows that did not converge"),
    Field("num_cpus", whole(1, 100_000), "CPU cores of the host"),
    Field("mhz_per_cpu", whole(0, 20_000), "their clock"),
    Field("cpu_scaling_enabled", {"type": "boolean"}, "whether their clock may change"),
    Field("library_version", text(_VERSION), "version of Google Benchmark"),
    Field("library_build_type", one_of("debug", "release"), "how Google Benchmark was built"),
    Field("json_schema_version", whole(0, 1000), "version of Google Benchmark's JSON"),
)


def per_repetition(unit: str) -> Json:
    """An array a process of a number a repetition; one number where all of them are equal."""
    return {"$ref": f"#/$defs/{definition(unit)}"}


def definition(unit: str) -> str:
    """The name of that schema: `bytes_a_s` for bytes/s."""
    return unit.replace("/", "_a_").replace(" ", "_")


def repeated(unit: str) -> tuple[Json, Json]:
    """The arrays that per_repetition means, and these or one number."""
    arrays = list_of(list_of(UNITS[unit], MAX_REPETITIONS), MAX_PROCESSES)
    return arrays, {"anyOf": [UNITS[unit], arrays]}


def of_metric(metric: Metric) -> Field:
    """What a row may say of a metric; raises Problem for one in no known unit."""
    if metric.unit not in UNITS:
        units = ", ".join(UNITS)
        raise Problem(f"metrics.csv: {metric.name}: unit '{metric.unit}' is none of {units}")
    return Field(metric.name, per_repetition(metric.unit), metric.meaning)


ROW = (
    Field(
        "name",
        text(NAME, names.LONGEST),
        "kernel/key:value/…; no two rows have the same",
        required=True,
    ),
    Field("evidence", one_of(*EVIDENCE), "measured, counted, or predicted alone", required=True),
    Field("level", one_of(*LEVELS), "what holds the data: L1, L2, DRAM"),
    Field("kind", one_of(*KINDS), "a kernel of the chapter (as without it), or a reference"),
    Field("time_us", repeated("us")[0], "of one launch, in every repetition"),
    Field("cpu_time_us", per_repetition("us or 0"), "of the host's thread in that repetition"),
    Field("launches", per_repetition("count"), "timed together in a repetition"),
    Field("sm_clock_mhz", per_repetition("MHz"), "SM clock while the repetition was timed"),
    Field("throttled", per_repetition("flag"), "1: clocks were held down"),
    Field("drifting", per_repetition("flag"), "1: clocks differed by over 1 % in turn"),
    Field("discarded_batches", per_repetition("count"), "throttled or drifting, timed again"),
    Field("predicted_seconds", UNITS["s"], "one launch, by the time model"),
    Field("predicted_bound", one_of(*BOUNDS), "what limits the predicted time"),
    *map(of_metric, TABLE),
)
