#!/usr/bin/env python3
"""Compile a CUDA source for the emulated GPU: one object file from one .cu file.

    compile_for_emulator.py SOURCE OBJECT DEPFILE -- COMPILER FLAG...

`extern __shared__ T name[];` becomes an undefined thread-local symbol, since nothing in the language
defines it. This adds the definition: one block of thread-local memory that all such names of the
object share, as they do on a GPU.

What the emulated GPU cannot run does not compile; where that is inline PTX or a CUDA function it
lacks, the first line on standard error names the place and the construct.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

# The largest amount of shared memory that a block can have on any architecture.
DYNAMIC_SHARED_BYTES = 227 * 1024


def undefined_thread_locals(object_file: Path) -> list[str]:
    symbols = subprocess.run(
        ["readelf", "--symbols", "--wide", object_file], check=True, capture_output=True, text=True
    ).stdout
    names = []
    for line in symbols.splitlines():
        # Num: Value Size Type Bind Vis Ndx Name
        fields = line.split()
        if len(fields) == 8 and fields[3] == "TLS" and fields[6] == "UND":
            # The standard library's own thread-locals are defined there.
            if not fields[7].startswith(("_ZSt", "_ZTHSt", "_ZNSt")):
                names.append(fields[7])
    return names


def stub_source(names: list[str]) -> str:
    lines = ['.section .tbss,"awT",%nobits', ".balign 128"]
    for name in [*names, "emulator_dynamic_shared"]:
        # Weak: another object of the executable may use the same name.
        lines += [f".weak {name}"] if name in names else []
        lines += [f".type {name}, %tls_object", f".size {name}, {DYNAMIC_SHARED_BYTES}", f"{name}:"]
    lines += [f".zero {DYNAMIC_SHARED_BYTES}", '.section .note.GNU-stack,"",%progbits', ""]
    return "\n".join(lines)


MISSING_NAME = re.compile(
    r"^(?P<place>[^:\n]+:\d+):\d+: error: [‘'](?P<name>\w+)[’'] (was not declared|has not been declared)",
    re.MULTILINE,
)
# The compiler shows the line below its message: `    3 |     asm("ld.global ...`.
BAD_OPERANDS = re.compile(
    r"^(?P<place>[^:\n]+:\d+):\d+: error: [^\n]*\n *\d+ \|[^\n]*\basm\b", re.MULTILINE
)
# g++ tells the assembler where inline assembly stands, so that it names the source and not its input.
NOT_ASSEMBLED = re.compile(r"^(?P<place>[^:\n]+:\d+): Error: [^\n]*[`'](?P<text>[^'\n]+)'", re.MULTILINE)


def refusal(errors: str) -> str | None:
    """One line for a construct that the emulated GPU does not run, if that is what `errors` are."""
    if missing := MISSING_NAME.search(errors):
        name = missing["name"]
        if name.startswith("__") or name in ("clock", "clock64", "globaltimer", "nvcuda"):
            return f"{missing['place']}: the emulated GPU has no {name}"
    if operands := BAD_OPERANDS.search(errors):
        return f"{operands['place']}: the emulated GPU cannot run inline PTX"
    if ptx := NOT_ASSEMBLED.search(errors):
        return f"{ptx['place']}: the emulated GPU cannot run inline PTX: {ptx['text']}"
    return None


def main(arguments: list[str]) -> int:
    source, output, depfile = (Path(argument) for argument in arguments[:3])
    compiler = arguments[4:]
    kernels = output.with_suffix(".kernels.o")
    compiled = subprocess.run(
        [*compiler, "-MMD", "-MF", depfile, "-MT", output]
        + ["-x", "c++", "-c", source, "-o", kernels],
        stderr=subprocess.PIPE,
        text=True,
    )
    if compiled.returncode != 0 and (line := refusal(compiled.stderr)):
        print(f"error: {line}", file=sys.stderr)
    sys.stderr.write(compiled.stderr)
    if compiled.returncode != 0:
        return compiled.returncode
    names = undefined_thread_locals(kernels)
    if not names:
        kernels.replace(output)
        return 0
    stub = output.with_suffix(".shared.o")
    subprocess.run(["as", "-o", stub, "-"], input=stub_source(names), text=True, check=True)
    subprocess.run(["ld", "-r", "-o", output, stub, kernels], check=True)
    stub.unlink()
    kernels.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
