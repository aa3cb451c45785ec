"""Where the results of a run go, so that trying something leaves what is tracked as it is."""

from dataclasses import dataclass
from pathlib import Path

from notebook.chapters import Chapter
from notebook.devices import Target
from notebook.project import Project


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
        """Counted results come out the same; measured and new ones go to another folder."""
        if self.fixed is not None:
            return self.fixed
        kept = self.project.data / f"emulated-{target.architecture}" / f"{chapter.name}.json"
        return self.project if target.is_emulated and kept.is_file() else self.project.beside

    def folders(self, chapters: list[Chapter], target: Target) -> list[Path]:
        """Every folder that results of these chapters go to."""
        return list(dict.fromkeys(self.of(chapter, target).data for chapter in chapters))
