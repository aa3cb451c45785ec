"""scripts/lab from nothing: it makes .venv, repairs it, waits for others, and says what it cannot do.

pip installs stand-ins of the pinned packages from a folder, so no network is needed.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import SCRIPTS

from notebook.tools import bootstrap

REQUIREMENTS = SCRIPTS / "requirements" / "run.txt"
PTXAS_REQUIREMENTS = SCRIPTS / "requirements" / "ptxas.txt"
MODULES = {"meson": "mesonbuild", "markdown-it-py": "markdown_it", "pytest-xdist": "xdist"}
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


def wheel(folder: Path, name: str, version: str) -> None:
    """A package of that name which can do nothing."""
    file_name = name.replace("-", "_")
    info = f"{file_name}-{version}.dist-info"
    content = {
        f"{MODULES.get(name, file_name)}/__init__.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if name == "ninja":
        content[f"{name}-{version}.data/scripts/ninja"] = "#!/bin/sh\n"
    if name.startswith("nvidia-cuda-nvcc-cu"):
        content["nvidia/cuda_nvcc/bin/ptxas"] = version
    record = "".join(f"{path},,\n" for path in [*content, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{file_name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in (content | {f"{info}/RECORD": record}).items():
            archive.writestr(path, text)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for requirements in (REQUIREMENTS, PTXAS_REQUIREMENTS):
        for name, version in bootstrap._pinned(requirements).items():
            wheel(folder, name, version)
    return folder


def clone(root: Path) -> Path:
    """What `scripts/lab doctor` needs of a working tree, as git has it."""
    (root / "scripts").mkdir(parents=True)
    shutil.copy(SCRIPTS / "lab", root / "scripts")
    for name in ("requirements", "notebook"):
        shutil.copytree(SCRIPTS / name, root / "scripts" / name)
    chapter = root / "chapters" / "01_first"
    chapter.mkdir(parents=True)
    (chapter / "experiment.cu").touch()
    (root / "data").mkdir()
    shutil.copy(SCRIPTS.parent / "data" / "architectures.csv", root / "data")
    return root


@pytest.fixture(scope="module")
def settings(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """No index, no settings of the user's, an apt that fails, and an nvcc: `doctor` misses nothing."""
    tools = tmp_path_factory.mktemp("tools")
    refuses = "echo 'E: not in a test' >&2\nexit 100"
    answers = "echo 'Cuda compilation tools, release 13.0, V13.0.88'"
    for name, does in {"apt-get": refuses, "sudo": refuses, "nvcc": answers}.items():
        (tools / name).write_text(f"#!/bin/sh\n{does}\n")
        (tools / name).chmod(0o755)
    kept = {"HOME": os.environ.get("HOME", "/"), "PATH": f"{tools}:{SYSTEM_PATH}"}
    return kept | {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheels.as_uri(),
        "PIP_CONFIG_FILE": os.devnull,
    }


