"""Benchmark names: `kernel/key:value/key:value`; some keys say the regime, others the variant."""

import re
from collections.abc import Iterable
from functools import cache
from typing import TypeGuard

from notebook.base.text import power_of_two

LONGEST = 300  # characters
REGIME_KEYS = ("n", "rows", "columns", "m", "k", "bytes", "cache")

_SIZE = re.compile("[0-9]{1,18}")
_NAME = re.compile(r"[A-Za-z0-9_]+(/[A-Za-z0-9_]+:[A-Za-z0-9_.+-]+)*")


def is_name(text: object) -> TypeGuard[str]:
    """Whether `text` is a benchmark name; nothing else from a data file becomes one."""
    return isinstance(text, str) and len(text) <= LONGEST and _NAME.fullmatch(text) is not None


@cache
def wrong_size(name: str) -> str:
    """The first of the sizes in a name that is none; "" without one."""
    values = parameters(name)
    sizes = (key for key in REGIME_KEYS if key != "cache" and key in values)
    return next((key for key in sizes if not _SIZE.fullmatch(values[key])), "")


def parameters(name: str) -> dict[str, str]:
    """The keys and values of `name`: {"offset": "11", …}."""
    return dict(part.split(":", 1) for part in name.split("/")[1:])


def kernel(name: str) -> str:
    return name.split("/")[0]


@cache
def variant(name: str) -> str:
    """`name` without its regime, its keys in a fixed order: names of one variant are equal."""
    first, *others = without_regime(name).split("/")
    return "/".join([first, *sorted(others)])


def without_regime(name: str) -> str:
    """`name` without its regime, its keys in the order they stand in."""
    others = (part for part in _parts(name) if part.split(":")[0] not in REGIME_KEYS)
    return "/".join([kernel(name), *others])


@cache
def regime(name: str) -> str:
    """The part of `name` that says the regime, in the order of REGIME_KEYS: `n:1024/cache:cold`."""
    values = parameters(name)
    return "/".join(f"{key}:{values[key]}" for key in REGIME_KEYS if key in values)


def regime_in_words(regime_text: str) -> str:
    """`n:16777216/cache:cold` as `n = 2^24, cold`."""
    words = []
    for part in filter(None, regime_text.split("/")):
        key, value = part.split(":", 1)
        words.append(value if key == "cache" else f"{key} = {power_of_two(value)}")
    return ", ".join(words)


@cache
def natural(text: str) -> tuple[tuple[int, str], ...]:
    """A sort key that puts `offset:2` before `offset:11`."""
    return tuple(
        (int(part), "") if part.isdecimal() else (-1, part)
        for part in re.split(r"([0-9]+)", text)
        if part
    )


def naturally_sorted(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=natural)


def _parts(name: str) -> list[str]:
    return name.split("/")[1:]
