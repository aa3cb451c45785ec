#!/usr/bin/env python3
"""Fuzzes the readers of common/: PTX, fat binaries, ptxas' output and command lines, by libFuzzer with
AddressSanitizer and UndefinedBehaviorSanitizer.

    PYTHONPATH=scripts .venv/bin/python scripts/nightly/fuzz.py [--seconds 600] [TARGET…]

Each target is common/tests/fuzz/TARGET_fuzzer.cpp. It starts from its corpus, which git tracks, and from what nvcc
makes of a test's kernels; what it finds stays in build/fuzz for the next time. `--keep` puts what reaches new code
into the corpus. Numbers of tables become C++ when the build runs, by Python: no reader of CSV is in common/.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from notebook.base.errors import CHECK_FAILED, MISSING
from notebook.base.progress import say
from notebook.tools import testing, toolbox

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "common" / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
PTX = "common/emulator/ptx/*/*.cpp"
SOURCES = {
    "ptx": [PTX],
    "fatbin": [PTX],
    "ptxas": [PTX],
    "command_line": [
        "common/lab/program/benchmark_flags.cpp",
        "common/lab/program/command_line.cpp",
    ],
}
FLAGS = ["-std=c++20", "-g", "-O1", "-fno-sanitize-recover=all", "-w"]
SANITIZERS = "address,undefined"
OLDEST_CLANG = 16
PACKAGES = ("clang-19", "libclang-rt-19-dev")
LONGEST_INPUT, MEGABYTES, SECONDS_AN_INPUT = 1 << 16, 500, 10
# Limits of a corpus, in bytes and files: git keeps it.
MAX_KEPT, MAX_FILES, LARGEST_KEPT = 20_000, 60, 2_000
SEED = ROOT / "common" / "tests" / "simt" / "simt_hazards.cu"


def main() -> int:
    options = _options()
    if not _compiler():
        toolbox.apt_install(list(PACKAGES), say)
    if not (compiler := _compiler()):
        how = f"apt-get install {' '.join(PACKAGES)}"
        print(
            f"error: fuzzing needs Clang {OLDEST_CLANG} or later with libFuzzer: {how}",
            file=sys.stderr,
        )
        return MISSING
    BUILD.mkdir(parents=True, exist_ok=True)
    if not _build(compiler, options.targets):
        return CHECK_FAILED
    seeds = _seeds()
    # All at once, whatever the cores: each has its time.
    with ThreadPoolExecutor(len(options.targets)) as pool:
        outcomes = list(pool.map(lambda name: _fuzz(name, seeds, options.seconds), options.targets))
    if options.keep:
        for name in options.targets:
            _keep(name)
    return CHECK_FAILED if None in outcomes else 0


def _compiler() -> str:
    """The newest Clang that has names of its own; older ones fail at the standard library's ranges."""
    paths = (shutil.which(f"clang++-{version}") for version in range(30, OLDEST_CLANG - 1, -1))
    return next(filter(None, paths), "")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--keep", action="store_true", help="put what was found into the corpus")
    parser.add_argument("targets", nargs="*", metavar="TARGET", default=list(SOURCES))
    return parser.parse_args()


def _fuzz(name: str, seeds: Path, seconds: int) -> int | None:
    """The inputs that were tried; None where one fails, and its file is named."""
    corpus, crashes = BUILD / name, BUILD / f"{name}-crashes"
    for folder in (corpus, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    limits = [
        f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}", f"-timeout={SECONDS_AN_INPUT}",
        f"-rss_limit_mb={MEGABYTES}", f"-artifact_prefix={crashes}/", "-print_final_stats=1", "-verbosity=0",
    ]  # fmt: skip
    if (dictionary := FOLDER / f"{name}.dict").is_file():
        limits.append(f"-dict={dictionary}")
    folders = [corpus, *(folder for folder in (FOLDER / "corpus" / name, seeds) if folder.is_dir())]
    done = subprocess.run(
        [_program(name), *limits, *folders],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        tail = "\n".join(done.stderr.splitlines()[-30:])
        print(f"fuzzing {name} FAILED; the input is in {crashes}\n{tail}", flush=True)
        return None
    tried = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    number = int(tried[1]) if tried else 0
    testing.count("inputs fuzzed", number)
    print(f"fuzzing {name}: {number} inputs, {len(list(corpus.iterdir()))} kept", flush=True)
    return number


def _build(compiler: str, targets: list[str]) -> bool:
    """Compiles what the targets share once, on all cores; False where something does not compile."""
    headers = max(path.stat().st_mtime for path in ROOT.glob("common/**/*.hpp"))
    needed = {source for name in targets for source in _sources(name)}

    def compiled(source: Path) -> bool:
        target = _object(source)
        newest = max(source.stat().st_mtime, headers)
        if target.is_file() and target.stat().st_mtime > newest:
            return True
        flags = [*FLAGS, f"-fsanitize=fuzzer-no-link,{SANITIZERS}", f"-I{ROOT / 'common'}"]
        return _succeeds([compiler, *flags, "-c", source, "-o", target])

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        if not all(list(pool.map(compiled, sorted(needed)))):
            return False
    link = [compiler, f"-fsanitize=fuzzer,{SANITIZERS}"]
    return all(
        _succeeds([*link, *map(_object, _sources(name)), "-ldl", "-o", _program(name)])
        for name in targets
    )


def _sources(name: str) -> list[Path]:
    paths = [path for pattern in SOURCES[name] for path in sorted(ROOT.glob(pattern))]
    return [FOLDER / f"{name}_fuzzer.cpp", *paths]


def _object(source: Path) -> Path:
    return BUILD / f"{source.stem}.o"


def _program(name: str) -> Path:
    return BUILD / f"{name}_fuzzer"


def _succeeds(command: list[object]) -> bool:
    return subprocess.run([str(word) for word in command], check=False).returncode == 0


def _seeds() -> Path:
    """What nvcc makes of a file: its PTX, and fat binaries with each compression; [] without nvcc."""
    folder = BUILD / "seeds"
    nvcc = toolbox.find_nvcc()
    if folder.is_dir() or not nvcc:
        return folder
    folder.mkdir(parents=True)
    for name, flags in {
        "hazards.ptx": ["-ptx", "-arch=compute_75", "-lineinfo"],
        "hazards.fatbin": ["-fatbin", "-arch=sm_90"],
        "hazards.lz4.fatbin": ["-fatbin", "-arch=sm_75", "-Xfatbin", "--compress-mode=speed"],
        "hazards.plain.fatbin": ["-fatbin", "-arch=sm_75", "-Xfatbin", "--no-compress"],
        "hazards.cubin": ["-cubin", "-arch=sm_80"],
    }.items():
        command = [nvcc, "-std=c++17", *flags, SEED, "-o", folder / name]
        subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
    return folder


def _keep(name: str) -> None:
    """Small inputs of what was found, of all sizes, up to a number and a size."""
    target = FOLDER / "corpus" / name
    target.mkdir(parents=True, exist_ok=True)
    inputs = [path for path in (BUILD / name).iterdir() if path.stat().st_size <= LARGEST_KEPT]
    inputs.sort(key=lambda path: path.stat().st_size)
    size = 0
    for path in inputs[:: -(-len(inputs) // MAX_FILES)]:
        size += path.stat().st_size
        if size <= MAX_KEPT:
            shutil.copy(path, target / path.name[:16])


if __name__ == "__main__":
    sys.exit(main())
