"""One archive of a device's results, as people send it to each other: <device>.tar.gz.

An archive from other people is hostile until it is read: it is unpacked in memory, up to a limit,
and nothing but plain files with the names of results comes out of it.
"""

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from tarfile import TarInfo

from notebook.base.errors import Problem
from notebook.base.text import plain, quoted

# A GPU's results with all counters are 3 MB, and 300 KB packed.
_LARGEST_ARCHIVE = 32 * 2**20
_LARGEST_CONTENT = 64 * 2**20
_LARGEST_FILE = 8 * 2**20
_MAX_FILES = 200
# The device, then a chapter's results, its counters, or how these were measured.
_NAME = re.compile(
    r"(?P<device>[a-z0-9][a-z0-9-]{0,63})/"
    r"(?:(?P<results>[0-9]{2}_[a-z][a-z0-9_]{0,63})\.json"
    r"|counters/[0-9]{2}_[a-z][a-z0-9_]{0,63}\.(?:csv|meta\.json))"
)

Files = dict[str, bytes]


def pack(files: Files) -> bytes:
    """The archive of some files, the same for the same files, and without whose they were."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            member = TarInfo(name)
            member.size, member.mode = len(files[name]), 0o644
            archive.addfile(member, io.BytesIO(files[name]))
    return gzip.compress(content.getvalue(), mtime=0)


def unpack(path: Path) -> tuple[str, Files]:
    """The device and its files by their path below it; raises Problem for anything else."""
    files: Files = {}
    devices = set()
    content = _content(path)
    if len(content) < tarfile.BLOCKSIZE:
        raise _refused(path, "is no tar archive")
    for count, (member, begin) in enumerate(_members(path, content), start=1):
        device, name = _checked(path, member, count)
        devices.add(device)
        if len(devices) == 1 and name in files:
            raise _refused(path, f"holds {name} twice")
        if begin + member.size > len(content):
            raise _refused(path, f"ends within {name}")
        files[name] = content[begin : begin + member.size]
    if len(devices) != 1:
        raise _refused(path, f"holds {len(devices)} devices, not one")
    return devices.pop(), files


def _members(path: Path, content: bytes) -> Iterator[tuple[TarInfo, int]]:
    """The header of each member, and where its bytes begin.

    Headers of other headers (long names, sparse files) are members themselves, which are refused: nothing
    that an archive says moves the reader anywhere but forwards.
    """
    at = 0
    while at < len(content):
        header = content[at : at + tarfile.BLOCKSIZE]
        if not header.strip(b"\0"):
            return
        try:
            member = TarInfo.frombuf(header, "utf-8", "surrogateescape")
        except (tarfile.TarError, ValueError) as error:
            raise _refused(path, f"is no tar archive ({plain(error)})") from error
        at += tarfile.BLOCKSIZE
        yield member, at
        at += -(-member.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def _content(path: Path) -> bytes:
    """The unpacked bytes, as far as there is room for them."""
    if not path.is_file():
        raise Problem(f"{quoted(path)}: no such file, or no plain one")
    if path.stat().st_size > _LARGEST_ARCHIVE:
        raise _refused(path, f"is larger than {_LARGEST_ARCHIVE >> 20} MiB")
    try:
        with gzip.open(path) as file:
            content = file.read(_LARGEST_CONTENT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise _refused(path, f"is no whole gzip file ({plain(error)})") from error
    if len(content) > _LARGEST_CONTENT:
        raise _refused(path, f"unpacks to more than {_LARGEST_CONTENT >> 20} MiB")
    return content


def _checked(path: Path, member: TarInfo, count: int) -> tuple[str, str]:
    """The device and the name below it of a member that may be read."""
    name = plain(member.name)[:200]
    if count > _MAX_FILES:
        raise _refused(path, f"holds more than {_MAX_FILES} files")
    matched = _NAME.fullmatch(member.name)
    if not matched:
        raise _refused(path, f"holds '{name}', which is not a valid name of results")
    if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):  # sparse files, links, devices
        raise _refused(path, f"holds '{name}' as something other than a plain file")
    if not 0 <= member.size <= _LARGEST_FILE:
        raise _refused(path, f"holds '{name}' of more than {_LARGEST_FILE >> 20} MiB")
    device = matched["device"]
    return device, member.name.removeprefix(f"{device}/")


def _refused(path: Path, what: str) -> Problem:
    return Problem(f"{quoted(path)}: {what}; ask for one that scripts/lab pack has made")