def lab(
    root: Path, environment: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    command = [str(root / "scripts" / "lab"), *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, settings: dict[str, str]) -> Path:
    """A tree whose first three calls came at once."""
    root = clone(tmp_path_factory.mktemp("tree") / "a lab")
    command = [str(root / "scripts" / "lab"), "doctor"]
    running = [
        subprocess.Popen(
            command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    ends = [process.communicate(timeout=600) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], ends
    installing = (
        "installing meson ninja numpy scipy jsonschema-rs pytest pytest-xdist "
        "hypothesis colorspacious jinja2 markdown-it-py "
        "nh3 pygments axe-core-python into .venv (pip)"
    )
    assert sum(installing in errors for _, errors in ends) == 1, ends
    assert all("jsonschema-rs" in output for output, _ in ends)
    return root


def test_the_second_call_installs_nothing(installed: Path, settings: dict[str, str]) -> None:
    done = lab(installed, settings, "doctor")
    assert (done.returncode, done.stderr) == (0, "")


# Both have their files at the same places, so each has a folder of its own: the emulated GPU looks there.
def test_older_assemblers_are_installed_once(installed: Path, settings: dict[str, str]) -> None:
    first = lab(installed, settings, "setup", "--all-ptxas").stderr
    assert "installing nvidia-cuda-nvcc-cu12 into .venv/ptxas/12.9 (pip)" in first, first
    program = Path("nvidia/cuda_nvcc/bin/ptxas")
    versions = [
        (installed / ".venv" / "ptxas" / release / program).read_text()
        for release in ("12.9", "11.8")
    ]
    assert versions == list(bootstrap._pinned(PTXAS_REQUIREMENTS).values())
    assert "nvidia-cuda-nvcc" not in lab(installed, settings, "setup", "--all-ptxas").stderr


def test_a_damaged_venv_is_mended(installed: Path, settings: dict[str, str]) -> None:
    shutil.rmtree(next((installed / ".venv").glob("lib/python3*/site-packages")) / "numpy")
    done = lab(installed, settings, "doctor")
    assert done.returncode == 0 and "jsonschema-rs" in done.stdout, done.stderr
    assert "damaged (without numpy)" in done.stderr
    assert lab(installed, settings, "doctor").stderr == ""


def test_a_venv_that_cannot_be_mended_says_so_once(
    settings: dict[str, str], installed: Path, tmp_path: Path
) -> None:
    (installed / ".venv" / "bin" / "ninja").unlink()
    done = lab(installed, settings | {"PIP_FIND_LINKS": tmp_path.as_uri()}, "doctor")
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert "damaged (without ninja)" in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("lab: error:")]
    assert (
        len(errors) == 1
        and "with a network, run: '" in errors[0]
        and "a lab/scripts/lab' setup" in errors[0]
    )


def test_an_interpreter_that_is_gone_is_no_venv(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "_STAMP", tmp_path / "lab-stamp")
    assert bootstrap._prepared() == ""
    for interpreter, expected in ((sys.executable, sys.executable), (str(tmp_path / "gone"), "")):
        (tmp_path / "lab-stamp").write_text(f"{bootstrap._wanted()}\n{interpreter}\n")
        assert bootstrap._prepared() == expected
    (tmp_path / "lab-stamp").write_bytes(b"\xff")
    assert bootstrap._prepared() == ""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a .venv is made without packages."""
    root = tmp_path / "a lab"
    root.mkdir()
    monkeypatch.setattr(bootstrap, "_ROOT", root)
    monkeypatch.setattr(bootstrap, "_VENV", root / ".venv")
    monkeypatch.setattr(bootstrap, "_STAMP", root / ".venv" / "lab-stamp")
    monkeypatch.setattr(bootstrap, "install", lambda python, requirements: "")
    return root


def test_what_a_linked_venv_leads_to_stays_whole(
    checkout: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """`venv --clear` empties what a link leads to: the packages of another tree."""
    others = tmp_path / "another tree" / ".venv"
    (others / "bin").mkdir(parents=True)
    for name in ("lab-stamp", "bin/python"):
        (others / name).write_text("of the other tree\n")
    (checkout / ".venv").symlink_to(others)
    assert bootstrap.main() == 0
    assert {path.name for path in others.rglob("*")} == {"lab-stamp", "bin", "python"}
    assert not (checkout / ".venv").is_symlink() and (checkout / ".venv/bin/pip").is_file()
    said = capfd.readouterr().err.splitlines()
    assert f".venv is a link to '{others}', which stays unchanged" in said[0]


def test_packages_do_not_go_through_a_linked_venv(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / ".venv").symlink_to(tmp_path)
    monkeypatch.setattr(sys, "prefix", str(checkout / ".venv"))
    assert not bootstrap.is_ours() and bootstrap.damage() == []


@pytest.mark.parametrize("forbidden", [".venv", "."])
def test_what_belongs_to_another_user_is_neither_emptied_nor_blamed_on_packages(
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    forbidden: str,
) -> None:
    """Root's .venv, or root's clone. Root itself may do everything, so that access(2) is played."""
    (checkout / ".venv" / "bin").mkdir(parents=True)
    wanted = checkout / forbidden
    real = os.access
    denied = lambda path, mode: Path(path) != wanted and real(path, mode)  # noqa: E731
    monkeypatch.setattr(os, "access", denied)
    assert bootstrap.main() != 0
    output, errors = capfd.readouterr()
    (line,) = errors.splitlines()
    assert output == "" and f"'{wanted}' belongs to {wanted.owner()}" in line
    assert ("sudo rm -r" in line) == (forbidden == ".venv")
    assert (checkout / ".venv" / "bin").is_dir()


def test_help_comes_before_anything_is_installed(tmp_path: Path, settings: dict[str, str]) -> None:
    root = clone(tmp_path / "tree")
    for arguments in (["--help"], ["run", "--help"], ["-h"], ["emulate", "-h"]):
        done = lab(root, settings, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert done.stdout.startswith("usage:")
    assert not (root / ".venv").exists()


def test_without_python3_venv_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Debian's python3 without python3-venv fails half-way, and leaves an interpreter."""
    broken = tmp_path / "python3"
    broken.write_text('#!/bin/sh\nmkdir -p "$4/bin"; touch "$4/bin/python"; exit 1\n')
    broken.chmod(0o755)
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho 'E: not in a test'; exit 100\n")
    apt.chmod(0o755)
    for name in ("env", "mkdir", "touch"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(broken))
    monkeypatch.setattr(bootstrap, "find_spec", lambda name: None)
    monkeypatch.setattr(bootstrap, "_ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "_VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "_STAMP", tmp_path / ".venv" / "lab-stamp")
    assert bootstrap.main() == 3
    output, errors = capfd.readouterr()
    assert output == "" and "python3-venv is missing" in errors
    # One line for everything that is missing, not one thing after another.
    assert "sudo apt-get install python3-venv pkg-config g++" in errors
    assert not (tmp_path / ".venv").exists()
