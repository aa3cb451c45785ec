"""Short names of devices for tables: `H200` for nvidia-h200, `Fermi` for emulated-fermi; with the mark of
those whose results came from somebody else."""

import re
from collections.abc import Sequence

from notebook.data import received
from notebook.data.devices import PUBLISHED

EMULATED = "emulated-"
_VENDORS = ("nvidia-", "amd-")
# The kind of memory, which drivers append: `h100-80gb-hbm3` is an H100.
_MEMORY = re.compile(r"-[0-9]+gb-hbm[0-9]+e?$")
# The length of a label beside a curve.
_MAX_LETTERS = 24
_MAX_LEFT_OUT = 2
_SPELLED = {"geforce": "GeForce", "ti": "Ti", "pcie": "PCIe"}


def short(device: str) -> str:
    """`nvidia-geforce-rtx-3080` is `GeForce RTX 3080`; an emulated GPU has its generation's name."""
    if device.startswith(EMULATED):
        return device.removeprefix(EMULATED).capitalize()
    model = device.removeprefix(PUBLISHED)
    for vendor in _VENDORS:
        model = model.removeprefix(vendor)
    model = _MEMORY.sub("", model)
    return received.marked(" ".join(map(_word, model.split("-"))), device)


def _word(word: str) -> str:
    if word in _SPELLED:
        return _SPELLED[word]
    is_code = len(word) <= 3 or any(letter.isdecimal() for letter in word)
    return word.upper() if is_code else word.capitalize()


def label(devices: Sequence[str], every: Sequence[str]) -> str:
    """The same where there is little room: what is left out may be shorter to name."""
    name = together(devices, every)
    others = [device for device in every if device not in devices]
    left_out = ", ".join(map(short, others))
    without = f"all but {left_out}" if len(others) <= _MAX_LEFT_OUT else "the others"
    return without if len(name) > _MAX_LETTERS and len(without) < len(name) else name


def together(devices: Sequence[str], every: Sequence[str]) -> str:
    """Some of `every` in a few words: neighbours become a range, `Kepler–Hopper`."""
    if len(devices) == len(every) > 2:
        return f"all {len(every)} generations"
    places = sorted(every.index(device) for device in devices)
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    names = []
    for run in runs:
        ends = [short(every[place]) for place in run]
        names += [f"{ends[0]}–{ends[-1]}"] if len(ends) > 2 else ends
    return ", ".join(names)
