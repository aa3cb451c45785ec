"""Holds the prose of a page against the data."""

from collections.abc import Iterable, Iterator

from page_numbers import prose, reading

# Words of a page with the asserted numbers in brackets, and for each of them the values in the data.
Fact = tuple[str, *tuple[list[float], ...]]


def wrong(text: str, facts: Iterable[Fact]) -> Iterator[str]:
    """What the page does not say, or says differently from the data."""
    for words, *values in facts:
        plain, _, parts = prose.asserted(words)
        if plain not in text:
            yield f"not on the page: {plain}"
        if len(parts) != len(values):
            yield f"{len(parts)} numbers, {len(values)} lists of values: {plain}"
        for part, wrong_numbers in zip(parts, values, strict=False):
            if not wrong_numbers:
                yield f"no data: {words}"
            elif not reading.agrees(part, wrong_numbers):
                shown = ", ".join(f"{entry:.5g}" for entry in sorted(wrong_numbers)[:12])
                yield f"{words!r}: [{part}] is {shown}"


def unsaid(text: str, facts: Iterable[Fact], given: Iterable[str]) -> Iterator[str]:
    """The numbers of the page that neither a fact nor `given` has."""
    covered: set[int] = set()
    for words, *_ in facts:
        plain, spans, _ = prose.asserted(words)
        for start in _places(text, plain):
            for first, last in spans:
                covered.update(range(start + first, start + last))
    for words in given:
        for start in _places(text, words):
            covered.update(range(start, start + len(words)))
    for first, last in prose.numbers(text):
        if not covered.issuperset(range(first, last)):
            yield f"…{text[max(0, first - 60) : first]}[{text[first:last]}]{text[last : last + 40]}…"


def _places(text: str, words: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)
