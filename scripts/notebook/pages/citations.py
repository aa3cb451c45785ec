"""Numbers that a page cites, `{cited 49.8 %}`: a source prints them, or two printed values give them."""

import csv
import re
from functools import cached_property

from notebook.base import files
from notebook.base.project import Project
from notebook.data.chapters import Chapter
from notebook.decide import claims

PREFIX = "cited "
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# Published values are in seconds and bytes a second; pages write µs and GB/s.
_SCALES = (1.0, 1e-3, 1e-6, 1e-9, 1e-12)


class Citations:
    """What the sources of a chapter print."""

    def __init__(self, project: Project, chapter: Chapter) -> None:
        self._project, self._chapter = project, chapter

    def checked(self, text: str) -> str:
        """The cited words. A source prints each of their numbers, rounded as there; raises ValueError."""
        numbers = _NUMBER.findall(text)
        if not numbers:
            raise ValueError(f"'{{{PREFIX}{text}}}' cites no number")
        for number in numbers:
            value = float(number.replace(",", ""))
            half = 0.5 * 10.0 ** -len(number.partition(".")[2]) * (1 + 1e-9)
            if not any(abs(printed - value) <= half for printed in self._printed):
                raise ValueError(
                    f"no source of {self._chapter.name} prints {number}: it is neither in data/published/"
                    f"{self._chapter.name}.csv nor in claims.toml nor in data/sources.csv"
                )
        return text

    @cached_property
    def _printed(self) -> list[float]:
        """Published values, ratios of two, and the numbers of what the sources say."""
        name = self._chapter.name
        values = [float(row["value"]) for row in self._rows(f"published/{name}.csv")]
        known = claims.load(self._chapter)
        values += [claim.claimed for claim in known if claim.claimed is not None]
        texts = [claim.statement for claim in known]
        texts += [row["statement"] for row in self._rows("sources.csv") if row["chapter"] == name]
        stated = [float(found) for text in texts for found in re.findall(r"\d+(?:\.\d+)?", text)]
        ratios = [one / other for one in values for other in values if other]
        changes = [sign * 100 * (ratio - 1) for ratio in ratios for sign in (1, -1)]
        return [
            *(scale * value for scale in _SCALES for value in values),
            *ratios,
            *changes,
            *stated,
        ]

    def _rows(self, name: str) -> list[dict[str, str]]:
        path = self._project.root / "data" / name
        return (
            list(csv.DictReader(files.text_of(path).splitlines())) if files.is_there(path) else []
        )
