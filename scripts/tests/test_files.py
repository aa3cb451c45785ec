import os
from pathlib import Path

import pytest

from notebook import files


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
