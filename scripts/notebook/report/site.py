"""Writes the report: index.html, a page a chapter, verdicts.html, compare.html and kernels.html."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from notebook.base import files
from notebook.base.errors import Problem, refuse
from notebook.base.project import Project
from notebook.data.chapters import Chapter
from notebook.data.devices import PUBLISHED
from notebook.decide.tables import ChapterVerdicts
from notebook.pages.pages import Pages
from notebook.report import kernel_data, rendering, verdict_data

# The size with a hundred devices; with a dozen it is a third of that.
MAX_BYTES = 20 * 2**20
_ASSETS = Path(__file__).parent / "assets"


@dataclass(frozen=True)
class Entry:
    """A page of the site, as the navigation shows it."""

    file: str
    title: str
    short: str


def write(project: Project, folder: Path) -> Path:
    """Writes the site; returns its first page."""
    pages = Pages(project)
    entries = [
        Entry(f"{chapter.name}.html", _title(chapter), chapter.name.replace("_", " "))
        for chapter in pages.chapters
    ]
    tools = [
        Entry("index.html", "CUDA lab notebook", "What still holds"),
        Entry("verdicts.html", "All verdicts", "All verdicts"),
        Entry("compare.html", "Two devices side by side", "Compare devices"),
        Entry("kernels.html", "Kernels, line by line", "Kernels"),
    ]
    site = _Site(project, tools, entries)
    links = _links(project, pages.chapters)
    texts = {"index.html": site.page(tools[0], project.root / "README.md", links)}
    kernels = [kernel_data.of_chapter(project, chapter) for chapter in pages.chapters]
    for chapter, entry, source in zip(pages.chapters, entries, kernels, strict=True):
        code = {name: f"kernels.html#{chapter.name}-{line}" for name, line in source.names.items()}
        texts[entry.file] = site.page(entry, chapter.directory / "README.md", links, code)
    decided = [its for chapter in pages.chapters if (its := _decided(pages, chapter))]
    rows = verdict_data.rows(decided)
    results = {
        result.device: result for chapter_verdicts in decided for result in chapter_verdicts.results
    }
    own = sorted(
        (device for device in results if not device.startswith(PUBLISHED)),
        key=lambda device: (results[device].is_emulated, results[device].year, device),
    )
    pair = verdict_data.best_known(rows, own)
    texts["verdicts.html"] = site.tool("verdicts.html.j2", tools[1], rows=rows)
    texts["compare.html"] = site.tool(
        "compare.html.j2", tools[2], rows=rows, devices=own, pair=pair
    )
    texts["kernels.html"] = site.tool("kernels.html.j2", tools[3], kernels=kernels)
    size = sum(len(text.encode()) for text in texts.values())
    if size > MAX_BYTES:
        raise Problem(f"the report is {size / 2**20:.1f} MiB; at most {MAX_BYTES / 2**20:.0f} MiB")
    # A page is the old one or the new one, whatever happens in between.
    for name, text in texts.items():
        files.write(folder / name, text)
    for page in folder.glob("*.html"):
        if page.name not in texts:
            page.unlink()
    return folder / "index.html"


def _title(chapter: Chapter) -> str:
    return f"{chapter.number} {chapter.question}".replace("`", "")


def _decided(pages: Pages, chapter: Chapter) -> ChapterVerdicts | None:
    """None, and a line that says so, where its claims are damaged."""
    try:
        return pages.decided(chapter)
    except Problem as problem:
        refuse(problem)
        return None


def _links(project: Project, chapters: list[Chapter]) -> dict[Path, str]:
    """The site's page of each file or folder that pages link to."""
    links = {project.root / "README.md": "index.html"}
    for chapter in chapters:
        links[chapter.directory] = links[chapter.directory / "README.md"] = f"{chapter.name}.html"
        links[chapter.directory / "kernels.cuh"] = f"kernels.html#{chapter.name}"
    return links


class _Site:
    """What all pages share: templates, style, script and navigation."""

    def __init__(self, project: Project, tools: list[Entry], chapters: list[Entry]) -> None:
        self._project = project
        self._environment = Environment(
            loader=PackageLoader("notebook.report"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        style = (_ASSETS / "style.css").read_text("utf-8") + rendering.highlighting()
        script = (_ASSETS / "report.js").read_text("utf-8")
        self._environment.filters["code"] = rendering.with_code
        self._shared = {
            "style": Markup(style),
            "script": Markup(script),
            "policy": (
                "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
                f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
            ),
            "tools": tools,
            "chapters": chapters,
        }

    def page(
        self,
        entry: Entry,
        source: Path,
        links: dict[Path, str],
        code: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        body = rendering.page(source, self._project.root, links, code)
        return self._render("page.html.j2", entry, body=body)

    def tool(self, template: str, entry: Entry, **values: Any) -> str:
        if "rows" in values:
            values["data"] = _json(verdict_data.compact(values["rows"]))
        return self._render(template, entry, **values)

    def _render(self, template: str, entry: Entry, **values: Any) -> str:
        return self._environment.get_template(template).render(
            entry=entry, **self._shared, **values
        )


def _json(value: Any) -> Markup:
    """JSON inside a script element: no text of it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
