#!/usr/bin/env python3
"""Compiles the notebook for arm64 and runs its C++ tests under QEMU: a weekly part of a release.

Makes a root of Debian's arm64 packages, compiles for it with the cross compiler and this machine's nvcc, whose
runtime for arm64 comes from PyPI, and runs the tests under qemu-user. Needs root rights, about 2 GB and the network,
and what `scripts/lab setup` installs:

    sudo apt-get install debootstrap qemu-user-static g++-aarch64-linux-gnu
    sudo PYTHONPATH=scripts .venv/bin/python scripts/weekly/arm64_root.py

`--address-bits 39` makes it a kernel whose processes have few addresses.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from notebook.tools import nvcc, toolbox
from notebook.tools.build import MESON
from notebook.tools.fresh_root import REPOSITORY, say

_QEMU = "qemu-aarch64-static"
_TOOLS = ("debootstrap", _QEMU, "aarch64-linux-gnu-g++")
_PACKAGES = ("libgtest-dev", "libbenchmark-dev", "libstdc++-12-dev", "libc6-dev")
_SUITE = "bookworm"
_MIRROR = "http://deb.debian.org/debian"
_WHEELS = REPOSITORY / "scripts" / "requirements" / "nvcc.txt"
_TARGET = "sbsa-linux"
# They start themselves again on an emulated GPU: the kernel has to know what runs a program for arm64.
_RESTARTED = ("published_counters_", "hazards_1_", "hazards_3_", "unified_memory_")
_HEADER = r"\x7fELF\x02\x01\x01" + r"\x00" * 9 + r"\x02\x00\xb7\x00"
_MASK = r"\xff" * 7 + r"\x00" + r"\xff" * 8 + r"\xfe\xff\xff\xff"
# A user namespace has a binfmt_misc of its own since Linux 6.7: the machine's stays as it is.
_WITH_BINFMT = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
_WITH_BINFMT += [
    "mount -t binfmt_misc none /proc/sys/fs/binfmt_misc\n"
    'printf %s "$0" >/proc/sys/fs/binfmt_misc/register\n'
    'exec "$@"'
]
_CROSS_FILE = """[constants]
root = '{root}'
[binaries]
cpp = [{cache}'aarch64-linux-gnu-g++', '--sysroot=' + root]
cuda = ['{cuda}/bin/nvcc', '-ccbin=aarch64-linux-gnu-g++', '--target-directory={target}',
    '-Xcompiler=--sysroot=' + root, '-Xlinker=--sysroot=' + root]
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
exe_wrapper = '{qemu}'
[properties]
sys_root = root
pkg_config_libdir = root + '/usr/lib/aarch64-linux-gnu/pkgconfig:' + root + '/usr/share/pkgconfig'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""


def main() -> int:
    options = _options()
    missing = [tool for tool in _TOOLS if not shutil.which(tool)]
    if os.geteuid() != 0 or missing:
        needed = "debootstrap qemu-user-static g++-aarch64-linux-gnu"
        say(f"error: this needs root and: sudo apt-get install {needed}")
        return 3
    release = nvcc.release(toolbox.find_nvcc())
    if release is None or release[0] != 13 or not (_toolkit() / "nvvm").is_dir():
        say("error: this needs the nvcc of CUDA 13 that scripts/lab setup or NVIDIA installs")
        return 3
    folder = options.folder.resolve()
    root, cuda, build = folder / "root", folder / "cuda", folder / "build"
    _make_root(root, options.mirror)
    _make_toolkit(cuda, folder / "wheels")
    # QEMU's -L and -R, which hold for programs that start themselves again, too.
    os.environ["QEMU_LD_PREFIX"] = str(root)
    if options.address_bits:
        os.environ["QEMU_RESERVED_VA"] = str(1 << options.address_bits)
    cache = "'ccache', " if shutil.which("ccache") else ""
    cross_file = folder / "arm64.ini"
    cross_file.write_text(
        _CROSS_FILE.format(root=root, cuda=cuda, target=_TARGET, qemu=_QEMU, cache=cache)
    )
    shutil.rmtree(build, ignore_errors=True)
    _run([*MESON, "setup", "--cross-file", str(cross_file), str(build), str(REPOSITORY)])
    _run([str(Path(sys.executable).with_name("ninja")), "-C", str(build), "meson-test-prereq"])
    return _test(build, options.tests)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", help="names of tests; default: all")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("/var/tmp/lab-arm64"),
        help="where root and build are made (default: %(default)s)",
    )
    parser.add_argument("--mirror", default=_MIRROR, help="of Debian (default: %(default)s)")
    parser.add_argument(
        "--address-bits", type=int, choices=(39, 42), help="that processes have; default: all"
    )
    return parser.parse_args()


