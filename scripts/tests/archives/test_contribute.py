"""Results from other people: what is wrong in any way is refused, and nothing has changed."""

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import Tree

from notebook.archives import contribute
from notebook.base import archive
from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.data import received
from notebook.pages import drawing

DEVICE = "nvidia-a100"
RESULTS = f"{DEVICE}/{synthetic.CHAPTER}.json"
COUNTERS = f"{DEVICE}/counters/{synthetic.CHAPTER}.csv"
META = f"{DEVICE}/counters/{synthetic.CHAPTER}.meta.json"
Json = dict[str, Any]


@pytest.fixture
def other(tree: Tree, tmp_path: Path) -> Tree:
    """The notebook that an archive comes to."""
    (tree.data / "architectures.csv").write_text(synthetic.ARCHITECTURES)
    return tree


def packed(tmp_path: Path, files: dict[str, bytes]) -> Path:
    path = tmp_path / "sent.tar.gz"
    path.write_bytes(archive.pack(files))
    return path


def sent(tmp_path: Path, content: Json) -> Path:
    return packed(tmp_path, {RESULTS: json.dumps(content).encode()})


def refused(tree: Tree, path: Path) -> str:
    """What `add` says; nothing has changed."""
    before = sorted(tree.root.parent.rglob("*"))
    with pytest.raises(Problem) as caught:
        contribute.add(tree.project, str(path))
    assert sorted(tree.root.parent.rglob("*")) == before
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_what_is_packed_is_what_is_added(other: Tree, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    synthetic.save_stored(theirs / RESULTS, synthetic.of_an_a100())
    counters = theirs / DEVICE / "counters"
    counters.mkdir()
    name = synthetic.of_an_a100()["rows"][0]["name"]
    (counters / f"{synthetic.CHAPTER}.csv").write_text(f"name,load_sectors\n{name},8\n")
    (counters / f"{synthetic.CHAPTER}.meta.json").write_text('{"ncu": "2025.3.1.0"}')
    (theirs / DEVICE / "private.txt").write_text("not for others")
    # Measurements beside the chapters stay where they are.
    (counters / "shared_bank_patterns.csv").write_text("op,bytes,lanes,wavefronts,bank_conflicts\n")
    project = Project(other.root, theirs)
    for name in ("one.tar.gz", "two.tar.gz"):
        contribute.pack(project, DEVICE, str(tmp_path / name))
    one, two = (tmp_path / name for name in ("one.tar.gz", "two.tar.gz"))
    assert one.read_bytes() == two.read_bytes()
    with tarfile.open(one) as content:
        assert [member.name for member in content] == [RESULTS, COUNTERS, META]
        assert {(member.uname, member.uid, member.mtime) for member in content} == {("", 0, 0)}

    contribute.add(other.project, str(one))
    for name in (RESULTS, COUNTERS, META):
        assert (other.data / name).read_bytes() == (theirs / name).read_bytes()
    assert not list(other.data.glob(".add-*"))
    done = other.lab("verdicts", "--device", DEVICE)
    assert done.returncode == 0, done.stderr


def test_results_that_are_there_stay(other: Tree, tmp_path: Path) -> None:
    path = sent(tmp_path, synthetic.of_an_a100())
    contribute.add(other.project, str(path))
    assert "there already" in refused(other, path)


def test_an_archive_is_named_and_its_folder_not_made(
    other: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    synthetic.save_stored(other.data / RESULTS, synthetic.of_an_a100())
    with pytest.raises(Problem, match="--output: no folder") as caught:
        contribute.pack(other.project, DEVICE, str(tmp_path / "none" / "x.tar.gz"))
    assert caught.value.status == WRONG_USAGE and not (tmp_path / "none").exists()
    contribute.pack(other.project, DEVICE, str(tmp_path / "my results.tar.gz"))
    assert capsys.readouterr().out.endswith("scripts/lab add 'my results.tar.gz'\n")


def test_a_run_of_ours_is_packed_before_what_is_kept(other: Tree, tmp_path: Path) -> None:
    synthetic.save_stored(other.data / RESULTS, synthetic.of_an_a100(git_dirty=True))
    synthetic.save_stored(other.root / "build" / "results" / RESULTS, synthetic.of_an_a100())
    contribute.pack(other.project, DEVICE, str(tmp_path / "x.tar.gz"))
    assert (tmp_path / "x.tar.gz").is_file()


def test_what_would_be_refused_is_not_packed(other: Tree, tmp_path: Path) -> None:
    synthetic.save_stored(other.data / RESULTS, synthetic.of_an_a100(git_dirty=True))
    with pytest.raises(Problem, match="git_dirty"):
        contribute.pack(other.project, DEVICE, str(tmp_path / "x.tar.gz"))
    assert not (tmp_path / "x.tar.gz").exists()
    with pytest.raises(Problem, match=r"emulated GPU are not packed; .*--device emulated:fermi"):
        contribute.pack(other.project, "emulated-fermi", None)
    for device in ("nvidia-h200", "../data", "published"):
        with pytest.raises(Problem, match="no results of a GPU"):
            contribute.pack(other.project, device, None)


@pytest.mark.parametrize(
    "name",
    [
        f"../{RESULTS}",
        f"/{RESULTS}",
        f"{DEVICE}/../../elsewhere/{synthetic.CHAPTER}.json",
        f"{DEVICE}/counters/../{synthetic.CHAPTER}.json",
        f"{DEVICE}/README.md",
        f"{synthetic.CHAPTER}.json",
        f"NVIDIA/{synthetic.CHAPTER}.json",
        f"{DEVICE}/.hidden.json",
        f"{DEVICE}/{synthetic.CHAPTER}.json\n",
    ],
)
def test_names_that_lead_elsewhere(other: Tree, tmp_path: Path, name: str) -> None:
    path = packed(tmp_path, {name: json.dumps(synthetic.of_an_a100()).encode()})
    assert "not a valid name of results" in refused(other, path)


def crafted(tmp_path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as made:
        for member, text in members:
            made.addfile(member, io.BytesIO(text))
    path = tmp_path / "sent.tar.gz"
    path.write_bytes(gzip.compress(content.getvalue()))
    return path


@pytest.mark.parametrize(
    "kind",
    [
        *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE),
        # tarfile calls these regular.
        *(tarfile.CONTTYPE, tarfile.GNUTYPE_SPARSE),
    ],
)
def test_links_and_devices(other: Tree, tmp_path: Path, kind: bytes) -> None:
    member = tarfile.TarInfo(RESULTS)
    member.type, member.linkname = kind, "/etc/passwd"
    assert "other than a plain file" in refused(other, crafted(tmp_path, (member, b"")))


def plain_member(name: str, size: int = 0) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def test_the_same_name_twice(other: Tree, tmp_path: Path) -> None:
    path = crafted(tmp_path, (plain_member(RESULTS), b""), (plain_member(RESULTS), b""))
    assert "twice" in refused(other, path)


def test_two_devices_or_none(other: Tree, tmp_path: Path) -> None:
    text = json.dumps(synthetic.of_an_a100()).encode()
    path = packed(tmp_path, {RESULTS: text, RESULTS.replace("a100", "h200"): text})
    assert "holds 2 devices" in refused(other, path)
    assert "holds 0 devices" in refused(other, packed(tmp_path, {}))


def test_a_negative_size_goes_nowhere(other: Tree, tmp_path: Path) -> None:
    """Two's complement in the field of a size once sent readers of archives back, again and again."""
    header = bytearray(plain_member(RESULTS).tobuf(tarfile.USTAR_FORMAT))
    header[124:136] = b"\xff" * 10 + b"\xfe\x00"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "sent.tar.gz"
    path.write_bytes(gzip.compress(bytes(header) + bytes(1024)))
    assert "of more than 8 MiB" in refused(other, path)


def test_an_archive_that_ends_within_a_file(other: Tree, tmp_path: Path) -> None:
    path = packed(tmp_path, {RESULTS: bytes(5000)})
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:2048]))
    assert f"ends within {synthetic.CHAPTER}.json" in refused(other, path)


