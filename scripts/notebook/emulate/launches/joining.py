"""Launches that count alike are shown as one; those that differ stay apart."""

from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from itertools import zip_longest

from notebook.emulate.launches.records import Launch

MAX_DIFFERENT = 32  # launches of a kernel and shape that count differently; CSV and JSON have all
_MAX_NUMBERS = 5  # in a title


def join(runs: Sequence[Sequence[Launch]]) -> list[tuple[list[Launch], int]]:
    """For each GPU its launches, those joined that count alike on all GPUs, and how many more there are.

    The order is that of their first launches. Of a kernel that counts differently at every launch the first ones are
    kept.
    """
    # The n-th launch of one GPU is the n-th of the others.
    keys = [
        tuple(launch.key() if launch else None for launch in together)
        for together in zip_longest(*runs)
    ]
    return [_kept(_alike(launches, keys)) for launches in runs]


def _alike(launches: Sequence[Launch], keys: Sequence[tuple[object, ...]]) -> list[Launch]:
    alike: dict[tuple[object, ...], Launch] = {}
    for launch, key in zip(launches, keys, strict=False):
        if key in alike:
            alike[key].add(launch)
        else:
            alike[key] = deepcopy(launch)
    return list(alike.values())


def _kept(launches: Sequence[Launch]) -> tuple[list[Launch], int]:
    shapes = Counter(_shape(launch) for launch in launches)
    seen = Counter[tuple[object, ...]]()
    kept, omitted = [], 0
    for launch in launches:
        shape = _shape(launch)
        if shapes[shape] > 1:
            launch.which = f" ({_numbers_text(launch)})"
        seen[shape] += 1
        if seen[shape] <= MAX_DIFFERENT:
            kept.append(launch)
        else:
            omitted += launch.launches
    return kept, omitted


def _shape(launch: Launch) -> tuple[object, ...]:
    return (launch.kernel, launch.grid, launch.block)


def _numbers_text(launch: Launch) -> str:
    """`launch 3`, or `launches 3, 4, 7, ...`."""
    numbers = [str(number) for number in launch.numbers[:_MAX_NUMBERS]]
    more = ["..."] if len(launch.numbers) > _MAX_NUMBERS else []
    return f"launch{'es' * (len(launch.numbers) > 1)} {', '.join([*numbers, *more])}"


def omitted_lines(architecture: str, omitted: int) -> list[str]:
    """How many launches the report lacks."""
    if not omitted:
        return []
    return [f"({architecture}: {omitted:,} more launches count differently: --report csv has them)"]
