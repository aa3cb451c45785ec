"""Wording: phrases that a reader has to translate, and what to write instead."""

import re
from collections.abc import Iterable
from pathlib import Path

# A regular expression over whole words of one line, and a better wording.
PHRASES = {
    r"the mend|mends?|mended|mending": "how to fix it; repair",
    r"nobody|whoever": "name the thing: no kernel, no other device, the caller",
    r"take[ns]? down|took down": "record",
    r"told(?! by the sender)": "reported; warned; distinguished",
    r"in vain": "unused; to no effect",
    r"(?:most|least|fewest)_(?!common)\w+": "max_…, min_…",
    r"loose(?!n)\w*": "unconverged",
    r"steadiness": "convergence",
    r"is no (regular|name|number|benchmark|object|pointer|chapter name)": "is not a valid …",
    r"what is zero": "counters that are zero",
    r"anew": "again; regenerate; restart",
    r"of this world": "out of range",
    r"as they were": "unchanged",
    r"for ever": "deadlock; forever",
    r"milliard": "billion (10⁹)",
    r"lore of today": "today's lore",
    r"to be known of|to know of": "note; caveat",
    r"has to leave alone|left alone": "must not touch; untouched",
    r"(is|are) held against|held beside": "is compared with",
    r"the source's": "the book's, or the work's short name (code has a source, too)",
    r"in no time": "has a non-positive time",
    r"not to speak of|nothing to speak of": "nothing measurable",
    r"(?-i:(?P<twice>from|the|of|to|in|is|are|and|with|for|by|on|at|as|or) (?P=twice))": "the word once",
}
# Comments are sentences about the thing below them.
_FRAGMENT = re.compile(r"\s*(?://|#) (?P<first>Of|That|What)(?= )")
_CODE = re.compile(r"\.(py|cpp|hpp|cu|cuh|h|inc)$")
# Relative clauses without a noun.
_CLAUSE = re.compile(r"\b(of which|on (?:its|their) way)\b", re.IGNORECASE)
# Rooms whose comments still have such fragments and clauses.
_FRAGMENTS_LEFT = re.compile(r"^common/(timing|tests)/")
_CLAUSES_LEFT = re.compile(r"^(common/timing|common/tests|scripts/tests)/")
_PHRASE = re.compile(rf"(?<![\w-])({'|'.join(PHRASES)})(?![\w-])", re.IGNORECASE)
# The list itself, its test, and this repository's other languages.
_NOT_PROSE = re.compile(r"plain_words\.py$|\.zh\.md$|(^|/)data/|\.csv$|\.svg$")


def findings(root: Path, names: Iterable[str]) -> list[str]:
    """A line for each phrase in the files of these names: where it is, and a better wording."""
    return [
        f"{name}:{number}: {found}"
        for name in names
        if not _NOT_PROSE.search(name)
        for number, line in enumerate((root / name).read_text("utf-8").splitlines(), start=1)
        for found in _in_line(name, line)
    ]


def _in_line(name: str, line: str) -> list[str]:
    found = [f"'{match[0]}'; write: {_better(match[0])}" for match in _PHRASE.finditer(line)]
    if not _CODE.search(name):
        return found
    if not _FRAGMENTS_LEFT.match(name) and (of := _FRAGMENT.match(line)):
        found.append(
            f"a comment begins with '{of['first']}'; write: a sentence with its noun first"
        )
    if not _CLAUSES_LEFT.match(name) and (clause := _CLAUSE.search(line)):
        found.append(f"'{clause[1]}'; write: two sentences; in flight")
    return found


def _better(phrase: str) -> str:
    fitting = (
        better
        for pattern, better in PHRASES.items()
        if re.fullmatch(pattern, phrase, re.IGNORECASE)
    )
    return next(fitting)
