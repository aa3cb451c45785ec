"""The table of counters in pages: a row a counter, predicted, counted and measured, from small data."""

from pathlib import Path

import pytest
from conftest import Tree

from notebook.base.errors import Problem
from notebook.base.text import markdown_code
from notebook.data.records import Row, grouped
from notebook.data.results import Result
from notebook.decide.claims import load_counter_notes
from notebook.pages import counter_table

NAME = "read/offset:11/n:1024"
CLAIM = """
[[claim]]
id = "sectors"
statement = "It reads a fifth more."
source = "here"
source_device = "none"
metric = "load_sectors"
variant = "read/offset:11"
baseline = "read/offset:0"
direction = "higher"
why = "Sectors."
"""


def result(device: str, counts: dict[str, dict[str, float]], generation: str = "hopper") -> Result:
    """Counted in its rows by an emulated GPU, measured by a profiler on a GPU."""
    emulated = device.startswith("emulated-")
    rows = [Row(name, "", 0, 1.0, False, values) for name, values in counts.items()]
    return Result(
        path=Path(f"data/{device}/02_misaligned_reads.json"),
        chapter="02_misaligned_reads",
        device=device,
        is_emulated=emulated,
        year=2022,
        fetch_unit_bytes=32,
        quick=False,
        by_name=grouped(rows if emulated else []),
        measured_counters={} if emulated else counts,
        generation=generation,
    )


def table(tree: Tree, results: list[Result], claims: str = CLAIM) -> str:
    (tree.chapter.directory / "claims.toml").write_text(claims)
    return "\n".join(counter_table.lines(tree.chapter, results, lambda device: device.device))


def one_counter(counter: str, counted: dict[str, float], measured: float) -> list[Result]:
    """Two variants, so that a counter that both have the same of is no news."""
    other = "read/offset:0/n:1024"
    nothing = {key: 1.0 for key in counted}
    return [
        result("emulated-hopper", {NAME: counted, other: nothing}),
        result("nvidia-h200", {NAME: {counter: measured}, other: {counter: 1.0}}),
    ]


def test_a_row_has_predicted_counted_and_measured(tree: Tree) -> None:
    page = table(tree, one_counter("load_sectors", {"load_sectors": 327676.0}, 327676.0))
    assert (
        "| variant | counter | by generation | counted: emulated-hopper | measured: nvidia-h200 | agree |"
    ) in page
    assert "| `read/offset:11` | `load_sectors` | 327,676 | 327,676 | 327,676 | = |" in page
    assert (
        "**In all, 2 launches** of emulated-hopper and nvidia-h200 were compared: of 2 counters that "
        "are not zero, 2 agree to the unit, 0 inside their interval or tolerance, and 0 differ."
    ) in page


def test_a_disagreement_is_bold_and_listed_with_its_reason(tree: Tree) -> None:
    results = one_counter("load_sectors", {"load_sectors": 1000.0}, 1100.0)
    page = table(tree, results)
    assert "| 1,000 | 1,000 | **1,100** | **≠ +10 %** |" in page
    assert "and 1 differ:" in page
    assert "- `load_sectors` of 1 launch (+10 %) in `read`: no reason is given yet" in page
    reason = """
[[difference]]
device = "nvidia-h200"
counters = ["load_sectors"]
kernels = ["read"]
why = "a | made\\nup <reason>"
"""
    page = table(tree, results, CLAIM + reason)
    assert "(+10 %) in `read`: a \\| made up &lt;reason>" in page
    elsewhere = reason.replace('"read"', '"write"')
    assert "no reason is given yet" in table(tree, results, CLAIM + elsewhere)


@pytest.mark.parametrize(
    ("measured", "cells"),
    [
        (100.0, "| 100–200 | 100–200 | 100 | ≈ |"),
        (200.0, "| 100–200 | 100–200 | 200 | ≈ |"),
        (201.0, "| 100–200 | 100–200 | **201** | **≠ +0.5 %** |"),
        (90.0, "| 100–200 | 100–200 | **90** | **≠ −10 %** |"),
    ],
)
def test_between_least_and_most_is_agreement(tree: Tree, measured: float, cells: str) -> None:
    counted = {"l2_read_sectors_least": 100.0, "l2_read_sectors_most": 200.0}
    assert cells in table(tree, one_counter("l2_read_sectors", counted, measured))


@pytest.mark.parametrize(
    ("measured", "cells"),
    [(79.99, "79.99 % | = |"), (79.9, "**79.9 %** | **≠ −0.1 %** |")],
)
def test_efficiencies_are_percentages_of_two_decimals(
    tree: Tree, measured: float, cells: str
) -> None:
    counted = {"load_efficiency": 79.996}
    assert f"| 80 % | 80 % | {cells}" in table(
        tree, one_counter("load_efficiency", counted, measured)
    )


def test_dram_reads_beyond_the_l2_are_not_compared(tree: Tree) -> None:
    counted = {"dram_read_bytes": 2.0**26}
    page = table(tree, one_counter("dram_read_bytes", counted, 2.0**27))
    assert "| 67,108,864 | 67,108,864 | 134,217,728 | – |" in page


