"""The chart of a chapter of this notebook, from given facts."""

from notebook.base.project import Project
from notebook.charts import registry
from notebook.charts.evidence import Facts
from notebook.charts.marks import Chart
from notebook.data.chapters import Chapter


def charted(name: str, known: Facts) -> Chart:
    return registry.of_chapter(Chapter(Project.here().chapters / name), known)
