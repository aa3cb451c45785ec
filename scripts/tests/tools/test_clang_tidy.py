"""The nightly clang-tidy: each source with its own command, without flags that clang does not know."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]


def tool() -> ModuleType:
    path = ROOT / "scripts/nightly/clang_tidy.py"
    spec = importlib.util.spec_from_file_location("clang_tidy", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_sources_of_a_joined_file_have_its_command(tmp_path: Path) -> None:
    build = tmp_path / "a build"
    build.mkdir()
    sources = [tmp_path / "one.cpp", tmp_path / "two.cpp"]
    (build / "device-unity0.cpp").write_text("".join(f"#include<{name}>\n" for name in sources))
    # A file that stands alone includes others, but joins none.
    (tmp_path / "alone.cpp").write_text("#include <vector>\n")
    flags = "c++ '-DLAB_CUDART=\"a b\"' -fno-reorder-blocks-and-partition -O1"
    entries = [
        {"directory": str(build), "command": f"{flags} -c {name}", "file": name}
        for name in ("device-unity0.cpp", "../alone.cpp")
    ]
    again = {"directory": str(build), "command": "c++ -DSECOND -c ../alone.cpp"}
    (build / "compile_commands.json").write_text(json.dumps([*entries, again]))
    commands = tool().compile_commands(build / "compile_commands.json")
    every = [str(path) for path in (*sources, tmp_path / "alone.cpp")]
    assert [command["file"] for command in commands] == every
    for command, name in zip(commands, every, strict=True):
        assert command["directory"] == str(build)
        assert command["arguments"] == ["c++", '-DLAB_CUDART="a b"', "-O1", "-c", name]
