"""Which counts of a data file differ from those of another: for results that another compiler made."""

from pathlib import Path

from notebook.base import files
from notebook.base.errors import Malformed
from notebook.data import schema
from notebook.data.fields import Json

# Not counted.
_TIMES = ("predicted_", "bytes_per_second", "flops_per_second", "evidence", "level")
_MAX_NAMED = 3


def lines(path: Path, kept: Path) -> list[str]:
    """The rows of `path` that count otherwise than those of `kept`, the first ones with their numbers; [] where
    all count alike."""
    try:
        new, old = _rows(path), _rows(kept)
    except Malformed as error:
        return [f"not compared with data/: {error}"]
    changed = [
        f"{name}: {', '.join(_changes(row, old[name]))}"
        for name, row in new.items()
        if name in old and _changes(row, old[name])
    ]
    if not changed and new.keys() == old.keys():
        return []
    lost, added = len(old.keys() - new.keys()), len(new.keys() - old.keys())
    head = f"{path.stem}: {len(changed)} of {len(new)} rows count otherwise than in data/"
    head += f", {lost} are missing" if lost else ""
    head += f", {added} are new" if added else ""
    more = len(changed) - _MAX_NAMED
    return [head, *changed[:_MAX_NAMED], *([f"and {more} more"] if more > 0 else [])]


def _rows(path: Path) -> dict[str, Json]:
    return {row["name"]: row for row in schema.parse(files.read_bytes(path))["rows"]}


def _changes(new: Json, old: Json) -> list[str]:
    return [
        f"{key} {old.get(key, 'none')} to {new.get(key, 'none')}"
        for key in sorted(new.keys() | old.keys())
        if not key.startswith(_TIMES) and new.get(key) != old.get(key)
    ]
