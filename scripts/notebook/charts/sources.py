"""What charts are made of: results of chapters, their verdicts and the time model's validation."""

from dataclasses import dataclass, field
from functools import cached_property

from notebook import (
    claims,
    csv_table,
    device_names,
    published,
    published_times,
    results,
    schema,
    tables,
)
from notebook.chapters import Chapter, all_chapters
from notebook.charts.evidence import Facts, facts
from notebook.devices import emulable
from notebook.errors import Malformed, Problem
from notebook.project import Project
from notebook.results import Result
from notebook.tables import ChapterVerdicts
from notebook.text import quoted

VALIDATION = "timing/validation.csv"
_COLUMNS = ("chapter", "name", "predicted_seconds", "measured_seconds")


@dataclass(frozen=True)
class Prediction:
    """A benchmark whose time was predicted and, unless it is 0, measured on a GPU."""

    group: str  # the number of the chapter, or the generation of the GPU whose time was printed
    name: str
    predicted_seconds: float
    measured_seconds: float


@dataclass
class Sources:
    """Reads each chapter's data once."""

    project: Project
    _own: dict[str, list[Result]] = field(default_factory=dict)

    @cached_property
    def chapters(self) -> list[Chapter]:
        return all_chapters(self.project)

    def own(self, chapter: Chapter) -> list[Result]:
        """What was measured and counted, oldest GPU first."""
        if chapter.name not in self._own:
            self._own[chapter.name] = results.load_chapter(self.project, chapter)
        return self._own[chapter.name]

    def facts(self, *numbers: str) -> Facts:
        """What is known of chapters, as one result for each device."""
        chosen = [chapter for chapter in self.chapters if chapter.number in numbers]
        printed = [
            result for each in chosen for result in published.load_chapter(self.project, each)
        ]
        own = [result for each in chosen for result in self.own(each)]
        claimed = [claim for each in chosen for claim in claims.load_right(each).right]
        every = [*results.merged_by_device(own), *results.merged_by_device(printed)]
        return facts(every, claimed, self.siblings)

    @cached_property
    def siblings(self) -> dict[str, int]:
        """Of each measured GPU its number in its generation, from the last name on: one in all figures."""
        of_generation: dict[str, list[str]] = {}
        for folder in sorted(self.project.data.iterdir(), reverse=True):
            first = min(folder.glob("[0-9][0-9]_*.json"), default=None)
            if first is None or folder.name.startswith(device_names.EMULATED):
                continue
            try:
                context = schema.parse(first.read_bytes())["context"]
            except (OSError, Malformed):
                continue  # who reads the results says what is wrong with them
            of_generation.setdefault(str(context.get("generation")), []).append(folder.name)
        return {name: place for names in of_generation.values() for place, name in enumerate(names)}

    @cached_property
    def decided(self) -> list[ChapterVerdicts]:
        return [tables.decide_chapter(self.project, chapter).ours for chapter in self.chapters]

    @cached_property
    def predictions(self) -> list[Prediction]:
        """The rows of data/timing/validation.csv; [] without the file."""
        path = self.project.data / VALIDATION
        if not path.is_file():
            return []
        try:
            known = map(_prediction, csv_table.read(path, _COLUMNS))
            return [each for each in known if each.measured_seconds > 0]
        except Malformed as error:
            raise Problem(f"{quoted(path)}: {error}; git checkout {quoted(path)}") from error

    @cached_property
    def printed(self) -> list[Prediction]:
        """The rows of data/timing/published.csv; [] without the file."""
        if not (self.project.root / published_times.PREDICTIONS).is_file():
            return []
        gpus = emulable(self.project)
        return [
            Prediction(gpus[row.gpu]["generation"].lower(), row.run, row.predicted, row.seconds)
            for errors in published_times.read(self.project).values()
            for row in errors.rows
        ]


def _prediction(line: csv_table.Line) -> Prediction:
    predicted = line.real("predicted_seconds", 1e-9, 1e6)
    measured = line.real("measured_seconds", 0, 1e6)
    return Prediction(line["chapter"][:2], line["name"], predicted, measured)
