"""Prints the folder of the CUDA toolkit that an nvcc belongs to: NVCC…

nvcc may be a script or a link far away from it, so nvcc itself is asked.
"""

import os
import re
import subprocess
import sys


def toolkit(nvcc: list[str]) -> str:
    """The TOP of nvcc's own description of what it would do."""
    command = [*nvcc, "--dryrun", "-E", "-x", "cu", os.devnull]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    match = re.search(r"^#\$ TOP=(.+)$", said, re.MULTILINE)
    if match is None:
        raise SystemExit(f"{' '.join(command)}: names no TOP")
    return os.path.realpath(match[1])


if __name__ == "__main__":
    print(toolkit(sys.argv[1:]))
