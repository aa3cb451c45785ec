"""The house: small folders, includes and imports that only go down, no circles."""

import ast
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MAX_FILES = 25
WRITTEN = (
    ".py",
    ".cpp",
    ".hpp",
    ".cu",
    ".cuh",
    ".h",
    ".inc",
    ".c",
    ".gp",
    ".toml",
    ".md",
    ".build",
)
# From the lowest: a room includes what is above its own line only from itself.
ROOMS = (
    "emulator/models", "emulator/memory", "timing", "emulator/ptx", "emulator/ptxas", "emulator/simt",
    "emulator/runtime", "lab", "problems",
)  # fmt: skip
# Rooms whose folders call each other, through their headers: those of an emulated GPU and of a runtime.
LINKED_FOLDERS = ("emulator/simt", "emulator/runtime")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
Edges = dict[str, set[str]]


def tracked() -> list[Path]:
    command = ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [path for name in names if (path := ROOT / name).is_file()]


def circle(edges: Edges) -> list[str]:
    """One circle, or nothing."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def room_of(folder: str) -> str:
    return next((room for room in ROOMS if f"{folder}/".startswith(f"{room}/")), folder)


def includes(files: Iterable[Path]) -> Iterable[tuple[Path, Path]]:
    common = ROOT / "common"
    for path in files:
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            places = (path.parent / name, common / name)
            if target := next((place for place in places if place.is_file()), None):
                yield path, target.resolve()


def library() -> list[Path]:
    rooms = [ROOT / "common" / room for room in ("emulator", "timing", "lab", "problems")]
    return [
        path
        for path in tracked()
        if path.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".h")
        and any(path.is_relative_to(room) for room in rooms)
    ]


def folder(path: Path) -> str:
    return str(path.parent.relative_to(ROOT / "common"))


def test_a_folder_has_few_files() -> None:
    written = [path for path in tracked() if path.suffix in WRITTEN]
    counts = Counter(
        path.parent.relative_to(ROOT)
        for path in written
        if path.relative_to(ROOT).parts[0] not in ("data", "plots")
    )
    assert {str(name): count for name, count in counts.items() if count > MAX_FILES} == {}


def test_rooms_include_only_lower_rooms() -> None:
    upwards = {
        (str(path.relative_to(ROOT)), str(target.relative_to(ROOT)))
        for path, target in includes(library())
        if (one := room_of(folder(path))) != (other := room_of(folder(target)))
        if one in ROOMS and other in ROOMS and ROOMS.index(other) > ROOMS.index(one)
    }
    assert upwards == set()


def test_headers_of_folders_include_each_other_in_no_circle() -> None:
    edges: Edges = defaultdict(set)
    for path, target in includes(library()):
        if path.suffix in (".hpp", ".h", ".cuh") and path.parent != target.parent:
            edges[folder(path)].add(folder(target))
    assert circle(edges) == []


def test_sources_of_folders_include_each_other_in_no_circle() -> None:
    edges: Edges = defaultdict(set)
    for path, target in includes(library()):
        if path.parent != target.parent and room_of(folder(path)) not in LINKED_FOLDERS:
            edges[folder(path)].add(folder(target))
    assert circle(edges) == []


@pytest.mark.parametrize("room", ROOMS)
def test_sources_of_a_room_need_each_other_in_no_circle(room: str) -> None:
    """A header counts with the source beside it that has its name."""
    inside = ROOT / "common" / room
    edges: Edges = defaultdict(set)
    for path, target in includes(library()):
        if path.is_relative_to(inside) and target.is_relative_to(inside):
            one, other = (str(file.relative_to(inside).with_suffix("")) for file in (path, target))
            edges[one] |= {other} - {one}
    assert circle(edges) == []


def imported(path: Path) -> Iterable[str]:
    """The packages of `notebook` that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("notebook"):
            parts = (node.module or "").split(".")
            yield from [parts[1]] if len(parts) > 1 else [name.name for name in node.names]


def test_packages_import_each_other_in_no_circle() -> None:
    notebook = ROOT / "scripts" / "notebook"
    packages = {path.parent.name for path in notebook.glob("*/__init__.py")}
    edges: Edges = defaultdict(set)
    for path in notebook.rglob("*.py"):
        package = path.relative_to(notebook).parts[0]
        edges[package] |= {name for name in imported(path) if name in packages - {package}}
    assert len(packages) > 10
    assert circle(edges) == []


@pytest.mark.parametrize(
    ("edges", "found"),
    [({"a": {"b"}, "b": {"c"}}, False), ({"a": {"b"}, "b": {"c"}, "c": {"a"}}, True)],
)
def test_a_circle_is_found(edges: Edges, found: bool) -> None:
    assert bool(circle(edges)) == found
