"""Generated tables: what stands in them, and that text from data cannot leave its cell."""

import dataclasses
import re

import pytest
import synthetic
from conftest import Tree

from notebook.base.errors import take_refused
from notebook.base.project import Project
from notebook.base.text import markdown_cell
from notebook.charts import figures
from notebook.decide import judging, outcomes, tables
from notebook.decide.verdicts import PREDICTED
from notebook.pages import kernel_files, pages


def page_of(tree: Tree) -> str:
    return (tree.chapter.directory / "README.md").read_text()


def test_tables_are_filled_in_and_stay(tree_with_data: Tree) -> None:
    tree = tree_with_data
    assert len(pages.write_all(tree.project)) == 2
    page = page_of(tree)
    assert "[nvidia-h200](../../data/nvidia-h200/02_misaligned_reads.json)" in page
    assert "**Yes:** offset 11 takes 1.10× the time of offset 0." in page
    assert "|GPU|time, offset 11 ÷ offset 0|load efficiency at offset 11|" in page
    assert "|H200|1.10×, reproduced|–|" in page
    assert (
        "| Reads at offset 11 are slower than aligned ones. | A source: 1.1 | n = 2^24, cold |"
        in page
    )
    assert "reproduced 1.100 [1.1" in page or "reproduced 1.100 [1.09" in page
    # Both sizes have the same count, so they share a line.
    assert "| A source | all 2 regimes | does not apply ² | holds 80 % | no data ³ |" in page
    assert "² the claim is about 32-byte sectors; this device fetches 128-byte lines" in page
    assert (
        "| `read_offset/offset:11/block:512` | `load_efficiency` | Fermi 50 %; Hopper 80 % |"
        in page
    )
    front = (tree.root / "README.md").read_text()
    assert "[02_misaligned_reads](chapters/02_misaligned_reads/) | Does a misaligned" in front
    assert (
        "| rule | H200 | other GPUs | see |\n| --- | --- | --- | --- |\n| **Alignment** |  |  |  |"
        in front
    )
    counted = "counted: bytes used 80 %"
    assert f"| Offset 11 is slow | **yes** (1.10×) | {counted} | [02]" in front
    assert pages.write_all(tree.project) == []


def test_a_chapter_without_data_says_how_to_make_them(tree: Tree) -> None:
    pages.write_all(tree.project)
    assert "to make them: `scripts/lab run 02`" in page_of(tree)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<!-- lab:verdicts 02_misaligned_reads -->", ":1: no <!-- lab:end --> follows"),
        ("<!-- lab:end -->", ":1: <!-- lab:end --> without its beginning"),
        ("\n<!-- lab:verdits 02 -->\n<!-- lab:end -->", ":2: unknown table verdits"),
        ("<!-- lab:verdicts 03 -->\n<!-- lab:end -->", ":1: unknown chapter 03"),
        ("<!-- lab:chapters -->\n<!-- lab:chapters -->\n<!-- lab:end -->", ":1: no"),
        ("<!-- lab:rules\n<!-- lab:end -->", ":1: the comment is not closed"),
        ("<!-- lab:rules\n02 other: x\n-->\n<!-- lab:end -->", ":1: unknown claim other"),
        ("<!-- lab:rules\n02 other\n-->\n<!-- lab:end -->", ":1: expected '02 claim_id: rule"),
        ("<!-- lab:text\n- {error.other}\n-->\n<!-- lab:end -->", ":1: unknown times other"),
    ],
)
def test_wrong_markers_are_refused(tree: Tree, text: str, complaint: str) -> None:
    (tree.root / "README.md").write_text(text)
    take_refused()
    pages.write_all(tree.project)
    (refused,) = take_refused()
    assert f"README.md{complaint}" in refused
    assert (tree.root / "README.md").read_text() == text
    assert "to make them: `scripts/lab run 02`" in page_of(tree), "the other page is written"


