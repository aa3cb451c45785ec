"""The tracked data, as the pages that are not made from a page.md yet ask for them."""

from pathlib import Path

from notebook.pages.queries import H100, H200, Data, rank_correlation

__all__ = ["H100", "H200", "ROOT", "Data", "directory", "rank_correlation", "table"]

ROOT = Path(__file__).parents[4]


def directory(chapter: str) -> Path:
    (path,) = (ROOT / "chapters").glob(f"{chapter}_*")
    return path


def table(name: str) -> list[dict[str, str]]:
    """A table of data/."""
    return Data("").table(name)