def _test(build: Path, names: list[str]) -> int:
    # QEMU takes ten to thirty times as long as the processor itself.
    command = [*MESON, "test", "-C", str(build), "--timeout-multiplier", "60", *names]
    binfmt = [*_WITH_BINFMT, f":arm64:M::{_HEADER}:{_MASK}:{shutil.which(_QEMU)}:F"]
    if subprocess.run([*binfmt, "true"], capture_output=True, check=False).returncode == 0:
        command = [*binfmt, *command]
    elif not names:
        say(f"left out, as they need Linux 6.7: {', '.join(_RESTARTED)}")
        command += _tests(build)
    return subprocess.run(command, env=toolbox.environment(), check=False).returncode


def _tests(build: Path) -> list[str]:
    command = [*MESON, "introspect", "--tests", str(build)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = [test["name"] for test in json.loads(listing)]
    return [name for name in names if not name.startswith(_RESTARTED)]


def _make_root(root: Path, mirror: str) -> None:
    """Unpacks packages: nothing of them is run, which would need QEMU as the system's interpreter."""
    if (root / "made").is_file():
        return
    say(f"making a root of Debian's {_SUITE} for arm64 in {root}")
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    command = ["debootstrap", "--foreign", "--arch=arm64", "--variant=minbase"]
    command.append(f"--include={','.join(_PACKAGES)}")
    _run([*command, _SUITE, str(root), mirror])
    for package in sorted((root / "var/cache/apt/archives").glob("*.deb")):
        _run(["dpkg-deb", "--extract", str(package), str(root)])
    (root / "made").touch()


def _toolkit() -> Path:
    return Path(toolbox.find_nvcc()).resolve().parents[1]


def _make_toolkit(cuda: Path, wheels: Path) -> None:
    """The machine's nvcc, which looks for the other machine's runtime beside itself."""
    top = _toolkit()
    shutil.rmtree(cuda, ignore_errors=True)
    target = cuda / "targets" / _TARGET
    target.mkdir(parents=True)
    shutil.copytree(top / "bin", cuda / "bin")
    (cuda / "nvvm").symlink_to(top / "nvvm")
    (cuda / "include").symlink_to(top / "include")
    (target / "include").symlink_to(top / "include")
    lines = _WHEELS.read_text(encoding="utf-8").splitlines()
    runtime = next(line.split()[0] for line in lines if line.startswith("nvidia-cuda-runtime=="))
    platform = ["--platform=manylinux2014_aarch64", "--only-binary=:all:", "--no-deps"]
    _run([sys.executable, "-m", "pip", "download", "--dest", str(wheels), *platform, runtime])
    with zipfile.ZipFile(next(wheels.glob("nvidia_cuda_runtime-*aarch64.whl"))) as wheel:
        names = [name for name in wheel.namelist() if name.startswith("nvidia/cu13/lib/")]
        wheel.extractall(target / "wheel", names)
    shutil.move(target / "wheel" / "nvidia/cu13/lib", target / "lib")
    (target / "lib" / "libcudart.so").symlink_to("libcudart.so.13")


def _run(command: list[str]) -> None:
    subprocess.run(command, env=toolbox.environment(), check=True)


if __name__ == "__main__":
    sys.exit(main())
