"""Whether what a data file says of its GPU, its software and its run can be true at the same time.

Each fact is compared with the tables of known GPUs and against the other facts. Limits leave room for
what is honest: a slice of a GPU, another board of the same name, a GPU that no table has.
"""

import re
from datetime import UTC, datetime, timedelta

from notebook.base.errors import Malformed
from notebook.data import known_gpus
from notebook.data.fields import Json
from notebook.data.known_gpus import Capability, KnownGpu

# A larger GPU of a generation than those of the tables: TU102 has 1.8 times the SMs of a T4, and an RTX
# PRO 6000 1.3 times those of a B200. Generations to come grow by more.
_LARGER, _LARGER_NEXT = 2.0, 4.0
# Boards of one marketed name differ in SMs by an eighth (RTX 2060: 30 and 34), and in memory by a third.
_SMS_OF_A_NAME, _MEMORY_OF_A_NAME = 1.2, 1.6
# The theoretical peak by the clock of the memory, over the printed one (H200: 1.003).
_PEAK = 1.1
# Boost beyond the printed clock.
_BOOST = 1.5
# A memory clock so many times the highest of the generation is refused.
_MEMORY_CLOCK = 1.5
# Bytes that the memory's bus moves each half clock: 64 bits to 8,192 bits, and GDDR's several transfers a clock.
_BUS_BYTES = (4, 8192)
# Rows of a chapter can be left out later.
_VALIDATED = 2
# NVML has eleven reasons.
_REASONS = 1 << 12
_OF_EMULATED_GPUS = ("emulator_version", "tables_sha256")
_SMALLEST_L2 = 1 << 16
_SMALLEST_PEAK = 1e10
# The CUDA release that was the first to know the GPUs of a compute capability, and the last nvcc for them.
_FIRST_CUDA = {(7, 0): (9, 0), (7, 5): (10, 0), (8, 0): (11, 0), (8, 9): (11, 8)} | {
    (9, 0): (11, 8),
    (10, 0): (12, 8),
}
_FIRST_OF_NVCC_13 = (7, 5)
# A release, and the first branch of the driver that can be under its compatibility package.
_FIRST_DRIVER = {12: 450, 13: 525}
# A branch of the driver, and the CUDA release that it has at least.
_CUDA_OF_DRIVER = {525: (12, 0), 580: (13, 0)}
_RELEASED = {12: "2022-12-01", 13: "2025-08-01"}
# Two clocks of two machines.
_AHEAD = timedelta(days=2)
_MAX_PROCESSES = re.compile(r"up to ([0-9]{1,2}) for")
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")


def check_context(known: list[KnownGpu], document: Json) -> None:
    """Raises Malformed with the first contradiction."""
    context = document["context"]
    capability = known_gpus.capability_of(context["compute_capability"])
    _check_generation(known, context, capability)
    _check_sizes(known, context, capability)
    _check_model(known, context, capability)
    _check_state(known, context, capability)
    _check_software(context, capability)
    _check_date(context)
    _check_run(document)


def check_together(contexts: list[Json]) -> None:
    """Raises Malformed unless the chapters of a device are all about one GPU."""
    for key in (
        *("gpu_name", "generation", "compute_capability", "year", "sm_count", "l2_bytes"),
        *("dram_bytes_per_second", "fetch_unit_bytes", "mig"),
    ):
        values = {context.get(key) for context in contexts}
        if len(values) > 1:
            shown = " and ".join(sorted(map(str, values)))
            raise Malformed(f"are of one device, whose {key} is {shown}")


def clock_limit(known: list[KnownGpu], context: Json) -> float:
    """MHz that no SM of a GPU exceeds."""
    capability = known_gpus.capability_of(context["compute_capability"])
    gpus = known_gpus.alike(known, context["gpu_name"]) or known_gpus.of_generation(
        known, capability
    )
    return _BOOST * max((gpu.max_clock_mhz for gpu in gpus), default=3000.0)


