"""`lab peers`: what processes say becomes a document of the data format, and nothing wrong gets in."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from notebook.base import files
from notebook.base.errors import Malformed, Problem
from notebook.base.project import Project
from notebook.charts import peers
from notebook.charts.sources import Sources
from notebook.data import documents, results
from notebook.data.chapters import find_chapters
from notebook.data.fields import Json
from notebook.peers import record, subjects

CONTEXT = {
    "device": "nvidia-h200",
    "device_kind": "gpu",
    "gpu_name": "NVIDIA H200",
    "year": 2022,
    "dram_bytes_per_second": 4_814_304_000_000,
    "fetch_unit_bytes": 32,
}
SAID = {"gpu_name": "NVIDIA H200", "libraries": "PyTorch 2.11.0, CUDA 13.0, cuBLAS 13.1.0"}


def addition(time_us: float, copy_us: float) -> Json:
    """An addition of 2^28 floats: three arrays of 1 GiB, where a copy moves two."""
    return {
        "name": "torch_add/offset:0/n:268435456/cache:cold",
        "time_us": [time_us],
        "copy_us": [copy_us],
        "bytes": 3 * 2.0**30,
        "flops": 2.0**28,
        "copied_bytes": 2 * 2.0**30,
    }


def product() -> Json:
    """1024 cubed at 51.2 TFLOP/s."""
    return {
        "name": "torch_matmul/m:1024/n:1024/k:1024",
        "time_us": [2 * 1024**3 / 51.2e6],
        "copy_us": [10.0],
        "bytes": 12.0 * 2**20,
        "flops": 2.0 * 1024**3,
        "copied_bytes": 8.0 * 2**20,
    }


def test_the_ratio_to_the_copy_is_one_of_rates() -> None:
    outputs = [[SAID, addition(750, 500)], [SAID, addition(600, 500)]]
    row = record.document_of("07_unroll4", dict(CONTEXT), outputs)["rows"][0]
    # 1.5 times the bytes in 1.5 and in 1.2 times the time.
    assert row["memcpy_ratio"] == [[1.0], [1.25]]
    assert row["bytes_per_second"][0] == [pytest.approx(3 * 2**30 / 750e-6, rel=1e-6)]
    assert row["kind"] == "peer"


def test_a_product_has_no_copy_beside_it() -> None:
    row = record.document_of("19_matmul_fast", dict(CONTEXT), [[SAID, product()]])["rows"][0]
    assert "memcpy_ratio" not in row
    assert row["flops_per_second"] == [[pytest.approx(51.2e12, rel=1e-6)]]


def test_the_libraries_are_kept() -> None:
    context = record.document_of("19_matmul_fast", dict(CONTEXT), [[SAID, product()]])["context"]
    assert context["libraries"] == SAID["libraries"]


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"gpu_name": "NVIDIA H100 80GB HBM3"}, "not a NVIDIA H200"),
        ({"libraries": "PyTorch 2.4.0"}, "different libraries"),
    ],
)
def test_another_gpu_or_other_libraries_are_refused(said: Json, complaint: str) -> None:
    outputs = [[SAID, product()], [SAID | said, product()]]
    with pytest.raises(Problem, match=complaint):
        record.document_of("19_matmul_fast", dict(CONTEXT), outputs)


def test_a_time_of_zero_is_malformed() -> None:
    wrong = product() | {"time_us": [1e-9]}
    with pytest.raises(Malformed):
        record.document_of("19_matmul_fast", dict(CONTEXT), [[SAID, wrong]])


def test_chapters_without_peers_are_refused() -> None:
    with pytest.raises(Problem, match="has no peers"):
        subjects.of("01_access_patterns")


def test_chapters_with_peers_have_their_library() -> None:
    for chapter in find_chapters(Project.here(), list(subjects.CHAPTERS)):
        assert (chapter.directory / "peers.cu").is_file()


def test_tracked_peers_are_well_formed() -> None:
    project = Project.here()
    for chapter in find_chapters(project, list(subjects.CHAPTERS)):
        for result in results.load_peers(project, chapter):
            assert result.by_name
            assert result.chapter == chapter.name


def test_the_chart_shows_textbook_peers_ours_and_limit(tmp_path: Path) -> None:
    """With the tracked results of an H200 and an invented addition at 0.9 of the copy."""
    tracked = Project.here()
    device = tmp_path / "nvidia-h200"
    device.mkdir()
    for chapter in subjects.CHAPTERS:
        shutil.copy(tracked.data / "nvidia-h200" / f"{chapter}.json", device)
    slow = addition(1.5 * 500 / 0.9, 500) | {"name": "torch_add/offset:0/n:536870912/cache:cold"}
    document = record.document_of("07_unroll4", dict(CONTEXT), [[SAID, slow]])
    files.write(device / results.PEERS / "07_unroll4.json", documents.as_text(document))
    chart = peers.peers(Sources(Project(tracked.root, tmp_path)))
    assert chart is not None
    drawn = chart.as_tsv()
    for label in (
        "textbook: a float a thread",
        "PyTorch",
        "ours",
        "limit: multiply-adds on registers",
    ):
        assert label in drawn
    # Two arrays are read at the rate of the reads alone, one is written at that of the writes.
    (gpu,) = Sources(Project(tracked.root, tmp_path)).facts("07").measured
    reads, writes = (
        max(filter(None, (gpu.value(name, "memcpy_ratio") for name in gpu.rows(kernel))))
        for kernel in ("read_wide", "write_wide")
    )
    assert f"\t{90 / (3 / (2 / reads + 1 / writes)):.6g}\t" in drawn
    assert re.fullmatch("H200: textbooks reach .* of limits, ours .*", chart.title)


def test_there_is_no_chart_without_peers(tmp_path: Path) -> None:
    assert peers.peers(Sources(Project(Project.here().root, tmp_path))) is None


def test_checkouts_are_named_with_their_commit(tmp_path: Path) -> None:
    clone = tmp_path / "SGEMM_CUDA"
    clone.mkdir()
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "one")):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    (name,) = record._revisions(tmp_path)
    repository, revision = name.split()
    assert repository == "SGEMM_CUDA" and len(revision) >= 7
    assert head.stdout.startswith(revision)


def test_a_folder_without_checkouts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="none of the folders SGEMM_CUDA, cuda-samples"):
        record._revisions(tmp_path)


def test_what_is_no_clone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cuda-samples").mkdir()
    with pytest.raises(Problem, match="is no clone"):
        record._revisions(tmp_path)


def test_only_what_was_compiled_is_measured(tmp_path: Path) -> None:
    source, built = tmp_path / "some.c", tmp_path / "libsome.so"
    source.write_text("int there(void) { return 0; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(built)], check=True)
    works = subjects._compiled(ctypes.CDLL(str(built)), ("there", "missing"))
    assert list(works) == ["there"]
    works["there"]()
