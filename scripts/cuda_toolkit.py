"""Prints where the parts of the CUDA toolkit are that an nvcc belongs to, a line each: [--targets NAME,…] NVCC…

The folder of its headers, empty where every compiler looks there, and the path of the runtime that it links.
nvcc may be a script or a link far away from both, and a distribution lays them out as it likes: nvcc itself is asked.
With --targets, the runtime is that of another machine than this one, in targets/NAME/lib.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

_RUNTIMES = ("libcudart.so.13", "libcudart.so.12")
# Below a toolkit, where nvcc does not name them.
_FOLDERS = ("lib64", "lib", "targets/*/lib")
_EVERYWHERE = ("/usr/include", "/usr/local/include")


def headers(nvcc: list[str]) -> str:
    """The folder of cuda_runtime.h, which nvcc includes in every file."""
    depends = _said([*nvcc, "-M", "-x", "cu", os.devnull])[0]
    match = re.search(r"(\S(?:\\\s|\S)*)/cuda_runtime\.h", depends)
    if match is None:
        raise SystemExit(f"{' '.join(nvcc)}: includes no cuda_runtime.h")
    folder = os.path.realpath(match[1].replace("\\ ", " "))
    return "" if folder in _EVERYWHERE else folder


def runtime(nvcc: list[str], headers_folder: str, targets: list[str]) -> Path:
    """The libcudart.so.N of the toolkit: where its linker looks, or beside its headers; of `targets`, if any."""
    dry_run = _said([*nvcc, "--dryrun", "-E", "-x", "cu", os.devnull])[1]
    folders = [Path(folder.strip('"')) for folder in re.findall(r'-L("[^"]+"|\S+)', dry_run)]
    tops = [Path(top) for top in re.findall(r"^#\$ TOP=(.+)$", dry_run, re.MULTILINE)]
    tops += [Path(headers_folder).parent] if headers_folder else []
    patterns = [f"targets/{target}/lib" for target in targets] or _FOLDERS
    folders = [] if targets else folders
    for top in tops:
        folders += [folder for pattern in patterns for folder in sorted(top.glob(pattern))]
    for folder in folders:
        for name in _RUNTIMES:
            if (folder / name).is_file():
                return Path(os.path.realpath(folder)) / name
    raise SystemExit(f"{' '.join(nvcc)}: its toolkit has no {' or '.join(_RUNTIMES)}")


def _said(command: list[str]) -> tuple[str, str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout, done.stderr


def main(arguments: list[str]) -> None:
    is_for_another = arguments[0] == "--targets"
    nvcc = arguments[2:] if is_for_another else arguments
    folder = headers(nvcc)
    print(folder)
    print(runtime(nvcc, folder, arguments[1].split(",") if is_for_another else []))


if __name__ == "__main__":
    main(sys.argv[1:])
