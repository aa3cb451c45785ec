"""`lab new`: the skeleton of a chapter, which builds and runs right away."""

import re
import string
from pathlib import Path

from notebook.base import files
from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.data.chapters import all_chapters

_TEMPLATES = Path(__file__).parent / "skeleton"
_NAME = re.compile(r"(?:(?P<number>[0-9]{2})_)?(?P<name>[a-z][a-z0-9_]*)")


def create(project: Project, word: str) -> Path:
    """Makes chapters/NN_name from the templates."""
    match = _NAME.fullmatch(word)
    if match is None:
        raise Problem(
            f"'{word}' is not a chapter name; give lower-case letters, digits and _, "
            "like write_strides or 21_write_strides",
            WRONG_USAGE,
        )
    number = match["number"] or _next_number(project)
    directory = project.chapters / f"{number}_{match['name']}"
    for taken in project.chapters.glob("[0-9][0-9]_*"):
        if taken.name[:2] == number or taken.name[3:] == match["name"]:
            raise Problem(f"there is chapter {taken.name}; choose another name", WRONG_USAGE)

    values = {"number": number, "name": match["name"], "chapter": directory.name}
    for template in sorted(_TEMPLATES.iterdir()):
        text = string.Template(template.read_text(encoding="utf-8")).substitute(values)
        files.write(directory / template.name, text)
    return directory


def _next_number(project: Project) -> str:
    numbers = [int(chapter.number) for chapter in all_chapters(project)]
    return f"{max(numbers, default=0) + 1:02}"
