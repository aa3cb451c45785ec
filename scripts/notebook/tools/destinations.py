"""Where the results of a run go, so that trying something leaves what is tracked as it is."""

import re
from dataclasses import dataclass
from pathlib import Path

from notebook.base.project import Project
from notebook.data.chapters import Chapter
from notebook.data.devices import Target
from notebook.tools import nvcc, toolbox

# In the context, which comes first.
_COMPILER = re.compile(rb'"compiler": "nvcc (\d+\.\d+)')
_LENGTH_OF_A_CONTEXT = 4096


@dataclass(frozen=True)
class Destinations:
    """`project` has the notebook's data; `fixed` takes all results where the user chose one."""

    project: Project
    fixed: Project | None = None

    @classmethod
    def chosen(
        cls, data: str | None, keep: bool, quick: bool, filtered: bool = False
    ) -> "Destinations":
        here = Project.here()
        # Some rows must not take the place of all.
        if filtered:
            return cls(here, here.filtered)
        if data is not None:
            return cls(here, Project.here(data))
        # A quick run must not take the place of data that decide something.
        if quick:
            return cls(here, Project.here(here.build / "quick"))
        return cls(here, here if keep else None)

    def of(self, chapter: Chapter, target: Target) -> Project:
        """Counted results come out the same; measured and new ones go to another folder, and so do those that
        another nvcc compiled: its machine code may count otherwise."""
        if self.fixed is not None:
            return self.fixed
        kept = self.project.data / f"emulated-{target.architecture}" / f"{chapter.name}.json"
        if not (target.is_emulated and kept.is_file()):
            return self.project.beside
        own = nvcc.text(toolbox.find_nvcc())
        return self.project if _compiler_of(kept) in (own, "") else self.project.made_by(own)

    def folders(self, chapters: list[Chapter], target: Target) -> list[Path]:
        """Every folder that results of these chapters go to."""
        return list(dict.fromkeys(self.of(chapter, target).data for chapter in chapters))


def _compiler_of(path: Path) -> str:
    """The release of nvcc that compiled what a data file has counted: "13.0"; "" where it does not say."""
    with path.open("rb") as file:
        match = _COMPILER.search(file.read(_LENGTH_OF_A_CONTEXT))
    return match[1].decode() if match else ""
