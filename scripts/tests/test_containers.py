"""The Dockerfile and the Apptainer definition: they install what `scripts/lab setup` would."""

import re
from pathlib import Path

import pytest

from notebook.toolbox import PACKAGES

_ROOT = Path(__file__).resolve().parents[2]
_FILES = ("Dockerfile", "scripts/notebook/fleet/apptainer.def")


@pytest.mark.parametrize("name", _FILES)
def test_its_packages_are_those_of_the_toolbox(name: str) -> None:
    text = (_ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r"--no-install-recommends ([^&\n]+)", text)
    assert found is not None
    # Beside them: what makes .venv, and what pip checks servers with.
    wanted = {"python3-venv", "ca-certificates", *(package.apt for package in PACKAGES)}
    assert set(found[1].split()) == wanted


def test_both_have_the_same_pinned_base() -> None:
    texts = [(_ROOT / name).read_text(encoding="utf-8") for name in _FILES]
    bases = {re.search(r"^From:? (\S+)$", text, re.I | re.M)[1] for text in texts}  # type: ignore[index]
    assert len(bases) == 1
    assert re.fullmatch(r"debian:\d+\.\d+-slim", bases.pop())