def _check_generation(known: list[KnownGpu], context: Json, capability: Capability) -> None:
    text, generation, year = (context[key] for key in ("compute_capability", "generation", "year"))
    unit = context["fetch_unit_bytes"]
    if unit != 32 and capability >= (5, 0):
        raise Malformed(f"has {unit} fetch_unit_bytes on compute capability {text}, which has 32")
    if not known:
        return
    names = known_gpus.generations_of(known, capability)
    if known_gpus.is_newer(known, capability):
        newest = max(gpu.year for gpu in known)
        known_names = {gpu.generation for gpu in known} - set(names)
        if generation in known_names or year < newest:
            raise Malformed(f"is of {generation}, {year}, and of compute capability {text}")
        return
    if generation not in names:
        raise Malformed(
            f"is of {generation} and of compute capability {text}, which is {' or '.join(names)}"
        )
    if year != names[generation]:
        raise Malformed(
            f"has the year {year}; the first GPU of {generation} is of {names[generation]}"
        )


def _check_sizes(known: list[KnownGpu], context: Json, capability: Capability) -> None:
    """Against the largest GPU of the generation."""
    alike = known_gpus.of_generation(known, capability)
    factor = _LARGER_NEXT if known_gpus.is_newer(known, capability) else _LARGER
    for key, unit, least, largest in (
        ("sm_count", "SMs", 1, max((gpu.sm_count for gpu in alike), default=0)),
        ("l2_bytes", "bytes of L2", _SMALLEST_L2, max((gpu.l2_bytes for gpu in alike), default=0)),
        (
            *("dram_bytes_per_second", "bytes/s of DRAM", _SMALLEST_PEAK),
            max((gpu.dram_bytes_per_second for gpu in alike), default=0),
        ),
    ):
        value = context[key]
        if value < least or (largest and value > factor * largest):
            raise Malformed(
                f"is of a GPU of {value:g} {unit}, beyond any known GPU of compute capability "
                f"{context['compute_capability']} (at most {largest:g})"
            )


def _check_model(known: list[KnownGpu], context: Json, capability: Capability) -> None:
    """Against the rows of the tables that have its name. A slice of it has less of everything."""
    gpus = known_gpus.alike(known, context["gpu_name"])
    if not gpus:
        return
    name, is_slice = context["gpu_name"], context.get("mig", False)
    if capability not in {gpu.capability for gpu in gpus}:
        raise Malformed(f"is of a {name} of compute capability {context['compute_capability']}")
    marketed = any(gpu.is_marketed for gpu in gpus)
    sms, memory = (_SMS_OF_A_NAME, _MEMORY_OF_A_NAME) if marketed else (1.0, 1.0)
    for key, values, factor in (
        ("sm_count", [gpu.sm_count for gpu in gpus], sms),
        ("l2_bytes", [gpu.l2_bytes for gpu in gpus], memory),
        ("dram_bytes_per_second", [gpu.dram_bytes_per_second for gpu in gpus], _PEAK * memory),
    ):
        ranges = [(value / factor, value * factor) for value in values if value]
        value = context[key]
        below = is_slice or not ranges
        if ranges and not any((below or low <= value) and value <= high for low, high in ranges):
            shown = " or ".join(f"{value:g}" for value in sorted({*filter(None, values)}))
            raise Malformed(f"has {context[key]:g} as the {key} of a {name}, which has {shown}")


def _check_state(known: list[KnownGpu], context: Json, capability: Capability) -> None:
    """What the driver said before the run."""
    clock = context.get("sm_clock_mhz_before", 0)
    if clock > clock_limit(known, context):
        raise Malformed(f"has an SM clock of {clock:g} MHz before the run, beyond this GPU's")
    alike = known_gpus.of_generation(known, capability)
    highest = _MEMORY_CLOCK * max((gpu.memory_clock_mhz for gpu in alike), default=0)
    clock = context.get("memory_clock_mhz_before", 0)
    is_known = highest and all(gpu.memory_clock_mhz for gpu in alike if gpu.dram_bytes_per_second)
    if is_known and clock > highest:
        raise Malformed(f"has a memory clock of {clock:g} MHz before the run, beyond this GPU's")
    least, most = (2e6 * clock * size for size in _BUS_BYTES)
    if clock and not least <= context["dram_bytes_per_second"] <= most:
        raise Malformed(
            f"has a memory clock of {clock:g} MHz and {context['dram_bytes_per_second']:g} bytes/s of DRAM"
        )
    if context.get("throttle_reasons_before", 0) >= _REASONS:
        raise Malformed("has throttle_reasons_before that no driver knows")
    for key in _OF_EMULATED_GPUS:
        if key in context:
            raise Malformed(f"has the {key} of an emulated GPU")