def test_what_one_process_measured(other: Tree, tmp_path: Path) -> None:
    content = synthetic.of_an_a100(processes=1)
    content["rows"] = [
        {key: value[:1] if isinstance(value, list) else value for key, value in row.items()}
        for row in content["rows"]
    ]
    assert "in fewer than two processes" in refused(other, sent(tmp_path, content))


def test_too_much(other: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of zeros is a kilobyte packed: what counts is what comes out."""
    monkeypatch.setattr(archive, "_LARGEST_FILE", 2**19)
    assert "of more than 0 MiB" in refused(other, packed(tmp_path, {RESULTS: bytes(2**20)}))
    monkeypatch.setattr(archive, "_LARGEST_CONTENT", 2**19)
    assert "unpacks to more" in refused(other, packed(tmp_path, {RESULTS: bytes(2**20)}))
    monkeypatch.setattr(archive, "_LARGEST_ARCHIVE", 100)
    assert "is larger than" in refused(other, packed(tmp_path, {RESULTS: bytes(2**20)}))
    monkeypatch.undo()
    monkeypatch.setattr(archive, "_MAX_FILES", 3)
    many = {f"{DEVICE}/{number}_x.json": b"" for number in range(10, 15)}
    assert "more than 3 files" in refused(other, packed(tmp_path, many))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "no tar archive"),
        (b"text", "no whole gzip file"),
        (gzip.compress(b"text"), "no tar archive"),
        (archive.pack({RESULTS: bytes(2000)})[:60], "no whole gzip file"),
    ],
    ids=["empty", "text", "text in gzip", "truncated"],
)
def test_what_is_no_archive(other: Tree, tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "sent.tar.gz"
    path.write_bytes(content)
    assert complaint in refused(other, path)


def test_what_is_no_file(other: Tree, tmp_path: Path) -> None:
    assert "no such file" in refused(other, tmp_path / "nothing.tar.gz")
    assert "no such file" in refused(other, Path("/dev/zero"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"{", "no JSON"),
        (b"[]", "no JSON object"),
        (b"\xff", "is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"format": NaN}', "NaN is not a number"),
        (b'{"format": 1}', "not of format 2"),
        (b'{"format": 2, "context": {}, "rows": [1]}', "is a required property"),
        (b'{"format": 1' + b"0" * 400 + b"}", "a number is too long"),
        (b'{"format": 2, "\\u001b[2J": 1}', "is a required property"),
    ],
)
def test_results_of_another_form(other: Tree, tmp_path: Path, text: bytes, complaint: str) -> None:
    assert complaint in refused(other, packed(tmp_path, {RESULTS: text}))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"validation": "failed"}, "context.validation"),
        ({"quick": True}, "the quick True"),
        ({"processes": 1}, "2 processes"),
        ({"device_kind": "emulated"}, "of the kind emulated"),
        ({"device": "nvidia-h200"}, "the device 'nvidia-h200'"),
        ({"chapter": "03_other"}, "the chapter '03_other'"),
        ({"gpu_name": "NVIDIA H200"}, "which is not nvidia-a100"),
        ({"git_revision": "unknown"}, "context.git_revision"),
        ({"git_dirty": True}, "git_dirty"),
        ({"driver_version": ""}, "driver_version"),
        ({"date": "yesterday"}, "context.date"),
        ({"date": "2026-13-01T00:00:00+00:00"}, "does not say its date"),
        ({"host_name": "my-machine"}, "'host_name' was unexpected"),
        ({"compiler": "x" * 3000}, "context.compiler"),
        ({"sm_count": "many"}, "context.sm_count"),
        # 4 x 108 SMs and 4 x 2,039 GB/s are more than the fastest known GPU has, by far.
        ({"sm_count": 433}, "beyond any known GPU"),
        ({"dram_bytes_per_second": 8200000000000}, "beyond any known GPU"),
        ({"year": "soon"}, "context.year"),
    ],
)
def test_contexts_that_cannot_be(
    other: Tree, tmp_path: Path, changes: Json, complaint: str
) -> None:
    assert complaint in refused(other, sent(tmp_path, synthetic.of_an_a100(**changes)))


@pytest.mark.parametrize(
    "key",
    [
        *("generation", "compute_capability", "sm_count", "l2_bytes", "driver_version"),
        *("runtime_version", "compiler", "compile_flags", "throttle_reasons_before"),
        *("git_revision", "git_dirty"),
    ],
)
def test_a_context_without_its_provenance(other: Tree, tmp_path: Path, key: str) -> None:
    content = synthetic.of_an_a100()
    del content["context"][key]
    complaint = refused(other, sent(tmp_path, content))
    assert f"does not say its {key}" in complaint or f"'{key}' is a required property" in complaint


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"bytes_per_second": 2.1e12}, "at 2100 GB/s, above what 2039 GB/s"),
        ({"bytes_per_second": 50e12, "level": "l2"}, "at 50000 GB/s"),
        ({"flops_per_second": 1e18}, "TFLOP/s"),
        ({"sm_clock_mhz": 9000}, "a clock of 9000 MHz"),
        ({"sm_clock_mhz": "fast"}, "rows[0].sm_clock_mhz"),
        ({"time_us": [[0], [1.0]]}, "rows[0].time_us[0][0]"),
        ({"time_us": "long"}, "rows[0].time_us"),
        ({"name": "read offset"}, "rows[0].name"),
        ({"level": "l3|"}, "rows[0].level"),
        ({"error_occurred": True}, "error_occurred"),
    ],
)
def test_rows_that_cannot_be(other: Tree, tmp_path: Path, changes: Json, complaint: str) -> None:
    content = synthetic.of_an_a100()
    content["rows"][0] |= changes
    assert complaint in refused(other, sent(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (COUNTERS, b"name,load_sectors\nread/n:64,many\n", "many"),
        (COUNTERS, b"name,load_sectors\nre ad,8\n", "line 2: name is 're ad'"),
        (COUNTERS, b"name,load_sectors\nread/n:64,inf\n", "line 2: load_sectors is 'inf'"),
        (COUNTERS, b"name,anything\nread/n:64,8\n", "other columns"),
        (COUNTERS, b"\xff\n", "is not UTF-8"),
        (META, b'{"ncu": [1]}', "neither number nor text"),
        (META, b"{", "no JSON"),
        (f"{DEVICE}/99_other.json", b"{}", "belongs to no chapter"),
        (f"{DEVICE}/counters/99_other.csv", b"name\n", "belongs to no chapter"),
    ],
)
def test_what_lies_beside_the_results(
    other: Tree, tmp_path: Path, name: str, text: bytes, complaint: str
) -> None:
    files = {RESULTS: json.dumps(synthetic.of_an_a100()).encode(), name: text}
    assert complaint in refused(other, packed(tmp_path, files))


def test_emulated_results_are_not_sent(other: Tree, tmp_path: Path) -> None:
    path = packed(tmp_path, {f"emulated-fermi/{synthetic.CHAPTER}.json": b"{}"})
    assert "emulated results are deterministic" in refused(other, path)


def test_an_interruption_leaves_nothing(
    other: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sent(tmp_path, synthetic.of_an_a100())

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(contribute.os, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        contribute.add(other.project, str(path))
    assert [path.name for path in other.data.iterdir()] == ["architectures.csv"]


def test_the_command_says_it_in_one_line(other: Tree, tmp_path: Path) -> None:
    done = other.lab("add", str(sent(tmp_path, synthetic.of_an_a100(git_dirty=True))))
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "git_dirty" in done.stderr
    assert other.lab("pack", "nvidia-h20").returncode == 2


def of_both_offsets() -> Json:
    """Offset 11 takes a tenth more than offset 0 on an A100, as much as the source says."""
    content = synthetic.of_an_a100()
    for offset in (8, 11, 13, 16, 24, 32, 40, 64):
        row = json.loads(json.dumps(content["rows"][0]))
        row["name"] = row["name"].replace("offset:0", f"offset:{offset}")
        factor = 1.1 if offset == 11 else 1.0
        row["time_us"] = [[factor * time for time in process] for process in row["time_us"]]
        row["bytes_per_second"] = [
            [rate / factor for rate in process] for process in row["bytes_per_second"]
        ]
        content["rows"].append(row)
    content["context"].pop("validated_variants", None)
    return content


def test_what_somebody_else_measured_is_marked_wherever_it_stands(
    other: Tree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its verdicts say so, and no line of a page names the GPU without the mark."""
    rows = synthetic.misaligned_reads_emulated(32)
    synthetic.save(other.data, synthetic.document(rows, "emulated-hopper"))
    contribute.add(other.project, str(sent(tmp_path, of_both_offsets())))
    assert received.MARK in capsys.readouterr().out
    done = other.lab("verdicts", "--json", "--device", DEVICE)
    measured = [each for each in json.loads(done.stdout) if each["evidence"] == "measured"]
    assert measured and all(received.MARK in each["reason"] for each in measured), done.stderr

    drawing.write_pages(other.project)
    pages = [other.root / "README.md", other.chapter.directory / "README.md"]
    named = [
        line
        for page in pages
        for line in page.read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ").splitlines()
        if "A100" in line
    ]
    assert named and all(received.MARK in line for line in named), named


def test_what_a_run_here_measured_has_no_mark(other: Tree) -> None:
    synthetic.save_stored(other.data / RESULTS, of_both_offsets())
    done = other.lab("verdicts", "--json", "--device", DEVICE)
    assert done.stdout.count('"measured"') and received.MARK not in done.stdout
