"""Looks into an executable: can the emulated GPU run it, and if not, how must it be built?

Two facts decide: the program loads libcudart.so (instead of having a runtime of its own), and its
device code is there as PTX. Both are read from the ELF file; see common/emulator/README.md.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

from notebook.base import files
from notebook.base.errors import WRONG_USAGE, Malformed, Problem
from notebook.base.text import plain, quoted

# Ours, and all that a program may ask for.
RUNTIMES = ("libcudart.so.13", "libcudart.so.12")
# The libraries beside them, for programs that load them.
LIBRARIES = (*RUNTIMES, "libcublas.so.13", "libcublas.so.12")
HOW_TO_BUILD = "nvcc -cudart shared -arch=compute_75 -lineinfo"

# Imports of a program that measures time by the host's clock.
_CLOCKS = {
    "_ZNSt6chrono3_V212steady_clock3nowEv": "std::chrono::steady_clock",
    "_ZNSt6chrono3_V212system_clock3nowEv": "std::chrono::system_clock",
    "clock_gettime": "clock_gettime",
    "gettimeofday": "gettimeofday",
    "clock": "clock",
    "omp_get_wtime": "omp_get_wtime",
}
_LARGEST_PROGRAM = 256 * 2**20
_FATBIN_MAGIC = 0xBA55ED50
_PTX = 1
# Sections of device code; the second holds what -rdc=true leaves to be linked.
_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
_DYNAMIC = 6
_NEEDED = 1


@dataclass(frozen=True)
class Contents:
    """What an ELF file needs and holds."""

    libraries: tuple[str, ...]
    has_device_code: bool
    has_ptx: bool
    clocks: tuple[str, ...]  # of the host, that it reads


def require_emulable(path: Path) -> None:
    """Raises Problem where the program cannot run on the emulated GPU; says how to build it."""
    try:
        contents = inspect(files.read_bytes(path, _LARGEST_PROGRAM))
    except Malformed as error:
        raise Problem(f"{quoted(path)}: {error}; it is no program to emulate") from error
    # A script, or a program whose CUDA code is in a library: only running it shows.
    if contents is None or not contents.has_device_code:
        return
    name = plain(path.name)
    runtimes = [library for library in contents.libraries if library.startswith("libcudart.so")]
    if not runtimes:
        raise Problem(
            f"{name} is linked with CUDA's runtime statically; build it with: {HOW_TO_BUILD}",
            WRONG_USAGE,
        )
    if not any(runtime in RUNTIMES for runtime in runtimes):
        raise Problem(
            f"{name} was built for {plain(runtimes[0])}; the emulated GPU is {' and '.join(RUNTIMES)}; build it "
            f"with nvcc 12 or 13: {HOW_TO_BUILD}",
            WRONG_USAGE,
        )
    if not contents.has_ptx:
        raise Problem(
            f"{name} holds machine code but no PTX; build it with: {HOW_TO_BUILD}", WRONG_USAGE
        )


def host_clock_notes(path: Path) -> list[str]:
    """A line for a program that reads the host's clock."""
    contents = inspect(files.read_bytes(path, _LARGEST_PROGRAM))
    if contents is None or not contents.clocks:
        return []
    return [
        f"the program reads the host's clock ({', '.join(contents.clocks)}): that is the time of the emulation on this "
        "CPU; cudaEventElapsedTime alone gives predicted time"
    ]


def inspect(image: bytes) -> Contents | None:
    """What the image of a 64-bit little-endian ELF file holds; None for any other file."""
    if image[:6] != b"\x7fELF\x02\x01":
        return None
    try:
        return _inspect(image)
    except (struct.error, IndexError, ValueError):
        return None


def _inspect(image: bytes) -> Contents:
    sections = _sections(image)
    names = sections[struct.unpack_from("<H", image, 62)[0]]
    fatbins, libraries, symbols = b"", [], b""
    for name, kind, offset, size, link in sections:
        if kind == _DYNAMIC:
            libraries += _needed(image, offset, size, sections[link][2])
            symbols = b"\0" + image[sections[link][2] :][: sections[link][3]]
        if _text(image, names[2] + name) in _SECTIONS:
            fatbins += image[offset : offset + size]
    clocks = tuple(
        clock for symbol, clock in _CLOCKS.items() if f"\0{symbol}\0".encode() in symbols
    )
    return Contents(tuple(libraries), bool(fatbins), _has_ptx(fatbins), clocks)


def _sections(image: bytes) -> list[tuple[int, int, int, int, int]]:
    """Name, kind, offset, size and link of each section."""
    table = struct.unpack_from("<Q", image, 40)[0]
    entry_bytes, count = struct.unpack_from("<HH", image, 58)
    sections = []
    for i in range(count):
        name, kind, _, _, offset, size, link = struct.unpack_from(
            "<IIQQQQI", image, table + i * entry_bytes
        )
        sections.append((name, kind, offset, size, link))
    return sections


def _needed(image: bytes, offset: int, size: int, strings: int) -> list[str]:
    entries = struct.iter_unpack("<qQ", image[offset : offset + size // 16 * 16])
    return [_text(image, strings + value) for tag, value in entries if tag == _NEEDED]


def _text(image: bytes, offset: int) -> str:
    return image[offset : image.index(b"\0", offset)].decode("utf-8", "replace")


def _has_ptx(fatbins: bytes) -> bool:
    """Whether one of the fatbins, which follow each other in their section, has an entry of PTX."""
    at = 0
    while (at := fatbins.find(struct.pack("<I", _FATBIN_MAGIC), at)) >= 0:
        header_bytes, length = struct.unpack_from("<HQ", fatbins, at + 6)
        entry, end = at + header_bytes, min(at + header_bytes + length, len(fatbins))
        while entry + 16 <= end:
            kind, _, entry_header, payload = struct.unpack_from("<HHIQ", fatbins, entry)
            if kind == _PTX:
                return True
            if entry_header + payload == 0:
                break
            entry += entry_header + payload
        at = max(end, at + 4)
    return False