def test_equal_generations_share_a_number(tree: Tree) -> None:
    per_generation = {"fermi": 50.0, "kepler": 80.0, "hopper": 80.0}
    results = [
        result(f"emulated-{item}", {NAME: {"load_efficiency": value, "load_sectors": 5.0}})
        for item, value in per_generation.items()
    ]
    page = table(tree, results)
    assert "| `read/offset:11` | `load_efficiency` | Fermi 50 %; others 80 % |\n" in page
    assert "| variant | counter | by generation |\n" in page
    assert "Not measured yet: `scripts/lab counters 02` does" in page


def test_without_an_emulated_gpu_of_its_generation_nothing_is_compared(tree: Tree) -> None:
    counts = {NAME: {"load_sectors": 5.0}}
    results = [result("emulated-fermi", counts), result("nvidia-rtx", counts, "ada")]
    page = table(tree, results)
    assert "| counted: emulated-ada | measured: nvidia-rtx |" in page
    assert "| 5 | – | 5 | – |" in page
    assert "`scripts/lab run 02 --device emulated:ada`" in page
    assert "In all" not in page


def test_a_gpu_of_unknown_generation_has_no_command_to_mend_it(tree: Tree) -> None:
    page = table(tree, [result("nvidia-other", {NAME: {"load_sectors": 5.0}}, generation="")])
    assert "| counted: – | measured: nvidia-other |" in page
    assert "Nothing to compare nvidia-other with: no emulated GPU of its generation." in page


def test_what_says_nothing_is_left_out(tree: Tree) -> None:
    """Zero everywhere; the same everywhere; what an emulated GPU of that size never counted."""
    counts = {
        f"read/offset:{offset}/n:1024": {
            "load_sectors": 100.0 + offset,
            "shared_load_requests": 0.0,
            "store_sectors": 1000.0,
        }
        for offset in (0, 11)
    }
    other_size = {"read/offset:11/n:4096": {"load_sectors": 9.0}}
    page = table(
        tree, [result("emulated-hopper", counts), result("nvidia-h200", counts | other_size)]
    )
    rows = [line for line in page.split("\n") if line.startswith("| `")]
    assert len(rows) == 2
    assert "shared_load_requests" not in page
    assert "about equal for all variants on every device: `store_sectors` (1,000)." in page
    assert "2 variants at n = 2^10: `read/offset:0, 11`." in page


def test_variants_of_equal_numbers_share_a_row_and_more_are_shown_on_demand(tree: Tree) -> None:
    counts = {
        f"read/offset:{i}/block:64/n:1024": {"load_sectors": 5.0 if i else 4.0} for i in range(10)
    }
    claims = CLAIM.replace('"read/offset:11"', '"read/offset:0/block:64"').replace(
        '"read/offset:0"', '"read/offset:9/block:64"'
    )
    show = ", ".join(f'"read/offset:{i}/block:64"' for i in (1, 2, 3, 7))
    page = table(tree, [result("emulated-hopper", counts)], f"show = [{show}]\n{claims}")
    assert "| `read/offset:0/block:64` | `load_sectors` | 4 |" in page
    assert "| all but `read/offset:0/block:64` | `load_sectors` | 5 |" in page
    assert "6 variants at n = 2^10: `read/offset:0…3, 7, 9/block:64`." in page


def test_a_long_table_keeps_what_claims_are_about_and_names_the_rest(tree: Tree) -> None:
    count = counter_table.MAX_ROWS - 5
    names = [f"read/offset:{i}" for i in range(count)]
    counts = {
        name: {"store_sectors": 9.0 * i, "load_sectors": i + 1.0} for i, name in enumerate(names)
    }
    show = ", ".join(f'"{name}"' for name in names)
    page = table(tree, [result("emulated-hopper", counts)], f"show = [{show}]\n{CLAIM}")
    rows = [line for line in page.split("\n") if line.startswith("| `")]
    assert len(rows) == count
    assert all("`load_sectors`" in row for row in rows)
    assert "Omitted for length: `store_sectors`." in page


def test_hostile_names_stay_in_their_cell() -> None:
    assert markdown_code("a|b") == "`a\\|b`"
    assert markdown_code("a\n| b") == "`a \\| b`"
    assert markdown_code("`x`") == "`` `x` ``"
    assert markdown_code("a``` b") == "```` a``` b ````"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('show = "read"', "show is a list of benchmark names"),
        ('show = ["a|b"]', "show is a list of benchmark names"),
        ("difference = 3", "differences are written as"),
        ('[[difference]]\ndevice = "../x"', "device is a folder of data/"),
        ('[[difference]]\ndevice = "x"\ncounters = ["load_sector"]', "did you mean load_sectors"),
        ('[[difference]]\ndevice = "x"\ncounters = ["load_sectors"]', "why is missing"),
        ('[[difference]]\nreason = "x"', "unknown key reason"),
    ],
)
def test_wrong_notes_are_one_line(tree: Tree, text: str, complaint: str) -> None:
    (tree.chapter.directory / "claims.toml").write_text(text)
    with pytest.raises(Problem, match=complaint) as caught:
        load_counter_notes(tree.chapter)
    assert "\n" not in str(caught.value)
