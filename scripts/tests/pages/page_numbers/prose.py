"""The prose of a page, and the numbers in it that say what was found."""

import re
import tomllib
from pathlib import Path
from typing import Any

_ANSWER = re.compile(r"<!-- lab:answer \w+\n(.*?)^-->", re.DOTALL | re.MULTILINE)
_GENERATED = re.compile(r"<!-- lab:(?!end).*?<!-- lab:end -->", re.DOTALL)
_FENCED = re.compile(r"^```.*?^```|^    .*?$|^\|.*?$|^!\[.*?$", re.DOTALL | re.MULTILINE)
_METHOD = re.compile(r"^## Method\n.*?(?=^## |^<details>|\Z)", re.DOTALL | re.MULTILINE)
_TARGET = re.compile(r"\]\([^)]*\)")

_PART = r"(?:thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|twentieths?|fiftieths?|hundredths?)"
_COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|twelve|thirty|hundred)"
_NUMBER = re.compile(
    rf"(?<![\w.^])\d+(?:,\d{{3}})*(?:\.\d+)?(?!\w)|\b(?:half|halves|halved|twice|doubles?|doubled|{_PART}|"
    rf"{_COUNT} times|{_COUNT} (?:of|in) (?:{_COUNT}|\d+))\b"
)

# What numbers are part of that say what is measured, not what was found.
_NAMES = [
    r"# \d\d .*?\?",
    r"</?(?:details|summary)>|</?sub>",
    r"`[^`]*`",
    r"\{[^}]*\}",
    r"https?://\S+",
    r"\d[\d,]*(?:\.\d+)? x \d[\d,]*(?:\.\d+)?(?: x \d+)?(?: threads| blocks| tiles| floats| ints| elements)?",
    r"\d+\^\d+",
    r"\([\dXYxy]+, ?[\dXYxy]+\)",
    r"[Cc]hapters? \d\d(?: to \d\d)?(?:,? (?:and )?\d\d)*",
    r"\(?\*[A-Z][^*]*\*,? ?(?:\d{4}|\d\w\w edition)?",
    r"\b(?:19|20)\d\d, chapter \d\b|\bchapter \d\b|\b\d(?:rd|th) edition|\b[Ss]ections? \d\.\d",
    r"\bRTX [A-Z]?\d+(?: Ti)?|\b[A-Z]+\d+[A-Za-z]*\b|\bFP32\b|\bsm_\d+\b|\bnvcc \d+\.\d+|-O\d",
    r"[Oo]ffsets? \d+(?:(?:, \d+)*,? (?:and|or|to) \d+)?",
    r"[Ss]trides? (?:of )?\d+(?:(?:, \d+)*,? (?:and|or|to) \d+)?",
    r"\d+-(?:byte|way|bit)",
    r"capability \d\.\d",
    r"[Bb]locks of \d+(?: x \d+)?(?:(?:, \d+)*,? (?:and|or|to) (?:of )?\d+)?(?: threads)?",
    r"[Tt]iles? of (?:depth )?\d+(?: x \d+)?(?:(?:, \d+)*,? (?:and|or|to) \d+)?",
    r"[Ww]idths? \d+(?:(?:, \d+)*,? (?:and|or|to) \d+)?",
    r"[Ss]teps? \d\b",
    r"(?:at|and|,) \d+(?: and \d+)* cubed|\d+ cubed",
    r"\bat \d{4,5}(?: columns)?\b(?! cubed| x)",
    r"(?<![\d.])\d[\d,]*(?:(?:, \d+)* (?:to|and|or) \d+)?(?: more| neighbouring| different)? "
    r"(?:bytes?|lanes|threads|warps?|words?|banks|rows|columns|KiB|MiB|GiB|KB|B|SMs|registers|floats|places|"
    r"elements?|records?|pieces|pages|fields?|partitions)\b",
    r"(?<![\d.])(?:\d+|a|one|two|four) (?:sectors?|lines?|requests?|passes|wavefronts?|blocks?|streams|"
    r"loads?|stores?|stages|phases|steps) (?:a|per|of|each)\b",
]  # fmt: skip
_NAME = re.compile("|".join(f"(?:{name})" for name in _NAMES))


def of(page: Path) -> str:
    """The prose without what is generated, drawn, tabulated or set up; white space as one blank."""
    text = page.read_text(encoding="utf-8")
    answer = _answer(text)
    for left_out in (_GENERATED, _METHOD, _FENCED):
        text = left_out.sub("", text)
    return " ".join(_TARGET.sub("]", answer + text).split())


def whole(page: Path) -> str:
    """All that was written by hand."""
    text = page.read_text(encoding="utf-8")
    return " ".join(_TARGET.sub("]", _answer(text) + _GENERATED.sub("", text)).split())


def _answer(text: str) -> str:
    """The words around the spans from which `lab figures` writes the answer."""
    match = _ANSWER.search(text)
    lines = match[1].split("\n") if match else []
    return "".join(line.removeprefix(">") + "\n" for line in lines if line.startswith(">")) + "\n"


def claims(page: Path) -> list[dict[str, Any]]:
    text = (page.parent / "claims.toml").read_text(encoding="utf-8")
    texts: list[dict[str, Any]] = tomllib.loads(text)["claim"]
    return texts


def reasons(page: Path) -> str:
    """Why claims came out as they did on measured GPUs; on emulated ones the reason is arithmetic."""
    texts = {
        text: None
        for claim in claims(page)
        for device, text in claim.get("because", {}).items()
        if device.startswith("nvidia-")
    }
    return " ".join(" ".join(texts).split())


def numbers(text: str) -> list[tuple[int, int]]:
    """Where the numbers are."""
    blanked = _NAME.sub(lambda numbers_of_page: "_" * len(numbers_of_page[0]), text)
    return [numbers_of_page.span() for numbers_of_page in _NUMBER.finditer(blanked)]


def asserted(words: str) -> tuple[str, list[tuple[int, int]], list[str]]:
    """`take [5 to 6] % longer`: the words, where in them numbers are asserted, and those."""
    plain, spans, parts = "", [], []
    for at, part in enumerate(re.split(r"[\[\]]", words)):
        if at % 2:
            spans.append((len(plain), len(plain) + len(part)))
            parts.append(part)
        plain += part
    return plain, spans, parts
