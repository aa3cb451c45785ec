"""The data format: the tracked schema is the one in use, and programs write what it allows."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import Tree

from notebook.base.errors import Malformed, Problem
from notebook.base.project import Project
from notebook.data import documents, fields, metrics, records, results, schema
from notebook.data.chapters import all_chapters
from notebook.data.metrics import TABLE
from notebook.tools import build

Json = dict[str, Any]
PROJECT = Project.here()


def test_the_tracked_schema_is_generated_from_the_tables() -> None:
    tracked = (PROJECT.root / "data" / "schema.json").read_text(encoding="utf-8")
    assert tracked == schema.as_text(), (
        "PYTHONPATH=scripts python -m notebook.data.schema > data/schema.json"
    )


def test_every_tracked_data_file_is_as_it_would_be_written() -> None:
    names = {chapter.name for chapter in all_chapters(PROJECT)}
    paths = [path for path in PROJECT.root.glob("data/*/*.json") if path.stem in names]
    assert len(paths) >= 140
    for path in paths:
        text = path.read_bytes()
        assert documents.as_text(schema.parse(text)).encode() == text, path


def test_metrics_have_known_kinds_and_units() -> None:
    assert {metric.kind for metric in TABLE} == {"rate", "counter", "moved", "basis"}
    assert {metric.unit for metric in TABLE} <= set(fields.UNITS)
    assert all(metric.meaning for metric in TABLE)
    assert len({metric.name for metric in TABLE}) == len(TABLE)


def test_repetitions_are_folded_and_come_back() -> None:
    name = "read/n:64/cache:cold"
    rows = [
        synthetic.row(
            name, time_us, index % 2, index // 2, label="dram", launches=8, throttled=index == 3
        )
        for index, time_us in enumerate([1.5, 2.5, 3.5, 4.5])
    ]
    rows = [row | {"throttled": int(row["throttled"])} for row in rows]
    document = synthetic.stored(synthetic.document(rows))
    (row,) = document["rows"]
    assert row["time_us"] == [[1.5, 2.5], [3.5, 4.5]]
    assert row["launches"] == 8 and row["throttled"] == [[0, 0], [0, 1]]
    unfolded = records.rows_of(document)
    assert [entry.time_us for entry in unfolded] == [1.5, 2.5, 3.5, 4.5]
    assert [entry.process for entry in unfolded] == [0, 0, 1, 1]
    assert [entry.throttled for entry in unfolded] == [False, False, False, True]
    assert records.stored(document)[name].throttled == {1}


def test_a_process_that_lacks_a_row_leaves_a_gap() -> None:
    rows = [synthetic.row("a/n:1", 1.0, 0, process) for process in (0, 2)]
    rows += [synthetic.row("b/n:1", 2.0, 0, process) for process in (0, 1, 2)]
    document = synthetic.stored(synthetic.document(rows))
    first, second = document["rows"]
    assert first["time_us"] == [[1], [], [1]] and second["time_us"] == [[2], [2], [2]]
    assert [row.process for row in records.rows_of(document)] == [0, 2, 0, 1, 2]


def test_words_of_a_row_are_in_its_label() -> None:
    rows = [
        synthetic.row("memcpy/bytes:8/cache:cold", 1.0, label="dram kind:memcpy"),
        synthetic.row("read/n:1", 1.0, label="l2 predicted_bound:latency", predicted_seconds=2e-6),
    ]
    document = synthetic.stored(synthetic.document(rows))
    first, second = document["rows"]
    assert (first["level"], first["kind"]) == ("dram", "memcpy")
    assert (second["level"], second["predicted_bound"]) == ("l2", "latency")
    (row,) = records.rows_of(document | {"rows": [second]})
    assert (row.predicted_seconds, row.predicted_bound) == (2e-6, "latency")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        (
            {"load_sector": 1},
            "'load_sector' was unexpected.*metrics: scripts/notebook/data/metrics.csv",
        ),
        ({"load_sectors": "7"}, "load_sectors"),
        ({"label": "l3"}, "level"),
        ({"label": "dram kind:other"}, "kind"),
        ({"label": "dram other:x"}, "other"),
        ({"error_occurred": True, "error_message": "boom"}, "boom"),
        ({"time_unit": "fortnight"}, "fortnight"),
    ],
)
def test_what_a_program_must_not_write(changes: Json, complaint: str) -> None:
    output = synthetic.document([synthetic.row("read/n:1", 1.0) | changes])
    with pytest.raises(Malformed, match=complaint):
        documents.from_benchmark(output)


@pytest.mark.parametrize(
    ("written", "unit", "stored"),
    [
        (2.5, "ns", 0.0025),
        (2.5, "us", 2.5),
        (2.5, "ms", 2500.0),
        (2.5, "s", 2500000.0),
        (1.23456789, "us", 1.234568),  # seven digits
    ],
)
def test_times_of_a_program_are_microseconds(written: float, unit: str, stored: float) -> None:
    row = synthetic.row("read/n:1", written) | {"time_unit": unit}
    (read,) = documents.from_benchmark(synthetic.document([row]))["rows"]
    assert read["time_us"] == [[stored]]


def test_a_built_chapter_writes_what_the_schema_allows(tmp_path: Path) -> None:
    """C++ names fields and counters by itself: one that the tables lack is refused here."""
    executable = PROJECT.build / "chapters/02_misaligned_reads/misaligned_reads"
    if not (executable.is_file() and (PROJECT.build / build.emulated_runtime()).is_file()):
        pytest.skip("the chapter is not built here")
    out = tmp_path / "out.json"
    flags = ["--architecture=fermi", "--benchmark_filter=offset:1/", f"--benchmark_out={out}"]
    subprocess.run([executable, *flags, "--benchmark_format=json"], capture_output=True, check=True)
    document = documents.from_benchmark(json.loads(out.read_bytes()))
    assert document["context"]["device"] == "emulated-fermi"
    assert all(row["evidence"] == "counted" and row["load_sectors"] > 0 for row in document["rows"])


def test_what_a_gpu_times_is_what_the_schema_allows(tmp_path: Path) -> None:
    """Of a GPU that plays a script: throttled in one repetition, then at another clock."""
    executable = PROJECT.build / "common/tests/scripted_chapter"
    if not executable.is_file():
        pytest.skip("the tests of the harness are not built here")
    out = tmp_path / "out.json"
    subprocess.run([executable, f"--benchmark_out={out}"], capture_output=True, check=True)
    (row,) = documents.from_benchmark(json.loads(out.read_bytes()))["rows"]
    assert row["evidence"] == "measured" and len(row["time_us"][0]) == 5
    assert row["discarded_batches"] == [[0, 1, 2, 0, 0]]
    assert (row["throttled"], row["drifting"], row["sm_clock_mhz"]) == (0, 0, 1000)


def test_reading_is_refused_without_the_schema(tree: Tree) -> None:
    path = tree.data / "nvidia-h200" / f"{synthetic.CHAPTER}.json"
    synthetic.save_stored(path, {"context": synthetic.context(), "benchmarks": []})
    with pytest.raises(Malformed, match="not of format 2"):
        results.read(path, tree.chapter)


def test_half_of_a_character_is_refused_and_a_whole_one_is_not() -> None:
    with pytest.raises(Malformed, match="surrogates not allowed"):
        schema.parse_json(b'{"a": "\\ud83d"}')
    assert schema.parse_json(b'{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "stored_bytes,count,bytes,what is stored,",
            "stored_bytes: kind 'count' is none of counter, ",
        ),
        ("stored_bytes,counter,bytes,what is stored", "line 3: 4 cells, 5 columns"),
        ("stored_bytes,counter,bytes,stored, and more,", "line 3: 6 cells, 5 columns"),
        ("hits,counter,count,hits again,", "hits is there twice"),
        ("stored_\0bytes,counter,bytes,what is stored,", "line 3: holds the control character"),
    ],
)
def test_a_wrong_line_of_the_metrics_is_one_line(tmp_path: Path, line: str, message: str) -> None:
    table = tmp_path / "metrics.csv"
    table.write_text(f"name,kind,unit,meaning,nsight\nhits,counter,count,hits,\n{line}\n")
    with pytest.raises(Problem, match=message):
        metrics.load(table)


def test_a_metric_in_no_known_unit_is_one_line() -> None:
    metric = metrics.Metric("stored_bytes", "counter", "KiB", "what is stored", "")
    with pytest.raises(Problem, match="stored_bytes: unit 'KiB' is none of count, bytes, percent"):
        fields.of_metric(metric)


@pytest.mark.parametrize("depth", [3, 100, 254, 255, 256, 500, 1000, 5000])
@pytest.mark.parametrize("field", ["time_us", "launches", "level"])
def test_a_value_nested_deeply_is_one_line(field: str, depth: int) -> None:
    document = synthetic.stored(synthetic.document(synthetic.timed("read/n:64", 5.0)))
    document["rows"][0][field] = "@"
    nested = f"{'[' * depth}1.0{']' * depth}"
    text = json.dumps(document).replace('"@"', nested)
    with pytest.raises(Malformed) as caught:
        schema.parse(text.encode())
    assert len(str(caught.value)) < 300
    assert "nested too deeply" in str(caught.value) or field in str(caught.value)
