"""The Dockerfile and the Apptainer definition: they install what `scripts/lab setup` would."""

import re
from pathlib import Path

import pytest

import container_steps
from notebook.tools.toolbox import PACKAGES

_ROOT = Path(__file__).resolve().parents[3]
_FILES = ("Dockerfile", "scripts/notebook/fleet/apptainer.def")


@pytest.mark.parametrize("name", _FILES)
def test_its_packages_are_those_of_the_toolbox(name: str) -> None:
    text = (_ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    match = re.search(r"--no-install-recommends ([^&\n]+)", text)
    assert match is not None
    # Beside them: what makes .venv, and what pip checks servers with.
    expected = {"python3-venv", "ca-certificates", *(package.apt for package in PACKAGES)}
    assert set(match[1].split()) == expected


def test_both_have_the_same_pinned_base() -> None:
    texts = [(_ROOT / name).read_text(encoding="utf-8") for name in _FILES]
    bases = {re.search(r"^From:? (\S+)$", text, re.I | re.M)[1] for text in texts}  # type: ignore[index]
    assert len(bases) == 1
    assert re.fullmatch(r"debian:\d+\.\d+-slim", bases.pop())


def test_the_steps_that_are_tried_are_those_of_the_files() -> None:
    steps = list(container_steps.docker_steps(container_steps.DOCKERFILE.read_text("utf-8")))
    assert [(step.user, step.folder) for step in steps] == [
        ("root", "/"),
        ("root", "/"),
        ("1000:1000", "/home/reader/notebook"),
        ("1000:1000", "/home/reader/notebook"),
    ]
    assert steps[0].command.split()[:4] == ["apt-get", "update", "&&", "apt-get"]
    assert "useradd" in steps[0].command and "#" not in steps[0].command
    assert steps[1].copies_to == "/home/reader/notebook"
    assert [step.command for step in steps[2:]] == ["scripts/lab setup", "scripts/lab run"]
    post = container_steps.apptainer_step(container_steps.APPTAINER.read_text("utf-8"))
    assert post.command.startswith("set -e") and "apt-get install" in post.command


def test_a_step_that_is_not_known_is_no_step_that_worked() -> None:
    with pytest.raises(ValueError, match="ADD is not known"):
        list(container_steps.docker_steps("FROM a\nADD b c\n"))
    with pytest.raises(ValueError, match="%test is not known"):
        container_steps.apptainer_step("From: a\n\n%test\n    true\n")
