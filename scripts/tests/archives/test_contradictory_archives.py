"""Archives that contradict themselves are refused, each with one line; honest ones never."""

import csv
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from contradictions_table import ATTACKS, HIERARCHY, READS, TRANSPOSE, Attack, Sent, scaled

from notebook.archives import contribute, counter_consistency, work_references
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.data.chapters import all_chapters

ROOT = Path(__file__).parents[3]
PROJECT = Project(ROOT, ROOT / "data")
H200, H100 = "nvidia-h200", "nvidia-h100-80gb-hbm3"
Json = dict[str, Any]


@pytest.fixture(autouse=True, scope="module")
def data_read_once() -> Iterator[None]:
    """All archives are compared with the same devices of data/."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((work_references, "of_chapter"), (counter_consistency, "counted_by")):
            patch.setattr(module, name, cache(getattr(module, name)))
        yield


@cache
def content(device: str, name: str) -> bytes:
    path = PROJECT.data / device / name
    return path.read_bytes() if path.is_file() else b""


def sent(device: str, chapter: str) -> Sent:
    """A chapter as it stands in data/."""
    document = json.loads(content(device, f"{chapter}.json"))
    table = csv.DictReader(io.StringIO(content(device, f"counters/{chapter}.csv").decode()))
    counters = {
        row["name"]: {key: float(value) for key, value in row.items() if key != "name" and value}
        for row in table
    }
    meta = json.loads(content(device, f"counters/{chapter}.meta.json") or b"{}")
    return Sent(document["context"], document["rows"], counters, meta)


def packed(chapter: str, what: Sent) -> dict[str, bytes]:
    document = {"format": 2, "context": what.context, "rows": what.rows}
    files = {f"{chapter}.json": json.dumps(document).encode()}
    if what.counters:
        columns = sorted({key for values in what.counters.values() for key in values})
        text = io.StringIO()
        table = csv.DictWriter(text, ["name", *columns])
        table.writeheader()
        table.writerows({"name": name, **values} for name, values in what.counters.items())
        files[f"counters/{chapter}.csv"] = text.getvalue().encode()
        files[f"counters/{chapter}.meta.json"] = json.dumps(what.meta).encode()
    return files


def check(device: str, files: dict[str, bytes]) -> None:
    contribute.check(PROJECT, Path("sent.tar.gz"), device, files)


def is_there(chapter: str) -> bool:
    """The folder of a chapter, and what the H200 measured of it: either may have been removed."""
    results = PROJECT.data / H200 / f"{chapter}.json"
    return (PROJECT.chapters / chapter).is_dir() and results.is_file()


@pytest.mark.parametrize(
    "attack",
    [attack for attack in ATTACKS if is_there(attack.chapter)],
    ids=lambda attack: attack.name,
)
def test_a_contradiction_is_refused_in_one_line(attack: Attack) -> None:
    what = sent(H200, attack.chapter)
    attack.change(what)
    with pytest.raises(Problem) as caught:
        check(H200, packed(attack.chapter, what))
    message = str(caught.value)
    assert message.isprintable() and message.endswith("; nothing was added")


def test_there_are_a_hundred_contradictions() -> None:
    assert len(ATTACKS) >= 100
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


def as_gpu(what: Sent, name: str, **context: Any) -> str:
    """Makes the results those of another GPU; returns its device."""
    device = name.lower().replace(" ", "-")
    what.context.update({"gpu_name": name, "device": device} | context)
    for key in ("gpu_name", "generation", "compute_capability"):
        if key in what.meta:
            what.meta[key] = what.context[key]
    return device


def slower(what: Sent, factor: float, clock: float = 1.0) -> None:
    """All of a GPU's times: rates fall with them, shares of a copy beside each row do not change."""
    for row in what.rows:
        for key, value in row.items():
            if key == "time_us":
                row[key] = scaled(value, factor)
            elif key.endswith("_per_second"):
                row[key] = scaled(value, 1 / factor)
            elif key == "sm_clock_mhz":
                row[key] = scaled(value, clock)
    what.context["process_seconds"] = scaled(what.context["process_seconds"], factor)


@pytest.mark.parametrize("chapter", [chapter.name for chapter in all_chapters(PROJECT)])
@pytest.mark.parametrize("device", [H200, H100])
def test_what_was_measured_here_is_accepted(device: str, chapter: str) -> None:
    if not content(device, f"{chapter}.json"):
        pytest.skip("not measured")
    check(device, packed(chapter, sent(device, chapter)))


@pytest.mark.parametrize("chapter", [READS, TRANSPOSE])
@pytest.mark.parametrize("device", [H200, H100])
def test_another_board_is_accepted(device: str, chapter: str) -> None:
    what = sent(device, chapter)
    slower(what, 1.02)
    what.context |= {
        "board": "0123abcd",
        "ecc": False,
        "driver": "590.12",
        "driver_version": "13.1",
    }
    check(device, packed(chapter, what))