def test_what_others_printed_has_a_table_of_its_own(tree: Tree) -> None:
    folder = tree.data / "published"
    folder.mkdir()
    (folder / "devices.csv").write_text(
        "device,gpu,generation,year,fetch_unit_bytes,dram_bytes_per_second,source\n"
        "new,New,Ada,2023,32,,\n"
    )
    (folder / f"{synthetic.CHAPTER}.csv").write_text(
        "device,name,metric,value,level,source,caveat\n"
        "new,read_offset/offset:0/block:512,time_us,100,,x,\n"
        "new,read_offset/offset:11/block:512,time_us,110,,x,by | hand\n"
    )
    pages.write_all(tree.project)
    page = page_of(tree)
    assert "to make them: `scripts/lab run 02`" in page
    assert (
        "| Reads at offset 11 are slower than aligned ones. | new | not stated | reproduced 1.100 "
        "| one printed number, no interval; by \\| hand |"
    ) in page
    assert "| needs a GPU | published: NEW yes (1.10×) |" in (tree.root / "README.md").read_text()


def test_hostile_text_stays_in_its_cell(tree_with_data: Tree) -> None:
    assert markdown_cell("a|b\n<!-- lab:end -->\x1b[31m") == "a\\|b &lt;!-- lab:end --> [31m"
    decided = tables.decide_chapter(tree_with_data.project, tree_with_data.chapter)
    first = decided.verdicts[0]
    finding = dataclasses.replace(first.finding, reason="x\x1b[2J\n|y")
    hostile = dataclasses.replace(
        decided, verdicts=[dataclasses.replace(first, finding=finding), *decided.verdicts[1:]]
    )
    assert all(line.isprintable() for line in tables.terminal_lines(hostile))


def test_regimes_of_one_verdict_share_a_row_and_emulated_gpus_of_one_a_column(tree: Tree) -> None:
    rows = []
    for n, slower in ((1024, 110.0), (2048, 120.0)):
        for offset, time_us in ((0, 100.0), (11, slower)):
            name = f"read_offset/offset:{offset}/block:512/n:{n}"
            rows += synthetic.timed(name, time_us, processes=3)
    synthetic.save(tree.data, synthetic.document(rows))
    for device in ("emulated-ampere", "emulated-hopper"):
        rows = synthetic.misaligned_reads_emulated(32, sizes=[2**20])
        synthetic.save(tree.data, synthetic.document(rows, device))
    pages.write_all(tree.project)
    page = page_of(tree)
    header = next(line for line in page.split("\n") if line.startswith("| claim | source | regime"))
    assert header == "| claim | source | regime | Ampere, Hopper | H200 |"
    for verdict in ("ampere", "hopper"):
        assert (
            f"[emulated-{verdict}](../../data/emulated-{verdict}/{synthetic.CHAPTER}.json)" in page
        )
    assert (
        "| Reads at offset 11 are slower than aligned ones. | A source: 1.1 | all 2 regimes | needs a GPU ¹ "
        "| reproduced 1.100–1.200 [1."
    ) in page
    # `lab verdicts` prints a line a regime.
    _, below = verdict_lines(tree).split("offset_11_slower: ")
    assert sum("reproduced" in line for line in below.split("\n")) == 2


def verdict_lines(tree: Tree) -> str:
    return "\n".join(tables.terminal_lines(tables.decide_chapter(tree.project, tree.chapter)))


def test_a_share_of_memcpy_and_a_count_where_there_was_none_read_well(tree: Tree) -> None:
    path = tree.chapter.directory / "claims.toml"
    efficiency = path.read_text()
    path.write_text(
        efficiency.replace('metric = "load_efficiency"', 'metric = "memcpy_ratio"')
        .replace("[79.9, 80.1]\nfetch_unit_bytes = 32", "[1.03, inf]")
        .replace('metric = "time"', 'metric = "l1_hit_sectors"')
        .replace('claimed = 1.1\ndirection = "slower"', 'direction = "higher"')
    )
    misaligned, aligned = (f"read_offset/offset:{o}/block:512/n:1024/cache:cold" for o in (11, 0))
    rows = synthetic.timed(misaligned, 50.0, processes=3, memcpy_ratio=1.01)
    synthetic.save(tree.data, synthetic.document(rows))
    counted = [
        synthetic.row(misaligned, 1.0, l1_hit_sectors=15),
        synthetic.row(aligned, 1.0, l1_hit_sectors=0),
    ]
    synthetic.save(tree.data, synthetic.document(counted, "emulated-hopper"))
    shown = verdict_lines(tree)
    assert "reproduced from 0" in shown
    assert "does not hold 1.01 [1.01, 1.01] dram" in shown
    assert "below 1.03" in shown


