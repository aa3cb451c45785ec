import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
import pytest
import synthetic

from notebook.base import errors
from notebook.base.project import Project
from notebook.data.chapters import Chapter
from notebook.tools import nvcc, toolbox

SCRIPTS = Path(__file__).resolve().parents[1]
# Helpers of one subject's tests serve others as well.
sys.path += [str(folder) for folder in sorted((SCRIPTS / "tests").iterdir()) if folder.is_dir()]
# A machine that is busy fails no test.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")
# In the background of a script, pytest ignores Ctrl-C. It does so by a handler: commands that tests start inherit
# SIG_IGN, but no handler.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, lambda *_: None)


@pytest.fixture(autouse=True)
def nothing_refused() -> None:
    """What a test of the same process had refused does not fail the next one's command."""
    errors.take_refused()


def preloaded(source: Path, folder: Path) -> Path:
    """A library for LD_PRELOAD, compiled from C; skips the test without a compiler."""
    library = folder / f"{source.stem}.so"
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("needs a C compiler")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return library


@dataclass
class Tree:
    """A working tree in a temporary folder, whose one chapter has a fake executable."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def project(self) -> Project:
        return Project(self.root, self.data)

    @property
    def chapter(self) -> Chapter:
        return Chapter(self.root / "chapters" / synthetic.CHAPTER)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-P", "-m", "notebook", *arguments]

    def settings(self, **environment: str) -> dict[str, str]:
        ours = {"PYTHONPATH": str(self.root / "scripts")}
        return os.environ | ours | self.environment | environment

    def lab(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs the real command line."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.root,
            env=self.settings(**environment),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=120,
            check=False,
        )


CLAIMS = """
[[claim]]
id = "offset_11_slower"
statement = "Reads at offset 11 are slower than aligned ones."
source = "A source, section 1"
source_device = "A GPU"
metric = "time"
variant = "read_offset/offset:11/block:512"
baseline = "read_offset/offset:0/block:512"
claimed = 1.1
direction = "slower"
why = "They straddle a sector."

[[claim]]
id = "efficiency_32"
statement = "The load efficiency is 80 %."
source = "A source, section 2"
source_device = "A GPU"
metric = "load_efficiency"
variant = "read_offset/offset:11/block:512"
expected = [79.9, 80.1]
fetch_unit_bytes = 32
why = "Five sectors instead of four."
"""

PAGE = """<!-- Edit this file; `scripts/lab figures 02` makes README.md from it. -->
# 02 Does a misaligned read cost anything?

**{offset_11_slower:verdict}:** offset 11 takes {offset_11_slower} the time of offset 0.

<!-- lab:gpus
offset_11_slower: time, offset 11 ÷ offset 0
efficiency_32: load efficiency at offset 11
-->

<details>
<summary>All claims</summary>

<!-- lab:verdicts -->

<!-- lab:counters -->

</details>
"""


FRONT_PAGE = """<!-- lab:rules
# Alignment
02 offset_11_slower: Offset 11 is slow | bytes used: efficiency_32
-->
<!-- lab:end -->

<!-- lab:chapters -->
<!-- lab:end -->
"""

# The head of an executable script, for sh and for Python: a #! line cannot name a path with a blank.
RUN_BY_PYTHON = f"""#!/bin/sh
''':'
exec "{sys.executable}" "$0" "$@"
'''
"""

_MESON = {
    "meson.build": (
        "project('fake')\npython = find_program('python3')\n"
        "subdir('common/emulator/runtime')\nsubdir('chapters')\n"
    ),
    "common/emulator/runtime/meson.build": (
        "custom_target(output: ['libcudart.so.13', 'libcudart.so.12'], command: ['touch', '@OUTPUT@'])\n"
    ),
    "chapters/02_misaligned_reads/meson.build": (
        "custom_target(input: 'fake_executable.py', output: 'misaligned_reads',\n"
        "    command: ['cp', '@INPUT@', '@OUTPUT@'], build_by_default: true)\n"
    ),
}


# Counts and times of these programs were measured with the code that nvcc 13 makes; nvcc 12 makes other code of some.
as_nvcc_13_compiles = pytest.mark.skipif(
    (nvcc.release(toolbox.find_nvcc()) or (0, 0))[0] != 13, reason="compared with code of nvcc 13"
)

ARCHITECTURES = """architecture,gpu,generation,compute_capability,sm_count,dram_bw_gbs,fp32_lanes_per_sm
fermi,,,,,,
hopper,,,,,,
"""


def make_tree(root: Path) -> Tree:
    for path, text in _MESON.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    shutil.copy(SCRIPTS.parent / "chapters" / "meson.build", root / "chapters")
    chapter = root / "chapters" / synthetic.CHAPTER
    (chapter / "experiment.cu").write_text("")
    (chapter / "claims.toml").write_text(CLAIMS)
    (chapter / "page.md").write_text(PAGE)
    (chapter / "README.md").write_text("")
    (root / "README.md").write_text(FRONT_PAGE)
    real = SCRIPTS.parent
    for name in ("figure.gp", "chart.py"):
        shutil.copy(real / "chapters" / synthetic.CHAPTER / name, chapter)
    shutil.copytree(real / "plots", root / "plots", ignore=shutil.ignore_patterns("*.svg"))
    shutil.copytree(
        SCRIPTS / "notebook",
        root / "scripts" / "notebook",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (root / "data").mkdir()
    (root / "data" / "architectures.csv").write_text(ARCHITECTURES)
    fake = chapter / "fake_executable.py"
    text = (SCRIPTS / "tests" / "fake_executable.py").read_text()
    fake.write_text(f"{RUN_BY_PYTHON}{text}")
    fake.chmod(0o755)
    shutil.copy(SCRIPTS / "tests" / "synthetic.py", root / "scripts")
    return Tree(root)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A tree of its own, at a path with a space."""
    return make_tree(tmp_path / "lab notebook")


@pytest.fixture
def tree_with_data(tree: Tree) -> Tree:
    """With data of a GPU and of two emulated ones."""
    rows = synthetic.misaligned_reads_gpu(sizes=[2**24])
    synthetic.save(tree.data, synthetic.document(rows))
    for device, line in (("emulated-fermi", 128), ("emulated-hopper", 32)):
        rows = synthetic.misaligned_reads_emulated(line)
        synthetic.save(tree.data, synthetic.document(rows, device))
    return tree
