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
# AArch64 passes a structure of more than 16 bytes by its address: other bits there are no call that C can make.
_TAKES_A_LARGE_STRUCTURE = re.compile(
    r"cuda(Malloc3D|Malloc3DArray|MallocMipmappedArray|Memset3D|Memset3DAsync|IpcOpen(Event|Mem)Handle)(_ptds|_ptsz)?"
)
_AARCH64 = 183  # e_machine of an ELF file


def exported_functions(library: str) -> list[str]:
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    names = set(re.findall(r" [TW] (\w+)@@libcudart", listing))
    names -= _RETURNS_A_STRUCTURE
    if machine_of(library) == _AARCH64:
        names = {name for name in names if not _TAKES_A_LARGE_STRUCTURE.fullmatch(name)}
    return sorted(names)


def machine_of(library: str) -> int:
    with open(library, "rb") as file:
        return int.from_bytes(file.read(20)[18:20], "little")


def main() -> int:
    program, library = sys.argv[1:]
    functions = exported_functions(library)
    assert len(functions) > 400, "the library's symbols were not read"
    return subprocess.run([program, library, *functions], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
