"""Counters of tensor-core programs: how a profile and a report become a comparison of launches."""

import json
import shutil
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SCRIPTS))
import public_programs  # noqa: E402
import tensor_programs  # noqa: E402
from notebook.base.errors import Problem  # noqa: E402
from notebook.data.metrics import NSIGHT  # noqa: E402

REPORTED = {
    "load_requests": 16.0,
    "shared_load_requests": 8.0,
    "shared_load_wavefronts": 24.0,
    "matrix_load_requests": 4.0,
    "tensor_instructions": 32.0,
    "warp_instructions": 500.0,
}


def profile(*launches: tuple[str, dict[str, str]]) -> str:
    """Nsight Compute's raw page: what it prints itself, names, units, and a row a launch."""
    metrics = list(launches[0][1])
    rows = [["ID", "Kernel Name", *metrics], ["", "", *["inst"] * len(metrics)]]
    rows += [[str(n), kernel, *cells.values()] for n, (kernel, cells) in enumerate(launches)]
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    return "\n".join(["==PROF== Connected to process 7 (/tmp/a)", *lines, ""])


def cells(**changed: str) -> dict[str, str]:
    measured = {
        "load_requests": "16",
        "shared_load_requests": "8",
        "shared_load_wavefronts": "27",
        "shared_instruction_load_wavefronts": "8",
        "matrix_load_requests": "4",
        "tensor_instructions": "32",
        "warp_instructions": "1,500",
    } | changed
    metrics = NSIGHT | tensor_programs.FURTHER
    return {metrics[name]: cell for name, cell in measured.items()}


@pytest.fixture
def notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A notebook into which the comparison may write, with folders of reports and of profiles."""

    class Here:
        root = tmp_path

    monkeypatch.setattr(public_programs.Project, "here", lambda: Here)
    for folder in ("reports", "profiles", tensor_programs.COUNTERS.parent):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def launched(notebook: Path, program: str, text: str, *kernels: str) -> None:
    launches = [{"kernel": kernel, "counters": REPORTED} for kernel in kernels]
    report = {"emulated": [{"launches": launches}]}
    (notebook / "reports" / f"{program}.json").write_text(json.dumps(report))
    (notebook / "profiles" / f"{program}.csv").write_text(text)


def compared(notebook: Path) -> str:
    lines = tensor_programs._compare(notebook / "reports", notebook / "profiles")
    return "\n".join(lines)


def test_equal_launches_are_told_from_those_that_differ(notebook: Path) -> None:
    matrix = {public_programs.MATRIX_WAVEFRONTS: "16"}
    text = profile(
        ("void gemm<(int)3>(half *)", cells(**matrix)),
        ("void gemm<(int)4>(half *)", cells(load_requests="1,016", **matrix)),
    )
    launched(notebook, "hgemm", text, "gemm<3>(__half*)", "gemm<4>(__half*)")
    printed = compared(notebook)
    assert "with tensor instructions: 1 of 2 equal" in printed
    assert "50.0 %" in printed
    (row,) = [line.split() for line in printed.splitlines() if line.startswith("hgemm")]
    assert row == ["hgemm", "2", "gemm", "load_requests", "16", "1016"]
    stored = public_programs.read_table(notebook / tensor_programs.COUNTERS)["hgemm"]
    assert [row["load_requests"] for row in stored] == ["16", "1016"]
    shutil.rmtree(notebook / "profiles")
    again = tensor_programs._compare(notebook / "reports", None)
    assert "\n".join(again) == printed


def test_passes_of_matrices_are_added_or_the_data_pipes_counter_is_taken(notebook: Path) -> None:
    launched(notebook, "p", profile(("k()", cells())), "k()")
    assert "p        1       k       shared_load_wavefronts  24        27" in compared(notebook)
    text = profile(("k()", cells(shared_load_wavefronts="24")))
    launched(notebook, "p", text, "k()")
    assert "1 of 1 equal" in compared(notebook)


def test_a_metric_that_was_not_measured_is_no_zero(notebook: Path) -> None:
    measured = cells(shared_load_wavefronts="24")
    del measured[NSIGHT["shared_load_requests"]]
    launched(notebook, "p", profile(("k()", measured)), "k()")
    printed = compared(notebook)
    assert "equal" not in printed
    assert "p, launch 1: not compared, as shared_load_requests was not measured" in printed
    (row,) = public_programs.read_table(notebook / tensor_programs.COUNTERS)["p"]
    assert row["shared_load_requests"] == ""


def test_launches_without_tensor_cores_are_counted_apart(notebook: Path) -> None:
    matrix = {public_programs.MATRIX_WAVEFRONTS: "16"}
    launched(notebook, "p", profile(("k()", cells(**matrix))), "k()")
    path = notebook / "reports" / "p.json"
    path.write_text(path.read_text().replace('"tensor_instructions": 32.0', '"other": 0'))
    assert "Launches without tensor instructions: 1 of 1 equal" in compared(notebook)


def test_programs_without_their_profile_are_named(notebook: Path) -> None:
    launched(notebook, "p", profile(("k()", cells())), "k()")
    launched(notebook, "q", "==ERROR== The application returned an error code (1).\n", "k()")
    assert compared(notebook).endswith("q: 1 emulated launches, 0 measured")


def test_what_is_no_profile_or_no_report_is_refused(notebook: Path) -> None:
    launched(notebook, "p", "==ERROR== Failed to find metric x\n", "k()")
    with pytest.raises(Problem, match="no profile of a launch"):
        compared(notebook)
    launched(notebook, "p", profile(("k()", cells())), "k()")
    (notebook / "reports" / "p.json").write_text("{}")
    with pytest.raises(Problem, match="no report of lab emulate"):
        compared(notebook)
