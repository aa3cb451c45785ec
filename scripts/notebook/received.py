"""Devices whose results came in an archive of somebody else: what they say is as told by the sender.

`lab add` puts a note beside such results. Whatever shows them, shows the mark; results that a run here
has made have no note.
"""

import hashlib
import json
from pathlib import Path

from notebook import files

MARK = "as told by the sender"
NOTE = "sender.json"

# Folders that were looked into: the names of devices stand in many places that see no folder.
_received: set[str] = set()


def note(archive: bytes) -> bytes:
    """What stands beside results that were added: from which archive."""
    content = {
        "archive_sha256": hashlib.sha256(archive).hexdigest(),
        "note": f"{MARK}: checked against itself and the tables, measured elsewhere",
    }
    return (json.dumps(content, indent=2) + "\n").encode()


def is_received(folder: Path) -> bool:
    """Whether the results in a device's folder were added."""
    if not files.is_there(folder / NOTE):
        return False
    _received.add(folder.name)
    return True


def marked(name: str, device: str) -> str:
    """The name of a device as it is shown."""
    return f"{name} ({MARK})" if device in _received else name
