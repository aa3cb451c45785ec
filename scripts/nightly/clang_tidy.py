#!/usr/bin/env python3
"""clang-tidy over the C++ of common/ that is no test, by the checks of .clang-tidy.

    PYTHONPATH=scripts .venv/bin/python scripts/nightly/clang_tidy.py [FILE…]

Takes some five CPU seconds a file, so it is no part of `scripts/lab check`. CUDA is left to nvcc's warnings:
clang does not know every release of the toolkit.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from notebook.tools import bootstrap

ROOT = Path(__file__).resolve().parents[2]
# Where pip puts it, whatever PATH says.
TOOL = Path(sys.executable).with_name("clang-tidy")
# Flags of GCC that clang does not know.
OF_GCC = ("-fno-reorder-blocks-and-partition",)
_INCLUDED = re.compile(r"#include ?<(.+)>")


def main(names: list[str]) -> int:
    if failure := bootstrap.install_tools(bootstrap.NIGHTLY_REQUIREMENTS):
        print(f"error: clang-tidy cannot be installed: {failure}", file=sys.stderr)
        return 3
    database = ROOT / "build" / "compile_commands.json"
    if not database.is_file():
        print("error: nothing is configured in build/; run: scripts/lab test", file=sys.stderr)
        return 3
    files = names or _sources()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = compile_commands(database)
        Path(folder, "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
        fine = pool.map(lambda name: _passes(name, folder), files)
        failed = [name for name, passed in zip(files, fine, strict=True) if not passed]
    print(f"clang-tidy: {len(files)} files, {len(failed)} with findings")
    return 1 if failed else 0


def _sources() -> list[str]:
    command = ["git", "-C", str(ROOT), "ls-files", "common/*.cpp"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in listed if "/tests/" not in name]


def compile_commands(database: Path) -> list[dict[str, object]]:
    """One command a source. Meson's database names no source of a joined file, and clang-tidy would take the command of
    another file whose name is alike."""
    commands: dict[str, dict[str, object]] = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        *flags, last = [part for part in shlex.split(entry["command"]) if part not in OF_GCC]
        file = Path(entry["directory"], last)
        joined = re.search(r"-unity\d+\.cpp$", last)
        for source in _INCLUDED.findall(file.read_text(encoding="utf-8")) if joined else [last]:
            name = str(Path(entry["directory"], source).resolve())
            command = {"directory": entry["directory"], "file": name, "arguments": [*flags, name]}
            commands.setdefault(name, command)
    return list(commands.values())


def _passes(name: str, database: str) -> bool:
    command = [TOOL, "-p", database, "--quiet", ROOT / name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout.strip() or done.stderr.strip(), flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
