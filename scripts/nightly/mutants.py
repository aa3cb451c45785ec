#!/usr/bin/env python3
"""Plants the mutants of mutants.toml one after another, in a copy of the tracked files, and runs the
tests that should notice.

    mutants.py [NAME…]     all, or those whose file or text contains one of the names

A mutant that no test notices survives: exit status 1. So does one whose text is no longer in its
file, or that does not build: it proves nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("mutants.toml")
_TIMEOUT_SECONDS = 600
_RUNTIME = "common/emulator/runtime/libcudart.so.13"


@dataclass(frozen=True)
class Mutant:
    """`old` in `file` becomes `new`, and `test` notices: files below scripts/tests, the name of a C++ test, or
    `chapter NN`: its own validation on shapes of all kinds, before anything is timed. `survives`: why no test
    can notice."""

    file: str
    old: str
    new: str
    test: str
    survives: str = ""

    @property
    def title(self) -> str:
        return f"{self.file}: {_line(self.old)} -> {_line(self.new) or 'nothing'}"


class Unusable(Exception):
    """Why a mutant proves nothing."""


def _line(text: str) -> str:
    return " ".join(text.split())[:70]


def load(table: Path = TABLE) -> list[Mutant]:
    """The mutants, grouped by the test that notices them."""
    groups = tomllib.loads(table.read_text(encoding="utf-8"))["group"]
    return [
        Mutant(
            entry.get("file", group.get("file")),
            entry["old"],
            entry["new"],
            group["test"],
            entry.get("survives", ""),
        )
        for group in groups
        for entry in group["mutant"]
    ]


def mutated(text: str, mutant: Mutant) -> str:
    """The file's text with the mutant in it; raises Unusable."""
    if (count := text.count(mutant.old)) != 1:
        raise Unusable(f"its text is {count} times in the file, not once")
    return text.replace(mutant.old, mutant.new)


class Copy:
    """A copy of the tracked files, with a build folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        listed = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True, text=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target, follow_symlinks=False)

    def notices(self, mutant: Mutant) -> bool:
        """Whether the test fails with the mutant in place; raises Unusable."""
        if not self.passes(mutant.test):
            raise Unusable("its test fails without it")
        file = self.root / mutant.file
        original = file.read_text(encoding="utf-8")
        file.write_text(mutated(original, mutant), encoding="utf-8")
        try:
            return not self._run(mutant.test)
        finally:
            file.write_text(original, encoding="utf-8")

    @cache  # noqa: B019  # one copy a run
    def passes(self, test: str) -> bool:
        """Whether a test passes without any mutant."""
        return self._run(test)

    def _run(self, test: str) -> bool:
        if test.endswith(".py"):
            files = [next(self.root.glob(f"scripts/tests/**/{name}")) for name in test.split()]
            return self._succeeds([sys.executable, "-m", "pytest", "-q", "-x", *files])
        if test.startswith("chapter "):
            return self._validates(test.removeprefix("chapter "))
        self._build(f"common/tests/{test}_test")
        return self._succeeds([f"build/common/tests/{test}_test"])

    def _validates(self, number: str) -> bool:
        """Whether a chapter's kernels compute what they should, without races, on an emulated GPU."""
        (folder,) = (self.root / "chapters").glob(f"{number}_*")
        target = f"chapters/{folder.name}/{folder.name[3:]}"
        self._build(target)
        self._build(_RUNTIME)
        flags = ["--architecture=hopper", "--small", "--check-hazards", "--no-caches"]
        return self._succeeds([f"build/{target}", *flags])

    def _build(self, target: str) -> None:
        meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
        # Tests of the scripts leave a build/ of their own, without a build in it.
        is_configured = (self.root / "build" / "build.ninja").is_file()
        if not is_configured and not self._succeeds([*meson, "setup", "build"]):
            raise Unusable("meson setup fails")
        ninja = Path(sys.executable).with_name("ninja")
        if not self._succeeds([str(ninja), "-C", "build", target]):
            raise Unusable("it does not build")

    def _succeeds(self, command: list[str]) -> bool:
        environment = os.environ | {"PYTHONPATH": "scripts", "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("LAB_NIGHTLY", None)
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False  # a test that hangs has noticed
        return done.returncode == 0


def main(names: list[str]) -> int:
    every = load()
    chosen = [
        mutant
        for mutant in every
        if not names or any(name in mutant.file + mutant.old + mutant.test for name in names)
    ]
    killed, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="lab-mutants-") as folder:
        copy = Copy(Path(folder))
        for mutant in chosen:
            try:
                noticed = copy.notices(mutant)
                outcome = "killed" if noticed else mutant.survives or "SURVIVED"
            except Unusable as reason:
                noticed, outcome = False, f"UNUSABLE: {reason}"
            killed += noticed
            if outcome.startswith(("SURVIVED", "UNUSABLE")):
                wrong.append(mutant)
            print(f"{outcome}: {mutant.title}", flush=True)
    print(f"{killed} of {len(chosen)} mutants killed, {len(wrong)} alive or unusable")
    if path := os.environ.get("LAB_NIGHTLY"):
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"mutants {killed}\nmutants that survived {len(wrong)}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
