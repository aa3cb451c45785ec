"""Checks the compute capabilities that Meson is to compile for, and prints them, a line each: 90 for 9.0.

`native` stands for those of this machine's GPUs. A word that is none is one line and exit status 1.
"""

import re
import sys

from notebook.base.text import plain
from notebook.tools import gpus_here

_TARGET = re.compile(r"[1-9][0-9]{1,2}[af]?")


def targets(words: list[str]) -> list[str]:
    """Raises ValueError for what no GPU has."""
    found = []
    for word in words:
        if word == "native":
            found += [str(gpu.target) for gpu in gpus_here.gpus()]
        elif _TARGET.fullmatch(word):
            found.append(word)
        else:
            raise ValueError(
                f"gpu_targets: '{plain(word)}' is no compute capability; expected numbers like 80,90, or native"
            )
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    try:
        print("\n".join(targets(sys.argv[1:])))
    except ValueError as error:
        sys.exit(str(error))
