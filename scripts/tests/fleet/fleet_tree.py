"""A tree whose commit a campaign sends to the nodes, and how its build and its chapter are made to fail."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from conftest import Tree

_REAL = Path(__file__).resolve().parents[3]
# Everything that the nodes run is there already.
_LAB = """\
#!/bin/sh
[ "$1" = setup ] && exit 0
PYTHONPATH="$PWD/scripts" exec "{python}" -P -m notebook "$@"
"""
# A compiler's message about a wrong file.
BUILD_ERROR = "kernels.cuh(7): error: expected a ';'"
# Reads tables from where the real build has them, and fails while a file is there.
_BUILD = """\
project('fake')
python = find_program('python3')
foreach table : ['gpus.csv', 'timing/parameters.csv', 'nvidia-h200/counters/patterns.csv']
    custom_target(input: 'data' / table, output: table.underscorify(), command: ['cp', '@INPUT@', '@OUTPUT@'],
        build_by_default: true)
endforeach
subdir('common/emulator/runtime')
subdir('chapters')
"""
_RUNTIME = """\
custom_target(output: 'libcudart.so.13', command: [find_program('sh'), '-c',
    'if [ -e "$2" ]; then cat "$2" >&2; exit 1; fi; touch "$1"', 'sh', '@OUTPUT@', '{broken}'])
"""


@dataclass(frozen=True)
class FleetTree:
    """`broken`: a file; while it is there, the build fails and says what is in it."""

    tree: Tree
    broken: Path

    def git(self, *words: str) -> str:
        command = ["git", "-C", str(self.tree.root), "-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run([*command, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self) -> str:
        """Commits everything; the revision."""
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a tree")
        return self.git("rev-parse", "HEAD")

    def write(self, path: str, text: str) -> None:
        file = self.tree.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def make(tree: Tree, broken: Path) -> FleetTree:
    """Makes the tree a git checkout with a `scripts/lab`."""
    made = FleetTree(tree, broken)
    made.write("scripts/lab", _LAB.format(python=sys.executable))
    (tree.root / "scripts" / "lab").chmod(0o755)
    made.write(".gitignore", "build\n__pycache__\n")
    made.write("meson.build", _BUILD)
    made.write("common/emulator/runtime/meson.build", _RUNTIME.format(broken=broken))
    for table in ("architectures.csv", "gpus.csv", "timing/parameters.csv"):
        made.write(f"data/{table}", (_REAL / "data" / table).read_text())
    made.write("data/nvidia-h200/counters/patterns.csv", "pattern\n")
    made.git("init", "-q")
    made.commit()
    return made
