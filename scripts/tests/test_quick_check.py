"""What the quick check finds right the schema accepts; it is quick because most files are right."""

import copy
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import jsonschema_rs
import pytest
import synthetic

from notebook import quick_check, schema

_WHOLE = jsonschema_rs.Draft202012Validator(schema.schema())
_ROW = jsonschema_rs.Draft202012Validator(
    {"$defs": schema.schema()["$defs"]} | schema.schema()["properties"]["rows"]["items"]
)


def document() -> dict[str, Any]:
    rows = synthetic.timed("read/n:1024/cache:cold", 5.0, bytes_per_second=1e12, throttled=1)
    return synthetic.stored(synthetic.document(rows))


def is_quickly_right(rows: object) -> bool:
    return quick_check.are_right(rows, quick_check.Shapes(_ROW.is_valid))


def test_a_right_file_is_right_without_its_numbers(tracked: Path) -> None:
    for name in ("nvidia-h200/02_misaligned_reads", "emulated-fermi/02_misaligned_reads"):
        tracked_document = schema.parse_json((tracked / f"{name}.json").read_bytes())
        assert is_quickly_right(tracked_document["rows"])


@pytest.fixture
def tracked() -> Path:
    return Path(__file__).resolve().parents[2] / "data"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("time_us", [[5.0, -1.0]]),
        ("time_us", [[5.0, True]]),
        ("time_us", [[5.0, "6"]]),
        ("time_us", [[5.0], 6.0]),
        ("time_us", 5.0),
        ("time_us", [[1e11]]),
        ("time_us", [[1.0]] * 33),
        ("time_us", [[1.0] * 201]),
        ("throttled", [[0, 2]]),
        ("throttled", 0.5),
        ("bytes_per_second", 1e-300),
        ("bytes_per_second", None),
        ("name", "read offset"),
        ("name", "r" * 301),
        ("name", "read/n:1\n"),
        ("level", "l3"),
        ("evidence", "counted"),
        ("predicted_seconds", 1e-6),
        ("unknown", 1.0),
    ],
)
def test_what_the_schema_refuses_is_not_quickly_right(key: str, value: object) -> None:
    changed = document()
    changed["rows"][0][key] = value
    assert not _WHOLE.is_valid(changed)
    assert not is_quickly_right(changed["rows"])


@pytest.mark.parametrize("wrong", [-1.0, [[-1.0]], [[5.0], [True]], [[5.0], 5.0], None, "5"])
def test_one_wrong_row_among_right_ones_is_found(wrong: object) -> None:
    changed = document()
    first = changed["rows"][0]
    changed["rows"] = [
        first | {"name": f"read/n:{size}", "bytes_per_second": value}
        for size, value in enumerate([1e12, [[1e12, 2e12]], 3e12])
    ]
    assert is_quickly_right(changed["rows"])
    changed["rows"][1]["bytes_per_second"] = wrong
    assert not _WHOLE.is_valid(changed)
    assert not is_quickly_right(changed["rows"])


@pytest.mark.parametrize("rows", [None, [], {}, [1], [[]], "rows", [{}]])
def test_what_is_no_rows(rows: object) -> None:
    assert not is_quickly_right(rows)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 300)
    | st.floats(-1, 1e13)
    | st.sampled_from(["", "read/n:1", "dram", "measured", "counted"]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@hypothesis.given(st.sampled_from(sorted({*document()["rows"][0], "l1_hit_sectors"})), _VALUES)
@hypothesis.settings(derandomize=True, deadline=None)
def test_whatever_is_quickly_right_the_schema_accepts(key: str, value: object) -> None:
    changed = copy.deepcopy(document())
    changed["rows"][0][key] = value
    assert not is_quickly_right(changed["rows"]) or _WHOLE.is_valid(changed)
