#!/usr/bin/env python3
"""No call of any function that libcudart exports ends in a signal, whatever its arguments are.

hostile_arguments_test.py PROGRAM LIBRARY
"""

from __future__ import annotations

import re
import subprocess
import sys

# Returns a structure: behind the one type that the program calls all functions through stands another argument.
_RETURNS_A_STRUCTURE = {"cudaCreateChannelDesc"}


def exported_functions(library: str) -> list[str]:
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    names = set(re.findall(r" [TW] (\w+)@@libcudart", listing))
    return sorted(names - _RETURNS_A_STRUCTURE)


def main() -> int:
    program, library = sys.argv[1:]
    functions = exported_functions(library)
    assert len(functions) > 400, "the library's symbols were not read"
    return subprocess.run([program, library, *functions], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
