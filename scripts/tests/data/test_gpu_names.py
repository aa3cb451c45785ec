"""Names that people give to GPUs, and the errors of the times that are predicted of them."""

from pathlib import Path

import pytest

from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.data import devices, gpu_names
from notebook.emulate.launches import errors as emulate_errors

REAL = Project.here()
ROWS = devices.emulable(REAL)


@pytest.mark.parametrize(
    ("said", "gpu"),
    [
        ("t4", "Tesla T4"),
        ("a100", "A100-SXM4-80GB"),
        ("v100", "Tesla V100-SXM2-16GB"),
        ("p100", "Tesla P100-PCIE-16GB"),
        ("h100", "H100 SXM5 80GB HBM3"),
        ("H200", "H200 SXM"),
        ("b200", "B200"),
        ("gtx1080ti", "GeForce GTX 1080 Ti"),
        ("GTX 1080", "GeForce GTX 1080"),
        ("rtx2080ti", "GeForce RTX 2080 Ti"),
        ("rtx3060", "GeForce RTX 3060"),
        ("RTX-3060-Ti", "GeForce RTX 3060 Ti"),
        ("rtx4090", "GeForce RTX 4090"),
        ("l4", "NVIDIA L4"),
        ("sm_86", "GeForce RTX 3080"),
        ("8.6", "GeForce RTX 3080"),
        ("sm_90a", "H200 SXM"),
        ("compute_75", "Tesla T4"),
        ("hopper", "H200 SXM"),
        ("geforce-gtx-1650", "GeForce GTX 1650"),
    ],
)
def test_names_as_people_say_them(said: str, gpu: str) -> None:
    assert ROWS[gpu_names.resolve(said, ROWS)]["gpu"] == gpu


def test_every_gpu_has_the_name_that_is_shown() -> None:
    for name in ROWS:
        assert gpu_names.resolve(name, ROWS) == name
        assert gpu_names.resolve(name.replace("-", "").upper(), ROWS) == name


def test_all_near_matches_are_listed() -> None:
    with pytest.raises(Problem) as raised:
        gpu_names.resolve("rtx30", ROWS)
    for name in (
        "rtx-3060",
        "rtx-3060-ti",
        "rtx-3060-laptop",
        "rtx-3070-ti",
        "rtx-3080",
        "rtx-3090",
    ):
        assert f" {name}," in str(raised.value) or f" {name}?" in str(raised.value)
    with pytest.raises(Problem, match=r"unknown GPU 'k20'; did you mean k20x, k20m\? valid: fermi"):
        gpu_names.resolve("k20", ROWS)
    with pytest.raises(Problem, match="unknown GPU 'banana'; valid: fermi, kepler"):
        gpu_names.resolve("banana", ROWS)
    for wrong in ("", "8", "86", "ti", "9.9", "\x1b[31m"):
        with pytest.raises(Problem):
            gpu_names.resolve(wrong, ROWS)


def test_the_same_names_choose_what_a_chapter_runs_on() -> None:
    assert str(devices.parse_target(REAL, "emulated:t4")) == "emulated:turing"
    assert str(devices.parse_target(REAL, "emulated:rtx3060")) == "emulated:geforce-rtx-3060"
    with pytest.raises(Problem, match="rtx-3060-ti"):
        devices.parse_target(REAL, "emulated:rtx30")


def test_boards_by_their_short_names() -> None:
    for gpu, name in {
        "A100-SXM4-80GB": "A100",
        "H100 SXM5 80GB HBM3": "H100",
        "GeForce RTX 4090": "RTX 4090",
        "Tesla P100-PCIE-16GB": "P100",
        "Tesla K40m/K40c": "K40m",
        "Tegra X1 (Jetson Nano)": "Tegra X1",
    }.items():
        assert gpu_names.short(gpu) == name


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "data" / "timing"
    folder.mkdir(parents=True)
    (folder / "validation.csv").write_text(
        "chapter,predicted_seconds,measured_seconds\n01,1.1,1\n01,1.3,1\n01,1.2,1\n02,0.6,1\n"
    )
    (folder / "published.csv").write_text(
        "gpu,predicted_seconds,printed_seconds\n"
        + "ampere,1.1,1\nampere,0.8,1\nampere,1.4,1\n"
        + "volta,2,1\n"
        + "geforce-rtx-2060,1,1\ngeforce-gtx-1650,1.5,1\ngeforce-gtx-1650,1.25,1\n"
    )
    return Project(tmp_path, tmp_path / "data")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # The means of 10, 30, 20 and 40 %, of 10, 20 and 40 %, and of 0, 50 and 25 %.
        ("hopper", "H200: errors of measured times 25 %"),
        ("ampere", "A100: errors of printed times 23 %"),
        ("turing", "other Turing GPUs: errors of printed times 25 %"),
        # One time shows no error.
        ("volta", "Volta: not validated"),
        ("fermi", "Fermi: not validated"),
    ],
)
def test_errors_of_predicted_times(project: Project, name: str, text: str) -> None:
    assert str(emulate_errors.of_gpu(project, name, ROWS)) == text


def test_a_damaged_table_of_errors_is_named(project: Project) -> None:
    (project.root / "data" / "timing" / "published.csv").write_text(
        "gpu,predicted_seconds,printed_seconds\nampere,1.1,0\n"
    )
    with pytest.raises(Problem, match=r"published\.csv"):
        emulate_errors.of_gpu(project, "ampere", ROWS)
