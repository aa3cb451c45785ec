"""Devices whose results came in an archive of somebody else: what they say is as told by the sender.

`lab add` puts a note beside such results. Whatever shows them, shows the mark; results that a run here
has made have no note.
"""

import hashlib
import json
from pathlib import Path

from notebook.base import files

MARK = "as told by the sender"
NOTE = "sender.json"


class Device(str):
    """The name of a device, and whether its results were added: many places show the name and see no folder."""

    is_received: bool

    def __new__(cls, name: str, is_received: bool = False) -> "Device":
        device = super().__new__(cls, name)
        device.is_received = is_received
        return device


def note(archive: bytes) -> bytes:
    """What stands beside results that were added: from which archive."""
    content = {
        "archive_sha256": hashlib.sha256(archive).hexdigest(),
        "note": f"{MARK}: checked against itself and the tables, measured elsewhere",
    }
    return (json.dumps(content, indent=2) + "\n").encode()


def is_received(folder: Path) -> bool:
    """Whether the results in a device's folder were added."""
    return files.is_there(folder / NOTE)


def marked(name: str, device: str) -> str:
    """The name of a device as it is shown."""
    is_marked = isinstance(device, Device) and device.is_received
    return f"{name} ({MARK})" if is_marked else name
