"""A task's results inside its output: `python3 -m notebook.fleet.parcel FOLDER CHAPTER` prints them.

Lines between two markers hold a device's archive, as `lab pack` makes it, in base64, with its
SHA-256: output that was cut short or mixed up is not taken for results. Needs no package.
"""

import base64
import binascii
import hashlib
import re
import sys
from pathlib import Path

from notebook.base import archive
from notebook.base.errors import Problem

_BEGIN = re.compile(r"^lab-results (?P<sha256>[0-9a-f]{64}) (?P<bytes>[0-9]{1,9})$", re.MULTILINE)
_END = "lab-results end"
# `error:`, `ERROR:`, `error #20-D:`, `ptxas fatal   :`, `FileNotFoundError:`; or a linker's.
_ERROR = re.compile(r"(?i)\b\w*(?:error|fatal)(?: #\S+)?\s*:|undefined reference to")
_ENDED = re.compile(r"^lab-task ended with status (?P<status>[0-9]{1,3})$", re.MULTILINE)
# An archive of one chapter has some 100 KB; this is what `lab add` accepts.
_LARGEST = 64 * 2**20


def written(content: bytes) -> str:
    """The lines that hold an archive."""
    text = base64.encodebytes(content).decode("ascii")
    return f"lab-results {hashlib.sha256(content).hexdigest()} {len(content)}\n{text}{_END}\n"


def read(output: str) -> bytes | None:
    """The archive in a task's output; None where there is no whole one."""
    begin = _BEGIN.search(output)
    if not begin or int(begin["bytes"]) > _LARGEST:
        return None
    text, mark, _ = output[begin.end() :].partition(f"\n{_END}\n")
    try:
        content = base64.b64decode("".join(text.split()), validate=True) if mark else b""
    except binascii.Error:
        return None
    is_whole = len(content) == int(begin["bytes"])
    return content if is_whole and hashlib.sha256(content).hexdigest() == begin["sha256"] else None


def exit_status(output: str) -> int | None:
    """How the task says that it ended; None where it was stopped before."""
    match = _ENDED.search(output)
    return int(match["status"]) if match else None


def last_line(output: str) -> str:
    """What a task said last, without the results and our own last line."""
    return (_lines(output) or [""])[-1]


def first_error(output: str) -> str:
    """The first line that names an error, as compilers, linkers, Meson, Ninja, Python and we write one.

    Without one, the last line. What failed first is the cause; what comes later often only says that something failed.
    """
    wrong = (line for line in _lines(output) if _ERROR.search(line))
    # Ninja runs in build/.
    return next(wrong, last_line(output)).removeprefix("../")


def _lines(output: str) -> list[str]:
    lines = _BEGIN.split(output)[0].splitlines()
    return [line.strip() for line in lines if line.strip() and not _ENDED.match(line)]


def main(folder: Path, chapter: str) -> None:
    """Prints the results of one chapter in a data folder that holds one device's."""
    results = sorted(folder.glob(f"*/{chapter}.json"))
    if len(results) != 1:
        raise Problem(f"{len(results)} results of {chapter} in {folder}, not one")
    names = {f"{results[0].parent.name}/{results[0].name}": results[0].read_bytes()}
    sys.stdout.write(written(archive.pack(names)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
