#!/usr/bin/env python3
"""The C++ tests without GPU code under sanitizers: models, PTX and the harness under AddressSanitizer and
UndefinedBehaviorSanitizer, and the emulated GPU, whose workers share memory, under ThreadSanitizer, too.

    PYTHONPATH=scripts .venv/bin/python scripts/nightly/sanitizers.py [address|thread]

Builds in build/asan and build/tsan, without optimisation of tests and at -O1 for the rest.
"""

import subprocess
import sys
import time
from pathlib import Path

from notebook.base.errors import CHECK_FAILED
from notebook.tools import build, testing, toolbox

ROOT = Path(__file__).resolve().parents[2]
# Those of the emulated GPU: warps of several blocks at a time, on several threads.
CONCURRENT = (
    *("simt_kernels", "simt_control", "simt_hazards", "asynchronous_copy", "cluster", "texture"),
)
ALONE = (
    *("coalescing", "global_races", "hazards_model", "l1_cache", "l2_reuse", "occupancy"),
    *("shared_banks", "shared_tries", "slice_loads"),
    *("timing", "timing_atomics", "timing_branches", "timing_constant_cache", "timing_copies"),
    *("timing_control_flow", "timing_mechanisms", "timing_memory", "timing_queue", "timing_waves"),
    *("control_flow", "library_headers", "machine_counts", "machine_flow", "ptx_fatbin"),
    *("ptx_link", "ptx_mutations", "ptx_parser", "ptx_resource_usage"),
    *("full_unrolling", "issued_accesses", "load_sinking", "local_accesses", "lowering"),
    *("moved_loads", "reorder", "stores_behind_loads", "unrolled_loops"),
    *("arithmetic", "cost_model", "rare_operands", "recorded_waits", "tensor", "tensor_hardware"),
    "tensor_sums",
    *("trace_recorder", "warpgroup"),
    *("admission", "command_line", "measurement", "reporting", "validation"),
)
SANITIZERS = {
    "address": ("asan", "address,undefined", (*ALONE, *CONCURRENT)),
    "thread": ("tsan", "thread", CONCURRENT),
}
SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}


def main(names: list[str]) -> int:
    return 0 if all([_passes(*SANITIZERS[name]) for name in names or SANITIZERS]) else CHECK_FAILED


def _passes(folder_name: str, sanitizers: str, tests: tuple[str, ...]) -> bool:
    began = time.monotonic()
    folder = ROOT / "build" / folder_name
    if not (folder / "build.ninja").is_file():
        flags = [f"-Db_sanitize={sanitizers}", "-Db_lundef=false", "-Doptimization=1"]
        if not _runs([*build.MESON, "setup", *flags, str(folder), str(ROOT)]):
            return False
    programs = [f"common/tests/{name}_test" for name in tests]
    ninja = str(Path(sys.executable).with_name("ninja"))
    if not _runs([ninja, "-C", str(folder), "--quiet", *programs]):
        return False
    wrong = [
        name
        for name, program in zip(tests, programs, strict=True)
        if not _runs([str(folder / program), "--gtest_brief=1"])
    ]
    testing.count("tests under sanitizers", len(tests) - len(wrong))
    seconds = time.monotonic() - began
    print(
        f"{sanitizers}: {len(tests)} tests, failed: {', '.join(wrong) or 'none'}; {seconds:.0f} s"
    )
    return not wrong


def _runs(command: list[str]) -> bool:
    environment = toolbox.environment() | SETTINGS
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout[-6000:], flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
