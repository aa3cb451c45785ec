"""Short names of devices for tables: `H200` for nvidia-h200, `Fermi` for emulated-fermi."""

from collections.abc import Sequence

EMULATED = "emulated-"
_VENDORS = ("nvidia-", "amd-")
_MAX_NAMED = 3


def short(device: str) -> str:
    """`nvidia-geforce-rtx-3080` is `GeForce RTX 3080`; an emulated GPU has its generation's name."""
    if device.startswith(EMULATED):
        return device.removeprefix(EMULATED).capitalize()
    for vendor in _VENDORS:
        device = device.removeprefix(vendor)
    return " ".join(map(_word, device.split("-")))


def _word(word: str) -> str:
    if word == "geforce":
        return "GeForce"
    is_code = len(word) <= 3 or any(letter.isdecimal() for letter in word)
    return word.upper() if is_code else word.capitalize()


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
    if len(names) > _MAX_NAMED:
        names = [*names[:_MAX_NAMED], f"{len(names) - _MAX_NAMED} more"]
    return ", ".join(names)
