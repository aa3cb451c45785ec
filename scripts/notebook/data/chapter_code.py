"""Python that a chapter keeps in its folder: chart.py and numbers.py."""

import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from notebook.base import files
from notebook.base.errors import Problem
from notebook.base.text import quoted, short
from notebook.data.chapters import Chapter


def attribute(chapter: Chapter, file: str, name: str) -> Any | None:
    """What `file` of the chapter calls `name`; None without the file. Raises Problem in one line."""
    path = chapter.directory / file
    if not files.is_there(path):
        return None
    module = _module(path, files.text_of(path))
    if not hasattr(module, name):
        raise Problem(f"{quoted(path)}: defines no {name}")
    return getattr(module, name)


@cache
def _module(path: Path, text: str) -> ModuleType:
    """Executed from its text: no byte code is written into the chapter's folder."""
    module = ModuleType(f"chapter_{path.parent.name[:2]}_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # data classes look their module up
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except Exception as error:  # whatever a person's code may raise
        raise Problem(f"{quoted(path)}: {type(error).__name__}: {short(error)}") from error
    return module