@pytest.mark.parametrize(
    ("fermi", "found"),
    [(1.9, ["Fermi, Kepler 1.50–1.90×"]), (2.4, ["Fermi 2.40×", "Kepler 1.50×"])],
)
def test_predicted_times_that_are_near_share_a_line_and_are_marked(
    tree_with_data: Tree, fermi: float, found: list[str]
) -> None:
    decided = tables.decide_chapter(tree_with_data.project, tree_with_data.chapter)
    (timed, *_) = (verdict for verdict in decided.verdicts if verdict.claim.metric == "time")
    results, verdicts_ = [], []
    for device, ratio in (("emulated-fermi", fermi), ("emulated-kepler", 1.5)):
        finding = dataclasses.replace(
            timed.finding, verdict=judging.STRONGER, evidence=PREDICTED, ratio=ratio
        )
        verdicts_.append(
            dataclasses.replace(timed, device=device, kind="emulated", finding=finding)
        )
        results.append(dataclasses.replace(decided.results[0], device=device, is_emulated=True))
    predicted = dataclasses.replace(decided, verdicts=verdicts_, results=results)
    lines = outcomes.of_devices(predicted, timed.claim)
    assert [line.found for line in lines] == found
    assert {line.verdict for line in lines} == {"predicted stronger"}


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        ("load_sectors", "32 sectors"),
        ("bytes_to_device", "32 bytes"),
        ("dram_read_bytes", "32 bytes"),
        ("l1_ratio", "32"),
        ("achieved_occupancy", "32 %"),
        ("peak_percent", "32 %"),
        ("bytes_per_second", "32 GB/s"),
    ],
)
def test_a_value_has_the_unit_of_its_metric(tree_with_data: Tree, metric: str, shown: str) -> None:
    decided = tables.decide_chapter(tree_with_data.project, tree_with_data.chapter)
    verdict = decided.verdicts[0]
    claim = dataclasses.replace(verdict.claim, metric=metric, baseline=None)
    value = 32e9 if metric == "bytes_per_second" else 32.0
    finding = dataclasses.replace(verdict.finding, ratio=value)
    assert outcomes.value_of(claim, [dataclasses.replace(verdict, finding=finding)]) == shown


def test_a_line_without_data_is_left_out(tree_with_data: Tree) -> None:
    page = tree_with_data.root / "README.md"
    page.write_text(
        "<!-- lab:text\n- Offset 11: {02.offset_11_slower} the time.\n- {02.offset_11_slower@nvidia-a100}\n"
        "- {21.of_no_chapter}\n-->\n<!-- lab:end -->\n"
    )
    pages.write_all(tree_with_data.project)
    assert page.read_text().endswith("-->\n\n- Offset 11: 1.10× the time.\n\n<!-- lab:end -->\n")


def test_pictures_are_described_by_their_titles() -> None:
    """The words that a reader without pictures gets are the finding that the figure states."""
    root = Project.here().root
    described = 0
    for page in [*root.glob("README.md"), *root.glob("chapters/**/README.md")]:
        for words, path in re.findall(
            r"!\[([^\]]*)\]\(([^)]*plots/[^)]*)\)", page.read_text(encoding="utf-8")
        ):
            title = figures.alt_text((page.parent / path).read_text(encoding="utf-8"))
            assert title and words == title, page
            described += 1
    assert described >= 22


@pytest.mark.parametrize(
    ("chapter", "kernel", "file"),
    [
        ("02_misaligned_reads", "read_offset", "02_misaligned_reads/kernels.cuh"),
        ("08_block_size", "read_offset_unrolled", "07_unroll4/kernels.cuh"),
        ("14_transpose_shared", "transpose_tensor", "14_transpose_shared/tensor.cu"),
        (
            "14_transpose_shared",
            "transpose_vectors_evict_last",
            "14_transpose_shared/evict_last.cu",
        ),
        ("14_transpose_shared", "transpose_tile_padded", "09_transpose_bounds/kernels.cuh"),
        ("14_transpose_shared", "transpose", "14_transpose_shared/experiment.cu"),
        ("07_unroll4", "read_offset_wide_streaming", "07_unroll4/kernels.cuh"),
        ("02_misaligned_reads", "unheard_of", None),
    ],
)
def test_a_kernel_is_found_where_it_is_defined(chapter: str, kernel: str, file: str | None) -> None:
    folder = Project.here().root / "chapters"
    found = kernel_files.of(folder / chapter, kernel)
    assert found == (folder / file if file else None)
