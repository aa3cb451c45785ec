"""Which executables the emulated GPU can run: real ELF files, made by the compiler that is there."""

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from notebook.base.errors import Problem
from notebook.emulate.program import inspect, require_emulable
from notebook.tools import toolbox

PTX, ELF = 1, 2

# From code, the library it needs and a section: an executable.
Make = Callable[..., Path]


def fatbin(kind: int) -> bytes:
    """A container with one entry, as nvcc writes it: a header of 64 bytes, then the image."""
    image = b".version 9.0\0\0\0\0"
    entry = struct.pack("<HHIQ", kind, 0x101, 64, len(image)).ljust(64, b"\0") + image
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry


@pytest.fixture
def make(tmp_path: Path) -> Make:
    if not toolbox.find_compiler():
        pytest.skip("no C++ compiler")

    def made(code: bytes, library: str = "", section: str = ".nv_fatbin") -> Path:
        # `.ascii` of escapes: the bytes as they are.
        escaped = "".join(f"\\{byte:03o}" for byte in code)
        (tmp_path / "code.s").write_text(
            f'.section {section},"a"\n.ascii "{escaped}"\n.section .note.GNU-stack,""\n'
        )
        (tmp_path / "main.cpp").write_text("int main() {}\n")
        command = [*toolbox.compiler_command(), "-o", str(tmp_path / "program"), "main.cpp"]
        if code:
            command.append("code.s")
        if library:
            (tmp_path / "library.cpp").write_text("")
            shared = ["-shared", "-o", "library.so", f"-Wl,-soname,{library}", "library.cpp"]
            subprocess.run([*toolbox.compiler_command(), *shared], cwd=tmp_path, check=True)
            command += ["-Wl,--no-as-needed", "library.so"]
        subprocess.run(command, cwd=tmp_path, check=True)
        return tmp_path / "program"

    return made


@pytest.mark.parametrize("library", ["libcudart.so.13", "libcudart.so.12"])
@pytest.mark.parametrize("section", [".nv_fatbin", "__nv_relfatbin"])
def test_ptx_and_the_shared_runtime_are_what_is_needed(
    make: Make, library: str, section: str
) -> None:
    program = make(fatbin(ELF) + fatbin(PTX), library, section)
    contents = inspect(program.read_bytes())
    assert contents is not None
    assert contents.has_ptx
    assert library in contents.libraries
    require_emulable(program)


@pytest.mark.parametrize(
    ("code", "library", "words"),
    [
        (fatbin(PTX), "", "statically; build it with: nvcc -cudart shared"),
        (fatbin(PTX), "libcudart.so.11.0", "was built for libcudart.so.11.0"),
        (
            fatbin(ELF),
            "libcudart.so.13",
            "machine code but no PTX; build it with: nvcc -cudart shared",
        ),
    ],
)
def test_what_cannot_run_gets_a_line_on_how_to_build_it(
    make: Make, code: bytes, library: str, words: str
) -> None:
    with pytest.raises(Problem, match=words.replace(".", r"\.")) as raised:
        require_emulable(make(code, library))
    assert "\n" not in str(raised.value)


def test_a_program_without_device_code_is_left_to_running_it(make: Make, tmp_path: Path) -> None:
    require_emulable(make(b""))
    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\nexec ./program\n")
    require_emulable(script)
    assert inspect(script.read_bytes()) is None


def test_a_damaged_file_raises_nothing(make: Make) -> None:
    image = make(fatbin(PTX), "libcudart.so.13").read_bytes()
    for length in (0, 5, 63, 64, len(image) // 2, len(image) - 1):
        inspect(image[:length])
    # Every field of the section headers set to all ones, in turn.
    table = struct.unpack_from("<Q", image, 40)[0]
    for at in range(table, len(image), 8):
        inspect(image[:at] + b"\xff" * 8 + image[at + 8 :])
