"""From page.md to README.md: what placeholders, comments and links become, and what is refused in one line."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import synthetic
from conftest import Tree

from notebook.base.errors import take_refused
from notebook.base.project import Project
from notebook.charts import figures
from notebook.data.chapters import PAGE
from notebook.decide import tables
from notebook.pages import chapter_page, citations, gpu_table, pages
from notebook.pages.prose_numbers import Form, significant

HEAD = "<!-- Edit this file; `scripts/lab figures 02` makes README.md from it. -->\n# 02 Is it slow?\n\n"
NUMBERS = """from notebook.pages.queries import Data, Numbers

NUMBERS: Numbers = {
    "extra": lambda d: d.more("read_offset offset:11", "read_offset offset:0"),
    "times": lambda d: d.of("read_offset offset:11|0"),
    "nothing": lambda d: d.of("read_column"),
    "typo": lambda d: d.tims("read_offset"),
    "fixed": lambda _: [0.9375],
}
"""


def save(tree: Tree) -> None:
    """An H200 whose reads at offset 11 take 2 % more at 2^20 and 20 % more at 2^24 than its 50 µs."""
    rows = []
    for n, time in ((2**20, 51.0), (2**24, 60.0)):
        for offset, taken in ((0, 50.0), (11, time)):
            name = f"read_offset/offset:{offset}/block:512/n:{n}/cache:cold"
            label = "l2" if n == 2**20 else "dram"
            rows += synthetic.timed(name, taken, noise=0.0, processes=3, label=label)
    synthetic.save(tree.data, synthetic.document(rows))


def made(tree: Tree, text: str, numbers: str = NUMBERS) -> str:
    """The README.md of a page.md with this text below its title; "" where it is refused."""
    (tree.chapter.directory / "README.md").unlink(missing_ok=True)
    (tree.chapter.directory / "numbers.py").write_text(numbers)
    (tree.chapter.directory / PAGE).write_text(HEAD + text)
    take_refused()
    pages.write_all(tree.project, [tree.chapter])
    readme = tree.chapter.directory / "README.md"
    return readme.read_text().partition("slow?\n\n")[2].strip() if readme.is_file() else ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{extra}", "2–20"),
        ("{extra:%}", "2–20 %"),
        ("{extra:max:%}", "20 %"),
        ("{extra:%:min}", "2 %"),
        ("{extra:median:.1:%}", "11.0 %"),
        ("{times:µs}", "50–60 µs"),
        ("{times:3:µs}", "50–60 µs"),
        ("{fixed:of 16}", "15 of 16"),
        ("{fixed:3}", "0.938"),
        ("{smallest_effect:%}", "3 %"),
        # A claim's, with the words of the front page.
        ("{offset_11_slower}", "1.02–1.20×"),
        ("**{offset_11_slower:verdict}.**", "**It depends.**"),
        ("On an {gpu} {offset_11_slower@dram:percent}", "On an H200 20 %"),
        ("`{i, j}` and\n\n```\n{x}\n```\n\n    {y}", "`{i, j}` and\n\n```\n{x}\n```\n\n    {y}"),
    ],
)
def test_a_placeholder_becomes_the_number_of_the_data(tree: Tree, text: str, expected: str) -> None:
    save(tree)
    assert made(tree, text) == expected


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("{extr}", 4, "unknown number extr; did you mean extra?"),
        ("{offset_11_slow:percent}", 4, "did you mean offset_11_slower?"),
        ("Two\nlines {extra:maximum}", 4, "form 'maximum'; did you mean"),
        ("x\n\n{extra:%", 6, "a stray {"),
        ("{typo}", 0, "typo: AttributeError"),
        ("{cited 17.3 %}", 4, "no source of 02_misaligned_reads prints 17.3"),
        ("{cited much}", 4, "cites no number"),
        ("<!-- lab:verdits -->", 4, "unknown table; did you mean verdicts?"),
        ("<!-- lab:verdicts 02 -->", 4, "unknown table"),
        ("<!-- lab:gpus\nnope: x\n-->", 4, "unknown claim nope"),
        ("<!-- lab:gpus\n-->", 4, "a column is a line 'claim_id: heading'"),
        ("<!-- lab:gpus\noffset_11_slower: x\nrows: h201\n-->", 4, "row h201: did you mean h200?"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(
    tree: Tree, text: str, line: int, complaint: str
) -> None:
    save(tree)
    assert made(tree, text) == ""
    (refused,) = take_refused()
    assert complaint in refused and "\n" not in refused
    assert not line or f"{PAGE}:{line}:" in refused


@pytest.mark.parametrize(
    ("numbers", "complaint"),
    [
        ("NUMBERS = {", "SyntaxError"),
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("OTHER = {}", "defines no NUMBERS"),
        (
            NUMBERS.replace('"fixed"', '"offset_11_slower"'),
            "offset_11_slower is a claim and a number",
        ),
    ],
)
def test_a_wrong_numbers_py_is_refused(tree: Tree, numbers: str, complaint: str) -> None:
    save(tree)
    assert made(tree, "{offset_11_slower}", numbers) == ""
    (refused,) = take_refused()
    assert complaint in refused and "\n" not in refused


def test_a_page_that_does_not_say_what_to_edit_is_refused(tree: Tree) -> None:
    (tree.chapter.directory / PAGE).write_text("# 02 Is it slow?\n")
    pages.write_all(tree.project, [tree.chapter])
    (refused,) = take_refused()
    assert f"{PAGE}:1: the first line of page.md is: <!-- Edit this file; " in refused


def test_a_paragraph_without_data_says_how_to_make_them(tree: Tree) -> None:
    save(tree)
    shown = made(tree, "There is {extra:%}.\n\nThere is {nothing:%}.")
    assert shown.split("\n\n") == [
        "There is 2–20 %.",
        "*No data yet: no data (nothing); to make them: `scripts/lab run 02`.*",
    ]
    shutil.rmtree(tree.data / "nvidia-h200")
    assert made(tree, "There is {extra:%}.").startswith("*No data yet: no data (extra: ")


def test_the_readme_says_that_it_is_made_and_is_the_same_again(tree: Tree) -> None:
    save(tree)
    made(tree, "**No:** {extra:%}.\n\n<!-- lab:verdicts -->")
    readme = tree.chapter.directory / "README.md"
    first = readme.read_text()
    assert first.startswith("<!-- Made by `scripts/lab figures 02` from page.md. -->")
    assert "|Reads at offset 11 are slower than aligned ones.|" in first and "lab:" not in first
    assert pages.write_all(tree.project) != [readme] and readme.read_text() == first
    readme.write_text(first.replace("No:", "Yes:"))
    assert pages.stale(tree.project, [tree.chapter]) == [readme]


def test_the_verdict_is_the_answer_everywhere(tree: Tree) -> None:
    save(tree)
    made(
        tree, "**{offset_11_slower:verdict}:** `n` [reads](x.md) take\n{extra:%} longer.\n\n## Why"
    )
    said = "It depends: n reads take 2–20 % longer."
    assert tree.chapter.question == "Is it slow?"
    decided = tables.decide_chapter(tree.project, tree.chapter)
    assert chapter_page.answer(tree.project, decided) == said
    shown = tree.lab("list", "02").stdout
    assert said in shown and "02_misaligned_reads  Is it slow?" in shown
    assert said in tree.lab("verdicts").stdout
    pages.write_all(tree.project)
    front = (tree.root / "README.md").read_text()
    assert "**no** (1.02×)" in front and "**yes** (1.20×)" in front


def test_a_link_to_a_chapter_that_was_removed_is_its_text(tree: Tree) -> None:
    save(tree)
    assert made(tree, "See [chapter 03](../03_l1_cache/).") == "See chapter 03."
    (tree.chapter.directory.parent / "03_l1_cache").mkdir()
    assert made(tree, "See [chapter 03](../03_l1_cache/).") == "See [chapter 03](../03_l1_cache/)."


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.0637, 2, "0.064"),
        (0.999, 2, "1"),
        (1.96, 2, "2"),
        (1.96, 3, "1.96"),
        (57.4, 2, "57"),
        (99.9, 2, "100"),
        (1234.5, 2, "1,234"),
        (-2.34, 2, "-2.3"),
        (0, 2, "0"),
    ],
)
def test_significant_digits(value: float, digits: int, expected: str) -> None:
    assert significant(value, digits) == expected


def test_equal_ends_are_one_number() -> None:
    assert Form.parsed("%").printed([1.04, 0.96]) == "0.96–1 %"
    assert Form.parsed(".1:%").printed([1.04, 0.96]) == "1.0 %"


def test_what_is_cited_is_printed_by_a_source() -> None:
    project = Project.here()
    (chapter,) = (c for c in pages.all_chapters(project) if c.number == "02")
    cited = citations.Citations(project, chapter)
    # Cheng 2014 prints 49.8 %; rounded it is 50 %.
    assert cited.checked("49.8 %") == "49.8 %"
    with pytest.raises(ValueError, match=r"prints 49\.3"):
        cited.checked("49.8 % or 49.3 %")


COLUMNS = "<!-- lab:gpus\noffset_11_slower: time\nefficiency_32: efficiency\n{}-->"


def table_of(tree: Tree, rows: str = "") -> list[str]:
    return made(tree, COLUMNS.format(rows)).split("\n")[2:]


def test_a_gpu_is_a_row_and_what_nothing_decides_is_open(tree: Tree) -> None:
    save(tree)
    for generation in ("fermi", "kepler", "maxwell", "hopper"):
        counted = synthetic.misaligned_reads_emulated(128 if generation == "fermi" else 32)
        document = synthetic.document(counted, f"emulated-{generation}")
        synthetic.save(tree.data, document)
    assert table_of(tree) == [
        "|H200|L2 1.02×, no effect; DRAM 1.20×, reproduced|–|",
        # A Hopper was measured. A Fermi fetches lines: the claim is about sectors, and its time is open.
        "|Kepler, Maxwell, emulated|open|80 %|",
    ]
    assert table_of(tree, "rows: kepler\n") == ["|Kepler, Maxwell, emulated|open|80 %|"]


def test_at_most_six_rows_are_shown_the_named_ones_first(tree: Tree) -> None:
    folder = tree.data / "published"
    folder.mkdir()
    lines = ["device,gpu,generation,year,fetch_unit_bytes,dram_bytes_per_second,source"]
    lines += [f"gpu-{year},GPU,Ada,{year},32,,\n".strip() for year in range(2014, 2024)]
    (folder / "devices.csv").write_text("\n".join(lines) + "\n")
    printed = ["device,name,metric,value,level,source,caveat"]
    for year in range(2014, 2024):
        printed += [
            f"gpu-{year},read_offset/offset:{offset}/block:512,time_us,{time},,x,"
            for offset, time in ((0, 100), (11, 130))
        ]
    (folder / f"{synthetic.CHAPTER}.csv").write_text("\n".join(printed) + "\n")
    save(tree)
    shown = [row.split("|")[1] for row in table_of(tree)]
    assert len(shown) == gpu_table.MAX_ROWS and shown[0] == "H200"
    assert shown[1] == "GPU 2023, published"
    named = [row.split("|")[1] for row in table_of(tree, "rows: gpu-2014, published\n")]
    assert len(named) == gpu_table.MAX_ROWS and named[-1] == "GPU 2014, published"
    assert "H200" not in named


def test_a_chart_of_the_chapter_that_is_wrong_is_refused(tree_with_data: Tree) -> None:
    chart = tree_with_data.chapter.directory / "chart.py"
    for text, complaint in (
        ("def chart(facts):\n    return 1 / 0\n", "figure 02_misaligned_reads is not drawn"),
        ("def chart(facts):\n    return 'x'\n", "chart() returns no Chart"),
        ("def chart(:\n", "SyntaxError"),
        ("", "defines no chart"),
    ):
        chart.write_text(text)
        take_refused()
        known = figures.own_figures(tree_with_data.project, [tree_with_data.chapter])
        (refused,) = take_refused()
        assert known == [] and complaint in refused and "\n" not in refused
    chart.unlink()
    (figure,) = figures.own_figures(tree_with_data.project, [tree_with_data.chapter])
    assert "time, µs" in figure.chart.as_tsv(), (
        "a bar for each variant, of the first claim's metric"
    )


def test_a_removed_chapter_leaves_the_other_pages_whole(tmp_path: Path) -> None:
    """Chapter 20, which no other includes: front page and other chapters lose its rows and links, no more."""
    root = Project.here().root
    tracked = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "chapters", "README.md", "README.zh.md"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    gone = "chapters/20_unified_memory/"
    for name in tracked:
        if name and not name.startswith(gone) and (root / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, tmp_path / name)
    for name in ("data", "plots", "scripts", "common"):
        (tmp_path / name).symlink_to(root / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "kept").symlink_to(root / "build" / "kept")  # what was decided before
    project = Project(tmp_path, tmp_path / "data")
    changed = pages.write_all(project)
    assert take_refused() == []
    assert {path.name for path in changed} <= {"README.md", "README.zh.md"}
    front = (tmp_path / "README.md").read_text()
    shown = re.sub(r"<!--.*?-->", "", front, flags=re.DOTALL)
    assert "20_unified_memory" not in shown and "19_matmul_fast" in shown
    assert (
        not pages.stale(project)
        and len(figures.all_figures(project, pages.Pages(project).chapters)) >= 26
    )
