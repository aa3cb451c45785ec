"""The matrix of verdicts: every claim, every device, oldest first, with the chapters' reasons."""

import synthetic
from conftest import CLAIMS, Tree

from notebook.decide import tables
from notebook.pages import matrix


def test_claims_down_and_devices_across(tree_with_data: Tree) -> None:
    tree = tree_with_data
    # At 2^20 the reads at offset 11 take no longer: no effect there, reproduced at 2^24.
    rows = synthetic.misaligned_reads_gpu(sizes=[2**24])
    for offset in (0, 11):
        name = f"read_offset/offset:{offset}/block:512/n:{2**20}/cache:cold"
        rows += synthetic.timed(name, 50.0)
    synthetic.save(tree.data, synthetic.document(rows))
    reason = '[claim.because]\n"emulated-fermi" = "It has lines."\n'
    (tree.chapter.directory / "claims.toml").write_text(
        CLAIMS.replace("fetch_unit_bytes = 32\n", "") + reason
    )
    lines = matrix.lines([tables.decide_chapter(tree.project, tree.chapter)])
    cells = [line.split() for line in lines]
    # The synthetic years: 2010, 2024, 2024.
    assert cells[1:4] == [
        ["1", "2010", "emulated-fermi"],
        ["2", "2024", "emulated-hopper"],
        ["3", "2024", "nvidia-h200"],
    ]
    assert "02  offset_11_slower  g   g  1R 1N  Reads at offset 11 are slower" in "\n".join(lines)
    assert ["02", "efficiency_32", "X¹", "H", "·"] in [cell[:5] for cell in cells]
    assert lines[-1] == "¹ It has lines."


def test_the_command_prints_it(tree_with_data: Tree) -> None:
    done = tree_with_data.lab("verdicts", "--all")
    assert done.returncode == 0, done.stderr
    assert "02  offset_11_slower  g  g  R" in done.stdout
