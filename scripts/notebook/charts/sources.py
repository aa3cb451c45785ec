"""What charts are made of: results of chapters, their verdicts and the time model's validation."""

from dataclasses import dataclass, field
from functools import cached_property

from notebook.base import csv_table, files
from notebook.base.errors import Malformed
from notebook.base.project import Project
from notebook.charts import device_selection
from notebook.charts.evidence import Facts, facts
from notebook.data import device_names, published, results
from notebook.data.chapters import Chapter, all_chapters
from notebook.data.devices import emulable
from notebook.data.results import Result
from notebook.decide import claims, findings, tables
from notebook.decide.tables import ChapterVerdicts
from notebook.decide.verdicts import PREDICTED
from notebook.published import times

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
        """What was measured and counted on the GPUs that figures draw, oldest GPU first."""
        return [result for result in self._loaded(chapter) if self.is_drawn(result.device)]

    def _loaded(self, chapter: Chapter) -> list[Result]:
        if chapter.name not in self._own:
            self._own[chapter.name] = results.load_chapter(self.project, chapter)
        return self._own[chapter.name]

    def facts(self, *numbers: str) -> Facts:
        """What is known of chapters, as one result for each device."""
        chosen = [chapter for chapter in self.chapters if chapter.number in numbers]
        printed = [
            result for chapter in chosen for result in published.load_chapter(self.project, chapter)
        ]
        own = [result for chapter in chosen for result in self.own(chapter)]
        claimed = [claim for chapter in chosen for claim in claims.load_right(chapter).right]
        every = [*results.merged_by_device(own), *results.merged_by_device(printed)]
        predicted = self._predicted(chosen, own)
        return facts(every, claimed, self.siblings | self._of_published, predicted)

    def _predicted(self, chosen: list[Chapter], own: list[Result]) -> dict[str, frozenset[str]]:
        """By claim: the generations for which a prediction decides it."""
        by_claim: dict[str, set[str]] = {}
        known = {chapter.name: claims.load_right(chapter) for chapter in chosen}
        for result in own:
            if not result.is_emulated:
                continue
            decided = findings.decided(self.project, known[result.chapter], result)
            for claim, verdicts in decided.items():
                if any(one.finding.evidence == PREDICTED for one in verdicts):
                    generation = result.device.removeprefix(device_names.EMULATED)
                    by_claim.setdefault(claim, set()).add(generation)
        return {claim: frozenset(generations) for claim, generations in by_claim.items()}

    @cached_property
    def measured(self) -> dict[str, list[str]]:
        """The measured GPUs of each generation, those with results of the most chapters first."""
        chapters = {f"{chapter.name}.json": chapter for chapter in self.chapters}
        by_generation: dict[str, list[tuple[int, str]]] = {}
        for folder in self.project.data.iterdir():
            known = sorted(path for path in folder.glob("*.json") if path.name in chapters)
            if not known or folder.name.startswith(device_names.EMULATED):
                continue
            try:
                first = results.load_right(self.project, known[0], chapters[known[0].name])
            except Malformed:
                continue  # the reader of the results says what is wrong with them
            by_generation.setdefault(first.generation, []).append((len(known), folder.name))
        return {
            generation: [name for _, name in sorted(by_generation[generation], reverse=True)]
            for generation in sorted(by_generation)
        }

    @cached_property
    def siblings(self) -> dict[str, int]:
        """Of each measured GPU its number in its generation: one in all figures."""
        every = self.measured.values()
        return {name: place for names in every for place, name in enumerate(names)}

    @cached_property
    def _of_published(self) -> dict[str, int]:
        return published.siblings(self.project)

    def is_drawn(self, device: str) -> bool:
        return device not in self.siblings or device in self._drawn

    @cached_property
    def _drawn(self) -> list[str]:
        return device_selection.drawn(self.measured)

    @property
    def note(self) -> str:
        """What a figure says of the GPUs that it leaves out."""
        return device_selection.note(len(self._drawn), len(self.siblings))

    @cached_property
    def decided(self) -> list[ChapterVerdicts]:
        """The verdicts on all GPUs."""
        findings.prepare(self.project, self.chapters)
        return [tables.decide_chapter(self.project, chapter) for chapter in self.chapters]

    @cached_property
    def predictions(self) -> list[Prediction]:
        """The rows of data/timing/validation.csv; [] without the file."""
        path = self.project.data / VALIDATION
        if not files.is_there(path):
            return []
        try:
            known = map(_prediction, csv_table.read(path, _COLUMNS))
            return [
                prediction_of_row
                for prediction_of_row in known
                if prediction_of_row.measured_seconds > 0
            ]
        except Malformed as error:
            raise csv_table.damaged(path, error) from error

    @cached_property
    def printed(self) -> list[Prediction]:
        """The rows of data/timing/published.csv; [] without the file."""
        path = self.project.root / times.PREDICTIONS
        if not files.is_there(path):
            return []
        gpus = emulable(self.project)
        rows = [row for errors in times.read(self.project).values() for row in errors.rows]
        if unknown := next((row.gpu for row in rows if row.gpu not in gpus), None):
            raise csv_table.damaged(path, Malformed(f"data/gpus.csv has no GPU {unknown!r}"))
        return [
            Prediction(gpus[row.gpu]["generation"].lower(), row.run, row.predicted, row.seconds)
            for row in rows
        ]


def _prediction(line: csv_table.Line) -> Prediction:
    predicted = line.real("predicted_seconds", 1e-9, 1e6)
    measured = line.real("measured_seconds", 0, 1e6)
    return Prediction(line["chapter"][:2], line["name"], predicted, measured)
