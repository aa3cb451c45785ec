"""What orjson reads is what Python's own reader reads, or is left to it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook import fast_json, schema
from notebook.errors import Malformed
from notebook.project import Project

_KEYS = st.sampled_from(["a", "b", 'quote"', 'quote":', "a:b", "\\", "ä"])
_LEAVES = st.one_of(st.integers(-3, 3), st.floats(-2, 2), st.none(), _KEYS)
_SPACES = st.sampled_from(["", "", "", " ", "\t", "\n", "\r"])


@st.composite
def _objects(draw: st.DrawFn, depth: int = 3) -> str:
    """An object as text: keys may stand twice, escaped or not, apart from their colons or not."""
    members = []
    for key in draw(st.lists(_KEYS, max_size=4)):
        written = json.dumps(key, ensure_ascii=draw(st.booleans()))
        if key == "a" and draw(st.booleans()):
            written = '"\\u0061"'
        members.append(f"{written}{draw(_SPACES)}:{draw(_SPACES)}{draw(_values(depth - 1))}")
    return "{" + ",".join(members) + "}"


def _values(depth: int) -> st.SearchStrategy[str]:
    leaves = _LEAVES.map(json.dumps)
    if depth == 0:
        return leaves
    arrays = st.lists(st.deferred(lambda: _values(depth - 1)), max_size=3)
    return st.one_of(leaves, _objects(depth), arrays.map(lambda items: f"[{','.join(items)}]"))


@given(_objects())
def test_what_is_certain_has_no_key_twice(text: str) -> None:
    content = text.encode()
    document = fast_json.load(content)
    if document is not None and fast_json.has_each_key_once(content, document):
        assert schema.parse_json(content) == document


@pytest.mark.parametrize(
    "text",
    ['{"a":1,"a":2}', '{"a":1,"a" :2}', '{"a":{"b":1,"b":2}}', '{"a":1,"\\u0061":2}',
     '{"a":[{"b":1,"b":2}]}', '{"a":[1,{"b":1,"b":2}]}', '{"a":1,"a"\n:2,"b":"\\":"}'],
)  # fmt: skip
def test_a_key_that_stands_twice_is_not_certain(text: str) -> None:
    content = text.encode()
    document = fast_json.load(content)
    assert document is not None and not fast_json.has_each_key_once(content, document)
    with pytest.raises(Malformed, match="twice"):
        schema.parse_json(content)


@pytest.mark.parametrize("text", ["[]", "{", '{"a":NaN}', '{"a":1e999}', '{"a":"\\ud800"}', "\xff"])
def test_what_is_no_json_object_is_left_to_the_other_reader(text: str) -> None:
    assert fast_json.load(text.encode("latin-1")) is None


def test_tracked_files_are_read_fast_and_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = sorted(Project.here().data.glob("*/0*.json"))
    assert len(paths) > 60
    contents = [path.read_bytes() for path in paths]
    fast: list[Any] = [fast_json.load(content) for content in contents]
    assert all(map(fast_json.has_each_key_once, contents, fast))
    monkeypatch.setattr(fast_json, "orjson", None)  # as on a machine that lacks it
    assert [schema.parse(content) for content in contents] == fast
