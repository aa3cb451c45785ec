"""The GPUs that can be emulated, under the names that people give them: t4, rtx3060, gtx1080ti, sm_86, 8.6."""

import difflib
import re
from collections.abc import Mapping

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.text import plain
from notebook.data.gpu_rows import slug

Rows = Mapping[
    str, Mapping[str, str]
]  # devices.emulable: rows of data/architectures.csv and data/gpus.csv

# Left out where names are compared.
_BRANDS = {"nvidia", "geforce", "tesla", "quadro"}
# The board that a name means, where several share it; else the one that stands for its generation.
_MEANT = {"h100": "h100-sxm5-80gb-hbm3"}
_ALIKE = 0.6  # difflib's ratio
_CAPABILITY = re.compile(r"(?:sm|compute)?_?([0-9]{1,2})\.?([0-9])[af]?")


def resolve(word: str, rows: Rows) -> str:
    """The name in the tables of the GPU that `word` means; raises Problem, with all near matches."""
    if word in rows:
        return word
    matching = _of_capability(word, rows) or _of_model(word, rows)
    if len(matching) == 1:
        return matching[0]
    near = matching or _near(word, rows)
    said = (
        f"several GPUs are called '{plain(word)}'" if matching else f"unknown GPU '{plain(word)}'"
    )
    listed = (
        f"did you mean {', '.join(_shown(name, _joined(word), rows) for name in near)}? "
        if near
        else ""
    )
    raise Problem(
        f"{said}; {listed}valid: {', '.join(map(_said, rows))}, and compute capabilities (sm_86)",
        WRONG_USAGE,
    )


def short(gpu: str) -> str:
    """A board as people call it: `A100` for A100-SXM4-80GB, `RTX 4090` for GeForce RTX 4090."""
    name = re.sub(r"\(.*?\)|/.*", " ", gpu)
    name = re.sub(r"(?i)[- ](sxm|pcie|[0-9]+gb|hbm)\S*", " ", name)
    words = [word for word in name.split() if word.lower() not in _BRANDS]
    return " ".join(words) or gpu


def _of_capability(word: str, rows: Rows) -> list[str]:
    """Its generation's own GPU, else the first one of the tables."""
    match = _CAPABILITY.fullmatch(word.lower())
    if not match or not (word.lower().startswith(("sm", "compute")) or "." in word):
        return []
    capability = f"{match[1]}.{match[2]}"
    return [name for name, row in rows.items() if row["compute_capability"] == capability][:1]


def _of_model(word: str, rows: Rows) -> list[str]:
    """The GPUs whose names have `word` in them, as whole words; those that end with it before others."""
    asked = _joined(word)
    if meant := _MEANT.get(asked):
        return [meant] if meant in rows else []
    runs = {name: _runs(name, row) for name, row in rows.items()}
    having = [name for name, found in runs.items() if asked in found]
    ending = [name for name in having if runs[name][asked]]
    own = [name for name in having if not _is_a_model(name, rows[name])]
    for chosen in (ending, own):
        if len(chosen) == 1:
            return chosen
    return having


def _runs(name: str, row: Mapping[str, str]) -> dict[str, bool]:
    """Words of a GPU's name that follow each other, as one; and whether they end the name."""
    found: dict[str, bool] = {}
    for text in (name, slug(row["gpu"])):
        words = [word for word in text.split("-") if word]
        for first in range(len(words)):
            for end in range(first + 1, len(words) + 1):
                run = "".join(words[first:end])
                found[run] = found.get(run, False) or end == len(words)
    return found


def _near(word: str, rows: Rows) -> list[str]:
    asked = _joined(word)
    names = {name: _joined(_said(name)) for name in rows}
    models = {name: _joined(slug(row["gpu"])) for name, row in rows.items()}
    holding = [
        name for name in rows if len(asked) > 1 and (asked in names[name] or asked in models[name])
    ]
    alike = difflib.get_close_matches(asked, names.values(), n=len(names), cutoff=_ALIKE)
    return holding or [name for name in rows if names[name] in alike]


def _is_a_model(name: str, row: Mapping[str, str]) -> bool:
    """Whether it goes by its own name, not by that of its generation."""
    return name == slug(row["gpu"])


def _shown(name: str, asked: str, rows: Rows) -> str:
    """With its GPU where it goes by another name than the one that is like `asked`."""
    is_like = bool(difflib.get_close_matches(asked, [name], cutoff=_ALIKE))
    gpu = rows[name]["gpu"]
    return _said(name) if is_like or _is_a_model(name, rows[name]) else f"{name} ({gpu})"


def _said(name: str) -> str:
    return "-".join(word for word in name.split("-") if word not in _BRANDS) or name


def _joined(word: str) -> str:
    letters = re.sub(r"[^a-z0-9]", "", word.lower())
    for brand in _BRANDS:
        letters = letters.removeprefix(brand)
    return letters
