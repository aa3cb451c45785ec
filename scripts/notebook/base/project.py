"""Where things are in the working tree."""

from dataclasses import dataclass, replace
from pathlib import Path

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.text import quoted


@dataclass(frozen=True)
class Project:
    """The folders of the notebook; `data` is another one with --data."""

    root: Path
    data: Path

    @classmethod
    def here(cls, data: str | Path | None = None) -> "Project":
        root = Path(__file__).resolve().parents[3]
        return cls(root, Path(data).resolve() if data else root / "data")

    @classmethod
    def with_results(cls, data: str | None) -> "Project":
        """The same for a command that reads: a --data without results is wrong usage."""
        project = cls.here(data)
        if data is not None and not next(project.data.glob("*/*.json"), None):
            kind = "no results" if project.data.is_dir() else "no folder"
            raise Problem(f"--data: {kind} {quoted(Path(data))}", WRONG_USAGE)
        return project

    @property
    def beside(self) -> "Project":
        """With the temporary results, outside data/."""
        return replace(self, data=self.build / "results")

    def made_by(self, nvcc: str) -> "Project":
        """With the temporary results of another nvcc than made the tracked ones: "12.4"."""
        return replace(self, data=self.beside.data / f"nvcc-{nvcc}")

    @property
    def filtered(self) -> "Project":
        """With the results of `lab run --filter`, which have some rows of a chapter."""
        return replace(self, data=self.build / "filtered")

    @property
    def has_own_data(self) -> bool:
        """Whether the data are the tracked ones, which figures and pages are made from."""
        return self.data == self.root / "data"

    @property
    def chapters(self) -> Path:
        return self.root / "chapters"

    @property
    def plots(self) -> Path:
        """Where figures go: the tracked ones show data/, those of other data go elsewhere."""
        return (self.root if self.has_own_data else self.data) / "plots"

    @property
    def build(self) -> Path:
        return self.root / "build"

    def shown(self, path: Path) -> str:
        """`path` as a reader of the notebook writes it: relative to the root if it is below."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)

    def quoted(self, path: Path) -> str:
        """The same for a message, as a shell takes it."""
        return quoted(Path(self.shown(path)))