def _check_software(context: Json, capability: Capability) -> None:
    driver = _version(context, "driver_version")
    runtime = _version(context, "runtime_version")
    compiler = _version(context, "compiler")
    if runtime[0] > driver[0]:
        raise Malformed(
            f"has the runtime of CUDA {runtime[0]} on a driver for CUDA {driver[0]}, "
            "which cannot run it"
        )
    if compiler[0] != runtime[0]:
        raise Malformed(
            f"has the compiler of CUDA {compiler[0]} and the runtime of CUDA {runtime[0]}"
        )
    _check_driver(context, driver)
    newest = max((key for key in _FIRST_CUDA if key <= capability), default=(0, 0))
    if driver < _FIRST_CUDA.get(newest, (0, 0)):
        raise Malformed(
            f"has a driver for CUDA {context['driver_version']}, which does not know compute "
            f"capability {context['compute_capability']}"
        )
    if compiler[0] >= 13 and capability < _FIRST_OF_NVCC_13:
        raise Malformed(
            f"was compiled by nvcc {compiler[0]}, which has no code for compute capability "
            f"{context['compute_capability']}"
        )
    _check_flags(context, capability)


def _check_driver(context: Json, driver: Capability) -> None:
    """The branch of the driver against the CUDA version that it states; a package for compatibility
    has newer ones than the branch, never older ones."""
    branch = int(re.match(r"[0-9]{0,6}", context.get("driver", ""))[0] or 0)  # type: ignore[index]
    if not branch:
        return
    least = max(
        (cuda for since, cuda in _CUDA_OF_DRIVER.items() if branch >= since), default=(0, 0)
    )
    if driver < least or branch < _FIRST_DRIVER.get(driver[0], 0):
        raise Malformed(
            f"has the driver {context['driver']} for CUDA {context['driver_version']}, which it is not"
        )


def _check_flags(context: Json, capability: Capability) -> None:
    """Some code in the executable must run on the GPU: PTX of its capability or an older one."""
    found = re.findall(r"code=(sm|compute)_([0-9]{2,3})[a-z]?\b", context["compile_flags"])
    codes = [(kind, (int(digits[:-1]), int(digits[-1]))) for kind, digits in found]
    runs = any(
        code <= capability and (kind == "compute" or code[0] == capability[0])
        for kind, code in codes
    )
    if codes and not runs:
        raise Malformed(
            f"was compiled for other GPUs than one of compute capability "
            f"{context['compute_capability']} (compile_flags)"
        )


def _check_date(context: Json) -> None:
    try:
        date = datetime.fromisoformat(context["date"])
    except ValueError as error:
        raise Malformed("does not say its date") from error
    if date > datetime.now(UTC) + _AHEAD:
        raise Malformed(f"was measured on {context['date']}, which is still to come")
    compiler = _version(context, "compiler")[0]
    released = _RELEASED.get(min(compiler, max(_RELEASED)), "")
    if date.year < context["year"] or date.date().isoformat() < released:
        raise Malformed(
            f"was measured on {context['date']}, before its GPU or its compiler existed"
        )


def _check_run(document: Json) -> None:
    """Numbers of the run that the rows show as well."""
    context, rows = document["context"], document["rows"]
    processes = context["processes"]
    seconds = context.get("process_seconds", [])
    if seconds and len(seconds) != processes:
        raise Malformed(f"has {processes} processes and process_seconds of {len(seconds)}")
    for process in range(processes):
        if not any(len(row["time_us"]) > process and row["time_us"][process] for row in rows):
            raise Malformed(f"has {processes} processes, and one measured nothing")
    stated = _MAX_PROCESSES.search(context.get("stopping_rule", ""))
    if stated and processes > int(stated[1]):
        raise Malformed(f"has {processes} processes; its stopping_rule allows {stated[1]}")
    if context.get("unsettled", 0) > len(rows):
        raise Malformed(f"has {context['unsettled']} unsettled rows of {len(rows)}")
    validated = context.get("validated_variants", len(rows))
    if not len(rows) <= validated <= _VALIDATED * len(rows):
        raise Malformed(f"validated {validated} variants and has {len(rows)} rows")


def _version(context: Json, key: str) -> Capability:
    found = _VERSION.search(context[key])
    if not found:
        raise Malformed(f"does not say its {key} as a version")
    return int(found[1]), int(found[2])
