import pytest
from conftest import Tree

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.data.chapters import find_chapters


@pytest.fixture
def three(tree: Tree) -> Tree:
    for name in ("10_transpose_naive", "14_transpose_shared", "not_a_chapter", "15_empty"):
        (tree.root / "chapters" / name).mkdir()
    for name in ("10_transpose_naive", "14_transpose_shared", "not_a_chapter"):
        (tree.root / "chapters" / name / "experiment.cu").write_text("")
    return tree


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["02_misaligned_reads"], ["02"]),
        (["chapters/02_misaligned_reads/"], ["02"]),
        (["2"], ["02"]),
        (["14"], ["14"]),
        (["naive"], ["10"]),
        (["14", "02", "misaligned"], ["02", "14"]),
        ([], ["02", "10", "14"]),
    ],
)
def test_a_chapter_goes_by_name_number_or_part(
    three: Tree, words: list[str], expected: list[str]
) -> None:
    assert [chapter.number for chapter in find_chapters(three.project, words)] == expected


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("transpose", "may be any of: 10_transpose_naive, 14_transpose_shared"),
        ("10_transpose_naiv3", "did you mean 10_transpose_naive?"),
        ("99", "there is no chapter"),
        ("15_empty", "there is no chapter"),
        ("", "there is no chapter"),
    ],
)
def test_otherwise_the_valid_ones_are_named(three: Tree, word: str, complaint: str) -> None:
    with pytest.raises(Problem) as caught:
        find_chapters(three.project, [word])
    assert complaint in str(caught.value)
    assert caught.value.status == WRONG_USAGE


def test_the_question_is_the_first_paragraph_below_its_heading(three: Tree) -> None:
    first, second, _ = find_chapters(three.project, [])
    assert first.question == "Does a misaligned read cost anything?"
    assert second.question == ""
