"""The form of chapters' pages: short, the verdict first, every result from the data or cited."""

import re

import pytest

from notebook.base.project import Project
from notebook.data.chapters import PAGE, Chapter, all_chapters
from notebook.decide import answers, claims, judging, tables
from notebook.pages import chapter_page
from notebook.pages.gpu_table import MAX_ROWS

PROJECT = Project.here()
CHAPTERS = all_chapters(PROJECT)
every_page = pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)

HEADINGS = ["Why", "In practice", "How to run it"]
MAX_WORDS, MAX_VERDICT, MAX_NUMBERS, MAX_SENTENCES = 350, 40, 3, 2
MAX_WHY, MAX_PRACTICE, MAX_WIDTH = 15, 2, 120
# Words of the pages before they had this form.
WORDS_BEFORE = {
    "00": 7618, "01": 6839, "02": 2933, "03": 4620, "04": 5365, "05": 3252, "06": 3942, "07": 9084,
    "08": 3679, "09": 4872, "10": 6602, "11": 3602, "12": 6994, "13": 5360, "14": 8182, "15": 6454,
    "16": 3840, "17": 4955, "18": 5069, "19": 5087, "20": 3230,
}  # fmt: skip
# A number and the unit of a result.
_RESULT = re.compile(
    r"\d[\d,.]*(?:\s*(?:–|to)\s*\d[\d,.]*)?\s*"
    r"(?:%|×|x\b(?!\s*\d)|times\b|percent\b|[nµmu]s\b|s\b|clocks\b|cycles\b|[kMGT]?B/s|[MGT]?FLOP/s|[kMG]Hz\b)"
)
_NO_DATA_OF = re.compile(r"No data yet: no data \([^)]* has no data of chapter (\d\d)\)")
_FENCED = re.compile(r"^```.*?^```$|^    .*?$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def readme(chapter: Chapter) -> str:
    return (chapter.directory / "README.md").read_text("utf-8")


def source(chapter: Chapter) -> str:
    return (chapter.directory / PAGE).read_text("utf-8")


def unfolded(text: str) -> str:
    """What a reader sees before opening anything."""
    text = re.sub(r"<details>.*?</details>|<!--.*?-->", "", text, flags=re.DOTALL)
    return re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)


def words(text: str) -> list[str]:
    """What blanks and the bars of tables part, signs too; of a link its text."""
    plain = re.sub(r"\]\([^)]*\)", "]", text)
    return [word for word in re.sub(r"(?<!\\)\|", " ", plain).split() if word != "---"]


def verdict(chapter: Chapter) -> str:
    return chapter_page.answer(PROJECT, tables.decide_chapter(PROJECT, chapter))


def section(text: str, heading: str) -> list[str]:
    """Its lines, without blank ones."""
    body = text.partition(f"\n## {heading}\n")[2]
    body = re.split(r"^## |^<details>", body, maxsplit=1, flags=re.MULTILINE)[0]
    return [line for line in body.split("\n") if line.strip()]


def typed_results(text: str) -> list[str]:
    """Numbers with the unit of a result that no placeholder has."""
    for left_out in (_FENCED, _CODE, _PLACEHOLDER):
        text = left_out.sub("_", text)
    return _RESULT.findall(text)


@every_page
def test_the_order_is_question_verdict_figure_table_why_practice_and_run(chapter: Chapter) -> None:
    text = readme(chapter)
    comment, title, *_ = text.split("\n")
    assert comment.startswith("<!-- Made by `scripts/lab figures")
    assert re.fullmatch(rf"# {chapter.number} .{{10,100}}\?", title)
    assert re.findall(r"^## (.+)$", unfolded(text), re.MULTILINE) == HEADINGS
    head = text.partition("\n## Why")[0]
    blocks = [block.strip() for block in head.split("\n\n") if block.strip()]
    assert len(blocks) == 4, "title, verdict, figure, table"
    assert blocks[2].startswith("![") and f"plots/{chapter.name}.svg" in blocks[2]
    assert blocks[3].startswith("|GPU|") and blocks[3].count("\n") <= MAX_ROWS + 1
    folded = re.findall(r"<summary>(.*?)</summary>", text)
    assert folded[:3] == ["Then and now", "Method", "All claims"], folded
    assert text.index("<details>") > text.index(f"## {HEADINGS[-1]}")