@pytest.mark.parametrize("chapter", [READS, TRANSPOSE])
def test_a_power_capped_gpu_is_accepted(chapter: str) -> None:
    what = sent(H200, chapter)
    slower(what, 2.5, clock=0.4)
    what.context |= {"sm_clock_mhz_before": 345, "throttle_reasons_before": 4}
    for row in what.rows:
        row["throttled"] = 1
    check(H200, packed(chapter, what))


@pytest.mark.parametrize("chapter", [READS, TRANSPOSE])
def test_a_slice_of_a_gpu_is_accepted(chapter: str) -> None:
    """Half of the SMs, of the L2 and of the memory: some working sets no longer lie between L2 and DRAM."""
    what = sent(H200, chapter)
    what.counters.clear()
    slower(what, 2.2)
    what.context |= {"mig": True, "sm_count": 60, "l2_bytes": 31457280}
    what.context["dram_bytes_per_second"] = 2_407_152_000_000
    check(H200, packed(chapter, what))


Gpu = tuple[str, str, int, int, int, float, float]


def check_reads_of(gpu: Gpu, name: str, **context: Any) -> None:
    """The H200's reads as this GPU may have measured them."""
    capability, generation, year, sms, l2_bytes, peak, factor = gpu
    what = sent(H200, READS)
    # Its large rows: what lies beyond four times any of these L2s.
    what.rows = [row for row in what.rows if "n:1048576/cache:cold" in row["name"]]
    what.counters.clear()
    slower(what, factor)
    device = as_gpu(
        what,
        name,
        compute_capability=capability,
        generation=generation,
        year=year,
        sm_count=sms,
        l2_bytes=l2_bytes,
        dram_bytes_per_second=int(peak),
        **context,
    )
    check(device, packed(READS, what))


UNKNOWN = {
    "NVIDIA GeForce RTX 5090": ("12.0", "Blackwell", 2024, 170, 96 << 20, 1_792_000_000_000, 2.7),
    "NVIDIA RTX PRO 6000 Blackwell": ("12.0", "Blackwell", 2024, 188, 128 << 20, 1_792e9, 2.7),
    "NVIDIA B300": ("10.3", "Blackwell", 2024, 148, 126 << 20, 8_000e9, 1.0),
    "NVIDIA Thor": ("11.0", "Blackwell", 2024, 20, 32 << 20, 273e9, 18.0),
    "NVIDIA TITAN RTX": ("7.5", "Turing", 2018, 72, 6 << 20, 672e9, 7.2),
    "NVIDIA A30": ("8.0", "Ampere", 2020, 56, 24 << 20, 933e9, 5.2),
    "NVIDIA L40S": ("8.9", "Ada", 2022, 142, 96 << 20, 864e9, 5.6),
    "NVIDIA GH200 480GB": ("9.0", "Hopper", 2022, 132, 60 << 20, 4_022e9, 1.2),
    "NVIDIA H20": ("9.0", "Hopper", 2022, 78, 60 << 20, 4_022e9, 1.2),
    "NVIDIA R100": ("13.0", "after Blackwell", 2026, 224, 256 << 20, 20_000e9, 1.0),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_gpu_that_no_table_has_is_accepted(name: str) -> None:
    flags = "-gencode=arch=compute_75,code=compute_75"
    check_reads_of(UNKNOWN[name], name, compile_flags=flags)


KNOWN = {
    "Tesla T4": ("7.5", "Turing", 2018, 40, 4 << 20, 320_064_000_000, 16.0),
    "NVIDIA A100-SXM4-80GB": ("8.0", "Ampere", 2020, 108, 40 << 20, 2_039_040_000_000, 2.4),
    "NVIDIA A100-SXM4-40GB": ("8.0", "Ampere", 2020, 108, 40 << 20, 1_555_200_000_000, 3.2),
    "NVIDIA H100 PCIe": ("9.0", "Hopper", 2022, 114, 50 << 20, 2_039_040_000_000, 2.4),
    "NVIDIA GeForce RTX 3080": ("8.6", "Ampere", 2020, 70, 6 << 20, 912_384_000_000, 5.4),
    "NVIDIA GeForce RTX 2060": ("7.5", "Turing", 2018, 34, 3 << 20, 336_048_000_000, 15.0),
    "NVIDIA GeForce RTX 4090": ("8.9", "Ada", 2022, 128, 72 << 20, 1_008_096_000_000, 5.0),
    "NVIDIA L4": ("8.9", "Ada", 2022, 58, 48 << 20, 300_048_000_000, 17.0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_gpu_of_the_tables_is_accepted(name: str) -> None:
    check_reads_of(KNOWN[name], name)


def test_chapters_of_one_device_are_of_one_gpu() -> None:
    one, other = sent(H200, READS), sent(H200, HIERARCHY)
    other.context["dram_bytes_per_second"] = 4_800_000_000_000
    with pytest.raises(Problem, match="its chapters are of one device, whose"):
        check(H200, packed(READS, one) | packed(HIERARCHY, other))
