import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from notebook.base import files
from notebook.base.errors import Malformed


def test_a_reader_sees_the_old_content_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "folder" / "file"
    files.write(path, "old\n")

    def interrupted(*_: object) -> None:
        assert path.read_text() == "old\n"
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.write(path, "new\n")
    assert path.read_text() == "old\n"
    assert list(path.parent.iterdir()) == [path]


def make_sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (Path.mkdir, "Is a directory"),
        (os.mkfifo, "is no plain file"),
        (lambda path: path.symlink_to("/dev/zero"), "is no plain file"),
        (lambda path: path.symlink_to(path.name), "symbolic links"),
        (lambda path: path.symlink_to("gone"), "No such file"),
        (make_sparse, "is larger than 16 MiB"),
        (lambda path: path.write_bytes(b"one\ntw\xff"), "line 2: is not UTF-8"),
    ],
)
def test_what_is_no_file_of_text_is_refused(
    tmp_path: Path, make: Callable[[Path], None], complaint: str
) -> None:
    path = tmp_path / "file"
    make(path)
    signal.alarm(60)  # a pipe to which no other process writes: reading it would never end
    with pytest.raises(Malformed, match=complaint):
        files.read_text(path)
    signal.alarm(0)
    assert files.is_there(path)


def test_a_file_of_the_largest_size_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345678")
    assert files.read_bytes(tmp_path / "file", 8) == b"12345678"
    with pytest.raises(Malformed):
        files.read_bytes(tmp_path / "file", 7)


def test_line_ends_of_any_system_are_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"a\r\nb\rc\n")
    assert files.read_text(tmp_path / "file") == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("\n" + ".".join(["a"] * 20_000) + " = 1", "line 2: has more than 100 dots"),
        (f"a = {'9' * 5000}", "too long"),
        ("a = 1\na = 2", "Cannot overwrite"),
        ("x" * 2**20, "is larger than"),
    ],
)
def test_toml_that_takes_too_much(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(Malformed, match=complaint):
        files.read_toml(tmp_path / "file")
