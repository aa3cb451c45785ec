#!/usr/bin/env python3
"""What libcudart exports: exactly NVIDIA's names under its version node, and the emulator's own.

    exported_symbols_test.py LIBRARY VERSION PER_THREAD_ALIASES.TXT FUNCTIONS.INC…

Also that no function of the API has C++ linkage: one whose header was not included would get it, and the
stub would take its place in silence.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def symbols(library: str, *flags: str) -> list[str]:
    listing = subprocess.run(
        ["nm", *flags, "--defined-only", library], check=True, capture_output=True, text=True
    )
    return [
        line.split(maxsplit=2)[2]
        for line in listing.stdout.splitlines()
        if len(line.split(maxsplit=2)) == 3
    ]


def main() -> int:
    library, version, aliases, *functions = sys.argv[1:]
    expected = set(Path(aliases).read_text().split())
    for table in functions:
        expected |= set(re.findall(r"^FUNCTION\((\w+)\)", Path(table).read_text(), re.MULTILINE))
    assert len(expected) > 400, "the tables were not read"
    exported = {name for name in symbols(library, "-D") if f"@@{version}" in name}
    exported = {name.split("@")[0] for name in exported} - {version}
    own = {name for name in exported if name.startswith("emulatedGpu")}
    others = [name for name in symbols(library, "-D") if "@" not in name and name != version]
    cxx = [name for name in symbols(library, "-C") if re.match(r"cuda[A-Z]\w*\(", name)]
    failures = [
        *(f"missing: {name}" for name in sorted(expected - exported)),
        *(
            f"neither NVIDIA's nor emulatedGpu...: {name}"
            for name in sorted(exported - expected - own)
        ),
        *(f"exported without a version: {name}" for name in others),
        *(f"has C++ linkage: {name}" for name in cxx),
        *([] if own else ["no emulatedGpu... function is exported"]),
    ]
    print("\n".join(failures) or f"{len(exported)} symbols, as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
