"""`lab sass` between its tools: what each is given, and what becomes of what each says."""

from pathlib import Path

import pytest
from conftest import RUN_BY_PYTHON

from notebook.base.errors import CHECK_FAILED, MISSING, WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.tools import machine_code, toolbox

DUMP = """\tcode for sm_90
\t\tFunction : _Z4copyPf
\t.headerflags\t@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;         /* 0x00000a00ff017b82 */
                                                                  /* 0x000fe20000000800 */
        /*0010*/                   EXIT ;                         /* 0x000000000000794d */
\t\t..........
\t\tFunction : _Z5scalePf
        /*12340*/                  BRA 0x12340;                   /* 0xfffffffc00fc7947 */
"""


def tool(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, *names: str) -> None:
    """A program of these names, which Python runs; every other one is missing."""
    path = folder / "tool"
    path.write_text(f"{RUN_BY_PYTHON}\nimport os, sys\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setattr(toolbox, "find_program", lambda name: str(path) if name in names else None)


def test_functions_are_their_instructions_without_encodings() -> None:
    assert machine_code.functions_in(DUMP) == {
        "_Z4copyPf": (
            "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
            "        /*0010*/                   EXIT ;"
        ),
        "_Z5scalePf": "        /*12340*/                  BRA 0x12340;",
    }
    assert machine_code.functions_in("nothing") == {}


def test_a_tool_runs_in_its_folder_and_says_what_it_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = 'print(os.getcwd(), *sys.argv[1:]); sys.stderr.write("a warning")'
    tool(tmp_path, monkeypatch, text, "cuobjdump")
    folder = tmp_path / "inner"
    folder.mkdir()
    assert machine_code._run(folder, "cuobjdump", "-sass", "x") == f"{folder} -sass x\n"
    # Nothing of a tool's reaches the terminal by itself.
    assert capfd.readouterr() == ("", "")


def test_bytes_of_no_text_do_not_stop_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path, monkeypatch, r'sys.stdout.buffer.write(b"\xff ok")', "cuobjdump")
    assert machine_code._run(tmp_path, "cuobjdump") == "\N{REPLACEMENT CHARACTER} ok"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('sys.stderr.write("bad\\n"); print("also"); sys.exit(1)', "ptxas failed: bad"),
        ('print("only here"); sys.exit(2)', "ptxas failed: only here"),
        ('sys.stderr.write("x" * 400 + "end"); sys.exit(1)', f"ptxas failed: {'x' * 297}end"),
    ],
)
def test_a_tool_that_fails_is_one_line_with_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    tool(tmp_path, monkeypatch, text, "ptxas")
    with pytest.raises(Problem) as caught:
        machine_code._run(tmp_path, "ptxas")
    assert (str(caught.value), caught.value.status) == (said, CHECK_FAILED)


def test_a_missing_tool_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path, monkeypatch, "", "other")
    with pytest.raises(Problem, match=r"ptxas is missing; scripts/lab setup") as caught:
        machine_code._run(tmp_path, "ptxas")
    assert caught.value.status == MISSING


@pytest.mark.parametrize("name", ["c++filt", "cu++filt"])
def test_names_become_readable_where_a_tool_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    tool(tmp_path, monkeypatch, 'print(*(f"readable {a}" for a in sys.argv[1:]), sep="\\n")', name)
    assert machine_code.demangled(["_Za", "_Zb"]) == {"_Za": "readable _Za", "_Zb": "readable _Zb"}
    assert machine_code.demangled([]) == {}


@pytest.mark.parametrize("text", ['print("one line")', "sys.exit(1)"])
def test_names_stay_where_the_tool_does_not_name_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    tool(tmp_path, monkeypatch, text, "c++filt")
    assert machine_code.demangled(["_Za", "_Zb"]) == {"_Za": "_Za", "_Zb": "_Zb"}


def test_names_stay_without_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolbox, "find_program", lambda name: None)
    assert machine_code.demangled(["_Za"]) == {"_Za": "_Za"}


@pytest.mark.parametrize("architecture", ["90", "sm_9", "sm_90aa", "sm_1000", "sm_90 "])
def test_an_architecture_that_is_none_is_refused_before_anything_runs(
    tmp_path: Path, architecture: str
) -> None:
    with pytest.raises(Problem, match="is not like sm_90") as caught:
        machine_code.show(Project(tmp_path, tmp_path), "02", "", architecture)
    assert caught.value.status == WRONG_USAGE