@every_page
def test_a_page_is_read_on_two_screens(chapter: Chapter) -> None:
    text = readme(chapter)
    assert len(words(unfolded(text))) <= MAX_WORDS
    # As a program counts that knows no Markdown: the picture's words and comments with the rest.
    assert len(re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL).split()) <= MAX_WORDS
    assert len(section(text, "Why")) <= MAX_WHY
    assert len(section(text, "In practice")) <= MAX_PRACTICE
    assert len(text.split()) < WORDS_BEFORE.get(chapter.number, 10_000)


@every_page
def test_the_verdict_is_short_and_first(chapter: Chapter) -> None:
    said = verdict(chapter)
    assert len(words(said)) <= MAX_VERDICT
    assert len(re.findall(r"[.!?](?:\s|$)", said)) <= MAX_SENTENCES
    assert len(re.findall(r"(?<![\w.,–-])(?:1/)?\d[\d.,]*(?:–[\d.,/]+)?", said)) <= MAX_NUMBERS
    first = " ".join(words(unfolded(readme(chapter)))[:60])
    assert words(chapter_page.in_plain_words(said))[-1] in first
    if answers.gpus(tables.decide_chapter(PROJECT, chapter)):
        assert re.search(r"\d", said), "a verdict has its number"


@every_page
def test_every_number_has_its_data(chapter: Chapter) -> None:
    """But a number that comes from a chapter that was removed."""
    there = {each.number for each in CHAPTERS}
    known = _NO_DATA_OF.sub(lambda no: no[0] if no[1] in there else "", readme(chapter))
    assert "No data yet" not in known


@every_page
def test_no_result_is_typed(chapter: Chapter) -> None:
    """It comes from the data or from a source: {name:form} or {cited …}."""
    assert typed_results(source(chapter)) == []
    for claim in claims.load(chapter):
        for device, reason in claim.because.items():
            assert device.startswith("emulated") or typed_results(reason) == [], claim.id


@every_page
def test_the_answer_stands_once(chapter: Chapter) -> None:
    assert "{" not in readme(chapter).partition("\n## Why")[0]


@every_page
def test_lines_are_wrapped(chapter: Chapter) -> None:
    for line in source(chapter).split("\n"):
        assert len(line) <= MAX_WIDTH or line.startswith(("|", "![")), line


@every_page
def test_no_tag_stands_as_text(chapter: Chapter) -> None:
    assert "&lt;br" not in readme(chapter)


@every_page
def test_every_number_of_the_chapter_is_on_its_page(chapter: Chapter) -> None:
    from notebook.pages.prose_numbers import ChapterNumbers

    named = {found.partition(":")[0] for found in re.findall(r"\{([^{}]*)\}", source(chapter))}
    known = set(ChapterNumbers.of(PROJECT, chapter).known) - {"smallest_effect"}
    assert known - named == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 17 % longer.", ["17 %"]),
        ("It takes 5 to 6 % longer, 1.02–1.04× the time.", ["5 to 6 %", "1.02–1.04×"]),
        ("1,234 GB/s, 3.5 TFLOP/s, 3 times", ["1,234 GB/s", "3.5 TFLOP/s", "3 times"]),
        ("80 µs, 2x the time", ["80 µs", "2x"]),
        ("Tiles of 16 x 16, blocks of 256 threads, 2^20 elements, 128-byte lines, offset 11", []),
        ("It takes {late:max:%} longer, {cited 80 %}; `128 / 160 = 80 %`.", []),
        ("```\n80 %\n```\n\n    ninja # 5 s\n", []),
    ],
)  # fmt: skip
def test_a_typed_result_is_found(text: str, found: list[str]) -> None:
    assert typed_results(text) == found


def test_the_words_of_a_verdict_are_those_of_the_rules() -> None:
    """Cells of the tables of GPUs have no other words than `lab verdicts`."""
    known = {*judging.ALL, *(f"predicted {word}" for word in judging.ALL), "open", "–"}
    known.add("from 0")  # the value of a ratio to a baseline that counted nothing
    for chapter in CHAPTERS:
        table = readme(chapter).partition("|GPU|")[2].partition("\n\n")[0]
        for row in table.split("\n")[2:]:
            for cell in row.strip("|").split("|")[1:]:
                for part in re.split(r"[;,] ", cell.strip()):
                    word = re.sub(
                        r"^(?:DRAM |L2 |L1 )?[\d.,/–∞]+ ?(?:× \w+|[×%]|[a-zA-Zµ/]+)?$", "–", part
                    )
                    assert re.sub(r"^\d+ ", "", word) in known, cell


def test_every_chapter_has_a_page() -> None:
    for chapter in all_chapters(PROJECT):
        for name in (PAGE, "README.md", "claims.toml"):
            assert (chapter.directory / name).is_file()
