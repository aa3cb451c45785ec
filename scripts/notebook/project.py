"""Where things are in the working tree."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Project:
    """The folders of the notebook; `data` is another one with --data."""

    root: Path
    data: Path

    @classmethod
    def here(cls, data: str | Path | None = None) -> "Project":
        root = Path(__file__).resolve().parents[2]
        return cls(root, Path(data).resolve() if data else root / "data")

    @property
    def has_own_data(self) -> bool:
        """Whether the data are the tracked ones, which figures and pages are made from."""
        return self.data == self.root / "data"

    @property
    def chapters(self) -> Path:
        return self.root / "chapters"

    @property
    def plots(self) -> Path:
        """Where figures go: the tracked ones show data/, those of other data lie beside these."""
        return (self.root if self.has_own_data else self.data) / "plots"

    @property
    def build(self) -> Path:
        return self.root / "build"

    def shown(self, path: Path) -> str:
        """`path` as a reader of the notebook writes it: relative to the root if it is below."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
