#!/usr/bin/env python3
"""clang-tidy over the C++ of common/ that is no test, by the checks of .clang-tidy.

    PYTHONPATH=scripts .venv/bin/python scripts/nightly/clang_tidy.py [FILE…]

Takes some five CPU seconds a file, so it is no part of `scripts/lab check`. CUDA is left to nvcc's warnings:
clang does not know every release of the toolkit.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from notebook.tools import bootstrap

ROOT = Path(__file__).resolve().parents[2]
# Where pip puts it, whatever PATH says.
TOOL = Path(sys.executable).with_name("clang-tidy")


def main(names: list[str]) -> int:
    if failure := bootstrap.install_tools(bootstrap.NIGHTLY_REQUIREMENTS):
        print(f"error: clang-tidy cannot be installed: {failure}", file=sys.stderr)
        return 3
    files = names or _sources()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [
            name for name, fine in zip(files, pool.map(_passes, files), strict=True) if not fine
        ]
    print(f"clang-tidy: {len(files)} files, {len(failed)} with findings")
    return 1 if failed else 0


def _sources() -> list[str]:
    command = ["git", "-C", str(ROOT), "ls-files", "common/*.cpp"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in listed if "/tests/" not in name]


def _passes(name: str) -> bool:
    command = [TOOL, "-p", ROOT / "build", "--quiet", ROOT / name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout.strip() or done.stderr.strip(), flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
